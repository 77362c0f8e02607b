// potrf, getrf and trsm: iteration j settles row or column j and takes its product with what depends on it away from
// the rest, element by element, in the order in which the reference LAPACK does, so that nearly all bits are the same.
#include <limits>

#include "passes/base/counted_loop.h"
#include "passes/expanding/lapack_calls.h"
#include "passes/expanding/matrix_steps.h"
#include "passes/expanding/wide_matrices.h"

namespace xla {
namespace {

using Direction = ComparisonDirection;

// The least number whose reciprocal is finite.
HloInstruction* LeastWithReciprocal(const Shape& shape, InstructionBuilder& build) {
  return build.SplatFloat(
      shape, shape.element_type() == F32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min());
}

HloInstruction* Reciprocal(HloInstruction* x, InstructionBuilder& build) {
  return Quotient(build.Splat(x->shape(), 1), x, build);
}

// info, which is 0 until iteration j is the first with a fault.
HloInstruction* InfoAfter(HloInstruction* info, HloInstruction* fault, HloInstruction* j, InstructionBuilder& build) {
  HloInstruction* const number = build.BroadcastScalar(build.Add(j, build.One(S32)), info->shape());
  return build.Select(build.And(IsZero(info, build), fault), number, info);
}

// ---- potrf

// Column j of the lower factor in place, and the products of its elements off the columns after it. A matrix whose
// minor j is not positive stays as it is then.
std::vector<HloInstruction*> CholeskyTurn(InstructionBuilder& build, HloInstruction* j,
                                          absl::Span<HloInstruction* const> state) {
  HloInstruction* const a = state[0];
  const Shape& shape = a->shape();
  HloInstruction* const column = ColumnAt(a, j, build);
  HloInstruction* const square = RealPart(ElementAt(column, j, build), build);
  HloInstruction* const positive = build.Compare(Direction::kGt, square, build.Splat(square->shape(), 0));
  HloInstruction* const info = InfoAfter(state[1], build.Not(positive), j, build);
  HloInstruction* const root = build.Unary(HloOpcode::kSqrt, square);
  HloInstruction* const inverse = build.Div(build.Splat(root->shape(), 1), root);
  HloInstruction* const below = TimesReal(column, build.Broadcast(inverse, column->shape().dimensions(), {0}), build);
  HloInstruction* const diagonal =
      build.Broadcast(build.Convert(root, shape.element_type()), column->shape().dimensions(), {0});
  HloInstruction* const made = build.Select(Position(column->shape(), 1, Direction::kEq, j, build), diagonal, below);
  HloInstruction* const product = OuterProduct(below, ConjugateElements(below, build), build);
  const Shape positions = Shape::Array(S32, shape.dimensions());
  HloInstruction* const in_triangle = build.Compare(Direction::kGe, build.Iota(positions, 1), build.Iota(positions, 2));
  HloInstruction* const behind = Position(shape, 2, Direction::kGt, j, build);
  HloInstruction* const at_j = Position(shape, 2, Direction::kEq, j, build);
  HloInstruction* const next =
      build.Select(behind, build.Sub(a, product), build.Select(at_j, InEveryColumn(made, shape, build), a));
  HloInstruction* const counts = build.And(in_triangle, PerBatch(IsZero(info, build), shape, build));
  return {build.Select(counts, next, a), info};
}

// ---- getrf

HloInstruction* Size(HloInstruction* x, InstructionBuilder& build) {
  HloInstruction* const real = build.Unary(HloOpcode::kAbs, RealPart(x, build));
  if (!IsComplex(x->shape().element_type())) return real;
  return build.Add(real, build.Unary(HloOpcode::kAbs, build.Unary(HloOpcode::kImag, x)));
}

// The row, at or after j, of the first largest element; of complex numbers |re| + |im| counts. As comparing one after
// the other finds it: a NaN in row j is never exceeded, others do not exceed anything.
HloInstruction* PivotRow(HloInstruction* column, HloInstruction* j, InstructionBuilder& build) {
  HloInstruction* const size = Size(column, build);
  const Shape& shape = size->shape();
  const double infinity = std::numeric_limits<double>::infinity();
  HloInstruction* const is_nan = build.Compare(Direction::kNe, size, size);
  HloInstruction* const for_nan = build.Select(Position(shape, 1, Direction::kEq, j, build),
                                               build.SplatFloat(shape, infinity), build.SplatFloat(shape, -1));
  HloInstruction* const rank = build.Select(Position(shape, 1, Direction::kGe, j, build),
                                            build.Select(is_nan, for_nan, size), build.SplatFloat(shape, -2));
  HloInstruction* const largest =
      build.Reduce(rank, build.ScalarFloat(shape.element_type(), -infinity), {1}, HloOpcode::kMaximum);
  const Shape rows = Shape::Array(S32, shape.dimensions());
  HloInstruction* const none = build.Scalar(S32, std::numeric_limits<int32_t>::max());
  HloInstruction* const is_largest =
      build.Compare(Direction::kEq, rank, build.Broadcast(largest, shape.dimensions(), {0}));
  HloInstruction* const candidates = build.Select(is_largest, build.Iota(rows, 1), build.BroadcastScalar(none, rows));
  return build.Reduce(candidates, none, {1}, HloOpcode::kMinimum);
}

// Row `at`, another one for each element of the batch. Adding negative zeros changes no bit.
HloInstruction* RowsAt(HloInstruction* a, HloInstruction* is_row, InstructionBuilder& build) {
  HloInstruction* const others = NegativeZeros(a->shape(), build);
  HloInstruction* const neutral = NegativeZeros(Shape::Array(a->shape().element_type(), {}), build);
  return build.Reduce(build.Select(is_row, a, others), neutral, {1}, HloOpcode::kAdd);
}

// Step j of LU with partial pivoting: find the largest element of column j from the diagonal on, exchange rows,
// divide the column below by the pivot, and subtract the outer product from the rest. Small pivots divide instead of
// multiplying by a reciprocal that would overflow, as LAPACK does.
std::vector<HloInstruction*> PivotedTurn(InstructionBuilder& build, HloInstruction* j,
                                         absl::Span<HloInstruction* const> state) {
  HloInstruction* const a = state[0];
  const Shape& shape = a->shape();
  HloInstruction* const pivot_row = PivotRow(ColumnAt(a, j, build), j, build);
  HloInstruction* const pivots =
      WithElementAt(state[1], build.Add(pivot_row, build.Splat(pivot_row->shape(), 1)), j, build);
  HloInstruction* const is_pivot_row = Position(shape, 1, Direction::kEq, pivot_row, build);
  HloInstruction* const is_row_j = Position(shape, 1, Direction::kEq, j, build);
  HloInstruction* const row = RowsAt(a, is_pivot_row, build);
  HloInstruction* const swapped =
      build.Select(is_row_j, InEveryRow(row, shape, build),
                   build.Select(is_pivot_row, InEveryRow(RowAt(a, j, build), shape, build), a));
  HloInstruction* const pivot = ElementAt(row, j, build);
  HloInstruction* const is_zero = IsZero(pivot, build);
  HloInstruction* const column = ColumnAt(swapped, j, build);
  const Shape& vector = column->shape();
  HloInstruction* const size = build.Unary(HloOpcode::kAbs, pivot);
  HloInstruction* const has_reciprocal = build.Compare(Direction::kGe, size, LeastWithReciprocal(size->shape(), build));
  const auto of_batch = [&](HloInstruction* x) { return build.Broadcast(x, vector.dimensions(), {0}); };
  HloInstruction* const scaled =
      build.Select(of_batch(has_reciprocal), Product(column, of_batch(Reciprocal(pivot, build)), build),
                   Quotient(column, of_batch(pivot), build));
  HloInstruction* const below = build.Select(of_batch(is_zero), column, scaled);
  HloInstruction* const rest = build.Sub(swapped, OuterProduct(below, row, build));
  HloInstruction* const is_below = Position(shape, 1, Direction::kGt, j, build);
  HloInstruction* const is_behind = Position(shape, 2, Direction::kGt, j, build);
  HloInstruction* const is_column_j = Position(shape, 2, Direction::kEq, j, build);
  HloInstruction* const next =
      build.Select(is_behind, rest, build.Select(is_column_j, InEveryColumn(below, shape, build), swapped));
  return {build.Select(is_below, next, swapped), pivots, InfoAfter(state[2], is_zero, j, build)};
}

// ---- trsm

struct Solve {
  bool left, unit, transposed, conjugated, lower;
};

// Row i of m x = b: x[i] = b[i] / m[i,i], and m[:,i] * x[i] off the rows that are not known. BLAS passes over zeros, so
// that infinities and NaN opposite them do not count: over those of x, over those of m if the system is on the right,
// and over none if it multiplies by rows.
std::vector<HloInstruction*> SubstitutionTurn(const Solve& solve, InstructionBuilder& build, HloInstruction* turn,
                                              absl::Span<HloInstruction* const> state) {
  HloInstruction* const b = state[0];
  const Shape& shape = b->shape();
  HloInstruction* const last = build.Scalar(S32, shape.dimension(1) - 1);
  HloInstruction* const i = solve.lower ? turn : build.Sub(last, turn);
  HloInstruction* const column = ColumnAt(state[1], i, build);
  HloInstruction* const right = RowAt(b, i, build);
  const bool skips_zero_x = solve.left && !solve.transposed;
  HloInstruction* x = right;
  if (!solve.unit) {
    HloInstruction* const diagonal = ElementAt(column, i, build);
    const auto of_batch = [&](HloInstruction* number) {
      return build.Broadcast(number, right->shape().dimensions(), {0});
    };
    x = solve.left ? Quotient(right, of_batch(diagonal), build)
                   : Product(right, of_batch(Reciprocal(diagonal, build)), build);
    if (skips_zero_x) x = build.Select(IsZero(right, build), right, x);
  }
  HloInstruction* next = build.Sub(b, OuterProduct(column, x, build));
  if (skips_zero_x) next = build.Select(InEveryRow(IsZero(right, build), shape, build), b, next);
  if (!solve.left) next = build.Select(InEveryColumn(IsZero(column, build), shape, build), b, next);
  HloInstruction* const unknown = Position(shape, 1, solve.lower ? Direction::kGt : Direction::kLt, i, build);
  HloInstruction* const at_i = Position(shape, 1, Direction::kEq, i, build);
  return {build.Select(unknown, next, build.Select(at_i, InEveryRow(x, shape, build), b)), state[1]};
}

// b times a scalar; a zero makes zeros of anything.
HloInstruction* Scaled(HloInstruction* b, HloInstruction* alpha, InstructionBuilder& build) {
  HloInstruction* const factor = build.BroadcastScalar(alpha, b->shape());
  return build.Select(build.BroadcastScalar(IsZero(alpha, build), b->shape()), build.Splat(b->shape(), 0),
                      Product(factor, b, build));
}

}  // namespace

// Cholesky by columns; the upper triangle is that of the transposed matrix.
HloInstruction* ExpandPotrf(const LapackCallSite& site, InstructionBuilder& build) {
  const Shape matrices = site.Array(site.type, {site.n, site.n});
  const char uplo = site.Char("uplo", "LU");
  if (uplo == 0 || !site.Has({matrices}, {matrices, site.Array(S32, {})})) return nullptr;
  // a = u^H u  <=>  a^T = u^T (u^T)^H
  HloInstruction* a = JoinBatch(site.call->operand(0), build);
  if (uplo == 'U') a = build.Transpose(a, {0, 2, 1});
  HloInstruction* const info = build.Splat(Shape::Array(S32, {site.batch}), 0);
  std::vector<HloInstruction*> last = CountedLoop(build, "potrf", S32, site.n, {a, info}, &CholeskyTurn);
  if (uplo == 'U') last[0] = build.Transpose(last[0], {0, 2, 1});
  return site.Results(last, build);
}

HloInstruction* ExpandGetrf(const LapackCallSite& site, InstructionBuilder& build) {
  const Shape matrices = site.Array(site.type, {site.m, site.n});
  const int64_t k = std::min(site.m, site.n);
  if (!site.Has({matrices}, {matrices, site.Array(S32, {k}), site.Array(S32, {})})) return nullptr;
  HloInstruction* const a = JoinBatch(site.call->operand(0), build);
  HloInstruction* const pivots = build.Splat(Shape::Array(S32, {site.batch, k}), 0);
  HloInstruction* const info = build.Splat(Shape::Array(S32, {site.batch}), 0);
  return site.Results(CountedLoop(build, "getrf", S32, k, {a, pivots, info}, &PivotedTurn), build);
}

// Solves x a = b and a x = b for triangular a, by substitution. A factor, if there is a third operand, scales b
// first.
HloInstruction* ExpandTrsm(const LapackCallSite& site, InstructionBuilder& build) {
  const char side = site.Char("side", "LR"), uplo = site.Char("uplo", "LU"), trans = site.Char("trans_x", "NTC"),
             diag = site.Char("diag", "NU");
  const int operands = site.call->operand_count();
  if (side == 0 || uplo == 0 || trans == 0 || diag == 0 || operands < 2 || site.m != site.n) return nullptr;
  const Shape& b_shape = site.call->operand(1)->shape();
  if (!b_shape.IsArray() || b_shape.rank() < 2) return nullptr;
  const int64_t other = b_shape.dimension(b_shape.rank() - (side == 'L' ? 1 : 2));
  const Shape result = side == 'L' ? site.Array(site.type, {site.n, other}) : site.Array(site.type, {other, site.n});
  std::vector<Shape> expected = {site.Array(site.type, {site.n, site.n}), result};
  if (operands == 3) expected.push_back(Shape::Scalar(site.type));
  if (!site.Has(expected, {result})) return nullptr;

  Solve solve;
  solve.left = side == 'L';
  solve.unit = diag == 'U';
  solve.conjugated = trans == 'C';
  // x op(a) = b  <=>  op(a)^T x^T = b^T
  solve.transposed = (trans != 'N') == solve.left;
  solve.lower = (uplo == 'L') != solve.transposed;
  HloInstruction* a = JoinBatch(site.call->operand(0), build);
  HloInstruction* b = JoinBatch(site.call->operand(1), build);
  if (solve.transposed) a = build.Transpose(a, {0, 2, 1});
  if (solve.conjugated) a = ConjugateElements(a, build);
  if (operands == 3) b = Scaled(b, site.call->operand(2), build);
  if (!solve.left) b = build.Transpose(b, {0, 2, 1});
  HloInstruction* x =
      CountedLoop(build, "trsm", S32, site.n, {b, a},
                  [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> state) {
                    return SubstitutionTurn(solve, inside, turn, state);
                  })[0];
  if (!solve.left) x = build.Transpose(x, {0, 2, 1});
  return site.Results({x}, build);
}

}  // namespace xla
