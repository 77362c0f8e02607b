// What is behind the handles of pjrt_api.h.
//
// A handle is a small object that the client frees; what it stands for is shared (ClientState, ExecutableState, a
// Halo event or buffer), so that handles may be freed in any order. Devices, memories and descriptions belong to the
// ClientState and are the same pointers in every call. Each handle has a tag of its kind (bindings/core).
#ifndef BINDINGS_PJRT_HANDLES_H_
#define BINDINGS_PJRT_HANDLES_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "bindings/core/tagged_handle.h"
#include "bindings/pjrt/client_options.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/pjrt_api.h"

namespace xla {
namespace pjrt {

struct ClientState;
struct ExecutableState;
struct CallContext;

// The memories that each device has, by their number among them; `device` is the default.
enum MemoryKind : int { kDeviceMemory = 0, kPinnedHostMemory = 1 };
constexpr int kMemoryKindCount = 2;
const char* MemoryKindName(int kind);

// A PJRT_Memory that is ours.
struct DeviceMemorySpace : PJRT_Memory, TaggedHandle<0x706a6d65> {
  static constexpr const char* kKind = "PJRT_Memory";
  DeviceMemorySpace();
  ~DeviceMemorySpace();

  int id = 0;
  int kind = kDeviceMemory;
  PJRT_Device* device = nullptr;
  std::string text;  // for people

  struct UserData {
    void* data = nullptr;
    void (*destructor)(void* data) = nullptr;
  };
  std::mutex mutex;
  std::map<const void*, UserData> user_data;  // with mutex held
};

inline DeviceMemorySpace* AsOurs(PJRT_Memory* memory) { return static_cast<DeviceMemorySpace*>(memory); }

}  // namespace pjrt
}  // namespace xla

struct PJRT_MemoryDescription {
  int kind = 0;
};

struct PJRT_DeviceDescription : xla::TaggedHandle<0x706a6464> {
  static constexpr const char* kKind = "PJRT_DeviceDescription";
  int id = 0;
  int process_index = 0;
  std::string kind;
  std::string debug_string;
  std::string to_string;
  PJRT_MemoryDescription memories[xla::pjrt::kMemoryKindCount];
  const PJRT_MemoryDescription* memory_list[xla::pjrt::kMemoryKindCount];
};

struct PJRT_Device : xla::TaggedHandle<0x706a6465> {
  static constexpr const char* kKind = "PJRT_Device";
  xla::pjrt::ClientState* client = nullptr;
  xla::Device* device = nullptr;
  int local_hardware_id = -1;
  PJRT_DeviceDescription description;
  std::vector<PJRT_Memory*> memories;  // none of a device of another process
};

struct PJRT_TopologyDescription : xla::TaggedHandle<0x706a7470> {
  static constexpr const char* kKind = "PJRT_TopologyDescription";
  xla::pjrt::ClientState* state = nullptr;
  std::shared_ptr<xla::pjrt::ClientState> owned;  // of a topology that is not a client's
};

namespace xla {
namespace pjrt {

// A client of Halo with what PJRT adds to it.
struct ClientState : std::enable_shared_from_this<ClientState> {
  ClientSettings settings;
  std::shared_ptr<Client> client;
  std::string platform_version;
  std::vector<std::unique_ptr<PJRT_Device>> devices;  // by id
  std::vector<std::unique_ptr<DeviceMemorySpace>> memories;
  std::vector<PJRT_Device*> device_list;
  std::vector<PJRT_Device*> addressable_devices;
  std::vector<PJRT_Memory*> addressable_memories;
  std::vector<PJRT_DeviceDescription*> descriptions;
  PJRT_TopologyDescription topology;

  const std::string& platform_name() const { return settings.platform_name; }
  // Whether the memory of the devices is the host's.
  bool has_host_memory() const { return settings.backend != "vulkan"; }
  // nullptr if there is none.
  PJRT_Device* FindDevice(int64_t id) const;
  PJRT_Device* Find(const Device& device) const { return FindDevice(device.id()); }
};

}  // namespace pjrt
}  // namespace xla

struct PJRT_Client : xla::TaggedHandle<0x706a636c> {
  static constexpr const char* kKind = "PJRT_Client";
  std::shared_ptr<xla::pjrt::ClientState> state;
};

struct PJRT_Event : xla::TaggedHandle<0x706a6576> {
  static constexpr const char* kKind = "PJRT_Event";
  explicit PJRT_Event(xla::Event of) : event(std::move(of)) {}
  const xla::Event event;
  std::unique_ptr<xla::EventSource> source;  // of one that the client sets
};

// A value on a device. Its memory kind is a label where host and device are one memory.
struct PJRT_Buffer : xla::TaggedHandle<0x706a6275> {
  static constexpr const char* kKind = "PJRT_Buffer";
  PJRT_Buffer(std::unique_ptr<xla::Buffer> of, PJRT_Device* on, PJRT_Memory* in);

  const std::shared_ptr<xla::pjrt::ClientState> client;
  const std::unique_ptr<xla::Buffer> buffer;
  PJRT_Device* const device;
  PJRT_Memory* const memory;
  const PJRT_Buffer_Type type;
  // Of the elements on the device, most minor first, as clients are told.
  std::vector<int64_t> minor_to_major;
  // The program whose output it is, for messages.
  std::weak_ptr<xla::pjrt::ExecutableState> origin;

  bool is_row_major() const;

  // ---- References from outside, by which the value stays where it is.
  mutable std::mutex mutex;
  int64_t external_references = 0;                    // with mutex held
  std::unique_ptr<xla::ExternalReference> reference;  // of the value once a client has asked for its place
  std::vector<size_t> dynamic_dimensions;             // as clients were told, with mutex held
  // Unless the value is pinned: it may be donated then.
  void DropUnpinnedReference();
  bool is_pinned() const {
    std::lock_guard<std::mutex> lock(mutex);
    return external_references > 0;
  }
};

struct PJRT_Executable : xla::TaggedHandle<0x706a6578> {
  static constexpr const char* kKind = "PJRT_Executable";
  std::shared_ptr<xla::pjrt::ExecutableState> state;
};

struct PJRT_LoadedExecutable : xla::TaggedHandle<0x706a6c65> {
  static constexpr const char* kKind = "PJRT_LoadedExecutable";
  std::shared_ptr<xla::pjrt::ExecutableState> state;
  std::atomic<bool> is_deleted{false};
};

struct PJRT_ExecuteContext : xla::TaggedHandle<0x706a6378> {
  static constexpr const char* kKind = "PJRT_ExecuteContext";
  std::shared_ptr<xla::pjrt::CallContext> context;
};

struct PJRT_Layouts_MemoryLayout : xla::TaggedHandle<0x706a6c79> {
  static constexpr const char* kKind = "PJRT_Layouts_MemoryLayout";
  std::string text;  // "{1,0}"
};

#endif  // BINDINGS_PJRT_HANDLES_H_
