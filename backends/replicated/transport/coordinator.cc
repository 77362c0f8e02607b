#include "backends/replicated/transport/coordinator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/replicated/transport/who_waits.h"

namespace xla {
namespace transport {
namespace {

constexpr absl::Duration kHeartbeat = absl::Milliseconds(200);
// A process whose connection has gone, and which would have said something within that time if it lived.
constexpr absl::Duration kDeathSilence = absl::Milliseconds(700);
// For launches of which each is waited for by some process, but none by all.
constexpr absl::Duration kOtherLaunchPatience = absl::Seconds(2);

absl::Status StatusOf(int code, const std::string& message) {
  return absl::Status(static_cast<absl::StatusCode>(code), message);
}

std::string Seconds(absl::Duration duration) { return absl::StrCat(absl::ToInt64Seconds(duration), " s"); }

}  // namespace

std::string DescribeRank(int64_t rank, const std::string& host) {
  return host.empty() ? absl::StrCat("rank ", rank) : absl::StrCat("rank ", rank, " on host ", host);
}

std::string DescribeLaunch(int64_t id) {
  if (id == -1) return "the first launch";
  return id < 0 ? absl::StrCat("launch ", -id, " in order") : absl::StrCat("launch ", id);
}

// ---- Who is there

bool Coordinator::Receive(const std::string& connection, const MemberMessage& message, absl::Time now) {
  if (!Admit(connection, message, now)) return false;
  Understand(message.rank(), message, now);
  return true;
}

void Coordinator::Understand(int64_t rank, const MemberMessage& message, absl::Time now) {
  switch (message.what_case()) {
    case MemberMessage::kBegin:
      return Begin(rank, message.begin(), now);
    case MemberMessage::kAddress:
      return Exchange(rank, message.address());
    case MemberMessage::kConnected:
      return Connected(rank, message.connected().mesh());
    case MemberMessage::kReport:
      return Listen(rank, message.report());
    case MemberMessage::kFailure:
      return Fail(message.failure().launch(), StatusOf(message.failure().code(), message.failure().message()));
    case MemberMessage::kOverdue:
      return Judge(rank, message.overdue(), now);
    case MemberMessage::kOver:
      return End(rank, message.over().launch());
    case MemberMessage::kOffer:
      return Gather(rank, message.offer(), now);
    case MemberMessage::kLeave: {
      members_[rank].has_left = true;
      Lose(rank, absl::UnavailableError(absl::StrCat(Describe(rank), " has left")), now);
      CoordinatorMessage left;
      left.mutable_left()->set_rank(static_cast<int>(rank));
      for (int64_t r = 0; r < process_count(); ++r) Send(r, left);
      return;
    }
    case MemberMessage::kHello:
    case MemberMessage::WHAT_NOT_SET:
      return;
  }
}

// Whether the message is from a member, perhaps a new one.
bool Coordinator::Admit(const std::string& connection, const MemberMessage& message, absl::Time now) {
  const bool is_hello = message.what_case() == MemberMessage::kHello;
  const int64_t rank = message.rank();
  if (message.launch_token() != launch_token_) {
    if (is_hello) {
      ++strangers_;
      Refuse(connection, absl::PermissionDeniedError(
                             absl::StrCat("the processes here have another launch token than rank ", rank,
                                          "; give all processes of a run the same, or meet at another place")));
    }
    return false;
  }
  if (is_hello && (message.hello().process_count() != process_count() || rank < 0 || rank >= process_count())) {
    const absl::Status status = absl::InvalidArgumentError(absl::StrCat(
        DescribeRank(rank, message.hello().host()), " was started as one of ", message.hello().process_count(),
        " processes, rank 0 as one of ", process_count(), "; give all processes of a run the same number"));
    Refuse(connection, status);
    if (is_complete_) return false;
    misfit_ = status;
    for (const Process& other : members_) {
      if (other.present) Refuse(other.connection, status);
    }
    return false;
  }
  if (rank < 0 || rank >= process_count()) return false;
  if (!misfit_.ok()) {
    if (is_hello) Refuse(connection, misfit_);
    return false;
  }
  Process& process = members_[rank];
  if (process.present && process.incarnation != message.incarnation()) {
    if (is_hello) {
      Refuse(connection,
             absl::AlreadyExistsError(absl::StrCat(Describe(rank), " is there already, as process ",
                                                   process.member.pid(), "; give each process a rank of its own")));
    }
    return false;
  }
  if (!process.present) {
    if (!is_hello) return false;
    process.present = true;
    process.incarnation = message.incarnation();
    process.member.set_rank(message.rank());
    process.member.set_host(message.hello().host());
    process.member.set_pid(message.hello().pid());
  }
  if (process.death.has_value()) {
    Refuse(connection, *process.death);
    return false;
  }
  process.connection = connection;
  process.connected = true;
  process.heard = now;
  if (is_hello) {
    const bool all = std::all_of(members_.begin(), members_.end(), [](const Process& p) { return p.present; });
    if (all) {
      CoordinatorMessage welcome;
      for (const Process& p : members_) *welcome.mutable_welcome()->add_member() = p.member;
      // Others that have it already do not mind.
      for (int64_t r = 0; r < process_count(); ++r) Send(r, welcome);
      is_complete_ = true;
    } else {
      SayWhoIsMissing(now);
    }
  }
  return true;
}

void Coordinator::Refuse(const std::string& connection, const absl::Status& status) {
  CoordinatorMessage message;
  message.mutable_refusal()->set_code(static_cast<int>(status.code()));
  message.mutable_refusal()->set_message(std::string(status.message()));
  outgoing_.push_back({connection, std::move(message)});
}

void Coordinator::SayWhoIsMissing(absl::Time now) {
  CoordinatorMessage message;
  message.mutable_missing()->set_strangers(strangers_);
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!members_[r].present) {
      message.mutable_missing()->add_rank(static_cast<int>(r));
    } else if (now - members_[r].heard >= kSilent) {
      message.mutable_missing()->add_silent(static_cast<int>(r));
    }
  }
  for (int64_t r = 0; r < process_count(); ++r) Send(r, message);
}

void Coordinator::Send(int64_t rank, CoordinatorMessage message) {
  const Process& process = members_[rank];
  if (!process.present || process.death.has_value()) return;
  outgoing_.push_back({process.connection, std::move(message)});
}

std::vector<Coordinator::Outgoing> Coordinator::TakeOutgoing() {
  std::vector<Outgoing> outgoing = std::move(outgoing_);
  outgoing_.clear();
  return outgoing;
}

void Coordinator::ConnectionLost(const std::string& connection) {
  for (Process& process : members_) {
    if (process.present && process.connection == connection) process.connected = false;
  }
}

bool Coordinator::AllHaveGone() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const Process& p) { return !p.present || p.has_left || p.death.has_value(); });
}

void Coordinator::Tick(absl::Time now) {
  for (int64_t r = 0; r < process_count(); ++r) {
    Process& process = members_[r];
    if (!process.present || process.connected || process.has_left || process.death.has_value()) continue;
    if (now - process.heard < kDeathSilence) continue;
    if (!is_complete_) {  // another one may take its place
      process = Process();
      continue;
    }
    process.death = absl::UnavailableError(
        absl::StrCat(Describe(r), " has died (process ", process.member.pid(), "); see what it said last"));
    Lose(r, *process.death, now);
  }
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + kHeartbeat;
    if (is_complete_) {
      for (int64_t r = 0; r < process_count(); ++r) Send(r, CoordinatorMessage());
    } else {
      SayWhoIsMissing(now);
    }
  }
  // Launches that not all have begun.
  std::vector<std::pair<int64_t, absl::Status>> failed;
  std::vector<std::vector<int64_t>> waits_for(members_.size());
  for (const auto& [id, launch] : launches_) {
    if (launch.has_begun) continue;
    std::vector<std::string> missing;
    for (int64_t r = 0; r < process_count(); ++r) {
      if (launch.fingerprints[r].has_value()) {
        if (now - launch.first_begin > kOtherLaunchPatience) waits_for[r].push_back(id);
      } else {
        missing.push_back(absl::StrCat(Describe(r), HowHeard(r, now)));
      }
    }
    if (now < launch.deadline) continue;
    failed.emplace_back(
        id, absl::DeadlineExceededError(absl::StrCat(DescribeLaunch(id), " has not been begun within ",
                                                     Seconds(launch.timeout), " by ", absl::StrJoin(missing, ", "),
                                                     "; see what they do, or set a longer collective timeout")));
  }
  if (std::none_of(waits_for.begin(), waits_for.end(), [](const auto& ids) { return ids.empty(); })) {
    for (size_t r = 1; r < waits_for.size(); ++r) {
      if (waits_for[r][0] == waits_for[0][0]) continue;
      const absl::Status status = absl::FailedPreconditionError(absl::StrCat(
          Describe(0), " begins ", DescribeLaunch(waits_for[0][0]), ", but ", Describe(r), " begins ",
          DescribeLaunch(waits_for[r][0]), "; all processes must run the same programs in the same order"));
      for (const auto& ids : waits_for) {
        for (const int64_t id : ids) failed.emplace_back(id, status);
      }
      break;
    }
  }
  for (const auto& [id, status] : failed) Fail(id, status);
  if (mesh_.is_usable && !mesh_.is_ready && now >= mesh_.deadline) FailMesh(WhyNotConnected(now));
  // Gatherings in which someone is not heard of.
  for (auto it = gatherings_.begin(); it != gatherings_.end();) {
    const auto& [number, gathering] = *it++;
    for (int64_t r = 0; r < process_count(); ++r) {
      if (gathering.offers[r].has_value() || now - members_[r].heard < patience_) continue;
      EndGathering(number,
                   absl::DeadlineExceededError(absl::StrCat("waited for results of ", Describe(r), HowHeard(r, now))),
                   now);
      break;
    }
  }
}

std::string Coordinator::HowHeard(int64_t rank, absl::Time now) const {
  const absl::Duration silence = now - members_[rank].heard;
  if (silence < kSilent) return "";
  return absl::StrCat(", which has not been heard of for ", Seconds(silence), " (is it stopped, or its network down?)");
}

absl::optional<absl::Status> Coordinator::WhyGone(int64_t rank) const {
  if (members_[rank].death.has_value()) return members_[rank].death;
  if (members_[rank].has_left) return absl::UnavailableError(absl::StrCat(Describe(rank), " has left"));
  return absl::nullopt;
}

void Coordinator::Lose(int64_t rank, const absl::Status& why, absl::Time now) {
  std::vector<int64_t> lost;
  for (const auto& [id, launch] : launches_) {
    // Who has left has ended what it had begun.
    if (!launch.over[rank] && !(members_[rank].has_left && launch.has_begun)) lost.push_back(id);
  }
  for (const int64_t id : lost) Fail(id, why);
  if (!members_[rank].has_left) mesh_.is_usable = false;
  std::vector<int64_t> numbers;
  for (const auto& [number, gathering] : gatherings_) {
    if (!gathering.offers[rank].has_value()) numbers.push_back(number);
  }
  for (const int64_t number : numbers) EndGathering(number, why, now);
}

// ---- Who waits where

void Coordinator::Listen(int64_t rank, const Report& report) {
  const auto it = launches_.find(report.launch());
  if (it == launches_.end() || !it->second.has_begun) return;
  it->second.reports[rank] = report;
  FailIfStuck(report.launch());
}

void Coordinator::FailIfStuck(int64_t id) {
  const std::vector<absl::optional<Report>>& reports = launches_[id].reports;
  const absl::Status deadlock = FindDeadlock(reports, [this](int64_t rank) { return Describe(rank); });
  if (!deadlock.ok()) Fail(id, deadlock);
}

void Coordinator::Judge(int64_t rank, const MemberMessage::Overdue& overdue, absl::Time now) {
  const auto it = launches_.find(overdue.launch());
  if (it == launches_.end()) return;
  std::vector<std::string> silence(members_.size());
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!WhyGone(r).has_value()) silence[r] = HowHeard(r, now);
  }
  Fail(overdue.launch(),
       ExplainWait(overdue, rank, it->second.reports, silence, [this](int64_t member) { return Describe(member); }));
}

// ---- Gathering

void Coordinator::Gather(int64_t rank, const MemberMessage::Offer& offer, absl::Time now) {
  Gathering& gathering = gatherings_[offer.number()];
  gathering.offers.resize(members_.size());
  gathering.offers[rank] = offer;
  for (int64_t r = 0; r < process_count(); ++r) {
    if (gathering.offers[r].has_value()) continue;
    if (const auto gone = WhyGone(r)) return EndGathering(offer.number(), *gone, now);
  }
  const bool all =
      std::all_of(gathering.offers.begin(), gathering.offers.end(), [](const auto& o) { return o.has_value(); });
  if (all) EndGathering(offer.number(), absl::OkStatus(), now);
}

void Coordinator::EndGathering(int64_t number, const absl::Status& status, absl::Time now) {
  const auto it = gatherings_.find(number);
  if (it == gatherings_.end()) return;
  const Gathering gathering = std::move(it->second);
  gatherings_.erase(it);
  CoordinatorMessage message;
  CoordinatorMessage::Gathered& gathered = *message.mutable_gathered();
  gathered.set_number(number);
  gathered.set_code(static_cast<int>(status.code()));
  gathered.set_message(std::string(status.message()));
  if (status.ok()) {
    const bool some_are_large = std::any_of(gathering.offers.begin(), gathering.offers.end(),
                                            [](const auto& offer) { return offer->size() > kSmallOffer; });
    if (some_are_large) gathered.set_mesh(UsableMesh(now));
    for (const auto& offer : gathering.offers) gathered.add_size(offer->size());
  }
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!gathering.offers[r].has_value()) continue;
    CoordinatorMessage reply = message;
    if (r == 0 && status.ok()) {
      for (const auto& offer : gathering.offers) reply.mutable_gathered()->add_small(offer->small());
    }
    Send(r, std::move(reply));
  }
}

}  // namespace transport
}  // namespace xla
