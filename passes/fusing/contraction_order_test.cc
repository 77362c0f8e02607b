// Random graphs contracted at random, compared with looking for paths everywhere.
#include "passes/fusing/contraction_order.h"

#include <cstdint>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace xla {
namespace {

uint64_t Next(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

struct Graph {
  explicit Graph(int nodes) : successors(nodes), predecessors(nodes) {}

  void AddEdge(int from, int to) {
    successors[from].insert(to);
    predecessors[to].insert(from);
  }
  bool Reaches(int from, int to, bool directly) const {
    std::set<int> seen;
    std::vector<int> pending;
    for (const int next : successors[from]) {
      if (next != to || directly) pending.push_back(next);
    }
    while (!pending.empty()) {
      const int node = pending.back();
      pending.pop_back();
      if (node == to) return true;
      if (!seen.insert(node).second) continue;
      pending.insert(pending.end(), successors[node].begin(), successors[node].end());
    }
    return false;
  }
  void Contract(int kept, int merged) {
    for (const int to : successors[merged]) {
      predecessors[to].erase(merged);
      if (to != kept) AddEdge(kept, to);
    }
    for (const int from : predecessors[merged]) {
      successors[from].erase(merged);
      if (from != kept) AddEdge(from, kept);
    }
    successors[merged].clear();
    predecessors[merged].clear();
  }

  std::vector<std::set<int>> successors;
  std::vector<std::set<int>> predecessors;
};

TEST(ContractionOrder, ContractsExactlyWhereThereIsNoPath) {
  constexpr int kNodes = 40;
  uint64_t state = 1;
  int contracted = 0;
  for (int round = 0; round < 200; ++round) {
    Graph graph(kNodes);
    for (int i = 0; i < 50; ++i) {
      const int from = static_cast<int>(Next(state) % (kNodes - 1));
      graph.AddEdge(from, from + 1 + static_cast<int>(Next(state) % (kNodes - 1 - from)));
    }
    std::vector<int> labels;
    for (int i = 0; i < kNodes; ++i) labels.push_back(i);
    const auto visit_all = [](const std::set<int>& nodes, absl::FunctionRef<void(int)> visit) {
      for (const int node : nodes) visit(node);
    };
    ContractionOrder order(
        labels, [&](int node, absl::FunctionRef<void(int)> visit) { visit_all(graph.successors[node], visit); },
        [&](int node, absl::FunctionRef<void(int)> visit) { visit_all(graph.predecessors[node], visit); });
    std::set<int> gone;
    for (int i = 0; i < 60; ++i) {
      const int a = static_cast<int>(Next(state) % kNodes);
      const int b = static_cast<int>(Next(state) % kNodes);
      if (a == b || gone.count(a) != 0 || gone.count(b) != 0) continue;
      const bool path = graph.Reaches(a, b, /*directly=*/false) || graph.Reaches(b, a, /*directly=*/false);
      ASSERT_EQ(order.Contract(a, b), !path) << "round " << round << ", step " << i << ": " << a << " and " << b;
      if (path) continue;
      graph.Contract(a, b);
      gone.insert(b);
      ++contracted;
    }
  }
  EXPECT_GT(contracted, 1000);
}

}  // namespace
}  // namespace xla
