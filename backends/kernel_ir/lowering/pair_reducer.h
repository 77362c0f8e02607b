// Functions of (value, index) pairs that keep the pair with the greater or the lesser value, and of equal ones the
// pair with the lower index: argmax and argmin.
#ifndef BACKENDS_KERNEL_IR_LOWERING_PAIR_REDUCER_H_
#define BACKENDS_KERNEL_IR_LOWERING_PAIR_REDUCER_H_

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

// The pairs of a reduction by such a function may be combined in any order, if the index of each is part of what is
// compared: so that a NaN wins over a number, and of pairs that are equal in this sense the one with the lower index.
struct PairReducer {
  bool maximum = true;  // or minimum
  // The function itself keeps the left one of two NaN, which is the one with the lower index only if indices ascend.
  bool needs_ascending_indices = false;
  // Of two equal values it keeps the right one, though the index of the other: another zero, if they are zeros.
  bool keeps_last_value = false;
};

// `computation` of (value, index, value, index). It may be written in any way out of comparisons, logic and selections.
absl::optional<PairReducer> AnalyzePairReducer(const HloComputation& computation);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_PAIR_REDUCER_H_
