#include "passes/algebra/minimum_cut.h"

#include <algorithm>

namespace xla {

constexpr int64_t MinimumCut::kNever;
constexpr int MinimumCut::kSource;
constexpr int MinimumCut::kSink;

int MinimumCut::AddVertex() {
  edges_of_.emplace_back();
  return static_cast<int>(edges_of_.size()) - 1;
}

void MinimumCut::AddEdge(int from, int to, int64_t cost) {
  edges_of_[from].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({to, cost});
  edges_of_[to].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({from, 0});
}

int64_t MinimumCut::Solve() {
  int64_t total = 0;
  while (FindLevels()) total += FillShortestPaths();
  FindSinkSide();
  return total;
}

// Breadth-first search over edges that have room: the level of each vertex is its distance from the source. False if
// the sink is out of reach, which means that the flow is at its maximum.
bool MinimumCut::FindLevels() {
  level_.assign(edges_of_.size(), -1);
  level_[kSource] = 0;
  std::vector<int> queue = {kSource};
  for (size_t next = 0; next < queue.size() && level_[kSink] == -1; ++next) {
    for (const int e : edges_of_[queue[next]]) {
      const int to = edges_[e].to;
      if (edges_[e].room == 0 || level_[to] != -1) continue;
      level_[to] = level_[queue[next]] + 1;
      queue.push_back(to);
    }
  }
  return level_[kSink] != -1;
}

// Fills all shortest paths to the sink until each of them has a full edge (a blocking flow, as in Dinic's algorithm).
// It is depth-first with an explicit path; `next` makes it look at each edge once. Returns what was added to the
// flow.
int64_t MinimumCut::FillShortestPaths() {
  int64_t total = 0;
  std::vector<size_t> next(edges_of_.size(), 0);  // of the edges of each vertex, the first that may lead further
  std::vector<int> path;
  for (int v = kSource;;) {
    if (v == kSink) {
      int64_t flow = kNever;
      for (const int e : path) flow = std::min(flow, edges_[e].room);
      size_t kept = path.size();
      for (size_t i = path.size(); i-- > 0;) {
        edges_[path[i]].room -= flow;
        edges_[path[i] ^ 1].room += flow;
        if (edges_[path[i]].room == 0) kept = i;
      }
      total += flow;
      v = edges_[path[kept] ^ 1].to;
      path.resize(kept);
      continue;
    }
    const std::vector<int>& edges = edges_of_[v];
    while (next[v] < edges.size() &&
           (edges_[edges[next[v]]].room == 0 || level_[edges_[edges[next[v]]].to] != level_[v] + 1)) {
      ++next[v];
    }
    if (next[v] < edges.size()) {
      path.push_back(edges[next[v]]);
      v = edges_[path.back()].to;
    } else if (path.empty()) {
      return total;
    } else {
      v = edges_[path.back() ^ 1].to;
      path.pop_back();
      ++next[v];
    }
  }
}

// From where there is still room on a way to the sink.
void MinimumCut::FindSinkSide() {
  on_sink_side_.assign(edges_of_.size(), false);
  on_sink_side_[kSink] = true;
  std::vector<int> queue = {kSink};
  for (size_t next = 0; next < queue.size(); ++next) {
    for (const int e : edges_of_[queue[next]]) {
      const int from = edges_[e].to;
      if (edges_[e ^ 1].room == 0 || on_sink_side_[from]) continue;
      on_sink_side_[from] = true;
      queue.push_back(from);
    }
  }
}

}  // namespace xla
