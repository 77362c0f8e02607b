// What clients ask of an executable.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/executable_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "bindings/pjrt/messages.pb.h"
#include "bindings/pjrt/serialized.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

constexpr absl::string_view kOptimizedFormat = "hlo_with_config";

PJRT_NamedValue Property(const char* name, double value) {
  PJRT_NamedValue property = {};
  property.struct_size = offsetof(PJRT_NamedValue, value_size) + sizeof(property.value_size);
  property.name = name;
  property.name_size = std::strlen(name);
  property.type = PJRT_NamedValue_kFloat;
  property.float_value = static_cast<float>(value);
  property.value_size = 1;
  return property;
}

const std::vector<PJRT_NamedValue>& CostOf(ExecutableState& state) {
  std::call_once(state.cost_once, [&] {
    const CostEstimate cost = state.executable->cost();
    state.cost = {Property("flops", cost.flops), Property("bytes accessed", cost.bytes_accessed),
                  Property("transcendentals", cost.transcendentals)};
  });
  return state.cost;
}

// The module that runs, with its shape as the configuration, without which jaxlib ends the process.
absl::StatusOr<std::string> OptimizedModule(const Executable& executable) {
  const HloModule* const module = executable.module();
  if (module == nullptr) {
    return absl::UnimplementedError(absl::StrCat(executable.name(), ": only code is left of the program"));
  }
  ASSIGN_OR_RETURN(std::string bytes, WriteHloProto(*module, ProtoEncoding::kBinary));
  ::halo::pjrt::ModuleShape shape;
  if (!shape.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("the module that was written cannot be read");
  }
  ::halo::pjrt::ModuleWithConfig message;
  message.set_hlo_module(std::move(bytes));
  message.mutable_config()->set_entry_computation_layout(shape.host_program_shape());
  return message.SerializeAsString();
}

}  // namespace

PJRT_Error* Executable_Name(PJRT_Executable_Name_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const std::string& name = args->executable->state->executable->name();
    args->executable_name = name.data();
    args->executable_name_size = name.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_NumReplicas(PJRT_Executable_NumReplicas_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->num_replicas = args->executable->state->executable->replica_count();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_NumPartitions(PJRT_Executable_NumPartitions_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->num_partitions = args->executable->state->executable->partition_count();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->num_outputs = args->executable->state->outputs.values.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->size_in_bytes = args->executable->state->executable->memory_need().code_bytes;
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const std::vector<PJRT_NamedValue>& cost = CostOf(*args->executable->state);
    args->num_properties = cost.size();
    args->properties = cost.data();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const ValueTable& outputs = args->executable->state->outputs;
    args->num_outputs = outputs.memory_kinds.size();
    args->memory_kinds = outputs.memory_kinds.data();
    args->memory_kind_sizes = outputs.memory_kind_sizes.data();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const ValueTable& parameters = args->executable->state->parameters;
    args->num_parameters = parameters.memory_kinds.size();
    args->memory_kinds = parameters.memory_kinds.data();
    args->memory_kind_sizes = parameters.memory_kind_sizes.data();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->output_types = args->executable->state->outputs.types.data();
    args->num_output_types = args->executable->state->outputs.types.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const ValueTable& outputs = args->executable->state->outputs;
    args->num_outputs = outputs.ranks.size();
    args->dims = outputs.dimensions.data();
    args->dim_sizes = outputs.ranks.data();
    return absl::OkStatus();
  });
}

// The first call asks for the size, the second one for the bytes.
PJRT_Error* Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    RETURN_IF_ERROR(CheckArgs(check, args->program, offsetof(PJRT_Program, format_size) + sizeof(size_t)));
    PJRT_Program& program = *args->program;
    ExecutableState& state = *args->executable->state;
    std::lock_guard<std::mutex> lock(state.optimized_mutex);
    if (state.optimized.empty()) {
      ASSIGN_OR_RETURN(state.optimized, OptimizedModule(*state.executable));
    }
    const std::string& bytes = state.optimized;
    program.format = kOptimizedFormat.data();
    program.format_size = kOptimizedFormat.size();
    if (program.code == nullptr) {
      program.code_size = bytes.size();
      return absl::OkStatus();
    }
    if (program.code_size < bytes.size()) {
      return check.Error(absl::StrCat("program.code_size is ", program.code_size, ", expected ", bytes.size()));
    }
    program.code_size = bytes.size();
    std::memcpy(program.code, bytes.data(), bytes.size());
    std::string().swap(state.optimized);
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_Fingerprint(PJRT_Executable_Fingerprint_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->executable_fingerprint = args->executable->state->fingerprint.data();
    args->executable_fingerprint_size = args->executable->state->fingerprint.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_Serialize(PJRT_Executable_Serialize_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    ASSIGN_OR_RETURN(std::string bytes, SerializeExecutable(*args->executable->state));
    GiveSerialized(std::move(bytes), &args->serialized_bytes, &args->serialized_bytes_size,
                   &args->serialized_executable, &args->serialized_executable_deleter);
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    GiveSerialized(args->executable->state->compile_options, &args->serialized_bytes, &args->serialized_bytes_size,
                   &args->serialized_compile_options, &args->serialized_compile_options_deleter);
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const ExecutableState& state = *args->executable->state;
    std::string bytes;
    if (!state.is_portable()) {
      bytes = DeviceAssignmentMessage(state.executable->replica_count(), state.executable->partition_count(),
                                      state.device_ids);
    }
    GiveSerialized(std::move(bytes), &args->serialized_bytes, &args->serialized_bytes_size,
                   &args->serialized_device_assignment, &args->serialized_device_assignment_deleter);
    return absl::OkStatus();
  });
}

// All memory is the host's as far as is known: the counts for the device, and nothing beside it.
PJRT_Error* Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const MemoryNeed need = args->executable->state->executable->memory_need();
    const int64_t total = need.argument_bytes + need.output_bytes - need.alias_bytes + need.temporary_bytes;
    args->generated_code_size_in_bytes = need.code_bytes;
    args->argument_size_in_bytes = need.argument_bytes;
    args->output_size_in_bytes = need.output_bytes;
    args->alias_size_in_bytes = need.alias_bytes;
    args->temp_size_in_bytes = need.temporary_bytes;
    SetIfPresent(*args, args->host_generated_code_size_in_bytes, 0);
    SetIfPresent(*args, args->host_argument_size_in_bytes, 0);
    SetIfPresent(*args, args->host_output_size_in_bytes, 0);
    SetIfPresent(*args, args->host_alias_size_in_bytes, 0);
    SetIfPresent(*args, args->host_temp_size_in_bytes, 0);
    SetIfPresent(*args, args->peak_memory_in_bytes, total);
    SetIfPresent(*args, args->total_size_in_bytes, total);
    SetIfPresent(*args, args->total_allocation_bytes, total);
    SetIfPresent(*args, args->indefinite_allocations, 0);
    SetIfPresent(*args, args->peak_unpadded_heap_bytes, total);
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
