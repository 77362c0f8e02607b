// Executables: compiling, asking, storing.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "bindings/c/caller_input.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "bindings/c/struct_size.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Halo's levels; halo.h numbers them from 1, because 0 stands for the default.
absl::StatusOr<int> OptimizationLevel(const CallerCheck& check, halo_optimization optimization) {
  switch (optimization) {
    case HALO_OPTIMIZATION_DEFAULT:
      return CompileOptions().optimization_level;
    case HALO_OPTIMIZATION_FAST_COMPILE:
    case HALO_OPTIMIZATION_USUAL:
    case HALO_OPTIMIZATION_FULL:
      return optimization - HALO_OPTIMIZATION_FAST_COMPILE;
    default:
      return check.Error(absl::StrCat("options.optimization is ", optimization, ", expected a HALO_OPTIMIZATION_..."));
  }
}

// Reads options of any older version of the struct: members that it lacks have their defaults, see ReadOptions.
absl::StatusOr<CompileOptions> CompileOptionsOf(const CallerCheck& check, const halo_compile_options* given) {
  halo_compile_options read;
  RETURN_IF_ERROR(ReadOptions(check, given, &read));
  if (read.replica_count < 0) return check.Error(absl::StrCat("options.replica_count is ", read.replica_count));
  if (read.partition_count < 0) return check.Error(absl::StrCat("options.partition_count is ", read.partition_count));
  CompileOptions options;
  options.replica_count = read.replica_count;
  options.partition_count = read.partition_count;
  options.spmd = read.spmd != 0;
  if (read.device_id_count > 0) {
    RETURN_IF_ERROR(check.Present(read.device_ids, "options.device_ids"));
    options.device_assignment.assign(read.device_ids, read.device_ids + read.device_id_count);
  }
  ASSIGN_OR_RETURN(options.optimization_level, OptimizationLevel(check, read.optimization));
  options.fast_math = read.fast_math != 0;
  ASSIGN_OR_RETURN(options.settings, SettingsOf(check, read.setting_names, read.setting_values, read.setting_count));
  return options;
}

absl::StatusOr<ResourceLimits> CompileLimitsOf(const CallerCheck& check, const halo_compile_options* given) {
  halo_compile_options read;
  RETURN_IF_ERROR(ReadOptions(check, given, &read));
  ASSIGN_OR_RETURN(ResourceLimits limits, LimitsOf(check, read.timeout_seconds, read.cancellation));
  if (read.max_memory_bytes < 0) {
    return check.Error(absl::StrCat("options.max_memory_bytes is ", read.max_memory_bytes));
  }
  if (read.max_memory_bytes > 0) limits.max_memory_bytes = read.max_memory_bytes;
  return limits;
}

}  // namespace
}  // namespace xla

halo_status* halo_client_compile(halo_client* client, const halo_module* module, const halo_compile_options* options,
                                 halo_executable** executable) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(executable, "executable"));
    *executable = nullptr;
    RETURN_IF_ERROR(check.Live(client, "client"));
    RETURN_IF_ERROR(check.Live(module, "module"));
    ASSIGN_OR_RETURN(xla::CompileOptions read, xla::CompileOptionsOf(check, options));
    ASSIGN_OR_RETURN(const xla::ResourceLimits limits, xla::CompileLimitsOf(check, options));
    const xla::ResourceContext resources(limits, "compiling the program");
    read.resources = &resources;
    ASSIGN_OR_RETURN(auto compiled, client->client->CompileShared(module->module, read));
    *executable = new halo_executable(std::move(compiled));
    return absl::OkStatus();
  });
}

halo_status* halo_executable_serialize(const halo_executable* executable, char** data, size_t* size) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(data, "data"));
    *data = nullptr;
    RETURN_IF_ERROR(check.Present(size, "size"));
    *size = 0;
    RETURN_IF_ERROR(check.Live(executable, "executable"));
    ASSIGN_OR_RETURN(const std::string serialized, executable->executable->Serialize());
    return xla::GiveText(serialized, data, size);
  });
}

halo_status* halo_client_deserialize(halo_client* client, const void* data, size_t size,
                                     const halo_compile_options* options, halo_executable** executable) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(executable, "executable"));
    *executable = nullptr;
    RETURN_IF_ERROR(check.Live(client, "client"));
    if (size > 0) RETURN_IF_ERROR(check.Present(data, "data"));
    ASSIGN_OR_RETURN(xla::CompileOptions read, xla::CompileOptionsOf(check, options));
    ASSIGN_OR_RETURN(const xla::ResourceLimits limits, xla::CompileLimitsOf(check, options));
    const xla::ResourceContext resources(limits, "loading the compiled program");
    read.resources = &resources;
    const absl::string_view bytes(static_cast<const char*>(data), size);
    ASSIGN_OR_RETURN(auto compiled, client->client->Deserialize(bytes, read));
    *executable = new halo_executable(std::move(compiled));
    return absl::OkStatus();
  });
}

void halo_executable_free(halo_executable* executable) {
  if (executable != nullptr && executable->has_tag()) delete executable;
}

const char* halo_executable_name(const halo_executable* executable) {
  return xla::Ask(executable, "", [](const halo_executable& handle) { return handle.executable->name().c_str(); });
}

int64_t halo_executable_replica_count(const halo_executable* executable) {
  return xla::Ask(executable, int64_t{0},
                  [](const halo_executable& handle) { return handle.executable->replica_count(); });
}

int64_t halo_executable_partition_count(const halo_executable* executable) {
  return xla::Ask(executable, int64_t{0},
                  [](const halo_executable& handle) { return handle.executable->partition_count(); });
}

size_t halo_executable_device_count(const halo_executable* executable) {
  return xla::Ask(executable, size_t{0},
                  [](const halo_executable& handle) { return handle.executable->devices().size(); });
}

halo_device* halo_executable_device(const halo_executable* executable, size_t index) {
  if (index >= halo_executable_device_count(executable)) return nullptr;
  return xla::WrapDevice(executable->executable->devices()[index]);
}

size_t halo_executable_parameter_count(const halo_executable* executable) {
  return xla::Ask(executable, size_t{0},
                  [](const halo_executable& handle) { return handle.executable->program_shape().parameters.size(); });
}

const halo_shape* halo_executable_parameter_shape(const halo_executable* executable, size_t index) {
  if (index >= halo_executable_parameter_count(executable)) return nullptr;
  return xla::WrapShape(&executable->executable->program_shape().parameters[index]);
}

size_t halo_executable_result_count(const halo_executable* executable) {
  return xla::Ask(executable, size_t{0}, [](const halo_executable& handle) {
    return xla::ResultCount(handle.executable->program_shape().result);
  });
}

const halo_shape* halo_executable_result_shape(const halo_executable* executable, size_t index) {
  if (index >= halo_executable_result_count(executable)) return nullptr;
  return xla::WrapShape(xla::ResultShape(executable->executable->program_shape().result, index));
}

const char* halo_executable_fingerprint(const halo_executable* executable) {
  return xla::Ask(executable, "", [](const halo_executable& handle) {
    std::call_once(handle.fingerprint_once, [&] { handle.fingerprint = handle.executable->fingerprint(); });
    return handle.fingerprint.c_str();
  });
}

halo_status* halo_executable_report(const halo_executable* executable, char** text) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(text, "text"));
    *text = nullptr;
    RETURN_IF_ERROR(check.Live(executable, "executable"));
    return xla::GiveText(executable->executable->report().ToString(), text, nullptr);
  });
}

halo_status* halo_executable_cost(const halo_executable* executable, halo_cost* cost) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(executable, "executable"));
    const xla::CostEstimate estimate = executable->executable->cost();
    halo_cost values = HALO_COST_INIT;
    values.flops = estimate.flops;
    values.transcendentals = estimate.transcendentals;
    values.bytes_accessed = estimate.bytes_accessed;
    values.has_unknown_trip_counts = estimate.has_unknown_trip_counts;
    return xla::WriteValues(check, values, cost, "cost");
  });
}

halo_status* halo_executable_memory_need(const halo_executable* executable, halo_memory_need* need) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(executable, "executable"));
    const xla::MemoryNeed bytes = executable->executable->memory_need();
    halo_memory_need values = HALO_MEMORY_NEED_INIT;
    values.argument_bytes = bytes.argument_bytes;
    values.output_bytes = bytes.output_bytes;
    values.alias_bytes = bytes.alias_bytes;
    values.temporary_bytes = bytes.temporary_bytes;
    values.code_bytes = bytes.code_bytes;
    return xla::WriteValues(check, values, need, "need");
  });
}
