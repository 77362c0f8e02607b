#include "backends/host/host_device.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status CheckTransferLimits(const TransferOptions& options, const std::string& device) {
  if (options.cancellation != nullptr && options.cancellation->IsCancelled()) {
    return absl::CancelledError(absl::StrCat(device, ": the transfer was cancelled"));
  }
  if (absl::Now() >= options.deadline) {
    return absl::DeadlineExceededError(
        absl::StrCat(device, ": nothing came out of the outfeed queue until the deadline"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string HostDevice::description() const { return absl::StrCat(kind(), " device ", id_); }

DeviceMemory HostDevice::memory() const { return {memory_->used(), memory_->peak(), memory_->limit()}; }

absl::Status HostDevice::TransferToInfeed(Literal value, const TransferOptions&) {
  RETURN_IF_ERROR(ValidateShape(value.shape()));
  value.LeaveBudget();
  return feeds_.PutInfeed(std::move(value));
}

absl::StatusOr<Literal> HostDevice::TransferFromOutfeed(const Shape& shape, const TransferOptions& options) {
  return feeds_.TakeOutfeed(shape, [&] { return CheckTransferLimits(options, description()); });
}

}  // namespace xla
