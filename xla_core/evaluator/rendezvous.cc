#include "xla_core/evaluator/rendezvous.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/status_macros.h"

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

absl::Status CheckSameOperands(const HloInstruction& instruction, absl::Span<const int64_t> group,
                               const std::vector<std::vector<Literal>>& contributions) {
  for (size_t m = 1; m < contributions.size(); ++m) {
    const auto same = [](const Literal& a, const Literal& b) { return a.shape().Compatible(b.shape()); };
    if (std::equal(contributions[0].begin(), contributions[0].end(), contributions[m].begin(), contributions[m].end(),
                   same))
      continue;
    return absl::InvalidArgumentError(
        absl::StrCat(instruction.name(), ": devices ", group[0], " and ", group[m],
                     " meet on one channel with operands of different shapes; do they run the same program?"));
  }
  return absl::OkStatus();
}

}  // namespace

// Collects the contributions of all devices of a group to one collective, and returns them, in order of the group, to
// each. The last to arrive wakes the others. Meetings are keyed by operation, channel and group; without a channel,
// by the instruction itself. `check` runs while waiting and ends it by an error.
absl::StatusOr<std::vector<std::vector<Literal>>> Rendezvous::Exchange(int64_t device,
                                                                       const HloInstruction& instruction,
                                                                       absl::Span<const int64_t> group,
                                                                       std::vector<Literal> mine,
                                                                       absl::FunctionRef<absl::Status()> check) {
  const int64_t channel = ChannelOf(instruction);
  MeetingKey key(static_cast<int>(instruction.opcode()), channel, channel > 0 ? nullptr : &instruction,
                 std::vector<int64_t>(group.begin(), group.end()));
  const size_t position = std::find(group.begin(), group.end(), device) - group.begin();

  std::unique_lock<std::mutex> lock(mutex_);
  std::shared_ptr<Meeting>& open = meetings_[key];
  if (open == nullptr) {
    open = std::make_shared<Meeting>();
    open->missing = static_cast<int64_t>(group.size());
    open->contributions.resize(group.size());
  }
  const std::shared_ptr<Meeting> meeting = open;
  meeting->contributions[position] = std::move(mine);
  if (--meeting->missing == 0) {
    meeting->done = true;
    meetings_.erase(key);  // the next round of a loop opens a new one
    for (int64_t member : group) devices_[member].state = State::kRunning;
    changed_.notify_all();
  }
  RETURN_IF_ERROR(Wait(
      lock, device, absl::StrCat(instruction.name(), " with devices {", absl::StrJoin(group, ","), "}"),
      [&] { return meeting->done; }, check));
  lock.unlock();
  RETURN_IF_ERROR(CheckSameOperands(instruction, group, meeting->contributions));
  return meeting->contributions;
}

void Rendezvous::Send(int64_t from, int64_t to, int64_t channel, Literal value) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Mailbox mailbox(channel, from, to);
  mail_[mailbox].push_back(std::move(value));
  if (devices_[to].state == State::kWaiting && devices_[to].mailbox == mailbox) devices_[to].state = State::kRunning;
  changed_.notify_all();
}

absl::StatusOr<Literal> Rendezvous::Receive(int64_t device, int64_t from, int64_t channel,
                                            const HloInstruction& instruction,
                                            absl::FunctionRef<absl::Status()> check) {
  std::unique_lock<std::mutex> lock(mutex_);
  const Mailbox mailbox(channel, from, device);
  std::deque<Literal>& box = mail_[mailbox];
  devices_[device].mailbox = mailbox;
  RETURN_IF_ERROR(Wait(
      lock, device, absl::StrCat(instruction.name(), " from device ", from, " on channel ", channel),
      [&] { return !box.empty(); }, check));
  Literal value = std::move(box.front());
  box.pop_front();
  return value;
}

absl::Status Rendezvous::Wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string what,
                              absl::FunctionRef<bool()> ready, absl::FunctionRef<absl::Status()> check) {
  if (ready()) return absl::OkStatus();
  devices_[device].state = State::kWaiting;
  devices_[device].waits_for = std::move(what);
  FailIfStuck();
  while (!ready() && failure_.ok()) {
    changed_.wait_for(lock, kCheckInterval);
    absl::Status go_on = check();
    if (!go_on.ok()) Fail(std::move(go_on));
  }
  devices_[device].state = State::kRunning;
  devices_[device].mailbox = Mailbox();
  return ready() ? absl::OkStatus() : failure_;
}

void Rendezvous::FailIfStuck() {
  for (const Device& device : devices_) {
    if (device.state == State::kRunning) return;
  }
  std::string waiting;
  for (size_t d = 0; d < devices_.size(); ++d) {
    if (devices_[d].state == State::kWaiting)
      absl::StrAppend(&waiting, "; device ", d, " waits at ", devices_[d].waits_for);
    if (devices_[d].state == State::kEnded) absl::StrAppend(&waiting, "; device ", d, " has ended");
  }
  Fail(absl::FailedPreconditionError(absl::StrCat("deadlock: no device can go on", waiting)));
}

void Rendezvous::Fail(absl::Status failure) {
  if (!failure_.ok()) return;
  failure_ = std::move(failure);
  failed_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
}

void Rendezvous::DeviceEnded(int64_t device, const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  devices_[device].state = State::kEnded;
  if (!status.ok()) {
    Fail(absl::AbortedError(absl::StrCat("stopped because device ", device, " failed: ", status.message())));
  }
  const bool somebody_waits =
      std::any_of(devices_.begin(), devices_.end(), [](const Device& d) { return d.state == State::kWaiting; });
  if (somebody_waits) FailIfStuck();
}

}  // namespace xla
