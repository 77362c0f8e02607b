#include "passes/base/instruction_builder.h"

#include <limits>

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/base/built_module.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(InstructionBuilder, InfersShapes) {
  BuiltModule m;
  HloInstruction* const x = m.build.Parameter(0, Shape::Array(F32, {2, 3, 4}));
  EXPECT_EQ(m.build.Transpose(x, {2, 0, 1})->shape(), Shape::Array(F32, {4, 2, 3}));
  EXPECT_EQ(m.build.Slice(x, {0, 1, 1}, {2, 3, 4}, {1, 2, 2})->shape(), Shape::Array(F32, {2, 1, 2}));
  EXPECT_EQ(m.build.Reduce(x, m.build.Zero(F32), {0, 2}, HloOpcode::kAdd)->shape(), Shape::Array(F32, {3}));
  EXPECT_EQ(m.build.Concatenate({x, x}, 1)->shape(), Shape::Array(F32, {2, 6, 4}));
  EXPECT_EQ(m.build.Pad(x, m.build.Zero(F32), {{1, 0, 0}, {0, -1, 0}, {0, 0, 2}})->shape(),
            Shape::Array(F32, {3, 2, 10}));
  DotAttributes dot;
  dot.lhs_contracting_dims = {2};
  dot.rhs_contracting_dims = {2};
  dot.lhs_batch_dims = dot.rhs_batch_dims = {0};
  EXPECT_EQ(m.build.Dot(x, x, dot)->shape(), Shape::Array(F32, {2, 3, 3}));
  EXPECT_EQ(m.build.Compare(ComparisonDirection::kLt, x, x)->shape(), Shape::Array(PRED, {2, 3, 4}));
  EXPECT_TRUE(m.build.status().ok()) << m.build.status();
}

TEST(InstructionBuilder, TheFirstOperationThatIsNotAllowedIsTheError) {
  BuiltModule m;
  HloInstruction* const x = m.build.Parameter(0, Shape::Array(F32, {4}));
  HloInstruction* const sum = m.build.Add(x, m.build.One(F32));
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(m.build.status().code(), absl::StatusCode::kInternal) << "broadcasting is never implicit";
  const std::string first(m.build.status().message());
  EXPECT_THAT(first, HasSubstr("add(parameter, constant)"));
  EXPECT_NE(m.build.Concatenate({sum, m.build.One(S32)}, 3), nullptr);
  m.build.UpdateStatus(absl::NotFoundError("another"));
  EXPECT_EQ(m.build.status().message(), first);
}

TEST(InstructionBuilder, TakesOverTheErrorOfAnotherBuilder) {
  BuiltModule m;
  m.build.UpdateStatus(absl::OkStatus());
  EXPECT_TRUE(m.build.status().ok());
  m.build.UpdateStatus(absl::InternalError("of the body"));
  EXPECT_EQ(m.build.status(), absl::InternalError("of the body"));
}

TEST(InstructionBuilder, RoundsScalarsToTheirType) {
  BuiltModule m;
  EXPECT_THAT(m.ElementsOf<float>(m.build.Convert(m.build.Scalar(BF16, 257), F32)), ElementsAre(256)) << "ties to even";
  EXPECT_THAT(m.ElementsOf<float>(m.build.Convert(m.build.Scalar(BF16, 259), F32)), ElementsAre(260));
  EXPECT_THAT(m.ElementsOf<float>(m.build.ScalarFloat(F32, 0.1)), ElementsAre(0.1f));
  EXPECT_THAT(m.ElementsOf<float>(m.build.Convert(m.build.ScalarFloat(F16, 1e5), F32)),
              ElementsAre(std::numeric_limits<float>::infinity()));
  EXPECT_THAT(m.ElementsOf<int8_t>(m.build.Scalar(S8, -128)), ElementsAre(-128));
  EXPECT_NE(m.build.Scalar(S8, 128), nullptr);
  EXPECT_EQ(m.build.status().code(), absl::StatusCode::kInternal) << "128 is not a value of s8";
}

TEST(InstructionBuilder, GivesTheOperandWhereNothingChanges) {
  BuiltModule m;
  HloInstruction* const x = m.build.Parameter(0, Shape::Array(F32, {2, 3}));
  EXPECT_EQ(m.build.Convert(x, F32), x);
  EXPECT_EQ(m.build.Reshape(x, {2, 3}), x);
  EXPECT_NE(m.build.Reshape(x, {3, 2}), x);
  HloInstruction* const one = m.build.One(F32);
  EXPECT_EQ(m.build.BroadcastScalar(one, Shape::Scalar(F32)), one);
  EXPECT_EQ(m.build.Splat(Shape::Scalar(F32), 3)->opcode(), HloOpcode::kConstant);
}

TEST(InstructionBuilder, MovesElements) {
  BuiltModule m;
  HloInstruction* const x = m.build.Iota(Shape::Array(S32, {10}), 0);
  HloInstruction* const rows = m.build.Broadcast(m.build.SliceInDim(x, 0, 1, 3), {2, 3}, {0});
  const std::vector<Literal> values = m.Evaluate({
      m.build.SliceInDim(x, 0, 1, 8, 3),
      rows,
      m.build.Transpose(rows, {1, 0}),
      m.build.Reverse(m.build.SliceInDim(x, 0, 7, 10), {0}),
      m.build.Pad(m.build.SliceInDim(x, 0, 5, 8), m.build.Scalar(S32, -1), {{1, -1, 1}}),
      m.build.DynamicSlice(x, {m.build.Scalar(S32, 4)}, {2}),
      m.build.DynamicUpdateSlice(m.build.SliceInDim(x, 0, 0, 4), m.build.Splat(Shape::Array(S32, {2}), 9),
                                 {m.build.Scalar(S32, 1)}),
      m.build.Iota(Shape::Array(S32, {2, 2}), 0),
  });
  EXPECT_THAT(values[0].span<int32_t>(), ElementsAre(1, 4, 7));
  EXPECT_THAT(values[1].span<int32_t>(), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(values[2].span<int32_t>(), ElementsAre(1, 2, 1, 2, 1, 2));
  EXPECT_THAT(values[3].span<int32_t>(), ElementsAre(9, 8, 7));
  EXPECT_THAT(values[4].span<int32_t>(), ElementsAre(-1, 5, -1, 6, -1)) << "5 . 6 . 7 without the last";
  EXPECT_THAT(values[5].span<int32_t>(), ElementsAre(4, 5));
  EXPECT_THAT(values[6].span<int32_t>(), ElementsAre(0, 9, 9, 3));
  EXPECT_THAT(values[7].span<int32_t>(), ElementsAre(0, 0, 1, 1));
}

TEST(InstructionBuilder, ComparesAsIsUsualForTheType) {
  BuiltModule m;
  const auto less = [&](PrimitiveType type, int64_t x, int64_t y) {
    HloInstruction* const low = m.build.BitcastConvert(m.build.Scalar(S8, x), Shape::Scalar(type));
    HloInstruction* const high = m.build.BitcastConvert(m.build.Scalar(S8, y), Shape::Scalar(type));
    return m.build.Compare(ComparisonDirection::kLt, low, high);
  };
  EXPECT_THAT(m.ElementsOf<bool>(less(S8, -1, 1)), ElementsAre(true));
  EXPECT_THAT(m.ElementsOf<bool>(less(U8, -1, 1)), ElementsAre(false)) << "255 < 1";
  HloInstruction* const nan = m.build.ScalarFloat(F32, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(m.ElementsOf<bool>(m.build.Compare(ComparisonDirection::kEq, nan, nan)), ElementsAre(false));
  EXPECT_THAT(m.ElementsOf<bool>(m.build.CompareAs(ComparisonDirection::kEq, ComparisonType::kTotalOrder, nan, nan)),
              ElementsAre(true));
}

TEST(InstructionBuilder, ReducesOneArrayOrSeveral) {
  BuiltModule m;
  const ParsedModule functions(R"(HloModule m
two { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  sum = s32[] add(a, c) product = s32[] multiply(b, d) ROOT t = (s32[], s32[]) tuple(sum, product) }
ENTRY e { x = s32[4] parameter(0) z = s32[] constant(0)
  ROOT r = (s32[], s32[]) reduce(x, x, z, z), dimensions={0}, to_apply=two })");
  InstructionBuilder build(functions->entry());
  HloInstruction* const x = &functions.At("x");
  HloInstruction* const zero = &functions.At("z");
  EXPECT_TRUE(build.ReduceAll({x, x}, {zero, zero}, {0}, &functions.Computation("two"))->shape().IsTuple());
  HloComputation* const add = ScalarComputation(&*functions, HloOpcode::kAdd, S32);
  EXPECT_EQ(build.ReduceAll({x}, {zero}, {0}, add)->shape(), Shape::Scalar(S32));
  EXPECT_TRUE(build.status().ok()) << build.status();
}

TEST(InstructionBuilder, MakesTheSameOfOtherOperands) {
  const ParsedModule module(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[2,8] parameter(0) y = f32[5,8] parameter(1) z = f32[] constant(0)
  r = f32[2] reduce(x, z), dimensions={1}, to_apply=add
  ROOT c = f32[4,8] concatenate(x, x), dimensions={0} })");
  InstructionBuilder build(module->entry());
  HloInstruction* const y = &module.At("y");
  HloInstruction* const reduce = build.MakeLike(module.At("r"), {y, &module.At("z")});
  EXPECT_EQ(reduce->shape(), Shape::Array(F32, {5}));
  EXPECT_THAT(reduce->called_computations(), ElementsAre(&module.Computation("add")));
  EXPECT_THAT(reduce->attributes<DimensionsAttributes>().dimensions, ElementsAre(1));
  EXPECT_EQ(build.MakeLike(module.At("c"), {&module.At("x"), y, y})->shape(), Shape::Array(F32, {12, 8}));
  EXPECT_TRUE(build.status().ok()) << build.status();
}

TEST(InstructionBuilder, CarriesTheMetadataOfTheOrigin) {
  const ParsedModule module(R"(HloModule m
ENTRY e { ROOT x = f32[4] parameter(0), metadata={op_name="model/x"} })");
  InstructionBuilder build(module->entry(), &module.At("x"));
  EXPECT_EQ(build.Add(&module.At("x"), &module.At("x"))->annotations().metadata.op_name, "model/x");
  EXPECT_FALSE(InstructionBuilder(module->entry()).One(F32)->has_annotations());
}

TEST(ScalarComputation, IsTheOneThatIsThere) {
  const ParsedModule module(R"(HloModule m
swapped { a = f32[] parameter(1) b = f32[] parameter(0) ROOT s = f32[] subtract(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
twice { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] multiply(a, a) }
ENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x, x), to_apply=sum })");
  EXPECT_EQ(ScalarComputation(&*module, HloOpcode::kAdd, F32), &module.Computation("sum"));
  EXPECT_NE(ScalarComputation(&*module, HloOpcode::kSubtract, F32), &module.Computation("swapped"));
  EXPECT_NE(ScalarComputation(&*module, HloOpcode::kMultiply, F32), &module.Computation("twice"));
  HloComputation* const of_integers = ScalarComputation(&*module, HloOpcode::kAdd, S32);
  EXPECT_NE(of_integers, &module.Computation("sum"));
  EXPECT_EQ(of_integers->root()->shape(), Shape::Scalar(S32));
  EXPECT_EQ(ScalarComputation(&*module, HloOpcode::kAdd, S32), of_integers);
}

TEST(NewComputation, HasANameOfItsOwn) {
  BuiltModule m;
  HloComputation* const first = NewComputation(&*m, "body");
  HloComputation* const second = NewComputation(&*m, "body");
  EXPECT_EQ(first->name(), "body");
  EXPECT_NE(second->name(), "body");
  EXPECT_EQ(second->instruction_count(), 0);
}

}  // namespace
}  // namespace xla
