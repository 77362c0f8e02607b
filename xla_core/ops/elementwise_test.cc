// The interpreter's element values, against tables worked out by hand from hlo-opcodes.md section 1.
#include <cmath>
#include <complex>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

// A vector of any element type from its stored elements.
template <typename T>
Literal Stored(PrimitiveType type, std::vector<T> elements) {
  absl::StatusOr<Literal> literal = Literal::Allocate(Shape::Array(type, {static_cast<int64_t>(elements.size())}));
  std::copy(elements.begin(), elements.end(), literal->mutable_data<T>());
  return *std::move(literal);
}

template <typename T>
std::vector<T> ElementsOf(const absl::StatusOr<Literal>& literal) {
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return {};
  return std::vector<T>(literal->span<T>().begin(), literal->span<T>().end());
}

// Applies an operation to vectors of `type` stored as T, and returns the stored result of `result_type` as R.
template <typename R, typename T>
std::vector<R> Apply(HloOpcode opcode, PrimitiveType type, PrimitiveType result_type,
                     std::vector<std::vector<T>> operands, const SetAttributes& set_attributes = nullptr) {
  std::vector<Literal> literals;
  for (auto& operand : operands) literals.push_back(Stored<T>(type, std::move(operand)));
  const Shape shape = Shape::Array(result_type, literals[0].shape().dimensions());
  return ElementsOf<R>(EvaluateOp(opcode, shape, std::move(literals), set_attributes));
}

template <typename T>
std::vector<T> Int(HloOpcode opcode, PrimitiveType type, std::vector<std::vector<T>> operands) {
  return Apply<T>(opcode, type, type, std::move(operands));
}

std::vector<float> F(HloOpcode opcode, std::vector<std::vector<float>> operands) {
  return Apply<float>(opcode, F32, F32, std::move(operands));
}

TEST(ElementwiseTest, AddsFloats) { EXPECT_THAT(F(HloOpcode::kAdd, {{1, kInf, 1e-45f}, {2, -kInf, 1e-45f}})[0], 3); }

TEST(ElementwiseTest, IntegerDivisionHasNoTraps) {
  EXPECT_THAT(Int<int8_t>(HloOpcode::kDivide, S8, {{7, -7, 5, -128, 0}, {2, 2, 0, -1, 0}}),
              ElementsAre(3, -3, -1, -128, -1));
}

}  // namespace
}  // namespace xla
