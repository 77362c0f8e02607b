// Exchange: one meeting whose members are in several processes: what travels between them, and when.
//
// All messages of a meeting have numbers that follow from its key. First each process sends a *greeting* to each other:
// what it is at (opcode, instruction, shapes), so that a mismatch is an error that names both; small values that others
// need before they know what to send (offsets of slices, sizes of ragged rows); and, if they are small, the operands
// themselves. Then there are three ways:
//
//   - *Small operands* have come with the greetings: each process computes what it needs (CollectiveWork).
//   - *A large all-reduce* is cut into pieces, each of which one process owns: it receives that piece of every member's
//     operand, folds in the listed order, and sends the result to all. A piece is folded while others travel, and one
//     process sends and receives as much as in a ring.
//   - *Anything else that is large* travels as far as it is needed: the plan of CollectiveWork says which bytes of
//     whose operands each process reads. Sender and receiver compute the same plan, on addresses that are the same
//     offsets in both; the receiver gives them memory.
//
// Bits are CollectiveWork's everywhere, so they are those of devices in one process.
#ifndef BACKENDS_REPLICATED_TRANSPORT_EXCHANGE_H_
#define BACKENDS_REPLICATED_TRANSPORT_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backends/collectives.h"
#include "backends/replicated/transport/mesh.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace transport {

// What a meeting is and who is where.
struct ExchangeMeeting {
  uint64_t key = 0;                                 // the same in all processes, and of no other meeting of the group
  std::vector<const CollectiveCall*> calls;         // by position; nullptr: in another process
  std::vector<int> ranks;                           // by position
  int rank = 0;                                     // of this process
  std::function<std::string(int64_t)> name_device;  // "replica 1"
  std::string at;                                   // "all-reduce.3 f32[8]"
};

class Exchange {
 public:
  using GoOn = absl::FunctionRef<absl::Status()>;

  // All of them outlive it.
  Exchange(Mesh* mesh, ThreadPool* pool, MemoryBudget* memory) : mesh_(mesh), pool_(pool), memory_(memory) {}

  // Does the part of this process, and returns when its results are there and its operands are free again. `go_on` is
  // asked every 10 ms or so. `met` is when all had come.
  absl::Status Run(const ExchangeMeeting& meeting, GoOn go_on, absl::Time* met) const;
  // A send's counterpart: waits for its arrays.
  absl::Status Receive(const ExchangeMeeting& meeting, GoOn go_on, absl::Time* met) const;

  // What is on its way to a receiver, with its memory.
  class Sent {
   public:
    virtual ~Sent() = default;
    // Waits until it has been taken.
    virtual absl::Status Await(GoOn go_on) = 0;
  };
  // Copies the operands and returns.
  std::unique_ptr<Sent> Send(const ExchangeMeeting& meeting) const;

 private:
  Mesh* const mesh_;
  ThreadPool* const pool_;
  MemoryBudget* const memory_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_EXCHANGE_H_
