#include "backends/replicated/transport/coordinator.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace transport {
namespace {

constexpr absl::Duration kHeartbeat = absl::Milliseconds(200);
// A process whose connection has gone, and which would have said something within that time if it lived.
constexpr absl::Duration kDeathSilence = absl::Milliseconds(700);
// For launches of which each is waited for by some process, but none by all.
constexpr absl::Duration kOtherLaunchPatience = absl::Seconds(2);
// Failures are kept for processes that begin the launch later; nobody is that far behind.
constexpr size_t kRememberedFailures = 256;
constexpr int64_t kMaxLaunchesAtATime = 1024;
// Processes whose connection stands are named as silent from here on: a few heartbeats are missing.
constexpr absl::Duration kSilent = absl::Seconds(2);

absl::Status StatusOf(int code, const std::string& message) {
  return absl::Status(static_cast<absl::StatusCode>(code), message);
}

std::string Seconds(absl::Duration duration) { return absl::StrCat(absl::ToInt64Seconds(duration), " s"); }

}  // namespace

std::string DescribeRank(int64_t rank, const std::string& host) {
  return host.empty() ? absl::StrCat("rank ", rank) : absl::StrCat("rank ", rank, " on host ", host);
}

// ---- Who is there

void Coordinator::Receive(const std::string& connection, const MemberMessage& message, absl::Time now) {
  if (!Admit(connection, message, now)) return;
  const int64_t rank = message.rank();
  switch (message.what_case()) {
    case MemberMessage::kBegin:
      return Begin(rank, message.begin(), now);
    case MemberMessage::kAddresses:
      return Exchange(rank, message.addresses());
    case MemberMessage::kReport:
      return Listen(rank, message.report());
    case MemberMessage::kFailure:
      return Fail(message.failure().launch(), StatusOf(message.failure().code(), message.failure().message()));
    case MemberMessage::kOverdue:
      return Judge(rank, message.overdue(), now);
    case MemberMessage::kOver:
      return End(rank, message.over().launch());
    case MemberMessage::kOffer:
      return Gather(rank, message.offer());
    case MemberMessage::kLeave: {
      members_[rank].has_left = true;
      Lose(rank, absl::UnavailableError(absl::StrCat(Describe(rank), " has left")));
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
    for (const Process& other : members_) {
      if (other.present) Refuse(other.connection, status);
    }
    return false;
  }
  if (rank < 0 || rank >= process_count()) return false;
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
      SayWhoIsMissing();
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

void Coordinator::SayWhoIsMissing() {
  CoordinatorMessage message;
  message.mutable_missing()->set_strangers(strangers_);
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!members_[r].present) message.mutable_missing()->add_rank(static_cast<int>(r));
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
    Lose(r, *process.death);
  }
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + kHeartbeat;
    if (is_complete_) {
      for (int64_t r = 0; r < process_count(); ++r) Send(r, CoordinatorMessage());
    } else {
      SayWhoIsMissing();
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
        id, absl::DeadlineExceededError(absl::StrCat("launch ", id, " has not been begun within ",
                                                     Seconds(launch.timeout), " by ", absl::StrJoin(missing, ", "))));
  }
  if (std::none_of(waits_for.begin(), waits_for.end(), [](const auto& ids) { return ids.empty(); })) {
    for (size_t r = 1; r < waits_for.size(); ++r) {
      if (waits_for[r][0] == waits_for[0][0]) continue;
      const absl::Status status = absl::FailedPreconditionError(
          absl::StrCat(Describe(0), " begins launch ", waits_for[0][0], ", but ", Describe(r), " begins launch ",
                       waits_for[r][0], "; all processes must run the same programs in the same order"));
      for (const auto& ids : waits_for) {
        for (const int64_t id : ids) failed.emplace_back(id, status);
      }
      break;
    }
  }
  for (const auto& [id, status] : failed) Fail(id, status);
  // Gatherings in which someone is not heard of.
  for (auto it = gatherings_.begin(); it != gatherings_.end();) {
    const auto& [number, gathering] = *it++;
    for (int64_t r = 0; r < process_count(); ++r) {
      if (gathering.offers[r].has_value() || now - members_[r].heard < patience_) continue;
      EndGathering(number,
                   absl::DeadlineExceededError(absl::StrCat("waited for results of ", Describe(r), HowHeard(r, now))));
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

void Coordinator::Lose(int64_t rank, const absl::Status& why) {
  std::vector<int64_t> lost;
  for (const auto& [id, launch] : launches_) {
    // Who has left has ended what it had begun.
    if (!launch.over[rank] && !(members_[rank].has_left && launch.has_begun)) lost.push_back(id);
  }
  for (const int64_t id : lost) Fail(id, why);
  if (!members_[rank].has_left) mesh_is_usable_ = false;
  std::vector<int64_t> numbers;
  for (const auto& [number, gathering] : gatherings_) {
    if (!gathering.offers[rank].has_value()) numbers.push_back(number);
  }
  for (const int64_t number : numbers) EndGathering(number, why);
}

// ---- Launches

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
                            "launch ", id, " is under way already; each launch needs a number of its own")));
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
  launch.mesh = UsableMesh();
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

int64_t Coordinator::UsableMesh() {
  if (!mesh_is_usable_) {
    ++mesh_;
    mesh_is_usable_ = true;
    mesh_addresses_.clear();
  }
  return mesh_;
}

void Coordinator::Exchange(int64_t rank, const MemberMessage::Addresses& addresses) {
  if (addresses.mesh() != mesh_ || addresses.address_size() != process_count()) return;
  mesh_addresses_[rank] = addresses;
  if (static_cast<int64_t>(mesh_addresses_.size()) < process_count()) return;
  for (int64_t r = 0; r < process_count(); ++r) {
    CoordinatorMessage message;
    message.mutable_peers()->set_mesh(mesh_);
    for (const auto& [peer, ends] : mesh_addresses_) {
      message.mutable_peers()->add_address(ends.address(static_cast<int>(r)));
    }
    Send(r, std::move(message));
  }
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
  if (launch.mesh == mesh_) mesh_is_usable_ = false;
  std::vector<int64_t> others;
  for (const auto& [other, l] : launches_) {
    if (l.has_begun && l.mesh == launch.mesh) others.push_back(other);
  }
  for (const int64_t other : others) {
    Fail(other, absl::AbortedError(absl::StrCat("stopped because launch ", id, " failed: ", failure.message())));
  }
}

// ---- Who waits where

void Coordinator::Listen(int64_t rank, const Report& report) {
  const auto it = launches_.find(report.launch());
  if (it == launches_.end() || !it->second.has_begun) return;
  it->second.reports[rank] = report;
  FailIfStuck(report.launch());
}

namespace {

bool Contains(const DeviceState& state, int64_t device) {
  return std::find(state.group().begin(), state.group().end(), device) != state.group().end();
}

bool AtTheSame(const DeviceState& a, const DeviceState& b) {
  return a.series() == b.series() && a.sequence() == b.sequence();
}

}  // namespace

void Coordinator::FailIfStuck(int64_t id) {
  const Launch& launch = launches_[id];
  std::map<int64_t, std::pair<int64_t, const DeviceState*>> devices;  // rank and state
  std::map<std::pair<uint64_t, int64_t>, int64_t> calls;              // of a device to a series
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!launch.reports[r].has_value() || !launch.reports[r]->stuck()) return;
    for (const DeviceState& state : launch.reports[r]->device()) devices[state.device()] = {r, &state};
    for (const Report::Calls& c : launch.reports[r]->calls()) calls[{c.series(), c.device()}] = c.count();
  }
  bool somebody_waits = false;
  for (const auto& [device, where] : devices) {
    const DeviceState& state = *where.second;
    if (state.state() != DeviceState::WAITS) continue;
    somebody_waits = true;
    const bool all_have_come = std::all_of(state.group().begin(), state.group().end(), [&](int64_t member) {
      const auto found = calls.find({state.series(), member});
      return found != calls.end() && found->second > state.sequence();
    });
    if (all_have_come) return;
  }
  if (!somebody_waits) return;
  std::string message = "deadlock: no device can go on";
  const auto add_first_mismatch = [&] {
    for (const auto& [a, at] : devices) {
      for (const auto& [b, bt] : devices) {
        const DeviceState &x = *at.second, &y = *bt.second;
        if (a >= b || x.state() != DeviceState::WAITS || y.state() != DeviceState::WAITS) continue;
        if (AtTheSame(x, y) || !Contains(x, b) || !Contains(y, a)) continue;
        absl::StrAppend(&message, "; ", x.at(), " on ", x.name(), " meets ", y.at(), " on ", y.name());
        return;
      }
    }
  };
  add_first_mismatch();
  for (const auto& [device, where] : devices) {
    const DeviceState& state = *where.second;
    absl::StrAppend(&message, "; device ", device, " (", Describe(where.first), ") ");
    if (state.state() == DeviceState::WAITS) {
      absl::StrAppend(&message, "waits at ", state.at(), state.with());
    } else {
      absl::StrAppend(&message, "has ended");
    }
  }
  Fail(id, absl::FailedPreconditionError(message));
}

// A device has waited too long. Says of the others of its meeting what keeps them away.
void Coordinator::Judge(int64_t rank, const MemberMessage::Overdue& overdue, absl::Time now) {
  const auto it = launches_.find(overdue.launch());
  if (it == launches_.end()) return;
  const DeviceState& late = overdue.device();
  std::string message = absl::StrCat("device ", late.device(), " (", Describe(rank), ") has waited ",
                                     Seconds(absl::Milliseconds(overdue.waited_ms())), " at ", late.at(), late.with());
  std::map<int64_t, std::pair<int64_t, const DeviceState*>> devices;
  for (int64_t r = 0; r < process_count(); ++r) {
    if (!it->second.reports[r].has_value()) continue;
    for (const DeviceState& state : it->second.reports[r]->device()) devices[state.device()] = {r, &state};
  }
  bool all_have_come = true;
  std::set<int64_t> silent;
  for (const int64_t member : late.group()) {
    const auto found = devices.find(member);
    if (member == late.device() || found == devices.end()) continue;
    const int64_t its_rank = found->second.first;
    const DeviceState& state = *found->second.second;
    const std::string how_heard = HowHeard(its_rank, now);
    if (!how_heard.empty()) silent.insert(its_rank);
    if (state.state() == DeviceState::WAITS && AtTheSame(state, late) && how_heard.empty()) continue;
    all_have_come = false;
    absl::StrAppend(&message, "; device ", member, " (", Describe(its_rank), how_heard, ") ");
    if (state.state() == DeviceState::WAITS) {
      absl::StrAppend(&message, "waits at ", state.at(), state.with());
    } else {
      absl::StrAppend(&message, state.state() == DeviceState::ENDED ? "has ended" : "has not come yet");
    }
  }
  // Silent processes are the cause more often than those whose devices wait.
  for (int64_t r = 0; r < process_count(); ++r) {
    const std::string how_heard = HowHeard(r, now);
    if (how_heard.empty() || silent.count(r) > 0 || WhyGone(r).has_value()) continue;
    absl::StrAppend(&message, "; see ", Describe(r), how_heard);
  }
  if (all_have_come) absl::StrAppend(&message, "; all have come, but their data has not: is the network slow or down?");
  absl::StrAppend(&message, "; the collective timeout is the longest that a device may wait");
  Fail(overdue.launch(), absl::DeadlineExceededError(message));
}

// ---- Gathering

void Coordinator::Gather(int64_t rank, const MemberMessage::Offer& offer) {
  Gathering& gathering = gatherings_[offer.number()];
  gathering.offers.resize(members_.size());
  gathering.offers[rank] = offer;
  for (int64_t r = 0; r < process_count(); ++r) {
    if (gathering.offers[r].has_value()) continue;
    if (const auto gone = WhyGone(r)) return EndGathering(offer.number(), *gone);
  }
  const bool all =
      std::all_of(gathering.offers.begin(), gathering.offers.end(), [](const auto& o) { return o.has_value(); });
  if (all) EndGathering(offer.number(), absl::OkStatus());
}

void Coordinator::EndGathering(int64_t number, const absl::Status& status) {
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
    if (some_are_large) gathered.set_mesh(UsableMesh());
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
