#include "xla_core/evaluator/instruction_evaluator.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/evaluator/device_evaluator.h"
#include "xla_core/evaluator/literal_meetings.h"
#include "xla_core/evaluator/plan_cache.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/limit_message.h"

namespace xla {

struct InstructionEvaluator::Run::State {
  State(const EvaluatorRun& run, const DeviceInfo& of_device)
      : resources(run.options->resources, run.options->resources == nullptr ? "running the program" : nullptr),
        own_budget(run.options->max_memory_bytes, &resources.memory()),
        budget(run.memory != nullptr ? *run.memory : own_budget),
        alone(1),
        info(of_device),
        state{run.options,      run.pool,   &budget,       run.meetings != nullptr ? run.meetings : &alone,
              run.feeds,        &resources, run.abandoned,
              /*turns=*/nullptr} {}

  const ResourceContext resources;
  MemoryBudget own_budget;
  MemoryBudget& budget;
  LiteralMeetings alone;
  const DeviceInfo info;
  RunState state;
  InstructionEvaluator* owner = nullptr;
  std::unique_ptr<DeviceEvaluator> device;
};

InstructionEvaluator::Run::Run(std::unique_ptr<State> state) : state_(std::move(state)) {}

InstructionEvaluator::Run::~Run() {
  // What is kept of the values that were given to the outfeed leaves the budget before that ends.
  state_->state.feeds->DeviceEnded(state_->info.id());
  std::lock_guard<std::mutex> lock(state_->owner->mutex_);
  state_->owner->idle_.push_back(std::move(state_->device));
}

// Evaluates one instruction on given operands, all of which it may consume. Errors get the instruction's name in
// front, once, and the phase where memory is refused; errors that concern the run as a whole (deadline, cancellation),
// which name the phase themselves, pass through.
absl::StatusOr<Literal> InstructionEvaluator::Run::Evaluate(const HloInstruction& instruction,
                                                            absl::Span<Literal> operands) {
  const auto evaluate = GetOp(instruction.opcode()).evaluate;
  if (evaluate == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(instruction.name(), ": ", instruction.opcode_name(), " cannot be evaluated"));
  }
  absl::InlinedVector<Literal*, 6> values;
  for (Literal& operand : operands) values.push_back(&operand);
  const absl::InlinedVector<bool, 6> owned(operands.size(), true);
  OperandValues operand_values(values, owned);
  absl::StatusOr<Literal> result = evaluate(instruction, operand_values, *state_->device);
  if (result.ok()) return result;
  const std::string prefix = absl::StrCat(instruction.name(), ":");
  const absl::StatusCode code = result.status().code();
  const bool is_of_the_run = code == absl::StatusCode::kCancelled || code == absl::StatusCode::kDeadlineExceeded;
  const absl::string_view message = result.status().message();
  if (is_of_the_run || absl::StartsWith(message, prefix)) return result;
  return absl::Status(code, absl::StrCat(prefix, " ", MessageInPhase(result.status(), state_->resources.phase())));
}

MemoryBudget& InstructionEvaluator::Run::memory() const { return state_->budget; }

InstructionEvaluator::InstructionEvaluator(const HloModule& module) : plans_(std::make_unique<PlanCache>(module)) {}

InstructionEvaluator::~InstructionEvaluator() = default;

std::unique_ptr<InstructionEvaluator::Run> InstructionEvaluator::Begin(const EvaluatorRun& run,
                                                                       const DeviceInfo& device) {
  auto state = std::make_unique<Run::State>(run, device);
  state->owner = this;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      state->device = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (state->device == nullptr) state->device = std::make_unique<DeviceEvaluator>(plans_.get());
  state->device->Begin(&state->state, state->info);
  return std::unique_ptr<Run>(new Run(std::move(state)));
}

}  // namespace xla
