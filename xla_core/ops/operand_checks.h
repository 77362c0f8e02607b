// Shape rules that many operations share, each with its one wording.
#ifndef XLA_CORE_OPS_OPERAND_CHECKS_H_
#define XLA_CORE_OPS_OPERAND_CHECKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/shape.h"

namespace xla {

// Operands begin..end-1 must be arrays.
absl::Status CheckArrayOperands(const HloInstruction& instruction, int begin, int end);

// Operands 0..count-1 must be arrays of equal dimensions; their element types may differ.
absl::Status CheckEqualDimensions(const HloInstruction& instruction, int count);

// `dimension` must be one of the array `shape`. `what` names it in the message: "dimension to sort".
absl::Status CheckDimension(absl::string_view what, int64_t dimension, const Shape& shape);

}  // namespace xla

#endif  // XLA_CORE_OPS_OPERAND_CHECKS_H_
