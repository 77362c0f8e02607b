#include "builders/computation_builder/tests/random_calls.h"

#include <algorithm>
#include <numeric>

namespace xla {

int RandomCalls::Below(int limit) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(limit));
}

int64_t RandomCalls::Number() {
  constexpr int64_t kOdd[] = {-1, -2, INT64_MIN, INT64_MAX, INT64_MAX / 2, 1LL << 31, 1LL << 32, 1000};
  return Once(40) ? kOdd[Below(8)] : Below(4);
}

std::vector<int64_t> RandomCalls::Numbers(size_t count) {
  std::vector<int64_t> numbers(count);
  for (int64_t& number : numbers) number = Number();
  return numbers;
}

size_t RandomCalls::Count(XlaOp operand) {
  return Once(20) ? Below(4) : static_cast<size_t>(b_->ShapeOrInvalid(operand).rank());
}

int64_t RandomCalls::Dimension(XlaOp operand) {
  const int rank = b_->ShapeOrInvalid(operand).rank();
  return rank == 0 || Once(20) ? Number() : Below(rank);
}

std::vector<int64_t> RandomCalls::Dimensions(XlaOp operand) {
  std::vector<int64_t> dimensions;
  for (int i = 0; i < b_->ShapeOrInvalid(operand).rank(); ++i) {
    if (Once(2)) dimensions.push_back(i);
  }
  if (Once(20)) dimensions.push_back(Number());
  return dimensions;
}

std::vector<int64_t> RandomCalls::Permutation(XlaOp operand) {
  std::vector<int64_t> order(Count(operand));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = 1; i < order.size(); ++i) std::swap(order[i], order[Below(static_cast<int>(i + 1))]);
  if (!order.empty() && Once(20)) order[0] = Number();
  return order;
}

std::vector<std::pair<int64_t, int64_t>> RandomCalls::Pairs(size_t count) {
  std::vector<std::pair<int64_t, int64_t>> pairs(count);
  for (auto& pair : pairs) pair = Once(8) ? std::make_pair(Number(), Once(2) ? -1 : Number()) : std::make_pair(0L, 1L);
  return pairs;
}

PrimitiveType RandomCalls::Type() {
  constexpr PrimitiveType kUsual[] = {F32, S32, PRED, F32, S32, U32, C64, F64, BF16, S8};
  constexpr PrimitiveType kOdd[] = {PRIMITIVE_TYPE_INVALID, TUPLE, TOKEN, OPAQUE_TYPE, static_cast<PrimitiveType>(77)};
  return Once(60) ? kOdd[Below(5)] : kUsual[Below(10)];
}

Shape RandomCalls::Shape() {
  if (Once(30)) return xla::Shape();
  if (Once(30)) return xla::Shape::Token();
  if (Once(12)) return xla::Shape::Tuple({Shape(), Shape()});
  xla::Shape shape = xla::Shape::Array(Type(), Numbers(Below(4)));
  if (shape.rank() > 0 && Once(12)) shape.set_dynamic_dimension(Below(shape.rank()), true);
  return shape;
}

XlaOp RandomCalls::Value() {
  if (values_.empty() || Once(100)) return XlaOp();
  return values_[Below(static_cast<int>(values_.size()))];
}

XlaOp RandomCalls::ValueLike(XlaOp like) {
  if (Once(10)) return Value();
  for (int tries = 0; tries < 20; ++tries) {
    const XlaOp value = Value();
    if (b_->ShapeOrInvalid(value).Compatible(b_->ShapeOrInvalid(like))) return value;
  }
  return like;
}

XlaOp RandomCalls::ValueOf(PrimitiveType type) {
  for (int tries = 0; tries < 20; ++tries) {
    const XlaOp value = Value();
    if (TypeOf(value) == type) return value;
  }
  return Value();
}

XlaOp RandomCalls::ScalarOf(PrimitiveType type) {
  if (Once(20)) return Value();
  const absl::StatusOr<Literal> number = LiteralUtil::Number(type, int64_t{Below(3)});
  return number.ok() ? b_->ConstantLiteral(*number) : ValueOf(type);
}

std::vector<XlaOp> RandomCalls::Values() {
  std::vector<XlaOp> values(Below(4));
  for (XlaOp& value : values) value = Value();
  return values;
}

std::vector<XlaOp> RandomCalls::ValuesLike(XlaOp like) {
  std::vector<XlaOp> values(1 + Below(3));
  for (XlaOp& value : values) value = ValueLike(like);
  return values;
}

XlaComputation RandomCalls::Binary(PrimitiveType type) {
  if (Once(30)) return XlaComputation();
  if (Once(20)) type = Type();
  ComputationBuilder b("binary");
  const XlaOp x = b.Parameter(0, xla::Shape::Scalar(type));
  const XlaOp y = b.Parameter(1, xla::Shape::Scalar(type));
  if (Once(2)) {
    b.Add(x, y);
  } else {
    b.Mul(y, x);
  }
  const absl::StatusOr<XlaComputation> built = b.Build();
  return built.ok() ? *built : XlaComputation::FromError(built.status());
}

XlaComputation RandomCalls::Predicate(PrimitiveType type) {
  if (Once(20)) return Binary(type);
  ComputationBuilder b("predicate");
  const XlaOp x = b.Parameter(0, xla::Shape::Scalar(type));
  const XlaOp y = b.Parameter(1, xla::Shape::Scalar(type));
  b.Compare(x, y, Once(2) ? ComparisonDirection::kLt : ComparisonDirection::kGe);
  const absl::StatusOr<XlaComputation> built = b.Build();
  return built.ok() ? *built : XlaComputation::FromError(built.status());
}

XlaComputation RandomCalls::Body(XlaOp argument) {
  ComputationBuilder b("body");
  RandomCalls inner(&b, static_cast<uint64_t>(Below(1 << 30)));
  const XlaOp x = b.Parameter(0, b_->ShapeOrInvalid(argument));
  inner.Keep(x);
  const absl::Span<const RandomCall> calls = AllRandomCalls();
  if (b.ok() && !Once(3)) inner.Keep(calls[Below(static_cast<int>(calls.size()))].make(inner));
  const absl::StatusOr<XlaComputation> built = b.Build(inner.ValueLike(x));
  return built.ok() ? *built : XlaComputation::FromError(built.status());
}

XlaComputation RandomCalls::Condition(XlaOp argument) {
  ComputationBuilder b("condition");
  b.Parameter(0, b_->ShapeOrInvalid(argument));
  b.ConstantR0<bool>(Once(10));
  const absl::StatusOr<XlaComputation> built = b.Build();
  return built.ok() ? *built : XlaComputation::FromError(built.status());
}

}  // namespace xla
