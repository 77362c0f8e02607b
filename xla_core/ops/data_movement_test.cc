// Data movement: memory that is shared or written in place, and refusals that no HLO text reaches. The rest is in
// cases.
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// 0, 1, 2, ...
Literal Counting(std::vector<int64_t> dimensions) {
  Literal literal = *Literal::Allocate(Shape::Array(S32, dimensions));
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return literal;
}

Shape F32Array(std::vector<int64_t> dimensions) { return Shape::Array(F32, dimensions); }
Shape S32Array(std::vector<int64_t> dimensions) { return Shape::Array(S32, dimensions); }

TEST(Broadcast, SharesTheOperandIfOnlyDimensionsOfSizeOneAreNew) {
  const Literal operand = Counting({2, 3});
  const auto result = EvaluateOp(HloOpcode::kBroadcast, S32Array({2, 1, 3}), {operand}, [](HloInstruction& i) {
    i.mutable_attributes<BroadcastAttributes>().dimensions = {0, 2};
  });
  EXPECT_EQ(result->untyped_data(), operand.untyped_data());
}

TEST(Reshape, SharesTheOperand) {
  const Literal operand = Counting({2, 3});
  const auto result = EvaluateOp(HloOpcode::kReshape, S32Array({3, 2}), {operand});
  EXPECT_EQ(result->untyped_data(), operand.untyped_data());
}

// The verifier finds both before it asks the operation.
TEST(Reshape, RefusesSizesThatNoModuleHas) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({kLargest, 2}), {F32Array({6})}),
            "f32[9223372036854775807,2] has more elements than fit in 63 bits; make it smaller");
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({6}), {F32Array({Shape::kUnboundedSize})}),
            "operand 0 has the unbounded shape f32[?]; write a bound for each dimension, as in <=8");
}

TEST(DynamicUpdateSlice, WritesInPlaceIfItOwnsTheOperandAloneAndElseNot) {
  Literal operand = Counting({100});
  const void* memory = operand.untyped_data();
  const Literal kept = operand;
  const auto copied = EvaluateOp(HloOpcode::kDynamicUpdateSlice, S32Array({100}),
                                 {kept, Literal::Vector<int32_t>({8, 9}), Literal::Scalar<int32_t>(0)});
  EXPECT_NE(copied->untyped_data(), memory);
  EXPECT_EQ(kept.data<int32_t>()[0], 0);
  TestComputation c;
  auto* x = c.Parameter(0, S32Array({100}));
  auto* u = c.Parameter(1, S32Array({2}));
  auto* i = c.Parameter(2, S32Array({}));
  c.AddInferred(HloOpcode::kDynamicUpdateSlice, {x, u, i});
  TestEvalContext context;
  std::vector<Literal> arguments;
  arguments.push_back(Counting({100}));
  arguments.push_back(Literal::Vector<int32_t>({8, 9}));
  arguments.push_back(Literal::Scalar<int32_t>(0));
  const void* owned = arguments[0].untyped_data();
  const auto written = context.Call(c.computation(), std::move(arguments));
  EXPECT_EQ(written->untyped_data(), owned);
}

// HLO text cannot say this.
TEST(Pad, RefusesNegativeInteriorPadding) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kPad, F32Array({5}), {F32Array({3}), F32Array({})},
                         [](HloInstruction& i) { i.mutable_attributes<PadAttributes>().padding = {{0, 0, -1}}; }),
            "padding 0_0_-1 of dimension 0 of the operand f32[3]: interior padding must not be negative");
}

TEST(Iota, IsRefusedByTheMachineIfItIsTooLarge) {
  EXPECT_EQ(EvaluateOp(HloOpcode::kIota, Shape::Array(S64, {1000000000000000}), {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace xla
