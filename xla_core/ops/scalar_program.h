// ScalarProgram: the straight line of kernels that a computation of scalars becomes.
//
// Calls and fusions are expanded in place, and tuples exist only while compiling: a value is a parameter leaf, a
// constant or a register, which holds one element per lane.
#ifndef XLA_CORE_OPS_SCALAR_PROGRAM_H_
#define XLA_CORE_OPS_SCALAR_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/types/literal.h"

namespace xla {

// Steps run in their order, each over all lanes. Instructions are those of the computation, which outlives the
// program.
struct ScalarProgram {
  struct Ref {
    enum class Kind : uint8_t { kParameter, kConstant, kRegister } kind;
    int32_t index;
    bool operator==(const Ref& o) const { return kind == o.kind && index == o.index; }
  };
  struct Step {
    ElementwiseKernel kernel;
    Ref inputs[ElementwiseKernel::kMaxArity];
    int32_t output;                     // a register
    const HloInstruction* instruction;  // nullptr: a copy that the compiler added
  };

  std::vector<PrimitiveType> parameters;  // leaves in order
  std::vector<Step> steps;
  std::vector<PrimitiveType> registers;
  std::vector<Literal> constants;
  std::vector<Ref> results;  // leaves in order
  std::vector<PrimitiveType> result_types;
  int64_t instruction_count = 0;  // that an evaluator would have run one by one
};

// nullopt if the computation holds anything but what the head of scalar_function.h lists, or is too large to expand.
absl::optional<ScalarProgram> CompileScalarProgram(const HloComputation& computation);

}  // namespace xla

#endif  // XLA_CORE_OPS_SCALAR_PROGRAM_H_
