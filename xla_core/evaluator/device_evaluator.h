// DeviceEvaluator: the EvalContext of one device of a run. It owns what must not be shared between devices: the frames
// of running computations, random state, step count. It serves one run after the other, so that frames are made once.
#ifndef XLA_CORE_EVALUATOR_DEVICE_EVALUATOR_H_
#define XLA_CORE_EVALUATOR_DEVICE_EVALUATOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/evaluator/device_turns.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/evaluator/execution_plan.h"
#include "xla_core/evaluator/plan_cache.h"
#include "xla_core/evaluator/program.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

// What all devices of one run share.
struct RunState {
  const EvaluatorOptions* options;
  ThreadPool* pool;
  MemoryBudget* budget;
  DeviceMeetings* meetings;
  FeedChannels* feeds;
  const ResourceContext* resources;
  const std::atomic<bool>* abandoned;  // may be nullptr
  DeviceTurns* turns;                  // nullptr: all devices work at once
};

// Not thread-safe: one thread at a time, the device's own. What it asks of other devices goes through the
// DeviceMeetings of the run. Begin resets what belongs to a run; plans and free frames stay. Where devices take turns,
// the device has one when RunEntry is called and when it returns.
class DeviceEvaluator : public EvalContext {
 public:
  // `plans` outlives the object.
  explicit DeviceEvaluator(PlanCache* plans) : plans_(plans) {}

  // The next run is this one, on this device. `run` outlives it.
  void Begin(const RunState* run, const DeviceInfo& device);
  absl::StatusOr<Literal> RunEntry(const HloComputation& entry, std::vector<Literal> arguments);
  int64_t steps() const { return steps_; }

  absl::StatusOr<Literal> Allocate(const Shape& shape) override { return Literal::Allocate(shape, run_->budget); }
  absl::StatusOr<Literal> AllocateZeros(const Shape& shape) override { return Literal::Zeros(shape, run_->budget); }
  MemoryBudget* memory_budget() override { return run_->budget; }
  absl::Status ParallelFor(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) override;
  absl::Status CheckDeadline() override;
  absl::StatusOr<Literal> Call(const HloComputation& computation, std::vector<Literal> arguments) override;
  absl::StatusOr<Literal> RunWhile(const HloInstruction& loop, Literal state) override;
  absl::StatusOr<const ScalarFunction*> GetScalarFunction(const HloComputation& computation) override;
  std::pair<uint64_t, uint64_t> AdvanceRngState(uint64_t delta) override;
  uint64_t seed() override { return seed_; }
  DeviceInfo device() override { return device_; }
  absl::StatusOr<Contributions> Exchange(const HloInstruction& instruction, absl::Span<const int64_t> group,
                                         std::vector<Literal> mine) override;
  absl::Status Send(int64_t channel, int64_t peer, Literal value) override;
  absl::StatusOr<Literal> Receive(int64_t channel, int64_t peer, const HloInstruction& instruction) override;
  absl::StatusOr<Literal> Infeed(const HloInstruction& instruction, const Shape& shape) override;
  absl::Status Outfeed(const HloInstruction& instruction, Literal value) override;

 private:
  using Frame = std::vector<Literal>;  // the values of a running computation, by slot
  // A plan and frames for it that are not in use: the values of a loop body live in the same memory each time round.
  struct Prepared {
    const ExecutionPlan* plan = nullptr;
    std::vector<Frame> free_frames;
  };

  absl::StatusOr<Prepared*> Prepare(const HloComputation& computation, PlanParameters parameters);
  Frame TakeFrame(Prepared* prepared);
  void GiveBackFrame(Prepared* prepared, Frame frame);
  // Runs a loop whose condition and body are compiled; false, and nothing is done, for any other.
  absl::StatusOr<bool> RunScalarLoop(const HloInstruction& loop, Literal* state);
  absl::StatusOr<bool> RunCondition(Prepared* condition, Literal* state);
  absl::StatusOr<Literal> RunPlan(const ExecutionPlan& plan, Frame& frame);
  absl::Status RunStep(const PlanStep& step, Frame& frame);
  absl::Status CheckStepLimit() const;
  absl::Status GiveUpLongTurn();
  // The result of `wait`, which waits for other devices: they work meanwhile.
  template <typename Wait>
  std::invoke_result_t<Wait> WhileOthersWork(const Wait& wait);

  PlanCache* const plans_;
  const RunState* run_ = nullptr;
  DeviceInfo device_;
  uint64_t seed_ = 0;
  absl::flat_hash_map<std::pair<const HloComputation*, PlanParameters>, std::unique_ptr<Prepared>> prepared_;
  absl::flat_hash_map<const HloComputation*, const ScalarFunction*> scalar_functions_;
  std::pair<uint64_t, uint64_t> rng_state_{0, 0};
  int64_t steps_ = 0;
  int depth_ = 0;
  absl::Time turn_began_;  // where devices take turns
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_DEVICE_EVALUATOR_H_
