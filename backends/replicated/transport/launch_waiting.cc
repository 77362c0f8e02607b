// How devices wait for their meetings, and how a launch ends.
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/coordinator.h"
#include "backends/replicated/transport/launch_parts.h"
#include "backends/replicated/transport/process_collectives.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr auto kTick = std::chrono::milliseconds(10);
// A coordinator that lives answers within that time.
constexpr absl::Duration kAnswerTime = absl::Seconds(1);

}  // namespace

// ---- Waiting

absl::Status LaunchMeetings::Await(Part& part, absl::FunctionRef<absl::Status()> check) {
  if (part.done().IsReady() && part.meeting == nullptr) return part.done().status();
  Meeting& meeting = *part.meeting;
  const int64_t device = part.device();
  std::unique_lock<std::mutex> lock(mutex_);
  if (meeting.state == Meeting::State::kOver) return part.done().status();
  if (part.sends()) return absl::OkStatus();
  devices_[device].wait = {&part, absl::Now()};
  has_changed_ = true;
  auto next_check = std::chrono::steady_clock::now() + kTick;
  while (meeting.state != Meeting::State::kOver) {
    if (!failure_.ok() && meeting.state != Meeting::State::kAtWork) break;
    if (meeting.state == Meeting::State::kReady) {
      meeting.state = Meeting::State::kAtWork;
      lock.unlock();
      Drive(meeting, [&] { return GoOn(device, check); });
      lock.lock();
      continue;
    }
    changed_.wait_until(lock, next_check);
    if (std::chrono::steady_clock::now() < next_check) continue;
    next_check += kTick;
    lock.unlock();
    const absl::Status go_on = GoOn(device, check);
    if (!go_on.ok()) Fail(go_on, false);
    lock.lock();
  }
  devices_[device].wait = {};
  has_changed_ = true;
  if (meeting.state == Meeting::State::kOver) return part.done().status();
  const absl::Status failure = failure_;
  lock.unlock();
  part.Finish(failure);
  return failure;
}

absl::Status LaunchMeetings::GoOn(int64_t device, absl::FunctionRef<absl::Status()> check) {
  RETURN_IF_ERROR(check());
  std::unique_lock<std::mutex> lock(mutex_);
  if (!failure_.ok()) return failure_;
  Wait& wait = devices_[device].wait;
  if (wait.part == nullptr) return absl::OkStatus();
  const absl::Time now = absl::Now();
  const absl::Duration waited = now - wait.since;
  if (waited < timeout_) return absl::OkStatus();
  if (wait.told == absl::InfiniteFuture()) {
    wait.told = now;
    MemberMessage message;
    message.mutable_overdue()->set_launch(launch_id_);
    message.mutable_overdue()->set_waited_ms(absl::ToInt64Milliseconds(waited));
    *message.mutable_overdue()->mutable_device() = StateOf(device);
    lock.unlock();
    connections_.tell(std::move(message));
    return absl::OkStatus();
  }
  if (now - wait.told < kAnswerTime) return absl::OkStatus();
  const DeviceState state = StateOf(device);
  return absl::DeadlineExceededError(absl::StrCat(
      "device ", device, " (", DescribeRank(connections_.rank, connections_.host), ") has waited ",
      absl::ToInt64Seconds(waited), " s at ", state.at(), state.with(), "; rank 0 has not been heard of for ",
      absl::ToInt64Seconds(now - connections_.heard()),
      " s (is it stopped, or its network down?); the collective timeout is the longest that a device may wait"));
}

// ---- Ending

void LaunchMeetings::Fail(const absl::Status& failure, bool from_elsewhere) {
  std::vector<PartPtr> told;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = failure;
    failed_.store(true, std::memory_order_relaxed);
    for (auto& [key, series] : series_) {
      for (const MeetingPtr& meeting : series->open) {
        for (const PartPtr& part : meeting->parts) {
          if (part != nullptr) told.push_back(part);
        }
      }
    }
    for (const MeetingPtr& meeting : ready_) {
      if (meeting->state != Meeting::State::kReady) continue;
      for (const PartPtr& part : meeting->parts) {
        if (part != nullptr) told.push_back(part);
      }
    }
  }
  for (const PartPtr& part : told) part->Finish(failure);
  changed_.notify_all();
  // What is under way would wait for memory that is not there any more.
  connections_.mesh->Close();
  if (from_elsewhere) return;
  MemberMessage message;
  message.mutable_failure()->set_launch(launch_id_);
  message.mutable_failure()->set_code(static_cast<int>(failure.code()));
  message.mutable_failure()->set_message(std::string(failure.message()));
  connections_.tell(std::move(message));
}

void LaunchMeetings::FailFromElsewhere(const absl::Status& failure) { Fail(failure, true); }

bool LaunchMeetings::IsAtWork(int64_t device) const {
  return std::any_of(ready_.begin(), ready_.end(), [&](const MeetingPtr& meeting) {
    if (!meeting->HasMember(device)) return false;
    return meeting->state == Meeting::State::kAtWork || failure_.ok();
  });
}

void LaunchMeetings::DeviceEnded(int64_t device, const absl::Status& status) {
  if (!status.ok()) {
    Fail(absl::AbortedError(absl::StrCat("stopped because device ", device, " (",
                                         DescribeRank(connections_.rank, connections_.host),
                                         ") failed: ", status.message())),
         false);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  devices_[device].has_ended = true;
  has_changed_ = true;
  const absl::Time deadline = absl::Now() + timeout_;
  // What it has begun and not waited for.
  while (IsAtWork(device)) {
    changed_.wait_for(lock, kTick);
    if (!failure_.ok() || absl::Now() < deadline) continue;
    lock.unlock();
    Fail(absl::DeadlineExceededError(
             absl::StrCat("device ", device, " (", DescribeRank(connections_.rank, connections_.host),
                          ") has ended, but a collective that it began has not within ", absl::ToInt64Seconds(timeout_),
                          " s; see what the others do, or set a longer collective timeout")),
         false);
    lock.lock();
  }
}

void LaunchMeetings::Close() {
  bool is_unfinished;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_unfinished = !ready_.empty();
  }
  if (is_unfinished) Fail(absl::CancelledError("the launch has been given up"), false);
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] {
    return std::none_of(ready_.begin(), ready_.end(),
                        [](const MeetingPtr& meeting) { return meeting->state == Meeting::State::kAtWork; });
  });
  if (memory_ != nullptr) memory_->Release(sent_bytes_);
  sent_bytes_ = 0;
  memory_ = nullptr;
  // Parts point to their meetings.
  const auto forget = [](const std::deque<MeetingPtr>& meetings) {
    for (const MeetingPtr& meeting : meetings) meeting->parts.clear();
  };
  forget(ready_);
  for (auto& [key, series] : series_) forget(series->open);
}

}  // namespace transport
}  // namespace xla
