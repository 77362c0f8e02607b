#include "passes/loops/results_of_branches.h"

#include <algorithm>
#include <utility>

namespace xla {

// Results are looked at one by one only if all branches end with a tuple, or if the result is an array.
ResultsOfBranches::ResultsOfBranches(const HloInstruction& conditional) {
  const auto computations = conditional.called_computations();
  const bool in_sight = conditional.shape().IsTuple() &&
                        std::all_of(computations.begin(), computations.end(),
                                    [](const auto* branch) { return branch->root()->opcode() == HloOpcode::kTuple; });
  if (!conditional.shape().IsArray() && !in_sight) return;
  count_ = in_sight ? conditional.shape().tuple_size() : 1;
  for (HloComputation* computation : computations) {
    Branch branch;
    branch.computation = computation;
    HloInstruction* const root = computation->root();
    if (in_sight) {
      branch.results.assign(root->operands().begin(), root->operands().end());
    } else {
      branch.results = {root};
    }
    for (const HloInstruction* result : branch.results) ++branch.times[result];
    branches_.push_back(std::move(branch));
  }
}

bool ResultsOfBranches::IsOnlyResult(int branch, int64_t index) const {
  const Branch& of = branches_[branch];
  const HloInstruction* const result = of.results[index];
  const auto users = result->users();
  // A tuple reads what was its element when this was made.
  return of.times.at(result) == 1 && (users.empty() || (users.size() == 1 && users[0] == of.computation->root()));
}

// Replaces the last operation of a result by its operand.
void ResultsOfBranches::DropLast(int branch, int64_t index, int operand) {
  Branch& of = branches_[branch];
  HloInstruction* const result = of.results[index];
  HloInstruction* const given = result->operand(operand);
  of.results[index] = given;
  ++of.times[given];
  if (of.computation->root() == result) {
    of.computation->set_root(given);
  } else {
    of.changed.push_back(index);
  }
  of.computation->RemoveInstruction(result);
}

void ResultsOfBranches::Apply() {
  for (Branch& branch : branches_) {
    if (branch.changed.empty()) continue;
    absl::flat_hash_map<int64_t, Shape> shapes;
    for (const int64_t index : branch.changed) shapes[index] = branch.results[index]->shape();
    HloInstruction* const root = branch.computation->root();
    root->SetOperands(branch.results);
    root->mutable_shape() = WithElements(root->shape(), shapes);
    branch.changed.clear();
  }
}

Shape WithElements(const Shape& tuple, const absl::flat_hash_map<int64_t, Shape>& elements) {
  std::vector<Shape> shapes(tuple.tuple_shapes().begin(), tuple.tuple_shapes().end());
  for (const auto& [index, shape] : elements) shapes[index] = shape;
  return Shape::Tuple(std::move(shapes));
}

}  // namespace xla
