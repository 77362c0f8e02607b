// Computing in float32 where operands are float16, so that a result is rounded once.
#ifndef BUILDERS_WEBNN_OPS_WIDE_FLOATS_H_
#define BUILDERS_WEBNN_OPS_WIDE_FLOATS_H_

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/constants.h"

namespace xla {
namespace webnn {

// A float16 value as float32; others as they are.
inline XlaOp Widened(ComputationBuilder& builder, XlaOp value) {
  return builder.ShapeOrInvalid(value).element_type() == F16 ? builder.ConvertElementType(value, F32) : value;
}

// A value that was computed from Widened ones in the type of the result.
inline XlaOp Narrowed(ComputationBuilder& builder, XlaOp value, PrimitiveType type) {
  return builder.ShapeOrInvalid(value).element_type() == type ? value : builder.ConvertElementType(value, type);
}

// f(value), computed in float32 if it is float16.
template <typename F>
XlaOp InWideFloats(ComputationBuilder& builder, XlaOp value, F f) {
  return Narrowed(builder, f(Widened(builder, value)), builder.ShapeOrInvalid(value).element_type());
}

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_WIDE_FLOATS_H_
