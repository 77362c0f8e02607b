#include "xla_core/ops/scalar_function.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using Known = ScalarFunction::Known;

const Shape kF32 = Shape::Scalar(F32);
const Shape kS32 = Shape::Scalar(S32);
const Shape kPred = Shape::Scalar(PRED);

std::unique_ptr<ScalarFunction> Compile(TestComputation& computation) {
  auto function = ScalarFunction::Compile(computation.computation());
  EXPECT_TRUE(function.ok()) << function.status();
  return *std::move(function);
}

// opcode(parameter lhs, parameter rhs)
std::unique_ptr<ScalarFunction> CompileBinary(TestComputation& c, HloOpcode opcode, const Shape& shape, int lhs,
                                              int rhs) {
  HloInstruction* parameters[] = {c.Parameter(0, shape), c.Parameter(1, shape)};
  c.AddInferred(opcode, {parameters[lhs], parameters[rhs]});
  return Compile(c);
}

TEST(ScalarFunctionTest, AppliesOneOperationToLanes) {
  TestComputation c;
  const auto function = CompileBinary(c, HloOpcode::kSubtract, kF32, 0, 1);
  std::vector<float> x(1000), y = {1, 2, 3};
  std::iota(x.begin(), x.end(), 0.0f);
  TestEvalContext context;
  std::vector<float> result(1000);
  void* const out = result.data();
  ASSERT_TRUE(function->Apply(1000, {{x.data(), 4}, {y.data(), 0}}, {out}, context).ok());
  EXPECT_EQ(result[0], -1);
  EXPECT_EQ(result[999], 998);
}

TEST(ScalarFunctionTest, ReadsStridedInputsAndWritesInPlace) {
  TestComputation c;
  const auto function = CompileBinary(c, HloOpcode::kAdd, kF32, 0, 1);
  std::vector<float> accumulator(600, 1), matrix(1200);
  std::iota(matrix.begin(), matrix.end(), 0.0f);
  TestEvalContext context;
  void* const out = accumulator.data();
  ASSERT_TRUE(function->Apply(600, {{out, 4}, {matrix.data(), 8}}, {out}, context).ok());
  EXPECT_EQ(accumulator[0], 1);
  EXPECT_EQ(accumulator[599], 1199);
}

TEST(ScalarFunctionTest, RoundsNarrowFloatsAfterEachInstruction) {
  TestComputation c;
  const Shape bf16 = Shape::Scalar(BF16);
  HloInstruction* x = c.Parameter(0, bf16);
  HloInstruction* one = c.ConstantScalar(bfloat16(1.0f));
  HloInstruction* sum = c.AddInferred(HloOpcode::kAdd, {x, one});
  c.AddInferred(HloOpcode::kSubtract, {sum, one});
  const auto function = Compile(c);
  ASSERT_TRUE(function->is_compiled());
  const bfloat16 tiny(0.001f);  // vanishes in 1 + tiny
  bfloat16 result(5.0f);
  void* const out = &result;
  TestEvalContext context;
  ASSERT_TRUE(function->Apply(1, {{&tiny, 0}}, {out}, context).ok());
  EXPECT_EQ(static_cast<float>(result), 0);
}

TEST(ScalarFunctionTest, ExpandsCallsTuplesAndSelects) {
  // argmax: (value, index) x (value, index) -> (value, index)
  TestComputation greater("greater");
  greater.AddInferred(HloOpcode::kCompare, {greater.Parameter(0, kF32), greater.Parameter(1, kF32)});
  greater.computation().root()->mutable_attributes<CompareAttributes>().direction = ComparisonDirection::kGt;

  TestComputation c;
  HloInstruction* value[] = {c.Parameter(0, kF32), c.Parameter(2, kF32)};
  HloInstruction* index[] = {c.Parameter(1, kS32), c.Parameter(3, kS32)};
  HloInstruction* first = c.Add(HloOpcode::kCall, kPred, {value[0], value[1]}, {&greater.computation()});
  HloInstruction* best_value = c.AddInferred(HloOpcode::kSelect, {first, value[0], value[1]});
  HloInstruction* best_index = c.AddInferred(HloOpcode::kSelect, {first, index[0], index[1]});
  c.Add(HloOpcode::kTuple, Shape::Tuple({kF32, kS32}), {best_value, best_index});
  const auto function = Compile(c);
  ASSERT_TRUE(function->is_compiled());
  EXPECT_EQ(function->parameter_count(), 4);
  EXPECT_EQ(function->result_count(), 2);
  EXPECT_EQ(function->result_type(1), S32);

  const std::vector<float> x = {1, 5}, y = {2, 4};
  const std::vector<int32_t> i = {10, 11}, j = {20, 21};
  std::vector<float> value_out(2);
  std::vector<int32_t> index_out(2);
  TestEvalContext context;
  void* const out[] = {value_out.data(), index_out.data()};
  ASSERT_TRUE(function->Apply(2, {{x.data(), 4}, {i.data(), 4}, {y.data(), 4}, {j.data(), 4}}, out, context).ok());
  EXPECT_THAT(value_out, ElementsAre(2, 5));
  EXPECT_THAT(index_out, ElementsAre(20, 11));
}

TEST(ScalarFunctionTest, ExchangesItsParametersInPlace) {
  TestComputation c;
  const Shape state = Shape::Tuple({kF32, kF32});
  HloInstruction* parameter = c.Parameter(0, state);
  HloInstruction* leaves[2];
  for (int i = 0; i < 2; ++i) {
    leaves[i] = c.Add(HloOpcode::kGetTupleElement, kF32, {parameter});
    leaves[i]->mutable_attributes<GetTupleElementAttributes>().index = i;
  }
  c.Add(HloOpcode::kTuple, state, {leaves[1], leaves[0]});
  const auto function = Compile(c);
  float values[] = {1, 2};
  void* const out[] = {&values[0], &values[1]};
  TestEvalContext context;
  ASSERT_TRUE(function->Apply(1, {{out[0], 0}, {out[1], 0}}, out, context).ok());
  EXPECT_THAT(values, ElementsAre(2, 1));
}

TEST(ScalarFunctionTest, CallsWhatItCannotExpand) {
  // An array in the middle.
  TestComputation c;
  HloInstruction* x = c.Parameter(0, kF32);
  HloInstruction* negated = c.AddInferred(HloOpcode::kNegate, {x});
  HloInstruction* wide = c.Add(HloOpcode::kReshape, Shape::Array(F32, {1}), {negated});
  c.Add(HloOpcode::kReshape, kF32, {wide});
  const auto function = Compile(c);
  EXPECT_FALSE(function->is_compiled());
  EXPECT_EQ(function->known().kind, Known::Kind::kOther);
  const std::vector<float> values = {1, 2};
  std::vector<float> result(2);
  void* const out = result.data();
  TestEvalContext context;
  ASSERT_TRUE(function->Apply(2, {{values.data(), 4}}, {out}, context).ok());
  EXPECT_THAT(result, ElementsAre(-1, -2));
}

TEST(ScalarFunctionTest, RecognizesSingleOperations) {
  const auto known = [](HloOpcode opcode, int lhs, int rhs) {
    TestComputation c;
    return CompileBinary(c, opcode, kF32, lhs, rhs)->known();
  };
  EXPECT_EQ(known(HloOpcode::kAdd, 0, 1).kind, Known::Kind::kBinary);
  EXPECT_EQ(known(HloOpcode::kAdd, 1, 0).kind, Known::Kind::kBinary);
  EXPECT_EQ(known(HloOpcode::kMaximum, 0, 1).op, HloOpcode::kMaximum);
  EXPECT_EQ(known(HloOpcode::kSubtract, 0, 1).op, HloOpcode::kSubtract);
  EXPECT_EQ(known(HloOpcode::kSubtract, 1, 0).kind, Known::Kind::kOther);
  EXPECT_EQ(known(HloOpcode::kAdd, 0, 0).kind, Known::Kind::kOther);

  TestComputation overwrite;
  overwrite.Parameter(0, kF32);
  overwrite.Parameter(1, kF32);
  EXPECT_EQ(Compile(overwrite)->known().kind, Known::Kind::kSecond);
}

TEST(ScalarFunctionTest, RecognizesComparatorsOfSeveralArrays) {
  TestComputation c;
  HloInstruction* x = c.Parameter(0, kF32);
  HloInstruction* y = c.Parameter(1, kF32);
  c.Parameter(2, kS32);
  c.Parameter(3, kS32);
  HloInstruction* compare = c.AddInferred(HloOpcode::kCompare, {x, y});
  const auto function = Compile(c);
  EXPECT_EQ(function->known().op, HloOpcode::kCompare);
  EXPECT_EQ(function->known().compare, compare);
}

}  // namespace
}  // namespace xla
