// The extension FFI: handlers and types of clients, and what they give to an execution.
#include <memory>
#include <utility>

#include "bindings/pjrt/call.h"
#include "bindings/pjrt/call_context.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/ffi_call.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {

PJRT_Error* ExecuteContext_Create(PJRT_ExecuteContext_Create_Args* args) {
  return Answer(args, [&](const CallerCheck&) -> absl::Status {
    auto context = std::make_unique<PJRT_ExecuteContext>();
    context->context = std::make_shared<CallContext>();
    args->context = context.release();
    return absl::OkStatus();
  });
}

// Executions that were launched with it keep what they need.
PJRT_Error* ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->context == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->context, "context"));
    delete args->context;
    return absl::OkStatus();
  });
}

namespace {

PJRT_Error* TypeRegister(PJRT_FFI_Type_Register_Args* args) {
  return Guarded("PJRT_FFI_Type_Register", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, offsetof(PJRT_FFI_Type_Register_Args, type_info)));
    RETURN_IF_ERROR(CheckList(check, args->type_name, args->type_name_size, "type_name"));
    ASSIGN_OR_RETURN(args->type_id,
                     RegisterFfiType(absl::string_view(args->type_name, args->type_name_size), args->type_id));
    return absl::OkStatus();
  });
}

PJRT_Error* UserDataAdd(PJRT_FFI_UserData_Add_Args* args) {
  return Guarded("PJRT_FFI_UserData_Add", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->context, "context"));
    CallContext& context = *args->context->context;
    std::lock_guard<std::mutex> lock(context.mutex);
    context.user_data[args->user_data.type_id] = args->user_data.data;
    return absl::OkStatus();
  });
}

// Handlers are for any platform that this plugin is, whatever it is called.
PJRT_Error* RegisterHandler(PJRT_FFI_Register_Handler_Args* args) {
  constexpr size_t kLeast = offsetof(PJRT_FFI_Register_Handler_Args, platform_name_size) + sizeof(size_t);
  return Guarded("PJRT_FFI_Register_Handler", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, kLeast));
    RETURN_IF_ERROR(CheckList(check, args->target_name, args->target_name_size, "target_name"));
    RETURN_IF_ERROR(check.Present(args->handler, "handler"));
    return RegisterFfiHandler(absl::string_view(args->target_name, args->target_name_size),
                              reinterpret_cast<XLA_FFI_Handler*>(args->handler));
  });
}

}  // namespace

PJRT_Extension_Base* FfiExtension(PJRT_Extension_Base* next) {
  static auto& extension = *new PJRT_FFI_Extension{
      {sizeof(PJRT_FFI_Extension), PJRT_Extension_Type_FFI, next},
      &TypeRegister,
      &UserDataAdd,
      &RegisterHandler,
  };
  return &extension.base;
}

}  // namespace pjrt
}  // namespace xla
