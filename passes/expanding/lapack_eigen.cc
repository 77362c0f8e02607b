// syevd and heevd by Jacobi rotations, after R. P. Brent and F. T. Luk, The Solution of Singular-Value and Symmetric
// Eigenvalue Problems on Multiprocessor Arrays (1985): an iteration rotates n / 2 pairs of rows and columns at once, i
// with i + n / 2, so that the elements between the two become zero; then rows and columns change places as in a
// tournament, after n - 1 iterations every two have met, and all stand where they began.
#include <limits>
#include <utility>

#include "passes/base/counted_loop.h"
#include "passes/expanding/lapack_calls.h"
#include "passes/expanding/matrix_steps.h"
#include "passes/expanding/wide_matrices.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

using Direction = ComparisonDirection;

// Rotations converge quadratically once they begin to, within five sweeps or ten; what never settles has to end too.
constexpr int64_t kMaxSweeps = 60;
// What the interpreter says of NaN and infinities.
constexpr int64_t kNotFinite = -4;

PrimitiveType RealType(const HloInstruction* x) { return ComplexComponentType(x->shape().element_type()); }

HloInstruction* ImaginaryPart(HloInstruction* x, InstructionBuilder& build) { return build.Unary(HloOpcode::kImag, x); }

// x / y for real y of the same dimensions.
HloInstruction* OverReal(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Div(x, y);
  return build.Binary(HloOpcode::kComplex, build.Div(RealPart(x, build), y), build.Div(ImaginaryPart(x, build), y));
}

HloInstruction* PositionIn(const HloInstruction* matrices, int64_t dimension, InstructionBuilder& build) {
  return build.Iota(Shape::Array(S32, matrices->shape().dimensions()), dimension);
}

// Row position compared with column position.
HloInstruction* RowsAgainstColumns(const HloInstruction* matrices, Direction direction, InstructionBuilder& build) {
  return build.Compare(direction, PositionIn(matrices, 1, build), PositionIn(matrices, 2, build));
}

// b x n x n -> b x n.
HloInstruction* Diagonal(HloInstruction* matrices, InstructionBuilder& build) {
  HloInstruction* const zero = build.Zero(matrices->shape().element_type());
  HloInstruction* const only = build.Select(RowsAgainstColumns(matrices, Direction::kEq, build), matrices,
                                            build.BroadcastScalar(zero, matrices->shape()));
  return build.Reduce(only, zero, {2}, HloOpcode::kAdd);
}

HloInstruction* FirstHalf(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  return build.SliceInDim(x, dimension, 0, x->shape().dimension(static_cast<int>(dimension)) / 2);
}

HloInstruction* SecondHalf(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  const int64_t n = x->shape().dimension(static_cast<int>(dimension));
  return build.SliceInDim(x, dimension, n / 2, n);
}

HloInstruction* WithHalvesSwapped(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  return build.Concatenate({SecondHalf(x, dimension, build), FirstHalf(x, dimension, build)}, dimension);
}

// What the elements of matrices whose largest part is 1 or a little more may differ from zero by.
HloInstruction* Negligible(const Shape& shape, InstructionBuilder& build) {
  const bool is_single = ComplexComponentType(shape.element_type()) == F32;
  return build.SplatFloat(
      shape, (is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 16);
}

// ---- One iteration

// Of each pair i, i + n / 2, [b, n / 2]: rows p and q become  cosine * p - sine * q  and  conj(sine) * p + cosine * q,
// columns as the adjoint of this has them, and the diagonal moves by -shift and +shift.
struct Rotations {
  HloInstruction* rotates;  // pred: the element between p and q counts; if not, nothing moves
  HloInstruction* loss;     // real: cosine - 1, which small angles need more of than 1 has digits for
  HloInstruction* sine;
  HloInstruction* shift;  // real
};

// The smaller of the two angles, at most 45 degrees, which convergence rests on.
Rotations MakeRotations(HloInstruction* a, HloInstruction* diagonal, InstructionBuilder& build) {
  HloInstruction* const between = Diagonal(SecondHalf(FirstHalf(a, 1, build), 2, build), build);
  HloInstruction* const size = build.Unary(HloOpcode::kAbs, between);
  HloInstruction* const zeros = build.Splat(size->shape(), 0);
  HloInstruction* const ones = build.Splat(size->shape(), 1);
  Rotations made;
  made.rotates = build.Compare(Direction::kGt, size, Negligible(size->shape(), build));
  HloInstruction* const divisor = build.Select(made.rotates, size, ones);
  HloInstruction* const difference = build.Sub(SecondHalf(diagonal, 1, build), FirstHalf(diagonal, 1, build));
  HloInstruction* const cotangent = build.Div(difference, build.Add(divisor, divisor));  // of twice the angle
  HloInstruction* const root = build.Unary(HloOpcode::kSqrt, build.Add(ones, build.Mul(cotangent, cotangent)));
  HloInstruction* const acute = build.Div(ones, build.Add(build.Unary(HloOpcode::kAbs, cotangent), root));
  HloInstruction* const is_negative = build.Compare(Direction::kLt, cotangent, zeros);
  HloInstruction* const signed_tangent = build.Select(is_negative, build.Unary(HloOpcode::kNegate, acute), acute);
  HloInstruction* const tangent = build.Select(made.rotates, signed_tangent, zeros);
  HloInstruction* const cosine =
      build.Div(ones, build.Unary(HloOpcode::kSqrt, build.Add(ones, build.Mul(tangent, tangent))));
  HloInstruction* const sine = build.Mul(tangent, cosine);
  made.loss = build.Unary(HloOpcode::kNegate, build.Div(build.Mul(sine, sine), build.Add(ones, cosine)));
  made.sine = TimesReal(OverReal(between, divisor, build), sine, build);
  made.shift = build.Mul(tangent, size);
  return made;
}

// x + losses * x + sines * (x with halves swapped) along a dimension of b x m x n, for factors [b, size of the
// dimension].
HloInstruction* Rotated(HloInstruction* x, int64_t dimension, HloInstruction* losses, HloInstruction* sines,
                        InstructionBuilder& build) {
  const auto spread = [&](HloInstruction* factors) {
    return build.Broadcast(factors, x->shape().dimensions(), {0, dimension});
  };
  HloInstruction* const change = build.Add(TimesReal(x, spread(losses), build),
                                           Product(WithHalvesSwapped(x, dimension, build), spread(sines), build));
  return build.Add(x, change);
}

// Moves all but the first one place on, along the first half and back along the second.
HloInstruction* NextPairs(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  const int64_t n = x->shape().dimension(static_cast<int>(dimension)), h = n / 2;
  if (h == 1) return x;
  std::vector<HloInstruction*> pieces;
  const std::pair<int64_t, int64_t> ranges[] = {{0, 1}, {h, h + 1}, {1, h - 1}, {h + 1, n}, {h - 1, h}};
  for (const std::pair<int64_t, int64_t>& range : ranges) {
    if (range.first < range.second) pieces.push_back(build.SliceInDim(x, dimension, range.first, range.second));
  }
  return build.Concatenate(pieces, dimension);
}

// state: the matrices and, if wanted, the product of the rotations.
std::vector<HloInstruction*> RotateAllPairs(InstructionBuilder& build, HloInstruction*,
                                            absl::Span<HloInstruction* const> state) {
  HloInstruction* const a = state[0];
  const Shape& shape = a->shape();
  HloInstruction* const diagonal = RealPart(Diagonal(a, build), build);
  const Rotations rotations = MakeRotations(a, diagonal, build);
  HloInstruction* const losses = build.Concatenate({rotations.loss, rotations.loss}, 1);
  HloInstruction* const sines =
      build.Concatenate({build.Unary(HloOpcode::kNegate, rotations.sine), ConjugateElements(rotations.sine, build)}, 1);
  HloInstruction* const adjoint_sines = ConjugateElements(sines, build);
  HloInstruction* turned = Rotated(Rotated(a, 1, losses, sines, build), 2, losses, adjoint_sines, build);
  // What a pair itself becomes is known better: without it, no rounding of the diagonal gets into the other elements.
  HloInstruction* const rotates = build.Concatenate({rotations.rotates, rotations.rotates}, 1);
  HloInstruction* const distance =
      build.Unary(HloOpcode::kAbs, build.Sub(PositionIn(a, 1, build), PositionIn(a, 2, build)));
  HloInstruction* const is_between =
      build.Compare(Direction::kEq, distance, build.Splat(distance->shape(), shape.dimension(1) / 2));
  turned = build.Select(build.And(is_between, InEveryColumn(rotates, shape, build)), build.Splat(shape, 0), turned);
  HloInstruction* const moved = build.Concatenate({build.Sub(FirstHalf(diagonal, 1, build), rotations.shift),
                                                   build.Add(SecondHalf(diagonal, 1, build), rotations.shift)},
                                                  1);
  turned = build.Select(RowsAgainstColumns(a, Direction::kEq, build),
                        InEveryColumn(build.Convert(moved, shape.element_type()), shape, build), turned);
  std::vector<HloInstruction*> next = {NextPairs(NextPairs(turned, 1, build), 2, build)};
  if (state.size() > 1) next.push_back(NextPairs(Rotated(state[1], 2, losses, adjoint_sines, build), 2, build));
  return next;
}

// ---- Sweeps

// pred[b]: whether any element off the diagonal counts.
HloInstruction* IsUnsettled(HloInstruction* a, InstructionBuilder& build) {
  HloInstruction* const sizes = build.Unary(HloOpcode::kAbs, a);
  HloInstruction* const counts = build.Compare(Direction::kGt, sizes, Negligible(sizes->shape(), build));
  return build.Reduce(build.And(counts, RowsAgainstColumns(a, Direction::kNe, build)), build.Zero(PRED), {1, 2},
                      HloOpcode::kOr);
}

// Sweeps go on while a matrix of the batch is not diagonal enough, at most kMaxSweeps times.
HloComputation* SweepCondition(const Shape& state, InstructionBuilder& build) {
  HloComputation* const condition = NewComputation(build.module(), "syevd_condition");
  InstructionBuilder inside(condition, build.origin());
  HloInstruction* const before = inside.Parameter(0, state);
  HloInstruction* const unsettled =
      inside.Reduce(inside.GetTupleElement(before, 1), inside.Zero(PRED), {0}, HloOpcode::kOr);
  HloInstruction* const may_turn =
      inside.Compare(Direction::kLt, inside.GetTupleElement(before, 0), inside.Scalar(S32, kMaxSweeps));
  condition->set_root(inside.And(unsettled, may_turn));
  build.UpdateStatus(inside.status());
  return condition;
}

// One sweep: n - 1 rounds of rotations, after which each pair of columns was rotated once. Then the matrix is made
// Hermitian again.
HloComputation* SweepBody(const Shape& state, InstructionBuilder& build) {
  HloComputation* const body = NewComputation(build.module(), "syevd_body");
  InstructionBuilder inside(body, build.origin());
  HloInstruction* const before = inside.Parameter(0, state);
  std::vector<HloInstruction*> arrays;
  for (int i = 2; i < state.tuple_size(); ++i) arrays.push_back(inside.GetTupleElement(before, i));
  const int64_t n = arrays[0]->shape().dimension(1);
  arrays = CountedLoop(inside, "syevd_rotations", S32, n - 1, arrays, &RotateAllPairs);
  // Rotations leave a difference between the triangles as large as it is, so that rounding must not add up to one.
  HloInstruction* const sum = inside.Add(arrays[0], TransposeMatrices(arrays[0], /*conjugated=*/true, inside));
  const Shape real = Shape::Array(RealType(sum), sum->shape().dimensions());
  arrays[0] = TimesReal(sum, inside.SplatFloat(real, 0.5), inside);
  std::vector<HloInstruction*> after = {inside.Add(inside.GetTupleElement(before, 0), inside.One(S32)),
                                        IsUnsettled(arrays[0], inside)};
  after.insert(after.end(), arrays.begin(), arrays.end());
  body->set_root(inside.Tuple(after));
  build.UpdateStatus(inside.status());
  return body;
}

// Sweeps over all pairs until the matrices are diagonal: whether they are not in the end, then the arrays.
std::vector<HloInstruction*> Diagonalise(absl::Span<HloInstruction* const> arrays, InstructionBuilder& build) {
  std::vector<HloInstruction*> initial = {build.Zero(S32), IsUnsettled(arrays[0], build)};
  initial.insert(initial.end(), arrays.begin(), arrays.end());
  std::vector<Shape> shapes;
  for (const HloInstruction* element : initial) shapes.push_back(element->shape().WithoutLayout());
  const Shape state = Shape::Tuple(shapes);
  HloInstruction* const start = build.Tuple(initial);
  HloInstruction* const loop = build.MakeOfShape(HloOpcode::kWhile, state, {start}, nullptr,
                                                 {SweepCondition(state, build), SweepBody(state, build)});
  std::vector<HloInstruction*> results;
  for (int i = 1; i < state.tuple_size(); ++i) results.push_back(build.GetTupleElement(loop, i));
  return results;
}

// ---- Before and after

// pred[b]: every element of both triangles is finite.
HloInstruction* AllFinite(HloInstruction* a, InstructionBuilder& build) {
  HloInstruction* finite = build.Unary(HloOpcode::kIsFinite, RealPart(a, build));
  if (IsComplex(a->shape().element_type())) {
    finite = build.And(finite, build.Unary(HloOpcode::kIsFinite, ImaginaryPart(a, build)));
  }
  return build.Reduce(finite, build.One(PRED), {1, 2}, HloOpcode::kAnd);
}

// The triangle, the real parts of the diagonal, and the adjoint of the triangle.
HloInstruction* FromTriangle(HloInstruction* a, bool lower, InstructionBuilder& build) {
  HloInstruction* const in_triangle = RowsAgainstColumns(a, lower ? Direction::kGt : Direction::kLt, build);
  HloInstruction* const on_diagonal = RowsAgainstColumns(a, Direction::kEq, build);
  HloInstruction* const real = build.Convert(RealPart(a, build), a->shape().element_type());
  return build.Select(in_triangle, a,
                      build.Select(on_diagonal, real, TransposeMatrices(a, /*conjugated=*/true, build)));
}

// [b]: the power of two that is no larger than the largest part, at least the smallest normal number.
HloInstruction* Scale(HloInstruction* a, InstructionBuilder& build) {
  const PrimitiveType type = RealType(a);
  HloInstruction* sizes = build.Unary(HloOpcode::kAbs, RealPart(a, build));
  if (IsComplex(a->shape().element_type())) {
    sizes = build.Max(sizes, build.Unary(HloOpcode::kAbs, ImaginaryPart(a, build)));
  }
  HloInstruction* const largest = build.Reduce(sizes, build.Zero(type), {1, 2}, HloOpcode::kMaximum);
  const bool is_single = type == F32;
  const Shape bits = Shape::Array(is_single ? S32 : S64, largest->shape().dimensions());
  HloInstruction* const exponent =
      build.And(build.BitcastConvert(largest, bits),
                build.Splat(bits, is_single ? int64_t{0x7f800000} : int64_t{0x7ff0000000000000}));
  return build.Max(build.BitcastConvert(exponent, largest->shape()),
                   build.SplatFloat(largest->shape(), is_single ? std::numeric_limits<float>::min()
                                                                : std::numeric_limits<double>::min()));
}

// With a row and a column of zeros after if there is an odd number of them.
HloInstruction* WithEvenSize(HloInstruction* a, InstructionBuilder& build) {
  const int64_t n = a->shape().dimension(1);
  if (n % 2 == 0) return a;
  PaddingConfig padding(3);
  padding[1].high = padding[2].high = 1;
  return build.Pad(a, build.Zero(a->shape().element_type()), std::move(padding));
}

HloInstruction* Identity(const HloInstruction* like, InstructionBuilder& build) {
  const Shape shape = like->shape().WithoutLayout();
  return build.Select(RowsAgainstColumns(like, Direction::kEq, build), build.Splat(shape, 1), build.Splat(shape, 0));
}

struct SortedValues {
  HloInstruction* values;   // [b, n], ascending
  HloInstruction* columns;  // s32: where each comes from
};

// Values in ascending order and their positions, by a stable sort, so that equal eigenvalues keep their order.
SortedValues SortAscending(HloInstruction* values, InstructionBuilder& build) {
  HloComputation* const comparator = NewComputation(build.module(), "smaller_first");
  InstructionBuilder inside(comparator, build.origin());
  const Shape scalar = Shape::Scalar(values->shape().element_type());
  HloInstruction* const x = inside.Parameter(0, scalar);
  HloInstruction* const y = inside.Parameter(1, scalar);
  inside.Parameter(2, Shape::Scalar(S32));
  inside.Parameter(3, Shape::Scalar(S32));
  comparator->set_root(inside.Compare(Direction::kLt, x, y));
  build.UpdateStatus(inside.status());
  HloInstruction* const positions = build.Iota(Shape::Array(S32, values->shape().dimensions()), 1);
  HloInstruction* const sorted = build.Sort({values, positions}, 1, /*is_stable=*/true, comparator);
  return {build.GetTupleElement(sorted, 0), build.GetTupleElement(sorted, 1)};
}

HloInstruction* TakeColumns(HloInstruction* matrices, HloInstruction* columns, InstructionBuilder& build) {
  GatherAttributes attributes;
  attributes.offset_dims = {1};
  attributes.collapsed_slice_dims = {2};
  attributes.start_index_map = {2};
  attributes.operand_batching_dims = {0};
  attributes.start_indices_batching_dims = {0};
  attributes.index_vector_dim = 2;
  attributes.slice_sizes = {1, matrices->shape().dimension(1), 1};
  return build.Gather(matrices, columns, std::move(attributes));
}

// `x` of the matrices that are finite, NaN of the others.
HloInstruction* OrNan(HloInstruction* x, HloInstruction* finite, InstructionBuilder& build) {
  const Shape& shape = x->shape();
  HloInstruction* const nan = build.ScalarFloat(RealType(x), std::numeric_limits<double>::quiet_NaN());
  HloInstruction* const nans = build.BroadcastScalar(build.Convert(nan, shape.element_type()), shape);
  return build.Select(PerBatch(finite, shape, build), x, nans);
}

// Whether the arrays of n rounded up to an even number can be counted.
bool HasRoom(const LapackCallSite& site) {
  int64_t bytes = 16;
  for (const int64_t size : {site.batch, site.n + 1, site.n + 1}) {
    if (!CheckedMul(bytes, size, &bytes)) return false;
  }
  return true;
}

}  // namespace

// Eigenvalues in ascending order and, with mode V, eigenvectors, by Jacobi's method of cyclic rotations. The matrix
// is scaled to avoid overflow, and padded to an even size so that columns pair up. `info` is n where the sweeps did
// not converge; matrices that are not finite give NaN.
HloInstruction* ExpandSyevd(const LapackCallSite& site, InstructionBuilder& build) {
  const Shape matrices = site.Array(site.type, {site.n, site.n});
  const char mode = site.Char("mode", "VN"), uplo = site.Char("uplo", "LU");
  const PrimitiveType real = ComplexComponentType(site.type);
  if (mode == 0 || uplo == 0 || site.m != site.n || !HasRoom(site) ||
      !site.Has({matrices}, {matrices, site.Array(real, {site.n}), site.Array(S32, {})})) {
    return nullptr;
  }
  HloInstruction* const a = JoinBatch(site.call->operand(0), build);
  const Shape numbers = Shape::Array(S32, {site.batch});
  if (a->shape().ElementCount() == 0) {
    return site.Results({a, build.Splat(Shape::Array(real, {site.batch, site.n}), 0), build.Splat(numbers, 0)}, build);
  }
  HloInstruction* const finite = AllFinite(a, build);
  HloInstruction* const tried = build.Select(PerBatch(finite, a->shape(), build), FromTriangle(a, uplo == 'L', build),
                                             build.Splat(a->shape().WithoutLayout(), 0));
  HloInstruction* const scale = Scale(tried, build);
  const Shape real_matrices = Shape::Array(real, a->shape().dimensions());
  HloInstruction* const scaled = WithEvenSize(OverReal(tried, PerBatch(scale, real_matrices, build), build), build);
  std::vector<HloInstruction*> arrays = {scaled};
  if (mode == 'V') arrays.push_back(Identity(scaled, build));
  const std::vector<HloInstruction*> diagonal = Diagonalise(arrays, build);
  const SortedValues sorted =
      SortAscending(build.SliceInDim(RealPart(Diagonal(diagonal[1], build), build), 1, 0, site.n), build);
  HloInstruction* const values = build.Mul(sorted.values, PerBatch(scale, sorted.values->shape(), build));
  HloInstruction* vectors = a;
  if (mode == 'V') {
    vectors = TakeColumns(build.Slice(diagonal[2], {0, 0, 0}, {site.batch, site.n, site.n}), sorted.columns, build);
  }
  HloInstruction* const failed = build.Select(diagonal[0], build.Splat(numbers, site.n), build.Splat(numbers, 0));
  HloInstruction* const info = build.Select(finite, failed, build.Splat(numbers, kNotFinite));
  return site.Results({OrNan(vectors, finite, build), OrNan(values, finite, build), info}, build);
}

}  // namespace xla
