// Writes select-and-scatter as reduce-window and scatter.
#ifndef PASSES_EXPANDING_EXPAND_SELECT_AND_SCATTER_H_
#define PASSES_EXPANDING_EXPAND_SELECT_AND_SCATTER_H_

#include "absl/status/statusor.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The windows are reduced to (value, position) pairs by `select`, and the source is scattered to the positions:
//   p = reduce-window(x, iota), keeping the pair that select prefers    result = scatter(init.., p, source)
// A position of -1 stands for a window without elements, whose source element scatter drops. The order of everything is
// that of the definition.
struct SelectAndScatterOperands {
  HloInstruction* x;
  HloInstruction* source;
  HloInstruction* init;
  // Predicates of the dimensions of x and of the source: which elements there are. nullptr: all.
  HloInstruction* valid = nullptr;
  HloInstruction* valid_source = nullptr;
};
// Adds what `root`, a select-and-scatter, does with these operands, in that way.
HloInstruction* SelectAndScatterValid(const HloInstruction& root, const SelectAndScatterOperands& operands,
                                      InstructionBuilder& build);

absl::StatusOr<bool> ExpandSelectAndScatter(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_SELECT_AND_SCATTER_H_
