// Runs the kernel of one instruction and compares it with the evaluator.
#ifndef TESTS_KERNELS_CHECK_KERNEL_H_
#define TESTS_KERNELS_CHECK_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

struct KernelCheck {
  enum class Outcome { kAgrees, kDiffers, kNotLowered, kTooLarge, kEvaluatorFails };
  Outcome outcome = Outcome::kAgrees;
  std::string what;    // differs or broken: how; not lowered: why
  std::string kernel;  // its text
  int phases = 0;
};

struct KernelCheckOptions {
  uint64_t seed = 0;
  int64_t max_elements = 1 << 18;  // of operands and results together
  // Also with an output in the memory of an operand, wherever passes/analyses/in_place.h allows it.
  bool in_place = true;
  bool keep_text = false;
  LoweringTarget target;
  SumOrder order;
  // Another one: the kernel that is lowered for it must give the same bits, whatever tiles it wants.
  absl::optional<LoweringTarget> other_target;
};

// Lowers the instruction, verifies its kernel, and runs it with generated operands.
KernelCheck CheckKernel(const HloInstruction& instruction, const KernelCheckOptions& options);

}  // namespace xla

#endif  // TESTS_KERNELS_CHECK_KERNEL_H_
