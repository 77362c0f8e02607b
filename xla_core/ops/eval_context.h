// What an op's evaluator may ask of whoever runs it: memory, threads, calls of other computations, random state, other
// devices. The interpreter (xla_core/evaluator) implements it; tests use a small one of their own.
#ifndef XLA_CORE_OPS_EVAL_CONTEXT_H_
#define XLA_CORE_OPS_EVAL_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

class ScalarFunction;  // scalar_function.h

// The operands of one evaluation. An operand may be owned (this was its last use) or borrowed from the evaluator's
// environment.
class OperandValues {
 public:
  // `owned[i]` says whether values[i] may be moved from.
  OperandValues(absl::Span<Literal* const> values, absl::Span<const bool> owned) : values_(values), owned_(owned) {}
  int size() const { return static_cast<int>(values_.size()); }
  const Literal& operator[](int i) const { return *values_[i]; }
  // True if Take moves: nothing else will read the operand.
  bool owned(int i) const { return owned_[i]; }
  // The value itself if this was its last use, else a copy that shares storage. Call at most once per operand, and do
  // not read the operand afterwards. Use Literal::MakeWritable before writing.
  Literal Take(int i) {
    if (owned_[i]) return std::move(*values_[i]);
    return *values_[i];
  }

 private:
  absl::Span<Literal* const> values_;
  absl::Span<const bool> owned_;
};

// Position of the running program among all replicas and partitions.
struct DeviceInfo {
  int64_t replica = 0;
  int64_t partition = 0;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  // "flattened id"
  int64_t id() const { return replica * partition_count + partition; }
};

// What the devices of a group passed in, by position in the group and operand. The devices share the lists: a copy for
// each would be quadratic in the devices.
using Contributions = std::vector<std::shared_ptr<const std::vector<Literal>>>;

// One object serves one device of a run. Unless a method says otherwise, it is called from the thread of that device.
class EvalContext {
 public:
  virtual ~EvalContext() = default;

  // Memory for a result, counted against the limit of the run. Elements are not set / zero.
  virtual absl::StatusOr<Literal> Allocate(const Shape& shape) = 0;
  virtual absl::StatusOr<Literal> AllocateZeros(const Shape& shape) = 0;
  virtual MemoryBudget* memory_budget() = 0;

  // Calls body(begin, end) over [0, count) in blocks of at least `grain`, perhaps on several threads; the blocks do not
  // depend on the number of threads. Also checks the deadline and cancellation between blocks: a call that returns an
  // error may have skipped blocks. `grain` should be at least some ten microseconds of work.
  virtual absl::Status ParallelFor(int64_t count, int64_t grain,
                                   const std::function<void(int64_t begin, int64_t end)>& body) = 0;
  // An error once the deadline has passed or the run was cancelled. Cheap; loops call it at least every few
  // milliseconds of work.
  virtual absl::Status CheckDeadline() = 0;

  // Runs a computation with these arguments.
  virtual absl::StatusOr<Literal> Call(const HloComputation& computation, std::vector<Literal> arguments) = 0;
  // The final state of a while loop that starts with `state`. Default: the condition and the body are called in turn.
  virtual absl::StatusOr<Literal> RunWhile(const HloInstruction& loop, Literal state);
  // A computation of scalars (reducer, comparator, map ...) ready to be applied to many elements; cached for the run.
  virtual absl::StatusOr<const ScalarFunction*> GetScalarFunction(const HloComputation& computation) = 0;

  // ---- Random state of `rng` and rng-get-and-update-state: 128 bits, advanced by `delta`, old value returned {low,
  // high}.
  virtual std::pair<uint64_t, uint64_t> AdvanceRngState(uint64_t delta) = 0;
  virtual uint64_t seed() = 0;

  // ---- Other devices and the outside world
  virtual DeviceInfo device() = 0;
  // Meets the other devices of `group` (flattened ids in group order, this device among them) at this instruction,
  // passes in `mine` and returns what each device passed in, in group order. All devices of the group must call it with
  // the same instruction. An error (naming the devices) instead of a hang if that cannot happen any more.
  virtual absl::StatusOr<Contributions> Exchange(const HloInstruction& instruction, absl::Span<const int64_t> group,
                                                 std::vector<Literal> mine) = 0;
  // Point to point, matched by channel, in order. Receive waits; the same deadlock rule applies. `peer` is a flattened
  // id.
  virtual absl::Status Send(int64_t channel, int64_t peer, Literal value) = 0;
  virtual absl::StatusOr<Literal> Receive(int64_t channel, int64_t peer, const HloInstruction& instruction) = 0;
  // First in, first out queues of this device. FailedPrecondition, naming the instruction, if nothing is left to feed.
  virtual absl::StatusOr<Literal> Infeed(const HloInstruction& instruction, const Shape& shape) = 0;
  virtual absl::Status Outfeed(const HloInstruction& instruction, Literal value) = 0;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_EVAL_CONTEXT_H_
