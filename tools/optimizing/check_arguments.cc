#include "tools/optimizing/check_arguments.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/shared/weight_parameters.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kOtherWeights[] = "'role', or of a program whose weights its format knows 'constant' or 'parameter'";

struct InputsFile {
  InputSpecs specs;
  std::vector<int64_t> weights;  // by role
};

absl::StatusOr<InputsFile> ReadInputsFile(const std::string& path, const std::vector<Shape>& parameters,
                                          const ResourceContext& resources) {
  ASSIGN_OR_RETURN(const FileContents contents, ReadFile(path));
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(contents.data(), path, &resources));
  InputsFile file;
  ASSIGN_OR_RETURN(file.specs, ParseInputSpecs(json, path));
  file.weights = WeightsByRole(json, parameters);
  return file;
}

// Passes ask the header for how many devices the program is.
absl::Status CheckDevices(const InputSpecs& specs, const HloModuleConfig& config, const std::string& path) {
  const bool fits = (specs.replica_count == 0 || specs.replica_count == config.replica_count) &&
                    (specs.partition_count == 0 || specs.partition_count == config.num_partitions);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": has inputs for replica_count ", specs.replica_count,
                                                 " and num_partitions ", specs.partition_count,
                                                 ", but the module's header says ", config.replica_count, " and ",
                                                 config.num_partitions, "; change the header or the file"));
}

absl::Status CheckProgramArguments(const DeviceArguments& arguments, const std::vector<Shape>& parameters,
                                   int64_t device_count, const std::string& file) {
  if (static_cast<int64_t>(arguments.size()) != device_count) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": has arguments for ", arguments.size(),
                                                   " devices, but the program runs on ", device_count));
  }
  for (const std::vector<Literal>& device : arguments) {
    bool fits = device.size() == parameters.size();
    for (size_t i = 0; fits && i < parameters.size(); ++i) fits = device[i].shape().Compatible(parameters[i]);
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": its arguments do not fit its parameters; give others with --input or --inputs-json"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckArgumentFlags(const PassFlags& flags) {
  const bool has_inputs = !flags.inputs.empty() || !flags.inputs_json.empty();
  if ((has_inputs || !flags.same_weights.empty()) && !flags.check_each_pass) {
    return absl::InvalidArgumentError(
        absl::StrCat(has_inputs ? "--input and --inputs-json" : "--weights with numbers or 'role'",
                     " say what --check-each-pass runs the program with: give it too"));
  }
  if (!flags.inputs.empty() && !flags.inputs_json.empty()) {
    return absl::InvalidArgumentError("--input and --inputs-json cannot be given together");
  }
  if (flags.same_weights == kWeightsByRole && flags.inputs_json.empty()) {
    return absl::InvalidArgumentError("--weights role asks for roles that a file of --inputs-json gives: name one");
  }
  return absl::OkStatus();
}

absl::StatusOr<CheckArguments> ReadCheckArguments(const HloModule& module, const PassFlags& flags,
                                                  const ProgramData& program, const ResourceContext& resources) {
  const std::vector<Shape> parameters = ParameterShapes(module);
  const HloModuleConfig& config = module.config();
  const int64_t device_count = config.replica_count * config.num_partitions;
  std::vector<Shape> given_parameters = parameters;
  if (program.given_count >= 0) given_parameters.resize(static_cast<size_t>(program.given_count));
  InputResources input_resources;
  input_resources.context = &resources;
  CheckArguments result;
  bool has_given = program.given_count == 0;
  if (!flags.inputs_json.empty()) {
    ASSIGN_OR_RETURN(const InputsFile file, ReadInputsFile(flags.inputs_json, parameters, resources));
    RETURN_IF_ERROR(CheckDevices(file.specs, config, flags.inputs_json));
    ASSIGN_OR_RETURN(result.given, ArgumentsFromSpecs(given_parameters, device_count, file.specs, flags.inputs_json,
                                                      input_resources));
    if (flags.same_weights == kWeightsByRole) result.weights = file.weights;
    has_given = true;
  } else if (!flags.inputs.empty() && program.given_count != 0) {
    ASSIGN_OR_RETURN(result.given, ArgumentsFromFiles(given_parameters, device_count, flags.inputs, input_resources,
                                                      program.input_names));
    has_given = true;
  }
  // A runner completes what it is given; a snapshot has arguments for those who give none.
  const bool completes = program.given_count >= 0 ? has_given : !has_given;
  if (program.complete != nullptr && completes) {
    ASSIGN_OR_RETURN(result.given, program.complete(std::move(result.given)));
    if (result.given.size() == 1) result.given.resize(device_count, result.given[0]);
    RETURN_IF_ERROR(CheckProgramArguments(result.given, parameters, device_count, program.file));
  }
  if (!flags.same_weights.empty() && flags.same_weights != kWeightsByRole) {
    ASSIGN_OR_RETURN(result.weights,
                     ParseWeightNumbers(flags.same_weights, static_cast<int64_t>(parameters.size()), kOtherWeights));
  }
  if (result.given.empty() && !result.weights.empty()) {
    return absl::InvalidArgumentError(
        "--weights: without --input or --inputs-json there are no values that all sets of arguments could share");
  }
  if (result.given.empty() && flags.check_sets == 0) {
    return absl::InvalidArgumentError(
        "--check-sets 0 leaves no arguments to check with: give some with --input or --inputs-json");
  }
  return result;
}

}  // namespace xla
