// Rules for sort.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passes/algebra/movement.h"
#include "passes/algebra/reduction_rules.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

int64_t SortedDimension(const HloInstruction& sort) { return sort.attributes<SortAttributes>().dimension; }

// Lines of at most one element are in order.
HloInstruction* SortOfOne(HloInstruction* root, const RuleContext& context) {
  if (root->operand(0)->shape().dimension(static_cast<int>(SortedDimension(*root))) > 1) return nullptr;
  return root->operand_count() == 1 ? root->operand(0) : context.build.Tuple(root->operands());
}

// A line of equal elements is the same in any order.
HloInstruction* SortOfBroadcast(HloInstruction* root, const RuleContext& context) {
  for (const HloInstruction* operand : root->operands()) {
    if (operand->opcode() != HloOpcode::kBroadcast) return nullptr;
    if (HasDimension(DimensionsOf(*operand), SortedDimension(*root))) return nullptr;
  }
  return root->operand_count() == 1 ? root->operand(0) : context.build.Tuple(root->operands());
}

HloInstruction* ParameterOf(const HloComputation& computation, int64_t number) {
  return computation.parameters()[number];
}

// Whether somebody may read result k.
bool ReadsResult(const HloInstruction& sort, int64_t k) {
  for (const HloInstruction* user : sort.users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->attributes<GetTupleElementAttributes>().index == k) {
      return true;
    }
  }
  return sort.parent()->root() == &sort;
}

// The comparator without the parameters of the operands that go.
HloComputation* WithoutOperands(HloComputation* comparator, const std::vector<bool>& keeps, HloModule* module) {
  HloComputation* const copy = AddCloneOfComputation(*comparator, module);
  const std::vector<HloInstruction*> parameters = copy->parameters();
  int64_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (keeps[i / 2]) {
      parameters[i]->mutable_attributes<ParameterAttributes>().number = next++;
    } else {
      copy->RemoveInstruction(parameters[i]);
    }
  }
  return copy;
}

// The result stays a tuple of as many elements; in place of those that nobody reads stand the arrays that were to be
// sorted.
HloInstruction* DropUnusedOperands(HloInstruction* root, const RuleContext& context) {
  const int n = root->operand_count();
  HloComputation* const comparator = root->called_computation(0);
  if (n == 1) return nullptr;
  std::vector<bool> keeps(n, true);
  std::vector<HloInstruction*> kept;
  for (int k = 0; k < n; ++k) {
    const bool is_compared = !ParameterOf(*comparator, 2 * k)->users().empty() ||
                             !ParameterOf(*comparator, 2 * k + 1)->users().empty() ||
                             comparator->root() == ParameterOf(*comparator, 2 * k) ||
                             comparator->root() == ParameterOf(*comparator, 2 * k + 1);
    keeps[k] = is_compared || ReadsResult(*root, k);
    if (keeps[k]) kept.push_back(root->operand(k));
  }
  if (kept.empty() || static_cast<int>(kept.size()) == n) return nullptr;
  HloInstruction* const sorted =
      context.build.Sort(kept, SortedDimension(*root), root->attributes<SortAttributes>().is_stable,
                         WithoutOperands(comparator, keeps, context.build.module()));
  std::vector<HloInstruction*> results;
  int64_t next = 0;
  for (int k = 0; k < n; ++k) {
    if (!keeps[k]) {
      results.push_back(root->operand(k));
    } else {
      results.push_back(kept.size() == 1 ? sorted : context.build.GetTupleElement(sorted, next++));
    }
  }
  return context.build.Tuple(results);
}

}  // namespace

const RuleList& SortRules() {
  static const std::vector<HloOpcode> sort = {HloOpcode::kSort};
  static const auto* const rules = new RuleList{
      {"sort-of-one", "sort(x) along a dimension of size 1 => x", sort, &SortOfOne},
      {"sort-of-broadcast", "sort(broadcast(x)) along a new dimension => broadcast(x)", sort, &SortOfBroadcast},
      {"drop-unused-operands", "sort(x, y) of whose y nobody makes use => sort(x)", sort, &DropUnusedOperands},
  };
  return *rules;
}

}  // namespace xla
