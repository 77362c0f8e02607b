#include "passes/algebra/minimum_cut.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(MinimumCut, CostsNothingWhereNothingIsJoined) {
  MinimumCut cut;
  const int a = cut.AddVertex();
  cut.AddEdge(MinimumCut::kSource, a, MinimumCut::kNever);
  EXPECT_EQ(cut.Solve(), 0);
  EXPECT_FALSE(cut.IsOnSinkSide(a));
  EXPECT_FALSE(cut.IsOnSinkSide(MinimumCut::kSource));
  EXPECT_TRUE(cut.IsOnSinkSide(MinimumCut::kSink));
}

TEST(MinimumCut, LeavesTheSourceWhatIsAsCheapThere) {
  MinimumCut cut;
  const int a = cut.AddVertex(), b = cut.AddVertex();
  cut.AddEdge(MinimumCut::kSource, a, 5);
  cut.AddEdge(a, b, 5);
  cut.AddEdge(b, MinimumCut::kSink, 5);
  EXPECT_EQ(cut.Solve(), 5);
  EXPECT_FALSE(cut.IsOnSinkSide(a));
  EXPECT_FALSE(cut.IsOnSinkSide(b));
}

TEST(MinimumCut, SparesWhatCanNeverBeCut) {
  MinimumCut cut;
  const int a = cut.AddVertex(), b = cut.AddVertex();
  cut.AddEdge(MinimumCut::kSource, a, 7);
  cut.AddEdge(a, b, MinimumCut::kNever);
  cut.AddEdge(b, MinimumCut::kSink, 4);
  EXPECT_EQ(cut.Solve(), 4);
  EXPECT_FALSE(cut.IsOnSinkSide(b));
}

struct Edge {
  int from, to;
  int64_t cost;
};

// What parts the vertices so that bit v of `sink_side` says of each on which side it is.
int64_t CostOf(const std::vector<Edge>& edges, unsigned sink_side) {
  int64_t cost = 0;
  for (const Edge& e : edges) {
    if ((sink_side >> e.from & 1) == 0 && (sink_side >> e.to & 1) == 1) cost += e.cost;
  }
  return cost;
}

TEST(MinimumCut, IsAsCheapAsTheBestOfAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    MinimumCut cut;
    const int vertices = 3 + static_cast<int>(random() % 6);
    for (int v = 2; v < vertices; ++v) cut.AddVertex();
    std::vector<Edge> edges;
    for (unsigned i = random() % 16; i > 0; --i) {
      const Edge e = {static_cast<int>(random() % vertices), static_cast<int>(random() % vertices),
                      static_cast<int64_t>(random() % 9)};
      edges.push_back(e);
      cut.AddEdge(e.from, e.to, e.cost);
    }
    int64_t best = std::numeric_limits<int64_t>::max();
    for (unsigned sides = 0; sides < 1u << vertices; ++sides) {
      if ((sides & 3) == 2) best = std::min(best, CostOf(edges, sides));
    }
    EXPECT_EQ(cut.Solve(), best) << "round " << round;
    unsigned sides = 0;
    for (int v = 0; v < vertices; ++v) sides |= cut.IsOnSinkSide(v) ? 1u << v : 0;
    EXPECT_EQ(sides & 3, 2u) << "round " << round;
    EXPECT_EQ(CostOf(edges, sides), best) << "round " << round;
  }
}

}  // namespace
}  // namespace xla
