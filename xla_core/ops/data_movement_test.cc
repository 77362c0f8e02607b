// Shape rules, values and refusals of the data movement ops on static shapes. Values are worked out by hand.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

template <typename T>
std::vector<T> ValuesOf(const absl::StatusOr<Literal>& literal) {
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return {};
  return std::vector<T>(literal->span<T>().begin(), literal->span<T>().end());
}

template <typename T>
Literal Array(std::vector<int64_t> dimensions, std::vector<T> values) {
  return Literal::FromValues<T>(dimensions, values);
}

// 0, 1, 2, ...
Literal Counting(std::vector<int64_t> dimensions) {
  Literal literal = *Literal::Allocate(Shape::Array(S32, dimensions));
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return literal;
}

Shape WithLayout(Shape shape, DimensionVector minor_to_major, int64_t element_size_in_bits = 0) {
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  layout.element_size_in_bits = element_size_in_bits;
  shape.set_layout(std::move(layout));
  return shape;
}

template <typename Attributes, typename Field, typename Value>
SetAttributes Set(Field Attributes::*field, Value value) {
  return [=](HloInstruction& instruction) { instruction.mutable_attributes<Attributes>().*field = value; };
}
SetAttributes Dimensions(DimensionVector d) { return Set(&DimensionsAttributes::dimensions, d); }
SetAttributes BroadcastTo(DimensionVector d) { return Set(&BroadcastAttributes::dimensions, d); }
SetAttributes Dimension(int64_t d) { return Set(&DimensionAttributes::dimension, d); }
SetAttributes Ranges(std::vector<SliceRange> ranges) {
  return [=](HloInstruction& instruction) {
    auto& to = instruction.mutable_attributes<SliceAttributes>().ranges;
    to.assign(ranges.begin(), ranges.end());
  };
}
SetAttributes Padding(PaddingConfig padding) { return Set(&PadAttributes::padding, padding); }
SetAttributes Sizes(DimensionVector sizes) { return Set(&DynamicSliceAttributes::slice_sizes, sizes); }
SetAttributes Along(int64_t d) { return Set(&IotaAttributes::iota_dimension, d); }

Shape F32Array(std::vector<int64_t> dimensions) { return Shape::Array(F32, dimensions); }
Shape S32Array(std::vector<int64_t> dimensions) { return Shape::Array(S32, dimensions); }

// ---- broadcast

TEST(Broadcast, RepeatsAlongTheOtherDimensions) {
  EXPECT_THAT(ValuesOf<int32_t>(
                  EvaluateOp(HloOpcode::kBroadcast, S32Array({2, 2, 3}), {Counting({2, 3})}, BroadcastTo({0, 2}))),
              ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
}
TEST(Broadcast, MayPermuteDimensions) {
  EXPECT_THAT(
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kBroadcast, S32Array({3, 2}), {Counting({2, 3})}, BroadcastTo({1, 0}))),
      ElementsAre(0, 3, 1, 4, 2, 5));
}
TEST(Broadcast, FillsWithAScalar) {
  EXPECT_THAT(ValuesOf<bool>(EvaluateOp(HloOpcode::kBroadcast, Shape::Array(PRED, {3}), {Literal::Scalar(true)})),
              ElementsAre(true, true, true));
}
TEST(Broadcast, SharesTheOperandIfOnlyDimensionsOfSizeOneAreNew) {
  const Literal operand = Counting({2, 3});
  const auto result = EvaluateOp(HloOpcode::kBroadcast, S32Array({2, 1, 3}), {operand}, BroadcastTo({0, 2}));
  EXPECT_EQ(result->untyped_data(), operand.untyped_data());
}
TEST(Broadcast, RefusesWrongDimensions) {
  const auto violations = [](const Shape& shape, DimensionVector dimensions) {
    return ViolationsOf(HloOpcode::kBroadcast, shape, {F32Array({2, 3})}, BroadcastTo(dimensions));
  };
  EXPECT_EQ(violations(F32Array({2, 3}), {0, 2}),
            "dimensions={0,2} names dimension 2, but the result f32[2,3] has rank 2; use 0 to 1");
  EXPECT_EQ(violations(F32Array({2, 3}), {0, 0}), "dimensions={0,0} names dimension 0 twice; each may occur once");
  EXPECT_EQ(violations(F32Array({2, 3, 4}), {0}),
            "dimensions={0} must give a result dimension for each of 2 dimensions of the operand f32[2,3]");
  EXPECT_EQ(violations(F32Array({4, 3}), {0, 1}),
            "operand dimension 0 of f32[2,3] becomes result dimension 0 of f32[4,3], so both must have one size, got 2 "
            "and 4; to stretch a dimension of size 1, reshape it away first");
  EXPECT_EQ(violations(S32Array({2, 3}), {0, 1}), "shape is s32[2,3], expected f32[2,3]");
}
TEST(Broadcast, InfersTheShapeOfAScalarOnly) {
  EXPECT_EQ(InferredShapeOf(HloOpcode::kBroadcast, {F32Array({})})->ToString(), "f32[]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kBroadcast, {F32Array({2})}, BroadcastTo({0})).status().message(),
            "the result shape of broadcast must be written");
}

// ---- reshape

TEST(Reshape, KeepsTheElementsInOrderAndShared) {
  const Literal operand = Counting({2, 3});
  const auto result = EvaluateOp(HloOpcode::kReshape, S32Array({3, 2}), {operand});
  EXPECT_THAT(ValuesOf<int32_t>(result), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(result->untyped_data(), operand.untyped_data());
  EXPECT_EQ(result->shape().ToString(), "s32[3,2]");
}
TEST(Reshape, RefusesAnotherCountOrType) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({5}), {F32Array({2, 3})}),
            "reshape keeps the number of elements: operand f32[2,3] has 6, result f32[5] has 5");
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kReshape, S32Array({6}), {F32Array({2, 3})}),
      "reshape keeps the element type: operand f32[2,3], result s32[6]; use convert or bitcast-convert to change it");
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({kLargest, 2}), {F32Array({6})}),
            "f32[9223372036854775807,2] has more elements than fit in 63 bits; make it smaller");
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kReshape, F32Array({6}), {F32Array({6})}, Set(&ReshapeAttributes::inferred_dimension, 1)),
      "inferred_dimension is out of range: 1 of f32[6], which has only dimension 0");
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({6}), {Shape::Token()}),
            "operand 0 must be an array, got token[]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({6}), {F32Array({Shape::kUnboundedSize})}),
            "operand 0 has the unbounded shape f32[?]; write a bound for each dimension, as in <=8");
}
TEST(Reshape, AcceptsEmptyArraysOfHugeDimensions) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kReshape, F32Array({0}), {F32Array({kLargest, kLargest, 0})}), "");
}

// ---- bitcast

TEST(Bitcast, ReadsMemoryInTheOrderOfTheLayouts) {
  const Shape column_major = WithLayout(S32Array({2, 3}), {0, 1});
  Literal operand = Counting({2, 3});
  operand.ResetShape(column_major);
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kBitcast, WithLayout(S32Array({3, 2}), {1, 0}), {operand})),
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kBitcast, WithLayout(S32Array({2, 3}), {1, 0}), {operand})),
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kBitcast, column_major, {operand})),
              ElementsAre(0, 1, 2, 3, 4, 5));
  // Memory holds 0 3 1 4 2 5; minor dimension first: column 0 is 0 3 1, column 1 is 4 2 5.
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kBitcast, WithLayout(S32Array({3, 2}), {0, 1}), {operand})),
              ElementsAre(0, 4, 3, 2, 1, 5));
}
TEST(Bitcast, ChangesTheElementType) {
  const auto words = EvaluateOp(HloOpcode::kBitcast, Shape::Array(U16, {4}), {Array<uint32_t>({2}, {0x00020001, 3})});
  EXPECT_THAT(ValuesOf<uint16_t>(words), ElementsAre(1, 2, 3, 0));
  const auto nibbles = EvaluateOp(HloOpcode::kBitcast, Shape::Array(S4, {2}), {Array<uint8_t>({2}, {0x07, 0xF8})});
  EXPECT_THAT(ValuesOf<int8_t>(nibbles), ElementsAre(7, -8));
  const auto truth = EvaluateOp(HloOpcode::kBitcast, Shape::Array(PRED, {2}), {Array<uint8_t>({2}, {0, 2})});
  EXPECT_THAT(ValuesOf<uint8_t>(truth), ElementsAre(0, 1));
}
TEST(Bitcast, UnpacksElementsThatTheLayoutPacks) {
  const Shape packed = WithLayout(Shape::Array(S4, {4}), {0}, 4);
  const auto elements = EvaluateOp(HloOpcode::kBitcast, packed, {Array<uint8_t>({2}, {0x21, 0xF3})});
  EXPECT_THAT(ValuesOf<int8_t>(elements), ElementsAre(1, 2, 3, -1));
  const auto bytes = EvaluateOp(HloOpcode::kBitcast, Shape::Array(U8, {2}), {*elements});
  EXPECT_THAT(ValuesOf<uint8_t>(bytes), ElementsAre(0x21, 0xF3));
  const auto halves = EvaluateOp(HloOpcode::kBitcast, WithLayout(Shape::Array(U2, {8}), {0}, 2), {*elements});
  EXPECT_THAT(ValuesOf<uint8_t>(halves), ElementsAre(1, 0, 2, 0, 3, 0, 3, 3));
}
TEST(Bitcast, RefusesAnotherByteSize) {
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kBitcast, F32Array({5}), {F32Array({2, 3})}),
      "operand and result of a bitcast must take the same number of bytes: operand f32[2,3] takes 24, result f32[5] "
      "takes 20");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBitcast, WithLayout(Shape::Array(S4, {4}), {0}, 4), {Shape::Array(U8, {4})}),
            "operand and result of a bitcast must take the same number of bytes: operand u8[4] takes 4, result "
            "s4[4]{0:E(4)} takes 2");
}

// ---- transpose, reverse

TEST(Transpose, PermutesDimensions) {
  EXPECT_EQ(InferredShapeOf(HloOpcode::kTranspose, {F32Array({2, 3, 5})}, Dimensions({2, 0, 1}))->ToString(),
            "f32[5,2,3]");
  EXPECT_THAT(ValuesOf<int32_t>(
                  EvaluateOp(HloOpcode::kTranspose, S32Array({2, 2, 3}), {Counting({2, 3, 2})}, Dimensions({2, 0, 1}))),
              ElementsAre(0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11));
}
TEST(Transpose, RefusesWhatIsNoPermutation) {
  const auto violations = [](DimensionVector dimensions) {
    return ViolationsOf(HloOpcode::kTranspose, F32Array({3, 2}), {F32Array({2, 3})}, Dimensions(dimensions));
  };
  EXPECT_EQ(violations({0}), "dimensions={0} must name each of the 2 dimensions of the operand f32[2,3] once");
  EXPECT_EQ(violations({0, 2}), "dimensions={0,2} names dimension 2, but the operand f32[2,3] has rank 2; use 0 to 1");
  EXPECT_EQ(violations({1, 1}), "dimensions={1,1} names dimension 1 twice; each may occur once");
}

TEST(Reverse, TurnsDimensionsAround) {
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kReverse, S32Array({2, 3}), {Counting({2, 3})}, Dimensions({1}))),
              ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kReverse, S32Array({2, 3}), {Counting({2, 3})}, Dimensions({1, 0}))),
      ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kReverse, S32Array({0}), {Counting({0})}, Dimensions({0}))),
              IsEmpty());
}
TEST(Reverse, RefusesDimensionsOutOfRange) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kReverse, F32Array({3}), {F32Array({3})}, Dimensions({1})),
            "dimensions={1} names dimension 1, but the operand f32[3] has rank 1; use 0 to 0");
  EXPECT_EQ(ViolationsOf(HloOpcode::kReverse, F32Array({}), {F32Array({})}, Dimensions({-1})),
            "dimensions={-1} names dimension -1, but the operand f32[] has rank 0 and therefore no dimensions");
}

// ---- slice

TEST(Slice, TakesEveryStridethElement) {
  EXPECT_EQ(InferredShapeOf(HloOpcode::kSlice, {F32Array({10, 4})}, Ranges({{2, 9, 3}, {4, 4, 1}}))->ToString(),
            "f32[3,0]");
  EXPECT_THAT(ValuesOf<int32_t>(
                  EvaluateOp(HloOpcode::kSlice, S32Array({2, 2}), {Counting({4, 3})}, Ranges({{1, 4, 2}, {1, 3, 1}}))),
              ElementsAre(4, 5, 10, 11));
}
TEST(Slice, TakesHugeStrides) {
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kSlice, S32Array({1, 1}), {Counting({4, 3})},
                                           Ranges({{1, 4, kLargest}, {2, 3, kLargest}}))),
              ElementsAre(5));
}
TEST(Slice, RefusesRangesOutside) {
  const auto violations = [](SliceRange range) {
    return ViolationsOf(HloOpcode::kSlice, F32Array({2}), {F32Array({5})}, Ranges({range}));
  };
  EXPECT_EQ(violations({-1, 1, 1}), "slice [-1:1:1] of dimension 0 of the operand f32[5]: start must not be negative");
  EXPECT_EQ(violations({4, 6, 1}),
            "slice [4:6:1] of dimension 0 of the operand f32[5]: limit must not exceed the size");
  EXPECT_EQ(violations({4, 2, 1}), "slice [4:2:1] of dimension 0 of the operand f32[5]: start must not exceed limit");
  EXPECT_EQ(violations({0, kSmallest, 1}),
            "slice [0:-9223372036854775808:1] of dimension 0 of the operand f32[5]: start must not exceed limit");
  EXPECT_EQ(violations({0, 2, 0}), "slice [0:2:0] of dimension 0 of the operand f32[5]: stride must be positive");
  EXPECT_EQ(ViolationsOf(HloOpcode::kSlice, F32Array({2}), {F32Array({5})}, Ranges({})),
            "slice must give a range for each of 1 dimensions of the operand f32[5], got 0");
}

// ---- dynamic-slice, dynamic-update-slice

absl::StatusOr<Literal> SliceAt(Literal start) {
  return EvaluateOp(HloOpcode::kDynamicSlice, S32Array({2}), {Counting({5}), std::move(start)}, Sizes({2}));
}

TEST(DynamicSlice, ClampsTheStart) {
  EXPECT_THAT(ValuesOf<int32_t>(SliceAt(Literal::Scalar<int32_t>(2))), ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<int32_t>(SliceAt(Literal::Scalar<int32_t>(4))), ElementsAre(3, 4));
  EXPECT_THAT(ValuesOf<int32_t>(SliceAt(Literal::Scalar<int64_t>(kSmallest))), ElementsAre(0, 1));
  EXPECT_THAT(ValuesOf<int32_t>(SliceAt(Literal::Scalar<int8_t>(-3))), ElementsAre(0, 1));
  EXPECT_THAT(ValuesOf<int32_t>(SliceAt(Literal::Scalar<uint8_t>(253))), ElementsAre(3, 4));
  EXPECT_THAT(ValuesOf<int32_t>(SliceAt(Literal::Scalar<uint64_t>(~uint64_t{0}))), ElementsAre(3, 4));
}
TEST(DynamicSlice, TakesOneScalarPerDimensionOrOneVector) {
  const auto scalars =
      EvaluateOp(HloOpcode::kDynamicSlice, S32Array({1, 2}),
                 {Counting({2, 4}), Literal::Scalar<int32_t>(1), Literal::Scalar<int32_t>(2)}, Sizes({1, 2}));
  EXPECT_THAT(ValuesOf<int32_t>(scalars), ElementsAre(6, 7));
  const auto vector = EvaluateOp(HloOpcode::kDynamicSlice, S32Array({1, 2}),
                                 {Counting({2, 4}), Literal::Vector<int32_t>({1, 2})}, Sizes({1, 2}));
  EXPECT_THAT(ValuesOf<int32_t>(vector), ElementsAre(6, 7));
}
TEST(DynamicSlice, RefusesWrongSizesAndIndices) {
  const auto violations = [](std::vector<Shape> operands, DimensionVector sizes) {
    return ViolationsOf(HloOpcode::kDynamicSlice, F32Array({1, 1}), operands, Sizes(sizes));
  };
  const Shape x = F32Array({2, 3});
  const Shape i = S32Array({});
  EXPECT_EQ(violations({x, i, i}, {1, 4}),
            "dynamic_slice_sizes={1,4}: size 4 for dimension 1 of the operand f32[2,3] must be between 0 and 3");
  EXPECT_EQ(violations({x, i, i}, {1, -1}),
            "dynamic_slice_sizes={1,-1}: size -1 for dimension 1 of the operand f32[2,3] must be between 0 and 3");
  EXPECT_EQ(violations({x, i, i}, {1}),
            "dynamic_slice_sizes={1} must give a size for each of 2 dimensions of the operand f32[2,3]");
  EXPECT_EQ(violations({x, i}, {1, 1}), "expected one scalar start index for each of 2 dimensions of f32[2,3], got 1");
  EXPECT_EQ(violations({x, i, Shape::Scalar(S64)}, {1, 1}),
            "start indices must all have one type, got s32[] and s64[]; convert them to a common one");
  EXPECT_EQ(violations({x, i, F32Array({})}, {1, 1}), "start index (operand 2) must be of an integer type, got f32[]");
  EXPECT_EQ(violations({x, i, S32Array({1})}, {1, 1}), "start index (operand 2) must be a scalar, got s32[1]");
  EXPECT_EQ(violations({x, S32Array({3})}, {1, 1}),
            "start indices s32[3] must have one entry for each of 2 dimensions of f32[2,3]");
}

TEST(DynamicUpdateSlice, ReplacesAClampedWindow) {
  EXPECT_THAT(
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kDynamicUpdateSlice, S32Array({5}),
                                   {Counting({5}), Literal::Vector<int32_t>({8, 9}), Literal::Scalar<int32_t>(7)})),
      ElementsAre(0, 1, 2, 8, 9));
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
TEST(DynamicUpdateSlice, RefusesUpdatesThatDoNotFit) {
  const auto violations = [](Shape update) {
    return ViolationsOf(HloOpcode::kDynamicUpdateSlice, F32Array({5}), {F32Array({5}), update, S32Array({})});
  };
  EXPECT_EQ(violations(F32Array({6})),
            "update f32[6] does not fit into operand f32[5]: dimension 0 is 6, expected at most 5");
  EXPECT_EQ(violations(S32Array({2})), "operand f32[5] and update s32[2] must have one element type and one rank");
}

// ---- concatenate

TEST(Concatenate, JoinsAlongOneDimension) {
  EXPECT_EQ(
      InferredShapeOf(HloOpcode::kConcatenate, {F32Array({2, 3}), F32Array({2, 0}), F32Array({2, 1})}, Dimension(1))
          ->ToString(),
      "f32[2,4]");
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(
                  HloOpcode::kConcatenate, S32Array({2, 3}),
                  {Counting({2, 2}), Array<int32_t>({2, 0}, {}), Array<int32_t>({2, 1}, {8, 9})}, Dimension(1))),
              ElementsAre(0, 1, 8, 2, 3, 9));
}
TEST(Concatenate, RefusesOperandsThatDoNotMatch) {
  const auto violations = [](std::vector<Shape> operands, int64_t dimension) {
    return ViolationsOf(HloOpcode::kConcatenate, F32Array({4, 3}), operands, Dimension(dimension));
  };
  EXPECT_EQ(violations({F32Array({2, 3}), F32Array({2, 3})}, 2),
            "dimension to concatenate along is out of range: 2 of f32[2,3], which has dimensions 0 to 1");
  EXPECT_EQ(violations({F32Array({2, 3}), F32Array({2, 4})}, 0),
            "operands must agree in element type, rank and all dimensions but 0: operand 0 is f32[2,3], operand 1 is "
            "f32[2,4]");
  EXPECT_EQ(violations({F32Array({2, 3}), S32Array({2, 3})}, 0),
            "operands must agree in element type, rank and all dimensions but 0: operand 0 is f32[2,3], operand 1 is "
            "s32[2,3]");
  EXPECT_EQ(violations({F32Array({2, 3}), F32Array({3, 3})}, 0), "shape is f32[4,3], expected f32[5,3]");
  EXPECT_EQ(violations({F32Array({kLargest, 0}), F32Array({kLargest, 0})}, 0),
            "the sizes of dimension 0 add up to more than fits in 63 bits");
  EXPECT_EQ(violations({F32Array({})}, 0),
            "dimension to concatenate along is out of range: 0 of f32[], which has no dimensions");
}

// ---- pad

absl::StatusOr<Literal> PadTo(int64_t size, PaddingDimension padding) {
  return EvaluateOp(HloOpcode::kPad, S32Array({size}), {Array<int32_t>({3}, {1, 2, 3}), Literal::Scalar<int32_t>(0)},
                    Padding({padding}));
}

TEST(Pad, SurroundsSpreadsAndCuts) {
  EXPECT_THAT(ValuesOf<int32_t>(PadTo(6, {1, 2, 0})), ElementsAre(0, 1, 2, 3, 0, 0));
  EXPECT_THAT(ValuesOf<int32_t>(PadTo(7, {0, 0, 2})), ElementsAre(1, 0, 0, 2, 0, 0, 3));
  EXPECT_THAT(ValuesOf<int32_t>(PadTo(4, {-1, -2, 2})), ElementsAre(0, 0, 2, 0));
  EXPECT_THAT(ValuesOf<int32_t>(PadTo(2, {-4, 3, 0})), ElementsAre(0, 0));
  EXPECT_THAT(ValuesOf<int32_t>(PadTo(0, {-2, -1, 0})), IsEmpty());
  EXPECT_THAT(ValuesOf<int32_t>(PadTo(2, {4, -5, 0})), ElementsAre(0, 0));
}
TEST(Pad, WorksInTwoDimensionsAndOnEmptyOperands) {
  EXPECT_THAT(
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kPad, S32Array({3, 3}), {Counting({2, 2}), Literal::Scalar<int32_t>(9)},
                                   Padding({{0, 0, 1}, {1, 0, 0}}))),
      ElementsAre(9, 0, 1, 9, 9, 9, 9, 2, 3));
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kPad, S32Array({2}), {Counting({0}), Literal::Scalar<int32_t>(9)},
                                           Padding({{1, 1, 5}}))),
              ElementsAre(9, 9));
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kPad, S32Array({}),
                                           {Literal::Scalar<int32_t>(4), Literal::Scalar<int32_t>(9)}, Padding({}))),
              ElementsAre(4));
}
TEST(Pad, TakesAnyPaddingThatGivesAValidSize) {
  const auto pad_one = [](PaddingDimension padding, int64_t size) {
    return EvaluateOp(HloOpcode::kPad, S32Array({size}), {Array<int32_t>({1}, {5}), Literal::Scalar<int32_t>(9)},
                      Padding({padding}));
  };
  EXPECT_THAT(ValuesOf<int32_t>(pad_one({1, 0, kLargest}, 2)), ElementsAre(9, 5));
  EXPECT_THAT(ValuesOf<int32_t>(pad_one({kSmallest + 1, kLargest, 0}, 1)), ElementsAre(9));
  EXPECT_THAT(ValuesOf<int32_t>(pad_one({kLargest, kSmallest + 3, 0}, 3)), ElementsAre(9, 9, 9));
}
TEST(Pad, RefusesWrongPadding) {
  const auto violations = [](PaddingConfig padding, Shape value) {
    return ViolationsOf(HloOpcode::kPad, F32Array({5}), {F32Array({3}), value}, Padding(padding));
  };
  const Shape scalar = F32Array({});
  EXPECT_EQ(violations({{0, 0, -1}}, scalar),
            "padding 0_0_-1 of dimension 0 of the operand f32[3]: interior padding must not be negative");
  EXPECT_EQ(violations({{-2, -2, 0}}, scalar),
            "padding -2_-2_0 of dimension 0 of the operand f32[3]: the padded size is below zero; cut fewer elements");
  EXPECT_EQ(
      violations({{kLargest, kLargest, 0}}, scalar),
      "padding 9223372036854775807_9223372036854775807_0 of dimension 0 of the operand f32[3]: the padded size does "
      "not fit in 63 bits");
  EXPECT_EQ(violations({{0, 0, kLargest}}, scalar),
            "padding 0_0_9223372036854775807 of dimension 0 of the operand f32[3]: the padded size does not fit in 63 "
            "bits");
  EXPECT_EQ(violations({{0, int64_t{1} << 62, 0}}, scalar),
            "array f32[4611686018427387907] is too large: its size in bytes does not fit in 63 bits");
  EXPECT_EQ(violations({{1, 1, 0}, {1, 1, 0}}, scalar),
            "padding must have an entry for each of 1 dimensions of the operand f32[3], got 2");
  EXPECT_EQ(violations({{1, 1, 0}}, S32Array({})),
            "the padding value must be a scalar of the operand's type: operand f32[3], padding value s32[]");
  EXPECT_EQ(violations({{1, 1, 0}}, F32Array({1})),
            "the padding value must be a scalar of the operand's type: operand f32[3], padding value f32[1]");
  EXPECT_EQ(violations({{1, 2, 0}}, scalar), "shape is f32[5], expected f32[6]");
}

// ---- iota

TEST(Iota, CountsAlongOneDimension) {
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kIota, S32Array({2, 3}), {}, Along(1))),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(ValuesOf<float>(EvaluateOp(HloOpcode::kIota, F32Array({3, 2}), {}, Along(0))),
              ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(ValuesOf<complex64>(EvaluateOp(HloOpcode::kIota, Shape::Array(C64, {2}), {}, Along(0))),
              ElementsAre(complex64(0), complex64(1)));
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kIota, S32Array({0, 3}), {}, Along(1))), IsEmpty());
}
TEST(Iota, WrapsNarrowIntegers) {
  const auto s4 = ValuesOf<int8_t>(EvaluateOp(HloOpcode::kIota, Shape::Array(S4, {18}), {}, Along(0)));
  EXPECT_EQ(s4[7], 7);
  EXPECT_EQ(s4[8], -8);
  EXPECT_EQ(s4[17], 1);
  const auto u1 = ValuesOf<uint8_t>(EvaluateOp(HloOpcode::kIota, Shape::Array(U1, {3}), {}, Along(0)));
  EXPECT_THAT(u1, ElementsAre(0, 1, 0));
  const auto s8 = ValuesOf<int8_t>(EvaluateOp(HloOpcode::kIota, Shape::Array(S8, {130}), {}, Along(0)));
  EXPECT_EQ(s8[129], -127);
}
TEST(Iota, RoundsNarrowFloats) {
  const auto values = ValuesOf<bfloat16>(EvaluateOp(HloOpcode::kIota, Shape::Array(BF16, {600}), {}, Along(0)));
  EXPECT_EQ(static_cast<float>(values[256]), 256.0f);
  EXPECT_EQ(static_cast<float>(values[257]), 256.0f);  // ties to even
  EXPECT_EQ(static_cast<float>(values[259]), 260.0f);
  EXPECT_EQ(static_cast<float>(values[599]), 600.0f);
}
TEST(Iota, RefusesScalarsAndTruthValues) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kIota, S32Array({}), {}, Along(0)),
            "iota needs a dimension to count along, got the scalar result s32[]; use a constant 0");
  EXPECT_EQ(ViolationsOf(HloOpcode::kIota, S32Array({3}), {}, Along(1)),
            "iota_dimension is out of range: 1 of s32[3], which has only dimension 0");
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kIota, Shape::Array(PRED, {3}), {}, Along(0)),
      "iota counts in integers, floats or complex numbers, got pred[3]; compare or convert the result of another");
}
TEST(Iota, IsRefusedByTheMachineIfItIsTooLarge) {
  EXPECT_EQ(EvaluateOp(HloOpcode::kIota, Shape::Array(S64, {1000000000000000}), {}, Along(0)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace xla
