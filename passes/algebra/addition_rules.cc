#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"

namespace xla {
namespace {

HloInstruction* AddZero(HloInstruction* root, const RuleContext&) {
  return IsNeutralZero(*root->operand(1)) ? root->operand(0) : nullptr;
}

}  // namespace

const RuleList& AdditionRules() {
  static const auto* const rules = new RuleList{
      {"add-zero", "add(x, 0) => x  (floats: -0, because -0 + 0 is 0)", {HloOpcode::kAdd}, &AddZero},
  };
  return *rules;
}

}  // namespace xla
