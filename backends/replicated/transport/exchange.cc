#include "backends/replicated/transport/exchange.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "backends/replicated/transport/greeting.h"
#include "backends/replicated/transport/large_all_reduce.h"
#include "backends/replicated/transport/large_move.h"
#include "backends/replicated/transport/session.h"
#include "xla_core/evaluator/literal_meetings.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// More would be more slices than a program can name.
constexpr int64_t kMaxValues = int64_t{1} << 30;

// The greetings of a meeting.
class Greetings {
 public:
  explicit Greetings(Session* session) : session_(*session) {
    const CollectiveCall& first = session->first();
    mine_.key = session->meeting().key;
    mine_.subject = SubjectOf(first, first.operands);
    mine_.operand_bytes = TotalBytes(first.operands) * Members();
    mine_.has_operands = TotalBytes(first.operands) <= kSmallBytes;
    session->meeting().at.copy(mine_.at, sizeof(mine_.at) - 1);
  }

  bool has_operands() const { return mine_.has_operands != 0; }
  uint64_t subject() const { return mine_.subject; }

  absl::Status Send() {
    std::string values;
    for (const int64_t m : session_.mine()) AppendValues(session_.calls()[m], values);
    mine_.values_bytes = static_cast<int64_t>(values.size());
    mine_.has_values = mine_.values_bytes <= Members() * kSmallValues;
    const int64_t room = MaxGreetingBytes(session_.mine().size());
    ASSIGN_OR_RETURN(char* const message, session_.Memory(room + mine_.values_bytes));
    std::memcpy(message, &mine_, sizeof(mine_));
    char* next = message + sizeof(mine_);
    char* const place_of_values = mine_.has_values ? next : message + room;
    std::memcpy(place_of_values, values.data(), values.size());
    if (mine_.has_values) next += values.size();
    if (has_operands()) next = CopyOperands(next);
    const uint64_t key = session_.meeting().key;
    for (const auto& [rank, positions] : session_.peers()) {
      Peer& peer = peers_[rank];
      const int64_t bytes = MaxGreetingBytes(positions.size());
      ASSIGN_OR_RETURN(peer.greeting, session_.Memory(bytes));
      peer.transfer = session_.Post(rank, Slot(key, Stage::kGreeting), peer.greeting, bytes, Delivery::kAtOnce);
      session_.Send(rank, Slot(key, Stage::kGreeting), message, next - message, Delivery::kAtOnce);
      if (mine_.has_values) continue;
      session_.Send(rank, Slot(key, Stage::kValues), place_of_values, mine_.values_bytes, Delivery::kWhenExpected);
    }
    return absl::OkStatus();
  }

  // What the others say, in the calls of the session. Does nothing the second time, nor inside itself.
  absl::Status Receive() {
    if (has_received_) return absl::OkStatus();
    has_received_ = true;
    for (auto& [rank, peer] : peers_) {
      RETURN_IF_ERROR(session_.Await(*peer.transfer));
      RETURN_IF_ERROR(Understand(rank, peer));
    }
    return absl::OkStatus();
  }

 private:
  struct Peer {
    char* greeting = nullptr;
    std::unique_ptr<Mesh::Transfer> transfer;
  };

  int64_t Members() const { return static_cast<int64_t>(session_.mine().size()); }

  char* CopyOperands(char* to) const {
    for (const int64_t m : session_.mine()) {
      for (const CollectiveArray& operand : session_.calls()[m].operands) {
        const int64_t bytes = operand.shape->ByteSize();
        if (bytes > 0) std::memcpy(to, operand.data, bytes);
        to += bytes;
      }
    }
    return to;
  }

  absl::Status Check(int rank, const Greeting& theirs, int64_t bytes) const {
    const ExchangeMeeting& meeting = session_.meeting();
    if (!IsWhole(theirs, bytes) || theirs.key != mine_.key || theirs.values_bytes > kMaxValues) {
      return absl::InternalError(absl::StrCat(meeting.at, ": rank ", rank, " sent something else to this meeting"));
    }
    const std::vector<int64_t>& positions = session_.peers().at(rank);
    if (theirs.subject == mine_.subject && theirs.has_operands == mine_.has_operands &&
        theirs.operand_bytes / static_cast<int64_t>(positions.size()) == mine_.operand_bytes / Members()) {
      return absl::OkStatus();
    }
    const std::vector<int64_t>& group = session_.first().group;
    return absl::InvalidArgumentError(
        absl::StrCat(meeting.at, " on ", meeting.name_device(group[session_.mine()[0]]), " (rank ", meeting.rank,
                     ") meets ", theirs.at, " on ", meeting.name_device(group[positions[0]]), " (rank ", rank,
                     "); all devices of a group must run the same collective with operands of the same shapes"));
  }

  absl::Status Understand(int rank, Peer& peer) {
    const Greeting theirs = ReadGreeting(peer.greeting, peer.transfer->bytes());
    RETURN_IF_ERROR(Check(rank, theirs, peer.transfer->bytes()));
    char* next = peer.greeting + sizeof(theirs);
    char* values = next;
    if (theirs.has_values) {
      next += theirs.values_bytes;
    } else {
      ASSIGN_OR_RETURN(values, session_.Memory(theirs.values_bytes));
      peer.transfer =
          session_.Post(rank, Slot(mine_.key, Stage::kValues), values, theirs.values_bytes, Delivery::kWhenExpected);
      RETURN_IF_ERROR(session_.Await(*peer.transfer));
    }
    std::vector<CollectiveCall*> calls;
    for (const int64_t m : session_.peers().at(rank)) calls.push_back(&session_.calls()[m]);
    if (!ReadValues(absl::MakeSpan(values, theirs.values_bytes), calls)) {
      return absl::InternalError(absl::StrCat(session_.meeting().at, ": rank ", rank, " sent values that do not fit"));
    }
    if (!has_operands()) return absl::OkStatus();
    for (CollectiveCall* call : calls) {
      for (CollectiveArray& operand : call->operands) {
        operand.data = next;
        next += operand.shape->ByteSize();
      }
    }
    return absl::OkStatus();
  }

  Session& session_;
  Greeting mine_;
  std::map<int, Peer> peers_;
  bool has_received_ = false;
};

// Before anything travels, the members of one process must agree, so that it can speak for them.
absl::Status CheckMine(const Session& session) {
  std::vector<int64_t> group;
  std::vector<std::vector<const Shape*>> shapes;
  for (const int64_t m : session.mine()) {
    group.push_back(session.first().group[m]);
    shapes.emplace_back();
    for (const CollectiveArray& operand : session.calls()[m].operands) shapes.back().push_back(operand.shape);
  }
  return CheckSameShapes(*session.first().instruction, group, shapes);
}

bool IsAllReduce(const CollectiveCall& call) {
  return call.action == CollectiveCall::Action::kReduce && call.instruction->opcode() != HloOpcode::kReduceScatter;
}

}  // namespace

absl::Status Exchange::Run(const ExchangeMeeting& meeting, GoOn go_on, absl::Time* met) const {
  Session session(mesh_, pool_, memory_, meeting, go_on);
  RETURN_IF_ERROR(CheckMine(session));
  Greetings greetings(&session);
  RETURN_IF_ERROR(greetings.Send());
  if (!greetings.has_operands() && IsAllReduce(session.first())) {
    // What travels follows from the shapes alone, so nothing waits for the greetings. If the others are at something
    // else it does not come, and then the greetings say why.
    LargeAllReduce all_reduce(&session, greetings.subject());
    RETURN_IF_ERROR(all_reduce.Begin());
    session.OnLongWait([&greetings] { return greetings.Receive(); });
    RETURN_IF_ERROR(all_reduce.Finish(met));
    RETURN_IF_ERROR(greetings.Receive());
    return session.AwaitSent();
  }
  RETURN_IF_ERROR(greetings.Receive());
  *met = absl::Now();
  if (greetings.has_operands()) {
    RETURN_IF_ERROR(session.Compute(session.calls()));
  } else {
    RETURN_IF_ERROR(MoveLarge(session, greetings.subject()));
  }
  return session.AwaitSent();
}

}  // namespace transport
}  // namespace xla
