// VulkanProgram: runs a plan on devices with Vulkan.
#ifndef BACKENDS_VULKAN_VULKAN_PROGRAM_H_
#define BACKENDS_VULKAN_VULKAN_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "backends/host/host_executable.h"
#include "backends/plan/plan_runner.h"
#include "backends/plan/program_plan.h"
#include "backends/vulkan/device_array.h"
#include "backends/vulkan/device_stream.h"

namespace xla {
namespace vulkan {

// Immutable except for what it keeps of weights, so that any number of runs may share it. A run finds memory on its
// device for arena, arguments and results, copies arguments there and results back.
class VulkanProgram : public HostProgram {
 public:
  // `devices` are those of `own`, by position, and so are `places`: several devices of the client may be one.
  static absl::StatusOr<std::shared_ptr<const VulkanProgram>> Create(const HostClient& client, ProgramPlan plan,
                                                                     std::vector<HostDevice*> devices, OwnDevices own,
                                                                     std::vector<std::shared_ptr<VulkanPlace>> places);

  absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch) const override;
  std::vector<PlannedStep> PlannedSteps() const override { return runner_.PlannedSteps(); }

  MemoryNeed memory_need() const { return runner_.memory_need(); }

 private:
  // What is on a device for as many runs as are given the same weights.
  struct Kept {
    std::vector<uint64_t> names;  // of the weights
    size_t device = 0;
    DeviceArray values;                // that are computed from them
    std::vector<DeviceArray> weights;  // by ProgramPlan::weight_bases
  };
  // What one device owns in a run, until all have ended.
  struct Frame {
    std::vector<void*> addresses;     // of constants, from the last to the first, then of the other bases
    void** bases = nullptr;           // in it, by BufferSlice::base
    std::vector<DeviceArray> arrays;  // by base
    std::vector<Literal> taken;       // by argument: those that a result replaces
    std::shared_ptr<const Kept> kept;
    absl::optional<DeviceStream> stream;  // last, so that it ends before the memory does
  };

  VulkanProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
                std::vector<std::shared_ptr<VulkanPlace>> places);

  absl::Status UploadConstants();
  absl::StatusOr<Literal> RunDevice(const HostLaunch& launch, size_t d, Frame& frame, PlanRunner::DeviceRun& run) const;
  // A new array for the base, in the frame.
  absl::Status Allocate(const VulkanPlace& place, int32_t base, int64_t bytes, Frame& frame) const;
  void SetBase(int32_t base, const DeviceArray& array, Frame& frame) const;
  absl::Status PlaceArguments(const VulkanPlace& place, HostValues& values, const Donations& donations, Frame& frame,
                              ExecuteContext& context) const;
  absl::Status PlaceResults(const VulkanPlace& place, Frame& frame) const;
  // Values made of weights, and the weights. `context` says whether they are there.
  absl::Status PlaceKept(const VulkanPlace& place, size_t d, const HostValues& values, Frame& frame,
                         ExecuteContext& context) const;
  static absl::StatusOr<Literal> MakeResult(const ProgramPlan::Result& result, Frame& frame);
  absl::StatusOr<Literal> TakeResults(Frame& frame, const ExecuteContext& context) const;
  std::shared_ptr<const Kept> FindKept(size_t d, const std::vector<uint64_t>& names) const;

  const ProgramPlan plan_;
  const PlanRunner runner_;
  const std::vector<std::shared_ptr<VulkanPlace>> places_;
  std::vector<size_t> first_at_;                           // by position of a device: the first one at the same place
  std::vector<std::vector<DeviceArray>> constants_;        // by position of such a first one
  mutable std::mutex mutex_;                               // guards kept_
  mutable std::vector<std::shared_ptr<const Kept>> kept_;  // oldest first
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_VULKAN_PROGRAM_H_
