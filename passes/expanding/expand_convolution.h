// Writes convolutions as dots.
#ifndef PASSES_EXPANDING_EXPAND_CONVOLUTION_H_
#define PASSES_EXPANDING_EXPAND_CONVOLUTION_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A convolution becomes the sum over the positions of its window of dots of a shifted input with that slice of the
// kernel; a window of one position is one dot. Feature and batch groups are a batch dimension of the dots. What falls
// into padding or holes contributes nothing, even times infinity. Sums of floats are made in f64 and rounded once.
// Option max-positions leaves larger windows alone; only-groups leaves convolutions without groups alone.
absl::StatusOr<bool> ExpandConvolution(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_CONVOLUTION_H_
