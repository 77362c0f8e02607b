// What the coordinator knows of launches: who has begun them, how they end.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/replicated/transport/coordinator.h"

namespace xla {
namespace transport {
namespace {

// Failures are kept for processes that begin the launch later; no process is that far behind.
constexpr size_t kRememberedFailures = 256;
constexpr int64_t kMaxLaunchesAtATime = 1024;

}  // namespace

void Coordinator::Begin(int64_t rank, const MemberMessage::Begin& begin, absl::Time now) {
  const int64_t id = begin.launch();
  for (const auto& [failed, failure] : failures_) {
    if (failed == id) return ReplyToBegin(id, rank, failure);
  }
  for (int64_t r = 0; r < process_count(); ++r) {
    if (const auto gone = WhyGone(r)) return ReplyToBegin(id, rank, *gone);
  }
  if (static_cast<int64_t>(launches_.size()) >= kMaxLaunchesAtATime) {
    return ReplyToBegin(id, rank,
                        absl::ResourceExhaustedError(absl::StrCat("more than ", kMaxLaunchesAtATime,
                                                                  " launches at a time; wait for some to end")));
  }
  Launch& launch = launches_[id];
  if (launch.fingerprints.empty()) {
    launch.fingerprints.resize(members_.size());
    launch.over.resize(members_.size());
    launch.reports.resize(members_.size());
    launch.first_begin = now;
    launch.timeout = absl::Milliseconds(begin.timeout_ms());
    launch.deadline = now + launch.timeout;
    patience_ = launch.timeout;
  }
  if (launch.fingerprints[rank].has_value()) {
    return ReplyToBegin(id, rank,
                        absl::FailedPreconditionError(absl::StrCat(
                            DescribeLaunch(id), " is under way already; each launch needs a number of its own")));
  }
  launch.fingerprints[rank] = begin.fingerprint();
  launch.reports[rank].emplace();  // all run
  for (const int64_t device : begin.device()) launch.reports[rank]->add_device()->set_device(device);
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!launch.fingerprints[r].has_value() || *launch.fingerprints[r] == begin.fingerprint()) continue;
    const int64_t first = std::min(r, rank), second = std::max(r, rank);
    return Fail(id, absl::FailedPreconditionError(absl::StrCat(
                        Describe(first), " and ", Describe(second), " run different programs: their fingerprints are ",
                        *launch.fingerprints[first], " and ", *launch.fingerprints[second],
                        "; give all processes the same module and the same options")));
  }
  if (std::any_of(launch.fingerprints.begin(), launch.fingerprints.end(), [](const auto& f) { return !f.has_value(); }))
    return;
  launch.has_begun = true;
  launch.mesh = UsableMesh(now);
  for (int64_t r = 0; r < process_count(); ++r) ReplyToBegin(id, r, absl::OkStatus());
}

void Coordinator::ReplyToBegin(int64_t launch, int64_t rank, const absl::Status& status) {
  CoordinatorMessage message;
  CoordinatorMessage::Begun& begun = *message.mutable_begun();
  begun.set_launch(launch);
  begun.set_code(static_cast<int>(status.code()));
  begun.set_message(std::string(status.message()));
  if (status.ok()) begun.set_mesh(launches_[launch].mesh);
  Send(rank, std::move(message));
}

void Coordinator::End(int64_t rank, int64_t id) {
  const auto it = launches_.find(id);
  if (it == launches_.end()) return;
  it->second.over[rank] = true;
  if (std::all_of(it->second.over.begin(), it->second.over.end(), [](bool over) { return over; })) launches_.erase(it);
}

void Coordinator::Fail(int64_t id, const absl::Status& failure) {
  const auto it = launches_.find(id);
  if (it == launches_.end() || failure.ok()) return;
  const Launch launch = std::move(it->second);
  launches_.erase(it);
  failures_.emplace_back(id, failure);
  if (failures_.size() > kRememberedFailures) failures_.pop_front();
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!launch.fingerprints[r].has_value()) continue;
    if (!launch.has_begun) {
      ReplyToBegin(id, r, failure);
      continue;
    }
    CoordinatorMessage message;
    message.mutable_failure()->set_launch(id);
    message.mutable_failure()->set_code(static_cast<int>(failure.code()));
    message.mutable_failure()->set_message(std::string(failure.message()));
    message.mutable_failure()->set_mesh(launch.mesh);
    Send(r, std::move(message));
  }
  if (!launch.has_begun) return;
  if (launch.mesh == mesh_.number) mesh_.is_usable = false;
  std::vector<int64_t> others;
  for (const auto& [other, l] : launches_) {
    if (l.has_begun && l.mesh == launch.mesh) others.push_back(other);
  }
  for (const int64_t other : others) {
    Fail(other,
         absl::AbortedError(absl::StrCat("stopped because ", DescribeLaunch(id), " failed: ", failure.message())));
  }
}

}  // namespace transport
}  // namespace xla
