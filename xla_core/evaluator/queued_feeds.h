// QueuedFeeds: the infeed and outfeed of one run as lists that are given and collected as a whole.
#ifndef XLA_CORE_EVALUATOR_QUEUED_FEEDS_H_
#define XLA_CORE_EVALUATOR_QUEUED_FEEDS_H_

#include <cstdint>
#include <vector>

#include "xla_core/evaluator/program.h"

namespace xla {

// Each device touches its own queues only. The infeed queues stay as they are, for the next run.
class QueuedFeeds : public FeedChannels {
 public:
  // `queues`, by position of the devices, outlives the object; nullptr: infeed finds nothing, and what outfeed gives is
  // dropped.
  QueuedFeeds(FeedQueues* queues, OwnDevices devices);

  absl::StatusOr<Literal> Infeed(int64_t device, const HloInstruction& instruction, const Shape& shape,
                                 absl::FunctionRef<absl::Status()> check) override;
  absl::Status Outfeed(int64_t device, const HloInstruction& instruction, Literal value) override;
  void DeviceEnded(int64_t device) override;

 private:
  FeedQueues* const queues_;
  const OwnDevices devices_;
  std::vector<size_t> taken_;  // by position
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_QUEUED_FEEDS_H_
