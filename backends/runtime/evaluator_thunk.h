// The thunk of an instruction that there is no code for.
#ifndef BACKENDS_RUNTIME_EVALUATOR_THUNK_H_
#define BACKENDS_RUNTIME_EVALUATOR_THUNK_H_

#include <memory>
#include <vector>

#include "backends/runtime/thunk.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Where a leaf of a shape lives. Tokens live nowhere.
struct PlacedLeaf {
  BufferSlice slice;
  // The buffer's place in ExecuteContext::dynamic_sizes if the leaf has dynamic dimensions; else -1.
  int32_t dynamic_buffer = -1;
  // Of a result: it is an operand, passed on, so that there is nothing to write.
  bool is_operand = false;

  static PlacedLeaf Operand() {
    PlacedLeaf leaf;
    leaf.is_operand = true;
    return leaf;
  }
};

// Evaluates the instruction on literals that borrow its operands' memory, and copies the result into place. `operands`
// has the leaves of all operands, `result` those of the result, in the order of the leaves of their shapes.
std::unique_ptr<Thunk> MakeEvaluatorThunk(const HloInstruction& instruction, std::vector<PlacedLeaf> operands,
                                          std::vector<PlacedLeaf> result);

}  // namespace xla

#endif  // BACKENDS_RUNTIME_EVALUATOR_THUNK_H_
