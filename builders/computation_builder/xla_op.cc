#include "builders/computation_builder/xla_op.h"

#include "builders/computation_builder/computation_builder.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// The builder to ask: an invalid operand may know none.
ComputationBuilder* BuilderOf(XlaOp lhs, XlaOp rhs) { return lhs.builder() != nullptr ? lhs.builder() : rhs.builder(); }

using BinaryMethod = XlaOp (ComputationBuilder::*)(XlaOp, XlaOp, ArraySlice<int64_t>, SourceLocation);
XlaOp Apply(BinaryMethod method, LocatedOp lhs, LocatedOp rhs) {
  ComputationBuilder* builder = BuilderOf(lhs.op, rhs.op);
  return builder == nullptr ? XlaOp() : (builder->*method)(lhs.op, rhs.op, {}, lhs.loc);
}

using UnaryMethod = XlaOp (ComputationBuilder::*)(XlaOp, SourceLocation);
XlaOp Apply(UnaryMethod method, LocatedOp operand) {
  ComputationBuilder* builder = operand.op.builder();
  return builder == nullptr ? XlaOp() : (builder->*method)(operand.op, operand.loc);
}

template <typename Number>
XlaOp ConstantLike(LocatedOp like, Number value) {
  ComputationBuilder* builder = like.op.builder();
  if (builder == nullptr || !like.op.valid()) return like.op;
  return builder->ConstantLiteral(LiteralUtil::Number(builder->ShapeOrInvalid(like.op).element_type(), value),
                                  like.loc);
}

}  // namespace

#define OPERATOR(symbol, method) \
  XlaOp operator symbol(LocatedOp lhs, LocatedOp rhs) { return Apply(&ComputationBuilder::method, lhs, rhs); }
OPERATOR(+, Add)
OPERATOR(-, Sub)
OPERATOR(*, Mul)
OPERATOR(/, Div)
OPERATOR(%, Rem)
OPERATOR(&, And)
OPERATOR(|, Or)
OPERATOR(^, Xor)
OPERATOR(<<, ShiftLeft)
#undef OPERATOR

XlaOp operator>>(LocatedOp lhs, LocatedOp rhs) {
  const ComputationBuilder* builder = lhs.op.builder();
  const bool is_unsigned = builder != nullptr && IsUnsignedInt(builder->ShapeOrInvalid(lhs.op).element_type());
  return Apply(is_unsigned ? &ComputationBuilder::ShiftRightLogical : &ComputationBuilder::ShiftRightArithmetic, lhs,
               rhs);
}

XlaOp operator-(LocatedOp operand) { return Apply(&ComputationBuilder::Neg, operand); }
XlaOp operator~(LocatedOp operand) { return Apply(&ComputationBuilder::Not, operand); }

#define COMPARISON(method) \
  XlaOp method(LocatedOp lhs, LocatedOp rhs) { return Apply(&ComputationBuilder::method, lhs, rhs); }
COMPARISON(Eq)
COMPARISON(Ne)
COMPARISON(Ge)
COMPARISON(Gt)
COMPARISON(Le)
COMPARISON(Lt)
#undef COMPARISON

namespace xla_op_internal {
XlaOp NumberLike(LocatedOp like, double value) { return ConstantLike(like, value); }
XlaOp NumberLike(LocatedOp like, int64_t value) { return ConstantLike(like, value); }
XlaOp NumberLike(LocatedOp like, uint64_t value) { return ConstantLike(like, value); }
}  // namespace xla_op_internal

}  // namespace xla
