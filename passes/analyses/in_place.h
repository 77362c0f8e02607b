// Which results of an instruction may be written over which of its operands.
#ifndef PASSES_ANALYSES_IN_PLACE_H_
#define PASSES_ANALYSES_IN_PLACE_H_

#include <vector>

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The leaf at `operand_index` of operand number `operand` and the leaf at `result_index` of the result have the same
// number of bytes, and may have the same buffer if nothing needs the operand afterwards and the instruction does not
// get the same buffer through another operand too.
struct InPlacePair {
  enum class Reason {
    kUpdate,       // dynamic-update-slice, scatter: a part of the operand is replaced
    kDeclared,     // output_to_operand_aliasing of a fusion, custom-call or asynchronous operation
    kFusedUpdate,  // a fusion that ends in such an update of an operand that it does not read otherwise
    kElementwise,  // each element is read before the one at its place is written
    kCopy,         // copy: nothing is left to do
  };
  int operand = 0;
  ShapeIndex operand_index;
  ShapeIndex result_index;
  Reason reason = Reason::kElementwise;

  // Programs rely on these being in place: where that cannot be, the operand is copied first.
  bool expected() const { return reason == Reason::kUpdate || reason == Reason::kDeclared; }
};

// In the order in which they should be tried.
std::vector<InPlacePair> FindInPlacePairs(const HloInstruction& instruction);

const char* InPlaceReasonName(InPlacePair::Reason reason);

}  // namespace xla

#endif  // PASSES_ANALYSES_IN_PLACE_H_
