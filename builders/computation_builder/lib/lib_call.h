// LibCall: what every function of this folder begins with. It makes the function one operation for its caller
// (OperationScope), finds the builder and the shapes of the operands, and checks them.
//
//   XlaOp Square(XlaOp x, SourceLocation loc) {
//     LibCall call("Square", {x}, loc);
//     if (!call.CheckFloat("x", x)) return XlaOp();
//     return call->Mul(x, x);
//   }
//
// Private to the folder: programs include the headers of the functions.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_LIB_CALL_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_LIB_CALL_H_

#include <cstdint>
#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Lives for the duration of the function: as long as it does, all operations carry the function's name and the
// caller's line. A failed check becomes the builder's error; the function then returns an invalid XlaOp.
class LibCall {
 public:
  // For a function whose builder is that of its operands. `name` must live as long as the call.
  LibCall(absl::string_view name, ArraySlice<XlaOp> operands, SourceLocation loc);
  LibCall(absl::string_view name, std::initializer_list<XlaOp> operands, SourceLocation loc)
      : LibCall(name, absl::MakeConstSpan(operands.begin(), operands.size()), loc) {}
  // For one that makes values out of nothing.
  LibCall(ComputationBuilder* builder, absl::string_view name, ArraySlice<XlaOp> operands, SourceLocation loc);

  // False if there is no builder, or if it has failed: the function returns XlaOp() then.
  bool ok() const { return builder_ != nullptr && builder_->ok(); }
  // Only if ok().
  ComputationBuilder* builder() const { return builder_; }
  ComputationBuilder* operator->() const { return builder_; }
  // PRIMITIVE_TYPE_INVALID if the builder has failed.
  Shape shape(XlaOp op) const { return builder_->ShapeOrInvalid(op); }
  PrimitiveType type(XlaOp op) const { return shape(op).element_type(); }

  // Makes this the builder's error; returns an invalid XlaOp.
  XlaOp Fail(absl::string_view message);

  // All of these are false if ok() is, and make an error of a condition that does not hold. `what` is the name of the
  // argument.

  // An array of at least this many dimensions.
  bool CheckRank(absl::string_view what, XlaOp op, int min_rank);
  bool CheckFloat(absl::string_view what, XlaOp op);
  bool CheckFloatOrComplex(absl::string_view what, XlaOp op);
  bool CheckInt(absl::string_view what, XlaOp op);
  // An array that has an order: anything but complex numbers.
  bool CheckReal(absl::string_view what, XlaOp op);
  bool CheckPred(absl::string_view what, XlaOp op);
  // An array of element type `type` and no dimensions.
  bool CheckScalar(absl::string_view what, XlaOp op, PrimitiveType type);
  bool CheckSameType(absl::string_view lhs_name, XlaOp lhs, absl::string_view rhs_name, XlaOp rhs);
  // 0 <= dimension < rank of `op`, an array.
  bool CheckDimension(absl::string_view what, int64_t dimension, XlaOp op);
  // The same for each of them, none twice.
  bool CheckDimensions(absl::string_view what, ArraySlice<int64_t> dimensions, XlaOp op);
  // Matrices, with any number of batch dimensions in front; square ones.
  bool CheckMatrix(absl::string_view what, XlaOp op) { return CheckRank(what, op, 2); }
  bool CheckSquareMatrix(absl::string_view what, XlaOp op);

  // A scalar constant of an element type.
  XlaOp Number(PrimitiveType type, double value) { return builder_->ConstantLiteral(LiteralUtil::Number(type, value)); }
  XlaOp Integer(PrimitiveType type, int64_t value) {
    return builder_->ConstantLiteral(LiteralUtil::Number(type, value));
  }
  // f(x), computed in f32 if x is of a narrower float type, and converted back.
  XlaOp InF32IfNarrower(XlaOp x, absl::FunctionRef<XlaOp(XlaOp)> f);

 private:
  bool CheckArray(absl::string_view what, XlaOp op);
  bool CheckClass(absl::string_view what, XlaOp op, bool holds, absl::string_view expected);

  ComputationBuilder* builder_;
  OperationScope scope_;
};

// The dimensions of a shape without those of a list.
DimensionVector DimensionsWithout(const Shape& shape, ArraySlice<int64_t> dropped);
// 0, 1, ..., count - 1
DimensionVector FirstDimensions(int64_t count);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_LIB_CALL_H_
