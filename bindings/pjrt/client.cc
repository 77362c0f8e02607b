// Clients.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/client_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {

// The callbacks of the store are valid only under jax.distributed, and anything otherwise: they are read if the options
// say that there are several processes.
PJRT_Error* Client_Create(PJRT_Client_Create_Args* args) {
  return Answer(args, [&](const CallerCheck&) -> absl::Status {
    args->client = nullptr;
    ASSIGN_OR_RETURN(ClientSettings settings, ReadClientOptions(args->create_options, args->num_options));
    KeyValueStore store;
    if (settings.process_count > 1) {
      store = {args->kv_get_callback, args->kv_get_user_arg, args->kv_put_callback, args->kv_put_user_arg};
    }
    auto client = std::make_unique<PJRT_Client>();
    ASSIGN_OR_RETURN(client->state, MakeClientState(std::move(settings), store));
    args->client = client.release();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_Destroy(PJRT_Client_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->client == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    delete args->client;
    return absl::OkStatus();
  });
}

PJRT_Error* Client_PlatformName(PJRT_Client_PlatformName_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    const std::string& name = args->client->state->platform_name();
    args->platform_name = name.data();
    args->platform_name_size = name.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_ProcessIndex(PJRT_Client_ProcessIndex_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    args->process_index = static_cast<int>(args->client->state->client->process_index());
    return absl::OkStatus();
  });
}

PJRT_Error* Client_PlatformVersion(PJRT_Client_PlatformVersion_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    const std::string& version = args->client->state->platform_version;
    args->platform_version = version.data();
    args->platform_version_size = version.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_Devices(PJRT_Client_Devices_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    args->devices = args->client->state->device_list.data();
    args->num_devices = args->client->state->device_list.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_AddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    args->addressable_devices = args->client->state->addressable_devices.data();
    args->num_addressable_devices = args->client->state->addressable_devices.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_LookupDevice(PJRT_Client_LookupDevice_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    args->device = args->client->state->FindDevice(args->id);
    if (args->device != nullptr) return absl::OkStatus();
    return args->client->state->client->FindDevice(args->id).status();
  });
}

PJRT_Error* Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    const std::vector<PJRT_Device*>& devices = args->client->state->addressable_devices;
    if (args->local_hardware_id < 0 || static_cast<size_t>(args->local_hardware_id) >= devices.size()) {
      return check.Error(absl::StrCat("there is no local device ", args->local_hardware_id,
                                      ", they are numbered from 0 to ", devices.size() - 1));
    }
    args->addressable_device = devices[args->local_hardware_id];
    return absl::OkStatus();
  });
}

PJRT_Error* Client_AddressableMemories(PJRT_Client_AddressableMemories_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    args->addressable_memories = args->client->state->addressable_memories.data();
    args->num_addressable_memories = args->client->state->addressable_memories.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_TopologyDescription(PJRT_Client_TopologyDescription_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    args->topology = &args->client->state->topology;
    return absl::OkStatus();
  });
}

// The first devices, in order: that of (replica r, partition p) at r * partitions + p.
PJRT_Error* Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    const std::vector<PJRT_Device*>& devices = args->client->state->device_list;
    int64_t count;
    if (args->num_replicas < 1 || args->num_partitions < 1 ||
        !CheckedMul(args->num_replicas, args->num_partitions, &count) || count > static_cast<int64_t>(devices.size())) {
      return check.Error(absl::StrCat("cannot run ", args->num_replicas, " replicas x ", args->num_partitions,
                                      " partitions on ", devices.size(), " devices; set the option device_count"));
    }
    if (args->default_assignment_size < static_cast<size_t>(count)) {
      return check.Error(
          absl::StrCat("default_assignment_size is ", args->default_assignment_size, ", expected ", count));
    }
    RETURN_IF_ERROR(check.Present(args->default_assignment, "default_assignment"));
    for (int64_t i = 0; i < count; ++i) args->default_assignment[i] = devices[i]->description.id;
    return absl::OkStatus();
  });
}

// Which processes of jax.distributed live is known from the connections between them.
PJRT_Error* Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args* args) {
  return Answer(args, [&](const CallerCheck& check) { return check.Live(args->client, "client"); });
}

}  // namespace pjrt
}  // namespace xla
