#include "builders/computation_builder/lib/matrix_steps.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/slicing.h"

namespace xla {
namespace {

XlaOp Numbers(ComputationBuilder* b, XlaOp like, int dimension_from_end) {
  Shape shape = b->ShapeOrInvalid(like);
  shape.set_element_type(S32);
  return b->Iota(shape, shape.rank() - dimension_from_end);
}

int64_t SizeFromEnd(ComputationBuilder* b, XlaOp a, int dimension_from_end) {
  const Shape shape = b->ShapeOrInvalid(a);
  return shape.rank() < dimension_from_end ? 0 : shape.dimension(shape.rank() - dimension_from_end);
}

}  // namespace

bool CheckDecomposable(LibCall& call, XlaOp a, bool real_only) {
  if (!call.CheckMatrix("a", a)) return false;
  const PrimitiveType type = call.type(a);
  if (type == F32 || type == F64 || (!real_only && IsComplex(type))) return true;
  call.Fail(absl::StrCat("a must be of f32", real_only ? " or f64" : ", f64, c64 or c128", ", got ",
                         call.shape(a).ToString(), "; convert it"));
  return false;
}

XlaOp RowNumbers(ComputationBuilder* b, XlaOp like) { return Numbers(b, like, 2); }
XlaOp ColumnNumbers(ComputationBuilder* b, XlaOp like) { return Numbers(b, like, 1); }

XlaOp ColumnAt(ComputationBuilder* b, XlaOp a, XlaOp column) {
  return DynamicSliceInMinorDims(a, {b->ConstantR0<int32_t>(0), column}, {SizeFromEnd(b, a, 2), 1});
}

XlaOp RowAt(ComputationBuilder* b, XlaOp a, XlaOp row) {
  return DynamicSliceInMinorDims(a, {row, b->ConstantR0<int32_t>(0)}, {1, SizeFromEnd(b, a, 1)});
}

XlaOp ElementAt(ComputationBuilder*, XlaOp a, XlaOp row, XlaOp column) {
  return DynamicSliceInMinorDims(a, {row, column}, {1, 1});
}

XlaOp StretchTo(ComputationBuilder* b, XlaOp x, XlaOp like) {
  const Shape shape = b->ShapeOrInvalid(like);
  if (b->ShapeOrInvalid(x).SameDimensions(shape)) return x;
  return b->BroadcastInDim(x, shape.dimensions(), FirstDimensions(shape.rank()));
}

XlaOp SelectStretched(ComputationBuilder* b, XlaOp pred, XlaOp on_true, XlaOp on_false) {
  return b->Select(StretchTo(b, pred, on_false), StretchTo(b, on_true, on_false), on_false);
}

XlaOp IdentityLike(ComputationBuilder* b, XlaOp like, int64_t rows, int64_t columns) {
  const Shape shape = b->ShapeOrInvalid(like);
  const XlaOp identity = IdentityMatrix(b, shape.element_type(), rows, columns);
  return b->Broadcast(identity, shape.dimensions().subspan(0, shape.rank() - 2));
}

}  // namespace xla
