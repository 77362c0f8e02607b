#include "passes/collectives/overlap_graph.h"

#include <algorithm>
#include <cstddef>

#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {

bool TakesNoTime(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kBundles | opcode_trait::kGiven | opcode_trait::kFromAttributes |
                                            opcode_trait::kDeviceNumber);
}

absl::StatusOr<OverlapGraph> OverlapGraph::Create(const OverlapProblem& problem, ResourcePoll& poll) {
  OverlapGraph graph;
  const int count = static_cast<int>(problem.roles.size());
  for (int i = 0; i < count; ++i) {
    const bool is_meeting = problem.roles[i] == OrderRole::kMeeting;
    graph.done_of_.push_back(is_meeting ? count + graph.meeting_count() : i);
    if (is_meeting) graph.meetings_.push_back(i);
  }
  graph.after_.resize(count + graph.meetings_.size());
  graph.waits_for_.resize(graph.after_.size(), 0);
  RETURN_IF_ERROR(graph.AddEdges(problem, poll));
  graph.AddOrderOfEffects(problem);
  graph.AddOrderOfUpdates(problem.memory);
  graph.FindPlaces(problem);
  graph.FindNextMeetings();
  return graph;
}

void OverlapGraph::AddEdge(int from, int to) {
  after_[from].push_back(to);
  ++waits_for_[to];
}

absl::Status OverlapGraph::AddEdges(const OverlapProblem& problem, ResourcePoll& poll) {
  for (int i = 0; i < instruction_count(); ++i) {
    const HloInstruction& instruction = *problem.memory[i].instruction;
    RETURN_IF_ERROR(poll.Check(1 + instruction.operand_count()));
    for (const auto& before : {instruction.operands(), instruction.control_predecessors()}) {
      for (const HloInstruction* needed : before) AddEdge(EndOf(static_cast<int>(needed->place())), i);
    }
    if (IsStart(i)) AddEdge(i, EndOf(i));
  }
  return absl::OkStatus();
}

// Side effects follow each other as they did. All devices run in the order that is found here, so meetings may change
// places with each other, unless devices may go different ways.
void OverlapGraph::AddOrderOfEffects(const OverlapProblem& problem) {
  int last = kNone, barrier = kNone;
  std::vector<int> since_barrier;  // meetings
  for (int i = 0; i < instruction_count(); ++i) {
    const OrderRole role = problem.roles[i];
    if (role == OrderRole::kFree) continue;
    if (role != OrderRole::kMeeting || problem.meetings_keep_their_order) {
      if (last != kNone) AddEdge(last, i);
      last = i;
    } else {
      if (barrier != kNone) AddEdge(barrier, i);
      since_barrier.push_back(i);
    }
    if (role != OrderRole::kBarrier) continue;
    for (const int meeting : since_barrier) AddEdge(meeting, i);
    since_barrier.clear();
    barrier = i;
  }
}

// What is written over a value stays behind those that read the value before: otherwise the value would be copied.
void OverlapGraph::AddOrderOfUpdates(const MemoryGraph& memory) {
  std::vector<std::vector<int>> readers(instruction_count());  // of each value since it was last written over
  for (int i = 0; i < instruction_count(); ++i) {
    const MemoryGraph::Node& node = memory[i];
    const bool is_call = HasTrait(node.instruction->opcode(), opcode_trait::kControlFlow);
    for (const int read : node.reads) {
      if (memory[read].bytes == 0) continue;
      if (is_call || (node.expects_to_overwrite && read == node.overwrites)) {
        for (const int reader : readers[read]) AddEdge(EndOf(reader), i);
        readers[read].clear();
      }
      readers[read].push_back(i);
    }
  }
}

void OverlapGraph::FindPlaces(const OverlapProblem& problem) {
  const int count = instruction_count();
  place_.resize(size());
  std::vector<int> first_read(count, 2 * count);  // through tuples and their elements
  for (int i = count - 1; i >= 0; --i) {
    place_[i] = 2 * i;
    const HloInstruction& instruction = *problem.memory[i].instruction;
    for (const HloInstruction* user : instruction.users()) {
      const int number = static_cast<int>(user->place());
      first_read[i] = std::min(first_read[i], TakesNoTime(*user) ? first_read[number] : 2 * number);
    }
    for (const HloInstruction* follower : instruction.control_successors()) {
      first_read[i] = std::min(first_read[i], 2 * static_cast<int>(follower->place()));
    }
    if (IsStart(i)) place_[EndOf(i)] = first_read[i] - 1;
  }
}

void OverlapGraph::FindNextMeetings() {
  next_meeting_.assign(size(), kNone);
  int number = meeting_count();
  std::vector<int> number_of(instruction_count(), kNone);
  for (int m = meeting_count() - 1; m >= 0; --m) number_of[meetings_[m]] = --number;
  const auto look_after = [&](int step) {
    for (const int after : after_[step]) {
      const int meeting = !IsDone(after) && number_of[after] != kNone ? number_of[after] : next_meeting_[after];
      next_meeting_[step] = std::min(next_meeting_[step], meeting);
    }
  };
  for (int i = instruction_count() - 1; i >= 0; --i) {
    if (IsStart(i)) look_after(EndOf(i));
    look_after(i);
  }
}

}  // namespace xla
