// Column j of the lower factor l, whose columns before j are known and whose others are zero:
//   v = a[:, j] - l * conj(l[j, :])      d = real(v[j])      l[i, j] = v[i] / sqrt(d) for i > j, l[j, j] = sqrt(d)
// A matrix is positive definite if every d is positive and finite. The upper factor is the conjugate transpose of the
// lower factor of the matrix that the upper triangle stands for.
#include "passes/expanding/expand_cholesky.h"

#include <limits>
#include <utility>
#include <vector>

#include "passes/base/counted_loop.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/wide_matrices.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

HloInstruction* Nan(const Shape& shape, InstructionBuilder& build) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!IsComplex(shape.element_type())) return build.SplatFloat(shape, nan);
  if (shape.element_type() == C64)
    return build.Splat(shape, Literal::Scalar<complex64>(complex64(static_cast<float>(nan))));
  return build.Splat(shape, Literal::Scalar<complex128>(complex128(nan)));
}

// The conjugate transpose of lower factors. Their diagonals are real and stay as they are, the sign of zero included.
WideArray ToUpper(const WideArray& factor, const WideMath& math) {
  InstructionBuilder& build = math.build();
  const WideArray transposed = TransposeMatrices(factor, /*conjugated=*/false, math);
  if (!IsComplex(factor.shape().element_type())) return transposed;
  const Shape positions = Shape::Array(CounterTypeFor(factor.shape().dimension(1)), factor.shape().dimensions());
  HloInstruction* const on_diagonal =
      build.Compare(ComparisonDirection::kEq, build.Iota(positions, 1), build.Iota(positions, 2));
  return math.Select(on_diagonal, transposed, math.Conjugate(transposed));
}

// Iteration j of the loop, on batches of n x n.
class FactorColumn {
 public:
  FactorColumn(const WideMath& math, HloInstruction* j, int64_t batch, int64_t n)
      : build_(math.build()), math_(math), j_(j), zero_(build_.Zero(j->shape().element_type())), batch_(batch), n_(n) {}

  // `known` with column j, and whether the matrices may be positive definite.
  std::pair<WideArray, HloInstruction*> Run(const WideArray& known, const WideArray& a) {
    const WideArray row = Slice(known, {zero_, j_, zero_}, {batch_, 1, n_});
    const WideArray column = Slice(a, {zero_, zero_, j_}, {batch_, n_, 1});
    const WideArray sum = math_.MultiplyMatrices(known, math_.Conjugate(row), /*rhs_transposed=*/true);
    const WideArray rest = math_.Sub(column, sum);
    const WideArray square = math_.Real(WideMath::Each(Slice(rest, {zero_, j_, zero_}, {batch_, 1, 1}),
                                                       [&](HloInstruction* x) { return build_.Reshape(x, {batch_}); }));
    HloInstruction* const positive =
        build_.Compare(ComparisonDirection::kGt, square.high, build_.Splat(square.shape(), 0));
    HloInstruction* const good = build_.And(positive, build_.Unary(HloOpcode::kIsFinite, square.high));
    const WideArray made = Column(rest, math_.Sqrt(square));
    return {math_.DynamicUpdateSlice(known, made, {zero_, zero_, j_}), good};
  }

 private:
  WideArray Slice(const WideArray& x, absl::Span<HloInstruction* const> starts, absl::Span<const int64_t> sizes) {
    return WideMath::Each(x, [&](HloInstruction* part) { return build_.DynamicSlice(part, starts, sizes); });
  }

  // The root on the diagonal, and below it the rest over that.
  WideArray Column(const WideArray& rest, const WideArray& root) {
    const WideArray diagonal = WideMath::Each(root, [&](HloInstruction* x) {
      return build_.Broadcast(x, {batch_, n_, 1}, {0});
    });
    const PrimitiveType type = rest.shape().element_type();
    HloInstruction* const i = build_.Iota(Shape::Array(j_->shape().element_type(), {batch_, n_, 1}), 1);
    HloInstruction* const at_j = build_.BroadcastScalar(j_, i->shape());
    const WideArray nothing = {build_.Splat(rest.shape(), 0), nullptr};
    const WideArray below =
        math_.Select(build_.Compare(ComparisonDirection::kGt, i, at_j), math_.OverReal(rest, diagonal), nothing);
    const WideArray of_type = WideMath::Each(diagonal, [&](HloInstruction* x) { return build_.Convert(x, type); });
    return math_.Select(build_.Compare(ComparisonDirection::kEq, i, at_j), of_type, below);
  }

  InstructionBuilder& build_;
  const WideMath& math_;
  HloInstruction* const j_;
  HloInstruction* const zero_;
  const int64_t batch_;
  const int64_t n_;
};

// The factor column by column (left-looking): column j of a, less the product of what is known with row j, divided by
// the square root of its diagonal element. Matrices that are not positive definite become NaN. The upper factor is
// that of the adjoint.
HloInstruction* Factor(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const WideMath math(build, WideFormOf(context.pass));
  const Shape& shape = root->shape();
  if (!HoldsType(math.form(), shape.element_type())) return nullptr;
  if (shape.ElementCount() == 0) return build.Splat(shape, 0);
  const bool lower = root->attributes<CholeskyAttributes>().lower;
  WideArray a = WideMatrices(root->operand(0), math);
  if (!lower) a = TransposeMatrices(a, /*conjugated=*/true, math);
  const int64_t batch = a.shape().dimension(0);
  const int64_t n = a.shape().dimension(1);
  HloInstruction* const start = build.Splat(a.shape(), 0);
  HloInstruction* const all_good = build.Splat(Shape::Array(PRED, {batch}), 1);
  std::vector<HloInstruction*> state = {start, all_good, a.high};
  const bool in_pairs = math.form() == WideForm::kPairs;
  if (in_pairs) state.push_back(start);
  state = CountedLoop(
      build, "cholesky", CounterTypeFor(n), n, state,
      [&](InstructionBuilder& inside, HloInstruction* j, absl::Span<HloInstruction* const> before) {
        const WideMath each(inside, math.form());
        FactorColumn column(each, j, batch, n);
        const auto [known, good] = column.Run({before[0], in_pairs ? before[3] : nullptr}, {before[2], nullptr});
        std::vector<HloInstruction*> after = {known.high, inside.And(before[1], good), before[2]};
        if (in_pairs) after.push_back(each.Low(known));
        return after;
      });
  WideArray factor = {state[0], in_pairs ? state[3] : nullptr};
  if (!lower) factor = ToUpper(factor, math);
  HloInstruction* const good = build.Broadcast(state[1], factor.shape().dimensions(), {0});
  const WideArray nan = {Nan(factor.shape(), build), nullptr};
  return RoundMatrices(math.Select(good, factor, nan), shape, math);
}

}  // namespace

absl::StatusOr<bool> ExpandCholesky(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"factor-columns",
                                    "cholesky(a) => while (j) { l[:,j] = (a[:,j] - l * l[j]) / sqrt(..) }",
                                    {HloOpcode::kCholesky},
                                    &Factor};
  RETURN_IF_ERROR(CheckWideForm(context));
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
