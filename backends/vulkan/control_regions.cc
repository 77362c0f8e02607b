#include "backends/vulkan/control_regions.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"

namespace xla {
namespace vulkan {
namespace {

using Kind = ControlNode::Kind;
using Nodes = std::vector<ControlNode>;

// Of an iteration, or of all branches of a conditional. On Mesa's driver for processors, loops of 3 to 18 thunks and
// conditionals of two branches with 1 to 30 thunks each took less time than with a wait for the device, and loops of 50
// as much.
constexpr int64_t kMostThunks = 64;
constexpr int32_t kMostSteps = 256;   // that are looked at to find them
constexpr int32_t kMostBranches = 8;  // each has a kernel that decides about it
constexpr int kMostDepth = 8;

// A loop whose steps are [begin, test) for its condition, and (test, repeat) for its body.
struct LoopSteps {
  int32_t test = 0;
  int32_t repeat = 0;
};

// By the step at which they begin; of several the innermost.
absl::flat_hash_map<int32_t, LoopSteps> FindLoops(const StepProgram& program) {
  absl::flat_hash_map<int32_t, LoopSteps> loops;
  for (int32_t i = 0; i < static_cast<int32_t>(program.steps.size()); ++i) {
    const ProgramStep& step = program.steps[i];
    if (step.kind != ProgramStep::Kind::kJump || step.first_target <= 0 || step.target > step.first_target) continue;
    if (program.steps[step.first_target].target != i + 1) continue;
    loops.emplace(step.target, LoopSteps{step.first_target, i});
  }
  return loops;
}

// All that the nodes may run.
int64_t MostThunks(const Nodes& nodes) {
  int64_t most = 0;
  for (const ControlNode& node : nodes) {
    if (node.kind == Kind::kThunk) ++most;
    for (const Nodes& part : node.parts) {
      const int64_t once = MostThunks(part);
      const int64_t times = node.kind == Kind::kRepeat ? node.times : 1;
      most += once > 0 && times > kMostThunks ? kMostThunks + 1 : once * times;
    }
    if (most > kMostThunks) return most;
  }
  return most;
}

class RegionFinder {
 public:
  explicit RegionFinder(const StepProgram& program) : program_(program), loops_(FindLoops(program)) {}

  absl::optional<ControlRegion> LoopAt(int32_t step) const {
    const auto loop = loops_.find(step);
    if (loop == loops_.end() || program_.steps[loop->second.test].trip_count >= 0) return absl::nullopt;
    const auto [test, repeat] = loop->second;
    if (repeat - step > kMostSteps) return absl::nullopt;
    ControlRegion region;
    region.first = step;
    region.end = repeat + 1;
    region.is_loop = true;
    region.slice = program_.steps[test].slice;
    if (!IsAligned(region.slice) || !AddLoopParts(step, loop->second, /*depth=*/0, region.condition, region.body)) {
      return absl::nullopt;
    }
    const int64_t most = MostThunks(region.condition) + MostThunks(region.body);
    if (most == 0 || most > kMostThunks) return absl::nullopt;
    return region;
  }

  absl::optional<ControlRegion> ConditionalAt(int32_t step) const {
    if (program_.steps[step].kind != ProgramStep::Kind::kSwitch) return absl::nullopt;
    ControlRegion region;
    region.first = step;
    region.end = AddChoice(step, 0, region.body);
    if (region.end < 0) return absl::nullopt;
    const int64_t most = MostThunks(region.body);
    if (most == 0 || most > kMostThunks) return absl::nullopt;
    return region;
  }

 private:
  // A kernel looks at whole words.
  static bool IsAligned(const BufferSlice& slice) {
    return slice.bytes > 0 && slice.offset % static_cast<int64_t>(sizeof(uint32_t)) == 0;
  }

  // False: not all of the steps run on the device. `open`: the loop that the steps are the condition of begins there.
  bool Add(int32_t first, int32_t end, int depth, Nodes& nodes, int32_t open = -1) const {
    for (int32_t at = first; at < end;) {
      const ProgramStep& step = program_.steps[at];
      const auto loop = at == open ? loops_.end() : loops_.find(at);
      if (loop != loops_.end()) {
        at = loop->second.repeat < end ? AddLoop(at, loop->second, depth + 1, nodes) : -1;
      } else if (step.kind == ProgramStep::Kind::kSwitch) {
        at = AddChoice(at, depth + 1, nodes);
      } else if (step.thunk != nullptr && step.thunk->info().is_on_device && !step.thunk->info().has_side_effect) {
        ControlNode node;
        node.thunk = step.thunk;
        nodes.push_back(std::move(node));
        ++at;
      } else {
        at = -1;
      }
      if (at < 0 || at > end) return false;
    }
    return true;
  }

  bool AddLoopParts(int32_t first, const LoopSteps& loop, int depth, Nodes& condition, Nodes& body) const {
    return Add(first, loop.test, depth, condition, /*open=*/first) && Add(loop.test + 1, loop.repeat, depth, body);
  }

  // The step after it; -1: not all of its steps run on the device. As on the host, its condition is computed once.
  int32_t AddLoop(int32_t first, const LoopSteps& loop, int depth, Nodes& nodes) const {
    if (depth > kMostDepth || program_.steps[loop.test].trip_count < 0) return -1;
    ControlNode node;
    node.kind = Kind::kRepeat;
    node.times = program_.steps[loop.test].trip_count;
    node.parts.resize(1);
    if (!AddLoopParts(first, loop, depth, nodes, node.parts[0])) return -1;
    if (MostThunks(node.parts[0]) > 0) nodes.push_back(std::move(node));
    return loop.repeat + 1;
  }

  // Likewise. Branches lie one after the other, each with a jump to the end of all as its last step.
  int32_t AddChoice(int32_t at, int depth, Nodes& nodes) const {
    const ProgramStep& choose = program_.steps[at];
    const int32_t count = choose.target_count;
    if (depth > kMostDepth || count < 2 || count > kMostBranches || !IsAligned(choose.slice)) return -1;
    const int32_t* const begins = &program_.targets[choose.first_target];
    const int32_t end = program_.steps[begins[1] - 1].target;
    if (begins[0] != at + 1 || end <= at || end - at > kMostSteps) return -1;
    ControlNode node;
    node.kind = Kind::kChoice;
    node.is_pred = choose.is_pred;
    node.slice = choose.slice;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t leave = (i + 1 < count ? begins[i + 1] : end) - 1;
      if (leave < begins[i] || leave >= end) return -1;
      const ProgramStep& jump = program_.steps[leave];
      if (jump.kind != ProgramStep::Kind::kJump || jump.target != end) return -1;
      if (!Add(begins[i], leave, depth, node.parts.emplace_back())) return -1;
    }
    nodes.push_back(std::move(node));
    return end;
  }

  const StepProgram& program_;
  const absl::flat_hash_map<int32_t, LoopSteps> loops_;
};

}  // namespace

int64_t ThunksOf(const std::vector<ControlNode>& nodes) {
  int64_t thunks = 0;
  for (const ControlNode& node : nodes) {
    thunks += node.kind == Kind::kRepeat ? node.times * ThunksOf(node.parts[0]) : 1;
  }
  return thunks;
}

std::vector<ControlRegion> FindControlRegions(const StepProgram& program) {
  const RegionFinder finder(program);
  std::vector<ControlRegion> regions;
  for (int32_t at = 0; at < static_cast<int32_t>(program.steps.size());) {
    absl::optional<ControlRegion> region = finder.LoopAt(at);
    if (!region.has_value()) region = finder.ConditionalAt(at);
    at = region.has_value() ? region->end : at + 1;
    if (region.has_value()) regions.push_back(*std::move(region));
  }
  return regions;
}

}  // namespace vulkan
}  // namespace xla
