#include "builders/computation_builder/xla_computation.h"

#include "builders/computation_builder/computation_node.h"

namespace xla {

XlaComputation XlaComputation::FromError(absl::Status status) {
  XlaComputation failed;
  failed.error_ = std::move(status);
  return failed;
}

absl::Status XlaComputation::status() const {
  if (valid()) return absl::OkStatus();
  if (!error_.ok()) return error_;
  return absl::InvalidArgumentError("the XlaComputation is empty; give it the result of a Build() that succeeded");
}

const std::string& XlaComputation::name() const {
  static const auto& none = *new std::string;
  return valid() ? node_->computation->name() : none;
}

absl::StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (!valid()) return status();
  ProgramShape shape;
  for (const HloInstruction* parameter : node_->computation->parameters()) {
    shape.parameters.push_back(parameter->shape());
  }
  shape.result = node_->computation->root()->shape();
  return shape;
}

absl::StatusOr<std::unique_ptr<HloModule>> XlaComputation::ToModule() const {
  if (!valid()) return status();
  return node_->MakeModule(node_->config, /*resources=*/nullptr);
}

absl::StatusOr<std::unique_ptr<HloModule>> XlaComputation::ToModule(const ResourceContext* resources) const {
  if (!valid()) return status();
  return node_->MakeModule(node_->config, resources);
}

absl::StatusOr<std::unique_ptr<HloModule>> XlaComputation::ToModule(HloModuleConfig config) const {
  if (!valid()) return status();
  return node_->MakeModule(std::move(config), /*resources=*/nullptr);
}

}  // namespace xla
