// Constants of any element type, most of them of the type and dimensions of a given value.
//
//   XlaOp sum = builder.Reduce(x, Zero(&builder, F32), CreateScalarAddComputation(F32), {0});
//   XlaOp relu = builder.Max(x, ZerosLike(x));
//
// Functions of a value ask its builder; of an invalid value they return an invalid one. Errors stick to the builder:
// an element type that has no such value, a number that the type does not have.
#ifndef BUILDERS_COMPUTATION_BUILDER_CONSTANTS_H_
#define BUILDERS_COMPUTATION_BUILDER_CONSTANTS_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// ---- Scalars of a type

// `value`, a C++ number, as a scalar: Scalar(&builder, BF16, 0.5).
template <typename T>
XlaOp Scalar(ComputationBuilder* builder, PrimitiveType type, T value, SourceLocation loc = SourceLocation::Current());
// The same under XLA's name.
template <typename T>
XlaOp ConstantR0WithType(ComputationBuilder* builder, PrimitiveType type, T value,
                         SourceLocation loc = SourceLocation::Current());
// The numbers 0 and 1 of a type.
XlaOp Zero(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());
XlaOp One(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());
// The least and the greatest value, infinities where the type has them; not for complex types.
XlaOp MinValue(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());
XlaOp MaxValue(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());
// The same without infinities.
XlaOp MinFiniteValue(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());
XlaOp MaxFiniteValue(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());
// Distance from 1 to the next greater number of a float type.
XlaOp Epsilon(ComputationBuilder* builder, PrimitiveType type, SourceLocation loc = SourceLocation::Current());

// ---- Arrays

// Zeros and ones of a shape; of a tuple's elements likewise.
XlaOp Zeros(ComputationBuilder* builder, const Shape& shape, SourceLocation loc = SourceLocation::Current());
XlaOp Ones(ComputationBuilder* builder, const Shape& shape, SourceLocation loc = SourceLocation::Current());
// The number in all elements of an array of these dimensions, dynamic ones as those of `like`.
XlaOp ZerosLike(XlaOp like, SourceLocation loc = SourceLocation::Current());
XlaOp OnesLike(XlaOp like, SourceLocation loc = SourceLocation::Current());
template <typename T>
XlaOp FullLike(XlaOp like, T value, SourceLocation loc = SourceLocation::Current());
// A scalar of the element type of `like`.
template <typename T>
XlaOp ScalarLike(XlaOp like, T value, SourceLocation loc = SourceLocation::Current());
// `scalar` in all elements of an array with the dimensions of `like`.
XlaOp BroadcastLike(XlaOp scalar, XlaOp like, SourceLocation loc = SourceLocation::Current());

// ---- Templates

namespace constants_internal {
template <typename T>
absl::StatusOr<Literal> NumberOf(PrimitiveType type, T value) {
  if constexpr (std::is_integral_v<T>) {
    return LiteralUtil::Number(type, static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(value));
  } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    return LiteralUtil::Number(type, complex128(value));
  } else {
    return LiteralUtil::Number(type, static_cast<double>(value));
  }
}
}  // namespace constants_internal

template <typename T>
XlaOp Scalar(ComputationBuilder* builder, PrimitiveType type, T value, SourceLocation loc) {
  return builder->ConstantLiteral(constants_internal::NumberOf(type, value), loc);
}

template <typename T>
XlaOp ConstantR0WithType(ComputationBuilder* builder, PrimitiveType type, T value, SourceLocation loc) {
  return Scalar(builder, type, value, loc);
}

template <typename T>
XlaOp ScalarLike(XlaOp like, T value, SourceLocation loc) {
  if (!like.valid()) return like;
  OperationScope scope(like.builder(), "ScalarLike", {like}, loc);
  return Scalar(like.builder(), like.builder()->ShapeOrInvalid(like).element_type(), value, loc);
}

template <typename T>
XlaOp FullLike(XlaOp like, T value, SourceLocation loc) {
  if (!like.valid()) return like;
  OperationScope scope(like.builder(), "FullLike", {like}, loc);
  return BroadcastLike(ScalarLike(like, value, loc), like, loc);
}

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_CONSTANTS_H_
