// Data movement on arrays whose dimensions have run-time sizes below their bounds.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Elements 0, 1, 2 ... in the positions of the bounds, valid up to `sizes`.
Literal Dynamic(std::vector<int64_t> bounds, std::vector<int64_t> sizes) {
  Shape shape = Shape::Array(S32, bounds);
  for (size_t d = 0; d < bounds.size(); ++d) {
    shape.set_dynamic_dimension(static_cast<int>(d), sizes[d] < bounds[d]);
  }
  Literal literal = *Literal::Allocate(shape);
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  for (size_t d = 0; d < bounds.size(); ++d) literal.SetDynamicSize(static_cast<int>(d), sizes[d]);
  return literal;
}

// The run-time sizes, then the valid elements.
struct Valid {
  std::vector<int64_t> sizes;
  std::vector<int32_t> elements;
};

void Collect(const Literal& literal, int d, int64_t offset, std::vector<int32_t>* elements) {
  if (d == literal.shape().rank()) {
    elements->push_back(literal.data<int32_t>()[offset]);
    return;
  }
  for (int64_t i = 0; i < literal.dynamic_size(d); ++i) {
    Collect(literal, d + 1, offset * literal.shape().dimension(d) + i, elements);
  }
}

Valid ValidOf(const absl::StatusOr<Literal>& literal) {
  Valid valid;
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return valid;
  for (int d = 0; d < literal->shape().rank(); ++d) valid.sizes.push_back(literal->dynamic_size(d));
  Collect(*literal, 0, 0, &valid.elements);
  return valid;
}

Shape Bounded(std::vector<int64_t> bounds, std::vector<bool> dynamic) {
  Shape shape = Shape::Array(S32, bounds);
  for (size_t d = 0; d < bounds.size(); ++d) shape.set_dynamic_dimension(static_cast<int>(d), dynamic[d]);
  return shape;
}

template <typename Attributes, typename Field, typename Value>
SetAttributes Set(Field Attributes::*field, Value value) {
  return [=](HloInstruction& instruction) { instruction.mutable_attributes<Attributes>().*field = value; };
}

// One operation whose result shape the op table infers.
Valid Infer(HloOpcode opcode, std::vector<Literal> operands, const SetAttributes& set_attributes) {
  std::vector<Shape> shapes;
  for (const Literal& operand : operands) shapes.push_back(operand.shape());
  const absl::StatusOr<Shape> shape = InferredShapeOf(opcode, shapes, set_attributes);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return ValidOf(EvaluateOp(opcode, *shape, std::move(operands), set_attributes));
}

TEST(DimensionSize, IsSetAndRead) {
  const SetAttributes first = Set(&DimensionAttributes::dimension, 0);
  const auto set = EvaluateOp(HloOpcode::kSetDimensionSize, Bounded({4}, {true}),
                              {Dynamic({4}, {4}), Literal::Scalar<int32_t>(2)}, first);
  EXPECT_THAT(ValidOf(set).sizes, ElementsAre(2));
  EXPECT_THAT(ValidOf(set).elements, ElementsAre(0, 1));
  const auto get = EvaluateOp(HloOpcode::kGetDimensionSize, Shape::Scalar(S32), {*set}, first);
  EXPECT_EQ(get->data<int32_t>()[0], 2);
  EXPECT_EQ(
      InferredShapeOf(HloOpcode::kSetDimensionSize, {Bounded({4}, {false}), Shape::Scalar(S32)}, first)->ToString(),
      "s32[<=4]");
}
TEST(DimensionSize, IsRefusedIfItDoesNotFit) {
  const SetAttributes first = Set(&DimensionAttributes::dimension, 0);
  for (int32_t size : {-1, 5}) {
    const auto set = EvaluateOp(HloOpcode::kSetDimensionSize, Bounded({4}, {true}),
                                {Dynamic({4}, {4}), Literal::Scalar<int32_t>(size)}, first);
    EXPECT_EQ(set.status().message(), "size " + std::to_string(size) + " for dimension 0 of s32[<=4] is not in [0, 4]");
  }
  EXPECT_EQ(ViolationsOf(HloOpcode::kSetDimensionSize, Bounded({4}, {true}), {Bounded({4}, {true}), Shape::Scalar(S64)},
                         first),
            "the size (operand 1) must be s32[], got s64[]; convert or reshape it");
  EXPECT_EQ(ViolationsOf(HloOpcode::kGetDimensionSize, Shape::Scalar(S32), {Bounded({4}, {true})},
                         Set(&DimensionAttributes::dimension, 3)),
            "dimension to ask or set the size of is out of range: 3 of s32[<=4], which has only dimension 0");
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kGetDimensionSize, Shape::Scalar(S32), {Bounded({int64_t{1} << 31}, {false})}, first),
      "the size of dimension 0 of the operand s32[2147483648] must fit in the s32[] result");
}

TEST(DynamicDimensions, MoveWithTransposeAndBroadcast) {
  const Valid transposed = Infer(HloOpcode::kTranspose, {Dynamic({2, 3}, {2, 2})},
                                 Set(&DimensionsAttributes::dimensions, DimensionVector{1, 0}));
  EXPECT_THAT(transposed.sizes, ElementsAre(2, 2));
  EXPECT_THAT(transposed.elements, ElementsAre(0, 3, 1, 4));
  const Valid broadcast = ValidOf(EvaluateOp(HloOpcode::kBroadcast, Bounded({2, 3}, {false, true}), {Dynamic({3}, {2})},
                                             Set(&BroadcastAttributes::dimensions, DimensionVector{1})));
  EXPECT_THAT(broadcast.sizes, ElementsAre(2, 2));
  EXPECT_THAT(broadcast.elements, ElementsAre(0, 1, 0, 1));
}
TEST(DynamicDimensions, ReverseTurnsTheValidElementsAround) {
  const Valid reversed =
      Infer(HloOpcode::kReverse, {Dynamic({5}, {3})}, Set(&DimensionsAttributes::dimensions, DimensionVector{0}));
  EXPECT_THAT(reversed.elements, ElementsAre(2, 1, 0));
}
TEST(DynamicDimensions, SliceKeepsWhatIsValid) {
  const auto slice = [](SliceRange range) {
    return Infer(HloOpcode::kSlice, {Dynamic({6}, {4})}, [=](HloInstruction& instruction) {
      instruction.mutable_attributes<SliceAttributes>().ranges.assign(1, range);
    });
  };
  EXPECT_THAT(slice({0, 6, 1}).elements, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(slice({1, 6, 2}).elements, ElementsAre(1, 3));
  EXPECT_THAT(slice({4, 6, 1}).elements, IsEmpty());
  EXPECT_THAT(slice({0, 3, 1}).elements, ElementsAre(0, 1, 2));
  EXPECT_THAT(slice({2, 3, 1}).elements, ElementsAre(2));
}
TEST(DynamicDimensions, DynamicSliceStaysWithinTheValidElements) {
  const auto slice = [](int64_t size, int32_t start) {
    return Infer(HloOpcode::kDynamicSlice, {Dynamic({6}, {4}), Literal::Scalar(start)},
                 Set(&DynamicSliceAttributes::slice_sizes, DimensionVector{size}));
  };
  EXPECT_THAT(slice(2, 5).elements, ElementsAre(2, 3));
  EXPECT_THAT(slice(6, 5).elements, ElementsAre(0, 1, 2, 3));
}
TEST(DynamicDimensions, DynamicSliceOfOneElementIsStatic) {
  const Valid one = Infer(HloOpcode::kDynamicSlice, {Dynamic({1}, {0}), Literal::Scalar<int32_t>(0)},
                          Set(&DynamicSliceAttributes::slice_sizes, DimensionVector{1}));
  EXPECT_THAT(one.sizes, ElementsAre(1));
}
TEST(DynamicDimensions, DotHasTheBatchesThatBothOperandsHave) {
  const auto shape_of = [](std::vector<bool> lhs, std::vector<bool> rhs) {
    const auto set = [](HloInstruction& dot) {
      auto& a = dot.mutable_attributes<DotAttributes>();
      a.lhs_batch_dims = a.rhs_batch_dims = {0};
      a.lhs_contracting_dims = a.rhs_contracting_dims = {1};
    };
    return InferredShapeOf(HloOpcode::kDot, {Bounded({3, 2}, lhs), Bounded({3, 2}, rhs)}, set)->ToString();
  };
  EXPECT_EQ(shape_of({true, false}, {false, false}), "s32[<=3]");
  EXPECT_EQ(shape_of({false, false}, {true, false}), "s32[<=3]");
  EXPECT_EQ(shape_of({false, false}, {false, true}), "s32[3]");
}
TEST(DynamicDimensions, DynamicUpdateSliceWritesTheValidUpdate) {
  const Valid result = Infer(HloOpcode::kDynamicUpdateSlice,
                             {Dynamic({6}, {6}), Dynamic({4}, {2}), Literal::Scalar<int32_t>(3)}, nullptr);
  EXPECT_THAT(result.elements, ElementsAre(0, 1, 2, 0, 1, 5));
}
TEST(DynamicDimensions, ConcatenatePacksTheValidElements) {
  const Valid joined = Infer(HloOpcode::kConcatenate, {Dynamic({4}, {2}), Dynamic({2}, {2}), Dynamic({3}, {1})},
                             Set(&DimensionAttributes::dimension, 0));
  EXPECT_THAT(joined.sizes, ElementsAre(5));
  EXPECT_THAT(joined.elements, ElementsAre(0, 1, 0, 1, 0));
  const Valid beside = Infer(HloOpcode::kConcatenate, {Dynamic({2, 1}, {1, 1}), Dynamic({2, 2}, {1, 2})},
                             Set(&DimensionAttributes::dimension, 1));
  const Valid shortest = Infer(HloOpcode::kConcatenate, {Dynamic({3, 1}, {2, 1}), Dynamic({3, 1}, {1, 1})},
                               Set(&DimensionAttributes::dimension, 1));
  EXPECT_THAT(shortest.sizes, ElementsAre(1, 2));
  EXPECT_THAT(beside.sizes, ElementsAre(1, 3));
  EXPECT_THAT(beside.elements, ElementsAre(0, 0, 1));
}
TEST(DynamicDimensions, PadSurroundsTheValidElements) {
  const auto pad = [](PaddingDimension padding) {
    return Infer(HloOpcode::kPad, {Dynamic({5}, {2}), Literal::Scalar<int32_t>(9)},
                 Set(&PadAttributes::padding, PaddingConfig{padding}));
  };
  EXPECT_THAT(pad({1, 1, 1}).elements, ElementsAre(9, 0, 9, 1, 9));
  EXPECT_THAT(pad({-1, 2, 0}).elements, ElementsAre(1, 9, 9));
  EXPECT_THAT(pad({0, -3, 0}).elements, IsEmpty());
}
TEST(DynamicDimensions, GatherTakesAsManyWindowsAsThereAreIndices) {
  GatherAttributes a;
  a.offset_dims = {1};
  a.collapsed_slice_dims = {0};
  a.start_index_map = {0};
  a.index_vector_dim = 1;
  a.slice_sizes = {1, 2};
  const Valid rows = Infer(HloOpcode::kGather, {Dynamic({4, 2}, {2, 2}), Dynamic({5}, {3})},
                           [&](HloInstruction& i) { i.mutable_attributes<GatherAttributes>() = a; });
  EXPECT_THAT(rows.sizes, ElementsAre(3, 2));
  EXPECT_THAT(rows.elements, ElementsAre(0, 1, 2, 3, 2, 3));  // index 2 clamps to the last valid row
}
TEST(DynamicDimensions, ScatterTakesTheValidUpdates) {
  TestComputation add("add");
  auto* p0 = add.Parameter(0, Shape::Scalar(S32));
  auto* p1 = add.Parameter(1, Shape::Scalar(S32));
  add.AddInferred(HloOpcode::kAdd, {p0, p1});
  ScatterAttributes a;
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  Literal updates = *Literal::Allocate(Bounded({4}, {false}));
  for (int i = 0; i < 4; ++i) updates.mutable_data<int32_t>()[i] = 10;
  const Valid result = ValidOf(
      EvaluateOp(HloOpcode::kScatter, Bounded({4}, {true}), {Dynamic({4}, {2}), Dynamic({4}, {3}), updates},
                 [&](HloInstruction& i) { i.mutable_attributes<ScatterAttributes>() = a; }, {&add.computation()}));
  EXPECT_THAT(result.sizes, ElementsAre(2));
  EXPECT_THAT(result.elements, ElementsAre(10, 11));  // index 2 is beyond the valid elements, index 3 not valid itself
}

TEST(DynamicDimensions, ScatterDropsWindowsThatAreLongerThanTheValidElements) {
  TestComputation replace("replace");
  replace.Parameter(0, Shape::Scalar(S32));
  replace.Parameter(1, Shape::Scalar(S32));
  ScatterAttributes a;  // no start index: the window begins at the first element
  a.update_window_dims = {1};
  a.index_vector_dim = 1;
  const Literal tens = Literal::FromValues<int32_t>({1, 3}, {10, 10, 10});
  const auto scatter = [&](int64_t valid) {
    return ValidOf(EvaluateOp(HloOpcode::kScatter, Bounded({4}, {true}),
                              {Dynamic({4}, {valid}), Dynamic({1, 0}, {1, 0}), tens},
                              [&](HloInstruction& i) { i.mutable_attributes<ScatterAttributes>() = a; },
                              {&replace.computation()}))
        .elements;
  };
  EXPECT_THAT(scatter(2), ElementsAre(0, 1));
  EXPECT_THAT(scatter(3), ElementsAre(10, 10, 10));
}

TEST(DynamicReshapes, MatchDimensionsInGroups) {
  const auto reshape = [](Literal operand, Shape shape, absl::optional<int64_t> inferred = {}) {
    return ValidOf(EvaluateOp(HloOpcode::kReshape, shape, {std::move(operand)},
                              Set(&ReshapeAttributes::inferred_dimension, inferred)));
  };
  const Valid split = reshape(Dynamic({4, 6}, {2, 6}), Bounded({4, 2, 3}, {true, false, false}));
  EXPECT_THAT(split.sizes, ElementsAre(2, 2, 3));
  EXPECT_THAT(split.elements, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  const Valid merged = reshape(Dynamic({2, 3}, {2, 2}), Bounded({6}, {true}));
  EXPECT_THAT(merged.sizes, ElementsAre(4));
  EXPECT_THAT(merged.elements, ElementsAre(0, 1, 3, 4));
  const Valid inner = reshape(Dynamic({6}, {4}), Bounded({2, 3}, {false, true}), 1);
  EXPECT_THAT(inner.sizes, ElementsAre(2, 2));
  EXPECT_THAT(inner.elements, ElementsAre(0, 1, 2, 3));
  const Valid padded = reshape(Dynamic({4}, {3}), Bounded({1, 4, 1}, {false, true, false}));
  EXPECT_THAT(padded.sizes, ElementsAre(1, 3, 1));
  const Valid empty = reshape(Dynamic({4}, {0}), Bounded({2, 2}, {true, false}));
  EXPECT_THAT(empty.sizes, ElementsAre(0, 2));
  const Valid without_ones = reshape(Dynamic({1, 1, 1}, {1, 1, 0}), Bounded({1}, {true}));
  EXPECT_THAT(without_ones.sizes, ElementsAre(0));
  EXPECT_THAT(reshape(Dynamic({1}, {0}), Shape::Scalar(S32)).sizes, ElementsAre());
}
TEST(DynamicReshapes, RefuseWhatDoesNotDivide) {
  EXPECT_EQ(
      EvaluateOp(HloOpcode::kReshape, Bounded({2, 3}, {true, false}), {Dynamic({6}, {4})}).status().message(),
      "cannot reshape s32[<=6] to s32[<=2,3] here: dimension 0 of the result would have 4 / 3 elements at run time");
}
TEST(DynamicReshapes, TakeSizesAtRunTime) {
  const auto reshape = [](int32_t rows, int32_t columns) {
    return EvaluateOp(HloOpcode::kDynamicReshape, Bounded({2, 3}, {true, true}),
                      {Dynamic({6}, {4}), Literal::Scalar(rows), Literal::Scalar(columns)});
  };
  EXPECT_THAT(ValidOf(reshape(2, 2)).sizes, ElementsAre(2, 2));
  EXPECT_THAT(ValidOf(reshape(2, 2)).elements, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(reshape(2, 3).status().message(),
            "the sizes given for s32[<=2,<=3] hold 6 elements, but the operand s32[<=6] has 4 at run time");
  EXPECT_EQ(reshape(-1, 3).status().message(), "size -1 for dimension 0 of s32[<=2,<=3] is not in [0, 2]");
}
TEST(DynamicReshapes, RefuseWrongOperands) {
  const auto violations = [](std::vector<Shape> operands) {
    return ViolationsOf(HloOpcode::kDynamicReshape, Bounded({2, 3}, {true, true}), operands);
  };
  const Shape size = Shape::Scalar(S32);
  EXPECT_EQ(violations({Bounded({6}, {true}), size}),
            "expected one size operand for each of 2 dimensions of the result s32[<=2,<=3], got 1");
  EXPECT_EQ(violations({Bounded({6}, {true}), size, Shape::Scalar(S64)}),
            "size operand 2 must be s32[], got s64[]; convert or reshape it");
  EXPECT_EQ(
      violations({Bounded({5}, {true}), size, size}),
      "operand s32[<=5] and result s32[<=2,<=3] must have one element type and the same number of elements in their "
      "bounds, got 5 and 6");
}

}  // namespace
}  // namespace xla
