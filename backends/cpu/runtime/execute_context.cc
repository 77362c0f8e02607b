#include "backends/cpu/runtime/execute_context.h"

#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/cpu/runtime/denormal_mode.h"

namespace xla {
namespace {

constexpr int64_t kScratchAlignment = 64;

// Grows to the largest that was asked for, and stays.
class ThreadScratch {
 public:
  ~ThreadScratch() { std::free(data_); }

  void* Get(int64_t bytes) {
    if (bytes <= bytes_) return data_;
    std::free(data_);
    const int64_t rounded = (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
    data_ = std::aligned_alloc(kScratchAlignment, rounded);
    bytes_ = data_ == nullptr ? 0 : rounded;
    return data_;
  }

 private:
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<void*> ExecuteContext::Scratch(int64_t bytes) {
  static thread_local ThreadScratch scratch;
  void* const data = scratch.Get(bytes);
  if (data != nullptr || bytes == 0) return data;
  return absl::ResourceExhaustedError(absl::StrCat("the machine has no memory for ", bytes, " bytes of scratch"));
}

void ExecuteContext::ParallelFor(int64_t tiles, int64_t grain, ThreadPool::Body body) const {
  if (tiles <= grain || pool->num_threads() == 1) {
    if (tiles > 0) body(0, tiles);
    return;
  }
  pool->ParallelFor(tiles, grain, [&](int64_t begin, int64_t end) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) return;
    if (!flushes_denormals) return body(begin, end);
    const DenormalMode mode(DenormalMode::kFlush);
    body(begin, end);
  });
}

absl::Status ExecuteContext::CheckStopped() const {
  if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was cancelled");
  }
  if (abandoned != nullptr && abandoned->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was abandoned: its results have no receiver");
  }
  return absl::OkStatus();
}

absl::Status ExecuteContext::CheckDeadline() const {
  absl::Status stopped = CheckStopped();
  if (!stopped.ok() || deadline == absl::InfiniteFuture() || absl::Now() <= deadline) return stopped;
  return absl::DeadlineExceededError(
      timeout == absl::InfiniteDuration()
          ? "the deadline has passed"
          : absl::StrCat("the time limit of ", absl::FormatDuration(timeout), " has passed"));
}

}  // namespace xla
