// What expand-dynamic-dimensions knows of each operation on arrays.
#ifndef PASSES_EXPANDING_DYNAMIC_RULES_H_
#define PASSES_EXPANDING_DYNAMIC_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "passes/expanding/padded_array.h"

namespace xla {

// A row of the table: how one opcode works on arrays that are padded to their bounds and carry their sizes beside
// them.
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

// Parts of the table: operations that move elements, and those that combine them.
absl::Span<const DynamicRule> DynamicMovementRules();
absl::Span<const DynamicRule> DynamicReshapeRules();
absl::Span<const DynamicRule> DynamicIndexingRules();
absl::Span<const DynamicRule> DynamicReductionRules();
absl::Span<const DynamicRule> DynamicProductRules();

// ---- What the rules share

std::string RefuseNothing(const HloInstruction&);
bool IsAmong(absl::Span<const int64_t> list, int64_t d);
// Whether sums and differences of a few such numbers and sizes of dynamic dimensions fit into s32.
bool IsSmallForS32(int64_t x);
// Whether two arrays have the same bounds and the same dynamic dimensions.
bool SameBoundsAndDynamicDimensions(const Shape& a, const Shape& b);
std::vector<HloInstruction*> ArraysOf(absl::Span<const PaddedArray> operands);

}  // namespace xla

#endif  // PASSES_EXPANDING_DYNAMIC_RULES_H_
