#include "tools/nnef1/program.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/diagnostics.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<nnef1::Container>> OpenSource(const ProgramSource& source,
                                                             const ResourceContext* resources) {
  const int64_t max_bytes = nnef1::DefaultMaxContainerBytes();
  if (!source.is_standard_input()) return nnef1::OpenContainer(source.path(), max_bytes, resources);
  ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
  return nnef1::OpenContainerInMemory(contents, source.name(), max_bytes, resources);
}

std::vector<nnef1::Extents> ExtentsOf(const std::vector<Literal>& tensors) {
  std::vector<nnef1::Extents> extents;
  for (const Literal& tensor : tensors) {
    const auto& dimensions = tensor.shape().dimensions();
    extents.emplace_back(dimensions.begin(), dimensions.end());
  }
  return extents;
}

// Every cycle runs the same program.
absl::Status CheckSameExtents(const FedCycles& fed, const std::vector<std::string>& names) {
  for (const std::vector<Literal>& cycle : fed) {
    for (size_t i = 0; i < cycle.size(); ++i) {
      if (cycle[i].shape().Compatible(fed[0][i].shape())) continue;
      return nnef1::ClassifiedError(nnef1::ErrorClass::kFedData,
                                    absl::StrCat("input '", names[i], "' is ", fed[0][i].shape().ToString(),
                                                 " in one cycle and ", cycle[i].shape().ToString(), " in another"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<nnef1::Model> LoadNnef1Model(const ProgramSource& source, const Nnef1ReadFlags& flags,
                                            const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef1::LoadOptions options, flags.LoadOptions());
  options.resources = resources;
  options.expand.keep_custom_operations = true;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container, OpenSource(source, resources));
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file,
                   Nnef1ModelFile::Open(std::move(container), std::move(options)));
  return file->Load();
}

absl::StatusOr<std::unique_ptr<Nnef1Program>> Nnef1Program::Load(const ProgramSource& source, const Nnef1Flags& flags,
                                                                 const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef1::LoadOptions options, flags.read.LoadOptions());
  options.resources = resources;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container, OpenSource(source, resources));
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file,
                   Nnef1ModelFile::Open(std::move(container), std::move(options)));
  std::unique_ptr<Nnef1Program> program(new Nnef1Program);
  program->cycles_ = std::max<int64_t>(flags.inputs.cycles, 1);
  const bool is_fed = !flags.inputs.files.empty() || !flags.inputs.images.empty() || file->inputs().empty();
  absl::StatusOr<nnef1::Model> model = absl::UnknownError("");
  if (is_fed) {
    ASSIGN_OR_RETURN(program->fed_, ReadFedCycles(*file, flags.inputs, resources));
    std::vector<std::string> names;
    for (const Nnef1ModelFile::Input& input : file->inputs()) names.push_back(input.name);
    RETURN_IF_ERROR(CheckSameExtents(program->fed_, names));
    program->cycles_ = static_cast<int64_t>(program->fed_.size());
    model = file->Load(ExtentsOf(program->fed_[0]));
  } else {
    model = file->Load();
  }
  RETURN_IF_ERROR(model.status());
  nnef1::LoweringOptions lowering;
  lowering.variables_are_parameters = flags.variables_are_parameters;
  lowering.simulate_quantization = flags.read.simulate_quantization;
  lowering.all_activations = flags.all_activations;
  lowering.resources = resources;
  program->output_count_ = model->graph.outputs.size();
  program->warnings_ = model->warnings;
  ASSIGN_OR_RETURN(program->lowered_, nnef1::LowerToHlo(*model, lowering));
  return program;
}

absl::Span<const std::string> Nnef1Program::output_names() const {
  return absl::MakeConstSpan(lowered_.output_names).first(output_count_);
}

std::vector<int64_t> Nnef1Program::weights() const {
  std::vector<int64_t> parameters;
  for (const nnef1::LoweredModel::Variable& variable : lowered_.variables) {
    if (!variable.result.has_value()) parameters.push_back(variable.parameter);
  }
  return parameters;
}

absl::StatusOr<std::vector<std::vector<Literal>>> Nnef1Program::RunCycles(const std::vector<Literal>& inputs,
                                                                          const RunModule& run) const {
  std::vector<Literal> variables;
  for (const nnef1::LoweredModel::Variable& variable : lowered_.variables) {
    if (variable.initial == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("variable '", variable.label, "' has no data: a description alone cannot be run"));
    }
    variables.push_back(*variable.initial);
  }
  std::vector<std::vector<Literal>> results;
  for (int64_t cycle = 0; cycle < cycles_; ++cycle) {
    std::vector<Literal> arguments = needs_inputs() ? inputs : fed_[cycle];
    arguments.resize(arguments.size() + variables.size());
    for (size_t i = 0; i < variables.size(); ++i) arguments[lowered_.variables[i].parameter] = variables[i];
    ASSIGN_OR_RETURN(Literal result, run(arguments));
    std::vector<Literal> elements = result.TakeElements();
    for (const nnef1::LoweredModel::Check& check : lowered_.checks) {
      if (elements[check.result].data<bool>()[0]) continue;
      return nnef1::ClassifiedError(nnef1::ErrorClass::kFedData, check.message);
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      const absl::optional<int64_t>& place = lowered_.variables[i].result;
      if (place.has_value()) variables[i] = elements[*place];
    }
    elements.resize(all_names().size());
    results.push_back(std::move(elements));
  }
  return results;
}

}  // namespace xla
