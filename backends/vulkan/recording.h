// Recordings: steps of a program as commands of a device, recorded once and run as often as their memory is the same.
#ifndef BACKENDS_VULKAN_RECORDING_H_
#define BACKENDS_VULKAN_RECORDING_H_

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/runtime/buffer_slice.h"
#include "backends/vulkan/control_kernels.h"
#include "backends/vulkan/dependence_groups.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/pipeline.h"
#include "backends/vulkan/device_array.h"

namespace xla {
namespace vulkan {

// A kernel on one device: SpirvKernel with pipelines in place of words.
struct DeviceKernel {
  struct Phase {
    std::shared_ptr<const Pipeline> pipeline;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<std::vector<int>> bindings;
    std::vector<int> windows;
    uint64_t window_bytes = 0;
    std::vector<int> offsets;
  };
  std::vector<Phase> phases;
};

// What comes after it on the device sees all that it writes, and so does the host once it is done.
struct Recording {
  std::unique_ptr<Commands> commands;
  DeviceArray gathered;  // buffers of a kernel, one after the other, and its table
  DeviceArray numbers;   // for scopes: how often each one's gates were open, and the numbers of groups of commands
  int64_t work = 0;      // kernels and copies

  // Once it is done.
  uint32_t TimesOpen(int32_t scope) const;
};

// What a kernel is given.
struct KernelBuffer {
  BufferPart part;
  bool is_written = false;  // by one of its phases
};

// What is to be recorded, in the order in which it would run one by one.
//
// A *scope* is commands that run or not. They do while its last gate was open, or if there was none yet; those of a
// scope within it, if that one's gate was open too. A scope that is entered again has the same commands again.
class Recorder {
 public:
  // Whether a gate is open: if `condition`, its first word that is, masked and at most `last`, is `wanted`.
  struct Gate {
    BufferPart condition;
    uint32_t mask = 0;
    uint32_t last = 0;
    uint32_t wanted = 0;
  };

  explicit Recorder(const VulkanPlace& place) : place_(place) {}

  // `buffers`: the kernel's in order, and last its scratch, if it has any. `reads` and `writes` have all of them.
  void AddKernel(const DeviceKernel& kernel, absl::Span<const KernelBuffer> buffers,
                 absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes);
  // As many bytes as the shorter one has.
  void AddCopy(const BufferPart& from, const BufferPart& to, absl::Span<const BufferSlice> reads,
               absl::Span<const BufferSlice> writes);
  // The number of a new scope. The place's ControlKernels are ready.
  int32_t AddScope();
  void Enter(int32_t scope);
  void Leave();
  // A command like others: of the scope that is entered, which may be `scope`.
  void AddGate(int32_t scope, const Gate& gate);
  int64_t size() const { return static_cast<int64_t>(commands_.size()); }

  absl::StatusOr<Recording> Record() const;
  // In the order of the calls, one after the other, each with timestamps 2 i before it and 2 i + 1 after it.
  absl::StatusOr<Recording> RecordTimed() const;

 private:
  // A buffer that a binding has in another place.
  struct Gathered {
    BufferPart from;
    uint64_t offset = 0;
    bool is_written = false;
  };
  // A copy, or a phase of a kernel.
  struct Command {
    int32_t group = 0;
    BufferPart from;  // of a copy
    BufferPart to;
    std::shared_ptr<const Pipeline> pipeline;  // nullptr: a copy
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<BufferPart> parts;  // by binding; without a buffer: in what is gathered
    std::vector<uint32_t> words;    // of push constants, or of the table if there is one
    bool has_table = false;         // which is the last part
    std::vector<Gathered> gathered;
    bool is_alone = false;
    int32_t slot = kNone;   // of its numbers of groups, if it is of a scope
    int32_t gates = kNone;  // the scope that it is a gate of
    GateConstants gate;
  };
  // Of slots: its commands', and those of scopes within it.
  struct Scope {
    int32_t begin = kNone;
    int32_t end = 0;
  };
  static constexpr int32_t kNone = -1;

  Command PhaseCommand(const DeviceKernel::Phase& phase, absl::Span<const KernelBuffer> buffers);
  void Add(std::vector<Command> commands, absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes);
  // A copy as kernels.
  std::vector<Command> CopyCommands(const BufferPart& from, const BufferPart& to) const;
  absl::StatusOr<Recording> Begin(uint32_t timestamps) const;
  absl::Status Write(const Command& command, Recording& recording) const;
  absl::Status WriteKernel(const Command& command, absl::Span<const BufferPart> parts, Recording& recording) const;
  absl::Status End(Recording& recording) const;

  bool has_scopes() const { return !scopes_.empty(); }
  // Words of Recording::numbers: counters, numbers of groups, and what these are of commands that run.
  uint32_t NumbersAt(int32_t slot) const {
    return static_cast<uint32_t>(scopes_.size()) + 3 * static_cast<uint32_t>(slot);
  }
  uint32_t Distance() const { return 3 * static_cast<uint32_t>(slot_count_); }
  std::vector<uint32_t> FirstNumbers() const;

  const VulkanPlace& place_;
  DependenceGroups groups_;
  std::vector<Command> commands_;
  int64_t calls_ = 0;
  std::vector<int64_t> call_of_;  // by command
  uint64_t gathered_bytes_ = 0;
  std::vector<Scope> scopes_;
  std::vector<int32_t> entered_;  // scopes, the innermost last
  int32_t next_slot_ = 0;
  int32_t slot_count_ = 0;
};

// Of one frame (run_frame.h). Recordings are made for memory at certain places; those for a few sets of places are
// kept.
class RecordingCache {
 public:
  using Places = std::vector<std::pair<uint64_t, uint64_t>>;
  using Key = std::vector<int64_t>;

  // What is found and added from now on is for memory at these places. No recording may run.
  void Choose(Places places);
  // nullptr: there is none.
  const Recording* Find(const Key& key) const;
  const Recording* Add(Key key, Recording recording);

 private:
  struct Set {
    Places places;
    std::map<Key, Recording> recordings;
  };
  std::list<Set> sets_;  // the one that was chosen last first
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_RECORDING_H_
