// BatchDot of matrix.h.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/matrix.h"

namespace xla {
namespace {

// Finds the batch dimensions of the result. The i-th from the back of one operand goes with that of the other.
bool BroadcastBatch(LibCall& call, const Shape& x, const Shape& y, DimensionVector* batch) {
  const int64_t rank = std::max(x.rank(), y.rank()) - 2;
  batch->assign(rank, 1);
  for (const Shape* shape : {&x, &y}) {
    const int64_t missing = rank - (shape->rank() - 2);
    for (int64_t d = 0; d < shape->rank() - 2; ++d) {
      int64_t& size = (*batch)[missing + d];
      if (size == 1) size = shape->dimension(d);
      if (shape->dimension(d) == size || shape->dimension(d) == 1) continue;
      call.Fail(
          absl::StrCat("batch dimensions must be equal, or one of them 1: ", x.ToString(), " and ", y.ToString()));
      return false;
    }
  }
  return true;
}

XlaOp WithBatch(LibCall& call, XlaOp matrix, const DimensionVector& batch) {
  const Shape shape = call.shape(matrix);
  DimensionVector dimensions = batch;
  dimensions.push_back(shape.dimension(shape.rank() - 2));
  dimensions.push_back(shape.dimension(shape.rank() - 1));
  if (shape.dimensions() == absl::MakeConstSpan(dimensions)) return matrix;
  const int64_t missing = static_cast<int64_t>(dimensions.size()) - shape.rank();
  DimensionVector kept;
  for (int64_t d = 0; d < shape.rank(); ++d) kept.push_back(missing + d);
  return call->BroadcastInDim(matrix, dimensions, kept);
}

}  // namespace

XlaOp BatchDot(XlaOp x, XlaOp y, const DotOptions& options, SourceLocation loc) {
  return BatchDot(x, /*transpose_x=*/false, y, /*transpose_y=*/false, options, loc);
}

XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y, const DotOptions& options, SourceLocation loc) {
  LibCall call("BatchDot", {x, y}, loc);
  if (!call.CheckMatrix("x", x) || !call.CheckMatrix("y", y)) return XlaOp();
  DimensionVector batch;
  if (!BroadcastBatch(call, call.shape(x), call.shape(y), &batch)) return XlaOp();
  const int64_t first = static_cast<int64_t>(batch.size());
  DotDimensionNumbers numbers;
  numbers.lhs_batch_dims = FirstDimensions(first);
  numbers.rhs_batch_dims = FirstDimensions(first);
  numbers.lhs_contracting_dims = {transpose_x ? first : first + 1};
  numbers.rhs_contracting_dims = {transpose_y ? first + 1 : first};
  return call->DotGeneral(WithBatch(call, x, batch), WithBatch(call, y, batch), numbers, options);
}

}  // namespace xla
