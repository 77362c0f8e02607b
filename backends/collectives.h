// Collectives: how a program that runs on several devices meets the others. A run of any backend calls it.
//
// ---- The plan
//
// *A call* (CollectiveCall) is one device's part in one collective: what the instruction is, who takes part, where this
// device's operands lie in host memory and where its results go. Start takes the call and returns at once; the call's
// Event tells the end. Between the two the device computes what does not need the results. When it has nothing else to
// do it says so by Await, and only then it waits: so whoever implements this knows of every device whether it runs,
// waits (and for whom) or has ended, and reports a meeting that can no longer happen instead of waiting for it.
//
// *A meeting* is named by the opcode, the channel (without one: the instruction), the group, and a sequence number: the
// n-th call of each member is its part in the n-th meeting. The implementation counts. A start and what it ends with
// its done are one call. A transfer is a meeting of {sender, receiver}: a send is over as soon as its operand may be
// written again, which no receiver can put off, and a receive when its result is there.
//
// *Bits.* Groups are folded from the left in their listed order, in the type of the reducer, with denormals kept: the
// interpreter's bits, whatever the number of threads, however members are spread over processes. The reducer comes with
// the call, as a function on arrays; implementations cut arrays as they like, for each element is folded by itself.
//
// *Who has it.* ExecuteOptions::collectives; without one, the devices of a launch meet among themselves, in this
// process, through LocalCollectives (host/local_collectives.h), which is the interpreter's Rendezvous with the memory
// of calls instead of literals. A backend never waits on a thread of its pool: a pool's thread may be needed by the
// device that it would wait for. Each device of a run has a thread of its own.
//
// ---- For devices with memory of their own
//
// The calls are about host memory, and do not ask how values came there. A device with a memory of its own (Vulkan)
// stages: when a meeting's operands are ready it copies them to host memory that it has mapped, from the callback of
// its fence or timeline semaphore; it calls Start from there, which never waits; and the Event's callback submits the
// copy of the results back and signals the semaphore that the rest of the program waits for. The device as a whole
// "runs" as long as work is queued on it; its driver thread calls Await when nothing else is. A staging area may be
// cut in two, so that one half is copied while the other one travels: the two halves of an all-reduce are two calls.
//
// ---- For devices in other processes
//
// An implementation that reaches other processes sends what the members there need: each one's part of a fold
// from all, then the folded parts to all; blocks of an all-to-all to whom they belong; small operands whole.
// CollectiveWork (host/collective_work.h) computes any result from the operands of all members once they are in this
// process. Launches pair up by ExecuteOptions::launch_id, programs by Executable::fingerprint(), and instructions,
// whose addresses mean nothing elsewhere, by their place in the program.
#ifndef BACKENDS_COLLECTIVES_H_
#define BACKENDS_COLLECTIVES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/event.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"
#include "xla_core/types/shape.h"

namespace xla {

// Combines two arrays element by element. Thread-safe.
class CollectiveReducer {
 public:
  virtual ~CollectiveReducer() = default;
  // In which it works, perhaps another one than that of the operands: these are converted, and the result is rounded
  // once.
  virtual PrimitiveType type() const = 0;
  // result[i] = f(a[i], b[i]). `result` may be `a` or `b`.
  virtual void Combine(int64_t count, const void* a, const void* b, void* result) const = 0;
};

// An array in host memory, dense and row-major by logical index; types narrower than a byte take one byte each. The
// shape outlives the call.
struct CollectiveArray {
  const Shape* shape = nullptr;
  void* data = nullptr;
};

// One device's part in one collective. The memory belongs to the caller. Result k of an all-reduce may be the memory of
// operand k; otherwise results do not overlap operands: whoever implements this writes no result before all members
// have got what they need of the operand there. Operands must not change, and results must not be looked at, until the
// event has happened with OK, or Await or DeviceEnded has returned.
struct CollectiveCall {
  // What is done with the arrays. Its attributes say how.
  enum class Action {
    kReduce,     // all-reduce, reduce-scatter: as many results as operands
    kMove,       // all-gather, all-to-all, ragged-all-to-all, collective-permute, collective-broadcast
    kGatherAll,  // every member's operands, one member after the other: for who computes the result itself
    kSend,       // the operands go to group[1]
    kReceive,    // the results come from group[0]
  };

  Action action = Action::kMove;
  // Of the program that runs, which outlives the call: opcode, attributes, and the name for messages. Of a pair, its
  // start; of a receive, what begins or ends it; a send may have none.
  const HloInstruction* instruction = nullptr;
  int64_t channel = 0;  // of transfers
  // Who takes part, as flattened ids in the order of the collective; transfers: {sender, receiver}.
  std::vector<int64_t> group;
  int64_t position = 0;  // of this device in it
  std::vector<CollectiveArray> operands;
  // Those of a collective-permute with slices hold what is between the slices already.
  std::vector<CollectiveArray> results;
  // collective-permute: the position of the member that sends to this device; -1: none does, and results stay as they
  // are.
  int64_t source = -1;
  // kReduce. It outlives the run.
  const CollectiveReducer* reducer = nullptr;
  // The form of collective-permute with slice_sizes, whose operands and results are the arrays that slices are taken
  // from and written to: where each slice begins in operand `array` of the source, and in result `array` of the target.
  struct Slice {
    int array = 0;
    std::vector<int64_t> from;
    std::vector<int64_t> to;
  };
  std::vector<Slice> slices;
  // kGatherAll where Collectives::shares_values(): what this device brings, whose arrays are the operands, and place
  // for what each member brings, by position. All members are given the same values then, which stay as they are,
  // and there are no results.
  std::shared_ptr<const std::vector<Literal>> value;
  std::vector<std::shared_ptr<const std::vector<Literal>>>* values = nullptr;
};

// A call that has begun.
class StartedCollective {
 public:
  virtual ~StartedCollective() = default;
  // Happens when the operands may be written again and the results are there, or with the error of the run.
  virtual Event done() const = 0;
  // When the last member had come, of a call that is done: what a device waited until then was for others, what it
  // waits from then on is for data. InfinitePast: not known.
  virtual absl::Time met() const { return absl::InfinitePast(); }
  // The device has nothing to do but to wait for that. `check` is asked at least every 20 ms or so whether to go on
  // (deadline, Ctrl-C); its error ends the run. FailedPrecondition, naming who waits where, if all devices wait. When
  // it returns, also with an error, the memory of the call is touched no more.
  virtual absl::Status Await(absl::FunctionRef<absl::Status()> check) = 0;
};

// Where the devices of one run meet. Thread-safe.
class Collectives {
 public:
  virtual ~Collectives() = default;

  // Never waits for other devices. Errors of the call are those of what it returns.
  virtual std::shared_ptr<StartedCollective> Start(CollectiveCall call) = 0;
  // The device (a flattened id) will start nothing more. With an error, the others end soon, too: with Aborted, which
  // names it, or the error that came first. When it returns, memory of the device's calls is touched no more.
  virtual void DeviceEnded(int64_t device, const absl::Status& status) = 0;
  // Whether some device has failed. Those that run ask now and then, and stop.
  virtual bool failed() const = 0;
  // Whether all devices are in this process, and kGatherAll gives values instead of copies.
  virtual bool shares_values() const = 0;
};

}  // namespace xla

#endif  // BACKENDS_COLLECTIVES_H_
