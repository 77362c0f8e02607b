#include "builders/computation_builder/lib/one_hot.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {
namespace {

// Where the new dimension counts to the index of its element; an invalid XlaOp if the arguments do not allow that.
XlaOp IsHot(LibCall& call, XlaOp indices, int64_t depth, int64_t axis) {
  if (!call.CheckInt("indices", indices)) return XlaOp();
  const Shape shape = call.shape(indices);
  if (depth < 0) return call.Fail(absl::StrCat("depth must be at least 0, got ", depth));
  if (axis < -1 || axis > shape.rank()) {
    return call.Fail(absl::StrCat("axis must be a dimension of the result, that is at least 0 and at most ",
                                  shape.rank(), ", or -1 for the last one, got ", axis));
  }
  if (axis == -1) axis = shape.rank();
  // Types too narrow for the depth would count in circles.
  const XlaOp wide = BitWidth(shape.element_type()) == 64 ? indices : call->ConvertElementType(indices, S64);
  DimensionVector dimensions(shape.dimensions().begin(), shape.dimensions().end());
  dimensions.insert(dimensions.begin() + axis, depth);
  DimensionVector kept;
  for (int64_t d = 0; d <= shape.rank(); ++d) {
    if (d != axis) kept.push_back(d);
  }
  const XlaOp counter = call->Iota(Shape::Array(call.type(wide), dimensions), axis);
  return call->Eq(call->BroadcastInDim(wide, dimensions, kept), counter);
}

XlaOp SelectHot(LibCall& call, XlaOp is_hot, XlaOp on_value, XlaOp off_value) {
  if (!call.ok()) return XlaOp();
  const Shape shape = call.shape(is_hot);
  return call->Select(is_hot, call->Broadcast(on_value, shape.dimensions()),
                      call->Broadcast(off_value, shape.dimensions()));
}

}  // namespace

XlaOp OneHot(XlaOp indices, int64_t depth, int64_t axis, XlaOp on_value, XlaOp off_value, SourceLocation loc) {
  LibCall call("OneHot", {indices, on_value, off_value}, loc);
  if (!call.CheckSameType("on_value", on_value, "off_value", off_value)) return XlaOp();
  if (!call.CheckScalar("on_value", on_value, call.type(on_value))) return XlaOp();
  if (!call.CheckScalar("off_value", off_value, call.type(on_value))) return XlaOp();
  return SelectHot(call, IsHot(call, indices, depth, axis), on_value, off_value);
}

XlaOp OneHot(XlaOp indices, int64_t depth, PrimitiveType type, int64_t axis, SourceLocation loc) {
  LibCall call("OneHot", {indices}, loc);
  const XlaOp is_hot = call.ok() ? IsHot(call, indices, depth, axis) : XlaOp();
  if (!call.ok()) return XlaOp();
  return SelectHot(call, is_hot, call.Integer(type, 1), call.Integer(type, 0));
}

}  // namespace xla
