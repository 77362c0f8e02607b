// OverlapGraph: the steps of a computation of which collectives are taken apart, and which must come before which.
#ifndef PASSES_COLLECTIVES_OVERLAP_GRAPH_H_
#define PASSES_COLLECTIVES_OVERLAP_GRAPH_H_

#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "passes/collectives/overlap_order.h"

namespace xla {

// Step i is instruction i of the list, or the start of it; the dones have the numbers behind.
class OverlapGraph {
 public:
  static constexpr int kNone = std::numeric_limits<int>::max();

  static absl::StatusOr<OverlapGraph> Create(const OverlapProblem& problem, ResourcePoll& poll);

  int size() const { return static_cast<int>(after_.size()); }
  int instruction_count() const { return size() - static_cast<int>(meetings_.size()); }
  int meeting_count() const { return static_cast<int>(meetings_.size()); }
  bool IsDone(int step) const { return step >= instruction_count(); }
  bool IsStart(int step) const { return !IsDone(step) && done_of_[step] != step; }
  int StartOf(int done) const { return meetings_[done - instruction_count()]; }
  // The step after which the result of an instruction is there.
  int EndOf(int instruction) const { return done_of_[instruction]; }

  // Steps that wait for this one, and for how many it waits; each edge counts.
  const std::vector<int>& After(int step) const { return after_[step]; }
  int WaitsFor(int step) const { return waits_for_[step]; }

  // Where it stands if nothing moves: an instruction at its place, a done before the first that reads its result.
  int PlaceOf(int step) const { return place_[step]; }
  // How many meetings begin before the first that waits for this step does; kNone if none waits for it.
  int NextMeeting(int step) const { return next_meeting_[step]; }

 private:
  OverlapGraph() = default;
  void AddEdge(int from, int to);
  absl::Status AddEdges(const OverlapProblem& problem, ResourcePoll& poll);
  void AddOrderOfEffects(const OverlapProblem& problem);
  void AddOrderOfUpdates(const MemoryGraph& memory);
  void FindPlaces(const OverlapProblem& problem);
  void FindNextMeetings();

  std::vector<int> meetings_;
  std::vector<int> done_of_;  // by instruction: the number of its done, or its own
  std::vector<std::vector<int>> after_;
  std::vector<int> waits_for_;
  std::vector<int> place_;
  std::vector<int> next_meeting_;
};

// Tuples, their elements and what is given from the beginning take no time, and move with what they are read by.
bool TakesNoTime(const HloInstruction& instruction);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_OVERLAP_GRAPH_H_
