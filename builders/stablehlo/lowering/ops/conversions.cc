// compare, select, clamp, and changes of the element type.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/lexicographic.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// Also a type of comparison that the element type does not have is accepted, as elsewhere: then that of the element
// type counts. Only floats have a choice.
absl::Status LowerCompare(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, "compare_c1"));
  RETURN_IF_ERROR(CheckSameSizes(call, 0, 1, "compare_c2"));
  if ((QuantizationOf(call.module(), call.operand_type(0)) == nullptr) !=
      (QuantizationOf(call.module(), call.operand_type(1)) == nullptr)) {
    return Broken("compare_c1", "both operands must be quantized, or neither");
  }
  ASSIGN_OR_RETURN(const std::string direction_word, call.attributes().Word("comparison_direction"));
  ASSIGN_OR_RETURN(const ComparisonDirection direction, DirectionFromWord(direction_word));
  ASSIGN_OR_RETURN(const std::string type, call.attributes().WordOr("compare_type", "NOTYPE"));
  const PrimitiveType element = call.shape(0).element_type();
  if (IsComplex(element)) {
    const XlaOp result = CompareLexicographically(call.builder(), call.operand(0), call.operand(1), direction);
    return call.Return(result, "compare_c2");
  }
  auto attributes = std::make_unique<CompareAttributes>();
  attributes->direction = direction;
  attributes->type = DefaultComparisonType(element);
  if (type == "TOTALORDER") {
    if (IsFloat(element)) attributes->type = ComparisonType::kTotalOrder;
  } else if (type != "NOTYPE" && type != "FLOAT" && type != "SIGNED" && type != "UNSIGNED") {
    return Broken("compare_c3", absl::StrCat("compare_type must be FLOAT, TOTALORDER, SIGNED or UNSIGNED, got ", type));
  }
  return call.Return(call.builder().AddOp(HloOpcode::kCompare, call.operands(), std::move(attributes)), "compare_c2");
}

absl::Status LowerSelect(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kAnyClass));
  RETURN_IF_ERROR(CheckSameElementType(call, 1, 2, "select_c2"));
  RETURN_IF_ERROR(CheckSameSizes(call, 1, 2, "select_c2"));
  RETURN_IF_ERROR(CheckSameQuantization(call, "select_c2", "select_c2", "select_c2", 1));
  if (!call.shape(0).IsScalar()) RETURN_IF_ERROR(CheckSameSizes(call, 0, 1, "select_c1"));
  return call.Return(call.builder().Select(call.operand(0), call.operand(1), call.operand(2)), "select_c2");
}

// HLO orders no complex numbers: minimum(maximum(operand, min), max) by real and imaginary part.
absl::Status LowerComplexClamp(OperationCall& call) {
  ComputationBuilder& b = call.builder();
  const absl::Span<const int64_t> sizes = call.shape(1).dimensions();
  const auto whole = [&](int i) {
    return call.shape(i).IsScalar() ? b.Broadcast(call.operand(i), sizes) : call.operand(i);
  };
  const XlaOp low = whole(0), high = whole(2);
  const XlaOp raised =
      b.Select(CompareLexicographically(b, call.operand(1), low, ComparisonDirection::kGe), call.operand(1), low);
  const XlaOp limited = b.Select(CompareLexicographically(b, raised, high, ComparisonDirection::kLe), raised, high);
  return call.Return(limited, "clamp_c4");
}

absl::Status LowerClamp(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 1, 0, "clamp_c3"));
  RETURN_IF_ERROR(CheckSameElementType(call, 1, 2, "clamp_c3"));
  if (!call.shape(0).IsScalar()) RETURN_IF_ERROR(CheckSameSizes(call, 1, 0, "clamp_c1"));
  if (!call.shape(2).IsScalar()) RETURN_IF_ERROR(CheckSameSizes(call, 1, 2, "clamp_c2"));
  RETURN_IF_ERROR(CheckSameQuantization(call, "clamp_c3", "clamp_c3", "clamp_c3"));
  if (IsComplex(call.shape(1).element_type())) return LowerComplexClamp(call);
  return call.Return(call.builder().Clamp(call.operand(0), call.operand(1), call.operand(2)), "clamp_c4");
}

// From complex numbers to real ones, the imaginary part is dropped.
absl::Status LowerConvert(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  const PrimitiveType type = call.result_shape().element_type();
  if (!IsArrayType(type)) return Broken("convert_c1", "the result must be a tensor");
  XlaOp operand = call.operand(0);
  if (IsComplex(call.shape(0).element_type()) && !IsComplex(type)) {
    operand = call.builder().Real(operand);
  }
  return call.Return(call.builder().ConvertElementType(operand, type), "convert_c1");
}

// The wider type has one dimension less: the last one of the other, whose elements make up one of its own.
absl::Status CheckBitcastSizes(const OperationCall& call) {
  const Shape& from = call.shape(0);
  const Shape& to = call.result_shape();
  const int from_bits = BitWidth(from.element_type()), to_bits = BitWidth(to.element_type());
  const Shape& narrow = from_bits < to_bits ? from : to;
  const Shape& wide = from_bits < to_bits ? to : from;
  const int parts = from_bits == to_bits ? 0 : 1;
  bool agree = narrow.rank() == wide.rank() + parts;
  const auto are_equal = [](int64_t a, int64_t b) {
    return a == b || a == Shape::kUnboundedSize || b == Shape::kUnboundedSize;
  };
  for (int i = 0; agree && i < wide.rank(); ++i) agree = are_equal(narrow.dimension(i), wide.dimension(i));
  if (agree && parts == 1) {
    agree = are_equal(narrow.dimension(narrow.rank() - 1), std::max(from_bits, to_bits) / std::min(from_bits, to_bits));
  }
  if (agree) return absl::OkStatus();
  return Broken(
      "bitcast_convert_c1",
      absl::StrCat("the operand and the result must have the same dimensions, and the narrower type one more ",
                   "for the parts of an element of the wider type, got ", from.ToString(), " and ", to.ToString()));
}

absl::Status LowerBitcastConvert(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  const PrimitiveType from = call.shape(0).element_type();
  const PrimitiveType to = call.result_shape().element_type();
  if (!IsArrayType(to) || IsComplex(from) != IsComplex(to)) {
    return Broken("bitcast_convert_c2",
                  absl::StrCat("cannot convert between real and complex numbers, got ", call.shape(0).ToString(),
                               " and ", call.result_shape().ToString()));
  }
  RETURN_IF_ERROR(CheckBitcastSizes(call));
  return call.Return(call.builder().BitcastConvertType(call.operand(0), to), "bitcast_convert_c1");
}

absl::Status LowerReducePrecision(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const int64_t exponent_bits, call.attributes().Int32("exponent_bits"));
  ASSIGN_OR_RETURN(const int64_t mantissa_bits, call.attributes().Int32("mantissa_bits"));
  if (exponent_bits < 1) {
    return Broken("reduce_precision_c2", absl::StrCat("exponent_bits must be at least 1, got ", exponent_bits));
  }
  if (mantissa_bits < 0) {
    return Broken("reduce_precision_c3", absl::StrCat("mantissa_bits must be at least 0, got ", mantissa_bits));
  }
  return call.Return(call.builder().ReducePrecision(call.operand(0), exponent_bits, mantissa_bits),
                     "reduce_precision_c1");
}

}  // namespace

std::vector<OperationRow> ConversionOperations() {
  return {
      Row("stablehlo.compare", 2, LowerCompare),
      Row("stablehlo.select", 3, LowerSelect),
      Row("stablehlo.clamp", 3, LowerClamp),
      Row("stablehlo.convert", 1, LowerConvert),
      Row("stablehlo.bitcast_convert", 1, LowerBitcastConvert).OnStorage(),
      Row("stablehlo.reduce_precision", 1, LowerReducePrecision).WithClasses(kFloatClass),
  };
}

}  // namespace stablehlo
}  // namespace xla
