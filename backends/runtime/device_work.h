// DeviceWork: what a run has given a device to do that has memory and time of its own.
//
// Thunks that run there (ThunkInfo::is_on_device) only say what is to be done, several at a time. All else that runs a
// program, thunks of the host and jumps, reads and writes the host's memory, which ExecuteContext::bases are addresses
// of. So before it does, the device finishes and the host's memory gets what is read; afterwards the device gets what
// was written.
#ifndef BACKENDS_RUNTIME_DEVICE_WORK_H_
#define BACKENDS_RUNTIME_DEVICE_WORK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/runtime/buffer_slice.h"

namespace xla {

class ExecuteContext;
class ProfileSink;
struct StepProgram;

// Of one run; called by the thread that runs its steps.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;

  // Gives the device the thunks of steps `first` to `end`, all of which run on it and none of which is a jump. It may
  // have done so in an earlier run and keep what it has made of them. `profile`, unless it is nullptr, is told of each.
  virtual absl::Status RunSteps(const StepProgram& program, int32_t first, int32_t end, ProfileSink* profile,
                                ExecuteContext& context) = 0;

  // Waits for all that the device was given to do. Then the host's memory holds what the slices hold, and may be
  // written to. An error ends the run: what the device reports, or that the run is to stop.
  virtual absl::Status ToHost(absl::Span<const BufferSlice> slices) = 0;
  // The host has written these: what the device is given to do from now on sees it.
  virtual absl::Status ToDevice(absl::Span<const BufferSlice> slices) = 0;
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_DEVICE_WORK_H_
