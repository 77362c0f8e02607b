// Follows a value to where it comes from, through everything that only hands values on.
#ifndef PASSES_ANALYSES_VALUE_SOURCE_H_
#define PASSES_ANALYSES_VALUE_SOURCE_H_

#include <vector>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// The value at `index` of `instruction`, as one evaluation of the outermost computation sees it. `callers` are the
// fusions and calls, outermost first, within which `instruction` stands: a computation called from two places has
// different values in each.
struct ValueSource {
  const HloInstruction* instruction = nullptr;
  ShapeIndex index;
  std::vector<const HloInstruction*> callers;

  bool operator==(const ValueSource& o) const {
    return instruction == o.instruction && index == o.index && callers == o.callers;
  }
  ValueSource Operand(int i, ShapeIndex operand_index = {}) const {
    return {instruction->operand(i), std::move(operand_index), callers};
  }
};

// Where the value comes from: through tuple, get-tuple-element, copy, opt-barrier, domain, add-dependency, bitcasts and
// reshapes between scalars, converts to the same type, and into and out of fusions and calls. Stops at the first
// instruction that does more, and gives up, at wherever it is then, after a number of steps that no sensible program
// needs.
ValueSource FindSource(ValueSource value);

}  // namespace xla

#endif  // PASSES_ANALYSES_VALUE_SOURCE_H_
