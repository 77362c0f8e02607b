// Sends and receives between processes. The sender's greeting says what it sends; who receives it does not answer.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/exchange.h"
#include "backends/replicated/transport/greeting.h"
#include "backends/replicated/transport/session.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

class SentArrays : public Exchange::Sent {
 public:
  explicit SentArrays(Mesh* mesh) : mesh_(mesh) {}

  void Post(const ExchangeMeeting& meeting) {
    const CollectiveCall& call = *meeting.calls[0];
    const int receiver = meeting.ranks[1];
    Greeting greeting;
    greeting.key = meeting.key;
    greeting.subject = SubjectOf(call, call.operands);
    greeting.operand_bytes = TotalBytes(call.operands);
    greeting.has_operands = greeting.operand_bytes <= kSmallBytes;
    DescribeShapes(call.operands).copy(greeting.at, sizeof(greeting.at) - 1);
    const auto header = static_cast<int64_t>(sizeof(greeting));
    data_.reset(new char[header + greeting.operand_bytes]);
    std::memcpy(data_.get(), &greeting, sizeof(greeting));
    int64_t at = header;
    for (const CollectiveArray& operand : call.operands) {
      const int64_t bytes = operand.shape->ByteSize();
      if (bytes > 0) std::memcpy(data_.get() + at, operand.data, bytes);
      at += bytes;
    }
    const int64_t first = header + (greeting.has_operands ? greeting.operand_bytes : 0);
    Send(receiver, Slot(meeting.key, Stage::kGreeting), data_.get(), first);
    if (greeting.has_operands) return;
    const char* place = data_.get() + header;
    uint64_t number = 0;
    for (const CollectiveArray& operand : call.operands) {
      for (int64_t begin = 0; begin < operand.shape->ByteSize(); begin += kMaxMessageBytes) {
        const int64_t bytes = std::min(kMaxMessageBytes, operand.shape->ByteSize() - begin);
        Send(receiver, Slot(meeting.key, Stage::kArrays, number++), place + begin, bytes);
      }
      place += operand.shape->ByteSize();
    }
  }

  absl::Status Await(Exchange::GoOn go_on) override {
    for (const std::unique_ptr<Mesh::Transfer>& transfer : transfers_) {
      RETURN_IF_ERROR(mesh_->Wait(*transfer, go_on));
    }
    return absl::OkStatus();
  }

 private:
  // What a sender may be ahead of its receiver fills its own memory.
  void Send(int to, uint64_t slot, const void* data, int64_t bytes) {
    transfers_.push_back(mesh_->Send(to, slot, data, bytes, Delivery::kWhenExpected));
  }

  Mesh* const mesh_;
  std::unique_ptr<char[]> data_;
  std::vector<std::unique_ptr<Mesh::Transfer>> transfers_;  // end before the memory goes
};

}  // namespace

std::unique_ptr<Exchange::Sent> Exchange::Send(const ExchangeMeeting& meeting) const {
  auto sent = std::make_unique<SentArrays>(mesh_);
  sent->Post(meeting);
  return sent;
}

absl::Status Exchange::Receive(const ExchangeMeeting& meeting, GoOn go_on, absl::Time* met) const {
  Session session(mesh_, pool_, memory_, meeting, go_on);
  const CollectiveCall& call = session.first();
  const int sender = meeting.ranks[0];
  const int64_t room = MaxGreetingBytes(1);
  ASSIGN_OR_RETURN(char* const place, session.Memory(room));
  const std::unique_ptr<Mesh::Transfer> greeting =
      session.Post(sender, Slot(meeting.key, Stage::kGreeting), place, room, Delivery::kWhenExpected);
  RETURN_IF_ERROR(session.Await(*greeting));
  *met = absl::Now();
  const Greeting theirs = ReadGreeting(place, greeting->bytes());
  if (!IsWhole(theirs, greeting->bytes()) || theirs.key != meeting.key) {
    return absl::InternalError(absl::StrCat(meeting.at, ": rank ", sender, " sent something else to this meeting"));
  }
  if (theirs.subject != SubjectOf(call, call.results) || theirs.operand_bytes != TotalBytes(call.results)) {
    return absl::InvalidArgumentError(absl::StrCat(call.instruction->name(), ": expected ",
                                                   DescribeShapes(call.results), ", but device ", call.group[0],
                                                   " sent ", theirs.at));
  }
  if (theirs.has_operands) {
    const char* next = place + sizeof(theirs);
    for (const CollectiveArray& result : call.results) {
      const int64_t bytes = result.shape->ByteSize();
      if (bytes > 0) std::memcpy(result.data, next, bytes);
      next += bytes;
    }
    return absl::OkStatus();
  }
  std::vector<std::unique_ptr<Mesh::Transfer>> arrivals;
  uint64_t number = 0;
  for (const CollectiveArray& result : call.results) {
    for (int64_t begin = 0; begin < result.shape->ByteSize(); begin += kMaxMessageBytes) {
      const int64_t bytes = std::min(kMaxMessageBytes, result.shape->ByteSize() - begin);
      arrivals.push_back(session.Post(sender, Slot(meeting.key, Stage::kArrays, number++),
                                      static_cast<char*>(result.data) + begin, bytes, Delivery::kWhenExpected));
    }
  }
  for (const auto& arrival : arrivals) RETURN_IF_ERROR(session.Await(*arrival));
  return absl::OkStatus();
}

}  // namespace transport
}  // namespace xla
