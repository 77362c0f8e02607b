#include "passes/expanding/dynamic_rules.h"

#include <algorithm>

namespace xla {

const DynamicRule* FindDynamicRule(HloOpcode opcode) {
  for (const absl::Span<const DynamicRule> rules :
       {DynamicMovementRules(), DynamicReshapeRules(), DynamicIndexingRules(), DynamicReductionRules(),
        DynamicProductRules()}) {
    for (const DynamicRule& rule : rules) {
      if (rule.opcode == opcode) return &rule;
    }
  }
  return nullptr;
}

std::string RefuseNothing(const HloInstruction&) { return ""; }

bool IsAmong(absl::Span<const int64_t> list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

bool IsSmallForS32(int64_t x) { return x > -(int64_t{1} << 30) && x < (int64_t{1} << 30); }

bool SameBoundsAndDynamicDimensions(const Shape& a, const Shape& b) {
  return a.Equal(b, Shape::kIgnoreLayout | Shape::kIgnoreElementType);
}

std::vector<HloInstruction*> ArraysOf(absl::Span<const PaddedArray> operands) {
  std::vector<HloInstruction*> arrays;
  for (const PaddedArray& operand : operands) arrays.push_back(operand.array);
  return arrays;
}

}  // namespace xla
