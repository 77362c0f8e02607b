// The cheapest way to part the vertices of a graph in two.
#ifndef PASSES_ALGEBRA_MINIMUM_CUT_H_
#define PASSES_ALGEBRA_MINIMUM_CUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xla {

// Of a directed graph whose edges cost something where they lead from the source's side to the sink's. The most that
// flows from the source to the sink is what the cheapest cut costs; by Dinic's algorithm, which fills all shortest
// paths before it looks for longer ones.
class MinimumCut {
 public:
  // What no cut can afford; the costs of all other edges together are less.
  static constexpr int64_t kNever = int64_t{1} << 62;
  static constexpr int kSource = 0;
  static constexpr int kSink = 1;

  MinimumCut() : edges_of_(2) {}
  int AddVertex();
  void AddEdge(int from, int to, int64_t cost);
  // Once, when all edges are there: what the cheapest cut costs. There is one that spares the edges of kNever.
  int64_t Solve();
  // Whether the vertex is on the sink's side, which of all cheapest cuts is the one with the fewest vertices there.
  bool IsOnSinkSide(int vertex) const { return on_sink_side_[vertex]; }

 private:
  // Edges are made in pairs, 2i and 2i + 1, which lead back and forth: what flows along one can flow back.
  struct Edge {
    int to;
    int64_t room;
  };

  // How many edges with room there are from the source to each vertex, as far as that matters; false if none lead to
  // the sink.
  bool FindLevels();
  // Along paths of which each edge leads to the next level, until all are full: how much flows.
  int64_t FillShortestPaths();
  void FindSinkSide();

  std::vector<Edge> edges_;
  std::vector<std::vector<int>> edges_of_;
  std::vector<int> level_;  // -1: not reached
  std::vector<bool> on_sink_side_;
};

}  // namespace xla

#endif  // PASSES_ALGEBRA_MINIMUM_CUT_H_
