#include "builders/stablehlo/lowering/ops/broadcast_in_dim.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {

absl::Status CheckBroadcastInDim(const OperationCall& call, const Shape& result, absl::Span<const int64_t> dimensions) {
  const Shape& operand = call.shape(0);
  if (!result.IsArray()) return Broken(call.Constraint("c1"), "the result must be a tensor");
  RETURN_IF_ERROR(CheckSize("broadcast_dimensions", dimensions.size(), operand.rank(), call.Constraint("c2")));
  RETURN_IF_ERROR(
      CheckDimensions("broadcast_dimensions", dimensions, result.rank(), call.Constraint("c3"), call.Constraint("c4")));
  for (int i = 0; i < operand.rank(); ++i) {
    const int64_t size = result.dimension(static_cast<int>(dimensions[i]));
    if (operand.dimension(i) == 1 || operand.dimension(i) == size) continue;
    return Broken(call.Constraint("c5"),
                  absl::StrCat("dimension ", i, " of the operand must have the size 1 or that of dimension ",
                               dimensions[i], " of the result, ", size, ", got ", operand.dimension(i)));
  }
  return absl::OkStatus();
}

XlaOp BroadcastInto(ComputationBuilder& builder, XlaOp operand, const Shape& result,
                    absl::Span<const int64_t> dimensions) {
  const Shape shape = builder.ShapeOrInvalid(operand);
  // HLO stretches nothing: dimensions to be stretched go away first.
  DimensionVector kept_sizes;
  auto attributes = std::make_unique<BroadcastAttributes>();
  Shape target = Shape::Array(shape.element_type(), result.dimensions());
  for (int i = 0; i < shape.rank(); ++i) {
    const int to = static_cast<int>(dimensions[i]);
    if (shape.dimension(i) != target.dimension(to)) continue;
    kept_sizes.push_back(shape.dimension(i));
    attributes->dimensions.push_back(to);
    target.set_dynamic_dimension(to, shape.is_dynamic_dimension(i));
  }
  if (static_cast<int>(kept_sizes.size()) != shape.rank()) operand = builder.Reshape(operand, kept_sizes);
  // An operand with the result's dimensions in their order is the result.
  bool is_identity = static_cast<int>(kept_sizes.size()) == target.rank();
  for (size_t i = 0; i < attributes->dimensions.size(); ++i) {
    is_identity = is_identity && attributes->dimensions[i] == static_cast<int64_t>(i);
  }
  if (is_identity) return operand;
  return builder.AddOp(HloOpcode::kBroadcast, {operand}, std::move(attributes), {}, target);
}

}  // namespace stablehlo
}  // namespace xla
