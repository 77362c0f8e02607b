#include "backends/host/feed_station.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// How often a waiting thread looks at its deadline.
constexpr auto kStopCheckInterval = std::chrono::milliseconds(20);

}  // namespace

FeedStation::~FeedStation() {
  while (!infeed_.empty()) TakeFront(infeed_);
  while (!outfeed_.empty()) TakeFront(outfeed_);
}

absl::Status FeedStation::Put(Queue& queue, Literal value) {
  RETURN_IF_ERROR(memory_->Reserve(value.shape().ByteSize()));
  std::lock_guard<std::mutex> lock(mutex_);
  queue.push_back(std::move(value));
  arrived_.notify_all();
  return absl::OkStatus();
}

absl::Status FeedStation::WaitForValue(std::unique_lock<std::mutex>& lock, const Queue& queue, Check check) {
  while (queue.empty()) {
    RETURN_IF_ERROR(check());
    arrived_.wait_for(lock, kStopCheckInterval);
  }
  return absl::OkStatus();
}

Literal FeedStation::TakeFront(Queue& queue) {
  Literal value = std::move(queue.front());
  queue.pop_front();
  memory_->Release(value.shape().ByteSize());
  return value;
}

absl::Status FeedStation::PutInfeed(Literal value) { return Put(infeed_, std::move(value)); }

absl::StatusOr<Literal> FeedStation::TakeInfeed(Check check) {
  std::unique_lock<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(WaitForValue(lock, infeed_, check));
  return TakeFront(infeed_);
}

absl::Status FeedStation::PutOutfeed(Literal value) { return Put(outfeed_, std::move(value)); }

absl::StatusOr<Literal> FeedStation::TakeOutfeed(const Shape& shape, Check check) {
  std::unique_lock<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(WaitForValue(lock, outfeed_, check));
  const Shape& found = outfeed_.front().shape();
  if (!found.Compatible(shape)) {
    return absl::InvalidArgumentError(absl::StrCat("the next value of the outfeed queue has shape ", found.ToString(),
                                                   ", asked for ", shape.ToString()));
  }
  return TakeFront(outfeed_);
}

}  // namespace xla
