#include "builders/stablehlo/lowering/ops/element_checks.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

uint8_t ClassOf(PrimitiveType type) {
  if (type == PRED) return kPredClass;
  if (IsSignedInt(type)) return kSignedClass;
  if (IsUnsignedInt(type)) return kUnsignedClass;
  if (IsFloat(type)) return kFloatClass;
  return IsComplex(type) ? kComplexClass : 0;
}

std::string DescribeClasses(uint8_t classes) {
  if ((classes & kAnyClass) == kAnyClass) return "numbers of any type";
  std::vector<std::string> names;
  if (classes & kPredClass) names.emplace_back("pred");
  if ((classes & kIntClass) == kIntClass) {
    names.emplace_back("integers");
  } else if (classes & kSignedClass) {
    names.emplace_back("signed integers");
  } else if (classes & kUnsignedClass) {
    names.emplace_back("unsigned integers");
  }
  if (classes & kFloatClass) names.emplace_back("floats");
  if (classes & kComplexClass) names.emplace_back("complex numbers");
  return absl::StrJoin(names, " or ");
}

// The type of the numbers that a quantized tensor stands for.
TypeId NumbersOf(const Module& module, TypeId tensor) { return module.type(module.type(tensor).element).element; }

}  // namespace

absl::Status CheckElementType(const OperationCall& call, int i, uint8_t classes) {
  const Shape& shape = call.shape(i);
  if (shape.IsArray() && (ClassOf(shape.element_type()) & classes) != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("operand #", i, " must be a tensor of ", DescribeClasses(classes), ", but got ", shape.ToString()));
}

absl::Status CheckElementTypes(const OperationCall& call) {
  for (int i = 0; i < call.operand_count(); ++i) RETURN_IF_ERROR(CheckElementType(call, i, call.row().classes));
  return absl::OkStatus();
}

absl::Status CheckSameShapes(const OperationCall& call, absl::string_view constraint) {
  for (int i = 1; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckSameElementType(call, 0, i, constraint));
    RETURN_IF_ERROR(CheckSameSizes(call, 0, i, constraint));
  }
  return absl::OkStatus();
}

absl::Status CheckSameElementType(const OperationCall& call, int a, int b, absl::string_view constraint) {
  if (call.shape(a).element_type() == call.shape(b).element_type()) return absl::OkStatus();
  return Broken(constraint, absl::StrCat("requires the same element type for operands #", a, " and #", b, ", got ",
                                         call.shape(a).ToString(), " and ", call.shape(b).ToString()));
}

absl::Status CheckSameSizes(const OperationCall& call, int a, int b, absl::string_view constraint) {
  if (call.shape(a).SameDimensions(call.shape(b))) return absl::OkStatus();
  return Broken(constraint, absl::StrCat("requires the same shape for operands #", a, " and #", b, ", got ",
                                         call.shape(a).ToString(), " and ", call.shape(b).ToString()));
}

absl::Status CheckScalar(const OperationCall& call, int i, PrimitiveType type, absl::string_view constraint) {
  if (call.shape(i).IsScalarOf(type)) return absl::OkStatus();
  return Broken(constraint, absl::StrCat("operand #", i, " must be ", Shape::Scalar(type).ToString(), ", got ",
                                         call.shape(i).ToString()));
}

absl::Status CheckScalarIndices(const OperationCall& call, int first, absl::string_view constraint) {
  for (int i = first; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kIntClass));
    RETURN_IF_ERROR(CheckScalar(call, i, call.shape(first).element_type(), constraint));
  }
  return absl::OkStatus();
}

absl::Status CheckSameQuantization(const OperationCall& call, absl::string_view all_or_none, absl::string_view storage,
                                   absl::string_view expressed, int skipped) {
  std::vector<TypeId> types;
  for (int i = skipped; i < call.operand_count(); ++i) types.push_back(call.operand_type(i));
  for (int i = 0; i < call.result_count(); ++i) types.push_back(call.result_type(i));
  const Quantization* const first = types.empty() ? nullptr : QuantizationOf(call.module(), types[0]);
  for (const TypeId type : types) {
    const Quantization* const other = QuantizationOf(call.module(), type);
    if ((first == nullptr) != (other == nullptr)) {
      return Broken(all_or_none, "operands and result must be quantized all, or none; use uniform_quantize");
    }
    if (first == nullptr) continue;
    if (StorageType(call.module(), *first) != StorageType(call.module(), *other)) {
      return Broken(storage, "quantized operands and result must be stored in the same type");
    }
    if (NumbersOf(call.module(), types[0]) != NumbersOf(call.module(), type)) {
      return Broken(expressed, "quantized operands and result must stand for numbers of one type");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckKeepsQuantization(const OperationCall& call, absl::string_view constraint) {
  const Quantization* const operand = QuantizationOf(call.module(), call.operand_type(0));
  const Quantization* const result = QuantizationOf(call.module(), call.result_type());
  if (operand == nullptr && result == nullptr) return absl::OkStatus();
  const bool agree = operand != nullptr && result != nullptr && operand->storage == result->storage &&
                     operand->is_signed == result->is_signed &&
                     NumbersOf(call.module(), call.operand_type(0)) == NumbersOf(call.module(), call.result_type()) &&
                     operand->storage_min == result->storage_min && operand->storage_max == result->storage_max &&
                     operand->scales == result->scales && operand->zero_points == result->zero_points &&
                     (operand->axis < 0) == (result->axis < 0);
  if (agree) return absl::OkStatus();
  return Broken(constraint, "the result must be quantized as the operand is; use uniform_quantize to change it");
}

absl::Status CheckSize(absl::string_view what, size_t found, int64_t expected, absl::string_view constraint) {
  if (static_cast<int64_t>(found) == expected) return absl::OkStatus();
  return Broken(constraint,
                absl::StrCat(what, " must have ", expected, expected == 1 ? " entry" : " entries", ", got ", found));
}

}  // namespace stablehlo
}  // namespace xla
