#include "passes/collectives/instruction_places.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/memory/instruction_order.h"

namespace xla {

InstructionPlaces::InstructionPlaces(HloComputation* computation) : computation_(computation) {
  const auto count = static_cast<int64_t>(computation->instructions().size());
  for (int64_t i = 1; i <= count; ++i) places_.push_back(i * kStep);
}

void InstructionPlaces::Set(const HloInstruction& instruction, int64_t place) {
  const auto number = static_cast<size_t>(instruction.place());
  if (number >= places_.size()) places_.resize(number + 1, kNone);
  places_[number] = place;
}

bool InstructionPlaces::NeedsOrderedFrom(int64_t place, const HloInstruction& instruction) {
  absl::flat_hash_set<const HloInstruction*> seen = {&instruction};
  std::vector<const HloInstruction*> open = {&instruction};
  while (!open.empty()) {
    const HloInstruction* const current = open.back();
    open.pop_back();
    // What is older than `place` needs nothing younger.
    if (Of(*current) != kNone && Of(*current) < place) continue;
    if (IsOrdered(*current)) return true;
    for (const auto& before : {current->operands(), current->control_predecessors()}) {
      for (const HloInstruction* needed : before) {
        if (seen.insert(needed).second) open.push_back(needed);
      }
    }
  }
  return false;
}

absl::Status InstructionPlaces::Apply() {
  std::vector<std::pair<const HloInstruction*, int64_t>> places;
  for (const HloInstruction* instruction : computation_->LiveInstructions()) {
    places.push_back({instruction, Of(*instruction)});
  }
  computation_->Tidy();
  const size_t count = places.size();
  std::vector<int64_t> place(count);
  for (const auto& [instruction, wanted] : places) place[instruction->place()] = wanted;
  std::vector<std::vector<size_t>> followers(count);
  std::vector<size_t> missing(count, 0);
  const auto add_edge = [&](size_t from, size_t to) {
    followers[from].push_back(to);
    ++missing[to];
  };
  std::vector<size_t> ordered;
  for (size_t i = 0; i < count; ++i) {
    const HloInstruction& instruction = *computation_->instructions()[i];
    if (IsOrdered(instruction)) ordered.push_back(i);
    for (const auto& before : {instruction.operands(), instruction.control_predecessors()}) {
      for (const HloInstruction* needed : before) add_edge(needed->place(), i);
    }
  }
  std::stable_sort(ordered.begin(), ordered.end(), [&](size_t a, size_t b) { return place[a] < place[b]; });
  for (size_t i = 1; i < ordered.size(); ++i) add_edge(ordered[i - 1], ordered[i]);

  // Of those that may come next, the one whose place is first.
  using Entry = std::pair<int64_t, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  for (size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) ready.push({place[i], i});
  }
  std::vector<HloInstruction*> order;
  while (!ready.empty()) {
    const size_t next = ready.top().second;
    ready.pop();
    order.push_back(computation_->instructions()[next].get());
    for (const size_t follower : followers[next]) {
      if (--missing[follower] == 0) ready.push({place[follower], follower});
    }
  }
  if (order.size() != count) {
    return absl::InternalError(absl::StrCat("a pass moved collectives of computation ", computation_->name(),
                                            " before what they need; please report this with the module"));
  }
  SetInstructionOrder(order, computation_);
  return absl::OkStatus();
}

}  // namespace xla
