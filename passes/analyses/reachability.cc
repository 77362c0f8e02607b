#include "passes/analyses/reachability.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace {

// Both kinds of predecessors.
template <typename Visit>
void ForEachPredecessor(const HloInstruction& instruction, const Visit& visit) {
  for (const HloInstruction* operand : instruction.operands()) visit(*operand);
  for (const HloInstruction* predecessor : instruction.control_predecessors()) visit(*predecessor);
}

const HloInstruction* ForestParent(const HloInstruction& instruction) {
  if (instruction.operand_count() > 0) return instruction.operand(0);
  return instruction.control_predecessors().empty() ? nullptr : instruction.control_predecessors()[0];
}

}  // namespace

// Depths are longest paths from an instruction without predecessors, operands and control edges alike. NumberForest
// then numbers one spanning forest in depth-first order, so that many questions are answered by comparing two
// numbers.
Reachability::Reachability(const HloComputation& computation) {
  nodes_.reserve(computation.instructions().size());
  place_.reserve(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    if (instruction->is_removed()) continue;
    Node node;
    node.instruction = instruction.get();
    ForEachPredecessor(*instruction, [&](const HloInstruction& predecessor) {
      node.depth = std::max(node.depth, NodeOf(predecessor).depth + 1);
    });
    place_.emplace(instruction.get(), static_cast<int64_t>(nodes_.size()));
    nodes_.push_back(node);
  }
  visited_.assign(nodes_.size(), 0);
  NumberForest();
}

// A parent's interval spans those of its children: sizes of subtrees first, children before parents; then each node
// takes the next free part of its parent's interval.
void Reachability::NumberForest() {
  std::vector<int64_t> size(nodes_.size(), 1);
  for (size_t i = nodes_.size(); i > 0; --i) {
    if (const HloInstruction* parent = ForestParent(*nodes_[i - 1].instruction)) size[place_.at(parent)] += size[i - 1];
  }
  std::vector<int64_t> next(nodes_.size(), 0);  // the next free number within each interval
  int64_t next_root = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const HloInstruction* const parent = ForestParent(*nodes_[i].instruction);
    int64_t& from = parent == nullptr ? next_root : next[place_.at(parent)];
    nodes_[i].enter = from;
    nodes_[i].leave = from += size[i];
    next[i] = nodes_[i].enter + 1;
  }
}

// First asks the forest, where being below means that a number lies in an interval. Otherwise searches backwards from
// `to`, and stops at instructions too early in order or not deeper than `from`, which cannot depend on it. Marks
// carry the number of the search, so that they need no clearing; that makes concurrent calls on one object unsafe.
bool Reachability::IsReachable(const HloInstruction& from, const HloInstruction& to) const {
  const Node& target = NodeOf(from);
  const int64_t target_place = place_.at(&from);
  const auto is_below = [&](const Node& node) { return target.enter <= node.enter && node.enter < target.leave; };
  if (is_below(NodeOf(to))) return true;
  ++search_;
  std::vector<const HloInstruction*> pending = {&to};
  while (!pending.empty()) {
    const HloInstruction& instruction = *pending.back();
    pending.pop_back();
    bool found = false;
    ForEachPredecessor(instruction, [&](const HloInstruction& predecessor) {
      const int64_t place = place_.at(&predecessor);
      const Node& node = nodes_[place];
      found = found || is_below(node);
      if (place <= target_place || node.depth <= target.depth || visited_[place] == search_) return;
      visited_[place] = search_;
      pending.push_back(&predecessor);
    });
    if (found) return true;
  }
  return false;
}

// Each instruction with its depth and what it waits for: operands plainly, control predecessors in brackets.
std::string PrintReachability(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    const Reachability reachability(*computation);
    int64_t deepest = -1;
    for (const Reachability::Node& node : reachability.nodes_) deepest = std::max(deepest, node.depth);
    absl::StrAppend(&text, computation->name(), ": ", reachability.nodes_.size(), " instructions in ", deepest + 1,
                    " steps\n");
    for (const Reachability::Node& node : reachability.nodes_) {
      const HloInstruction& instruction = *node.instruction;
      if (poll.IsOver(1 + instruction.operand_count())) return text;
      absl::StrAppend(&text, "  ", node.depth, " ", instruction.name());
      const char* before = " after ";
      for (const HloInstruction* operand : instruction.operands()) {
        absl::StrAppend(&text, before, operand->name());
        before = ", ";
      }
      for (const HloInstruction* predecessor : instruction.control_predecessors()) {
        absl::StrAppend(&text, before, "[", predecessor->name(), "]");
        before = ", ";
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace xla
