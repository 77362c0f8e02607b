// DeviceFeeds: the devices' own queues as the infeed and outfeed of a run.
#ifndef BACKENDS_HOST_DEVICE_FEEDS_H_
#define BACKENDS_HOST_DEVICE_FEEDS_H_

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "backends/host/host_device.h"
#include "backends/host/host_value.h"
#include "xla_core/evaluator/program.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// Connects infeed and outfeed of a run without ExecuteOptions::feeds with Device::TransferToInfeed and
// TransferFromOutfeed. Infeed waits until a value comes or `check` fails; a value of another shape is an
// InvalidArgument error. Not owned: the devices.
class DeviceFeeds : public FeedChannels {
 public:
  // devices[p] is the one at position p of `own`; the list outlives the object.
  DeviceFeeds(absl::Span<HostDevice* const> devices, OwnDevices own) : devices_(devices), own_(std::move(own)) {}

  // The next value of the device's queue. A wrong shape is an error of whoever filled the queue, and the value is
  // gone.
  absl::StatusOr<Literal> Infeed(int64_t device, const HloInstruction& instruction, const Shape& shape,
                                 absl::FunctionRef<absl::Status()> check) override {
    HostDevice& own_device = *devices_[own_.PositionOf(device)];
    absl::StatusOr<Literal> taken = own_device.feeds().TakeInfeed(check);
    if (!taken.ok()) {
      return absl::Status(taken.status().code(),
                          absl::StrCat(instruction.name(), ": waited for the infeed queue of ",
                                       own_device.description(), ": ", taken.status().message()));
    }
    Literal value = *std::move(taken);
    if (value.shape().Compatible(shape)) return value;
    return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": the next value of the infeed queue of ",
                                                   own_device.description(), " has shape ", value.shape().ToString(),
                                                   ", expected ", shape.ToString()));
  }

  // Whoever takes the value may do so while the run goes on, so it shares nothing with the run.
  absl::Status Outfeed(int64_t device, const HloInstruction&, Literal value) override {
    ASSIGN_OR_RETURN(Literal copy, CopyElements(std::move(value)));
    copy.LeaveBudget();
    return devices_[own_.PositionOf(device)]->feeds().PutOutfeed(std::move(copy));
  }

 private:
  const absl::Span<HostDevice* const> devices_;
  const OwnDevices own_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_DEVICE_FEEDS_H_
