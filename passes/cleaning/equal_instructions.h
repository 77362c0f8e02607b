// When two instructions, or two computations, are sure to give the same value.
#ifndef PASSES_CLEANING_EQUAL_INSTRUCTIONS_H_
#define PASSES_CLEANING_EQUAL_INSTRUCTIONS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Numbers computations so that those with equal numbers have the same structure: whatever their instructions are
// called and in whatever order they stand, except for the order of side effects. Numbers are given in the order in
// which they are first asked for.
class ComputationNumbers {
 public:
  // The computation and all that it calls stay as they are from now on. Callees must have been numbered.
  int64_t Number(const HloComputation& computation);

 private:
  bool SameStructure(const HloComputation& a, const HloComputation& b);

  SideEffects effects_;
  absl::flat_hash_map<const HloComputation*, int64_t> numbers_;
  // By hash: a computation of each number that has it.
  absl::flat_hash_map<uint64_t, std::vector<const HloComputation*>> examples_;
  int64_t next_ = 0;
};

// The operands in the order in which equal instructions have them. A comparison may also have to be turned round, to
// `direction`.
struct OrderedOperands {
  absl::InlinedVector<int64_t, 4> operands;
  ComparisonDirection direction = ComparisonDirection::kEq;
};
// `operands` are numbers that stand for the operands' values.
OrderedOperands OrderOperands(const HloInstruction& instruction, absl::Span<const int64_t> operands);

// All but the operands, names and metadata; layouts count. Equal implies equal hashes.
uint64_t HashOfOperation(const HloInstruction& instruction, const OrderedOperands& operands,
                         ComputationNumbers& computations);
bool SameOperation(const HloInstruction& a, const OrderedOperands& operands_of_a, const HloInstruction& b,
                   const OrderedOperands& operands_of_b, ComputationNumbers& computations);

}  // namespace xla

#endif  // PASSES_CLEANING_EQUAL_INSTRUCTIONS_H_
