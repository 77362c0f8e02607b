#include "xla_core/ops/callee_rules.h"

#include "absl/strings/str_cat.h"

namespace xla {

// One parameter for each argument, in order and of compatible shape. `role` names the computation in messages:
// "body".
absl::Status CheckCalleeParameters(absl::string_view role, const HloComputation& callee,
                                   absl::Span<const Shape> arguments) {
  const std::vector<HloInstruction*> parameters = callee.parameters();
  if (parameters.size() != arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat(role, " ", callee.name(), " has ", parameters.size(),
                                                   " parameters, expected ", arguments.size(),
                                                   ", one for each value it is given"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(role, " ", callee.name(), " has no parameter number ", i));
    }
    if (!parameters[i]->shape().Compatible(arguments[i])) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", i, " of ", role, " ", callee.name(), " has shape ",
                                                     parameters[i]->shape().ToString(), ", expected ",
                                                     arguments[i].ToString(), " as of the value it is given"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCalleeResult(absl::string_view role, const HloComputation& callee, const Shape& result) {
  if (callee.root()->shape().Compatible(result)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(role, " ", callee.name(), " returns ",
                                                 callee.root()->shape().ToString(), ", expected ", result.ToString()));
}

std::vector<Shape> OperandShapes(const HloInstruction& instruction) {
  std::vector<Shape> shapes;
  shapes.reserve(instruction.operand_count());
  for (const HloInstruction* operand : instruction.operands()) shapes.push_back(operand->shape());
  return shapes;
}

}  // namespace xla
