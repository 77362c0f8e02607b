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

namespace xla {
namespace {

// Forward or back substitution, a row an iteration, for all right-hand sides at once. Rows are taken from below if
// the matrix, after its transposition, is upper. A system from the right is solved as its transpose.
HloInstruction* Substitute(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const TriangularSolveAttributes& attributes = root->attributes<TriangularSolveAttributes>();
  const Shape& shape = root->shape();
  if (shape.ElementCount() == 0) return build.Splat(shape, 0);
  HloInstruction* a = WideMatrices(root->operand(0), build);
  HloInstruction* b = WideMatrices(root->operand(1), build);
  const bool transposed = (attributes.transpose_a != TransposeA::kNoTranspose) == attributes.left_side;
  const bool lower = attributes.lower != transposed;
  if (transposed) a = build.Transpose(a, {0, 2, 1});
  if (attributes.transpose_a == TransposeA::kAdjoint) a = ConjugateElements(a, build);
  if (!attributes.left_side) b = build.Transpose(b, {0, 2, 1});

  const int64_t batch = b->shape().dimension(0);
  const int64_t n = b->shape().dimension(1);
  const int64_t m = b->shape().dimension(2);
  const PrimitiveType counter = CounterTypeFor(n);
  HloInstruction* x = CountedLoop(
      build, "triangular_solve", counter, n, {b, a},
      [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
        HloInstruction* const zero = inside.Zero(counter);
        HloInstruction* const i = lower ? turn : inside.Sub(inside.Scalar(counter, n - 1), turn);
        const auto known = [&](const Shape& like, int64_t dimension) {
          HloInstruction* const k = inside.Iota(Shape::Array(counter, like.dimensions()), dimension);
          return inside.Compare(lower ? ComparisonDirection::kLt : ComparisonDirection::kGt, k,
                                inside.BroadcastScalar(i, like));
        };
        HloInstruction* const row = inside.DynamicSlice(before[1], {zero, i, zero}, {batch, 1, n});
        HloInstruction* const known_row = inside.Select(known(row->shape(), 2), row, inside.Splat(row->shape(), 0));
        HloInstruction* const known_x = inside.Select(known(b->shape(), 1), before[0], inside.Splat(b->shape(), 0));
        HloInstruction* const right = inside.DynamicSlice(before[0], {zero, i, zero}, {batch, 1, m});
        HloInstruction* solved =
            inside.Sub(right, MultiplyMatrices(known_row, known_x, /*rhs_transposed=*/false, inside));
        if (!attributes.unit_diagonal) {
          HloInstruction* const diagonal =
              inside.Reshape(inside.DynamicSlice(before[1], {zero, i, i}, {batch, 1, 1}), {batch});
          solved = DivideAsCpp(solved, inside.Broadcast(diagonal, {batch, 1, m}, {0}), inside);
        }
        return std::vector<HloInstruction*>{inside.DynamicUpdateSlice(before[0], solved, {zero, i, zero}), before[1]};
      })[0];
  if (!attributes.left_side) x = build.Transpose(x, {0, 2, 1});
  return RoundMatrices(x, shape, build);
}

}  // namespace

absl::StatusOr<bool> ExpandTriangularSolve(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"substitute-rows",
                                    "triangular-solve(a, b) => while (i) { x[i] = (b[i] - a[i] * x) / a[i,i] }",
                                    {HloOpcode::kTriangularSolve},
                                    &Substitute};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
