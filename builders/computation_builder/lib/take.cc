#include "builders/computation_builder/lib/take.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/finish.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {
namespace {

// A gather of whole slices along the axis. The first batch_dims dimensions of x and indices go together.
XlaOp TakeSlices(const char* name, XlaOp x, XlaOp indices, int64_t axis, int64_t batch_dims, SourceLocation loc) {
  LibCall call(name, {x, indices}, loc);
  if (!call.CheckInt("indices", indices) || !call.CheckDimension("axis", axis, x)) return XlaOp();
  const Shape shape = call.shape(x);
  const Shape index_shape = call.shape(indices);
  if (batch_dims < 0 || batch_dims > index_shape.rank() || batch_dims > axis) {
    return call.Fail(absl::StrCat("batch_dims must be at least 0, at most the rank of ", index_shape.ToString(),
                                  ", and at most the axis ", axis, ", got ", batch_dims));
  }
  GatherDimensionNumbers numbers;
  std::vector<int64_t> slice_sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (int64_t d = 0; d < batch_dims; ++d) {
    numbers.operand_batching_dims.push_back(d);
    numbers.start_indices_batching_dims.push_back(d);
    slice_sizes[d] = 1;
  }
  // The result: batch, what is in front of the axis, the rest of the indices, what is after the axis.
  const int64_t index_dims = index_shape.rank() - batch_dims;
  for (int64_t d = batch_dims; d < shape.rank(); ++d) {
    if (d != axis) numbers.offset_dims.push_back(d < axis ? d : d - 1 + index_dims);
  }
  numbers.collapsed_slice_dims = {axis};
  numbers.start_index_map = {axis};
  numbers.index_vector_dim = index_shape.rank();
  slice_sizes[axis] = 1;
  return call->Gather(x, indices, numbers, slice_sizes);
}

// x and indices are of equal sizes except for the axis: all other dimensions are batch dimensions.
XlaOp TakeElements(LibCall& call, XlaOp x, XlaOp indices, int64_t axis) {
  if (!call.ok()) return XlaOp();
  const DimensionVector batch = DimensionsWithout(call.shape(x), {axis});
  GatherDimensionNumbers numbers;
  numbers.operand_batching_dims = batch;
  numbers.start_indices_batching_dims = batch;
  numbers.collapsed_slice_dims = {axis};
  numbers.start_index_map = {axis};
  numbers.index_vector_dim = call.shape(x).rank();
  return call->Gather(x, indices, numbers, std::vector<int64_t>(call.shape(x).rank(), 1));
}

bool CheckIndex(LibCall& call, absl::string_view what, XlaOp index, absl::string_view axis_name, int64_t axis,
                XlaOp x) {
  if (!call.CheckInt(what, index) || !call.CheckDimension(axis_name, axis, x)) return false;
  if (call.shape(x).rank() == call.shape(index).rank()) return true;
  call.Fail(absl::StrCat(what, " must have the rank of the array, ", call.shape(x).ToString(), ", got ",
                         call.shape(index).ToString()));
  return false;
}

XlaOp FailToFit(LibCall& call, int64_t d, XlaOp x, XlaOp index) {
  return call.Fail(absl::StrCat("dimension ", d, " of the indices does not fit that of the array: ",
                                call.shape(x).ToString(), " and ", call.shape(index).ToString()));
}

}  // namespace

XlaOp Take(XlaOp x, XlaOp indices, int64_t axis, int64_t batch_dims, SourceLocation loc) {
  return TakeSlices("Take", x, indices, axis, batch_dims, loc);
}

XlaOp TorchIndexSelect(XlaOp input, XlaOp index, int64_t dim, int64_t batch_dims, SourceLocation loc) {
  return TakeSlices("TorchIndexSelect", input, index, dim, batch_dims, loc);
}

// Like numpy.take_along_axis: one element of x for each index, where dimensions of size 1 are broadcast.
XlaOp TakeAlongAxis(XlaOp x, XlaOp indices, int64_t axis, SourceLocation loc) {
  LibCall call("TakeAlongAxis", {x, indices}, loc);
  if (!CheckIndex(call, "indices", indices, "axis", axis, x)) return XlaOp();
  Shape x_shape = call.shape(x);
  Shape index_shape = call.shape(indices);
  for (int64_t d = 0; d < x_shape.rank(); ++d) {
    const int64_t size = x_shape.dimension(d), index_size = index_shape.dimension(d);
    if (d == axis || size == index_size) continue;
    if (size != 1 && index_size != 1) return FailToFit(call, d, x, indices);
    x_shape.set_dimension(d, size == 1 ? index_size : size);
    index_shape.set_dimension(d, size == 1 ? index_size : size);
  }
  const DimensionVector all = FirstDimensions(x_shape.rank());
  return TakeElements(call, call->BroadcastInDim(x, x_shape.dimensions(), all),
                      call->BroadcastInDim(indices, index_shape.dimensions(), all), axis);
}

XlaOp TorchGather(XlaOp input, XlaOp index, int64_t dim, SourceLocation loc) {
  LibCall call("TorchGather", {input, index}, loc);
  if (!CheckIndex(call, "index", index, "dim", dim, input)) return XlaOp();
  const Shape shape = call.shape(input);
  const Shape index_shape = call.shape(index);
  std::vector<int64_t> limits(shape.dimensions().begin(), shape.dimensions().end());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d == dim) continue;
    if (index_shape.dimension(d) > limits[d]) return FailToFit(call, d, input, index);
    limits[d] = index_shape.dimension(d);
  }
  return TakeElements(call, call->Slice(input, std::vector<int64_t>(shape.rank(), 0), limits), index, dim);
}

// A scatter along one dimension, as torch.scatter defines it, with all other dimensions as batch dimensions.
XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, int64_t dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner, SourceLocation loc) {
  LibCall call("TorchScatterDense", {input, index, src}, loc);
  if (!CheckIndex(call, "index", index, "dim", dim, input)) return XlaOp();
  if (!call.CheckSameType("input", input, "src", src)) return XlaOp();
  if (!call.shape(index).SameDimensions(call.shape(src))) {
    return call.Fail(absl::StrCat("index and src must have the same dimensions, got ", call.shape(index).ToString(),
                                  " and ", call.shape(src).ToString()));
  }
  const Shape shape = call.shape(input);
  ScatterDimensionNumbers numbers;
  for (const int64_t d : DimensionsWithout(shape, {dim})) {
    if (call.shape(index).dimension(d) != shape.dimension(d)) return FailToFit(call, d, input, index);
    numbers.input_batching_dims.push_back(d);
  }
  numbers.scatter_indices_batching_dims = numbers.input_batching_dims;
  numbers.inserted_window_dims = {dim};
  numbers.scatter_dims_to_operand_dims = {dim};
  numbers.index_vector_dim = shape.rank();
  ComputationBuilder b("combiner");
  b.SetOpMetadata(call->op_metadata());
  const Shape scalar = Shape::Scalar(shape.element_type());
  const XlaOp old = b.Parameter(0, scalar, "old");
  const XlaOp update = b.Parameter(1, scalar, "update");
  const XlaOp root = combiner(old, update);
  return call->Scatter(input, index, src, Finish(b, root), numbers);
}

}  // namespace xla
