// Fusions around a dot or a convolution: what of them a library can do.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_FUSION_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_FUSION_H_

#include <vector>

#include "absl/types/optional.h"
#include "backends/cpu/library/product/product_epilogue.h"
#include "backends/cpu/library/product/product_prologue.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// A reshape, in the widest sense, that leaves every element where it is.
bool MovesNothing(const HloInstruction& instruction);

// What a step of an epilogue or a prologue calls the operation; `element_is_left`: or else the other number.
absl::optional<EpilogueOperation> OperationOf(HloOpcode opcode, bool element_is_left);

// The parameter of a fused computation that the instruction is, seen through reshapes that move nothing; nullptr if it
// is something else.
const HloInstruction* ParameterBehind(const HloInstruction* instruction);

// The dot or convolution in the fusion's computation, if there is exactly one and the fusion's operands are row-major;
// else nullptr. What is left of the fusion can then be lowered with the product among its inputs.
const HloInstruction* FindProduct(const HloInstruction& fusion);

// Whether both operands of the product are in memory: ParameterBehind.
bool HasOperandsInMemory(const HloInstruction& product);

struct FusedPrologue {
  int dequantized = 1;           // operand of the dot that the steps make; the other one is in memory
  const HloInstruction* stored;  // parameter of the fused computation
  PrimitiveType type;            // as what its elements are read: numbers of less than a byte fill one
  std::vector<PrologueStep> steps;
  std::vector<int64_t> arguments;  // by PrologueStep::argument: the fusion's operand
};

// How one operand of the dot is made of integers of 16 bits or less, if that is by a conversion to f32 and steps that a
// program can take (ProductPrologue); else nullopt.
absl::optional<FusedPrologue> FindPrologue(const HloInstruction& dot);

struct FusedEpilogue {
  std::vector<EpilogueStep> steps;
  std::vector<int64_t> arguments;  // by EpilogueStep::argument: the fusion's operand
  int64_t columns = 1;
};

// All that the fusion does with its product, if that is additions, multiplications and limits of f32; else nullopt.
absl::optional<FusedEpilogue> FindEpilogue(const HloInstruction& fusion, const HloInstruction& product);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_FUSION_H_
