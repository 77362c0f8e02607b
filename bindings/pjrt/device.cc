// Devices and their descriptions.
#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

absl::Status CheckDescription(const CallerCheck& check, const PJRT_DeviceDescription* description) {
  return check.Live(description, "device_description");
}

}  // namespace

PJRT_Error* DeviceDescription_Id(PJRT_DeviceDescription_Id_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckDescription(check, args->device_description));
    args->id = args->device_description->id;
    return absl::OkStatus();
  });
}

PJRT_Error* DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckDescription(check, args->device_description));
    args->process_index = args->device_description->process_index;
    return absl::OkStatus();
  });
}

// There are none.
PJRT_Error* DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckDescription(check, args->device_description));
    args->num_attributes = 0;
    args->attributes = nullptr;
    return absl::OkStatus();
  });
}

PJRT_Error* DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckDescription(check, args->device_description));
    args->device_kind = args->device_description->kind.data();
    args->device_kind_size = args->device_description->kind.size();
    return absl::OkStatus();
  });
}

PJRT_Error* DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckDescription(check, args->device_description));
    args->debug_string = args->device_description->debug_string.data();
    args->debug_string_size = args->device_description->debug_string.size();
    return absl::OkStatus();
  });
}

PJRT_Error* DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckDescription(check, args->device_description));
    args->to_string = args->device_description->to_string.data();
    args->to_string_size = args->device_description->to_string.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Device_GetDescription(PJRT_Device_GetDescription_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    args->device_description = &args->device->description;
    return absl::OkStatus();
  });
}

PJRT_Error* Device_IsAddressable(PJRT_Device_IsAddressable_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    args->is_addressable = args->device->local_hardware_id >= 0;
    return absl::OkStatus();
  });
}

PJRT_Error* Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    args->local_hardware_id = args->device->local_hardware_id;
    return absl::OkStatus();
  });
}

PJRT_Error* Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    args->memories = args->device->memories.data();
    args->num_memories = args->device->memories.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Device_DefaultMemory(PJRT_Device_DefaultMemory_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    if (args->device->memories.empty()) {
      return check.Error(absl::StrCat(args->device->description.to_string, " belongs to another process"));
    }
    args->memory = args->device->memories[kDeviceMemory];
    return absl::OkStatus();
  });
}

// What is not known is said to be unknown: callers do not clear the struct.
PJRT_Error* Device_MemoryStats(PJRT_Device_MemoryStats_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    if (args->device->local_hardware_id < 0) {
      return check.Error(absl::StrCat(args->device->description.to_string, " belongs to another process"));
    }
    const DeviceMemory memory = args->device->device->memory();
    args->bytes_in_use = memory.bytes_in_use;
    args->peak_bytes_in_use = memory.peak_bytes_in_use;
    args->peak_bytes_in_use_is_set = true;
    args->bytes_limit = memory.bytes_limit;
    args->bytes_limit_is_set = true;
    args->num_allocs_is_set = false;
    args->largest_alloc_size_is_set = false;
    args->bytes_reserved_is_set = false;
    args->peak_bytes_reserved_is_set = false;
    args->bytes_reservable_limit_is_set = false;
    args->largest_free_block_bytes_is_set = false;
    args->pool_bytes_is_set = false;
    args->peak_pool_bytes_is_set = false;
    SetIfPresent(*args, args->peak_allocated_bytes_is_set, false);
    return absl::OkStatus();
  });
}

// The peak of a device is that of the whole run of the process, and stays.
PJRT_Error* Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    return absl::UnimplementedError(
        absl::StrCat(check.function(), ": the statistics of a device are those of its whole life"));
  });
}

// There are none beyond those of the description. jaxlib asks for the deleter all the same.
PJRT_Error* Device_GetAttributes(PJRT_Device_GetAttributes_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->device, "device"));
    args->attributes = nullptr;
    args->num_attributes = 0;
    args->device_attributes = nullptr;
    args->attributes_deleter = [](PJRT_Device_Attributes*) {};
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
