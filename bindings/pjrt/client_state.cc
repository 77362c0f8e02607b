#include "bindings/pjrt/client_state.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/c/halo.h"
#include "bindings/pjrt/rendezvous.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

void* GetUserData(PJRT_Memory* memory, const void* key) {
  DeviceMemorySpace& ours = *AsOurs(memory);
  std::lock_guard<std::mutex> lock(ours.mutex);
  const auto found = ours.user_data.find(key);
  return found == ours.user_data.end() ? nullptr : found->second.data;
}

void EndUserData(const DeviceMemorySpace::UserData& ended) {
  if (ended.destructor != nullptr && ended.data != nullptr) ended.destructor(ended.data);
}

// The destructor of what was there runs without a lock: it is the client's.
void SetUserData(PJRT_Memory* memory, const void* key, void* data, void (*destructor)(void* data)) {
  DeviceMemorySpace& ours = *AsOurs(memory);
  DeviceMemorySpace::UserData ended{data, destructor};
  {
    std::lock_guard<std::mutex> lock(ours.mutex);
    std::swap(ours.user_data[key], ended);
  }
  EndUserData(ended);
}

constexpr PJRT_Memory_FunctionTable kMemoryFunctions = {
    sizeof(PJRT_Memory_FunctionTable), nullptr, sizeof(PJRT_Memory), &GetUserData, &SetUserData,
};

// Backends have settings of their own; several devices are the backend `replicated` over the one that is asked for.
absl::StatusOr<std::shared_ptr<Client>> MakeClient(const ClientSettings& settings, const KeyValueStore& store) {
  ClientOptions options;
  options.device_count = settings.device_count;
  options.threads = static_cast<int>(settings.threads);
  options.settings = settings.client_settings;
  if (settings.device_count == 1 && settings.process_count == 1) return GetClient(settings.backend, options);
  options.settings["backend"] = settings.backend;
  if (settings.process_count > 1) {
    options.device_count *= settings.process_count;
    options.process_count = settings.process_count;
    options.process_index = settings.process_index;
    RETURN_IF_ERROR(AgreeOnRendezvous(settings, store, &options.settings));
  }
  return GetClient("replicated", options);
}

void Describe(const Device& device, const std::string& platform_name, PJRT_DeviceDescription* description) {
  description->id = static_cast<int>(device.id());
  description->process_index = static_cast<int>(device.process_index());
  description->kind = device.kind();
  description->debug_string = device.description();
  description->to_string = absl::StrCat(platform_name, ":", device.id());
  for (int kind = 0; kind < kMemoryKindCount; ++kind) {
    description->memories[kind].kind = kind;
    description->memory_list[kind] = &description->memories[kind];
  }
}

void AddMemories(PJRT_Device* device, ClientState* state) {
  for (int kind = 0; kind < kMemoryKindCount; ++kind) {
    auto memory = std::make_unique<DeviceMemorySpace>();
    memory->id = device->description.id * kMemoryKindCount + kind;
    memory->kind = kind;
    memory->device = device;
    memory->text = absl::StrCat(MemoryKindName(kind), " of ", device->description.to_string);
    device->memories.push_back(memory.get());
    state->addressable_memories.push_back(memory.get());
    state->memories.push_back(std::move(memory));
  }
}

}  // namespace

const char* MemoryKindName(int kind) { return kind == kPinnedHostMemory ? "pinned_host" : "device"; }

DeviceMemorySpace::DeviceMemorySpace() : PJRT_Memory{&kMemoryFunctions} {}

DeviceMemorySpace::~DeviceMemorySpace() {
  for (const auto& [key, ended] : user_data) EndUserData(ended);
}

PJRT_Device* ClientState::FindDevice(int64_t id) const {
  for (const auto& device : devices) {
    if (device->description.id == id) return device.get();
  }
  return nullptr;
}

DeviceMemorySpace* FindMemory(const ClientState& state, PJRT_Memory* memory) {
  for (const auto& known : state.memories) {
    if (known.get() == memory) return known.get();
  }
  return nullptr;
}

absl::StatusOr<std::shared_ptr<ClientState>> MakeClientState(ClientSettings settings, const KeyValueStore& store) {
  auto state = std::make_shared<ClientState>();
  ASSIGN_OR_RETURN(state->client, MakeClient(settings, store));
  state->settings = std::move(settings);
  state->platform_version = absl::StrCat("Halo ", halo_version(), ", ", state->client->platform_version());
  for (Device* const device : state->client->devices()) {
    auto made = std::make_unique<PJRT_Device>();
    made->client = state.get();
    made->device = device;
    Describe(*device, state->platform_name(), &made->description);
    state->device_list.push_back(made.get());
    state->descriptions.push_back(&made->description);
    if (device->is_addressable()) {
      made->local_hardware_id = static_cast<int>(state->addressable_devices.size());
      state->addressable_devices.push_back(made.get());
      AddMemories(made.get(), state.get());
    }
    state->devices.push_back(std::move(made));
  }
  state->topology.state = state.get();
  return state;
}

}  // namespace pjrt
}  // namespace xla
