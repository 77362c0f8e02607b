// How launches begin and end.

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/group.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {

absl::StatusOr<std::unique_ptr<Collectives>> Group::Begin(const LaunchDescription& launch, Check check) {
  for (const int64_t rank : launch.process_of_device) {
    if (rank >= 0 && rank < options_.process_count) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a device of rank ", rank, " in a group of ", options_.process_count, " processes"));
  }
  const int64_t id = launch.launch_id;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!launches_.emplace(id, LaunchState()).second) {
      return absl::FailedPreconditionError(
          absl::StrCat(DescribeLaunch(id), " is under way already; each launch needs a number of its own"));
    }
    patience_ = launch.collective_timeout;
  }
  const absl::StatusOr<int64_t> mesh_number = BeginTogether(launch, check);
  absl::StatusOr<std::shared_ptr<Mesh>> mesh = absl::UnknownError("");
  absl::Status status = mesh_number.status();
  if (status.ok()) {
    const auto go_on = [&]() -> absl::Status {
      RETURN_IF_ERROR(check());
      std::lock_guard<std::mutex> guard(mutex_);
      return launches_[id].failure;
    };
    mesh = EnsureMesh(*mesh_number, absl::Now() + launch.collective_timeout + kAnswerTime, go_on);
    status = mesh.status();
    if (!status.ok()) TellFailure(id, status);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  LaunchState& state = launches_[id];
  if (!state.failure.ok()) status = state.failure;
  if (!status.ok()) {
    launches_.erase(id);
    lock.unlock();
    return status;
  }
  LaunchConnections connections;
  connections.rank = static_cast<int>(options_.process_index);
  connections.host = DisplayName();
  connections.mesh = *mesh;
  connections.tell = [this](MemberMessage message) { client_->Send(std::move(message)); };
  connections.heard = [this] { return client_->heard(); };
  connections.gone = [this] {
    std::lock_guard<std::mutex> guard(mutex_);
    return lost_;
  };
  connections.keep_sent = [this](std::shared_ptr<Mesh> m, std::unique_ptr<Exchange::Sent> s, std::function<void()> t) {
    keeper_->Keep(std::move(m), std::move(s), std::move(t));
  };
  connections.background = background_.get();
  state.meetings = std::make_shared<LaunchMeetings>(launch, std::move(connections));
  return std::unique_ptr<Collectives>(
      std::make_unique<ProcessCollectives>(state.meetings, [this, id] { EndLaunch(id); }));
}

absl::StatusOr<int64_t> Group::BeginTogether(const LaunchDescription& launch, Check check) {
  const int64_t id = launch.launch_id;
  MemberMessage message;
  MemberMessage::Begin& begin = *message.mutable_begin();
  begin.set_launch(id);
  begin.set_fingerprint(FingerprintOf(launch));
  begin.set_timeout_ms(absl::ToInt64Milliseconds(launch.collective_timeout));
  for (size_t d = 0; d < launch.process_of_device.size(); ++d) {
    if (launch.process_of_device[d] == options_.process_index) begin.add_device(static_cast<int64_t>(d));
  }
  client_->Send(std::move(message));
  CoordinatorMessage::Begun begun;
  const absl::Status status = AwaitAnswer(absl::Now() + launch.collective_timeout + kAnswerTime, check, [&]() -> bool {
    LaunchState& state = launches_[id];
    if (!state.begun.has_value()) return false;
    begun = *state.begun;
    return true;
  });
  if (!status.ok()) {
    TellFailure(id,
                absl::AbortedError(absl::StrCat("stopped because ", DescribeRank(options_.process_index, DisplayName()),
                                                " did not begin: ", status.message())));
    return status;
  }
  if (begun.code() != 0) return StatusOf(begun.code(), begun.message());
  return begun.mesh();
}

std::string Group::FingerprintOf(const LaunchDescription& launch) {
  const std::vector<int64_t>& ranks = launch.process_of_device;
  const size_t shown = std::min<size_t>(ranks.size(), 64);
  uint64_t hash = ranks.size();
  for (const int64_t rank : ranks) hash = MixHash(hash, rank);
  return absl::StrCat(launch.fingerprint, " on devices of ranks ",
                      absl::StrJoin(ranks.begin(), ranks.begin() + shown, ","),
                      shown < ranks.size() ? absl::StrCat(", ... (", hash, ")") : "");
}

void Group::TellFailure(int64_t launch, const absl::Status& status) {
  MemberMessage message;
  message.mutable_failure()->set_launch(launch);
  message.mutable_failure()->set_code(static_cast<int>(status.code()));
  message.mutable_failure()->set_message(std::string(status.message()));
  client_->Send(std::move(message));
}

void Group::EndLaunch(int64_t id) {
  std::shared_ptr<LaunchMeetings> meetings;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto it = launches_.find(id);
    meetings = it->second.meetings;
    launches_.erase(it);
  }
  if (absl::optional<Report> report = meetings->TakeReport()) {
    std::lock_guard<std::mutex> lock(mutex_);
    last_reports_.emplace_back(absl::Now(), *std::move(report));
  }
  MemberMessage message;
  message.mutable_over()->set_launch(id);
  client_->Send(std::move(message));
}

}  // namespace transport
}  // namespace xla
