// syevd and heevd: what comes before the rotations of jacobi_rotations.h and after them. The matrices are made
// Hermitian from their triangle and scaled; eigenvalues are sorted, and eigenvectors with them.
#include <limits>
#include <utility>

#include "passes/expanding/jacobi_rotations.h"
#include "passes/expanding/lapack_calls.h"
#include "passes/expanding/matrix_steps.h"
#include "passes/expanding/wide_matrices.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

using Direction = ComparisonDirection;

// What the interpreter says of NaN and infinities.
constexpr int64_t kNotFinite = -4;

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
