// ScalarOperation: a kElementwise instruction as the HLO instruction on scalars that it stands for, so that the op
// table says what it means and what it allows.
#ifndef BACKENDS_KERNEL_IR_SCALAR_OPERATION_H_
#define BACKENDS_KERNEL_IR_SCALAR_OPERATION_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Owns an HLO instruction of scalar shape and parameters for its operands, which belong to no computation.
class ScalarOperation {
 public:
  // `instruction` is a kElementwise with one result.
  ScalarOperation(const Kernel& kernel, const KernelInstruction& instruction);

  const HloInstruction& instruction() const { return *instruction_; }
  // InvalidArgument: the number of operands, a type or an attribute is not what the op table allows.
  absl::Status Verify() const;

 private:
  std::vector<std::unique_ptr<HloInstruction>> operands_;
  std::unique_ptr<HloInstruction> instruction_;
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_SCALAR_OPERATION_H_
