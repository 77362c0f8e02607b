// DeviceStream: what one run of a program gives a device to do, in order.
//
// Steps that follow each other are recorded as commands, in the frame that the run has, and only submitted by runs that
// find the recording there. Several recordings are submitted at once: when they are much work, or when the host needs
// what they compute.
#ifndef BACKENDS_VULKAN_DEVICE_STREAM_H_
#define BACKENDS_VULKAN_DEVICE_STREAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/runtime/device_work.h"
#include "backends/runtime/execute_context.h"
#include "backends/vulkan/control_regions.h"
#include "backends/vulkan/recording.h"
#include "backends/vulkan/run_frame.h"

namespace xla {
namespace vulkan {

// Used by the thread that runs the steps.
class DeviceStream : public DeviceWork {
 public:
  // `context` is that of the run, which asks the stream to stop. Both outlive it. What it has submitted may run on:
  // then ticket() is not 0, and the frame must live until that is done.
  DeviceStream(RunFrame& frame, const ExecuteContext& context)
      : frame_(frame), place_(frame.place()), context_(context) {}

  const VulkanPlace& place() const { return place_; }
  // Of what was submitted last; 0: the device does nothing of the run.
  uint64_t ticket() const { return last_ticket_; }

  // ---- For thunks, within RunSteps. Slices as in Recorder.
  void Dispatch(const DeviceKernel& kernel, absl::Span<const BufferSlice> buffers, absl::Span<const BufferSlice> reads,
                absl::Span<const BufferSlice> writes);
  // As many bytes as `from` has.
  void Copy(const BufferSlice& from, const BufferSlice& to);
  // A conditional.
  absl::Status Choose(const ControlRegion& region, ExecuteContext& context);

  // ---- For thunks of the host.
  // A loop, to its end. How many thunks ran.
  absl::StatusOr<int64_t> RunLoop(const ControlRegion& region, ExecuteContext& context);

  // ---- For the program.
  struct SliceCopy {
    BufferSlice from;
    BufferSlice to;
  };
  // On the device, in any order.
  absl::Status CopyAll(absl::Span<const SliceCopy> copies);

  absl::Status RunSteps(const StepProgram& program, int32_t first, int32_t end, ProfileSink* profile,
                        ExecuteContext& context) override;
  absl::Status ToHost(absl::Span<const BufferSlice> slices) override;
  absl::Status ToDevice(absl::Span<const BufferSlice> slices) override;

 private:
  // What a recording is of, as the first number of its key.
  enum class Kind : int64_t { kSteps, kCopies, kToHost, kToDevice, kLoop };

  bool IsToCopy(Kind kind, const BufferSlice& slice) const;
  // The slices that have another place on the host, copied from or to it.
  absl::Status Transfer(Kind kind, absl::Span<const BufferSlice> slices);
  absl::Status RunTimed(const StepProgram& program, int32_t first, int32_t end, ProfileSink& profile,
                        ExecuteContext& context);
  // The frame's recording of that key; if it has none, of what `record` gives recorder_.
  absl::StatusOr<const Recording*> EnqueueRecorded(RecordingCache::Key key, absl::FunctionRef<absl::Status()> record);
  absl::Status RecordRegion(const ControlRegion& region, int64_t iterations, ExecuteContext& context);
  absl::Status Enqueue(const Recording& recording);
  absl::Status Submit();
  absl::Status Finish();
  absl::Status Await(uint64_t ticket);

  RunFrame& frame_;
  const VulkanPlace& place_;
  const ExecuteContext& context_;
  Recorder* recorder_ = nullptr;          // while something is recorded
  std::vector<VkCommandBuffer> waiting_;  // to be submitted
  int64_t waiting_work_ = 0;
  std::deque<uint64_t> tickets_;  // of what was submitted and may not be done
  uint64_t last_ticket_ = 0;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_STREAM_H_
