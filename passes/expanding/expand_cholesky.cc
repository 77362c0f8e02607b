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

namespace xla {
namespace {

HloInstruction* RealPart(HloInstruction* x, InstructionBuilder& build) {
  return IsComplex(x->shape().element_type()) ? build.Unary(HloOpcode::kReal, x) : x;
}

// x / y for real y, part by part.
HloInstruction* DivideByReal(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Div(x, y);
  return build.Binary(HloOpcode::kComplex, build.Div(build.Unary(HloOpcode::kReal, x), y),
                      build.Div(build.Unary(HloOpcode::kImag, x), y));
}

HloInstruction* Nan(const Shape& shape, InstructionBuilder& build) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!IsComplex(shape.element_type())) return build.SplatFloat(shape, nan);
  return build.Splat(shape, Literal::Scalar<complex128>(complex128(nan)));
}

// The conjugate transpose of lower factors. Their diagonals are real and stay as they are, the sign of zero included.
HloInstruction* ToUpper(HloInstruction* factor, InstructionBuilder& build) {
  HloInstruction* const transposed = TransposeMatrices(factor, /*conjugated=*/false, build);
  if (!IsComplex(factor->shape().element_type())) return transposed;
  const Shape positions = Shape::Array(CounterTypeFor(factor->shape().dimension(1)), factor->shape().dimensions());
  HloInstruction* const on_diagonal =
      build.Compare(ComparisonDirection::kEq, build.Iota(positions, 1), build.Iota(positions, 2));
  return build.Select(on_diagonal, transposed, ConjugateElements(transposed, build));
}

// The factor column by column (left-looking): column j of a, less the product of what is known with row j, divided by
// the square root of its diagonal element. Matrices that are not positive definite become NaN. The upper factor is
// that of the adjoint.
HloInstruction* Factor(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const Shape& shape = root->shape();
  if (shape.ElementCount() == 0) return build.Splat(shape, 0);
  const bool lower = root->attributes<CholeskyAttributes>().lower;
  HloInstruction* a = WideMatrices(root->operand(0), build);
  if (!lower) a = TransposeMatrices(a, /*conjugated=*/true, build);
  const int64_t batch = a->shape().dimension(0);
  const int64_t n = a->shape().dimension(1);
  const PrimitiveType counter = CounterTypeFor(n);
  HloInstruction* const start = build.Splat(a->shape(), 0);
  HloInstruction* const all_good = build.Splat(Shape::Array(PRED, {batch}), 1);
  const std::vector<HloInstruction*> last = CountedLoop(
      build, "cholesky", counter, n, {start, all_good, a},
      [&](InstructionBuilder& inside, HloInstruction* j, absl::Span<HloInstruction* const> before) {
        HloInstruction* const zero = inside.Zero(counter);
        HloInstruction* const known = before[0];
        HloInstruction* const row = inside.DynamicSlice(known, {zero, j, zero}, {batch, 1, n});
        HloInstruction* const column = inside.DynamicSlice(before[2], {zero, zero, j}, {batch, n, 1});
        HloInstruction* const sum =
            MultiplyMatrices(known, ConjugateElements(row, inside), /*rhs_transposed=*/true, inside);
        HloInstruction* const rest = inside.Sub(column, sum);
        HloInstruction* const square =
            RealPart(inside.Reshape(inside.DynamicSlice(rest, {zero, j, zero}, {batch, 1, 1}), {batch}), inside);
        HloInstruction* const positive =
            inside.Compare(ComparisonDirection::kGt, square, inside.Splat(square->shape(), 0));
        HloInstruction* const good = inside.And(positive, inside.Unary(HloOpcode::kIsFinite, square));
        HloInstruction* const diagonal = inside.Broadcast(inside.Unary(HloOpcode::kSqrt, square), {batch, n, 1}, {0});
        HloInstruction* const i = inside.Iota(Shape::Array(counter, {batch, n, 1}), 1);
        HloInstruction* const at_j = inside.BroadcastScalar(j, i->shape());
        const PrimitiveType type = column->shape().element_type();
        HloInstruction* const below =
            inside.Select(inside.Compare(ComparisonDirection::kGt, i, at_j), DivideByReal(rest, diagonal, inside),
                          inside.Splat(column->shape(), 0));
        HloInstruction* const made =
            inside.Select(inside.Compare(ComparisonDirection::kEq, i, at_j), inside.Convert(diagonal, type), below);
        return std::vector<HloInstruction*>{inside.DynamicUpdateSlice(known, made, {zero, zero, j}),
                                            inside.And(before[1], good), before[2]};
      });
  HloInstruction* factor = last[0];
  if (!lower) factor = ToUpper(factor, build);
  HloInstruction* const good = build.Broadcast(last[1], factor->shape().dimensions(), {0});
  return RoundMatrices(build.Select(good, factor, Nan(factor->shape(), build)), shape, build);
}

}  // namespace

absl::StatusOr<bool> ExpandCholesky(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"factor-columns",
                                    "cholesky(a) => while (j) { l[:,j] = (a[:,j] - l * l[j]) / sqrt(..) }",
                                    {HloOpcode::kCholesky},
                                    &Factor};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
