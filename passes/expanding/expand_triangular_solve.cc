// Every case is brought to op(a) * x = b: a system on the right is transposed, which turns op(a) around once more.
// Iteration t then solves row i (t, or counted from the end for an upper triangle):
//   x[i] = (b[i] - sum of op(a)[i, k] * x[k] over the rows k that are known) / op(a)[i, i]
// What is not known yet, and the triangle that must not be read, is replaced by zeros on both sides of the product, so
// that no infinity or NaN in there counts.
#include "passes/expanding/expand_triangular_solve.h"

#include <vector>

#include "passes/base/counted_loop.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/wide_matrices.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Iteration t of the loop: row i of x, on batches of n x n and n x m.
class SolveRow {
 public:
  SolveRow(const WideMath& math, HloInstruction* i, bool lower)
      : build_(math.build()), math_(math), i_(i), lower_(lower) {}

  // `x` with row i; its rows that are not known yet are those of b.
  WideArray Run(const WideArray& a, const WideArray& x, bool unit_diagonal) {
    const int64_t batch = x.shape().dimension(0);
    const int64_t n = x.shape().dimension(1);
    const int64_t m = x.shape().dimension(2);
    HloInstruction* const zero = build_.Zero(i_->shape().element_type());
    const WideArray row = Slice(a, {zero, i_, zero}, {batch, 1, n});
    const WideArray known_row = OnlyKnown(row, 2);
    const WideArray known_x = OnlyKnown(x, 1);
    const WideArray right = Slice(x, {zero, i_, zero}, {batch, 1, m});
    WideArray solved = math_.Sub(right, math_.MultiplyMatrices(known_row, known_x, /*rhs_transposed=*/false));
    if (!unit_diagonal) {
      const WideArray diagonal = WideMath::Each(Slice(a, {zero, i_, i_}, {batch, 1, 1}), [&](HloInstruction* part) {
        return build_.Broadcast(build_.Reshape(part, {batch}), {batch, 1, m}, {0});
      });
      solved = DivideAsCpp(solved, diagonal, math_);
    }
    return math_.DynamicUpdateSlice(x, solved, {zero, i_, zero});
  }

 private:
  WideArray Slice(const WideArray& x, absl::Span<HloInstruction* const> starts, absl::Span<const int64_t> sizes) {
    return WideMath::Each(x, [&](HloInstruction* part) { return build_.DynamicSlice(part, starts, sizes); });
  }

  // Zero where the position along the dimension is not that of a known row.
  WideArray OnlyKnown(const WideArray& x, int64_t dimension) {
    HloInstruction* const k = build_.Iota(Shape::Array(i_->shape().element_type(), x.shape().dimensions()), dimension);
    HloInstruction* const known = build_.Compare(lower_ ? ComparisonDirection::kLt : ComparisonDirection::kGt, k,
                                                 build_.BroadcastScalar(i_, k->shape()));
    return math_.Select(known, x, {build_.Splat(x.shape(), 0), nullptr});
  }

  InstructionBuilder& build_;
  const WideMath& math_;
  HloInstruction* const i_;
  const bool lower_;
};

// Forward or back substitution, a row an iteration, for all right-hand sides at once. Rows are taken from below if
// the matrix, after its transposition, is upper. A system from the right is solved as its transpose.
HloInstruction* Substitute(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const WideMath math(build, WideFormOf(context.pass));
  const TriangularSolveAttributes& attributes = root->attributes<TriangularSolveAttributes>();
  const Shape& shape = root->shape();
  if (!HoldsType(math.form(), shape.element_type())) return nullptr;
  if (shape.ElementCount() == 0) return build.Splat(shape, 0);
  WideArray a = WideMatrices(root->operand(0), math);
  WideArray b = WideMatrices(root->operand(1), math);
  const bool transposed = (attributes.transpose_a != TransposeA::kNoTranspose) == attributes.left_side;
  const bool lower = attributes.lower != transposed;
  if (transposed) a = TransposeMatrices(a, /*conjugated=*/false, math);
  if (attributes.transpose_a == TransposeA::kAdjoint) a = math.Conjugate(a);
  if (!attributes.left_side) b = TransposeMatrices(b, /*conjugated=*/false, math);

  const int64_t n = b.shape().dimension(1);
  const PrimitiveType counter = CounterTypeFor(n);
  std::vector<HloInstruction*> state = {b.high, a.high};
  const bool in_pairs = math.form() == WideForm::kPairs;
  if (in_pairs) state.push_back(math.Low(b));
  state = CountedLoop(build, "triangular_solve", counter, n, state,
                      [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
                        const WideMath each(inside, math.form());
                        HloInstruction* const i = lower ? turn : inside.Sub(inside.Scalar(counter, n - 1), turn);
                        const WideArray x = SolveRow(each, i, lower)
                                                .Run({before[1], nullptr}, {before[0], in_pairs ? before[2] : nullptr},
                                                     attributes.unit_diagonal);
                        std::vector<HloInstruction*> after = {x.high, before[1]};
                        if (in_pairs) after.push_back(each.Low(x));
                        return after;
                      });
  WideArray x = {state[0], in_pairs ? state[2] : nullptr};
  if (!attributes.left_side) x = TransposeMatrices(x, /*conjugated=*/false, math);
  return RoundMatrices(x, shape, math);
}

}  // namespace

absl::StatusOr<bool> ExpandTriangularSolve(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"substitute-rows",
                                    "triangular-solve(a, b) => while (i) { x[i] = (b[i] - a[i] * x) / a[i,i] }",
                                    {HloOpcode::kTriangularSolve},
                                    &Substitute};
  RETURN_IF_ERROR(CheckWideForm(context));
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
