// A topological order of a graph whose nodes are contracted: two become one, as long as that makes no cycle.
//
// Nodes carry labels that grow along edges. A path between two nodes runs through labels between theirs only, so a
// search for it looks at what lies there; after a contraction the same nodes are given new labels (the method of Pearce
// and Kelly for orders that change).
#ifndef PASSES_FUSING_CONTRACTION_ORDER_H_
#define PASSES_FUSING_CONTRACTION_ORDER_H_

#include <functional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace xla {

class ContractionOrder {
 public:
  // Calls `visit` with each neighbour of a node as the graph is now; neighbours may be named several times.
  using Neighbours = std::function<void(int node, absl::FunctionRef<void(int neighbour)> visit)>;

  // labels[i] is that of node i; all are different, and edges lead from smaller to larger ones.
  ContractionOrder(std::vector<int> labels, Neighbours successors, Neighbours predecessors)
      : labels_(std::move(labels)), successors_(std::move(successors)), predecessors_(std::move(predecessors)) {}

  // Makes `kept` stand for both, if no path leads from one to the other through a third node; the caller changes the
  // graph afterwards. False if there is such a path, or if so much lies between them that the search is given up.
  bool Contract(int kept, int merged);

 private:
  // The nodes on the way from `start` to `end`, both left out; false if a path arrives there or there are too many.
  bool Search(int start, int end, const Neighbours& next, std::vector<int>* found) const;

  std::vector<int> labels_;
  const Neighbours successors_;
  const Neighbours predecessors_;
};

}  // namespace xla

#endif  // PASSES_FUSING_CONTRACTION_ORDER_H_
