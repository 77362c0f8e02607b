#include "backends/cpu/cpu_program.h"

#include <algorithm>
#include <utility>

#include "absl/container/fixed_array.h"
#include "backends/runtime/poison.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// From the last to the first.
std::vector<void*> AddressesOf(const std::vector<ProgramPlan::Constant>& constants) {
  std::vector<void*> addresses;
  for (auto it = constants.rbegin(); it != constants.rend(); ++it) addresses.push_back(const_cast<void*>(it->data));
  return addresses;
}

}  // namespace

CpuProgram::CpuProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
                       std::function<std::string()> code)
    : plan_(std::move(plan)),
      runner_(client, plan_, std::move(devices), std::move(own)),
      constant_addresses_(AddressesOf(plan_.constants)),
      code_(std::move(code)),
      writes_arguments_(std::any_of(plan_.arguments.begin(), plan_.arguments.end(),
                                    [](const ProgramPlan::Argument& argument) { return argument.is_written; })),
      arenas_(plan_.arena_bytes, client.memory()),
      kept_(plan_.kept_bytes, runner_.device_count(), client.memory()) {}

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
  frame.results.reserve(plan_.results.size());
  for (const ProgramPlan::Result& result : plan_.results) {
    if (result.argument >= 0) {
      frame.results.emplace_back();
      continue;
    }
    ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(result.shape));
    frame.results.push_back(std::move(literal));
    if (result.base != BufferSlice::kNowhere) frame.bases[result.base] = frame.results.back().untyped_mutable_data();
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

// Leaves in memory of an argument take over its literal.
void CpuProgram::TakeResults(Frame& frame) const {
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    const ProgramPlan::Result& result = plan_.results[i];
    if (result.argument < 0) continue;
    frame.results[i] = std::move(frame.taken[result.argument]);
    frame.results[i].ResetShape(result.shape);
  }
}

// Memory for temporaries comes from a pool of arenas, results get memory of their own, and values that depend on
// weights only are kept from the first run on if it ends without an error.
absl::StatusOr<Literal> CpuProgram::RunDevice(const HostLaunch& launch, int64_t d, Frame& frame,
                                              PlanRunner::DeviceRun& run) const {
  absl::StatusOr<ArenaPool::Lease> arena = arenas_.Take();
  if (!arena.ok()) return arena.status();
  frame.addresses.resize(constant_addresses_.size() + plan_.base_count, nullptr);
  std::copy(constant_addresses_.begin(), constant_addresses_.end(), frame.addresses.begin());
  frame.bases = frame.addresses.data() + constant_addresses_.size();
  frame.bases[BufferSlice::kArena] = frame.arena.emplace(*std::move(arena)).data();
  ExecuteContext& context = run.context;
  RETURN_IF_ERROR(PlaceArguments(launch.arguments[d], launch.donations, frame, context));
  RETURN_IF_ERROR(PlaceResults(frame));
  ASSIGN_OR_RETURN(std::shared_ptr<const KeptMemory::Block> kept, PlaceKeptValues(frame, context));
  context.bases = frame.bases;
  if (plan_.poisons_memory) PoisonMemory(frame, kept.get(), context);
  RETURN_IF_ERROR(runner_.RunPlan(launch, run));
  if (kept != nullptr && !context.has_kept_values) kept_.Keep(std::move(kept));
  TakeResults(frame);
  return AssembleResult(plan_, absl::MakeSpan(frame.results), context);
}

absl::StatusOr<std::vector<Literal>> CpuProgram::Run(const HostLaunch& launch) const {
  absl::FixedArray<Frame, 1> frames(static_cast<size_t>(runner_.device_count()));
  return runner_.Run(launch,
                     [&](int64_t d, PlanRunner::DeviceRun& run) { return RunDevice(launch, d, frames[d], run); });
}

}  // namespace xla
