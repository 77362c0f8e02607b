#include "backends/cpu/cpu_program.h"

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
#include "backends/runtime/poison.h"
#include "xla_core/evaluator/first_cause.h"
#include "xla_core/evaluator/queued_feeds.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

const Literal& LeafAt(const Literal& literal, const ShapeIndex& index) {
  const Literal* leaf = &literal;
  for (const int64_t i : index) leaf = &leaf->element(static_cast<int>(i));
  return *leaf;
}

// Puts leaves together, in order.
Literal Assemble(const Shape& shape, Literal*& next_leaf) {
  if (!shape.IsTuple()) return std::move(*next_leaf++);
  std::vector<Literal> elements;
  elements.reserve(shape.tuple_size());
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(Assemble(element, next_leaf));
  return Literal::Tuple(std::move(elements));
}

std::unique_ptr<DimensionVector> DynamicSizesOf(const Literal& literal) {
  if (!literal.has_dynamic_sizes()) return nullptr;
  auto sizes = std::make_unique<DimensionVector>();
  for (int d = 0; d < literal.shape().rank(); ++d) sizes->push_back(literal.dynamic_size(d));
  return sizes;
}

// From the last to the first.
std::vector<void*> AddressesOf(const std::vector<ProgramPlan::Constant>& constants) {
  std::vector<void*> addresses;
  for (auto it = constants.rbegin(); it != constants.rend(); ++it) addresses.push_back(const_cast<void*>(it->data));
  return addresses;
}

// Whether something is written to where it was read from.
bool IsInPlace(const ThunkInfo& info) {
  return std::any_of(info.writes.begin(), info.writes.end(), [&](const BufferSlice& written) {
    return written.bytes > 0 && std::find(info.reads.begin(), info.reads.end(), written) != info.reads.end();
  });
}

}  // namespace

// The evaluator's part of a device's run.
struct CpuProgram::Evaluation {
  // Limits of steps, profile and progress do not apply to the evaluator: the plan counts a thunk that evaluates as
  // one step. `memory` is that of all devices; nullptr: there is one device.
  Evaluation(const CpuProgram& program, const HostLaunch& launch, FeedChannels* feeds, const ExecuteContext& context,
             MemoryBudget* memory)
      : options(ToEvaluatorOptions(launch, program.EvaluatorLimit(launch.options))),
        meetings(context.collectives, memory) {
    // Thunks are what is counted and reported, not what is called while one is evaluated.
    options.max_steps = 0;
    options.profile = nullptr;
    options.progress = nullptr;
    run.options = &options;
    run.abandoned = program.client_has_ended_.get();
    run.pool = program.pool_.get();
    run.feeds = feeds;
    if (context.collectives != nullptr) run.meetings = &meetings;
    run.memory = memory;
    evaluator = program.evaluator_->Begin(run, context.device);
  }

  EvaluatorOptions options;
  CollectiveMeetings meetings;
  EvaluatorRun run;
  std::unique_ptr<InstructionEvaluator::Run> evaluator;
};

// What a device needs while it runs; other devices may look at it until all have ended.
struct CpuProgram::DeviceRun {
  absl::optional<ArenaPool::Lease> arena;
  Frame frame;
  ExecuteContext context;
  StepCounts counts;
  MemoryBudget* evaluator_memory = nullptr;  // of Evaluation
  int64_t evaluator_peak_bytes = 0;          // of a budget of its own
};

CpuProgram::CpuProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
                       std::function<std::string()> code)
    : plan_(std::move(plan)),
      constant_addresses_(AddressesOf(plan_.constants)),
      code_(std::move(code)),
      pool_(client.pool()),
      device_threads_(client.device_threads()),
      memory_(client.memory()),
      client_has_ended_(client.has_ended()),
      devices_(std::move(devices)),
      own_(std::move(own)),
      evaluator_(plan_.uses_evaluator ? std::make_unique<InstructionEvaluator>(*plan_.module) : nullptr),
      arenas_(plan_.arena_bytes, memory_),
      kept_(plan_.kept_bytes, devices_.size(), memory_) {
  for (const ProgramPlan::Result& result : plan_.results) {
    if (result.base != BufferSlice::kNowhere && result.argument < 0) result_bytes_ += result.shape.ByteSize();
  }
  writes_arguments_ = std::any_of(plan_.arguments.begin(), plan_.arguments.end(),
                                  [](const ProgramPlan::Argument& argument) { return argument.is_written; });
}

// Sizes that the plan knows exactly, but for scratch, which is counted for every thread of the pool.
MemoryNeed CpuProgram::memory_need() const {
  MemoryNeed need;
  for (const HloInstruction* parameter : plan_.module->entry()->parameters()) {
    need.argument_bytes += parameter->shape().ByteSize();
  }
  need.output_bytes = plan_.result_shape.ByteSize();
  need.alias_bytes = need.output_bytes - result_bytes_;
  int64_t scratch_bytes = 0;  // of each thread
  for (const auto& thunk : plan_.program.thunks) {
    scratch_bytes = std::max(scratch_bytes, thunk->info().scratch_bytes);
  }
  need.temporary_bytes = plan_.arena_bytes + plan_.kept_bytes + scratch_bytes * pool_->num_threads();
  return need;
}

// What each thunk does and costs, for tools that compare plans with measured times.
std::vector<PlannedStep> CpuProgram::PlannedSteps() const {
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

absl::Status CpuProgram::CheckMemory(const HostLaunch& launch) const {
  const int64_t needed = (plan_.arena_bytes + plan_.kept_bytes + result_bytes_) * static_cast<int64_t>(devices_.size());
  const int64_t own = launch.options.max_memory_bytes > 0 ? launch.options.max_memory_bytes : memory_->limit();
  const MemoryBudget& whole = launch.resources.memory();
  const int64_t limit = std::min(own, whole.limit() - whole.used());
  if (needed <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the program needs ", needed,
                                                   " bytes for results and temporary values, the memory limit is ",
                                                   limit, " bytes (while ", launch.resources.phase(), ")"));
}

int64_t CpuProgram::EvaluatorLimit(const ExecuteOptions& options) const {
  if (options.max_memory_bytes == 0) return memory_->limit();
  return options.max_memory_bytes - plan_.arena_bytes * static_cast<int64_t>(devices_.size());
}

// Sets the base addresses of the arguments. A program that writes to arguments, or that was given donations, takes
// literals of its own first, for a donated value that nothing else holds can then be written without a copy; any
// other that is written is copied by MakeWritable.
absl::Status CpuProgram::PlaceArguments(HostValues& values, const Donations& donations, Frame& frame,
                                        ExecuteContext& context) const {
  if (plan_.has_weights) {
    context.weight_ids.resize(plan_.base_count);
    for (const ProgramPlan::Argument& argument : plan_.arguments) {
      context.weight_ids[argument.base] = values[argument.parameter]->id();
    }
  }
  const bool keeps = writes_arguments_ || !donations.empty();
  if (keeps) {
    frame.taken.resize(plan_.arguments.size());
    for (size_t i = 0; i < plan_.arguments.size(); ++i) {
      const ProgramPlan::Argument& argument = plan_.arguments[i];
      frame.taken[i] = LeafAt(values[argument.parameter]->literal(), argument.leaf);
    }
    // If nothing else holds the value, its arrays are now this run's alone, and may be written to without a copy.
    for (size_t i = 0; i < donations.size(); ++i) {
      if (donations[i] && !values[i]->is_borrowed()) values[i] = nullptr;
    }
  }
  for (size_t i = 0; i < plan_.arguments.size(); ++i) {
    const ProgramPlan::Argument& argument = plan_.arguments[i];
    if (argument.is_written) RETURN_IF_ERROR(frame.taken[i].MakeWritable(nullptr));
    const Literal& leaf = keeps ? frame.taken[i] : LeafAt(values[argument.parameter]->literal(), argument.leaf);
    frame.bases[argument.base] = const_cast<void*>(leaf.untyped_data());
    if (argument.dynamic_buffer >= 0) context.dynamic_sizes[argument.dynamic_buffer] = DynamicSizesOf(leaf);
  }
  return absl::OkStatus();
}

absl::Status CpuProgram::PlaceResults(Frame& frame) const {
  frame.results.resize(plan_.results.size());
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    const ProgramPlan::Result& result = plan_.results[i];
    if (result.argument >= 0) continue;
    ASSIGN_OR_RETURN(frame.results[i], Literal::Allocate(result.shape));
    if (result.base != BufferSlice::kNowhere) frame.bases[result.base] = frame.results[i].untyped_mutable_data();
  }
  return absl::OkStatus();
}

// Memory of values that depend on weights only: that of an earlier run with the same weights, else a new block that
// this run fills. A program without such values has none.
absl::StatusOr<std::shared_ptr<const KeptMemory::Block>> CpuProgram::PlaceKeptValues(Frame& frame,
                                                                                     ExecuteContext& context) const {
  if (plan_.kept_base == BufferSlice::kNowhere) return std::shared_ptr<const KeptMemory::Block>();
  std::vector<uint64_t> weights;
  for (const int32_t base : plan_.weight_bases) weights.push_back(context.weight_ids[base]);
  std::shared_ptr<const KeptMemory::Block> block = kept_.Find(weights);
  context.has_kept_values = block != nullptr;
  if (block == nullptr) {
    ASSIGN_OR_RETURN(block, kept_.Make(std::move(weights)));
  }
  frame.bases[plan_.kept_base] = block->data();
  context.weight_ids[plan_.kept_base] = block->id();
  return block;
}

void CpuProgram::PoisonMemory(Frame& frame, const KeptMemory::Block* kept, const ExecuteContext& context) const {
  FillWithPoison(frame.bases[BufferSlice::kArena], plan_.arena_bytes);
  for (const ProgramPlan::Result& result : plan_.results) {
    const bool has_own_memory = result.base != BufferSlice::kNowhere && result.argument < 0;
    if (has_own_memory) FillWithPoison(frame.bases[result.base], result.shape.ByteSize());
  }
  if (kept != nullptr && !context.has_kept_values) FillWithPoison(kept->data(), plan_.kept_bytes);
}

// Puts the leaves of the result together. Leaves in memory of an argument take over its literal; leaves with dynamic
// dimensions take the sizes that the run found.
absl::StatusOr<Literal> CpuProgram::TakeResult(Frame& frame, const ExecuteContext& context) const {
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    const ProgramPlan::Result& result = plan_.results[i];
    Literal& leaf = frame.results[i];
    if (result.argument >= 0) {
      leaf = std::move(frame.taken[result.argument]);
      leaf.ResetShape(result.shape);
    }
    if (result.dynamic_buffer < 0) continue;
    leaf.ClearDynamicSizes();
    const auto& sizes = context.dynamic_sizes[result.dynamic_buffer];
    for (int d = 0; sizes != nullptr && d < result.shape.rank(); ++d) leaf.SetDynamicSize(d, (*sizes)[d]);
  }
  Literal* next_leaf = frame.results.data();
  return Assemble(plan_.result_shape, next_leaf);
}

// The evaluator for steps that run on the interpreter is only made if the plan has such steps; its memory counts
// towards the peak.
absl::Status CpuProgram::RunPlan(const HostLaunch& launch, FeedChannels* feeds, DeviceRun& run) const {
  const ExecuteOptions& options = launch.options;
  ExecuteContext& context = run.context;
  StepOptions step_options;
  step_options.max_steps = options.max_steps;
  step_options.profile = options.profile;
  if (options.progress != nullptr && context.device.id() == 0) step_options.progress = &options.progress;
  absl::optional<Evaluation> evaluation;
  if (evaluator_ != nullptr) {
    context.evaluator = evaluation.emplace(*this, launch, feeds, context, run.evaluator_memory).evaluator.get();
  }
  absl::optional<DenormalMode> mode;
  if (context.flushes_denormals) mode.emplace(DenormalMode::kFlush);
  const absl::Status status = RunSteps(plan_.program, step_options, context, &run.counts);
  if (evaluation.has_value() && run.evaluator_memory == nullptr) {
    run.evaluator_peak_bytes = evaluation->evaluator->peak_memory_bytes();
  }
  return status;
}

// Memory for temporaries comes from a pool of arenas, results get memory of their own, and values that depend on
// weights only are kept from the first run on if it ends without an error.
absl::StatusOr<Literal> CpuProgram::RunDevice(const HostLaunch& launch, int64_t d, FeedChannels* feeds,
                                              Collectives* collectives, DeviceRun& run) const {
  ASSIGN_OR_RETURN(ArenaPool::Lease arena, arenas_.Take());
  Frame& frame = run.frame;
  frame.addresses.assign(constant_addresses_.begin(), constant_addresses_.end());
  frame.addresses.resize(constant_addresses_.size() + plan_.base_count, nullptr);
  frame.bases = frame.addresses.data() + constant_addresses_.size();
  frame.bases[BufferSlice::kArena] = run.arena.emplace(std::move(arena)).data();
  ExecuteContext& context = run.context;
  context.device = own_.InfoOf(d);
  context.collectives = collectives;
  context.begun.resize(plan_.begun_count);
  context.dynamic_sizes.resize(plan_.dynamic_buffer_count);
  RETURN_IF_ERROR(PlaceArguments(launch.arguments[d], launch.donations, frame, context));
  RETURN_IF_ERROR(PlaceResults(frame));
  ASSIGN_OR_RETURN(std::shared_ptr<const KeptMemory::Block> kept, PlaceKeptValues(frame, context));
  context.bases = frame.bases;
  context.pool = pool_.get();
  context.resources = &launch.resources;
  context.abandoned = client_has_ended_.get();
  context.flushes_denormals = plan_.flushes_denormals;
  context.poisons_memory = plan_.poisons_memory;
  if (plan_.poisons_memory) PoisonMemory(frame, kept.get(), context);
  RETURN_IF_ERROR(RunPlan(launch, feeds, run));
  if (kept != nullptr && !context.has_kept_values) kept_.Keep(std::move(kept));
  return TakeResult(frame, context);
}

// The first device runs on the calling thread. A device tells the others when it ends, so that those who wait for it
// fail instead of hanging.
std::vector<absl::StatusOr<Literal>> CpuProgram::RunTogether(const HostLaunch& launch, FeedChannels* feeds,
                                                             absl::Span<const std::unique_ptr<DeviceRun>> runs) const {
  const auto count = static_cast<int64_t>(runs.size());
  absl::optional<LocalCollectives> own;
  Collectives* const collectives = launch.options.collectives != nullptr
                                       ? launch.options.collectives
                                       : &own.emplace(count, pool_.get(), memory_.get());
  // An error without a message takes no memory; each device overwrites it.
  std::vector<absl::StatusOr<Literal>> results(count, absl::Status(absl::StatusCode::kInternal, ""));
  const auto run_device = [&](int64_t d) {
    results[d] = RunDevice(launch, d, feeds, collectives, *runs[d]);
    collectives->DeviceEnded(own_.NumberOf(d), results[d].status());
    runs[d]->context.begun.clear();
  };
  device_threads_->Run(count, run_device, [&](int64_t d, const absl::Status& refused) {
    results[d] = refused;
    collectives->DeviceEnded(own_.NumberOf(d), refused);
  });
  return results;
}

// One run, on all devices. The error is the first cause, not one that another device's failure caused.
absl::StatusOr<std::vector<Literal>> CpuProgram::Run(const HostLaunch& launch) const {
  RETURN_IF_ERROR(plan_.can_run);
  RETURN_IF_ERROR(CheckMemory(launch));
  ExecutionReport* const report = launch.options.report;
  const absl::Time start = report != nullptr ? absl::Now() : absl::Time();
  absl::optional<DeviceFeeds> device_feeds;
  absl::optional<QueuedFeeds> queued_feeds;
  FeedChannels* feeds = nullptr;
  if (evaluator_ != nullptr && launch.options.feeds != nullptr) {
    feeds = &queued_feeds.emplace(launch.options.feeds, own_);
  } else if (evaluator_ != nullptr) {
    feeds = &device_feeds.emplace(devices_, own_);
  }
  std::vector<Literal> values(devices_.size());
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
    absl::StatusOr<Literal> result = RunDevice(launch, 0, feeds, /*collectives=*/nullptr, run);
    tell(run);
    ASSIGN_OR_RETURN(values[0], std::move(result));
    return values;
  }
  std::vector<std::unique_ptr<DeviceRun>> runs;
  // What devices give each other may outlive the part of the one that gave it.
  MemoryBudget evaluator_memory(EvaluatorLimit(launch.options), &launch.resources.memory());
  for (size_t d = 0; d < devices_.size(); ++d) {
    runs.push_back(std::make_unique<DeviceRun>());
    runs.back()->evaluator_memory = &evaluator_memory;
  }
  std::vector<absl::StatusOr<Literal>> results = RunTogether(launch, feeds, runs);
  for (const auto& run : runs) tell(*run);
  if (report != nullptr) report->peak_memory_bytes += evaluator_memory.peak();
  RETURN_IF_ERROR(FirstCause(results));
  for (size_t d = 0; d < values.size(); ++d) values[d] = *std::move(results[d]);
  return values;
}

}  // namespace xla
