#include "passes/mesh_cost/step_cost.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/callee_runs.h"
#include "passes/analyses/cost.h"
#include "passes/mesh_cost/meeting_costs.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// An exponential or a root takes about as long as so many multiplications.
constexpr double kFlopsOfTranscendental = 10;

// The collective that an async-start runs; nullptr if it runs something else.
const HloInstruction* MeetingWithin(const HloInstruction& start) {
  if (start.opcode() != HloOpcode::kAsyncStart || start.called_computations().empty()) return nullptr;
  const HloInstruction* const root = start.called_computation(0)->root();
  return MeetingCosts::IsMeeting(*root) ? root : nullptr;
}

// The collective that begins here, whatever begins it.
const HloInstruction* MeetingAt(const HloInstruction& instruction) {
  return MeetingCosts::IsMeeting(instruction) ? &instruction : MeetingWithin(instruction);
}

// Where what ends here began: the first instruction of the chain of updates.
const HloInstruction* BeginOf(const HloInstruction& end) {
  const HloInstruction* begin = &end;
  while (HasTrait(begin->opcode(), opcode_trait::kEnds) && begin->operand_count() > 0) begin = begin->operand(0);
  return begin;
}

bool IsControl(const HloInstruction& instruction) {
  return !instruction.called_computations().empty() && ContextOfCallees(instruction.opcode()) == CallContext::kControl;
}

// Steps through computations, callees first.
class StepTimer {
 public:
  StepTimer(const CostAnalysis& costs, MeetingCosts& meetings, const Topology& topology, StepCost* step)
      : costs_(costs), meetings_(meetings), topology_(topology), step_(*step) {}

  absl::Status Add(const HloComputation& computation, ResourcePoll& poll) {
    clock_ = link_free_ = 0;
    runs_ = costs_.Runs(computation);
    begun_.clear();
    for (const auto& instruction : computation.instructions()) {
      RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
      RETURN_IF_ERROR(Run(*instruction));
    }
    seconds_[&computation] = clock_;
    return absl::OkStatus();
  }

 private:
  struct Begun {
    double end = 0;
    size_t collective = 0;
  };

  absl::Status Run(const HloInstruction& instruction) {
    if (const HloInstruction* const meeting = MeetingAt(instruction)) return Meet(instruction, *meeting);
    if (HasTrait(instruction.opcode(), opcode_trait::kEnds)) {
      // An update goes on.
      if (!HasTrait(instruction.opcode(), opcode_trait::kBegins)) End(instruction);
    } else if (IsControl(instruction)) {
      RunCallees(instruction);
    } else {
      Compute(costs_.Of(instruction));
    }
    return absl::OkStatus();
  }

  absl::Status Meet(const HloInstruction& instruction, const HloInstruction& meeting) {
    ASSIGN_OR_RETURN(const MeetingCost cost, meetings_.Of(meeting));
    step_.collectives.push_back({std::string(instruction.name()), std::string(meeting.opcode_name()), cost.along, runs_,
                                 cost.bytes, runs_ * cost.seconds, 0});
    const Begun begun = {std::max(clock_, link_free_) + cost.seconds, step_.collectives.size() - 1};
    link_free_ = begun.end;
    if (HasTrait(instruction.opcode(), opcode_trait::kBegins)) {
      begun_[&instruction] = begun;
    } else {
      WaitFor(begun);
    }
    return absl::OkStatus();
  }

  void End(const HloInstruction& end) {
    const auto begun = begun_.find(BeginOf(end));
    if (begun == begun_.end()) return;
    WaitFor(begun->second);
    begun_.erase(begun);
  }

  void WaitFor(const Begun& begun) {
    const double waited = std::max(0.0, begun.end - clock_);
    step_.collectives[begun.collective].waited += runs_ * waited;
    clock_ += waited;
  }

  // Their parts are counted with them.
  void RunCallees(const HloInstruction& instruction) {
    const CalleeRuns runs = EstimateCalleeRuns(instruction);
    for (size_t i = 0; i < runs.runs.size(); ++i) {
      clock_ += runs.runs[i] * seconds_[instruction.called_computation(static_cast<int>(i))];
    }
  }

  void Compute(const Cost& cost) {
    const double arithmetic = (cost.flops + kFlopsOfTranscendental * cost.transcendentals) / topology_.flops;
    const double memory = cost.bytes() / topology_.memory_bandwidth;
    (arithmetic > memory ? step_.arithmetic_seconds : step_.memory_seconds) += runs_ * std::max(arithmetic, memory);
    clock_ += std::max(arithmetic, memory);
  }

  const CostAnalysis& costs_;
  MeetingCosts& meetings_;
  const Topology& topology_;
  StepCost& step_;
  absl::flat_hash_map<const HloComputation*, double> seconds_;
  // Of the computation at work, in seconds of one run.
  double clock_ = 0;
  double link_free_ = 0;  // from when on nothing is exchanged
  double runs_ = 1;
  absl::flat_hash_map<const HloInstruction*, Begun> begun_;
};

// Bodies of async-starts that count as the start.
absl::flat_hash_set<const HloComputation*> BegunElsewhere(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> bodies;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (MeetingWithin(*instruction) != nullptr) bodies.insert(instruction->called_computation(0));
    }
  }
  return bodies;
}

std::vector<StepCost::Axis> AxesOf(const std::vector<StepCost::Collective>& collectives) {
  std::map<std::string, StepCost::Axis> by_name;
  for (const StepCost::Collective& collective : collectives) {
    StepCost::Axis& axis = by_name[collective.along];
    axis.along = collective.along;
    ++axis.collectives;
    axis.bytes += collective.runs * collective.bytes;
    axis.seconds += collective.seconds;
    axis.waited += collective.waited;
  }
  std::vector<StepCost::Axis> axes;
  for (auto& [name, axis] : by_name) axes.push_back(std::move(axis));
  std::stable_sort(axes.begin(), axes.end(),
                   [](const StepCost::Axis& a, const StepCost::Axis& b) { return a.waited > b.waited; });
  return axes;
}

absl::StatusOr<int64_t> DevicesOn(const HloModule& module, const Topology& topology) {
  int64_t devices = 0;
  const bool fits = CheckedMul(module.config().replica_count, module.config().num_partitions, &devices);
  if (fits && devices <= topology.device_count()) return devices;
  return absl::InvalidArgumentError(absl::StrCat("the program is for ", module.config().replica_count, " replicas of ",
                                                 module.config().num_partitions, " partitions, expected at most the ",
                                                 topology.device_count(), " devices of the topology (",
                                                 topology.ToString(), "); give it more hosts or devices_per_host"));
}

}  // namespace

double StepCost::waited() const {
  double seconds = 0;
  for (const Axis& axis : axes) seconds += axis.waited;
  return seconds;
}

std::string StepCost::Bottleneck() const {
  const double waited = axes.empty() ? 0 : axes[0].waited;
  const double most = std::max({arithmetic_seconds, memory_seconds, waited});
  if (most <= 0) return "nothing";
  if (most == waited) return absl::StrCat("collectives along ", axes[0].along);
  return most == arithmetic_seconds ? "arithmetic" : "memory";
}

absl::StatusOr<StepCost> EstimateStep(const HloModule& module, const DeviceAxes& axes, const Topology& topology,
                                      const ResourceContext* resources) {
  StepCost step;
  ASSIGN_OR_RETURN(step.devices, DevicesOn(module, topology));
  ASSIGN_OR_RETURN(const CostAnalysis costs, CostAnalysis::Create(module, resources));
  ASSIGN_OR_RETURN(const CallGraph calls, CallGraph::Create(module, resources));
  const absl::flat_hash_set<const HloComputation*> begun_elsewhere = BegunElsewhere(module);
  MeetingCosts meetings(module.config().replica_count, module.config().num_partitions, axes, topology);
  StepTimer timer(costs, meetings, topology, &step);
  ResourcePoll poll(resources);
  for (const auto& computation : module.computations()) {
    const CallContext context = calls.Context(*computation);
    const bool is_counted = context == CallContext::kControl || context == CallContext::kBoth;
    if (is_counted && !begun_elsewhere.contains(computation.get())) RETURN_IF_ERROR(timer.Add(*computation, poll));
  }
  step.axes = AxesOf(step.collectives);
  step.memory = EstimateStepMemory(module);
  step.unknown_loops = costs.UnknownLoops();
  return step;
}

}  // namespace xla
