#include "backends/plan/plan_runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "backends/host/collective_meetings.h"
#include "backends/host/device_feeds.h"
#include "backends/host/device_threads.h"
#include "backends/host/local_collectives.h"
#include "backends/host/memory_traffic.h"
#include "backends/host/program_cost.h"
#include "backends/plan/observed_steps.h"
#include "backends/step_observer.h"
#include "xla_core/evaluator/first_cause.h"
#include "xla_core/evaluator/queued_feeds.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/limit_message.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Puts leaves together, in order.
Literal Assemble(const Shape& shape, Literal*& next_leaf) {
  if (!shape.IsTuple()) return std::move(*next_leaf++);
  std::vector<Literal> elements;
  elements.reserve(shape.tuple_size());
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(Assemble(element, next_leaf));
  return Literal::Tuple(std::move(elements));
}

// Whether something is written to where it was read from.
bool IsInPlace(const ThunkInfo& info) {
  return std::any_of(info.writes.begin(), info.writes.end(), [&](const BufferSlice& written) {
    return written.bytes > 0 && std::find(info.reads.begin(), info.reads.end(), written) != info.reads.end();
  });
}

// That a thread takes for itself while it runs tiles.
int64_t ScratchBytes(const ProgramPlan& plan) {
  int64_t bytes = 0;
  for (const auto& thunk : plan.program.thunks) bytes = std::max(bytes, thunk->info().scratch_bytes);
  return bytes;
}

}  // namespace

// The evaluator's part of a device's run.
struct PlanRunner::Evaluation {
  // Limits of steps, profile and progress do not apply to the evaluator: the plan counts a thunk that evaluates as
  // one step.
  Evaluation(const PlanRunner& runner, const HostLaunch& launch, const DeviceRun& device_run)
      : options(ToEvaluatorOptions(launch, runner.EvaluatorLimit(launch.options))),
        meetings(device_run.context.collectives, device_run.evaluator_memory) {
    // Thunks are what is counted and reported, not what is called while one is evaluated.
    options.max_steps = 0;
    options.profile = nullptr;
    options.progress = nullptr;
    run.options = &options;
    run.abandoned = runner.client_has_ended_.get();
    run.pool = runner.pool_.get();
    run.feeds = device_run.feeds;
    if (device_run.context.collectives != nullptr) run.meetings = &meetings;
    run.memory = device_run.evaluator_memory;
    evaluator = runner.evaluator_->Begin(run, device_run.context.device);
  }

  EvaluatorOptions options;
  CollectiveMeetings meetings;
  EvaluatorRun run;
  std::unique_ptr<InstructionEvaluator::Run> evaluator;
};

PlanRunner::PlanRunner(const HostClient& client, const ProgramPlan& plan, std::vector<HostDevice*> devices,
                       OwnDevices own)
    : plan_(plan),
      pool_(client.pool()),
      device_threads_(client.device_threads()),
      memory_(client.memory()),
      client_has_ended_(client.has_ended()),
      devices_(std::move(devices)),
      own_(std::move(own)),
      evaluator_(plan_.uses_evaluator ? std::make_unique<InstructionEvaluator>(*plan_.module) : nullptr) {
  for (const ProgramPlan::Result& result : plan_.results) {
    if (result.base != BufferSlice::kNowhere && result.argument < 0) result_bytes_ += result.shape.ByteSize();
  }
}

MemoryNeed PlanRunner::memory_need() const {
  MemoryNeed need;
  for (const HloInstruction* parameter : plan_.module->entry()->parameters()) {
    need.argument_bytes += parameter->shape().ByteSize();
  }
  need.output_bytes = plan_.result_shape.ByteSize();
  need.alias_bytes = need.output_bytes - result_bytes_;
  need.temporary_bytes = plan_.arena_bytes + plan_.kept_bytes + ScratchBytes(plan_) * pool_->num_threads();
  return need;
}

std::vector<PlannedStep> PlanRunner::PlannedSteps() const {
  std::vector<PlannedStep> steps;
  const InstructionCosts costs(*plan_.module);
  for (const auto& thunk : plan_.program.thunks) {
    const ThunkInfo& info = thunk->info();
    PlannedStep step;
    step.instruction = info.instruction;
    step.kind = info.kind;
    step.is_fallback = info.is_fallback;
    step.flops = costs.OfInstruction(*info.instruction).flops;
    step.bytes = MemoryTraffic(*info.instruction, IsInPlace(info));
    steps.push_back(std::move(step));
  }
  return steps;
}

absl::Status PlanRunner::CheckMemory(const HostLaunch& launch) const {
  int64_t needed = (plan_.arena_bytes + plan_.kept_bytes + result_bytes_) * device_count();
  // Several devices have a thread each, beside the pool's, and threads keep their scratch.
  if (device_count() > 1) needed += ScratchBytes(plan_) * (device_count() + pool_->num_threads() - 1);
  const int64_t own = launch.options.max_memory_bytes > 0 ? launch.options.max_memory_bytes : memory_->limit();
  const MemoryBudget& whole = launch.resources.memory();
  const int64_t limit = std::min(own, whole.limit() - whole.used());
  if (needed <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the program needs ", needed,
                                                   " bytes for results and temporary values, the memory limit is ",
                                                   limit, " bytes", InPhase(launch.resources.phase())));
}

int64_t PlanRunner::EvaluatorLimit(const ExecuteOptions& options) const {
  if (options.max_memory_bytes == 0) return memory_->limit();
  return options.max_memory_bytes - plan_.arena_bytes * device_count();
}

void PlanRunner::Begin(const HostLaunch& launch, int64_t d, Collectives* collectives, DeviceRun& run) const {
  ExecuteContext& context = run.context;
  context.device = own_.InfoOf(d);
  context.collectives = collectives;
  context.begun.resize(plan_.begun_count);
  context.dynamic_sizes.resize(plan_.dynamic_buffer_count);
  context.pool = pool_.get();
  context.resources = &launch.resources;
  context.abandoned = client_has_ended_.get();
  context.flushes_denormals = plan_.flushes_denormals;
  context.poisons_memory = plan_.poisons_memory;
}

// The evaluator for steps that run on the interpreter is only made if the plan has such steps; its memory counts
// towards the peak.
absl::Status PlanRunner::RunPlan(const HostLaunch& launch, DeviceRun& run, const StepProgram& program) const {
  const ExecuteOptions& options = launch.options;
  ExecuteContext& context = run.context;
  StepOptions step_options;
  step_options.max_steps = options.max_steps;
  step_options.profile = options.profile;
  if (options.progress != nullptr && context.device.id() == 0) step_options.progress = &options.progress;
  std::unique_ptr<Evaluation> evaluation;
  if (evaluator_ != nullptr) {
    evaluation = std::make_unique<Evaluation>(*this, launch, run);
    context.evaluator = evaluation->evaluator.get();
  }
  std::unique_ptr<StepHook> hook;
  if (auto* const observer = dynamic_cast<StepObserver*>(options.profile); observer != nullptr) {
    ASSIGN_OR_RETURN(hook, ObserveSteps(plan_, *observer, context, &launch.resources.memory()));
    step_options.profile = hook.get();
  }
  absl::optional<DenormalMode> mode;
  if (context.flushes_denormals) mode.emplace(DenormalMode::kFlush);
  const absl::Status status = RunSteps(program, step_options, context, &run.counts);
  if (evaluation != nullptr && run.evaluator_memory == nullptr) {
    run.evaluator_peak_bytes = evaluation->evaluator->peak_memory_bytes();
  }
  return status;
}

// The first device runs on the calling thread. A device tells the others when it ends, so that those who wait for it
// fail instead of hanging.
std::vector<absl::StatusOr<Literal>> PlanRunner::RunTogether(const HostLaunch& launch,
                                                             absl::Span<const std::unique_ptr<DeviceRun>> runs,
                                                             RunDevice run_device) const {
  const auto count = static_cast<int64_t>(runs.size());
  absl::optional<LocalCollectives> own;
  Collectives* const collectives = launch.options.collectives != nullptr
                                       ? launch.options.collectives
                                       : &own.emplace(count, pool_.get(), memory_.get());
  // An error without a message takes no memory; each device overwrites it.
  std::vector<absl::StatusOr<Literal>> results(count, absl::Status(absl::StatusCode::kInternal, ""));
  const auto run_one = [&](int64_t d) {
    Begin(launch, d, collectives, *runs[d]);
    results[d] = run_device(d, *runs[d]);
    collectives->DeviceEnded(own_.NumberOf(d), results[d].status());
    runs[d]->context.begun.clear();
  };
  device_threads_->Run(count, run_one, [&](int64_t d, const absl::Status& refused) {
    results[d] = refused;
    collectives->DeviceEnded(own_.NumberOf(d), refused);
  });
  return results;
}

absl::StatusOr<std::vector<Literal>> PlanRunner::Run(const HostLaunch& launch, RunDevice run_device) const {
  RETURN_IF_ERROR(plan_.can_run);
  RETURN_IF_ERROR(CheckMemory(launch));
  ExecutionReport* const report = launch.options.report;
  const absl::Time start = report != nullptr ? absl::Now() : absl::Time();
  std::unique_ptr<FeedChannels> feeds;
  if (evaluator_ != nullptr && launch.options.feeds != nullptr) {
    feeds = std::make_unique<QueuedFeeds>(launch.options.feeds, own_);
  } else if (evaluator_ != nullptr) {
    feeds = std::make_unique<DeviceFeeds>(devices_, own_);
  }
  std::vector<Literal> values;
  values.reserve(devices_.size());
  if (report != nullptr) *report = ExecutionReport();
  const auto tell = [&](const DeviceRun& run) {
    if (report == nullptr) return;
    report->steps += run.counts.steps;
    report->fallback_steps += run.counts.fallbacks;
    report->peak_memory_bytes += plan_.arena_bytes + result_bytes_ + run.evaluator_peak_bytes;
    report->elapsed = absl::Now() - start;
  };
  if (own_.program_count() == 1) {
    DeviceRun run;
    run.feeds = feeds.get();
    Begin(launch, 0, /*collectives=*/nullptr, run);
    absl::StatusOr<Literal> result = run_device(0, run);
    tell(run);
    RETURN_IF_ERROR(result.status());
    values.push_back(*std::move(result));
    return values;
  }
  std::vector<std::unique_ptr<DeviceRun>> runs;
  // What devices give each other may outlive the part of the one that gave it.
  MemoryBudget evaluator_memory(EvaluatorLimit(launch.options), &launch.resources.memory());
  for (size_t d = 0; d < devices_.size(); ++d) {
    runs.push_back(std::make_unique<DeviceRun>());
    runs.back()->feeds = feeds.get();
    runs.back()->evaluator_memory = &evaluator_memory;
  }
  std::vector<absl::StatusOr<Literal>> results = RunTogether(launch, runs, run_device);
  for (const auto& run : runs) tell(*run);
  if (report != nullptr) report->peak_memory_bytes += evaluator_memory.peak();
  RETURN_IF_ERROR(FirstCause(results));
  for (absl::StatusOr<Literal>& result : results) values.push_back(*std::move(result));
  return values;
}

const Literal& LeafAt(const Literal& literal, const ShapeIndex& index) {
  const Literal* leaf = &literal;
  for (const int64_t i : index) leaf = &leaf->element(static_cast<int>(i));
  return *leaf;
}

std::unique_ptr<DimensionVector> DynamicSizesOf(const Literal& literal) {
  if (!literal.has_dynamic_sizes()) return nullptr;
  auto sizes = std::make_unique<DimensionVector>();
  for (int d = 0; d < literal.shape().rank(); ++d) sizes->push_back(literal.dynamic_size(d));
  return sizes;
}

Literal AssembleResult(const ProgramPlan& plan, absl::Span<Literal> leaves, const ExecuteContext& context) {
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const ProgramPlan::Result& result = plan.results[i];
    if (result.dynamic_buffer < 0) continue;
    leaves[i].ClearDynamicSizes();
    const auto& sizes = context.dynamic_sizes[result.dynamic_buffer];
    for (int d = 0; sizes != nullptr && d < result.shape.rank(); ++d) leaves[i].SetDynamicSize(d, (*sizes)[d]);
  }
  Literal* next_leaf = leaves.data();
  return Assemble(plan.result_shape, next_leaf);
}

}  // namespace xla
