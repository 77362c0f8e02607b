// Each computation is ordered by itself, callees first. What counts is a simple model of memory: an instruction's
// result takes its bytes when it runs, unless it can be written over an operand that nothing needs afterwards; operands
// are freed after their last user, seen through views; a call takes meanwhile what its callee needs at its worst.
#include "passes/memory/schedule_for_memory.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/in_place.h"
#include "passes/analyses/side_effects.h"
#include "passes/memory/instruction_order.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kMaxOrders = 100;

double BytesOf(const Shape& shape) { return shape.IsUnboundedDynamic() ? 0 : static_cast<double>(shape.ByteSize()); }

bool IsView(const HloInstruction& instruction) { return HasTrait(instruction.opcode(), opcode_trait::kView); }

// What the state of a loop or the arguments of a call are in, the result will be in.
bool ReusesItsOperands(HloOpcode opcode) { return HasTrait(opcode, opcode_trait::kControlFlow); }

// The graph of one computation, by number in its list.
class Graph {
 public:
  struct Node {
    HloInstruction* instruction;
    double bytes = 0;         // of the result; 0 for views
    double extra = 0;         // while it runs
    std::vector<int> before;  // operands, control predecessors and the side effect before this one, each once
    std::vector<int> after;
    std::vector<int> reads;    // results, seen through views, each once
    std::vector<int> readers;  // of the result, the same the other way round
    int overwrites = -1;       // one of `reads`
    bool expects_to_overwrite = false;
    bool stays = false;  // to the end of the computation
  };

  // Nodes are the instructions in their present order; edges are operands, control predecessors and the order of side
  // effects, which stays as it was. What the root consists of stays live to the end.
  static absl::StatusOr<Graph> Create(const HloComputation& computation,
                                      const absl::flat_hash_map<const HloComputation*, double>& needs,
                                      SideEffects& effects, ResourcePoll& poll) {
    Graph graph;
    for (const auto& instruction : computation.instructions()) {
      graph.number_[instruction.get()] = graph.size();
      graph.nodes_.push_back({instruction.get()});
    }
    std::vector<std::vector<int>> sources(graph.nodes_.size());  // what each result consists of
    int last_effect = -1;
    for (int i = 0; i < graph.size(); ++i) {
      RETURN_IF_ERROR(poll.Check(1 + graph[i].instruction->operand_count()));
      if (effects.Has(*graph[i].instruction)) {
        if (last_effect >= 0) graph.nodes_[i].before.push_back(last_effect);
        last_effect = i;
      }
      graph.AddNode(i, needs, &sources);
    }
    for (const int source : sources[graph.number_.at(computation.root())]) graph.nodes_[source].stays = true;
    return graph;
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int i) const { return nodes_[i]; }

 private:
  Graph() = default;

  static void SortUnique(std::vector<int>* numbers) {
    std::sort(numbers->begin(), numbers->end());
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  }

  // Edges, bytes and reads of one node. Reads go through views to what makes the bytes, so that a tuple or bitcast
  // between them does not shorten a life. `extra` is what the largest callee needs while the instruction runs.
  void AddNode(int i, const absl::flat_hash_map<const HloComputation*, double>& needs,
               std::vector<std::vector<int>>* sources) {
    Node& node = nodes_[i];
    const HloInstruction& instruction = *node.instruction;
    for (const HloInstruction* operand : instruction.operands()) node.before.push_back(number_.at(operand));
    for (const HloInstruction* other : instruction.control_predecessors()) node.before.push_back(number_.at(other));
    SortUnique(&node.before);
    for (const int other : node.before) nodes_[other].after.push_back(i);
    std::vector<int> read;
    for (const HloInstruction* operand : instruction.operands()) {
      const std::vector<int>& parts = (*sources)[number_.at(operand)];
      read.insert(read.end(), parts.begin(), parts.end());
    }
    SortUnique(&read);
    if (IsView(instruction)) {
      (*sources)[i] = std::move(read);
      return;
    }
    (*sources)[i] = {i};
    const HloOpcode opcode = instruction.opcode();
    // Arguments and constants are there anyway.
    if (HasTrait(opcode, opcode_trait::kGiven)) return;
    node.bytes = BytesOf(instruction.shape());
    for (const HloComputation* callee : instruction.called_computations()) {
      const auto found = needs.find(callee);
      if (found != needs.end()) node.extra = std::max(node.extra, found->second);
    }
    for (const int source : read) nodes_[source].readers.push_back(i);
    for (const InPlacePair& pair : FindInPlacePairs(instruction)) {
      const std::vector<int>& parts = (*sources)[number_.at(instruction.operand(pair.operand))];
      if (parts.size() != 1 || nodes_[parts[0]].bytes != node.bytes) continue;
      node.overwrites = parts[0];
      node.expects_to_overwrite = pair.expected();
      break;
    }
    node.reads = std::move(read);
  }

  absl::flat_hash_map<const HloInstruction*, int> number_;
  std::vector<Node> nodes_;
};

// Runs instructions one by one and keeps count of what is live.
class Memory {
 public:
  explicit Memory(const Graph& graph) : graph_(graph), readers_left_(graph.size()) {
    for (int i = 0; i < graph.size(); ++i) readers_left_[i] = static_cast<int>(graph[i].readers.size());
  }

  // Bytes by which memory grows for good when `i` runs next.
  double Growth(int i) const {
    double growth = graph_[i].bytes;
    for (const int read : graph_[i].reads) growth -= IsLastReader(read) ? graph_[read].bytes : 0;
    return growth;
  }
  // Counts one step of the simulation: the result is allocated before its operands are freed, except where it
  // overwrites one of them that has no later reader.
  void Run(int i) {
    const Graph::Node& node = graph_[i];
    double reused = 0;
    for (const int read : node.reads) {
      const bool reusable = read == node.overwrites || ReusesItsOperands(node.instruction->opcode());
      if (reusable && IsLastReader(read)) reused += graph_[read].bytes;
    }
    live_ += std::max(0.0, node.bytes - reused);
    peak_ = std::max(peak_, live_ + node.extra);
    live_ -= std::max(0.0, node.bytes - reused) - node.bytes;
    for (const int read : node.reads) {
      if (IsLastReader(read)) live_ -= graph_[read].bytes;
      --readers_left_[read];
    }
    if (node.readers.empty() && !node.stays) live_ -= node.bytes;
  }
  double peak() const { return peak_; }
  int ReadersLeft(int i) const { return readers_left_[i]; }

 private:
  bool IsLastReader(int read) const { return readers_left_[read] == 1 && !graph_[read].stays; }

  const Graph& graph_;
  std::vector<int> readers_left_;
  double live_ = 0;
  double peak_ = 0;
};

double PeakOf(const Graph& graph, const std::vector<int>& order) {
  Memory memory(graph);
  for (const int i : order) memory.Run(i);
  return memory.peak();
}

// At each step the instruction that frees most, or takes least; among equals the first one of the given order. One that
// would write over what others still read waits for them if there is anything else to do.
absl::StatusOr<std::vector<int>> ListOrder(const Graph& graph, ResourcePoll& poll) {
  Memory memory(graph);
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
absl::StatusOr<std::vector<int>> DepthFirstOrder(const Graph& graph, ResourcePoll& poll) {
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

// Whether it begins what other devices do while it runs: then the order says what runs meanwhile, and stays.
bool WaitsForOthersLater(const HloComputation& computation) {
  const HloModuleConfig& config = computation.parent()->config();
  if (config.replica_count == 1 && config.num_partitions == 1) return false;
  const auto& instructions = computation.instructions();
  return std::any_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
    const HloOpcode opcode = instruction->opcode();
    return opcode == HloOpcode::kAsyncStart ||
           (HasTrait(opcode, opcode_trait::kCollective) && HasTrait(opcode, opcode_trait::kBegins));
  });
}

// True if the order changes. Notes what the computation needs at its worst.
absl::StatusOr<bool> Schedule(HloComputation* computation, SideEffects& effects, ResourcePoll& poll,
                              absl::flat_hash_map<const HloComputation*, double>* needs) {
  ASSIGN_OR_RETURN(const Graph graph, Graph::Create(*computation, *needs, effects, poll));
  std::vector<int> best(graph.size());
  for (int i = 0; i < graph.size(); ++i) best[i] = i;
  double peak = PeakOf(graph, best);
  if (WaitsForOthersLater(*computation)) {
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
