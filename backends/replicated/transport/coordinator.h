// Coordinator: knows of all processes of a group whether they live, and of all devices at what they wait.
//
// It takes messages and gives messages, and has neither sockets nor threads. What it does with them:
//
//   - It lets the group begin once all ranks are there, and refuses those that do not fit: another launch token,
//     another number of processes, a rank that is there already.
//   - It lets a launch begin once all have begun it with the same fingerprint, and says which connections to use. After
//     any failure these are new ones, since messages that were under way would meet those of another launch. New ones
//     are used when all processes have all of theirs.
//   - It ends a launch for all when it fails for one, with the first cause.
//   - A process whose connection has gone and that has not been heard of since is dead. One that is silent while its
//     connection stands is stopped or behind a network that is down, and may come back.
//   - *Deadlocks.* A process of which no device runs says so, with what each waits at and how often it has come to
//     which meetings. If all processes have said so, and each meeting that is waited for lacks a member, no device can
//     go on. That holds however old the reports are: the first device to go on after its report would need a meeting to
//     which all have come, and the member that lacked would have had to go on before it.
#ifndef BACKENDS_REPLICATED_TRANSPORT_COORDINATOR_H_
#define BACKENDS_REPLICATED_TRANSPORT_COORDINATOR_H_

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/replicated/transport/control.pb.h"

namespace xla {
namespace transport {

// Bytes that a process offers in its message to the coordinator; more go to rank 0 themselves.
constexpr int64_t kSmallOffer = 16 << 10;

// Processes whose connection stands are named as silent from here on: a few heartbeats are missing.
constexpr absl::Duration kSilent = absl::Seconds(2);

// "launch 3"; those without a number of their own count down from -1, and are named by their order.
std::string DescribeLaunch(int64_t id);
// "rank 2 on host b"
std::string DescribeRank(int64_t rank, const std::string& host);

class Coordinator {
 public:
  struct Outgoing {
    std::string connection;
    CoordinatorMessage message;
  };

  Coordinator(int process_count, std::string launch_token)
      : launch_token_(std::move(launch_token)), members_(process_count) {}

  // True if it is a member's.
  bool Receive(const std::string& connection, const MemberMessage& message, absl::Time now);
  // Its other end has closed it.
  void ConnectionLost(const std::string& connection);
  // What follows from time; to be called every 50 ms or so.
  void Tick(absl::Time now);
  // The messages to send, in order.
  std::vector<Outgoing> TakeOutgoing();

  // Whether no process needs it any more.
  bool AllHaveGone() const;

 private:
  struct Process {
    bool present = false;
    Member member;
    uint64_t incarnation = 0;
    std::string connection;
    bool connected = false;
    absl::Time heard;
    bool has_left = false;
    absl::optional<absl::Status> death;
  };
  struct Launch {
    std::vector<absl::optional<std::string>> fingerprints;  // by rank; none: has not begun
    std::vector<bool> over;
    std::vector<absl::optional<Report>> reports;
    absl::Time first_begin;
    absl::Time deadline;
    absl::Duration timeout;
    bool has_begun = false;
    int64_t mesh = 0;
  };
  // Connections between all processes.
  struct Mesh {
    int64_t number = 0;
    bool is_usable = false;
    bool is_ready = false;
    absl::Duration patience;
    absl::Time deadline;                       // for it to be ready
    std::map<int64_t, std::string> addresses;  // by rank
    std::set<int64_t> connected;               // ranks
  };
  struct Gathering {
    std::vector<absl::optional<MemberMessage::Offer>> offers;  // by rank
  };

  int64_t process_count() const { return static_cast<int64_t>(members_.size()); }
  std::string Describe(int64_t rank) const { return DescribeRank(rank, members_[rank].member.host()); }
  void Understand(int64_t rank, const MemberMessage& message, absl::Time now);
  bool Admit(const std::string& connection, const MemberMessage& message, absl::Time now);
  void Refuse(const std::string& connection, const absl::Status& status);
  void SayWhoIsMissing(absl::Time now);
  void Send(int64_t rank, CoordinatorMessage message);

  void Begin(int64_t rank, const MemberMessage::Begin& begin, absl::Time now);
  void ReplyToBegin(int64_t launch, int64_t rank, const absl::Status& status);
  void Exchange(int64_t rank, const MemberMessage::Address& address);
  void Connected(int64_t rank, int64_t mesh);
  void Listen(int64_t rank, const Report& report);
  void Judge(int64_t rank, const MemberMessage::Overdue& overdue, absl::Time now);
  void End(int64_t rank, int64_t launch);
  void Gather(int64_t rank, const MemberMessage::Offer& offer, absl::Time now);
  void EndGathering(int64_t number, const absl::Status& status, absl::Time now);
  // The process will say nothing more: `why` tells the others.
  void Lose(int64_t rank, const absl::Status& why, absl::Time now);
  // Ends the launch for all, and with it the others on the same connections.
  void Fail(int64_t launch, const absl::Status& failure);
  void FailIfStuck(int64_t launch);
  int64_t UsableMesh(absl::Time now);
  void FailMesh(const absl::Status& failure);
  absl::Status WhyNotConnected(absl::Time now) const;

  std::string HowHeard(int64_t rank, absl::Time now) const;
  absl::optional<absl::Status> WhyGone(int64_t rank) const;

  const std::string launch_token_;
  std::vector<Process> members_;
  bool is_complete_ = false;
  absl::Status misfit_;  // one was started for another number of processes, so that the group will never be complete
  int strangers_ = 0;    // refused because of their launch token
  absl::Time next_heartbeat_ = absl::InfinitePast();
  absl::Duration patience_ = absl::Seconds(60);  // of who waits for one that is not heard of

  std::map<int64_t, Launch> launches_;
  std::deque<std::pair<int64_t, absl::Status>> failures_;  // of launches, for who begins them later
  std::map<int64_t, Gathering> gatherings_;
  Mesh mesh_;
  std::vector<Outgoing> outgoing_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_COORDINATOR_H_
