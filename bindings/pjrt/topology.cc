// Topologies: the devices of a client, or of one that is made from options to compile for.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "bindings/pjrt/buffer_support.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/client_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "bindings/pjrt/messages.pb.h"
#include "bindings/pjrt/serialized.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

constexpr absl::string_view kTopologyMagic = "halo topology 1\n";

absl::StatusOr<PJRT_TopologyDescription*> MakeTopology(ClientSettings settings) {
  auto topology = std::make_unique<PJRT_TopologyDescription>();
  ASSIGN_OR_RETURN(topology->owned, MakeClientState(std::move(settings), KeyValueStore()));
  topology->state = topology->owned.get();
  return topology.release();
}

// What a program that is compiled for the topology depends on, the same in every process.
uint64_t FingerprintOf(const ClientState& state) {
  uint64_t hash = state.descriptions.size();
  const auto mix = [&hash](const std::string& text) {
    for (const char c : text) hash = MixHash(hash, static_cast<unsigned char>(c));
    hash = MixHash(hash, text.size());
  };
  mix(state.platform_name());
  mix(state.platform_version);
  for (const PJRT_DeviceDescription* description : state.descriptions) mix(description->kind);
  return hash;
}

constexpr int kMemoryKindIds[kMemoryKindCount] = {kDeviceMemory, kPinnedHostMemory};

}  // namespace

// The name says nothing beyond the options.
PJRT_Error* TopologyDescription_Create(PJRT_TopologyDescription_Create_Args* args) {
  return Answer(args, [&](const CallerCheck&) -> absl::Status {
    args->topology = nullptr;
    ASSIGN_OR_RETURN(ClientSettings settings, ReadClientOptions(args->create_options, args->num_options));
    if (settings.process_count > 1) {
      return absl::UnimplementedError("a topology is that of one process; leave the option num_nodes out");
    }
    ASSIGN_OR_RETURN(args->topology, MakeTopology(std::move(settings)));
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->topology == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    if (args->topology->owned == nullptr) return check.Error("the topology belongs to its client");
    delete args->topology;
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    args->platform_name = args->topology->state->platform_name().data();
    args->platform_name_size = args->topology->state->platform_name().size();
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    args->platform_version = args->topology->state->platform_version.data();
    args->platform_version_size = args->topology->state->platform_version.size();
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_GetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    args->descriptions = args->topology->state->descriptions.data();
    args->num_descriptions = args->topology->state->descriptions.size();
    return absl::OkStatus();
  });
}

// There are none.
PJRT_Error* TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    args->attributes = nullptr;
    args->num_attributes = 0;
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    args->fingerprint = static_cast<int64_t>(FingerprintOf(*args->topology->state));
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    const ClientSettings& settings = args->topology->state->settings;
    if (settings.process_count > 1) {
      return absl::UnimplementedError("a topology of several processes cannot be serialized");
    }
    GiveSerialized(absl::StrCat(kTopologyMagic, SettingsText(settings)), &args->serialized_bytes,
                   &args->serialized_bytes_size, &args->serialized_topology, &args->serialized_topology_deleter);
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->topology = nullptr;
    RETURN_IF_ERROR(CheckList(check, args->serialized_topology, args->serialized_topology_size, "serialized_topology"));
    absl::string_view text(args->serialized_topology, args->serialized_topology_size);
    if (!absl::ConsumePrefix(&text, kTopologyMagic)) {
      return check.Error("not a topology of this plugin: it does not begin with \"halo topology 1\"");
    }
    ASSIGN_OR_RETURN(ClientSettings settings, ReadSettingsText(std::string(text)));
    ASSIGN_OR_RETURN(args->topology, MakeTopology(std::move(settings)));
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDescription_GetMemorySpaceKindIds(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    args->memory_space_kind_ids = kMemoryKindIds;
    args->num_memory_space_kind_ids = kMemoryKindCount;
    return absl::OkStatus();
  });
}

// A ShapeProto of the array with the layout that it has on the device.
PJRT_Error* TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    if (args->memory_space_kind_id < 0 || args->memory_space_kind_id >= kMemoryKindCount) {
      return check.Error(absl::StrCat("memory_space_kind_id is ", args->memory_space_kind_id, ", expected 0 or 1"));
    }
    ASSIGN_OR_RETURN(const Shape shape, ShapeOf(check, args->element_type, args->dims, args->num_dims));
    ASSIGN_OR_RETURN(const std::vector<int64_t> order, MinorToMajorOf(check, args->layout, shape));
    ::halo::pjrt::ArrayShape message;
    message.set_element_type(shape.element_type());
    for (const int64_t dimension : shape.dimensions()) message.add_dimensions(dimension);
    for (const int64_t dimension : order) message.mutable_layout()->add_minor_to_major(dimension);
    const std::string bytes = message.SerializeAsString();
    auto copy = std::make_unique<char[]>(bytes.size() + 1);
    bytes.copy(copy.get(), bytes.size());
    args->serialized_shape_size = bytes.size();
    args->serialized_shape_deleter = [](const char* ended) { delete[] ended; };
    args->serialized_shape = copy.release();
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
