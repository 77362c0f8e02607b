// What the coordinator says, and what is told to it from time to time.

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/group.h"

namespace xla {
namespace transport {
namespace {

// The last report of a launch is told if the launch is not over soon; mostly it is.
constexpr absl::Duration kLastReportDelay = absl::Milliseconds(100);

}  // namespace

void Group::Hear(const CoordinatorMessage& message) {
  std::shared_ptr<LaunchMeetings> failed;
  std::shared_ptr<Mesh> closed;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    switch (message.what_case()) {
      case CoordinatorMessage::kRefusal: {
        const absl::Status status = StatusOf(message.refusal().code(), message.refusal().message());
        if (members_.empty()) refusal_ = status;
        break;
      }
      case CoordinatorMessage::kMissing:
        missing_ = message.missing();
        break;
      case CoordinatorMessage::kWelcome:
        if (members_.empty()) members_.assign(message.welcome().member().begin(), message.welcome().member().end());
        break;
      case CoordinatorMessage::kBegun: {
        const auto it = launches_.find(message.begun().launch());
        if (it != launches_.end()) it->second.begun = message.begun();
        // All processes have come as far.
        if (message.begun().code() == 0) last_reports_.clear();
        break;
      }
      case CoordinatorMessage::kPeers:
        peers_ = message.peers();
        break;
      case CoordinatorMessage::kFailure: {
        const Failure& failure = message.failure();
        if (failure.mesh() > dead_mesh_) {
          dead_mesh_ = failure.mesh();
          dead_mesh_why_ = StatusOf(failure.code(), failure.message());
        }
        if (mesh_ != nullptr && mesh_number_ <= dead_mesh_) closed = mesh_;
        const auto it = launches_.find(failure.launch());
        if (it == launches_.end()) break;
        it->second.failure = StatusOf(failure.code(), failure.message());
        failed = it->second.meetings;
        break;
      }
      case CoordinatorMessage::kReady:
        ready_mesh_ = std::max(ready_mesh_, message.ready().mesh());
        break;
      case CoordinatorMessage::kMeshLost:
        if (message.mesh_lost().mesh() <= dead_mesh_) break;
        dead_mesh_ = message.mesh_lost().mesh();
        dead_mesh_why_ = StatusOf(message.mesh_lost().code(), message.mesh_lost().message());
        break;
      case CoordinatorMessage::kGathered:
        gathered_[message.gathered().number()] = message.gathered();
        break;
      case CoordinatorMessage::kLeft:
        if (message.left().rank() == 0) first_has_left_ = true;
        break;
      case CoordinatorMessage::WHAT_NOT_SET:
        break;
    }
  }
  changed_.notify_all();
  if (failed != nullptr) {
    failed->FailFromElsewhere(StatusOf(message.failure().code(), message.failure().message()));
  }
  if (closed != nullptr) closed->Close();
}

void Group::LoseFirst() {
  std::vector<std::shared_ptr<LaunchMeetings>> failed;
  std::shared_ptr<Mesh> closed;
  absl::Status lost;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (members_.empty()) return;
    const std::string first = DescribeRank(0, members_[0].host());
    lost_ = lost = absl::UnavailableError(
        first_has_left_ ? absl::StrCat(first, " has left")
                        : absl::StrCat(first, " has died (process ", members_[0].pid(), "); see what it said last"));
    if (!first_has_left_) {
      for (auto& [id, launch] : launches_) {
        launch.failure = lost;
        if (launch.meetings != nullptr) failed.push_back(launch.meetings);
      }
      dead_mesh_ = std::max(dead_mesh_, mesh_number_);
      dead_mesh_why_ = lost;
      closed = mesh_;
    }
  }
  changed_.notify_all();
  for (const auto& launch : failed) launch->FailFromElsewhere(lost);
  if (closed != nullptr) closed->Close();
}

void Group::Tick() {
  std::vector<std::shared_ptr<LaunchMeetings>> running;
  std::vector<Report> reports;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, launch] : launches_) {
      if (launch.meetings != nullptr) running.push_back(launch.meetings);
    }
    const absl::Time now = absl::Now();
    while (!last_reports_.empty() && now - last_reports_.front().first > kLastReportDelay) {
      reports.push_back(std::move(last_reports_.front().second));
      last_reports_.pop_front();
    }
  }
  for (const auto& launch : running) {
    if (absl::optional<Report> report = launch->TakeReport()) reports.push_back(*std::move(report));
  }
  for (Report& report : reports) Tell(std::move(report));
}

void Group::Tell(Report report) {
  MemberMessage message;
  *message.mutable_report() = std::move(report);
  client_->Send(std::move(message));
}

absl::Status Group::AwaitAnswer(absl::Time deadline, Check check, absl::FunctionRef<bool()> take) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!take()) {
    if (!lost_.ok()) return lost_;
    const absl::Time now = absl::Now();
    if (now >= deadline || now - client_->heard() > patience_ + kAnswerTime) {
      const std::string first = members_.empty() ? "rank 0" : DescribeRank(0, members_[0].host());
      return absl::DeadlineExceededError(absl::StrCat(first, " does not answer, and has not been heard of for ",
                                                      absl::ToInt64Seconds(now - client_->heard()),
                                                      " s (is it stopped, or its network down?)"));
    }
    changed_.wait_for(lock, kTick);
    lock.unlock();
    const absl::Status go_on = check();
    lock.lock();
    if (!go_on.ok()) return go_on;
  }
  return absl::OkStatus();
}

}  // namespace transport
}  // namespace xla
