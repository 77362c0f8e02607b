// ConvertInstructions: instructions of HLO as operations of NNEF.
#ifndef BUILDERS_NNEF1_WRITING_CONVERT_INSTRUCTIONS_H_
#define BUILDERS_NNEF1_WRITING_CONVERT_INSTRUCTIONS_H_

#include "absl/status/status.h"
#include "builders/nnef1/writing/conversion.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {
namespace nnef1 {

// One function for each kind of instruction that NNEF can say: it adds to `to` what the instruction becomes, whose
// operands are there. Errors: Unimplemented for an instruction that NNEF cannot say after all.

// --- convert_data.cc ---
absl::Status ConvertParameter(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertConstant(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertIota(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertTuple(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertGetTupleElement(const HloInstruction& instruction, Conversion& to);

// --- convert_elementwise.cc ---
// Whether the opcode is one operation on each element, named in the table there.
bool IsElementwiseOperation(HloOpcode opcode);
absl::Status ConvertElementwise(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertCompare(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertClamp(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertSelect(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertConvert(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertCopy(const HloInstruction& instruction, Conversion& to);

// --- convert_shapes.cc ---
absl::Status ConvertBroadcast(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertReshape(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertTranspose(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertSlice(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertReverse(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertConcatenate(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertPad(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertGather(const HloInstruction& instruction, Conversion& to);

// --- convert_reductions.cc ---
absl::Status ConvertReduce(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertReduceWindow(const HloInstruction& instruction, Conversion& to);

// --- convert_products.cc ---
absl::Status ConvertDot(const HloInstruction& instruction, Conversion& to);
absl::Status ConvertConvolution(const HloInstruction& instruction, Conversion& to);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_WRITING_CONVERT_INSTRUCTIONS_H_
