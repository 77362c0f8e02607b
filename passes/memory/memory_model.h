// A simple model of the memory that a computation needs, for passes that order its instructions.
//
// An instruction's result takes its bytes when it runs, unless it can be written over an operand that nothing needs
// afterwards; operands are freed after their last user, seen through views; a call takes meanwhile what its callee
// needs at its worst. Arguments and constants are there anyway, and take nothing.
#ifndef PASSES_MEMORY_MEMORY_MODEL_H_
#define PASSES_MEMORY_MEMORY_MODEL_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// The graph of one computation, by number in its list.
class MemoryGraph {
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
  // effects, which stays as it was. What the root consists of stays live to the end. `needs`: bytes of callees at their
  // worst.
  static absl::StatusOr<MemoryGraph> Create(const HloComputation& computation,
                                            const absl::flat_hash_map<const HloComputation*, double>& needs,
                                            SideEffects& effects, ResourcePoll& poll);

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int i) const { return nodes_[i]; }

 private:
  MemoryGraph() = default;
  void AddNode(int i, const absl::flat_hash_map<const HloComputation*, double>& needs,
               std::vector<std::vector<int>>* sources);

  absl::flat_hash_map<const HloInstruction*, int> number_;
  std::vector<Node> nodes_;
};

// Runs instructions one by one and keeps count of what is live.
class MemoryInUse {
 public:
  explicit MemoryInUse(const MemoryGraph& graph);

  // Bytes by which memory grows for good when `i` runs next.
  double Growth(int i) const;
  // What is in use at the worst moment of `i`, if it runs next; likewise if it begins.
  double UseDuring(int i) const;
  double UseDuringBegin(int i) const { return live_ + graph_[i].bytes + graph_[i].extra; }
  // Counts one step of the simulation: the result is allocated before its operands are freed, except where it
  // overwrites one of them that has no later reader.
  void Run(int i);
  // The same for an operation that goes on beside others: its result and its operands are in use from Begin to End.
  void Begin(int i);
  void End(int i);

  double live() const { return live_; }
  double peak() const { return peak_; }
  int ReadersLeft(int i) const { return readers_left_[i]; }

 private:
  bool IsLastReader(int read) const { return readers_left_[read] == 1 && !graph_[read].stays; }
  double NewBytes(int i) const;  // beyond what is written over operands

  const MemoryGraph& graph_;
  std::vector<int> readers_left_;
  double live_ = 0;
  double peak_ = 0;
};

// What the computation needs at its worst if its instructions run in this order.
double PeakOf(const MemoryGraph& graph, const std::vector<int>& order);

}  // namespace xla

#endif  // PASSES_MEMORY_MEMORY_MODEL_H_
