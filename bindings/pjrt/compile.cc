// Compiling, loading, and the executables that both give.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/executable_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

absl::StatusOr<std::shared_ptr<ExecutableState>> CompileFor(const CallerCheck& check,
                                                            std::shared_ptr<ClientState> client,
                                                            const PJRT_Program* program, const char* options,
                                                            size_t options_size) {
  RETURN_IF_ERROR(check.Present(program, "program"));
  RETURN_IF_ERROR(CheckArgs(check, program, offsetof(PJRT_Program, format_size) + sizeof(program->format_size)));
  RETURN_IF_ERROR(CheckList(check, program->code, program->code_size, "program.code"));
  RETURN_IF_ERROR(CheckList(check, program->format, program->format_size, "program.format"));
  RETURN_IF_ERROR(CheckList(check, options, options_size, "compile_options"));
  return CompileProgram(std::move(client), absl::string_view(program->code, program->code_size),
                        absl::string_view(program->format, program->format_size),
                        absl::string_view(options, options_size));
}

template <typename Handle>
Handle* HandleOf(std::shared_ptr<ExecutableState> state) {
  auto handle = std::make_unique<Handle>();
  handle->state = std::move(state);
  return handle.release();
}

}  // namespace

PJRT_Error* Client_Compile(PJRT_Client_Compile_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->executable = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ASSIGN_OR_RETURN(auto state, CompileFor(check, args->client->state, args->program, args->compile_options,
                                            args->compile_options_size));
    args->executable = HandleOf<PJRT_LoadedExecutable>(std::move(state));
    return absl::OkStatus();
  });
}

// For the devices of a topology, which are those of a client of its own where none is given.
PJRT_Error* Compile(PJRT_Compile_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->executable = nullptr;
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    if (args->client != nullptr) RETURN_IF_ERROR(check.Live(args->client, "client"));
    std::shared_ptr<ClientState> client =
        args->client != nullptr ? args->client->state : args->topology->state->shared_from_this();
    ASSIGN_OR_RETURN(auto state, CompileFor(check, std::move(client), args->program, args->compile_options,
                                            args->compile_options_size));
    args->executable = HandleOf<PJRT_Executable>(std::move(state));
    return absl::OkStatus();
  });
}

// An executable of the same client is loaded already; one of another client goes through its serialized form.
PJRT_Error* Client_Load(PJRT_Client_Load_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->loaded_executable = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    RETURN_IF_ERROR(CheckList(check, args->compile_options, args->compile_options_size, "compile_options"));
    std::shared_ptr<ExecutableState> state = args->executable->state;
    if (state->client != args->client->state || args->compile_options_size > 0) {
      ASSIGN_OR_RETURN(const std::string serialized, SerializeExecutable(*state));
      ASSIGN_OR_RETURN(state,
                       DeserializeExecutable(args->client->state, serialized,
                                             absl::string_view(args->compile_options, args->compile_options_size)));
    }
    args->loaded_executable = HandleOf<PJRT_LoadedExecutable>(std::move(state));
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->loaded_executable = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    RETURN_IF_ERROR(
        CheckList(check, args->serialized_executable, args->serialized_executable_size, "serialized_executable"));
    absl::string_view options;
    if (HasField(*args, args->overridden_serialized_compile_options_size)) {
      RETURN_IF_ERROR(CheckList(check, args->overridden_serialized_compile_options,
                                args->overridden_serialized_compile_options_size,
                                "overridden_serialized_compile_options"));
      options = absl::string_view(args->overridden_serialized_compile_options,
                                  args->overridden_serialized_compile_options_size);
    }
    ASSIGN_OR_RETURN(auto state,
                     DeserializeExecutable(
                         args->client->state,
                         absl::string_view(args->serialized_executable, args->serialized_executable_size), options));
    args->loaded_executable = HandleOf<PJRT_LoadedExecutable>(std::move(state));
    return absl::OkStatus();
  });
}

PJRT_Error* Executable_Destroy(PJRT_Executable_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->executable == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    delete args->executable;
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->executable == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    delete args->executable;
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->loaded_executable, "loaded_executable"));
    args->executable = HandleOf<PJRT_Executable>(args->loaded_executable->state);
    return absl::OkStatus();
  });
}

// Executions in flight, and other handles, go on.
PJRT_Error* LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->executable->is_deleted = true;
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->is_deleted = args->executable->is_deleted;
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->addressable_devices = args->executable->state->addressable_devices.data();
    args->num_addressable_devices = args->executable->state->addressable_devices.size();
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_AddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->addressable_device_logical_ids = args->executable->state->logical_ids.data();
    args->num_addressable_device_logical_ids = args->executable->state->logical_ids.size();
    return absl::OkStatus();
  });
}

PJRT_Error* LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->executable_fingerprint = args->executable->state->fingerprint.data();
    args->executable_fingerprint_size = args->executable->state->fingerprint.size();
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
