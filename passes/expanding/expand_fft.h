// Writes fft as products with small matrices.
#ifndef PASSES_EXPANDING_EXPAND_FFT_H_
#define PASSES_EXPANDING_EXPAND_FFT_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// fft becomes dots with matrices of roots of unity and complex products with constants, in the type of the operand's
// parts: real numbers throughout, so that a device needs nothing else. What a line with infinities gives may be NaN where
// another algorithm would give infinities. Lines of more than 2^22 elements are left alone, because their roots are
// constants of the program.
absl::StatusOr<bool> ExpandFft(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_FFT_H_
