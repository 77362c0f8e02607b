// The shape rule of convolution, apart from its evaluator.
#ifndef XLA_CORE_OPS_CONVOLUTION_SHAPE_H_
#define XLA_CORE_OPS_CONVOLUTION_SHAPE_H_

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/shape.h"

namespace xla {

// The result shape of a convolution of kind unset or fprop. Errors: InvalidArgument, see convolution.cc.
absl::StatusOr<Shape> InferConvolutionShape(const HloInstruction& instruction);

}  // namespace xla

#endif  // XLA_CORE_OPS_CONVOLUTION_SHAPE_H_
