// DeviceStream: what one run of a program gives a device to do, in order.
//
// Kernels and copies are recorded, and submitted when there are some, or when the host needs what they compute. Between
// two of them there is a barrier if one writes what the other one reads or writes.
#ifndef BACKENDS_VULKAN_DEVICE_STREAM_H_
#define BACKENDS_VULKAN_DEVICE_STREAM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/runtime/device_work.h"
#include "backends/runtime/execute_context.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
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
    std::vector<int> offsets;
  };
  std::vector<Phase> phases;
};

// Used by the thread that runs the steps. Its arrays outlive it.
class DeviceStream : public DeviceWork {
 public:
  // `context` is that of the run, which asks the stream to stop.
  DeviceStream(const VulkanPlace& place, const ExecuteContext& context, int32_t constant_count, int32_t base_count);
  // Waits until the device does nothing of this run any more: its memory may be freed then.
  ~DeviceStream() override;

  const VulkanPlace& place() const { return place_; }

  // Where the values of a base are (BufferSlice).
  void SetBase(int32_t base, const DeviceArray* array) { arrays_[constant_count_ + base] = array; }

  // `buffers`: the kernel's in order, and last its scratch, if it has any. `reads` and `writes` have all of them.
  absl::Status Dispatch(const DeviceKernel& kernel, absl::Span<const BufferSlice> buffers,
                        absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes);
  // As many bytes as `from` has.
  absl::Status Copy(const BufferSlice& from, const BufferSlice& to);

  absl::Status ToHost(absl::Span<const BufferSlice> slices) override;
  absl::Status ToDevice(absl::Span<const BufferSlice> slices) override;

 private:
  const DeviceArray& ArrayOf(const BufferSlice& slice) const { return *arrays_[constant_count_ + slice.base]; }
  BufferPart PartOf(const BufferSlice& slice) const { return ArrayOf(slice).Device(slice.offset, slice.bytes); }

  // The commands that are being recorded.
  absl::StatusOr<Commands*> Record();
  // A barrier if what comes now must not be before what has been recorded.
  void Order(Commands& commands, absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes);
  void Remember(absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes);
  void Barrier(Commands& commands);
  absl::Status DispatchPhase(Commands& commands, const DeviceKernel::Phase& phase,
                             absl::Span<const BufferPart> buffers);
  // Room for `bytes` where buffers of a binding are put together.
  absl::Status ReserveGathered(uint64_t bytes);
  absl::Status Submit();
  absl::Status SubmitIfFull();
  absl::Status Finish();
  absl::Status Await(uint64_t ticket);

  const VulkanPlace& place_;
  const ExecuteContext& context_;
  const int32_t constant_count_;
  std::vector<const DeviceArray*> arrays_;  // of constants from the last to the first, then of the other bases
  std::unique_ptr<Commands> commands_;      // nullptr: nothing is recorded
  int64_t recorded_ = 0;                    // dispatches and copies among them
  uint64_t last_ticket_ = 0;                // of what was submitted; 0: nothing is under way
  std::vector<std::unique_ptr<Commands>> submitted_;
  // Since the last barrier.
  std::vector<BufferSlice> read_;
  std::vector<BufferSlice> written_;
  DeviceArray gathered_;  // buffers of a kernel, one after the other
  int64_t gathered_bytes_ = 0;
  std::vector<DeviceArray> retired_;  // until the device is done
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_STREAM_H_
