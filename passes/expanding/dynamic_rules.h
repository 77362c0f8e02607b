// What expand-dynamic-dimensions knows of each operation on arrays.
#ifndef PASSES_EXPANDING_DYNAMIC_RULES_H_
#define PASSES_EXPANDING_DYNAMIC_RULES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "passes/expanding/padded_array.h"

namespace xla {

struct DynamicRule {
  HloOpcode opcode;
  // Why this instruction cannot be expanded; "" if it can.
  std::string (*refuse)(const HloInstruction& instruction);
  // Its results, one or the elements of a tuple. Sizes of dimensions that the instruction's shape says to be static are
  // ignored.
  std::vector<PaddedArray> (*expand)(const HloInstruction& instruction, absl::Span<const PaddedArray> operands,
                                     InstructionBuilder& build);
};

// nullptr if nothing is known of the operation.
const DynamicRule* FindDynamicRule(HloOpcode opcode);

// Operations that move elements, and those that combine them: parts of the table.
absl::Span<const DynamicRule> DynamicMovementRules();
absl::Span<const DynamicRule> DynamicReductionRules();

}  // namespace xla

#endif  // PASSES_EXPANDING_DYNAMIC_RULES_H_
