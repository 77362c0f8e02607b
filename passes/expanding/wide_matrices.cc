#include "passes/expanding/wide_matrices.h"

#include <utility>

namespace xla {

PrimitiveType WideType(PrimitiveType type) { return IsComplex(type) ? C128 : F64; }

HloInstruction* WideMatrices(HloInstruction* x, InstructionBuilder& build) {
  const Shape& shape = x->shape();
  int64_t batch = 1;
  for (int d = 0; d + 2 < shape.rank(); ++d) batch *= shape.dimension(d);
  return build.Convert(build.Reshape(x, {batch, shape.dimension(shape.rank() - 2), shape.dimension(shape.rank() - 1)}),
                       WideType(shape.element_type()));
}

HloInstruction* RoundMatrices(HloInstruction* x, const Shape& shape, InstructionBuilder& build) {
  return build.Reshape(build.Convert(x, shape.element_type()), shape.dimensions());
}

HloInstruction* ConjugateElements(HloInstruction* x, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return x;
  HloInstruction* const negated = build.Unary(HloOpcode::kNegate, build.Unary(HloOpcode::kImag, x));
  return build.Binary(HloOpcode::kComplex, build.Unary(HloOpcode::kReal, x), negated);
}

HloInstruction* TransposeMatrices(HloInstruction* x, bool conjugated, InstructionBuilder& build) {
  HloInstruction* const transposed = build.Transpose(x, {0, 2, 1});
  return conjugated ? ConjugateElements(transposed, build) : transposed;
}

HloInstruction* MultiplyMatrices(HloInstruction* lhs, HloInstruction* rhs, bool rhs_transposed,
                                 InstructionBuilder& build) {
  DotAttributes attributes;
  attributes.lhs_batch_dims = {0};
  attributes.rhs_batch_dims = {0};
  attributes.lhs_contracting_dims = {2};
  attributes.rhs_contracting_dims = {rhs_transposed ? 2 : 1};
  return build.Dot(lhs, rhs, std::move(attributes));
}

}  // namespace xla
