// FeedStation: the infeed and outfeed queues of one device.
#ifndef BACKENDS_HOST_FEED_STATION_H_
#define BACKENDS_HOST_FEED_STATION_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/types/literal.h"

namespace xla {

// Thread-safe. Every wait asks `check` about every 20 ms whether to go on.
class FeedStation {
 public:
  using Check = absl::FunctionRef<absl::Status()>;

  // Values in the queues count against `memory`.
  explicit FeedStation(std::shared_ptr<MemoryBudget> memory) : memory_(std::move(memory)) {}
  ~FeedStation();

  absl::Status PutInfeed(Literal value);
  // Waits for a value and takes it.
  absl::StatusOr<Literal> TakeInfeed(Check check);
  absl::Status PutOutfeed(Literal value);
  // Waits for a value and takes it if it has this shape; else it stays, and this is InvalidArgument.
  absl::StatusOr<Literal> TakeOutfeed(const Shape& shape, Check check);

 private:
  using Queue = std::deque<Literal>;

  absl::Status Put(Queue& queue, Literal value);
  absl::Status WaitForValue(std::unique_lock<std::mutex>& lock, const Queue& queue, Check check);
  Literal TakeFront(Queue& queue);

  const std::shared_ptr<MemoryBudget> memory_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  Queue infeed_;
  Queue outfeed_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_FEED_STATION_H_
