#include "builders/computation_builder/lib/lib_call.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

ComputationBuilder* BuilderOf(ArraySlice<XlaOp> operands) {
  for (const XlaOp op : operands) {
    if (op.builder() != nullptr) return op.builder();
  }
  return nullptr;
}

}  // namespace

LibCall::LibCall(absl::string_view name, ArraySlice<XlaOp> operands, SourceLocation loc)
    : LibCall(BuilderOf(operands), name, operands, loc) {}

LibCall::LibCall(ComputationBuilder* builder, absl::string_view name, ArraySlice<XlaOp> operands, SourceLocation loc)
    : builder_(builder), scope_(builder, name, operands, loc) {
  if (!ok()) return;
  for (const XlaOp op : operands) builder_->ReportError(builder_->GetShape(op).status());
}

XlaOp LibCall::Fail(absl::string_view message) { return builder_->ReportError(absl::InvalidArgumentError(message)); }

bool LibCall::CheckArray(absl::string_view what, XlaOp op) {
  return ok() && CheckClass(what, op, shape(op).IsArray(), "an array");
}

bool LibCall::CheckClass(absl::string_view what, XlaOp op, bool holds, absl::string_view expected) {
  if (!holds) Fail(absl::StrCat(what, " must be ", expected, ", got ", shape(op).ToString()));
  return holds;
}

bool LibCall::CheckRank(absl::string_view what, XlaOp op, int min_rank) {
  if (!CheckArray(what, op)) return false;
  return CheckClass(what, op, shape(op).rank() >= min_rank,
                    absl::StrCat("an array of at least ", min_rank, min_rank == 1 ? " dimension" : " dimensions"));
}

bool LibCall::CheckFloat(absl::string_view what, XlaOp op) {
  return ok() && CheckClass(what, op, IsFloat(type(op)), "an array of floats");
}

bool LibCall::CheckFloatOrComplex(absl::string_view what, XlaOp op) {
  return ok() &&
         CheckClass(what, op, IsFloat(type(op)) || IsComplex(type(op)), "an array of floats or complex numbers");
}

bool LibCall::CheckInt(absl::string_view what, XlaOp op) {
  return ok() && CheckClass(what, op, IsInt(type(op)), "an array of integers");
}

bool LibCall::CheckReal(absl::string_view what, XlaOp op) {
  return CheckArray(what, op) && CheckClass(what, op, !IsComplex(type(op)), "an array of real numbers");
}

bool LibCall::CheckPred(absl::string_view what, XlaOp op) {
  return ok() && CheckClass(what, op, type(op) == PRED, "an array of pred");
}

bool LibCall::CheckScalar(absl::string_view what, XlaOp op, PrimitiveType type) {
  return ok() && CheckClass(what, op, shape(op).IsScalarOf(type), Shape::Scalar(type).ToString());
}

bool LibCall::CheckSameType(absl::string_view lhs_name, XlaOp lhs, absl::string_view rhs_name, XlaOp rhs) {
  if (!CheckArray(lhs_name, lhs) || !CheckArray(rhs_name, rhs)) return false;
  if (type(lhs) == type(rhs)) return true;
  Fail(absl::StrCat(lhs_name, " and ", rhs_name, " must have the same element type, got ", shape(lhs).ToString(),
                    " and ", shape(rhs).ToString(), "; convert one of them"));
  return false;
}

bool LibCall::CheckDimension(absl::string_view what, int64_t dimension, XlaOp op) {
  if (!CheckArray("the operand", op)) return false;
  if (dimension >= 0 && dimension < shape(op).rank()) return true;
  Fail(absl::StrCat(what, " must be a dimension of ", shape(op).ToString(), ", that is at least 0 and less than ",
                    shape(op).rank(), ", got ", dimension));
  return false;
}

bool LibCall::CheckDimensions(absl::string_view what, ArraySlice<int64_t> dimensions, XlaOp op) {
  if (!CheckArray("the operand", op)) return false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!CheckDimension(what, dimensions[i], op)) return false;
    if (std::count(dimensions.begin(), dimensions.begin() + i, dimensions[i]) == 0) continue;
    Fail(absl::StrCat(what, " must not name a dimension twice, got ", dimensions[i], " again"));
    return false;
  }
  return true;
}

bool LibCall::CheckSquareMatrix(absl::string_view what, XlaOp op) {
  if (!CheckMatrix(what, op)) return false;
  const Shape matrix = shape(op);
  return CheckClass(what, op, matrix.dimension(matrix.rank() - 1) == matrix.dimension(matrix.rank() - 2),
                    "square in its last two dimensions");
}

XlaOp LibCall::InF32IfNarrower(XlaOp x, absl::FunctionRef<XlaOp(XlaOp)> f) {
  const PrimitiveType given = type(x);
  if (!IsNarrowFloatType(given)) return f(x);
  return builder_->ConvertElementType(f(builder_->ConvertElementType(x, F32)), given);
}

DimensionVector DimensionsWithout(const Shape& shape, ArraySlice<int64_t> dropped) {
  DimensionVector kept;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (std::find(dropped.begin(), dropped.end(), d) == dropped.end()) kept.push_back(d);
  }
  return kept;
}

DimensionVector FirstDimensions(int64_t count) {
  DimensionVector dimensions;
  for (int64_t d = 0; d < count; ++d) dimensions.push_back(d);
  return dimensions;
}

}  // namespace xla
