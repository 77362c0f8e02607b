// The single steps that make a module smaller. Each changes a copy; whether the result is valid is for the verifier.
#ifndef PASSES_CUTTING_REDUCE_EDITS_H_
#define PASSES_CUTTING_REDUCE_EDITS_H_

#include <cstdint>
#include <vector>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// Instructions and computations are named by their places, which a copy of a module shares.
struct InstructionPlace {
  int64_t computation;
  int64_t instruction;
};

HloInstruction* InstructionAt(const HloModule& module, const InstructionPlace& place);

// Each returns false if it does not apply; the module may then be changed all the same and is not to be used. After any
// of them FinishEdits has to be called.

// A new parameter of the entry, to which the instruction must belong, under its name; for a token a new token.
bool ReplaceByParameter(HloInstruction* instruction);
// Zeros of its shape.
bool ReplaceByZeros(HloInstruction* instruction);
// Its first operand with the same shape.
bool ReplaceByOperand(HloInstruction* instruction);
// For a call, fusion, while or conditional: the instructions of the callee number `callee`.
bool ReplaceByBody(HloInstruction* instruction, int callee);
// Keeps those elements of the state of a while loop for which `keep` holds; who asks for another one gets zeros. The
// loop's computations must belong to it alone, and tuples and get-tuple-elements must be all that touches the state as
// a whole.
bool NarrowLoop(HloInstruction* loop, const std::vector<bool>& keep);
// Makes the result of the entry that of `root`.
bool SetRoot(HloModule* module, HloInstruction* root);
// Makes the result of the entry, a tuple, one of those elements for which `keep` holds.
bool KeepTupleElements(HloModule* module, const std::vector<bool>& keep);
// Removes a parameter of the entry that nothing uses.
bool RemoveParameter(HloInstruction* parameter);
// Gives all dimensions of `size` elements the size `new_size`, and infers what follows from that.
bool ChangeSize(HloModule* module, int64_t size, int64_t new_size);

// Removes what nothing needs any more, numbers the parameters of the entry without gaps, makes the header fit the entry
// and restores the order of the lists.
void FinishEdits(HloModule* module);

}  // namespace xla

#endif  // PASSES_CUTTING_REDUCE_EDITS_H_
