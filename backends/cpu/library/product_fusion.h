// Fusions around a dot or a convolution: what of them a library can do.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_FUSION_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_FUSION_H_

#include <vector>

#include "absl/types/optional.h"
#include "backends/cpu/library/product_epilogue.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The parameter of a fused computation that the instruction is, seen through reshapes that move nothing; nullptr if it
// is something else.
const HloInstruction* ParameterBehind(const HloInstruction* instruction);

// The dot or convolution in the fusion's computation, if there is exactly one and both of its operands are in memory
// (ParameterBehind), row-major; else nullptr. What is left of the fusion can then be lowered with the product among its
// inputs.
const HloInstruction* FindProduct(const HloInstruction& fusion);

struct FusedEpilogue {
  std::vector<EpilogueStep> steps;
  std::vector<int64_t> arguments;  // by EpilogueStep::argument: the fusion's operand
  int64_t columns = 1;
};

// All that the fusion does with its product, if that is additions, multiplications and limits of f32; else nullopt.
absl::optional<FusedEpilogue> FindEpilogue(const HloInstruction& fusion, const HloInstruction& product);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_FUSION_H_
