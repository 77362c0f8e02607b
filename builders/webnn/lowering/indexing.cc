#include "builders/webnn/lowering/indexing.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/take.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// Indices in a type that has the sizes that they go up to.
XlaOp IndicesFor(XlaOp indices, absl::Span<const int64_t> sizes) {
  const int64_t greatest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  return greatest > std::numeric_limits<int32_t>::max() ? ConvertTo(indices, S64) : indices;
}

// `size` broadcasts to the indices.
XlaOp CountFromTheEnd(XlaOp indices, XlaOp size) {
  if (!indices.valid()) return indices;
  ComputationBuilder& b = *indices.builder();
  if (TypeOf(indices) == U32) return indices;
  return b.Select(b.Lt(indices, ZerosLike(indices)), b.Add(indices, BroadcastTo(size, DimensionsOf(indices))), indices);
}

XlaOp MoveInside(XlaOp indices, XlaOp size) {
  if (!indices.valid()) return indices;
  ComputationBuilder& b = *indices.builder();
  const XlaOp last = BroadcastTo(b.Sub(size, OnesLike(size)), DimensionsOf(indices));
  return b.Max(b.Min(indices, last), ZerosLike(indices));
}

// For indices that go up to `size`.
XlaOp Normalize(XlaOp indices, int64_t size) {
  const XlaOp wide = IndicesFor(indices, {size});
  return CountFromTheEnd(wide, ScalarLike(wide, size));
}

XlaOp NormalizeAndMoveInside(XlaOp indices, int64_t size) {
  const XlaOp wide = IndicesFor(indices, {size});
  return MoveInside(CountFromTheEnd(wide, ScalarLike(wide, size)), ScalarLike(wide, size));
}

// Coordinates, of which the last dimension lists the first ones of an array of the given sizes.
struct Coordinates {
  XlaOp indices, sizes;
};

Coordinates CoordinatesIn(XlaOp indices, absl::Span<const int64_t> sizes) {
  ComputationBuilder& b = *indices.builder();
  const absl::Span<const int64_t> indexed = sizes.first(DimensionsOf(indices).back());
  const XlaOp wide = IndicesFor(indices, indexed);
  const XlaOp limits = ConvertTo(b.ConstantR1<int64_t>(indexed), TypeOf(wide));
  return {CountFromTheEnd(wide, limits), limits};
}

DimensionVector Range(int64_t begin, int64_t end) {
  DimensionVector range;
  for (int64_t i = begin; i < end; ++i) range.push_back(i);
  return range;
}

}  // namespace

XlaOp LowerGather(XlaOp input, XlaOp indices, int64_t axis) {
  if (!input.valid() || !indices.valid()) return XlaOp();
  return Take(input, Normalize(indices, DimensionsOf(input)[axis]), axis);
}

XlaOp LowerGatherElements(XlaOp input, XlaOp indices, int64_t axis) {
  if (!input.valid() || !indices.valid()) return XlaOp();
  return TakeAlongAxis(input, Normalize(indices, DimensionsOf(input)[axis]), axis);
}

XlaOp LowerGatherND(XlaOp input, XlaOp indices) {
  if (!input.valid() || !indices.valid()) return XlaOp();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t indices_rank = static_cast<int64_t>(DimensionsOf(indices).size());
  const int64_t indexed = DimensionsOf(indices).back();
  GatherDimensionNumbers numbers;
  numbers.offset_dims = Range(indices_rank - 1, indices_rank - 1 + rank - indexed);
  numbers.collapsed_slice_dims = numbers.start_index_map = Range(0, indexed);
  numbers.index_vector_dim = indices_rank - 1;
  std::vector<int64_t> slice_sizes = sizes;
  std::fill_n(slice_sizes.begin(), indexed, 1);
  return input.builder()->Gather(input, CoordinatesIn(indices, sizes).indices, numbers, slice_sizes);
}

XlaOp LowerScatterElements(XlaOp input, XlaOp indices, XlaOp updates, int64_t axis) {
  if (!input.valid() || !indices.valid() || !updates.valid()) return XlaOp();
  return TorchScatterDense(input, NormalizeAndMoveInside(indices, DimensionsOf(input)[axis]), updates, axis,
                           [](XlaOp, XlaOp update) { return update; });
}

XlaOp LowerScatterND(XlaOp input, XlaOp indices, XlaOp updates) {
  if (!input.valid() || !indices.valid() || !updates.valid()) return XlaOp();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t indices_rank = static_cast<int64_t>(DimensionsOf(indices).size());
  const int64_t indexed = DimensionsOf(indices).back();
  const Coordinates coordinates = CoordinatesIn(indices, sizes);
  ScatterDimensionNumbers numbers;
  numbers.update_window_dims = Range(indices_rank - 1, indices_rank - 1 + rank - indexed);
  numbers.inserted_window_dims = numbers.scatter_dims_to_operand_dims = Range(0, indexed);
  numbers.index_vector_dim = indices_rank - 1;
  return input.builder()->Scatter(input, MoveInside(coordinates.indices, coordinates.sizes), updates,
                                  CreateScalarSecondComputation(TypeOf(input)), numbers);
}

}  // namespace webnn
}  // namespace xla
