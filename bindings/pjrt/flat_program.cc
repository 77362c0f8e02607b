#include "bindings/pjrt/flat_program.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// Element i of parameter 0 is parameter i now.
template <typename Reference>
void Renumber(std::vector<Reference>& references) {
  for (Reference& reference : references) {
    if (reference.parameter_index.empty()) continue;
    reference.parameter_number = reference.parameter_index[0];
    reference.parameter_index.erase(reference.parameter_index.begin());
  }
}

}  // namespace

absl::Status FlattenParameters(HloModule& module) {
  HloComputation& entry = *module.entry();
  if (entry.parameter_count() != 1 || !entry.parameters()[0]->shape().IsTuple()) return absl::OkStatus();
  HloInstruction* const tuple = entry.parameters()[0];
  const Shape shape = tuple->shape();
  InstructionBuilder builder(&entry, tuple);
  std::vector<HloInstruction*> parameters;
  for (int i = 0; i < shape.tuple_size(); ++i) parameters.push_back(builder.Parameter(i, shape.tuple_shape(i)));
  tuple->ReplaceAllUsesWith(builder.MakeOfShape(HloOpcode::kTuple, shape, parameters));
  RETURN_IF_ERROR(builder.status());
  tuple->DropControlEdges();
  entry.RemoveInstruction(tuple);
  entry.Tidy();
  HloModuleConfig& config = module.mutable_config();
  Renumber(config.input_output_alias);
  Renumber(config.buffer_donors);
  if (config.entry_computation_layout.has_value()) {
    const Shape wanted = config.entry_computation_layout->parameters[0];
    config.entry_computation_layout->parameters.assign(wanted.tuple_shapes().begin(), wanted.tuple_shapes().end());
  }
  return absl::OkStatus();
}

absl::Status CheckIsFlat(const HloModule& module) {
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    if (!parameter->shape().IsTuple()) continue;
    return absl::UnimplementedError(absl::StrCat(parameter->name(), ": a parameter of shape ",
                                                 parameter->shape().ToString(),
                                                 " cannot be given as a buffer; give each array a parameter, or set "
                                                 "parameter_is_tupled_arguments for one tuple"));
  }
  const HloInstruction& root = *module.entry()->root();
  for (const Shape& element : root.shape().tuple_shapes()) {
    if (!element.IsTuple()) continue;
    return absl::UnimplementedError(
        absl::StrCat(root.name(), ": the result has shape ", root.shape().ToString(),
                     "; a tuple within a tuple cannot be a buffer, return one tuple of arrays"));
  }
  return absl::OkStatus();
}

}  // namespace pjrt
}  // namespace xla
