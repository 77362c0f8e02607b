// ExecutableState: a compiled program with what clients ask of it.
#ifndef BINDINGS_PJRT_EXECUTABLE_STATE_H_
#define BINDINGS_PJRT_EXECUTABLE_STATE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "bindings/pjrt/compile_request.h"
#include "bindings/pjrt/handles.h"
#include "bindings/pjrt/program.h"

namespace xla {
namespace pjrt {

// The shape that clients are told: a token is an array without elements to them, pred[0], which they give back as they
// have got it.
Shape ShapeForClient(const Shape& shape);

// The parameters or the outputs of a program, of one device, in the forms in which the API lists them.
struct ValueTable {
  std::vector<ProgramValue> values;
  std::vector<PJRT_Buffer_Type> types;
  std::vector<int64_t> dimensions;  // one value's after the other's
  std::vector<size_t> ranks;
  std::vector<const char*> memory_kinds;
  std::vector<size_t> memory_kind_sizes;
  std::vector<std::unique_ptr<PJRT_Layouts_MemoryLayout>> layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> layout_list;
  std::vector<const char*> shardings;  // empty if there are none
  std::vector<size_t> sharding_sizes;

  // `values` with the shapes that a device has of them.
  void Fill(std::vector<ProgramValue> of_program, absl::Span<const Shape> shapes, bool has_shardings);
};

// Shared by the handles of the executable, of its loaded form, and by executions.
struct ExecutableState {
  std::shared_ptr<ClientState> client;
  CompileRequest request;
  std::string compile_options;  // as the client gave them
  std::shared_ptr<Executable> executable;
  std::shared_ptr<const HloModule> source;  // before Halo's passes; nullptr of one that was serialized
  ValueTable parameters;
  ValueTable outputs;
  bool has_shardings = false;
  std::string fingerprint;
  std::vector<int64_t> device_ids;  // of all devices, by replica, then partition
  std::vector<PJRT_Device*> addressable_devices;
  std::vector<PJRT_LogicalDeviceId> logical_ids;  // of these
  // Calls functions that only this process has.
  bool has_callbacks = false;
  // So little work that handing it to another thread takes longer.
  bool is_small = false;
  std::atomic<uint64_t> launches{0};

  // What the cost analysis gives; made when it is first asked for.
  std::once_flag cost_once;
  std::vector<PJRT_NamedValue> cost;

  // What was written of the program for a client that has asked for the size of it and not yet for the bytes.
  std::mutex optimized_mutex;
  std::string optimized;  // with optimized_mutex held

  bool is_portable() const { return request.is_portable && source != nullptr; }

  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<Executable>> by_device;  // of a portable program; with mutex held
};

// Compiles `code` for the client's devices. Errors: those of the options, the readers and the backend.
absl::StatusOr<std::shared_ptr<ExecutableState>> CompileProgram(std::shared_ptr<ClientState> client,
                                                                absl::string_view code, absl::string_view format,
                                                                absl::string_view compile_options);

// The bytes of PJRT_Executable_Serialize. Unimplemented for a program that calls functions of this process alone.
absl::StatusOr<std::string> SerializeExecutable(const ExecutableState& state);
// The other way. `compile_options`, if there are any, take the place of those that the program was compiled with.
absl::StatusOr<std::shared_ptr<ExecutableState>> DeserializeExecutable(std::shared_ptr<ClientState> client,
                                                                       absl::string_view serialized,
                                                                       absl::string_view compile_options);

// The event, whose error says where in the source program the instruction stands that it names.
Event WithPlaces(const Event& event, const std::weak_ptr<ExecutableState>& origin);
// Such an error.
absl::Status WithPlace(const absl::Status& status, const ExecutableState& state);

// A portable program on one device.
absl::StatusOr<std::shared_ptr<Executable>> ExecutableOn(ExecutableState& state, const PJRT_Device& device);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_EXECUTABLE_STATE_H_
