#include "backends/autopsy/in_double.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

Shape ShapeInDouble(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(ShapeInDouble(element));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray() || DoubleOf(shape.element_type()) == shape.element_type()) return shape;
  Shape wide = Shape::Array(DoubleOf(shape.element_type()), shape.dimensions());
  for (int d = 0; d < shape.rank(); ++d) wide.set_dynamic_dimension(d, shape.is_dynamic_dimension(d));
  return wide;
}

bool HasNarrowFloats(const Shape& shape) { return !ShapeInDouble(shape).Equal(shape, Shape::kIgnoreLayout); }

// Whether the meaning of the instruction depends on how floats are stored.
bool NeedsStorage(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kRng:
    case HloOpcode::kRngBitGenerator:
    case HloOpcode::kCustomCall:
    case HloOpcode::kInfeed:
    case HloOpcode::kRecv:
    case HloOpcode::kStochasticConvert:
      break;
    case HloOpcode::kBitcast:
      // Another type of the same bits.
      return instruction.shape().element_type() != instruction.operand(0)->shape().element_type();
    default:
      return false;
  }
  bool has_floats = HasNarrowFloats(instruction.shape());
  for (const HloInstruction* operand : instruction.operands()) has_floats |= HasNarrowFloats(operand->shape());
  return has_floats;
}

absl::Status CheckInstruction(const HloInstruction& instruction) {
  if (!NeedsStorage(instruction)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(instruction.name(), ": ", instruction.opcode_name(),
                                               " has no meaning of its own with floats of f64"));
}

absl::Status ConvertInstruction(HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kConstant && HasNarrowFloats(instruction.shape())) {
    const std::shared_ptr<const Literal> old = instruction.attributes<ConstantAttributes>().literal;
    if (old == nullptr) {
      return absl::UnimplementedError(absl::StrCat(instruction.name(), ": the constant has no value"));
    }
    ASSIGN_OR_RETURN(Literal wide, ConvertedToDouble(*old));
    instruction.mutable_attributes<ConstantAttributes>().literal = std::make_shared<const Literal>(std::move(wide));
  }
  instruction.mutable_shape() = ShapeInDouble(instruction.shape());
  return absl::OkStatus();
}

}  // namespace

PrimitiveType DoubleOf(PrimitiveType type) {
  if (IsComplex(type)) return C128;
  return IsFloat(type) ? F64 : type;
}

absl::StatusOr<Literal> ConvertedToDouble(const Literal& value) {
  if (value.shape().IsTuple()) {
    std::vector<Literal> elements;
    for (int i = 0; i < value.tuple_size(); ++i) {
      ASSIGN_OR_RETURN(Literal element, ConvertedToDouble(value.element(i)));
      elements.push_back(std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  const bool is_wide = !value.shape().IsArray() || !HasNarrowFloats(value.shape());
  if (is_wide) return value;
  ASSIGN_OR_RETURN(Literal wide, LiteralUtil::Convert(value, DoubleOf(value.shape().element_type())));
  wide.ResetShape(ShapeInDouble(value.shape()));
  for (int d = 0; value.has_dynamic_sizes() && d < value.shape().rank(); ++d) {
    wide.SetDynamicSize(d, value.dynamic_size(d));
  }
  return wide;
}

absl::StatusOr<std::unique_ptr<HloModule>> InDouble(const HloModule& module, const ResourceContext* resources) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) RETURN_IF_ERROR(CheckInstruction(*instruction));
  }
  std::unique_ptr<HloModule> wide = CloneModule(module);
  for (const auto& computation : wide->computations()) {
    for (const auto& instruction : computation->instructions()) RETURN_IF_ERROR(ConvertInstruction(*instruction));
  }
  HloModuleConfig& config = wide->mutable_config();
  ProgramShape layout;
  for (const HloInstruction* parameter : wide->entry()->parameters()) layout.parameters.push_back(parameter->shape());
  layout.result = wide->entry()->root()->shape();
  config.entry_computation_layout = std::move(layout);
  VerifierOptions options;
  options.resources = resources;
  const absl::Status status = VerifyModule(*wide, options);
  if (status.ok()) return wide;
  RETURN_IF_ERROR(CheckResources(resources));
  return absl::UnimplementedError(absl::StrCat("the program has no form in f64: ", status.message()));
}

}  // namespace xla
