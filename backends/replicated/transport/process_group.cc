#include "backends/replicated/process_group.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backends/host/local_collectives.h"
#include "backends/replicated/transport/background.h"
#include "backends/replicated/transport/control_channel.h"
#include "backends/replicated/transport/group_address.h"
#include "backends/replicated/transport/meeting_place.h"
#include "backends/replicated/transport/mesh.h"
#include "backends/replicated/transport/mesh_use.h"
#include "backends/replicated/transport/process_collectives.h"
#include "backends/replicated/transport/sent_keeper.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

using Check = absl::FunctionRef<absl::Status()>;

constexpr int kMaxProcesses = 4096;
constexpr size_t kMaxToken = 256;
constexpr auto kTick = std::chrono::milliseconds(10);
constexpr absl::Duration kHelloInterval = absl::Milliseconds(300);
constexpr absl::Duration kLookInterval = absl::Milliseconds(50);
// The coordinator keeps all deadlines; one that lives answers a moment later.
constexpr absl::Duration kAnswerTime = absl::Seconds(2);
// The last report of a launch is told if the launch is not over soon; mostly it is.
constexpr absl::Duration kLastReportDelay = absl::Milliseconds(100);
constexpr int64_t kMaxGathered = int64_t{1} << 36;
absl::Status StatusOf(int code, const std::string& message) {
  return absl::Status(static_cast<absl::StatusCode>(code), message);
}

// ---- One process

class SingleProcess : public ProcessGroup {
 public:
  int64_t process_index() const override { return 0; }
  int64_t process_count() const override { return 1; }
  absl::StatusOr<std::unique_ptr<Collectives>> Begin(const LaunchDescription& launch, Check check) override {
    RETURN_IF_ERROR(check());
    return std::unique_ptr<Collectives>(std::make_unique<LocalCollectives>(
        static_cast<int64_t>(launch.process_of_device.size()), launch.pool, launch.memory));
  }
  absl::StatusOr<std::vector<std::string>> GatherToFirst(std::string mine, Check check) override {
    RETURN_IF_ERROR(check());
    return std::vector<std::string>{std::move(mine)};
  }
};

// ---- Several processes

class Group : public ProcessGroup {
 public:
  explicit Group(const ProcessGroupOptions& options) : options_(options) {}

  ~Group() override {
    if (client_ != nullptr) {
      keeper_.reset();
      // Others may still wait for its devices.
      std::deque<std::pair<absl::Time, Report>> reports;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        reports.swap(last_reports_);
      }
      for (auto& [ended, report] : reports) Tell(std::move(report));
      MemberMessage leave;
      leave.mutable_leave();
      client_->Send(std::move(leave));
      client_.reset();
    }
    background_.reset();
    mesh_.reset();
    server_.reset();
    if (address_.has_value()) address_->Withdraw();
  }

  absl::Status Connect(Check check) {
    const absl::Time deadline = absl::Now() + options_.connect_timeout;
    ASSIGN_OR_RETURN(GroupAddress address, GroupAddress::Make(options_));
    address_.emplace(std::move(address));
    if (options_.process_index == 0) {
      ASSIGN_OR_RETURN(server_, address_->Serve());
    }
    MemberMessage self;
    self.set_launch_token(options_.launch_token);
    self.set_rank(static_cast<int>(options_.process_index));
    std::random_device random;
    self.set_incarnation(uint64_t{random()} << 32 | random());
    ASSIGN_OR_RETURN(client_, ControlClient::Start(std::move(self), {[this](const CoordinatorMessage& m) { Hear(m); },
                                                                     [this] { Tick(); }, [this] { LoseFirst(); }}));
    absl::Time next_look = absl::InfinitePast(), next_hello = absl::InfinitePast();
    std::string control;
    absl::Status lookup;
    while (true) {
      const absl::Time now = absl::Now();
      if (now >= next_look) {
        next_look = now + kLookInterval;
        const absl::StatusOr<std::string> found = address_->LookUp();
        lookup = found.status();
        if (found.ok() && *found != control) {
          control = *found;
          client_->SetAddress(control);
          next_hello = absl::InfinitePast();
        }
      }
      if (!control.empty() && now >= next_hello) {
        next_hello = now + kHelloInterval;
        MemberMessage hello;
        hello.mutable_hello()->set_process_count(static_cast<int>(options_.process_count));
        hello.mutable_hello()->set_host(DisplayName());
        hello.mutable_hello()->set_pid(getpid());
        client_->Send(std::move(hello));
      }
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, kTick);
      if (!refusal_.ok()) return refusal_;
      if (!members_.empty()) break;
      if (now >= deadline) return Missing(control, lookup);
      lock.unlock();
      RETURN_IF_ERROR(check());
    }
    ASSIGN_OR_RETURN(own_address_, address_->OwnToward(control));
    return absl::OkStatus();
  }

  int64_t process_index() const override { return options_.process_index; }
  int64_t process_count() const override { return options_.process_count; }

  absl::StatusOr<std::unique_ptr<Collectives>> Begin(const LaunchDescription& launch, Check check) override {
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
            absl::StrCat("launch ", id, " is under way already; each launch needs a number of its own"));
      }
      patience_ = launch.collective_timeout;
    }
    const absl::StatusOr<int64_t> mesh_number = BeginTogether(launch, check);
    absl::StatusOr<std::shared_ptr<Mesh>> mesh = absl::UnknownError("");
    absl::Status status = mesh_number.status();
    if (status.ok()) {
      mesh = EnsureMesh(*mesh_number, absl::Now() + launch.collective_timeout, id, check);
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
    connections.keep_sent = [this](std::shared_ptr<Mesh> m, std::unique_ptr<Exchange::Sent> s,
                                   std::function<void()> t) {
      keeper_->Keep(std::move(m), std::move(s), std::move(t));
    };
    connections.background = background_.get();
    state.meetings = std::make_shared<LaunchMeetings>(launch, std::move(connections));
    return std::unique_ptr<Collectives>(
        std::make_unique<ProcessCollectives>(state.meetings, [this, id] { EndLaunch(id); }));
  }

  absl::StatusOr<std::vector<std::string>> GatherToFirst(std::string mine, Check check) override {
    const auto size = static_cast<int64_t>(mine.size());
    if (size > kMaxGathered) {
      return absl::InvalidArgumentError(absl::StrCat("rank ", options_.process_index, " offers ", size,
                                                     " bytes; at most ", kMaxGathered, " can be gathered"));
    }
    std::lock_guard<std::mutex> in_order(gather_mutex_);
    const int64_t number = next_gathering_++;
    MemberMessage message;
    message.mutable_offer()->set_number(number);
    message.mutable_offer()->set_size(size);
    if (size <= kSmallOffer) message.mutable_offer()->set_small(mine);
    client_->Send(std::move(message));
    CoordinatorMessage::Gathered gathered;
    RETURN_IF_ERROR(AwaitAnswer(absl::InfiniteFuture(), check, [&]() -> bool {
      const auto it = gathered_.find(number);
      if (it == gathered_.end()) return false;
      gathered = std::move(it->second);
      gathered_.erase(it);
      return true;
    }));
    if (gathered.code() != 0) return StatusOf(gathered.code(), gathered.message());
    if (gathered.size_size() != options_.process_count) return absl::InternalError("rank 0 gathers from others");
    std::vector<std::string> all;
    if (options_.process_index == 0) {
      all.assign(gathered.small().begin(), gathered.small().end());
      all.resize(options_.process_count);
      all[0] = std::move(mine);
    }
    if (gathered.mesh() == 0) return all;
    ASSIGN_OR_RETURN(const std::shared_ptr<Mesh> mesh,
                     EnsureMesh(gathered.mesh(), absl::Now() + options_.connect_timeout, 0, check));
    const NoBrokenPipeSignal no_signal;
    const auto go_on = [&]() -> absl::Status {
      RETURN_IF_ERROR(check());
      std::lock_guard<std::mutex> lock(mutex_);
      return lost_;
    };
    if (options_.process_index != 0) {
      if (size > kSmallOffer) RETURN_IF_ERROR(SendGathered(*mesh, number, options_.process_index, mine, go_on));
      return all;
    }
    for (int64_t r = 1; r < options_.process_count; ++r) {
      const int64_t bytes = gathered.size(static_cast<int>(r));
      if (bytes <= kSmallOffer) continue;
      if (bytes > kMaxGathered) return absl::InternalError(absl::StrCat("rank ", r, " offers ", bytes, " bytes"));
      std::string arrived(bytes, 0);
      RETURN_IF_ERROR(ReceiveGathered(*mesh, number, r, &arrived, go_on));
      all[r] = std::move(arrived);
    }
    return all;
  }

 private:
  struct LaunchState {
    absl::optional<CoordinatorMessage::Begun> begun;
    absl::Status failure;
    std::shared_ptr<LaunchMeetings> meetings;
  };

  // ---- Coming together

  std::string DisplayName() const { return options_.host_name.empty() ? OwnHostName() : options_.host_name; }

  // Called with the lock held.
  absl::Status Missing(const std::string& control, const absl::Status& lookup) const {
    const std::string within = absl::StrCat(" within ", absl::FormatDuration(options_.connect_timeout));
    if (missing_.rank_size() == 0) {
      return absl::DeadlineExceededError(absl::StrCat(
          "rank 0 was not found at ", options_.rendezvous, within,
          lookup.ok() ? absl::StrCat(" (nothing answers at ", control, ")") : absl::StrCat(" (", lookup.message(), ")"),
          "; start it with the same rendezvous and launch token"));
    }
    std::string message =
        absl::StrCat(missing_.rank_size() == 1 ? "rank " : "ranks ", absl::StrJoin(missing_.rank(), ", "), " of ",
                     options_.process_count, missing_.rank_size() == 1 ? " has" : " have", " not come", within);
    if (missing_.strangers() > 0) absl::StrAppend(&message, ", and one with another launch token was refused");
    return absl::DeadlineExceededError(
        absl::StrCat(message, "; start all ranks with the same rendezvous and launch token"));
  }

  // ---- What the coordinator says

  void Hear(const CoordinatorMessage& message) {
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
          dead_mesh_ = std::max(dead_mesh_, failure.mesh());
          if (mesh_ != nullptr && mesh_number_ <= dead_mesh_) closed = mesh_;
          const auto it = launches_.find(failure.launch());
          if (it == launches_.end()) break;
          it->second.failure = StatusOf(failure.code(), failure.message());
          failed = it->second.meetings;
          break;
        }
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

  // The coordinator's process has gone.
  void LoseFirst() {
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
        closed = mesh_;
      }
    }
    changed_.notify_all();
    for (const auto& launch : failed) launch->FailFromElsewhere(lost);
    if (closed != nullptr) closed->Close();
  }

  void Tick() {
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

  void Tell(Report report) {
    MemberMessage message;
    *message.mutable_report() = std::move(report);
    client_->Send(std::move(message));
  }

  // Waits for an answer, which `take` takes if it is there; it is called with the lock held.
  absl::Status AwaitAnswer(absl::Time deadline, Check check, absl::FunctionRef<bool()> take) {
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

  // ---- Launches

  // The number of the mesh to use.
  absl::StatusOr<int64_t> BeginTogether(const LaunchDescription& launch, Check check) {
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
    const absl::Status status =
        AwaitAnswer(absl::Now() + launch.collective_timeout + kAnswerTime, check, [&]() -> bool {
          LaunchState& state = launches_[id];
          if (!state.begun.has_value()) return false;
          begun = *state.begun;
          return true;
        });
    if (!status.ok()) {
      TellFailure(
          id, absl::AbortedError(absl::StrCat("stopped because ", DescribeRank(options_.process_index, DisplayName()),
                                              " did not begin: ", status.message())));
      return status;
    }
    if (begun.code() != 0) return StatusOf(begun.code(), begun.message());
    return begun.mesh();
  }

  // Devices that are elsewhere in another process are another program, too.
  static std::string FingerprintOf(const LaunchDescription& launch) {
    const std::vector<int64_t>& ranks = launch.process_of_device;
    const size_t shown = std::min<size_t>(ranks.size(), 64);
    uint64_t hash = ranks.size();
    for (const int64_t rank : ranks) hash = MixHash(hash, rank);
    return absl::StrCat(launch.fingerprint, " on devices of ranks ",
                        absl::StrJoin(ranks.begin(), ranks.begin() + shown, ","),
                        shown < ranks.size() ? absl::StrCat(", ... (", hash, ")") : "");
  }

  void TellFailure(int64_t launch, const absl::Status& status) {
    MemberMessage message;
    message.mutable_failure()->set_launch(launch);
    message.mutable_failure()->set_code(static_cast<int>(status.code()));
    message.mutable_failure()->set_message(std::string(status.message()));
    client_->Send(std::move(message));
  }

  void EndLaunch(int64_t id) {
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

  // The connections of that number, which all processes make at the same time. `launch` is what they are for.
  absl::StatusOr<std::shared_ptr<Mesh>> EnsureMesh(int64_t number, absl::Time deadline, int64_t launch, Check check) {
    std::unique_lock<std::mutex> making(mesh_mutex_, std::defer_lock);
    while (!making.try_lock()) {
      RETURN_IF_ERROR(check());
      absl::SleepFor(absl::Milliseconds(2));
    }
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (mesh_ != nullptr && mesh_number_ == number && !mesh_->is_closed()) return mesh_;
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Mesh> mesh,
                     Mesh::Make(static_cast<int>(options_.process_index), static_cast<int>(options_.process_count),
                                WithoutBrackets(own_address_)));
    MemberMessage message;
    message.mutable_addresses()->set_mesh(number);
    for (const std::string& address : mesh->addresses()) message.mutable_addresses()->add_address(address);
    client_->Send(std::move(message));
    std::vector<std::string> peers;
    // A failure elsewhere ends the wait, too.
    const auto go_on = [&]() -> absl::Status {
      RETURN_IF_ERROR(check());
      std::lock_guard<std::mutex> lock(mutex_);
      const auto it = launches_.find(launch);
      if (it != launches_.end() && !it->second.failure.ok()) return it->second.failure;
      if (dead_mesh_ >= number) return absl::UnavailableError("the connections between the processes are closed");
      return lost_;
    };
    RETURN_IF_ERROR(AwaitAnswer(deadline, go_on, [&]() -> bool {
      if (peers_.mesh() != number) return false;
      peers.assign(peers_.address().begin(), peers_.address().end());
      return true;
    }));
    if (static_cast<int64_t>(peers.size()) != options_.process_count) {
      return absl::InternalError("rank 0 knows other processes");
    }
    RETURN_IF_ERROR(ConnectMesh(*mesh, peers, deadline, go_on));
    std::lock_guard<std::mutex> lock(mutex_);
    mesh_ = mesh;
    mesh_number_ = number;
    if (dead_mesh_ >= number) mesh_->Close();
    return mesh;
  }

  const ProcessGroupOptions options_;
  absl::optional<GroupAddress> address_;
  std::string own_address_;

  std::mutex mutex_;
  std::condition_variable changed_;
  absl::Status refusal_;
  absl::Status lost_;  // the coordinator
  bool first_has_left_ = false;
  CoordinatorMessage::Missing missing_;
  std::vector<Member> members_;  // by rank, once all are there
  std::map<int64_t, LaunchState> launches_;
  std::deque<std::pair<absl::Time, Report>> last_reports_;
  std::map<int64_t, CoordinatorMessage::Gathered> gathered_;
  CoordinatorMessage::Peers peers_;
  std::shared_ptr<Mesh> mesh_;
  int64_t mesh_number_ = 0;
  int64_t dead_mesh_ = 0;
  absl::Duration patience_ = absl::Seconds(60);  // with a silent coordinator: the collective timeout

  std::mutex mesh_mutex_;    // of who makes one
  std::mutex gather_mutex_;  // of who gathers
  int64_t next_gathering_ = 0;

  std::unique_ptr<ControlServer> server_;
  std::unique_ptr<Background> background_ = std::make_unique<Background>();
  std::unique_ptr<SentKeeper> keeper_ = std::make_unique<SentKeeper>();
  std::unique_ptr<ControlClient> client_;
};

}  // namespace
}  // namespace transport

absl::StatusOr<std::shared_ptr<ProcessGroup>> ProcessGroup::Connect(const ProcessGroupOptions& options,
                                                                    absl::FunctionRef<absl::Status()> check) {
  if (options.process_count < 1 || options.process_count > transport::kMaxProcesses) {
    return absl::InvalidArgumentError(
        absl::StrCat("a group has 1 to ", transport::kMaxProcesses, " processes, not ", options.process_count));
  }
  if (options.process_index < 0 || options.process_index >= options.process_count) {
    return absl::InvalidArgumentError(absl::StrCat("ranks of ", options.process_count, " processes are 0 to ",
                                                   options.process_count - 1, ", not ", options.process_index));
  }
  if (options.launch_token.size() > transport::kMaxToken) {
    return absl::InvalidArgumentError(absl::StrCat("a launch token has at most ", transport::kMaxToken, " characters"));
  }
  if (options.process_count == 1) return std::shared_ptr<ProcessGroup>(std::make_shared<transport::SingleProcess>());
  auto group = std::make_shared<transport::Group>(options);
  const absl::Status status = group->Connect(check);
  if (!status.ok()) return status;
  return std::shared_ptr<ProcessGroup>(std::move(group));
}

}  // namespace xla
