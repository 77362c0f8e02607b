// Session: what the ways of doing one meeting share: who is where, messages under way, memory for them.
#ifndef BACKENDS_REPLICATED_TRANSPORT_SESSION_H_
#define BACKENDS_REPLICATED_TRANSPORT_SESSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/host/collective_work.h"
#include "backends/replicated/transport/exchange.h"
#include "backends/replicated/transport/message.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace transport {

// What a message is for.
enum class Stage : uint64_t { kGreeting, kValues, kPiece, kResult, kArrays };

// The number of a message. Messages whose sizes follow from the shapes have `subject`, so that they do not meet others.
uint64_t Slot(uint64_t key, Stage stage, uint64_t number = 0, uint64_t subject = 0);

// Bytes that count in a budget as long as it lives.
class Reservation {
 public:
  explicit Reservation(MemoryBudget* memory) : memory_(memory) {}
  ~Reservation() {
    if (memory_ != nullptr && bytes_ > 0) memory_->Release(bytes_);
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  absl::Status Add(int64_t bytes) {
    if (memory_ != nullptr) RETURN_IF_ERROR(memory_->Reserve(bytes));
    bytes_ += bytes;
    return absl::OkStatus();
  }

 private:
  MemoryBudget* const memory_;
  int64_t bytes_ = 0;
};

// Messages that the session sends end before it does, and before the memory that they use.
class Session {
 public:
  Session(Mesh* mesh, ThreadPool* pool, MemoryBudget* memory, const ExchangeMeeting& meeting, Exchange::GoOn go_on);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const ExchangeMeeting& meeting() const { return meeting_; }
  // Positions of the members of this process, and of the others by rank.
  const std::vector<int64_t>& mine() const { return mine_; }
  const std::map<int, std::vector<int64_t>>& peers() const { return peers_; }
  // Of a member of this process.
  const CollectiveCall& first() const { return *first_; }
  // Of all members. Those elsewhere are like the first, and have no memory until it is given to them.
  std::vector<CollectiveCall>& calls() { return calls_; }
  const std::vector<CollectiveCall>& calls() const { return calls_; }

  // How messages of a meeting travel whose members have so many bytes each: without a question back while that is
  // little to keep for a process that is late.
  static Delivery DeliveryOf(int64_t bytes) {
    return bytes <= kAtOnceBytes ? Delivery::kAtOnce : Delivery::kWhenExpected;
  }

  // Of no bytes, nothing is sent.
  void Send(int to, uint64_t slot, const void* data, int64_t bytes, Delivery delivery);
  // Packs it if it is not in one place.
  absl::Status Send(int to, uint64_t slot, const Message& message, Delivery delivery);
  // Who posts it keeps it, for less time than the memory.
  std::unique_ptr<Mesh::Transfer> Post(int from, uint64_t slot, void* data, int64_t bytes, Delivery delivery) {
    return mesh_->Receive(from, slot, data, bytes, delivery);
  }
  absl::Status Await(Mesh::Transfer& transfer);
  // Whenever a wait takes longer than some milliseconds, `action` is asked whether to go on, too. It may wait itself.
  void OnLongWait(std::function<absl::Status()> action) { on_long_wait_ = std::move(action); }
  // All that was sent.
  absl::Status AwaitSent();

  // Memory that is kept to the end, and counts.
  absl::StatusOr<char*> Memory(int64_t bytes);
  absl::Status Count(int64_t bytes) { return reserved_.Add(bytes); }

  // The results of the members at the positions `wanted`.
  static absl::StatusOr<CollectiveWork> Plan(const std::vector<CollectiveCall>& calls,
                                             absl::Span<const int64_t> wanted);
  // Computes those of this process. Messages arrive meanwhile.
  absl::Status Compute(const std::vector<CollectiveCall>& calls) const;

 private:
  static constexpr int64_t kAtOnceBytes = 4 << 20;

  Mesh* const mesh_;
  ThreadPool* const pool_;
  Reservation reserved_;
  const ExchangeMeeting& meeting_;
  const Exchange::GoOn go_on_;
  std::function<absl::Status()> on_long_wait_;
  std::vector<int64_t> mine_;
  std::map<int, std::vector<int64_t>> peers_;
  const CollectiveCall* first_;
  std::vector<CollectiveCall> calls_;
  std::vector<std::unique_ptr<Mesh::Transfer>> sent_;
  std::vector<ScratchMemory::Piece> scratch_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_SESSION_H_
