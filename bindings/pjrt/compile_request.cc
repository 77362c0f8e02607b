#include "bindings/pjrt/compile_request.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bindings/pjrt/messages.pb.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// No more devices than anything here could have, so that products stay small.
constexpr int64_t kMostDevices = 1 << 20;

absl::StatusOr<std::vector<int64_t>> ReadAssignment(const ::halo::pjrt::DeviceAssignment& message, int64_t replicas,
                                                    int64_t partitions) {
  std::vector<int64_t> ids;
  if (message.computations_size() == 0) return ids;
  const auto mismatch = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("compile options: the device assignment has ", what,
                                                   ", the program runs ", replicas, " replicas x ", partitions,
                                                   " partitions"));
  };
  if (message.computations_size() != partitions)
    return mismatch(absl::StrCat(message.computations_size(), " partitions"));
  for (int64_t r = 0; r < replicas; ++r) {
    for (const auto& computation : message.computations()) {
      if (computation.replica_device_ids_size() != replicas) {
        return mismatch(absl::StrCat(computation.replica_device_ids_size(), " devices of a partition"));
      }
      ids.push_back(computation.replica_device_ids(static_cast<int>(r)));
    }
  }
  return ids;
}

absl::Status ReadCounts(const ::halo::pjrt::BuildOptions& message, CompileRequest* request) {
  request->replica_count = message.num_replicas() == 0 ? 1 : message.num_replicas();
  request->partition_count = message.num_partitions() == 0 ? 1 : message.num_partitions();
  int64_t count;
  if (request->replica_count < 1 || request->partition_count < 1 ||
      !CheckedMul(request->replica_count, request->partition_count, &count) || count > kMostDevices) {
    return absl::InvalidArgumentError(absl::StrCat("compile options: cannot run ", message.num_replicas(),
                                                   " replicas x ", message.num_partitions(), " partitions"));
  }
  return absl::OkStatus();
}

std::string TextOf(const ::halo::pjrt::OptionValue& value) {
  switch (value.value_case()) {
    case ::halo::pjrt::OptionValue::kText:
      return value.text();
    case ::halo::pjrt::OptionValue::kFlag:
      return value.flag() ? "true" : "false";
    case ::halo::pjrt::OptionValue::kInteger:
      return absl::StrCat(value.integer());
    case ::halo::pjrt::OptionValue::kNumber:
      return absl::StrCat(value.number());
    case ::halo::pjrt::OptionValue::VALUE_NOT_SET:
      return "";
  }
  return "";
}

// XLA counts its levels O0 to O3 as 9, 19, 29 and 39; 0 is the default.
int OptimizationLevel(int xla_level) {
  if (xla_level == 0) return 1;
  return xla_level < 19 ? 0 : xla_level < 39 ? 1 : 2;
}

}  // namespace

absl::StatusOr<CompileRequest> ReadCompileRequest(absl::string_view serialized) {
  ::halo::pjrt::CompileOptions message;
  const bool fits = serialized.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
  if (!fits || !message.ParseFromArray(serialized.data(), static_cast<int>(serialized.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("compile options: ", serialized.size(), " bytes that are not a CompileOptionsProto"));
  }
  CompileRequest request;
  const ::halo::pjrt::BuildOptions& build = message.build_options();
  RETURN_IF_ERROR(ReadCounts(build, &request));
  ASSIGN_OR_RETURN(request.device_assignment,
                   ReadAssignment(build.device_assignment(), request.replica_count, request.partition_count));
  request.use_spmd_partitioning = build.use_spmd_partitioning();
  request.is_tupled = message.parameter_is_tupled_arguments();
  request.is_portable = message.compile_portable_executable();
  request.propagate_to_parameters.assign(build.allow_propagation_to_parameters().begin(),
                                         build.allow_propagation_to_parameters().end());
  request.propagate_to_output.assign(build.allow_propagation_to_output().begin(),
                                     build.allow_propagation_to_output().end());
  request.optimization_level = OptimizationLevel(build.optimization_level());
  for (const auto& [name, value] : message.option_overrides()) {
    if (!absl::StartsWith(name, "xla_")) request.settings[name] = TextOf(value);
  }
  return request;
}

CompileOptions ToCompileOptions(const CompileRequest& request, const ClientSettings& client) {
  CompileOptions options;
  options.replica_count = request.replica_count;
  options.partition_count = request.partition_count;
  options.device_assignment = request.device_assignment;
  options.optimization_level = request.optimization_level;
  options.settings = request.settings;
  if (!client.cache.empty()) options.settings.emplace("cache", client.cache);
  return options;
}

std::string DeviceAssignmentMessage(int64_t replica_count, int64_t partition_count,
                                    const std::vector<int64_t>& device_ids) {
  ::halo::pjrt::DeviceAssignment message;
  message.set_replica_count(static_cast<int32_t>(replica_count));
  message.set_computation_count(static_cast<int32_t>(partition_count));
  for (int64_t p = 0; p < partition_count; ++p) {
    auto* const computation = message.add_computations();
    for (int64_t r = 0; r < replica_count; ++r) {
      computation->add_replica_device_ids(device_ids[r * partition_count + p]);
    }
  }
  return message.SerializeAsString();
}

}  // namespace pjrt
}  // namespace xla
