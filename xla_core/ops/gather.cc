// gather: windows of an array at positions that an index array gives, put together in one array.
//
// Rows 5, 0, 5 of a matrix:
//   f32[3,4] gather(f32[9,4] x, s32[3] i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
//            index_vector_dim=1, slice_sizes={1,4}
//
//   operands: the array x, the indices (any integer type)
//   slice_sizes           size of a window along each dimension of x
//   start_index_map, index_vector_dim    where windows start (window_starts.h)
//   operand_batching_dims, start_indices_batching_dims    pairs of dimensions that go together; slice size at most 1
//   collapsed_slice_dims  dimensions of x that windows lose; slice size at most 1
//   offset_dims           the result dimensions that count within a window, ascending, for the dimensions of x that are
//                         neither collapsed nor batching, in order. The others count windows, as the dimensions of the
//                         indices without index_vector_dim do, in order.
//   indices_are_sorted    a promise that is not used
//
// Each start is clamped, so that the window lies within x. With dynamic dimensions in the indices the result has as
// many windows as are valid; a window as long as a dynamic dimension of x has its run-time size; other starts are
// clamped to the valid elements. Source: StableHLO spec, section `gather`.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/grid_walk.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/ops/window_starts.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Elements that one thread copies before it asks for more.
constexpr int64_t kGatherGrain = 1 << 13;

WindowStartAttributes StartAttributes(const GatherAttributes& a) {
  return {{"start_index_map", a.start_index_map},
          {"operand_batching_dims", a.operand_batching_dims},
          {"start_indices_batching_dims", a.start_indices_batching_dims},
          {"collapsed_slice_dims", a.collapsed_slice_dims},
          a.index_vector_dim};
}

// True for the dimensions of the operand that the result has.
bool IsOffset(const GatherAttributes& a, int operand_dimension) {
  return !Contains(a.collapsed_slice_dims, operand_dimension) && !Contains(a.operand_batching_dims, operand_dimension);
}

// A collapsed or batching dimension has slice size 1 (or 0 of an empty array): nothing of it is in the result.
absl::Status CheckSliceSizes(const GatherAttributes& a, const Shape& operand) {
  if (static_cast<int>(a.slice_sizes.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("slice_sizes=", ListToString(a.slice_sizes),
                                                   " must give a size for each of ", operand.rank(),
                                                   " dimensions of the operand ", operand.ToString()));
  }
  for (int d = 0; d < operand.rank(); ++d) {
    const int64_t largest = IsOffset(a, d) ? operand.dimension(d) : std::min<int64_t>(1, operand.dimension(d));
    if (a.slice_sizes[d] >= 0 && a.slice_sizes[d] <= largest) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("slice_sizes=", ListToString(a.slice_sizes), ": size ", a.slice_sizes[d], " for dimension ", d,
                     " of the operand ", operand.ToString(), " must be between 0 and ", largest,
                     IsOffset(a, d) ? "" : ", because the dimension is collapsed or batching"));
  }
  return absl::OkStatus();
}

// offset_dims and the dimensions of the operand that windows lose make up the operand's dimensions.
absl::Status CheckOffsetDims(const GatherAttributes& a, const Shape& operand, const Shape& indices) {
  const size_t lost = a.collapsed_slice_dims.size() + a.operand_batching_dims.size();
  if (a.offset_dims.size() + lost != static_cast<size_t>(operand.rank())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "offset_dims=", ListToString(a.offset_dims), " must name a result dimension for each dimension of the operand ",
        operand.ToString(), " that is neither collapsed nor batching, which are ",
        operand.rank() - static_cast<int64_t>(lost)));
  }
  const int64_t counting = static_cast<int64_t>(WindowCountingDimensions(indices, a.index_vector_dim).size());
  return CheckAscendingDimensions("offset_dims", a.offset_dims,
                                  {"the result", counting + static_cast<int64_t>(a.offset_dims.size())});
}

// The result dimensions that count windows.
DimensionVector CountingDimensions(const GatherAttributes& a, int result_rank) {
  DimensionVector dimensions;
  for (int d = 0; d < result_rank; ++d) {
    if (!Contains(a.offset_dims, d)) dimensions.push_back(d);
  }
  return dimensions;
}

// Result dimensions are, in order, those of the indices except where offset_dims puts one of the window's.
absl::StatusOr<Shape> InferShapeOfGather(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& indices = instruction.operand(1)->shape();
  const auto& a = instruction.attributes<GatherAttributes>();
  RETURN_IF_ERROR(CheckWindowStarts(StartAttributes(a), operand, indices));
  RETURN_IF_ERROR(CheckSliceSizes(a, operand));
  RETURN_IF_ERROR(CheckOffsetDims(a, operand, indices));

  const DimensionVector index_dimensions = WindowCountingDimensions(indices, a.index_vector_dim);
  const int rank = static_cast<int>(index_dimensions.size() + a.offset_dims.size());
  Shape result = Shape::Scalar(operand.element_type());
  size_t counting = 0;
  int offset = 0;
  for (int d = 0; d < rank; ++d) {
    if (!Contains(a.offset_dims, d)) {
      const int from = static_cast<int>(index_dimensions[counting++]);
      result.AddDimension(indices.dimension(from), indices.is_dynamic_dimension(from));
      continue;
    }
    while (!IsOffset(a, offset)) ++offset;
    const bool whole = a.slice_sizes[offset] == operand.dimension(offset) && a.slice_sizes[offset] > 1;
    result.AddDimension(a.slice_sizes[offset], whole && operand.is_dynamic_dimension(offset));
    ++offset;
  }
  RETURN_IF_ERROR(ValidateShape(result));
  return result;
}

// Takes run-time sizes over to the result.
void SetValidSizes(const GatherAttributes& a, const Literal& operand, const Literal& indices, Literal& result) {
  if (!operand.has_dynamic_sizes() && !indices.has_dynamic_sizes()) return;
  const DimensionVector index_dimensions = WindowCountingDimensions(indices.shape(), a.index_vector_dim);
  const DimensionVector counting = CountingDimensions(a, result.shape().rank());
  for (size_t i = 0; i < counting.size(); ++i) {
    result.SetDynamicSize(static_cast<int>(counting[i]), indices.dynamic_size(static_cast<int>(index_dimensions[i])));
  }
  size_t offset = 0;
  for (int d = 0; d < operand.shape().rank(); ++d) {
    if (!IsOffset(a, d)) continue;
    const int to = static_cast<int>(a.offset_dims[offset++]);
    const bool whole = a.slice_sizes[d] == operand.shape().dimension(d) && a.slice_sizes[d] > 1;
    if (whole) result.SetDynamicSize(to, operand.dynamic_size(d));
  }
}

// The copy of one window.
StridedCopy WindowCopy(const GatherAttributes& a, const Shape& operand, const Shape& result) {
  const DimensionVector operand_strides = RowMajorStrides(operand);
  const DimensionVector result_strides = RowMajorStrides(result);
  CopyDimensions copy;
  for (int d = 0; d < operand.rank(); ++d) {
    if (IsOffset(a, d)) {
      copy.push_back({a.slice_sizes[d], operand_strides[d], result_strides[a.offset_dims[copy.size()]]});
    }
  }
  return StridedCopy(operand.element_type(), copy);
}

// The grid of windows; offsets are those of the index vector, of the window in the result, and of the batch in the
// operand.
enum { kIndices, kResult, kBatch, kOffsets };
using WindowGrid = GridWalk<kOffsets>;

// The grid of windows, with three offsets for each: of its index vector, of its place in the result, and of its batch
// in the operand.
WindowGrid::Dimensions Windows(const GatherAttributes& a, const Shape& operand, const Shape& indices,
                               const Shape& result) {
  const DimensionVector operand_strides = RowMajorStrides(operand);
  const DimensionVector index_strides = RowMajorStrides(indices);
  const DimensionVector result_strides = RowMajorStrides(result);
  const DimensionVector index_dimensions = WindowCountingDimensions(indices, a.index_vector_dim);
  const DimensionVector counting = CountingDimensions(a, result.rank());
  WindowGrid::Dimensions windows;
  for (size_t i = 0; i < counting.size(); ++i) {
    const int64_t from = index_dimensions[i];
    int64_t batch_stride = 0;
    for (size_t k = 0; k < a.operand_batching_dims.size(); ++k) {
      if (a.start_indices_batching_dims[k] == from) batch_stride = operand_strides[a.operand_batching_dims[k]];
    }
    windows.push_back(
        {indices.dimension(static_cast<int>(from)), {index_strides[from], result_strides[counting[i]], batch_stride}});
  }
  return windows;
}

// One strided copy for each window. Start indices are clamped, so that no window leaves the operand.
absl::StatusOr<Literal> EvaluateGather(const HloInstruction& instruction, OperandValues& operands,
                                       EvalContext& context) {
  const Shape& shape = instruction.shape();
  const PrimitiveType type = shape.element_type();
  const Literal& operand = operands[0];
  const Literal& indices = operands[1];
  const auto& a = instruction.attributes<GatherAttributes>();
  // Windows may be empty where the result is not: collapsed dimensions of slice size 0.
  const bool nothing_to_read = operand.element_count() == 0;
  ASSIGN_OR_RETURN(Literal result, nothing_to_read ? context.AllocateZeros(shape) : context.Allocate(shape));
  SetValidSizes(a, operand, indices, result);
  if (nothing_to_read || shape.ElementCount() == 0) return result;

  DimensionVector window(a.slice_sizes.begin(), a.slice_sizes.end());
  for (int64_t d : a.collapsed_slice_dims) window[d] = 1;
  const WindowStartReader starts(StartAttributes(a), operand.shape(), RuntimeSizes(operand), window, indices);
  const WindowGrid::Dimensions windows = Windows(a, operand.shape(), indices.shape(), shape);
  const StridedCopy copy = WindowCopy(a, operand.shape(), shape);
  int64_t count = 1;
  for (const auto& dimension : windows) count *= dimension.size;
  const int64_t window_elements = shape.ElementCount() / count;
  const void* from = operand.untyped_data();
  void* to = result.untyped_mutable_data();
  RETURN_IF_ERROR(
      context.ParallelFor(count, std::max<int64_t>(1, kGatherGrain / window_elements), [&](int64_t begin, int64_t end) {
        WindowGrid walk(windows, begin);
        for (int64_t i = begin; i < end; ++i, walk.Next()) {
          const int64_t start = starts.ClampedOffset(walk.offset(kIndices)) + walk.offset(kBatch);
          copy.Run(ElementAt(from, start, type), ElementAt(to, walk.offset(kResult), type));
        }
      }));
  return result;
}

}  // namespace

OpDefinition Define_kGather() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<GatherAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfGather;
  op.evaluate = &EvaluateGather;
  return op;
}

}  // namespace xla
