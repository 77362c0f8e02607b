// Reductions compared with others and with their definition on many inputs. Single values and refusals are in cases.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "xla_core/ops/sort_lines.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/ops/window_shape.h"

namespace xla {
namespace {

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

Literal Floats(absl::Span<const int64_t> dimensions, std::vector<float> values) {
  return Literal::FromValues<float>(dimensions, values);
}
Literal Ints(absl::Span<const int64_t> dimensions, std::vector<int32_t> values) {
  return Literal::FromValues<int32_t>(dimensions, values);
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

TEST(WindowOutputSize, RefusesWindowsBeyond64Bits) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  WindowDimension w = Size(2);
  w.base_dilation = kMax;
  EXPECT_FALSE(WindowOutputSize(w, 4).ok());
  EXPECT_FALSE(WindowOutputSize(Padded(1, kMax, kMax), 4).ok());
  EXPECT_FALSE(WindowOutputSize(Padded(1, -kMax - 1, kMax), 4).ok());
  EXPECT_FALSE(WindowOutputSize(Padded(kMax, -kMax, 0), 4).ok());
  EXPECT_EQ(*WindowOutputSize(Padded(kMax, 0, 0), 4), 0);
}

// ---- sort

// Lets so many looks at the limits pass.
class StoppingContext : public TestEvalContext {
 public:
  absl::Status CheckDeadline() override {
    return looks_++ < allowed_ ? absl::OkStatus() : absl::DeadlineExceededError("over");
  }
  void Allow(int allowed) {
    allowed_ = allowed;
    looks_ = 0;
  }
  int looks() const { return looks_; }

 private:
  int allowed_ = std::numeric_limits<int>::max();
  int looks_ = 0;
};

struct Less : TestComputation {
  explicit Less(PrimitiveType type) : TestComputation("before") {
    HloInstruction* x = Parameter(0, Shape::Scalar(type));
    HloInstruction* y = Parameter(1, Shape::Scalar(type));
    Add(HloOpcode::kCompare, Shape::Scalar(PRED), {x, y})->mutable_attributes<CompareAttributes>().direction =
        ComparisonDirection::kLt;
  }
};

// Longer than one run. Narrow keys share a word with their positions, wide ones do not.
template <typename T>
void SortLongLine(PrimitiveType type) {
  std::vector<T> values((1 << 20) + 7);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 2654435761 % 1000003);
  Less before(type);
  StoppingContext context;
  const auto sort = [&]() -> absl::StatusOr<std::vector<Literal>> {
    Literal line = Literal::FromValues<T>({static_cast<int64_t>(values.size())}, values);
    Literal* const operand = &line;
    const bool owned = false;
    OperandValues operands(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&owned, 1));
    return SortLines(before.computation(), 0, operands, context);
  };
  const absl::StatusOr<std::vector<Literal>> sorted = sort();
  ASSERT_TRUE(sorted.ok()) << sorted.status();
  std::vector<T> expected = values;
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), (*sorted)[0].data<T>()));
  const int looks = context.looks();
  EXPECT_GE(looks, 5);
  for (const int allowed : {0, looks / 2, looks - 1}) {
    context.Allow(allowed);
    EXPECT_EQ(sort().status(), absl::DeadlineExceededError("over"));
    EXPECT_EQ(context.looks(), allowed + 1);
  }
}

TEST(Sort, LooksAtLimitsWithinALongLine) {
  SortLongLine<int32_t>(S32);
  SortLongLine<int64_t>(S64);
}

}  // namespace
}  // namespace xla
