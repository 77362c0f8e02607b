#include "xla_core/evaluator/rendezvous.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/look_until.h"

namespace xla {
namespace {

// How often a waiting device looks at its deadline.
constexpr auto kCheckInterval = std::chrono::milliseconds(20);

int64_t ChannelOf(const HloInstruction& instruction) {
  if (const auto* group = dynamic_cast<const CollectiveAttributes*>(instruction.raw_attributes()))
    return group->channel_id.value_or(0);
  if (const auto* permute = dynamic_cast<const CollectivePermuteAttributes*>(instruction.raw_attributes())) {
    return permute->channel_id.value_or(0);
  }
  return 0;
}

}  // namespace

Rendezvous::Series SeriesOf(const HloInstruction& collective, std::vector<int64_t> group) {
  const int64_t channel = ChannelOf(collective);
  return {collective.opcode(), channel, channel > 0 ? nullptr : &collective, std::move(group)};
}

Rendezvous::Series SeriesOfTransfers(int64_t channel, int64_t from, int64_t to) {
  return {HloOpcode::kSend, channel, nullptr, {from, to}};
}

std::string DescribeMeeting(const HloInstruction& collective, const std::vector<int64_t>& group) {
  return absl::StrCat(collective.name(), " with devices {", absl::StrJoin(group, ","), "}");
}

std::string DescribeReceive(const HloInstruction& recv, int64_t from, int64_t channel) {
  return absl::StrCat(recv.name(), " from device ", from, " on channel ", channel);
}

// The n-th call of each member is for the n-th meeting, so that one who is ahead opens the next ones. All come to the
// oldest before they come to a later one: the one that is complete is always the oldest.
absl::StatusOr<Rendezvous::Attendance> Rendezvous::Come(const Series& series, int64_t position, ContributionPtr mine) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_.ok()) return failure_;
  Open& open = open_[series];
  open.calls.resize(series.group.size(), 0);
  const auto at = static_cast<size_t>(open.calls[position]++ - open.ended);
  if (at == open.meetings.size()) {
    auto meeting = std::make_shared<Meeting>();
    meeting->group_ = series.group;
    meeting->missing_ = static_cast<int64_t>(series.group.size());
    meeting->contributions_.resize(series.group.size());
    open.meetings.push_back(std::move(meeting));
  }
  Attendance attendance;
  attendance.meeting = open.meetings[at];
  attendance.meeting->contributions_[position] = std::move(mine);
  if (--attendance.meeting->missing_ > 0) return attendance;
  attendance.is_last = true;
  attendance.meeting->phase_.store(Meeting::Phase::kAtWork, std::memory_order_release);
  for (const int64_t member : series.group) {
    Device& device = devices_[member];
    if (device.meeting != attendance.meeting.get()) continue;
    device.state = State::kRunning;
    device.meeting = nullptr;
    ++attendance.waiting;
  }
  open.meetings.pop_front();
  ++open.ended;
  at_work_.push_back(attendance.meeting);
  return attendance;
}

void Rendezvous::CallHelpers(Meeting& meeting) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    meeting.phase_.store(Meeting::Phase::kWantsHelp, std::memory_order_release);
  }
  WakeMembers(meeting);
}

void Rendezvous::End(Meeting& meeting) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    meeting.phase_.store(Meeting::Phase::kOver, std::memory_order_release);
    at_work_.erase(std::find_if(at_work_.begin(), at_work_.end(),
                                [&meeting](const MeetingPtr& other) { return other.get() == &meeting; }));
  }
  WakeMembers(meeting);
}

// Without the mutex, which who wakes up takes first of all.
void Rendezvous::WakeMembers(const Meeting& meeting) {
  for (const int64_t member : meeting.group_) devices_[member].changed.notify_all();
}

template <typename Done>
void Rendezvous::Sleep(std::unique_lock<std::mutex>& lock, Device& device, Done done) {
  if (done()) return;
  device.is_asleep = true;
  device.changed.wait_for(lock, kCheckInterval, done);
  device.is_asleep = false;
}

// Reports a deadlock if this device is the last that was running. Once all have come it is being worked at, with the
// memory of all, and nothing but the end of that ends the wait.
absl::Status Rendezvous::Await(int64_t device, const Meeting& meeting, absl::FunctionRef<std::string()> what,
                               absl::FunctionRef<absl::Status()> check, absl::FunctionRef<void()> help) {
  using Phase = Meeting::Phase;
  if (meeting.phase() == Phase::kOpen) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (meeting.missing_ > 0) {
      devices_[device].state = State::kWaiting;
      devices_[device].meeting = &meeting;
      devices_[device].waits_for = &what;
      FailIfStuck();
    }
  }
  bool may_help = true, has_slept = false;
  const auto is_news = [&] {
    const Phase phase = meeting.phase();
    return phase == Phase::kOver || (phase == Phase::kWantsHelp && may_help) || (phase == Phase::kOpen && failed());
  };
  while (true) {
    const bool has_come = has_slept ? is_news() : LookUntil(static_cast<int64_t>(devices_.size()), is_news);
    if (has_come && meeting.phase() == Phase::kOver) return absl::OkStatus();
    if (has_come && meeting.phase() == Phase::kWantsHelp) {
      may_help = false;
      help();
      continue;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (!has_come) {
      Sleep(lock, devices_[device], is_news);
      has_slept = true;
    }
    if (meeting.missing_ == 0) continue;
    absl::Status go_on = failure_.ok() ? check() : absl::OkStatus();
    if (!go_on.ok()) Fail(std::move(go_on));
    if (failure_.ok()) continue;
    devices_[device].state = State::kRunning;
    devices_[device].meeting = nullptr;
    const absl::Status status = failure_;
    UnlockAndTell(lock);
    return status;
  }
}

void Rendezvous::FailIfStuck() {
  for (const Device& device : devices_) {
    if (device.state == State::kRunning) return;
  }
  std::string waiting;
  for (size_t d = 0; d < devices_.size(); ++d) {
    if (devices_[d].state == State::kWaiting)
      absl::StrAppend(&waiting, "; device ", d, " waits at ", (*devices_[d].waits_for)());
    if (devices_[d].state == State::kEnded) absl::StrAppend(&waiting, "; device ", d, " has ended");
  }
  Fail(absl::FailedPreconditionError(absl::StrCat("deadlock: no device can go on", waiting)));
}

void Rendezvous::Fail(absl::Status failure) {
  if (!failure_.ok()) return;
  failure_ = std::move(failure);
  failed_.store(true, std::memory_order_relaxed);
  for (auto& [series, open] : open_) {
    for (const MeetingPtr& meeting : open.meetings) {
      for (ContributionPtr& contribution : meeting->contributions_) {
        if (contribution != nullptr) to_be_told_.push_back(std::move(contribution));
      }
    }
  }
  for (Device& device : devices_) {
    if (device.is_asleep) device.changed.notify_all();
  }
}

void Rendezvous::UnlockAndTell(std::unique_lock<std::mutex>& lock) {
  const std::vector<ContributionPtr> told = std::move(to_be_told_);
  to_be_told_.clear();
  lock.unlock();
  // The failure does not change any more.
  for (const ContributionPtr& contribution : told) contribution->OnFailure(failure_);
}

void Rendezvous::DeviceEnded(int64_t device, const absl::Status& status) {
  std::unique_lock<std::mutex> lock(mutex_);
  devices_[device].state = State::kEnded;
  devices_[device].meeting = nullptr;
  if (!status.ok()) {
    Fail(absl::AbortedError(absl::StrCat("stopped because device ", device, " failed: ", status.message())));
  }
  const bool somebody_waits =
      std::any_of(devices_.begin(), devices_.end(), [](const Device& d) { return d.state == State::kWaiting; });
  if (somebody_waits) FailIfStuck();
  const auto is_at_no_work = [&] {
    return std::none_of(at_work_.begin(), at_work_.end(), [device](const MeetingPtr& meeting) {
      return std::find(meeting->group_.begin(), meeting->group_.end(), device) != meeting->group_.end();
    });
  };
  while (!is_at_no_work()) Sleep(lock, devices_[device], is_at_no_work);
  UnlockAndTell(lock);
}

}  // namespace xla
