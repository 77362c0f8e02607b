// Values worked out by hand and refusals of the reductions family: reduce, reduce-window, select-and-scatter, map,
// scan, sort, topk and the batch norms.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// ---- Computations of scalars

// f(x, y) = x op y
struct Binary : TestComputation {
  Binary(HloOpcode op, PrimitiveType type) : TestComputation("f") {
    HloInstruction* x = Parameter(0, Shape::Scalar(type));
    HloInstruction* y = Parameter(1, Shape::Scalar(type));
    Add(op, Shape::Scalar(type), {x, y});
  }
};

// f(x, y) = op(x, y), but not recognisable as that: it goes through a second operation.
struct Disguised : TestComputation {
  Disguised(HloOpcode op, PrimitiveType type) : TestComputation("f") {
    HloInstruction* x = Parameter(0, Shape::Scalar(type));
    HloInstruction* y = Parameter(1, Shape::Scalar(type));
    HloInstruction* result = Add(op, Shape::Scalar(type), {x, y});
    Add(HloOpcode::kMaximum, Shape::Scalar(type), {result, result});
  }
};

// Compares parameters `a` and `a + 1` of `types.size()` operands.
HloInstruction* AddCompare(TestComputation& c, HloInstruction* x, HloInstruction* y, ComparisonDirection direction,
                           ComparisonType type) {
  HloInstruction* compare = c.Add(HloOpcode::kCompare, Shape::Scalar(PRED), {x, y});
  compare->mutable_attributes<CompareAttributes>().direction = direction;
  compare->mutable_attributes<CompareAttributes>().type = type;
  return compare;
}

struct Compare : TestComputation {
  Compare(PrimitiveType type, ComparisonDirection direction, ComparisonType comparison) : TestComputation("before") {
    HloInstruction* x = Parameter(0, Shape::Scalar(type));
    HloInstruction* y = Parameter(1, Shape::Scalar(type));
    AddCompare(*this, x, y, direction, comparison);
  }
};

// Keeps the pair (value, index) with the larger value.
struct ArgMax : TestComputation {
  ArgMax() : TestComputation("f") {
    HloInstruction* v = Parameter(0, Shape::Scalar(F32));
    HloInstruction* i = Parameter(1, Shape::Scalar(S32));
    HloInstruction* w = Parameter(2, Shape::Scalar(F32));
    HloInstruction* j = Parameter(3, Shape::Scalar(S32));
    HloInstruction* keep = AddCompare(*this, v, w, ComparisonDirection::kGe, ComparisonType::kFloat);
    HloInstruction* value = Add(HloOpcode::kSelect, Shape::Scalar(F32), {keep, v, w});
    HloInstruction* index = Add(HloOpcode::kSelect, Shape::Scalar(S32), {keep, i, j});
    Add(HloOpcode::kTuple, Shape::Tuple({Shape::Scalar(F32), Shape::Scalar(S32)}), {value, index});
  }
};

Literal Floats(absl::Span<const int64_t> dimensions, std::vector<float> values) {
  return Literal::FromValues<float>(dimensions, values);
}
Literal Ints(absl::Span<const int64_t> dimensions, std::vector<int32_t> values) {
  return Literal::FromValues<int32_t>(dimensions, values);
}
template <typename T>
std::vector<T> Values(const Literal& literal) {
  return std::vector<T>(literal.span<T>().begin(), literal.span<T>().end());
}

std::vector<float> HalfValues(const Literal& literal) {
  std::vector<float> values;
  for (const half value : literal.span<half>()) values.push_back(static_cast<float>(value));
  return values;
}

// ---- reduce

SetAttributes Dimensions(DimensionVector dimensions) {
  return [dimensions](HloInstruction& i) { i.mutable_attributes<DimensionsAttributes>().dimensions = dimensions; };
}

Literal Reduce(std::vector<Literal> operands, const DimensionVector& dimensions, const Shape& shape,
               HloComputation& f) {
  absl::StatusOr<Literal> result =
      EvaluateOp(HloOpcode::kReduce, shape, std::move(operands), Dimensions(dimensions), {&f});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Literal();
}

std::vector<float> Iota(int64_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.f);
  return values;
}

TEST(Reduce, AddsAlongAnyDimensions) {
  Binary add(HloOpcode::kAdd, F32);
  const Literal x = Floats({2, 3, 2}, Iota(12));
  const auto sum = [&](const DimensionVector& dimensions, const Shape& shape) {
    return Values<float>(Reduce({x, Literal::Scalar<float>(100)}, dimensions, shape, add.computation()));
  };
  EXPECT_THAT(sum({0}, Shape::Array(F32, {3, 2})), ElementsAre(106, 108, 110, 112, 114, 116));
  EXPECT_THAT(sum({1}, Shape::Array(F32, {2, 2})), ElementsAre(106, 109, 124, 127));
  EXPECT_THAT(sum({2}, Shape::Array(F32, {2, 3})), ElementsAre(101, 105, 109, 113, 117, 121));
  EXPECT_THAT(sum({2, 0}, Shape::Array(F32, {3})), ElementsAre(114, 122, 130));
  EXPECT_THAT(sum({0, 1, 2}, Shape::Scalar(F32)), ElementsAre(166));
  EXPECT_THAT(sum({}, Shape::Array(F32, {2, 3, 2})).back(), 111);
}

TEST(Reduce, AccumulatesSumsInF64AndRoundsOnce) {
  Binary add(HloOpcode::kAdd, F32);
  EXPECT_THAT(Values<float>(Reduce({Floats({4}, {1e8, 1, -1e8, 1}), Literal::Scalar<float>(0)}, {0}, Shape::Scalar(F32),
                                   add.computation())),
              ElementsAre(2));
  // 2048 + 1 + 1 in f16 would stay at 2048.
  Binary add_half(HloOpcode::kAdd, F16);
  const std::vector<half> values = {half(2048.f), half(1.f), half(1.f)};
  const Literal sum = Reduce({Literal::FromValues<half>({3}, values), Literal::Scalar<half>(half(0.f))}, {0},
                             Shape::Scalar(F16), add_half.computation());
  EXPECT_EQ(static_cast<float>(*sum.data<half>()), 2050);
}

TEST(Reduce, WorksInTheFloatTypeOfItsReducer) {
  Binary add(HloOpcode::kAdd, F32);
  const std::vector<half> values = {half(2048.f), half(1.f), half(2.f), half(1.f)};
  const Literal x = Literal::FromValues<half>({2, 2}, values);
  const Literal wide = Reduce({x, Literal::Scalar<float>(0)}, {1}, Shape::Array(F32, {2}), add.computation());
  EXPECT_THAT(Values<float>(wide), ElementsAre(2049, 3));
  const Literal rounded = Reduce({x, Literal::Scalar<half>(half(3.f))}, {1}, Shape::Array(F16, {2}), add.computation());
  EXPECT_THAT(HalfValues(rounded), ElementsAre(2052, 6));
  // -2049 is rounded to even.
  Binary subtract(HloOpcode::kSubtract, F16);
  const Literal narrow =
      Reduce({Floats({2}, {2048, 1}), Literal::Scalar<float>(0)}, {0}, Shape::Scalar(F32), subtract.computation());
  EXPECT_THAT(Values<float>(narrow), ElementsAre(-2048));
}

TEST(Reduce, KeepsTheSignOfASumOfNegativeZeros) {
  Binary add(HloOpcode::kAdd, F32);
  const Literal sum = Reduce({Floats({9}, std::vector<float>(9, -0.f)), Literal::Scalar<float>(-0.f)}, {0},
                             Shape::Scalar(F32), add.computation());
  EXPECT_TRUE(std::signbit(*sum.data<float>()));
}

TEST(Reduce, GivesTheSameForKnownAndForDisguisedReducers) {
  const std::vector<HloOpcode> ops = {HloOpcode::kMultiply, HloOpcode::kMaximum, HloOpcode::kMinimum};
  std::vector<float> values;
  for (int i = 0; i < 300 * 7; ++i) values.push_back(1 + static_cast<float>(i * 37 % 101 - 50) / 1000);
  for (HloOpcode op : ops) {
    Binary known(op, F32);
    Disguised disguised(op, F32);
    for (const DimensionVector& dimensions : {DimensionVector{0}, DimensionVector{1}, DimensionVector{0, 1}}) {
      Shape shape = dimensions.size() == 2 ? Shape::Scalar(F32) : Shape::Array(F32, {dimensions[0] == 0 ? 7 : 300});
      const std::vector<Literal> operands = {Floats({300, 7}, values), Literal::Scalar<float>(1)};
      EXPECT_TRUE(Reduce(operands, dimensions, shape, known.computation())
                      .BitwiseEquals(Reduce(operands, dimensions, shape, disguised.computation())));
    }
  }
}

TEST(Reduce, TakesInfinitiesOfBothSignsToNan) {
  Binary add(HloOpcode::kAdd, F64);
  std::vector<double> values(40, 1.0);
  values[3] = std::numeric_limits<double>::infinity();
  values[20] = -values[3];
  const Literal sum = Reduce({Literal::FromValues<double>({40}, values), Literal::Scalar<double>(0)}, {0},
                             Shape::Scalar(F64), add.computation());
  EXPECT_TRUE(std::isnan(*sum.data<double>()));
}

TEST(Reduce, LetsTheFirstNanWinAndOrdersZeros) {
  Binary maximum(HloOpcode::kMaximum, F32);
  const auto max = [&](std::vector<float> values) {
    const int64_t n = static_cast<int64_t>(values.size());
    return *Reduce({Floats({n}, std::move(values)), Literal::Scalar<float>(-kInf)}, {0}, Shape::Scalar(F32),
                   maximum.computation())
                .data<float>();
  };
  EXPECT_TRUE(std::isnan(max({1, kNan, kInf})));
  EXPECT_TRUE(std::signbit(max({1, 2, 3, 4, 5, 6, 7, 8, 9, -kNan, kNan})));
  EXPECT_FALSE(std::signbit(max({-0.f, 0.f, -0.f})));
  EXPECT_EQ(max({}), -kInf);
}

TEST(Reduce, WrapsIntegersAndSubByteTypes) {
  Binary add(HloOpcode::kAdd, S8);
  EXPECT_EQ(*Reduce({Literal::Vector<int8_t>({100, 100}), Literal::Scalar<int8_t>(0)}, {0}, Shape::Scalar(S8),
                    add.computation())
                 .data<int8_t>(),
            -56);
  Binary add4(HloOpcode::kAdd, S4);
  Literal nibbles = Literal::Vector<int8_t>({7, 2});
  nibbles.ResetShape(Shape::Array(S4, {2}));
  Literal zero = Literal::Scalar<int8_t>(0);
  zero.ResetShape(Shape::Scalar(S4));
  EXPECT_EQ(*Reduce({nibbles, zero}, {0}, Shape::Scalar(S4), add4.computation()).data<int8_t>(), -7);
  Binary add_pred(HloOpcode::kAdd, PRED);
  EXPECT_TRUE(*Reduce({Literal::Vector<bool>({true, true}), Literal::Scalar<bool>(false)}, {0}, Shape::Scalar(PRED),
                      add_pred.computation())
                   .data<bool>());
}

TEST(Reduce, FoldsSeveralArraysTogether) {
  ArgMax f;
  const Literal result = Reduce({Floats({2, 3}, {1, 5, 5, 9, 2, 3}), Ints({2, 3}, {0, 1, 2, 0, 1, 2}),
                                 Literal::Scalar<float>(-kInf), Literal::Scalar<int32_t>(-1)},
                                {1}, Shape::Tuple({Shape::Array(F32, {2}), Shape::Array(S32, {2})}), f.computation());
  EXPECT_THAT(Values<float>(result.element(0)), ElementsAre(5, 9));
  EXPECT_THAT(Values<int32_t>(result.element(1)), ElementsAre(1, 0));
}

TEST(Reduce, SkipsElementsPastADynamicSize) {
  Binary add(HloOpcode::kAdd, S32);
  Literal x = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  x.SetDynamicSize(1, 2);
  const auto sum = [&](const DimensionVector& dimensions, const Shape& shape) {
    return Reduce({x, Literal::Scalar<int32_t>(0)}, dimensions, shape, add.computation());
  };
  EXPECT_THAT(Values<int32_t>(sum({1}, Shape::Array(S32, {2}))), ElementsAre(3, 9));
  EXPECT_THAT(Values<int32_t>(sum({0, 1}, Shape::Scalar(S32))), ElementsAre(12));
  const Literal kept = sum({0}, Shape::Array(S32, {3}));
  EXPECT_THAT(Values<int32_t>(kept), ElementsAre(5, 7, 0));
  EXPECT_EQ(kept.dynamic_size(0), 2);
}

TEST(Reduce, OfNothingIsInit) {
  Binary add(HloOpcode::kAdd, F32);
  EXPECT_THAT(Values<float>(Reduce({Floats({2, 0}, {}), Literal::Scalar<float>(3)}, {1}, Shape::Array(F32, {2}),
                                   add.computation())),
              ElementsAre(3, 3));
}

// Rows longer than a piece are cut, whatever the number of threads: the sum of exact values does not notice.
TEST(Reduce, AddsLongRowsInPieces) {
  Binary add(HloOpcode::kAdd, F32);
  const int64_t n = (1 << 17) + 3;
  const Literal sum = Reduce({Floats({n}, std::vector<float>(n, 1)), Literal::Scalar<float>(0)}, {0},
                             Shape::Scalar(F32), add.computation());
  EXPECT_EQ(*sum.data<float>(), n);
}

std::string ReduceViolations(const std::vector<Shape>& operands, const DimensionVector& dimensions, const Shape& shape,
                             HloComputation& f) {
  return ViolationsOf(HloOpcode::kReduce, shape, operands, Dimensions(dimensions), {&f});
}

TEST(Reduce, RefusesWrongShapes) {
  Binary add(HloOpcode::kAdd, F32);
  const Shape x = Shape::Array(F32, {2, 3});
  const Shape init = Shape::Scalar(F32);
  EXPECT_EQ(ReduceViolations({x, init}, {1}, Shape::Array(F32, {2}), add.computation()), "");
  EXPECT_EQ(ReduceViolations({x, init}, {2}, Shape::Array(F32, {2}), add.computation()),
            "dimension to reduce is out of range: 2 of f32[2,3], which has dimensions 0 to 1");
  EXPECT_EQ(ReduceViolations({x, init}, {1, 1}, Shape::Array(F32, {2}), add.computation()),
            "dimension 1 to reduce is given twice");
  EXPECT_EQ(ReduceViolations({x, init}, {1}, Shape::Array(F32, {3}), add.computation()),
            "shape is f32[3], expected f32[2]");
  EXPECT_EQ(ReduceViolations({x, Shape::Array(F32, {1})}, {1}, Shape::Array(F32, {2}), add.computation()),
            "the initial value (operand 1) of operand 0 must be f32[], got f32[1]");
  EXPECT_EQ(ReduceViolations({x, Shape::Scalar(S32)}, {1}, Shape::Array(F32, {2}), add.computation()),
            "the initial value (operand 1) of operand 0 must be f32[], got s32[]");
  EXPECT_EQ(ReduceViolations({x, x, init}, {1}, Shape::Array(F32, {2}), add.computation()),
            "expected arrays followed by as many initial values, so an even number of operands, got 3");
  EXPECT_EQ(ReduceViolations({Shape::Token(), init}, {1}, Shape::Array(F32, {2}), add.computation()),
            "operand 0 must be an array, got token[]");
  EXPECT_EQ(ReduceViolations({x, Shape::Array(S32, {3, 2}), init, Shape::Scalar(S32)}, {1}, x, add.computation()),
            "operands must have equal dimensions: operand 0 is f32[2,3], operand 1 is s32[3,2]");
}

TEST(Reduce, WarnsOfTypesThatAreNotItsReducers) {
  Binary add(HloOpcode::kAdd, F32);
  const Shape x = Shape::Array(F16, {2, 3});
  EXPECT_EQ(ReduceViolations({x, Shape::Scalar(F32)}, {1}, Shape::Array(BF16, {2}), add.computation()),
            "warning: to_apply f works in f32, but parameter.0 is f16[2,3], parameter.1 is f32[] and the result is of "
            "bf16; they are converted, and the result is rounded once");
  EXPECT_EQ(ReduceViolations({x, Shape::Scalar(S32)}, {1}, Shape::Array(F32, {2}), add.computation()),
            "the initial value (operand 1) of operand 0 must be f32[], got s32[]");
}

TEST(Reduce, RefusesReducersOfAnotherSignature) {
  Binary add(HloOpcode::kAdd, S32);
  EXPECT_EQ(ReduceViolations({Shape::Array(F32, {2}), Shape::Scalar(F32)}, {0}, Shape::Scalar(F32), add.computation()),
            "to_apply f must be (f32[], f32[]) -> f32[], got (s32[], s32[]) -> s32[]");
  TestComputation unary("g");
  unary.Add(HloOpcode::kNegate, Shape::Scalar(F32), {unary.Parameter(0, Shape::Scalar(F32))});
  EXPECT_EQ(
      ReduceViolations({Shape::Array(F32, {2}), Shape::Scalar(F32)}, {0}, Shape::Scalar(F32), unary.computation()),
      "to_apply g must be (f32[], f32[]) -> f32[], got (f32[]) -> f32[]");
}

// ---- reduce-window

WindowDimension Size(int64_t size) {
  WindowDimension w;
  w.size = size;
  return w;
}
WindowDimension Padded(int64_t size, int64_t low, int64_t high) {
  WindowDimension w = Size(size);
  w.padding_low = low;
  w.padding_high = high;
  return w;
}

SetAttributes InWindow(std::vector<WindowDimension> dimensions) {
  return [dimensions](HloInstruction& i) {
    i.mutable_attributes<WindowAttributes>().window.dimensions.assign(dimensions.begin(), dimensions.end());
  };
}

Literal ReduceWindow(std::vector<Literal> operands, const std::vector<WindowDimension>& window, HloComputation& f) {
  std::vector<Shape> shapes;
  for (const Literal& operand : operands) shapes.push_back(operand.shape());
  const absl::StatusOr<Shape> shape = InferredShapeOf(HloOpcode::kReduceWindow, shapes, InWindow(window), {&f});
  EXPECT_TRUE(shape.ok()) << shape.status();
  absl::StatusOr<Literal> result =
      EvaluateOp(HloOpcode::kReduceWindow, *shape, std::move(operands), InWindow(window), {&f});
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(ReduceWindow, AppliesStridePaddingAndDilations) {
  Binary add(HloOpcode::kAdd, S32);
  const auto sum = [&](std::vector<int32_t> values, const WindowDimension& w) {
    const int64_t n = static_cast<int64_t>(values.size());
    return Values<int32_t>(
        ReduceWindow({Ints({n}, std::move(values)), Literal::Scalar<int32_t>(0)}, {w}, add.computation()));
  };
  EXPECT_THAT(sum({1, 2, 4, 8}, Size(2)), ElementsAre(3, 6, 12));
  EXPECT_THAT(sum({1, 2, 4, 8}, Padded(3, 1, 2)), ElementsAre(3, 7, 14, 12, 8));
  EXPECT_THAT(sum({1, 2, 4, 8}, Padded(2, -1, 0)), ElementsAre(6, 12));
  WindowDimension w = Size(2);
  w.stride = 2;
  EXPECT_THAT(sum({1, 2, 4, 8, 16}, w), ElementsAre(3, 12));
  w = Size(2);
  w.window_dilation = 3;
  EXPECT_THAT(sum({1, 2, 4, 8, 16}, w), ElementsAre(9, 18));
  w = Size(2);
  w.base_dilation = 3;  // 1 . . 2 . . 4
  EXPECT_THAT(sum({1, 2, 4}, w), ElementsAre(1, 0, 2, 2, 0, 4));
  w = Size(3);
  w.base_dilation = 2;  // 1 . 2 . 4 . 8 . 16, window positions three apart
  w.window_dilation = 3;
  EXPECT_THAT(sum({1, 2, 4, 8, 16}, w), ElementsAre(1 + 8, 4, 2 + 16));
}

// The same by the definition, one element at a time.
int64_t NaiveCount(const WindowDimension& w, int64_t n, int64_t o) {
  int64_t count = 0;
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t at = o * w.stride + k * w.window_dilation - w.padding_low;
    count += at >= 0 && at % w.base_dilation == 0 && at / w.base_dilation < n;
  }
  return count;
}

TEST(ReduceWindow, CountsElementsAsTheDefinitionDoes) {
  Binary add(HloOpcode::kAdd, S32);
  for (int64_t code = 0; code < 3 * 2 * 3 * 3 * 3 * 3 * 3; ++code) {
    int64_t rest = code;
    const auto digit = [&](int64_t base) { return std::exchange(rest, rest / base) % base; };
    WindowDimension w = Size(1 + digit(3));
    w.stride = 1 + digit(2);
    w.padding_low = digit(3) * 2 - 2;
    w.padding_high = digit(3) * 2 - 2;
    w.base_dilation = 1 + digit(3);
    w.window_dilation = 1 + digit(3);
    const int64_t n = 2 * digit(3);
    const Literal counts =
        ReduceWindow({Ints({n}, std::vector<int32_t>(n, 1)), Literal::Scalar<int32_t>(0)}, {w}, add.computation());
    for (int64_t o = 0; o < counts.element_count(); ++o) {
      ASSERT_EQ(counts.data<int32_t>()[o], NaiveCount(w, n, o)) << "code " << code << " output " << o;
    }
  }
}

TEST(ReduceWindow, GoesRowMajorThroughSeveralDimensions) {
  // f(a, x) = a * 10 + x writes down the order.
  TestComputation f("f");
  HloInstruction* a = f.Parameter(0, Shape::Scalar(S32));
  HloInstruction* x = f.Parameter(1, Shape::Scalar(S32));
  HloInstruction* shifted = f.Add(HloOpcode::kMultiply, Shape::Scalar(S32), {a, f.ConstantScalar<int32_t>(10)});
  f.Add(HloOpcode::kAdd, Shape::Scalar(S32), {shifted, x});
  EXPECT_THAT(Values<int32_t>(ReduceWindow({Ints({2, 3}, {1, 2, 3, 4, 5, 6}), Literal::Scalar<int32_t>(0)},
                                           {Padded(2, 0, 1), Size(2)}, f.computation())),
              ElementsAre(1245, 2356, 45, 56));
}

TEST(ReduceWindow, CumulatesForwardAndBackward) {
  Binary add(HloOpcode::kAdd, F32);
  Disguised disguised(HloOpcode::kAdd, F32);
  for (HloComputation* f : {&add.computation(), &disguised.computation()}) {
    const std::vector<Literal> rows = {Floats({2, 3}, {1, 2, 4, 8, 16, 32}), Literal::Scalar<float>(0)};
    EXPECT_THAT(Values<float>(ReduceWindow(rows, {Size(1), Padded(3, 2, 0)}, *f)), ElementsAre(1, 3, 7, 8, 24, 56));
    EXPECT_THAT(Values<float>(ReduceWindow(rows, {Size(1), Padded(3, 0, 2)}, *f)), ElementsAre(7, 6, 4, 56, 48, 32));
    EXPECT_THAT(Values<float>(ReduceWindow(rows, {Padded(2, 1, 0), Size(1)}, *f)), ElementsAre(1, 2, 4, 9, 18, 36));
    // The padding of the other dimension holds nothing.
    EXPECT_THAT(Values<float>(ReduceWindow(rows, {Padded(2, 1, 0), Padded(1, 1, 0)}, *f)),
                ElementsAre(0, 1, 2, 4, 0, 9, 18, 36));
  }
}

TEST(ReduceWindow, OfALongCumulativeSumIsLinear) {
  Binary add(HloOpcode::kAdd, F32);
  const int64_t n = 1 << 20;
  const Literal sums = ReduceWindow({Floats({n}, std::vector<float>(n, 1)), Literal::Scalar<float>(0)},
                                    {Padded(n, n - 1, 0)}, add.computation());
  EXPECT_EQ(sums.data<float>()[n - 1], n);
}

TEST(ReduceWindow, FoldsSeveralArraysTogether) {
  ArgMax f;
  const Literal result = ReduceWindow(
      {Floats({4}, {1, 5, 9, 2}), Ints({4}, {0, 1, 2, 3}), Literal::Scalar<float>(-kInf), Literal::Scalar<int32_t>(-1)},
      {Padded(2, 1, 1)}, f.computation());
  EXPECT_THAT(Values<float>(result.element(0)), ElementsAre(1, 5, 9, 9, 2));
  EXPECT_THAT(Values<int32_t>(result.element(1)), ElementsAre(0, 1, 2, 2, 3));
}

TEST(ReduceWindow, MayAccumulateInAnotherFloatType) {
  Binary add(HloOpcode::kAdd, F32);
  const std::vector<half> values = {half(2048.f), half(1.f)};
  const Literal sum =
      ReduceWindow({Literal::FromValues<half>({2}, values), Literal::Scalar<float>(0)}, {Size(2)}, add.computation());
  EXPECT_THAT(Values<float>(sum), ElementsAre(2049));
  const absl::StatusOr<Literal> rounded =
      EvaluateOp(HloOpcode::kReduceWindow, Shape::Array(F16, {1}),
                 {Literal::FromValues<half>({2}, {half(2048.f), half(1.f)}), Literal::Scalar<float>(2)},
                 InWindow({Size(2)}), {&add.computation()});
  ASSERT_TRUE(rounded.ok()) << rounded.status();
  EXPECT_THAT(HalfValues(*rounded), ElementsAre(2052));
}

TEST(ReduceWindow, HonoursDynamicSizes) {
  Binary add(HloOpcode::kAdd, S32);
  Literal x = Ints({4}, {1, 2, 4, 8});
  x.SetDynamicSize(0, 3);
  const Literal sums = ReduceWindow({x, Literal::Scalar<int32_t>(0)}, {Size(2)}, add.computation());
  EXPECT_EQ(sums.dynamic_size(0), 2);
  EXPECT_THAT(Values<int32_t>(sums), ElementsAre(3, 6, 0));
}

std::string ReduceWindowViolations(const Shape& operand, const std::vector<WindowDimension>& window,
                                   const Shape& shape) {
  Binary add(HloOpcode::kAdd, F32);
  return ViolationsOf(HloOpcode::kReduceWindow, shape, {operand, Shape::Scalar(F32)}, InWindow(window),
                      {&add.computation()});
}

TEST(ReduceWindow, RefusesWrongWindows) {
  const Shape x = Shape::Array(F32, {4});
  EXPECT_EQ(ReduceWindowViolations(x, {Size(2)}, Shape::Array(F32, {3})), "");
  EXPECT_EQ(ReduceWindowViolations(x, {Size(2)}, x), "shape is f32[4], expected f32[3]");
  EXPECT_EQ(ReduceWindowViolations(Shape::Array(F32, {4, 4}), {Size(2)}, x),
            "the window must have one dimension for each of the 2 of operand f32[4,4], got 1");
  EXPECT_EQ(ReduceWindowViolations(x, {Size(0)}, x), "dimension 0: the window's size must be at least 1, got 0");
  WindowDimension w = Size(2);
  w.stride = 0;
  EXPECT_EQ(ReduceWindowViolations(x, {w}, x), "dimension 0: the window's stride must be at least 1, got 0");
  w = Size(2);
  w.base_dilation = 0;
  EXPECT_EQ(ReduceWindowViolations(x, {w}, x),
            "dimension 0: the window's base dilation (lhs_dilate) must be at least 1, got 0");
  w = Size(2);
  w.window_dilation = -1;
  EXPECT_EQ(ReduceWindowViolations(x, {w}, x),
            "dimension 0: the window's window dilation (rhs_dilate) must be at least 1, got -1");
  w = Size(2);
  w.window_reversal = true;
  EXPECT_EQ(
      ReduceWindowViolations(x, {w}, Shape::Array(F32, {3})),
      "warning: the window must not be reversed (rhs_reversal), but dimension 0 is; what is reduced has no order, "
      "so that this changes nothing");
}

TEST(ReduceWindow, RefusesWindowsBeyond64Bits) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Shape x = Shape::Array(F32, {4});
  WindowDimension w = Size(3);
  w.window_dilation = kMax;
  EXPECT_EQ(ReduceWindowViolations(x, {w}, Shape::Array(F32, {1})),
            "dimension 0: a window of size=3 rhs_dilate=9223372036854775807 over 4 elements spans more positions than "
            "63 bits can count");
  w = Size(2);
  w.base_dilation = kMax;
  EXPECT_FALSE(WindowOutputSize(w, 4).ok());
  EXPECT_FALSE(WindowOutputSize(Padded(1, kMax, kMax), 4).ok());
  EXPECT_FALSE(WindowOutputSize(Padded(1, -kMax - 1, kMax), 4).ok());
  EXPECT_FALSE(WindowOutputSize(Padded(kMax, -kMax, 0), 4).ok());
  EXPECT_EQ(*WindowOutputSize(Padded(kMax, 0, 0), 4), 0);
}

TEST(ReduceWindow, HasNoTroubleWithHostileWindowsThatFit) {
  Binary add(HloOpcode::kAdd, S32);
  constexpr int64_t kHuge = int64_t{1} << 61;
  WindowDimension w = Padded(3, 1, 2 * kHuge - 4);
  w.window_dilation = kHuge;  // positions 0, 2^61, 2^62, which begins in the padding
  EXPECT_THAT(
      Values<int32_t>(ReduceWindow({Ints({3}, {1, 2, 4}), Literal::Scalar<int32_t>(5)}, {w}, add.computation())),
      ElementsAre());
  w.padding_high = 2 * kHuge;
  EXPECT_THAT(
      Values<int32_t>(ReduceWindow({Ints({3}, {1, 2, 4}), Literal::Scalar<int32_t>(5)}, {w}, add.computation())),
      ElementsAre(5, 6, 7, 9));
}

// ---- select-and-scatter

Literal SelectAndScatter(const Literal& x, const Literal& source, const Literal& init,
                         const std::vector<WindowDimension>& window, HloComputation& select, HloComputation& scatter) {
  absl::StatusOr<Literal> result =
      EvaluateOp(HloOpcode::kSelectAndScatter, x.shape(), {x, source, init}, InWindow(window), {&select, &scatter});
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(SelectAndScatter, GivesEachSourceToTheFirstGreatest) {
  Compare ge(F32, ComparisonDirection::kGe, ComparisonType::kFloat);
  Binary add(HloOpcode::kAdd, F32);
  WindowDimension w = Size(2);
  w.stride = 2;
  const Literal result = SelectAndScatter(Floats({2, 4}, {1, 1, 3, 4, 1, 0, 9, 2}), Floats({1, 2}, {10, 20}),
                                          Literal::Scalar<float>(1), {w, w}, ge.computation(), add.computation());
  EXPECT_THAT(Values<float>(result), ElementsAre(11, 1, 1, 1, 1, 1, 21, 1));
}

TEST(SelectAndScatter, SelectsInOrderIfTheWindowIsReversed) {
  Compare ge(F32, ComparisonDirection::kGe, ComparisonType::kFloat);
  Binary add(HloOpcode::kAdd, F32);
  WindowDimension w = Size(2);
  w.stride = 2;
  w.window_reversal = true;
  const Literal result = SelectAndScatter(Floats({4}, {1, 1, 2, 3}), Floats({2}, {10, 20}), Literal::Scalar<float>(0),
                                          {w}, ge.computation(), add.computation());
  EXPECT_THAT(Values<float>(result), ElementsAre(10, 0, 0, 20));
}

TEST(SelectAndScatter, AccumulatesOverlapsInOrderAndSkipsPadding) {
  Compare ge(S32, ComparisonDirection::kGe, ComparisonType::kSigned);
  // scatter(current, source) = current - source shows the order of the arguments.
  Binary subtract(HloOpcode::kSubtract, S32);
  WindowDimension w = Padded(2, 3, 1);  // outputs: two windows in the padding, then . 1, 1 7, 7 2, 2 .
  const Literal result = SelectAndScatter(Ints({3}, {1, 7, 2}), Ints({6}, {100, 200, 1, 2, 4, 8}),
                                          Literal::Scalar<int32_t>(0), {w}, ge.computation(), subtract.computation());
  EXPECT_THAT(Values<int32_t>(result), ElementsAre(-1, -6, -8));
}

TEST(SelectAndScatter, RefusesWrongShapes) {
  Compare ge(F32, ComparisonDirection::kGe, ComparisonType::kFloat);
  Binary add(HloOpcode::kAdd, F32);
  WindowDimension w = Size(2);
  w.stride = 2;
  const Shape x = Shape::Array(F32, {4});
  const Shape source = Shape::Array(F32, {2});
  const Shape init = Shape::Scalar(F32);
  const auto violations = [&](const Shape& source, const Shape& init, const WindowDimension& w, HloComputation& select,
                              HloComputation& scatter) {
    return ViolationsOf(HloOpcode::kSelectAndScatter, x, {x, source, init}, InWindow({w}), {&select, &scatter});
  };
  EXPECT_EQ(violations(source, init, w, ge.computation(), add.computation()), "");
  EXPECT_EQ(violations(Shape::Array(F32, {3}), init, w, ge.computation(), add.computation()),
            "source must have one element for each window over f32[4], so f32[2], got f32[3]");
  EXPECT_EQ(violations(source, Shape::Scalar(S32), w, ge.computation(), add.computation()),
            "the initial value must be f32[], got s32[]");
  EXPECT_EQ(violations(source, init, w, add.computation(), ge.computation()),
            "select f must be (f32[], f32[]) -> pred[], got (f32[], f32[]) -> f32[]\n"
            "scatter before must be (f32[], f32[]) -> f32[], got (f32[], f32[]) -> pred[]");
  WindowDimension dilated = Size(2);
  dilated.window_dilation = 2;
  EXPECT_EQ(violations(source, init, dilated, ge.computation(), add.computation()),
            "the window must not be dilated (lhs_dilate, rhs_dilate), but dimension 0 is");
  w.window_reversal = true;
  EXPECT_EQ(violations(source, init, w, ge.computation(), add.computation()),
            "warning: the window must not be reversed (rhs_reversal), but dimension 0 is; elements are selected in "
            "their order all the same");
}

// ---- map

TEST(Map, AppliesAFunctionOfSeveralElements) {
  Binary subtract(HloOpcode::kSubtract, S32);
  const absl::StatusOr<Literal> result =
      EvaluateOp(HloOpcode::kMap, Shape::Array(S32, {3}), {Ints({3}, {5, 6, 7}), Ints({3}, {1, 2, 4})}, nullptr,
                 {&subtract.computation()});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(Values<int32_t>(*result), ElementsAre(4, 4, 3));
}

TEST(Map, RefusesWrongFunctionsAndDimensions) {
  Binary add(HloOpcode::kAdd, F32);
  const Shape x = Shape::Array(F32, {2});
  const auto violations = [&](const Shape& shape, const std::vector<Shape>& operands, const DimensionVector& dimensions,
                              HloComputation& f) {
    return ViolationsOf(HloOpcode::kMap, shape, operands,
                        [&](HloInstruction& i) { i.mutable_attributes<MapAttributes>().dimensions = dimensions; },
                        {&f});
  };
  EXPECT_EQ(violations(x, {x, x}, {0}, add.computation()), "");
  EXPECT_EQ(violations(x, {x}, {0}, add.computation()),
            "to_apply f must be (f32[]) -> f32[], got (f32[], f32[]) -> f32[]");
  EXPECT_EQ(violations(x, {x, x}, {1}, add.computation()),
            "dimensions must be all those of operand f32[2] in order, got {1}");
  EXPECT_EQ(violations(Shape::Array(S32, {2}), {x, x}, {0}, add.computation()), "shape is s32[2], expected f32[2]");
  ArgMax pair;
  EXPECT_EQ(violations(x, {x, x}, {0}, pair.computation()), "to_apply f must return a scalar, got (f32[], s32[])");
}

// ---- scan

// (x, carry) -> (-(x + carry), x + carry)
struct ScanStep : TestComputation {
  explicit ScanStep(const Shape& slice) : TestComputation("step") {
    HloInstruction* x = Parameter(0, slice);
    HloInstruction* carry = Parameter(1, slice);
    HloInstruction* sum = Add(HloOpcode::kAdd, slice, {x, carry});
    HloInstruction* output = Add(HloOpcode::kNegate, slice, {sum});
    Add(HloOpcode::kTuple, Shape::Tuple({slice, slice}), {output, sum});
  }
};

SetAttributes ScanOver(int64_t dimension, int64_t num_carries, bool is_reverse = false) {
  return [=](HloInstruction& i) {
    ScanAttributes& attributes = i.mutable_attributes<ScanAttributes>();
    attributes.dimension = dimension;
    attributes.num_carries = num_carries;
    attributes.is_reverse = is_reverse;
  };
}

TEST(Scan, HandsCarriesOnInEitherDirection) {
  ScanStep step(Shape::Array(S32, {2}));
  const Shape shape = Shape::Tuple({Shape::Array(S32, {2, 3}), Shape::Array(S32, {2})});
  const auto scan = [&](bool is_reverse) {
    return *EvaluateOp(HloOpcode::kScan, shape, {Ints({2, 3}, {1, 2, 3, 10, 20, 30}), Ints({2}, {100, 0})},
                       ScanOver(1, 1, is_reverse), {&step.computation()});
  };
  EXPECT_THAT(Values<int32_t>(scan(false).element(0)), ElementsAre(-101, -103, -106, -10, -30, -60));
  EXPECT_THAT(Values<int32_t>(scan(false).element(1)), ElementsAre(106, 60));
  EXPECT_THAT(Values<int32_t>(scan(true).element(0)), ElementsAre(-106, -105, -103, -60, -50, -30));
}

TEST(Scan, RefusesWrongOperandsAndFunctions) {
  ScanStep step(Shape::Array(F32, {2}));
  const Shape x = Shape::Array(F32, {5, 2});
  const Shape c = Shape::Array(F32, {2});
  const Shape shape = Shape::Tuple({x, c});
  const auto violations = [&](const std::vector<Shape>& operands, const SetAttributes& attributes) {
    return ViolationsOf(HloOpcode::kScan, shape, operands, attributes, {&step.computation()});
  };
  EXPECT_EQ(violations({x, c}, ScanOver(0, 1)), "");
  EXPECT_EQ(violations({x, c}, ScanOver(2, 1)),
            "dimension to scan is out of range: 2 of f32[5,2], which has dimensions 0 to 1");
  EXPECT_EQ(violations({x, c}, ScanOver(0, 2)), "num_carries must leave at least one of the 2 operands to scan, got 2");
  EXPECT_EQ(violations({x, Shape::Array(F32, {3})}, ScanOver(0, 1)),
            "to_apply step must be (f32[2], f32[3]) -> (f32[2], f32[3]), got (f32[2], f32[2]) -> (f32[2], f32[2])");
  EXPECT_EQ(violations({x, Shape::Array(F32, {4, 2}), c}, ScanOver(0, 1)),
            "scanned operands must have equal sizes in dimension 0: operand 0 is f32[5,2], operand 1 is f32[4,2]");
}

// ---- sort

SetAttributes SortDimension(int64_t dimension) {
  return [=](HloInstruction& i) { i.mutable_attributes<SortAttributes>().dimension = dimension; };
}

Literal Sort(std::vector<Literal> operands, int64_t dimension, HloComputation& comparator) {
  std::vector<Shape> shapes;
  for (const Literal& operand : operands) shapes.push_back(operand.shape());
  const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  absl::StatusOr<Literal> result =
      EvaluateOp(HloOpcode::kSort, shape, std::move(operands), SortDimension(dimension), {&comparator});
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(Sort, SortsLinesOfAnyDimension) {
  Compare less(S32, ComparisonDirection::kLt, ComparisonType::kSigned);
  const Literal x = Ints({3, 2}, {3, -1, 1, 5, 2, 0});
  EXPECT_THAT(Values<int32_t>(Sort({x}, 0, less.computation())), ElementsAre(1, -1, 2, 0, 3, 5));
  EXPECT_THAT(Values<int32_t>(Sort({x}, 1, less.computation())), ElementsAre(-1, 3, 1, 5, 0, 2));
  Compare greater(S32, ComparisonDirection::kGt, ComparisonType::kSigned);
  EXPECT_THAT(Values<int32_t>(Sort({x}, 0, greater.computation())), ElementsAre(3, 5, 2, 0, 1, -1));
}

TEST(Sort, OrdersFloatsByTotalOrder) {
  Compare less(F32, ComparisonDirection::kLt, ComparisonType::kTotalOrder);
  const std::vector<float> sorted =
      Values<float>(Sort({Floats({7}, {kNan, 0.f, kInf, -0.f, -kInf, -kNan, 1})}, 0, less.computation()));
  EXPECT_TRUE(std::isnan(sorted[0]) && std::signbit(sorted[0]));
  EXPECT_TRUE(std::signbit(sorted[2]) && sorted[2] == 0);
  EXPECT_THAT(std::vector<float>(sorted.begin() + 1, sorted.begin() + 6), ElementsAre(-kInf, 0, 0, 1, kInf));
  EXPECT_TRUE(std::isnan(sorted[6]));
}

// before(a0, b0, a1, b1) = a0 < b0 or (a0 == b0 and a1 > b1), on (s32, f16)
struct Lexicographic : TestComputation {
  explicit Lexicographic(bool with_select) : TestComputation("before") {
    HloInstruction* a0 = Parameter(0, Shape::Scalar(S32));
    HloInstruction* b0 = Parameter(1, Shape::Scalar(S32));
    HloInstruction* a1 = Parameter(2, Shape::Scalar(F16));
    HloInstruction* b1 = Parameter(3, Shape::Scalar(F16));
    HloInstruction* less = AddCompare(*this, a0, b0, ComparisonDirection::kLt, ComparisonType::kSigned);
    HloInstruction* equal = AddCompare(*this, b0, a0, ComparisonDirection::kEq, ComparisonType::kSigned);
    HloInstruction* greater = AddCompare(*this, a1, b1, ComparisonDirection::kGt, ComparisonType::kFloat);
    if (with_select) {
      Add(HloOpcode::kSelect, Shape::Scalar(PRED), {equal, greater, less});
    } else {
      HloInstruction* both = Add(HloOpcode::kAnd, Shape::Scalar(PRED), {greater, equal});
      Add(HloOpcode::kOr, Shape::Scalar(PRED), {both, less});
    }
  }
};

TEST(Sort, SortsBySeveralKeys) {
  for (bool with_select : {false, true}) {
    Lexicographic before(with_select);
    const std::vector<half> second = {half(-0.f), half(3.f), half(0.f), half(4.f), half(2.f)};
    const Literal sorted =
        Sort({Ints({5}, {2, 1, 2, 2, 1}), Literal::FromValues<half>({5}, second)}, 0, before.computation());
    EXPECT_THAT(Values<int32_t>(sorted.element(0)), ElementsAre(1, 1, 2, 2, 2));
    std::vector<uint16_t> bits = Values<uint16_t>(sorted.element(1));
    EXPECT_THAT(bits,
                ElementsAre(half(3.f).bits(), half(2.f).bits(), half(4.f).bits(), half(-0.f).bits(), half(0.f).bits()));
  }
}

// Sorts positions by |x|, through a key that has to be computed.
TEST(Sort, SortsByAnExpressionStably) {
  TestComputation before("before");
  HloInstruction* a = before.Parameter(0, Shape::Scalar(S32));
  HloInstruction* b = before.Parameter(1, Shape::Scalar(S32));
  before.Parameter(2, Shape::Scalar(U8));
  before.Parameter(3, Shape::Scalar(U8));
  HloInstruction* x = before.Add(HloOpcode::kAbs, Shape::Scalar(S32), {a});
  HloInstruction* y = before.Add(HloOpcode::kAbs, Shape::Scalar(S32), {b});
  AddCompare(before, y, x, ComparisonDirection::kGt, ComparisonType::kSigned);
  const Literal sorted =
      Sort({Ints({5}, {-3, 2, 3, -2, 0}), Literal::Vector<uint8_t>({0, 1, 2, 3, 4})}, 0, before.computation());
  EXPECT_THAT(Values<int32_t>(sorted.element(0)), ElementsAre(0, 2, -2, -3, 3));
  EXPECT_THAT(Values<uint8_t>(sorted.element(1)), ElementsAre(4, 1, 3, 0, 2));
}

TEST(Sort, CallsComparatorsThatAreNoKeysAndStaysStable) {
  // a / 10 < b / 10 by way of an expression of both: a / 10 - b / 10 < 0.
  TestComputation before("before");
  HloInstruction* a = before.Parameter(0, Shape::Scalar(S32));
  HloInstruction* b = before.Parameter(1, Shape::Scalar(S32));
  HloInstruction* ten = before.ConstantScalar<int32_t>(10);
  HloInstruction* difference = before.Add(HloOpcode::kSubtract, Shape::Scalar(S32),
                                          {before.Add(HloOpcode::kDivide, Shape::Scalar(S32), {a, ten}),
                                           before.Add(HloOpcode::kDivide, Shape::Scalar(S32), {b, ten})});
  AddCompare(before, difference, before.ConstantScalar<int32_t>(0), ComparisonDirection::kLt, ComparisonType::kSigned);
  EXPECT_THAT(Values<int32_t>(Sort({Ints({7}, {35, 12, 31, 11, 5, 38, 10})}, 0, before.computation())),
              ElementsAre(5, 12, 11, 10, 35, 31, 38));
}

TEST(Sort, GivesAPermutationForAnInconsistentComparator) {
  Compare not_equal(S32, ComparisonDirection::kNe, ComparisonType::kSigned);
  std::vector<int32_t> values(257), sorted(257);
  for (int i = 0; i < 257; ++i) values[i] = i * 7 % 64;
  sorted = Values<int32_t>(Sort({Ints({257}, values)}, 0, not_equal.computation()));
  std::sort(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_THAT(sorted, ElementsAreArray(values));
}

TEST(Sort, LeavesElementsPastADynamicSizeWhereTheyAre) {
  Compare less(S32, ComparisonDirection::kLt, ComparisonType::kSigned);
  Literal x = Ints({4}, {3, 2, 1, 0});
  x.SetDynamicSize(0, 3);
  EXPECT_THAT(Values<int32_t>(Sort({x}, 0, less.computation())), ElementsAre(1, 2, 3, 0));
}

TEST(Sort, MayGiveATupleOfOne) {
  Compare less(S32, ComparisonDirection::kLt, ComparisonType::kSigned);
  const Literal x = Ints({3}, {3, 1, 2});
  const absl::StatusOr<Literal> sorted =
      EvaluateOp(HloOpcode::kSort, Shape::Tuple({x.shape()}), {x}, SortDimension(0), {&less.computation()});
  ASSERT_TRUE(sorted.ok()) << sorted.status();
  EXPECT_THAT(Values<int32_t>(sorted->element(0)), ElementsAre(1, 2, 3));
}

TEST(Sort, RefusesWrongComparatorsAndDimensions) {
  Compare less(F32, ComparisonDirection::kLt, ComparisonType::kFloat);
  const Shape x = Shape::Array(F32, {4});
  const auto violations = [&](const Shape& shape, const std::vector<Shape>& operands, int64_t dimension) {
    return ViolationsOf(HloOpcode::kSort, shape, operands, SortDimension(dimension), {&less.computation()});
  };
  EXPECT_EQ(violations(x, {x}, 0), "");
  EXPECT_EQ(violations(Shape::Tuple({x}), {x}, 0),
            "warning: the result for one array should be f32[4], not a tuple of it");
  EXPECT_EQ(violations(Shape::Tuple({x, x}), {x}, 0), "shape is (f32[4], f32[4]), expected f32[4]");
  EXPECT_EQ(violations(x, {x}, 1), "dimension to sort is out of range: 1 of f32[4], which has only dimension 0");
  EXPECT_EQ(violations(Shape::Scalar(F32), {Shape::Scalar(F32)}, 0),
            "dimension to sort is out of range: 0 of f32[], which has no dimensions");
  const Shape s = Shape::Array(S32, {4});
  EXPECT_EQ(violations(Shape::Tuple({x, s}), {x, s}, 0),
            "to_apply before must be (f32[], f32[], s32[], s32[]) -> pred[], got (f32[], f32[]) -> pred[]");
  EXPECT_EQ(violations(s, {s}, 0), "to_apply before must be (s32[], s32[]) -> pred[], got (f32[], f32[]) -> pred[]");
  const Shape longer = Shape::Array(F32, {5});
  EXPECT_EQ(violations(Shape::Tuple({x, longer}), {x, longer}, 0),
            "operands must have equal dimensions: operand 0 is f32[4], operand 1 is f32[5]\n"
            "to_apply before must be (f32[], f32[], f32[], f32[]) -> pred[], got (f32[], f32[]) -> pred[]");
}

// ---- topk

SetAttributes TopK(int64_t k, bool largest) {
  return [=](HloInstruction& i) {
    i.mutable_attributes<TopKAttributes>().k = k;
    i.mutable_attributes<TopKAttributes>().largest = largest;
  };
}

TEST(TopK, TakesTheBestOfEachLineAndTheLowerIndexOfTies) {
  const Literal x = Floats({2, 4}, {1, 3, 3, 2, -1, kNan, 5, -kInf});
  const Shape shape = Shape::Tuple({Shape::Array(F32, {2, 2}), Shape::Array(S32, {2, 2})});
  const Literal largest = *EvaluateOp(HloOpcode::kTopK, shape, {x}, TopK(2, true));
  EXPECT_THAT(Values<int32_t>(largest.element(1)), ElementsAre(1, 2, 1, 2));
  EXPECT_EQ(largest.element(0).data<float>()[3], 5);
  const Literal smallest = *EvaluateOp(HloOpcode::kTopK, shape, {x}, TopK(2, false));
  EXPECT_THAT(Values<float>(smallest.element(0)), ElementsAre(1, 2, -kInf, -1));
  EXPECT_THAT(Values<int32_t>(smallest.element(1)), ElementsAre(0, 3, 3, 0));
}

TEST(TopK, RefusesTooManyAndScalars) {
  const Shape x = Shape::Array(F32, {2, 4});
  const Shape shape = Shape::Tuple({Shape::Array(F32, {2, 5}), Shape::Array(S32, {2, 5})});
  EXPECT_EQ(ViolationsOf(HloOpcode::kTopK, shape, {x}, TopK(5, true)),
            "k must be at least 0 and at most the last dimension of f32[2,4], got 5");
  EXPECT_EQ(ViolationsOf(HloOpcode::kTopK, shape, {x}, TopK(-1, true)),
            "k must be at least 0 and at most the last dimension of f32[2,4], got -1");
  EXPECT_EQ(ViolationsOf(HloOpcode::kTopK, shape, {Shape::Scalar(F32)}, TopK(1, true)),
            "the operand must have at least one dimension, got f32[]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kTopK, Shape::Tuple({Shape::Array(C64, {1}), Shape::Array(S32, {1})}),
                         {Shape::Array(C64, {4})}, TopK(1, true)),
            "complex numbers have no order, so the operand cannot be c64[4]");
}

// ---- batch norms

SetAttributes BatchNorm(float epsilon, int64_t feature_index) {
  return [=](HloInstruction& i) {
    i.mutable_attributes<BatchNormAttributes>().epsilon = epsilon;
    i.mutable_attributes<BatchNormAttributes>().feature_index = feature_index;
  };
}

TEST(BatchNorm, NormalizesInTraining) {
  // Features: (0, 2, 4) with mean 2, variance 8/3, and (1, 1, 1).
  const Shape f = Shape::Array(F32, {2});
  const Literal x = Floats({3, 2}, {0, 1, 2, 1, 4, 1});
  const Literal result =
      *EvaluateOp(HloOpcode::kBatchNormTraining, Shape::Tuple({x.shape(), f, f}),
                  {x, Floats({2}, {3, 5}), Floats({2}, {10, 20})}, BatchNorm(1.f / 3, 1));  // variance + epsilon = 3
  const float step = static_cast<float>(2 / std::sqrt(3.0) * 3);
  EXPECT_THAT(Values<float>(result.element(0)),
              ElementsAre(testing::FloatEq(10 - step), 20, 10, 20, testing::FloatEq(10 + step), 20));
  EXPECT_THAT(Values<float>(result.element(1)), ElementsAre(2, 1));
  EXPECT_THAT(Values<float>(result.element(2)), ElementsAre(8.f / 3, 0));
}

TEST(BatchNorm, NormalizesInInferenceWithAnyFeatureIndex) {
  const Literal x = Floats({2, 2}, {0, 4, 1, 3});
  const Literal y = *EvaluateOp(HloOpcode::kBatchNormInference, x.shape(),
                                {x, Floats({2}, {2, 1}), Floats({2}, {0, 7}), Floats({2}, {2, 1}), Floats({2}, {3, 0})},
                                BatchNorm(1, 0));
  EXPECT_THAT(Values<float>(y), ElementsAre(-2, 2, 7, 9));
}

TEST(BatchNorm, FollowsItsFormulaInGradients) {
  // xc = (-1, 1), i = 1/2, sum dy = 4, sum dy xc = 2:
  // doffset = 4, dscale = 1, dx = 6 * 1/2 * (dy - 2 - xc * 1 / 4) = 3 * (-1 + 1/4, 1 - 1/4)
  const Literal x = Floats({2, 1}, {1, 3});
  const Shape f = Shape::Array(F32, {1});
  const Literal result =
      *EvaluateOp(HloOpcode::kBatchNormGrad, Shape::Tuple({x.shape(), f, f}),
                  {x, Floats({1}, {6}), Floats({1}, {2}), Floats({1}, {3}), Floats({2, 1}, {1, 3})}, BatchNorm(1, 1));
  EXPECT_THAT(Values<float>(result.element(0)), ElementsAre(-2.25, 2.25));
  EXPECT_THAT(Values<float>(result.element(1)), ElementsAre(1));
  EXPECT_THAT(Values<float>(result.element(2)), ElementsAre(4));
}

TEST(BatchNorm, RefusesWrongShapes) {
  const Shape x = Shape::Array(F32, {2, 3});
  const Shape f = Shape::Array(F32, {3});
  const Shape result = Shape::Tuple({x, f, f});
  EXPECT_EQ(ViolationsOf(HloOpcode::kBatchNormTraining, result, {x, f, f}, BatchNorm(0.1f, 1)), "");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBatchNormTraining, result, {x, f, f}, BatchNorm(0.1f, 4)),
            "feature_index is out of range: 4 of f32[2,3], which has dimensions 0 to 1");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBatchNormInference, x, {x, f, Shape::Array(F16, {3}), Shape::Array(F32, {2}), f},
                         BatchNorm(0.1f, 1)),
            "offset (operand 2) must be f32[3], as operand 0 is f32[2,3] with feature_index 1; got f16[3]\n"
            "mean (operand 3) must be f32[3], as operand 0 is f32[2,3] with feature_index 1; got f32[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBatchNormGrad, result, {x, f, f, f, f}, BatchNorm(0.1f, 1)),
            "grad_output (operand 4) must be f32[2,3], as operand 0 is f32[2,3] with feature_index 1; got f32[3]");
  const Shape s = Shape::Array(S32, {3});
  EXPECT_EQ(ViolationsOf(HloOpcode::kBatchNormTraining, Shape::Tuple({s, s, s}), {s, s, s}, BatchNorm(0.1f, 0)),
            "operand 0 must be of a float type, got s32[3]");
}

}  // namespace
}  // namespace xla
