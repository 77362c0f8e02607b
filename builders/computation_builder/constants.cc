#include "builders/computation_builder/constants.h"

namespace xla {
namespace {

// Arrays are a scalar broadcast, which costs a module nothing however large they are.
template <typename T>
XlaOp Full(ComputationBuilder* builder, const Shape& shape, T value, SourceLocation loc) {
  if (shape.IsTuple()) {
    std::vector<XlaOp> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Full(builder, element, value, loc));
    return builder->Tuple(elements, loc);
  }
  const XlaOp scalar = Scalar(builder, shape.element_type(), value, loc);
  return shape.rank() == 0 ? scalar : builder->Broadcast(scalar, shape.dimensions(), loc);
}

}  // namespace

#define SCALAR(function)                                                                \
  XlaOp function(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc) { \
    return builder->ConstantLiteral(LiteralUtil::function(type), loc);                  \
  }
SCALAR(Zero)
SCALAR(One)
SCALAR(MinValue)
SCALAR(MaxValue)
SCALAR(MinFiniteValue)
SCALAR(MaxFiniteValue)
SCALAR(Epsilon)
#undef SCALAR

XlaOp Zeros(ComputationBuilder* builder, const Shape& shape, SourceLocation loc) {
  OperationScope scope(builder, "Zeros", {}, loc);
  return Full(builder, shape, 0, loc);
}

XlaOp Ones(ComputationBuilder* builder, const Shape& shape, SourceLocation loc) {
  OperationScope scope(builder, "Ones", {}, loc);
  return Full(builder, shape, 1, loc);
}

XlaOp ZerosLike(XlaOp like, SourceLocation loc) { return FullLike(like, 0, loc); }
XlaOp OnesLike(XlaOp like, SourceLocation loc) { return FullLike(like, 1, loc); }

XlaOp BroadcastLike(XlaOp scalar, XlaOp like, SourceLocation loc) {
  if (!like.valid()) return like;
  ComputationBuilder* const builder = like.builder();
  OperationScope scope(builder, "BroadcastLike", {scalar, like}, loc);
  const Shape shape = builder->ShapeOrInvalid(like);
  XlaOp result = shape.rank() == 0 ? scalar : builder->Broadcast(scalar, shape.dimensions(), loc);
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    result = builder->SetDimensionSize(result, builder->GetDimensionSize(like, d, loc), d, loc);
  }
  return result;
}

}  // namespace xla
