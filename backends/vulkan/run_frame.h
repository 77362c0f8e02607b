// RunFrame: what a run of a program needs on its device, and the next run may use again: memory for temporary values,
// and recordings of steps.
#ifndef BACKENDS_VULKAN_RUN_FRAME_H_
#define BACKENDS_VULKAN_RUN_FRAME_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "backends/plan/program_plan.h"
#include "backends/runtime/buffer_slice.h"
#include "backends/vulkan/device_array.h"
#include "backends/vulkan/device_value.h"
#include "backends/vulkan/recording.h"

namespace xla {
namespace vulkan {

// Of one run at a time. Bases are those of the plan (BufferSlice), and after them one for each argument that may be
// copied before its memory is used.
class RunFrame {
 public:
  using Constants = std::shared_ptr<const std::vector<DeviceArray>>;

  // On a place where the arrays of `constants` are. The frame does not keep the place, where it may be retired.
  static absl::StatusOr<std::shared_ptr<RunFrame>> Make(VulkanPlace& place, const ProgramPlan& plan,
                                                        Constants constants);

  VulkanPlace& place() const { return place_; }
  // Where the host sees each base, for ExecuteContext::bases.
  void* const* addresses() const { return addresses_.data() + constant_count_; }
  bool HasBase(int32_t base) const { return addresses_[Index(base)] != nullptr; }
  void SetBase(int32_t base, const DeviceArray& array);
  // The same; the value lives until Clear.
  void Hold(int32_t base, std::shared_ptr<DeviceValue> value);
  const std::shared_ptr<DeviceValue>& HeldAt(int32_t base) const { return held_[static_cast<size_t>(base)]; }
  // Something else that the run uses.
  void Hold(std::shared_ptr<const void> kept) { kept_ = std::move(kept); }
  // All bases of the run are set: recordings are for them from now on.
  void ChooseRecordings();
  RecordingCache& recordings() { return recordings_; }
  // Iterations that the loop which begins at the step had when it ran last; -1: it has not.
  int64_t LastIterations(int32_t step) const {
    const auto found = iterations_.find(step);
    return found == iterations_.end() ? -1 : found->second;
  }
  void SetLastIterations(int32_t step, int64_t iterations) { iterations_[step] = iterations; }

  BufferPart PartOf(const BufferSlice& slice) const {
    return arrays_[Index(slice.base)]->Device(slice.offset, slice.bytes);
  }
  BufferPart StagingOf(const BufferSlice& slice) const {
    return arrays_[Index(slice.base)]->Staging(slice.offset, slice.bytes);
  }

  // Lets go of what was the last run's.
  void Clear();

 private:
  RunFrame(VulkanPlace& place, Constants constants, size_t base_count);
  size_t Index(int32_t base) const { return static_cast<size_t>(constant_count_ + base); }

  VulkanPlace& place_;
  const Constants constants_;
  const int32_t constant_count_;
  // Of constants from the last to the first, then of the other bases.
  std::vector<void*> addresses_;
  std::vector<const DeviceArray*> arrays_;
  DeviceArray nothing_;
  DeviceArray arena_;
  std::vector<std::shared_ptr<DeviceValue>> held_;  // by base
  std::shared_ptr<const void> kept_;
  RecordingCache recordings_;
  absl::flat_hash_map<int32_t, int64_t> iterations_;  // by step
};

// Frames that no run uses. Thread-safe.
class FramePool {
 public:
  // nullptr: there is none.
  std::shared_ptr<RunFrame> Take();
  void GiveBack(std::shared_ptr<RunFrame> frame);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<RunFrame>> idle_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_RUN_FRAME_H_
