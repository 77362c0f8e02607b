#include "backends/vulkan/control_thunks.h"

#include <memory>
#include <utility>

#include "backends/vulkan/control_regions.h"
#include "backends/vulkan/device_stream.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Adds its branches to what is recorded.
class ConditionalThunk : public Thunk {
 public:
  explicit ConditionalThunk(ControlRegion region) : Thunk(Info()), region_(std::move(region)) {}
  absl::Status Execute(ExecuteContext& context) const override {
    return static_cast<DeviceStream&>(*context.device_work).Choose(region_, context);
  }

 private:
  static ThunkInfo Info() {
    ThunkInfo info;
    info.kind = "conditional";
    info.is_on_device = true;
    return info;
  }

  const ControlRegion region_;
};

// The host waits for its end. It reads and writes nothing itself, so that nothing is brought to it.
class LoopThunk : public Thunk {
 public:
  explicit LoopThunk(ControlRegion region) : Thunk(Info()), region_(std::move(region)) {}
  absl::Status Execute(ExecuteContext& context) const override {
    auto& stream = static_cast<DeviceStream&>(*context.device_work);
    ASSIGN_OR_RETURN(const int64_t thunks, stream.RunLoop(region_, context));
    context.more_steps = thunks - 1;
    return absl::OkStatus();
  }

 private:
  static ThunkInfo Info() {
    ThunkInfo info;
    info.kind = "while";
    return info;
  }

  const ControlRegion region_;
};

}  // namespace

// Numbers of steps, which jumps have, stay.
StepProgram LetDeviceDecide(const StepProgram& program) {
  StepProgram decided;
  decided.steps = program.steps;
  decided.targets = program.targets;
  decided.entry_instructions = program.entry_instructions;
  for (ControlRegion& region : FindControlRegions(program)) {
    ProgramStep& step = decided.steps[region.first];
    ProgramStep& leave = decided.steps[region.first + 1];
    step = ProgramStep();
    leave = ProgramStep();
    leave.kind = ProgramStep::Kind::kJump;
    leave.target = region.end;
    if (region.is_loop) {
      decided.thunks.push_back(std::make_unique<LoopThunk>(std::move(region)));
    } else {
      decided.thunks.push_back(std::make_unique<ConditionalThunk>(std::move(region)));
    }
    step.thunk = decided.thunks.back().get();
  }
  return decided;
}

}  // namespace vulkan
}  // namespace xla
