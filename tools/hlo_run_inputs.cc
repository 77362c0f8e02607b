// hlo-run: how many devices a program runs on, and what they are given.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/partition_module.h"
#include "tools/hlo_run.h"
#include "tools/shared/weight_parameters.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/settle_dimensions.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Of --weights: those that the file of inputs calls weights.
constexpr char kByRole[] = "role";

// The values of --weights that are not numbers.
std::string WeightWords(const FrontendSet& frontends) {
  std::string words = absl::StrCat("'", kByRole, "'");
  for (const Frontend* frontend : frontends.with_weights()) {
    absl::StrAppend(&words, ", or of ", frontend->description().program, " '", kConstantWeights, "' or '",
                    kParameterWeights, "'");
  }
  return words;
}

}  // namespace

absl::Status HloRun::LoadInputsJson() {
  const HloModuleConfig& config = module_->config();
  replica_count_ = config.replica_count;
  partition_count_ = config.num_partitions;
  if (!flags_.inputs_json.empty()) {
    ASSIGN_OR_RETURN(const FileContents contents, ReadFile(flags_.inputs_json));
    ASSIGN_OR_RETURN(const JsonValue json, ParseJson(contents.data(), flags_.inputs_json, &limits_.resources()));
    ASSIGN_OR_RETURN(specs_, ParseInputSpecs(json, flags_.inputs_json));
    ASSIGN_OR_RETURN(case_tolerance_, ParseCaseTolerance(json, flags_.inputs_json));
    if (specs_->replica_count > 0) replica_count_ = specs_->replica_count;
    if (specs_->partition_count > 0) partition_count_ = specs_->partition_count;
    if (flags_.weights == kByRole) weights_ = WeightsByRole(json, ParameterShapes(*module_));
  }
  if (flags_.replicas > 0) replica_count_ = flags_.replicas;
  if (flags_.partitions > 0) partition_count_ = flags_.partitions;
  if (flags_.spmd && flags_.partitions == 0 && partition_count_ == 1) {
    ASSIGN_OR_RETURN(partition_count_, DevicesOfProgram(*module_));
  }
  RETURN_IF_ERROR(CheckDeviceCount(replica_count_, partition_count_));
  if (flags_.spmd) RETURN_IF_ERROR(CheckSpmd());
  if (device_count() % place_.count == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the program runs on ", device_count(), " devices (", replica_count_,
                                                 " replicas x ", partition_count_,
                                                 " partitions), which cannot be divided evenly among ", place_.count,
                                                 " processes; set --replicas and --partitions"));
}

absl::Status HloRun::CheckSpmd() const {
  if (replica_count_ > 1) {
    return absl::InvalidArgumentError(absl::StrCat("--spmd cuts a program for its partitions; this one has ",
                                                   replica_count_,
                                                   " replicas: make them an axis of the mesh, with more --partitions"));
  }
  if (partition_count_ == 1 && flags_.partitions == 0) {
    return absl::InvalidArgumentError(
        "--spmd: the program does not say for how many devices it is: its num_partitions is 1, and it has no mesh; add "
        "--partitions N");
  }
  const HloInstruction* const body = compares_with_interpreter() ? FirstManualBody(*module_) : nullptr;
  if (body == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--compare-with interpreter runs the program on whole arrays, on one device; ", body->name(),
      " begins a body that is written for several (shard_map): compare with a file that --spmd --backend interpreter "
      "--output writes"));
}

absl::Status HloRun::FindWeights() {
  if (flags_.weights.empty() || flags_.weights == kConstantWeights) return absl::OkStatus();
  if (flags_.weights == kParameterWeights) {
    weights_ = loaded_.weights;
    return absl::OkStatus();
  }
  if (flags_.weights != kByRole) {
    const auto parameter_count = static_cast<int64_t>(ParameterShapes(*module_).size());
    ASSIGN_OR_RETURN(weights_, ParseWeightNumbers(flags_.weights, parameter_count, WeightWords(frontends_)));
    return absl::OkStatus();
  }
  if (!flags_.inputs_json.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--weights role asks for roles that a file of --inputs-json gives: name one");
}

absl::Status HloRun::CheckSnapshotArguments(const std::vector<Shape>& parameters) const {
  for (const std::vector<Literal>& device : program().arguments) {
    if (device.size() != parameters.size()) {
      return absl::InvalidArgumentError(absl::StrCat(flags_.file, ": the snapshot has ", device.size(),
                                                     " arguments, its program takes ", parameters.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (device[i].shape().Compatible(parameters[i])) continue;
      return absl::InvalidArgumentError(absl::StrCat(flags_.file, ": argument ", i, " of the snapshot is ",
                                                     device[i].shape().ToString(), ", its program takes ",
                                                     parameters[i].ToString()));
    }
  }
  if (program().arguments.size() == 1 || static_cast<int64_t>(program().arguments.size()) == input_device_count())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(flags_.file, ": the snapshot has arguments for ",
                                                 program().arguments.size(), " devices, but the program ",
                                                 flags_.spmd ? "takes whole arrays, and runs on " : "runs on ",
                                                 device_count(), "; set --replicas and --partitions"));
}

// Gives dimensions that the program leaves open the sizes that the inputs have.
absl::Status HloRun::Settle() {
  std::vector<Shape> arrays;
  if (specs_.has_value()) {
    arrays = ShapesOfSpecs(*specs_);
  } else if (!flags_.inputs.empty()) {
    ASSIGN_OR_RETURN(arrays, ShapesInFiles(flags_.inputs, program().input_names));
  } else if (uses_snapshot_arguments()) {
    std::vector<Shape> arguments;
    for (const Literal& argument : program().arguments[0]) arguments.push_back(argument.shape());
    arrays = LeafShapes(arguments);
  }
  RETURN_IF_ERROR(SettleDimensions(*module_, SettledShapes(ParameterShapes(*module_), arrays)));
  VerifierOptions options;
  options.resources = &limits_.resources();
  return VerifyModule(*module_, options);
}

absl::Status HloRun::MakeArguments() {
  RETURN_IF_ERROR(MakeArgumentsOfDevices());
  if (!flags_.spmd) return absl::OkStatus();
  RETURN_IF_ERROR(Partition());
  return CutArguments();
}

// After dimensions have got their sizes. Every process comes to the same program.
absl::Status HloRun::Partition() {
  ASSIGN_OR_RETURN(const double ms, TimeOnce([this]() -> absl::Status {
                     RETURN_IF_ERROR(AnnotateFreeResults(*module_, partition_count_, &limits_.resources()));
                     ASSIGN_OR_RETURN(PartitionedModule partitioned,
                                      PartitionModule(*module_, partition_count_, &limits_.resources()));
                     partitioned_ = std::move(partitioned.module);
                     for (const std::string& warning : partitioned.warnings) Warn(absl::StrCat("warning: ", warning));
                     return absl::OkStatus();
                   }));
  measurements_.compile_ms += ms;
  return absl::OkStatus();
}

// Gives the devices of this process their shards.
absl::Status HloRun::CutArguments() {
  ASSIGN_OR_RETURN(shards_, EntryShards::Of(*module_, partition_count_));
  whole_arguments_ = std::move(arguments_[0]);
  arguments_.assign(device_count(), {});
  for (int64_t device = first_device(); device < first_device() + devices_per_process(); ++device) {
    RETURN_IF_ERROR(limits_.resources().Check());
    ASSIGN_OR_RETURN(arguments_[device], shards_->ArgumentsOf(device, whole_arguments_));
  }
  if (!compares_with_interpreter()) whole_arguments_.clear();
  return absl::OkStatus();
}

absl::Status HloRun::MakeArgumentsOfDevices() {
  const InputResources resources = {pool_.get(), &limits_.resources().memory(), &limits_.resources()};
  if (HasUnboundedDimensions(*module_)) RETURN_IF_ERROR(Settle());
  std::vector<Shape> parameters = ParameterShapes(*module_);
  if (runner() != nullptr) parameters.resize(runner()->input_count());
  if (runner() != nullptr && parameters.empty()) {
    arguments_.emplace_back();
  } else if (specs_.has_value()) {
    ASSIGN_OR_RETURN(arguments_,
                     ArgumentsFromSpecs(parameters, input_device_count(), *specs_, flags_.inputs_json, resources));
  } else if (!flags_.inputs.empty()) {
    ASSIGN_OR_RETURN(arguments_, ArgumentsFromFiles(parameters, input_device_count(), flags_.inputs, resources,
                                                    program().input_names));
  } else if (uses_snapshot_arguments()) {
    RETURN_IF_ERROR(CheckSnapshotArguments(parameters));
    arguments_ = program().arguments;
    arguments_.resize(input_device_count(), arguments_[0]);
  } else {
    ASSIGN_OR_RETURN(arguments_, RandomArguments(parameters, input_device_count(), flags_.seed, resources));
    if (!parameters.empty()) Warn(absl::StrCat("random inputs: --seed ", flags_.seed));
  }
  if (!flags_.infeed.empty()) {
    ASSIGN_OR_RETURN(infeed_, InfeedFromFile(*module_, device_count(), flags_.infeed, resources));
  }
  return absl::OkStatus();
}

}  // namespace xla
