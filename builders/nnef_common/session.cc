#include "builders/nnef_common/session.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef_common/diagnostics.h"
#include "builders/nnef_common/fed_inputs.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

// All variables are buffers on the device from the beginning; those that are updated are exchanged for results of the
// program.
class ModelSession : public Session {
 public:
  ModelSession(Client* client, LoweredModel model, std::unique_ptr<Executable> executable)
      : client_(*client), model_(std::move(model)), executable_(std::move(executable)) {
    // A check that fails must leave the variables as they were.
    if (model_.checks.empty()) return;
    for (const LoweredModel::Variable& variable : model_.variables) {
      if (variable.result.has_value()) options_.non_donatable_parameters.push_back(variable.parameter);
    }
  }

  absl::Status PlaceVariables();
  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> inputs, const ResourceContext* resources) override;
  const LoweredModel& model() const override { return model_; }
  absl::StatusOr<Literal> VariableValue(absl::string_view label) const override;

 private:
  absl::Status CheckVariables() const;
  absl::Status CheckConditions(const BufferList& results) const;

  Client& client_;
  const LoweredModel model_;
  const std::unique_ptr<Executable> executable_;
  ExecuteOptions options_;
  BufferList variables_;  // in the order of model_.variables
};

absl::Status ModelSession::PlaceVariables() {
  for (const LoweredModel::Variable& variable : model_.variables) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client_.BufferFromLiteral(*variable.initial));
    variables_.push_back(std::move(buffer));
  }
  return absl::OkStatus();
}

absl::Status ModelSession::CheckVariables() const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i]->is_live()) continue;
    return absl::FailedPreconditionError(absl::StrCat("variable '", model_.variables[i].label,
                                                      "' was lost when an earlier cycle failed; begin a new session"));
  }
  return absl::OkStatus();
}

absl::Status ModelSession::CheckConditions(const BufferList& results) const {
  for (const LoweredModel::Check& check : model_.checks) {
    ASSIGN_OR_RETURN(const Literal holds, results[check.result]->ToLiteral());
    if (!*holds.data<bool>()) return ClassifiedError(check.error_class, check.message);
  }
  return absl::OkStatus();
}

// One run: inputs become buffers, variables keep theirs. After the run, conditions that the graph states are checked
// before anything is changed, then variables take their new values.
absl::StatusOr<std::vector<Literal>> ModelSession::Run(absl::Span<const Literal> inputs,
                                                       const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::vector<Literal> fitted,
                   FitInputs(model_, executable_->program_shape().parameters, inputs));
  RETURN_IF_ERROR(CheckVariables());
  BufferList fed;
  std::vector<Buffer*> arguments;
  for (const Literal& input : fitted) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client_.BufferFromLiteral(input));
    arguments.push_back(buffer.get());
    fed.push_back(std::move(buffer));
  }
  for (const std::unique_ptr<Buffer>& variable : variables_) arguments.push_back(variable.get());
  const absl::Span<Buffer* const> of_device = arguments;
  ExecuteOptions options = options_;
  options.resources = resources;
  ASSIGN_OR_RETURN(Execution execution, executable_->Launch({&of_device, 1}, options));
  RETURN_IF_ERROR(execution.done.Await());
  BufferList& results = execution.results[0];
  RETURN_IF_ERROR(CheckConditions(results));
  std::vector<Literal> outputs;
  for (size_t i = 0; i < model_.output_names.size(); ++i) {
    ASSIGN_OR_RETURN(Literal output, results[i]->ToLiteral());
    outputs.push_back(std::move(output));
  }
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (model_.variables[i].result.has_value()) variables_[i] = std::move(results[*model_.variables[i].result]);
  }
  return outputs;
}

absl::StatusOr<Literal> ModelSession::VariableValue(absl::string_view label) const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    const std::string& own = model_.variables[i].label;
    const bool is_it = model_.format->ignores_case_of_labels ? absl::EqualsIgnoreCase(own, label) : own == label;
    if (is_it) return variables_[i]->ToLiteral();
  }
  return absl::NotFoundError(absl::StrCat("no variable of the label '", label, "' is a parameter of the program"));
}

}  // namespace

// Compiles a model and places its variables. Variables that no run changes are weights, so that the backend may keep
// what it computes from them.
absl::StatusOr<std::unique_ptr<Session>> Session::Create(Client* client, LoweredModel model,
                                                         const CompileOptions& options) {
  CompileOptions with_weights = options;
  for (const LoweredModel::Variable& variable : model.variables) {
    if (variable.initial == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("variable '", variable.label,
                                                     "' has no data: a description alone cannot be run; open the "
                                                     "folder or archive"));
    }
    if (!variable.result.has_value()) with_weights.weights.push_back(variable.parameter);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client->Compile(std::move(model.module), with_weights));
  auto session = std::make_unique<ModelSession>(client, std::move(model), std::move(executable));
  RETURN_IF_ERROR(session->PlaceVariables());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace nnef
}  // namespace xla
