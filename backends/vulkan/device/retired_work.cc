#include "backends/vulkan/device/retired_work.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/time/clock.h"

namespace xla {
namespace vulkan {
namespace {

// The device would use memory that is gone.
void KeepForever(std::shared_ptr<void> used) {
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  const std::lock_guard<std::mutex> lock(*mutex);
  kept->push_back(std::move(used));
}

}  // namespace

void RetiredWork::Add(uint64_t ticket, std::shared_ptr<void> used) {
  Collect();
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_back({ticket, std::move(used)});
}

// Of a lost device, too, whose kernels have ended.
void RetiredWork::Collect() {
  std::vector<Entry> done;  // ends without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.empty()) return;
  const auto is_done = [this](const Entry& entry) {
    const absl::StatusOr<bool> result = device_->IsDone(entry.ticket);
    // What cannot be told may still run, except on a device that is lost.
    return result.ok() ? *result : absl::IsAborted(result.status());
  };
  const auto first_done =
      std::stable_partition(entries_.begin(), entries_.end(), [&](const Entry& entry) { return !is_done(entry); });
  done.assign(std::make_move_iterator(first_done), std::make_move_iterator(entries_.end()));
  entries_.erase(first_done, entries_.end());
}

RetiredWork::~RetiredWork() {
  const absl::Time end = absl::Now() + patience_;
  for (Entry& entry : entries_) {
    if (!absl::IsDeadlineExceeded(device_->Wait(entry.ticket, end))) continue;
    KeepForever(std::move(entry.used));
  }
}

}  // namespace vulkan
}  // namespace xla
