#include "xla_core/evaluator/queued_feeds.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {

QueuedFeeds::QueuedFeeds(FeedQueues* queues, OwnDevices devices)
    : queues_(queues), devices_(std::move(devices)), taken_(devices_.count(), 0) {
  if (queues_ != nullptr) queues_->outfeed.resize(devices_.count());
}

absl::StatusOr<Literal> QueuedFeeds::Infeed(int64_t device, const HloInstruction& instruction, const Shape& shape,
                                            absl::FunctionRef<absl::Status()>) {
  const int64_t position = devices_.PositionOf(device);
  const bool has_queue = queues_ != nullptr && position < static_cast<int64_t>(queues_->infeed.size());
  const size_t queued = has_queue ? queues_->infeed[position].size() : 0;
  size_t& taken = taken_[position];
  if (taken >= queued) {
    return absl::FailedPreconditionError(absl::StrCat(instruction.name(), ": needs value ", taken + 1, " of device ",
                                                      device, "'s infeed queue, which was given ", queued,
                                                      "; expected ", shape.ToString()));
  }
  const Literal& next = queues_->infeed[position][taken++];
  if (next.shape().Compatible(shape)) return next;
  return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": value ", taken,
                                                 " of the infeed queue has shape ", next.shape().ToString(),
                                                 ", expected ", shape.ToString()));
}

absl::Status QueuedFeeds::Outfeed(int64_t device, const HloInstruction&, Literal value) {
  if (queues_ != nullptr) queues_->outfeed[devices_.PositionOf(device)].push_back(std::move(value));
  return absl::OkStatus();
}

void QueuedFeeds::DeviceEnded(int64_t device) {
  if (queues_ == nullptr) return;
  for (Literal& value : queues_->outfeed[devices_.PositionOf(device)]) value.LeaveBudget();
}

}  // namespace xla
