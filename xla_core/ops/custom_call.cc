// Calls a function that is known by name only.
//   operands and result of any shape, as written; custom_call_target names the function, backend_config parametrises
//   it.
// The functions are in custom_call_registry.h; layouts are annotations, values are always row-major.
// Errors: InvalidArgument if operand_layout_constraints does not have one shape per operand, compatible with it, or if
// output_to_operand_aliasing pairs shapes that differ or do not exist, or if a target of builtin_custom_calls.h refuses
// operands, results or attributes. At run time NotFound, with the nearest known name, if nothing registered the target,
// and whatever the target finds wrong.
// Source: StableHLO spec, section `custom_call`.
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/builtin_custom_calls.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// One shape for each operand, compatible with it; only the layouts may say something of their own.
void VerifyLayoutConstraints(const HloInstruction& instruction, Violations& violations) {
  const auto& constraints = instruction.attributes<CustomCallAttributes>().operand_layout_constraints;
  if (!constraints.has_value()) return;
  if (static_cast<int>(constraints->size()) != instruction.operand_count()) {
    return violations.Add(absl::StrCat("operand_layout_constraints must have one shape for each of the ",
                                       instruction.operand_count(), " operands, got ", constraints->size()));
  }
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    const Shape& constraint = (*constraints)[i];
    if (constraint.Compatible(operand)) continue;
    violations.Add(absl::StrCat("operand_layout_constraints must have the shapes of the operands: operand ", i, " is ",
                                operand.ToString(), ", got ", constraint.ToString()));
  }
}

// A buffer and the array in it are the same memory: Pin and Unpin alias one with the other.
const Shape& ShapeInMemory(const Shape& shape) { return shape.IsBuffer() ? shape.buffer_shape() : shape; }

// Each pair must exist and have the same shape in memory, or one could not take the place of the other. A pair of large
// tuples may be listed often.
void VerifyAliasing(const HloInstruction& instruction, Violations& violations) {
  absl::flat_hash_set<std::pair<const Shape*, const Shape*>> known;
  for (const OutputOperandAlias& alias : instruction.attributes<CustomCallAttributes>().output_to_operand_aliasing) {
    const Shape* const output = SubshapeAt(instruction.shape(), alias.output_index);
    const Shape* const operand =
        alias.operand >= 0 && alias.operand < instruction.operand_count()
            ? SubshapeAt(instruction.operand(static_cast<int>(alias.operand))->shape(), alias.operand_index)
            : nullptr;
    if (output != nullptr && operand != nullptr && !known.emplace(output, operand).second) continue;
    const std::string text = absl::StrCat("output_to_operand_aliasing ", ShapeIndexToString(alias.output_index), ": (",
                                          alias.operand, ", ", ShapeIndexToString(alias.operand_index), ")");
    if (output == nullptr || operand == nullptr) {
      violations.Add(absl::StrCat(text, " names an output or an operand that does not exist"));
    } else if (!ShapeInMemory(*output).Compatible(ShapeInMemory(*operand))) {
      violations.Add(absl::StrCat(text, " pairs different shapes: ", output->ToString(), " and ", operand->ToString()));
    }
  }
}

void VerifyCustomCall(const HloInstruction& instruction, Violations& violations) {
  VerifyLayoutConstraints(instruction, violations);
  VerifyAliasing(instruction, violations);
  violations.Add(CheckBuiltinCustomCall(instruction));
}

absl::Status WithNames(const HloInstruction& instruction, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(instruction.name(), ": ",
                                                  instruction.attributes<CustomCallAttributes>().custom_call_target,
                                                  ": ", status.message()));
}

// Errors of the target get the names of instruction and target; a result of another shape is an error too, so that
// nothing relies on foreign code.
absl::StatusOr<Literal> EvaluateCustomCall(const HloInstruction& instruction, OperandValues& operands,
                                           EvalContext& context) {
  const std::string& target = instruction.attributes<CustomCallAttributes>().custom_call_target;
  const auto function = CustomCallRegistry::Global().Find(target);
  if (!function.ok()) {
    return absl::Status(function.status().code(), absl::StrCat(instruction.name(), ": ", function.status().message()));
  }
  absl::StatusOr<Literal> result = (**function)({instruction, operands, context});
  if (!result.ok()) return WithNames(instruction, result.status());
  if (!result->shape().Compatible(instruction.shape())) {
    return WithNames(instruction,
                     absl::InvalidArgumentError(absl::StrCat("the target returned ", result->shape().ToString(),
                                                             ", the call says ", instruction.shape().ToString())));
  }
  return result;
}

}  // namespace

OpDefinition Define_kCustomCall() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CustomCallAttributes>;
  op.called_computations = {"called_computations*"};
  op.verify = &VerifyCustomCall;
  op.evaluate = &EvaluateCustomCall;
  return op;
}

}  // namespace xla
