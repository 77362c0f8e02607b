// Computes with integers of less than a byte in bytes.
#ifndef PASSES_PRECISION_WIDEN_SUB_BYTE_H_
#define PASSES_PRECISION_WIDEN_SUB_BYTE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Arithmetic on s1, s2, s4, u1, u2 and u4 becomes arithmetic on s8 or u8 between converts, which wrap. Shifts and bit
// counts that depend on the width are written so that they give what they gave. Data still moves in its own type.
absl::StatusOr<bool> WidenSubByte(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_WIDEN_SUB_BYTE_H_
