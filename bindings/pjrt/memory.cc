// The memories of devices, and the extension MemoryDescriptions, which lists their kinds.
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// A memory of any client.
absl::Status CheckMemory(const CallerCheck& check, PJRT_Memory* memory) {
  RETURN_IF_ERROR(check.Present(memory, "memory"));
  return check.Live(AsOurs(memory), "memory");
}

PJRT_Error* MemoryDescriptions(PJRT_DeviceDescription_MemoryDescriptions_Args* args) {
  return Guarded("PJRT_DeviceDescription_MemoryDescriptions", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, 48));
    RETURN_IF_ERROR(check.Live(args->device_description, "device_description"));
    args->memory_descriptions = args->device_description->memory_list;
    args->num_memory_descriptions = kMemoryKindCount;
    args->default_memory_index = kDeviceMemory;
    return absl::OkStatus();
  });
}

PJRT_Error* MemoryDescriptionKind(PJRT_MemoryDescription_Kind_Args* args) {
  return Guarded("PJRT_MemoryDescription_Kind", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, 44));
    RETURN_IF_ERROR(check.Present(args->memory_description, "memory_description"));
    const absl::string_view kind = MemoryKindName(args->memory_description->kind);
    args->kind = kind.data();
    args->kind_size = kind.size();
    args->kind_id = args->memory_description->kind;
    return absl::OkStatus();
  });
}

}  // namespace

PJRT_Error* Memory_Id(PJRT_Memory_Id_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckMemory(check, args->memory));
    args->id = AsOurs(args->memory)->id;
    return absl::OkStatus();
  });
}

PJRT_Error* Memory_Kind(PJRT_Memory_Kind_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckMemory(check, args->memory));
    const absl::string_view kind = MemoryKindName(AsOurs(args->memory)->kind);
    args->kind = kind.data();
    args->kind_size = kind.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckMemory(check, args->memory));
    args->kind_id = AsOurs(args->memory)->kind;
    return absl::OkStatus();
  });
}

PJRT_Error* Memory_DebugString(PJRT_Memory_DebugString_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckMemory(check, args->memory));
    args->debug_string = AsOurs(args->memory)->text.data();
    args->debug_string_size = AsOurs(args->memory)->text.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Memory_ToString(PJRT_Memory_ToString_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckMemory(check, args->memory));
    args->to_string = AsOurs(args->memory)->text.data();
    args->to_string_size = AsOurs(args->memory)->text.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckMemory(check, args->memory));
    args->devices = &AsOurs(args->memory)->device;
    args->num_devices = 1;
    return absl::OkStatus();
  });
}

PJRT_Extension_Base* MemoryDescriptionsExtension(PJRT_Extension_Base* next) {
  static auto& extension = *new PJRT_MemoryDescriptions_Extension{
      {sizeof(PJRT_MemoryDescriptions_Extension), PJRT_Extension_Type_MemoryDescriptions, next},
      &MemoryDescriptions,
      &MemoryDescriptionKind,
  };
  return &extension.base;
}

}  // namespace pjrt
}  // namespace xla
