#include "builders/stablehlo/lowering/quantized_values.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status CheckQuantization(const Module& module, const Type& tensor, const Quantization& quantization,
                               PrimitiveType expressed) {
  if (!IsFloat(expressed)) return absl::InvalidArgumentError("a quantized type must stand for floats");
  const uint32_t width = module.type(quantization.storage).width;
  if (width < 1 || width > 32) return absl::InvalidArgumentError("a quantized type must be stored in at most 32 bits");
  const int64_t lowest = quantization.is_signed ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t highest = lowest + (int64_t{1} << width) - 1;
  if (quantization.storage_min < lowest || quantization.storage_min >= quantization.storage_max ||
      quantization.storage_max > highest) {
    return Broken("quantized_type_c3",
                  absl::StrCat("storage_min must be less than storage_max, and both at least ", lowest, " and at most ",
                               highest, ", got ", quantization.storage_min, " and ", quantization.storage_max));
  }
  for (const double scale : quantization.scales) {
    if (!(scale > 0)) return Broken("quantized_type_c5", absl::StrCat("scales must be positive, got ", scale));
    if (!std::isfinite(scale)) return Broken("quantized_type_c6", "scales must be finite");
  }
  for (const int64_t zero : quantization.zero_points) {
    if (zero >= quantization.storage_min && zero <= quantization.storage_max) continue;
    return Broken("quantized_type_c7", absl::StrCat("zero points must be at least ", quantization.storage_min,
                                                    " and at most ", quantization.storage_max, ", got ", zero));
  }
  if (quantization.scales.size() != quantization.zero_points.size()) {
    return Broken("quantized_type_c9", "there must be as many scales as zero points");
  }
  if (quantization.axis < 0) {
    if (quantization.scales.size() != 1) return Broken("quantized_type_c10", "expected one scale");
    return absl::OkStatus();
  }
  if (quantization.axis >= static_cast<int64_t>(tensor.dimensions.size())) {
    return Broken("quantized_type_c12", absl::StrCat("the quantized dimension must be less than the rank ",
                                                     tensor.dimensions.size(), ", got ", quantization.axis));
  }
  const int64_t size = tensor.dimensions[quantization.axis];
  if (size == kDynamic || size == static_cast<int64_t>(quantization.scales.size())) return absl::OkStatus();
  return Broken("quantized_type_c13", absl::StrCat("expected a scale for each of the ", size, " indices of dimension ",
                                                   quantization.axis, ", got ", quantization.scales.size()));
}

// One number for each index of the axis, or one for all, in all elements of an array like `like`.
template <typename T>
XlaOp Parameters(ComputationBuilder& builder, const Quantization& quantization, absl::Span<const T> values,
                 PrimitiveType type, XlaOp like) {
  const Shape shape = builder.ShapeOrInvalid(like);
  std::vector<double> numbers(values.begin(), values.end());
  const bool is_per_axis = quantization.axis >= 0;
  absl::StatusOr<Literal> wide = LiteralUtil::FromValues<double>(
      is_per_axis ? DimensionVector{static_cast<int64_t>(numbers.size())} : DimensionVector(), numbers);
  XlaOp parameters = builder.ConstantLiteral(wide.ok() ? LiteralUtil::Convert(*wide, type) : wide);
  auto attributes = std::make_unique<BroadcastAttributes>();
  if (is_per_axis) attributes->dimensions = {quantization.axis};
  return builder.AddOp(HloOpcode::kBroadcast, {parameters}, std::move(attributes), {},
                       Shape::Array(type, shape.dimensions()));
}

// Narrow floats have too few digits for integers and their quotients.
PrimitiveType WorkingType(PrimitiveType expressed) { return IsNarrowFloatType(expressed) ? F32 : expressed; }

XlaOp InType(ComputationBuilder& builder, XlaOp value, PrimitiveType type) {
  return builder.ShapeOrInvalid(value).element_type() == type ? value : builder.ConvertElementType(value, type);
}

}  // namespace

absl::StatusOr<PrimitiveType> ExpressedType(const Module& module, TypeId id) {
  const Type& tensor = module.type(id);
  const Type& element = module.type(tensor.element);
  const PrimitiveType expressed = HloElementType(module, element.element);
  RETURN_IF_ERROR(CheckQuantization(module, tensor, *element.quantization, expressed));
  return expressed;
}

absl::StatusOr<XlaOp> Dequantize(const Module& module, ComputationBuilder& builder, XlaOp stored, TypeId id) {
  ASSIGN_OR_RETURN(const PrimitiveType expressed, ExpressedType(module, id));
  const Quantization& quantization = *QuantizationOf(module, id);
  const PrimitiveType type = WorkingType(expressed);
  const XlaOp numbers = builder.ConvertElementType(stored, type);
  const XlaOp zero = Parameters(builder, quantization, quantization.zero_points, type, numbers);
  const XlaOp scale = Parameters(builder, quantization, quantization.scales, type, numbers);
  return InType(builder, builder.Mul(builder.Sub(numbers, zero), scale), expressed);
}

absl::StatusOr<XlaOp> Quantize(const Module& module, ComputationBuilder& builder, XlaOp numbers, TypeId id) {
  ASSIGN_OR_RETURN(const PrimitiveType expressed, ExpressedType(module, id));
  const Quantization& quantization = *QuantizationOf(module, id);
  const PrimitiveType type = WorkingType(expressed);
  const XlaOp wide = InType(builder, numbers, type);
  const XlaOp scale = Parameters(builder, quantization, quantization.scales, type, wide);
  const XlaOp zero = Parameters(builder, quantization, quantization.zero_points, type, wide);
  const XlaOp rounded = builder.Add(builder.RoundNearestEven(builder.Div(wide, scale)), zero);
  const auto bound = [&](int64_t value) {
    return builder.ConstantLiteral(LiteralUtil::Number(type, static_cast<double>(value)));
  };
  const XlaOp limited = builder.Clamp(bound(quantization.storage_min), rounded, bound(quantization.storage_max));
  return builder.ConvertElementType(limited, StorageType(module, quantization));
}

}  // namespace stablehlo
}  // namespace xla
