#include "passes/expanding/matrix_steps.h"

namespace xla {

HloInstruction* JoinBatch(HloInstruction* x, InstructionBuilder& build) {
  const Shape& shape = x->shape();
  int64_t batch = 1;
  for (int d = 0; d + 2 < shape.rank(); ++d) batch *= shape.dimension(d);
  return build.Reshape(x, {batch, shape.dimension(shape.rank() - 2), shape.dimension(shape.rank() - 1)});
}

HloInstruction* RowAt(HloInstruction* matrices, HloInstruction* i, InstructionBuilder& build) {
  const int64_t batch = matrices->shape().dimension(0), n = matrices->shape().dimension(2);
  HloInstruction* const zero = build.Zero(S32);
  return build.Reshape(build.DynamicSlice(matrices, {zero, i, zero}, {batch, 1, n}), {batch, n});
}

HloInstruction* ColumnAt(HloInstruction* matrices, HloInstruction* j, InstructionBuilder& build) {
  const int64_t batch = matrices->shape().dimension(0), m = matrices->shape().dimension(1);
  HloInstruction* const zero = build.Zero(S32);
  return build.Reshape(build.DynamicSlice(matrices, {zero, zero, j}, {batch, m, 1}), {batch, m});
}

HloInstruction* ElementAt(HloInstruction* vectors, HloInstruction* i, InstructionBuilder& build) {
  const int64_t batch = vectors->shape().dimension(0);
  return build.Reshape(build.DynamicSlice(vectors, {build.Zero(S32), i}, {batch, 1}), {batch});
}

HloInstruction* WithElementAt(HloInstruction* vectors, HloInstruction* elements, HloInstruction* i,
                              InstructionBuilder& build) {
  const int64_t batch = vectors->shape().dimension(0);
  return build.DynamicUpdateSlice(vectors, build.Reshape(elements, {batch, 1}), {build.Zero(S32), i});
}

HloInstruction* InEveryRow(HloInstruction* vectors, const Shape& shape, InstructionBuilder& build) {
  return build.Broadcast(vectors, shape.dimensions(), {0, 2});
}

HloInstruction* InEveryColumn(HloInstruction* vectors, const Shape& shape, InstructionBuilder& build) {
  return build.Broadcast(vectors, shape.dimensions(), {0, 1});
}

HloInstruction* PerBatch(HloInstruction* numbers, const Shape& shape, InstructionBuilder& build) {
  return build.Broadcast(numbers, shape.dimensions(), {0});
}

HloInstruction* Position(const Shape& shape, int64_t dimension, ComparisonDirection direction, HloInstruction* than,
                         InstructionBuilder& build) {
  const Shape positions = Shape::Array(S32, shape.dimensions());
  HloInstruction* const other =
      than->shape().rank() == 0 ? build.BroadcastScalar(than, positions) : PerBatch(than, positions, build);
  return build.Compare(direction, build.Iota(positions, dimension), other);
}

HloInstruction* PositionAlong(const HloInstruction* matrices, int64_t dimension, InstructionBuilder& build) {
  return build.Iota(Shape::Array(S32, matrices->shape().dimensions()), dimension);
}

HloInstruction* RowsAgainstColumns(const HloInstruction* matrices, ComparisonDirection direction,
                                   InstructionBuilder& build) {
  return build.Compare(direction, PositionAlong(matrices, 1, build), PositionAlong(matrices, 2, build));
}

HloInstruction* Diagonal(HloInstruction* matrices, InstructionBuilder& build) {
  HloInstruction* const zero = build.Zero(matrices->shape().element_type());
  HloInstruction* const only = build.Select(RowsAgainstColumns(matrices, ComparisonDirection::kEq, build), matrices,
                                            build.BroadcastScalar(zero, matrices->shape()));
  return build.Reduce(only, zero, {2}, HloOpcode::kAdd);
}

HloInstruction* OuterProduct(HloInstruction* column, HloInstruction* row, InstructionBuilder& build) {
  const Shape shape =
      Shape::Array(column->shape().element_type(),
                   {column->shape().dimension(0), column->shape().dimension(1), row->shape().dimension(1)});
  return Product(InEveryColumn(column, shape, build), InEveryRow(row, shape, build), build);
}

HloInstruction* IsZero(HloInstruction* x, InstructionBuilder& build) {
  return build.Compare(ComparisonDirection::kEq, x, build.Splat(x->shape(), 0));
}

PrimitiveType RealType(const HloInstruction* x) { return ComplexComponentType(x->shape().element_type()); }

HloInstruction* RealPart(HloInstruction* x, InstructionBuilder& build) {
  return IsComplex(x->shape().element_type()) ? build.Unary(HloOpcode::kReal, x) : x;
}

HloInstruction* ImaginaryPart(HloInstruction* x, InstructionBuilder& build) { return build.Unary(HloOpcode::kImag, x); }

HloInstruction* NegativeZeros(const Shape& shape, InstructionBuilder& build) {
  HloInstruction* const zero = build.ScalarFloat(ComplexComponentType(shape.element_type()), -0.0);
  return build.BroadcastScalar(IsComplex(shape.element_type()) ? build.Binary(HloOpcode::kComplex, zero, zero) : zero,
                               shape);
}

HloInstruction* Product(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Mul(x, y);
  HloInstruction* const a = build.Unary(HloOpcode::kReal, x);
  HloInstruction* const b = build.Unary(HloOpcode::kImag, x);
  HloInstruction* const c = build.Unary(HloOpcode::kReal, y);
  HloInstruction* const d = build.Unary(HloOpcode::kImag, y);
  return build.Binary(HloOpcode::kComplex, build.Sub(build.Mul(a, c), build.Mul(b, d)),
                      build.Add(build.Mul(a, d), build.Mul(b, c)));
}

HloInstruction* TimesReal(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Mul(x, y);
  return build.Binary(HloOpcode::kComplex, build.Mul(build.Unary(HloOpcode::kReal, x), y),
                      build.Mul(build.Unary(HloOpcode::kImag, x), y));
}

HloInstruction* OverReal(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Div(x, y);
  return build.Binary(HloOpcode::kComplex, build.Div(RealPart(x, build), y), build.Div(ImaginaryPart(x, build), y));
}

// Complex division by Smith's method: dividing by the larger part first avoids the squares, which might overflow.
HloInstruction* Quotient(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Div(x, y);
  HloInstruction* const a = build.Unary(HloOpcode::kReal, x);
  HloInstruction* const b = build.Unary(HloOpcode::kImag, x);
  HloInstruction* const c = build.Unary(HloOpcode::kReal, y);
  HloInstruction* const d = build.Unary(HloOpcode::kImag, y);
  HloInstruction* const imaginary_larger =
      build.Compare(ComparisonDirection::kLt, build.Unary(HloOpcode::kAbs, c), build.Unary(HloOpcode::kAbs, d));
  HloInstruction* const smaller = build.Select(imaginary_larger, c, d);
  HloInstruction* const larger = build.Select(imaginary_larger, d, c);
  HloInstruction* const ratio = build.Div(smaller, larger);
  HloInstruction* const divisor = build.Add(build.Mul(smaller, ratio), larger);
  HloInstruction* const scaled = build.Mul(build.Select(imaginary_larger, a, b), ratio);
  HloInstruction* const real = build.Add(scaled, build.Select(imaginary_larger, b, a));
  HloInstruction* const imaginary =
      build.Select(imaginary_larger, build.Sub(build.Mul(b, ratio), a), build.Sub(b, build.Mul(a, ratio)));
  return build.Binary(HloOpcode::kComplex, build.Div(real, divisor), build.Div(imaginary, divisor));
}

// The Euclidean norms of vectors, scaled by their largest element, so that squares neither overflow nor vanish.
HloInstruction* Norms(HloInstruction* vectors, InstructionBuilder& build) {
  const bool complex = IsComplex(vectors->shape().element_type());
  HloInstruction* const real = RealPart(vectors, build);
  HloInstruction* const imaginary = complex ? build.Unary(HloOpcode::kImag, vectors) : nullptr;
  HloInstruction* const zero = build.Zero(real->shape().element_type());
  HloInstruction* sizes = build.Unary(HloOpcode::kAbs, real);
  if (complex) sizes = build.Max(sizes, build.Unary(HloOpcode::kAbs, imaginary));
  HloInstruction* const largest = build.Reduce(sizes, zero, {1}, HloOpcode::kMaximum);
  HloInstruction* const scales =
      build.And(build.Unary(HloOpcode::kIsFinite, largest),
                build.Compare(ComparisonDirection::kGt, largest, build.Splat(largest->shape(), 0)));
  HloInstruction* const scale = build.Select(scales, largest, build.Splat(largest->shape(), 1));
  HloInstruction* const scale_of_each = PerBatch(scale, real->shape(), build);
  const auto square = [&](HloInstruction* part) {
    HloInstruction* const scaled = build.Div(part, scale_of_each);
    return build.Mul(scaled, scaled);
  };
  HloInstruction* squares = square(real);
  if (complex) squares = build.Add(squares, square(imaginary));
  return build.Mul(scale, build.Unary(HloOpcode::kSqrt, build.Reduce(squares, zero, {1}, HloOpcode::kAdd)));
}

}  // namespace xla
