// Each computation is ordered by itself, callees first. What counts is the model of memory_model.h.
#include "passes/memory/schedule_for_memory.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/memory/instruction_order.h"
#include "passes/memory/memory_model.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kMaxOrders = 100;

// At each step the instruction that frees most, or takes least; among equals the first one of the given order. One that
// would write over what others still read waits for them if there is anything else to do.
absl::StatusOr<std::vector<int>> ListOrder(const MemoryGraph& graph, ResourcePoll& poll) {
  MemoryInUse memory(graph);
  using Key = std::tuple<bool, double, int>;
  const auto key = [&](int i) {
    const int overwritten = graph[i].expects_to_overwrite ? graph[i].overwrites : -1;
    return Key{overwritten >= 0 && memory.ReadersLeft(overwritten) > 1, memory.Growth(i), i};
  };
  std::vector<int> waiting_for(graph.size());
  std::set<Key> ready;
  std::vector<Key> key_of(graph.size());
  const auto add = [&](int i) { ready.insert(key_of[i] = key(i)); };
  for (int i = 0; i < graph.size(); ++i) {
    waiting_for[i] = static_cast<int>(graph[i].before.size());
    if (waiting_for[i] == 0) add(i);
  }
  std::vector<int> order;
  std::vector<bool> done(graph.size());
  while (!ready.empty()) {
    RETURN_IF_ERROR(poll.Check());
    const int next = std::get<2>(*ready.begin());
    ready.erase(ready.begin());
    memory.Run(next);
    done[next] = true;
    order.push_back(next);
    for (const int after : graph[next].after) {
      if (--waiting_for[after] == 0) add(after);
    }
    // Where one reader is left, it has become more attractive.
    for (const int read : graph[next].reads) {
      if (memory.ReadersLeft(read) != 1) continue;
      for (const int reader : graph[read].readers) {
        if (done[reader] || waiting_for[reader] != 0) continue;
        ready.erase(key_of[reader]);
        add(reader);
      }
    }
  }
  return order;
}

// Depth first from the root and from what has no users; of the operands first the one that needs most memory beyond
// what it leaves behind (Sethi and Ullman's order, which is best for trees).
absl::StatusOr<std::vector<int>> DepthFirstOrder(const MemoryGraph& graph, ResourcePoll& poll) {
  std::vector<double> need(graph.size());
  std::vector<std::vector<int>> before(graph.size());
  for (int i = 0; i < graph.size(); ++i) {
    RETURN_IF_ERROR(poll.Check());
    before[i] = graph[i].before;
    std::stable_sort(before[i].begin(), before[i].end(),
                     [&](int a, int b) { return need[a] - graph[a].bytes > need[b] - graph[b].bytes; });
    double held = 0;
    for (const int other : before[i]) {
      need[i] = std::max(need[i], held + need[other]);
      held += graph[other].bytes;
    }
    need[i] = std::max(need[i], held + graph[i].bytes + graph[i].extra);
  }
  std::vector<int> order;
  std::vector<bool> entered(graph.size()), done(graph.size());
  std::vector<int> path;
  for (int sink = 0; sink < graph.size(); ++sink) {
    if (!graph[sink].after.empty()) continue;
    path.push_back(sink);
    while (!path.empty()) {
      const int next = path.back();
      if (done[next] || entered[next]) {
        path.pop_back();
        if (!done[next]) order.push_back(next);
        done[next] = true;
        continue;
      }
      entered[next] = true;
      for (auto other = before[next].rbegin(); other != before[next].rend(); ++other) {
        if (!entered[*other]) path.push_back(*other);
      }
    }
  }
  return order;
}

// True if the order changes. Notes what the computation needs at its worst.
absl::StatusOr<bool> Schedule(HloComputation* computation, SideEffects& effects, ResourcePoll& poll,
                              absl::flat_hash_map<const HloComputation*, double>* needs) {
  ASSIGN_OR_RETURN(const MemoryGraph graph, MemoryGraph::Create(*computation, *needs, effects, poll));
  std::vector<int> best(graph.size());
  for (int i = 0; i < graph.size(); ++i) best[i] = i;
  double peak = PeakOf(graph, best);
  if (OrderSaysWhatRunsMeanwhile(*computation)) {
    (*needs)[computation] = peak;
    return false;
  }
  bool changed = false;
  for (const auto make_order : {&ListOrder, &DepthFirstOrder}) {
    ASSIGN_OR_RETURN(std::vector<int> order, make_order(graph, poll));
    const double other = PeakOf(graph, order);
    if (other >= peak) continue;
    best = std::move(order);
    peak = other;
    changed = true;
  }
  (*needs)[computation] = peak;
  if (!changed) return false;
  std::vector<HloInstruction*> instructions;
  for (const int i : best) instructions.push_back(graph[i].instruction);
  SetInstructionOrder(instructions, computation);
  return true;
}

}  // namespace

// Orders callees before callers, since an instruction that calls needs the peak of its callee on top. Each order is
// tried again from the order found, up to kMaxOrders times, as long as the peak gets lower.
absl::StatusOr<bool> ScheduleForMemory(HloModule& module, PassContext& context) {
  bool changed = !module.config().is_scheduled;
  module.mutable_config().is_scheduled = true;
  ASSIGN_OR_RETURN(const auto graph, context.analyses.Get<CallGraph>(module, context.resources));
  const auto effects = context.analyses.Get<SideEffects>(module);
  ResourcePoll poll(context.resources);
  absl::flat_hash_map<const HloComputation*, double> needs;
  for (const auto& computation : module.computations()) {  // callees first
    const CallContext called = graph->Context(*computation);
    if (called != CallContext::kControl && called != CallContext::kBoth) continue;
    // An order may be the way to a better one. The peak gets lower each time, so this ends by itself, and soon.
    for (int round = 0; round < kMaxOrders; ++round) {
      ASSIGN_OR_RETURN(const bool reordered, Schedule(computation.get(), *effects, poll, &needs));
      if (!reordered) break;
      if (round == 0) context.CountRewrite("computation-reordered");
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
