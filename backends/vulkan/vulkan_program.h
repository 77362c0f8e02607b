// VulkanProgram: runs a plan on devices with Vulkan.
#ifndef BACKENDS_VULKAN_VULKAN_PROGRAM_H_
#define BACKENDS_VULKAN_VULKAN_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/host/host_executable.h"
#include "backends/plan/plan_runner.h"
#include "backends/plan/program_plan.h"
#include "backends/vulkan/device_array.h"
#include "backends/vulkan/device_stream.h"
#include "backends/vulkan/run_frame.h"

namespace xla {
namespace vulkan {

// Any number of runs may share it. A run reads arguments where they are on its device, and its results stay there. What
// it needs beside them it takes from a pool of frames.
class VulkanProgram : public HostProgram {
 public:
  // `devices` are those of `own`, by position, and so are `places`: several devices of the client may be one.
  // `code`: of EncodePipelines.
  static absl::StatusOr<std::shared_ptr<const VulkanProgram>> Create(const HostClient& client, ProgramPlan plan,
                                                                     std::vector<HostDevice*> devices, OwnDevices own,
                                                                     std::vector<std::shared_ptr<VulkanPlace>> places,
                                                                     std::string code);

  absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch) const override;
  std::vector<PlannedStep> PlannedSteps() const override { return runner_.PlannedSteps(); }
  std::string SerializedCode() const override { return code_; }

  MemoryNeed memory_need() const { return runner_.memory_need(); }

 private:
  // Values that are computed from weights, on a device for as many runs as are given the same ones.
  struct Kept {
    std::vector<uint64_t> names;  // of the weights
    size_t device = 0;
    DeviceArray values;
  };
  // Of a device, in a run.
  struct DeviceRun {
    std::shared_ptr<RunFrame> frame;
    uint64_t ticket = 0;  // 0: the device does nothing of the run any more
  };
  using Copies = std::vector<DeviceStream::SliceCopy>;

  VulkanProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
                std::vector<std::shared_ptr<VulkanPlace>> places, std::string code);

  absl::Status UploadConstants();
  absl::StatusOr<Literal> RunDevice(const HostLaunch& launch, size_t d, DeviceRun& device,
                                    PlanRunner::DeviceRun& run) const;
  absl::StatusOr<std::shared_ptr<RunFrame>> TakeFrame(size_t d) const;
  // The arrays of arguments: as they are, or, where the program writes, a donated one or a copy, which `copies` gets.
  absl::Status PlaceArguments(HostValues& values, const Donations& donations, RunFrame& frame, ExecuteContext& context,
                              Copies& copies) const;
  absl::Status PlaceResults(RunFrame& frame) const;
  // Values made of weights. `context` says whether they are there.
  absl::StatusOr<std::shared_ptr<const Kept>> PlaceKept(size_t d, const HostValues& values, RunFrame& frame,
                                                        ExecuteContext& context) const;
  absl::StatusOr<Literal> TakeResults(DeviceStream& stream, const RunFrame& frame, const ExecuteContext& context,
                                      ValueMemories& memory) const;
  std::shared_ptr<const Kept> FindKept(size_t d, const std::vector<uint64_t>& names) const;
  void Keep(std::shared_ptr<const Kept> kept) const;

  const ProgramPlan plan_;
  const StepProgram decided_;  // the plan's, where the device decides what it can
  const PlanRunner runner_;
  const std::vector<std::shared_ptr<VulkanPlace>> places_;
  const std::string code_;
  std::vector<size_t> leaves_;    // by argument: number of its leaf of the parameter
  std::vector<bool> is_result_;   // likewise: it is one, as it is
  std::vector<size_t> first_at_;  // by position of a device: the first one at the same place
  // By position of such a first one.
  std::vector<RunFrame::Constants> constants_;
  mutable std::vector<FramePool> frames_;                  // likewise
  mutable std::mutex mutex_;                               // guards kept_
  mutable std::vector<std::shared_ptr<const Kept>> kept_;  // oldest first
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_VULKAN_PROGRAM_H_
