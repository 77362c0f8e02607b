// gather and scatter on static shapes. Values are worked out by hand.
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

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

Literal Counting(std::vector<int64_t> dimensions) {
  Literal literal = *Literal::Allocate(Shape::Array(S32, dimensions));
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return literal;
}

Shape S32Array(std::vector<int64_t> dimensions) { return Shape::Array(S32, dimensions); }
Shape F32Array(std::vector<int64_t> dimensions) { return Shape::Array(F32, dimensions); }

SetAttributes With(GatherAttributes a) {
  return [a](HloInstruction& instruction) { instruction.mutable_attributes<GatherAttributes>() = a; };
}
SetAttributes With(ScatterAttributes a) {
  return [a](HloInstruction& instruction) { instruction.mutable_attributes<ScatterAttributes>() = a; };
}

// x[i, :] for a vector of i.
GatherAttributes GatherRows(int64_t row) {
  GatherAttributes a;
  a.offset_dims = {1};
  a.collapsed_slice_dims = {0};
  a.start_index_map = {0};
  a.index_vector_dim = 1;
  a.slice_sizes = {1, row};
  return a;
}

absl::StatusOr<Literal> Rows(Literal indices) {
  const int64_t n = indices.element_count();
  return EvaluateOp(HloOpcode::kGather, S32Array({n, 2}), {Counting({3, 2}), std::move(indices)}, With(GatherRows(2)));
}

TEST(Gather, TakesRowsAndClampsTheirIndices) {
  EXPECT_THAT(ValuesOf<int32_t>(Rows(Literal::Vector<int32_t>({2, 0, 2}))), ElementsAre(4, 5, 0, 1, 4, 5));
  EXPECT_THAT(ValuesOf<int32_t>(Rows(Literal::Vector<int8_t>({-1, 100}))), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(ValuesOf<int32_t>(Rows(Literal::Vector<uint64_t>({~uint64_t{0}, 1}))), ElementsAre(4, 5, 2, 3));
  EXPECT_THAT(ValuesOf<int32_t>(Rows(Literal::Vector<int64_t>({std::numeric_limits<int64_t>::min()}))),
              ElementsAre(0, 1));
}
TEST(Gather, PutsWindowDimensionsWhereOffsetDimsSays) {
  GatherAttributes a = GatherRows(2);
  a.offset_dims = {0};
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kGather, S32Array({2, 2}),
                                           {Counting({3, 2}), Literal::Vector<int32_t>({2, 0})}, With(a))),
              ElementsAre(4, 0, 5, 1));
}
TEST(Gather, ReadsPointsByCoordinatesInTheOrderOfTheMap) {
  GatherAttributes a;
  a.collapsed_slice_dims = {0, 1};
  a.start_index_map = {1, 0};
  a.index_vector_dim = 0;
  a.slice_sizes = {1, 1};
  // Columns 1, 0 and rows 2, 1.
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kGather, S32Array({2}),
                                           {Counting({3, 2}), Array<int32_t>({2, 2}, {1, 0, 2, 1})}, With(a))),
              ElementsAre(5, 2));
}
TEST(Gather, KeepsWindowsWithinTheOperand) {
  GatherAttributes a;
  a.offset_dims = {0, 1};
  a.start_index_map = {0, 1};
  a.index_vector_dim = 0;
  a.slice_sizes = {2, 1};
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kGather, S32Array({2, 1}),
                                           {Counting({3, 2}), Literal::Vector<int32_t>({2, 1})}, With(a))),
              ElementsAre(3, 5));
}
TEST(Gather, GoesAlongBatchingDimensions) {
  GatherAttributes a;
  a.operand_batching_dims = {0};
  a.start_indices_batching_dims = {1};
  a.collapsed_slice_dims = {1};
  a.start_index_map = {1};
  a.index_vector_dim = 2;
  a.slice_sizes = {1, 1};
  // result[i, b] = x[b, indices[i, b]]
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kGather, S32Array({2, 2}),
                                           {Counting({2, 3}), Array<int32_t>({2, 2}, {0, 1, 2, 2})}, With(a))),
              ElementsAre(0, 4, 2, 5));
}
TEST(Gather, GivesZerosWhereThereIsNothingToRead) {
  GatherAttributes a = GatherRows(2);
  a.slice_sizes = {0, 2};
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kGather, S32Array({2, 2}),
                                           {Array<int32_t>({0, 2}, {}), Literal::Vector<int32_t>({2, 0})}, With(a))),
              Each(0));
}
TEST(Gather, GathersManyWindowsInBlocks) {
  Literal indices = *Literal::Allocate(S32Array({40000}));
  for (int32_t i = 0; i < 40000; ++i) indices.mutable_data<int32_t>()[i] = 39999 - i;
  GatherAttributes a = GatherRows(1);
  const auto values =
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kGather, S32Array({40000, 1}), {Counting({40000, 1}), indices}, With(a)));
  for (int32_t i = 0; i < 40000; ++i) ASSERT_EQ(values[i], 39999 - i);
}

std::string GatherViolations(const std::function<void(GatherAttributes&)>& change, Shape indices = S32Array({5}),
                             Shape result = F32Array({5, 4})) {
  GatherAttributes a = GatherRows(4);
  change(a);
  return ViolationsOf(HloOpcode::kGather, result, {F32Array({3, 4}), indices}, With(a));
}

TEST(Gather, RefusesEveryInconsistency) {
  using A = GatherAttributes;
  EXPECT_EQ(GatherViolations([](A&) {}), "");
  EXPECT_EQ(GatherViolations([](A&) {}, S32Array({5}), F32Array({4, 5})), "shape is f32[4,5], expected f32[5,4]");
  EXPECT_EQ(GatherViolations([](A&) {}, F32Array({5})),
            "the indices must be of an integer type, got f32[5]; convert them");
  EXPECT_EQ(GatherViolations([](A& a) { a.index_vector_dim = 5; }),
            "index_vector_dim=5 must be between 0 and the rank of the indices s32[5], which is 1");
  EXPECT_EQ(GatherViolations([](A& a) { a.index_vector_dim = 0; }),
            "start_index_map={0} must have an entry for each of 5 coordinates of an index vector of s32[5] along "
            "index_vector_dim=0");
  EXPECT_EQ(GatherViolations([](A& a) { a.start_index_map = {7}; }),
            "start_index_map={7} names dimension 7, but the operand f32[3,4] has rank 2; use 0 to 1");
  EXPECT_EQ(GatherViolations(
                [](A& a) {
                  a.start_index_map = {0, 0};
                },
                S32Array({5, 2})),
            "start_index_map={0,0} names dimension 0 twice; each may occur once");
  EXPECT_EQ(GatherViolations([](A& a) { a.slice_sizes = {1}; }),
            "slice_sizes={1} must give a size for each of 2 dimensions of the operand f32[3,4]");
  EXPECT_EQ(GatherViolations([](A& a) {
              a.slice_sizes = {2, 4};
            }),
            "slice_sizes={2,4}: size 2 for dimension 0 of the operand f32[3,4] must be between 0 and 1, because the "
            "dimension is collapsed or batching");
  EXPECT_EQ(GatherViolations([](A& a) {
              a.slice_sizes = {1, 5};
            }),
            "slice_sizes={1,5}: size 5 for dimension 1 of the operand f32[3,4] must be between 0 and 4");
  EXPECT_EQ(GatherViolations([](A& a) { a.offset_dims = {5}; }),
            "offset_dims={5} names dimension 5, but the result has rank 2; use 0 to 1");
  EXPECT_EQ(GatherViolations([](A& a) {
              a.offset_dims = {1, 0};
            }),
            "offset_dims={1,0} must name a result dimension for each dimension of the operand f32[3,4] that is neither "
            "collapsed nor batching, which are 1");
  EXPECT_EQ(GatherViolations([](A& a) {
              a.collapsed_slice_dims = {};
              a.offset_dims = {2, 1};
            }),
            "offset_dims={2,1} must be in ascending order");
  EXPECT_EQ(GatherViolations([](A& a) {
              a.collapsed_slice_dims = {1, 0};
            }),
            "collapsed_slice_dims={1,0} must be in ascending order");
  EXPECT_EQ(GatherViolations([](A& a) { a.operand_batching_dims = {0}; }),
            "dimension 0 stands in both collapsed_slice_dims={0} and operand_batching_dims={0}; it may stand in one of "
            "them");
  EXPECT_EQ(
      GatherViolations([](A& a) {
        a.collapsed_slice_dims = {};
        a.operand_batching_dims = {0};
      }),
      "dimension 0 stands in both start_index_map={0} and operand_batching_dims={0}; it may stand in one of them");
}
TEST(Gather, RefusesBatchingDimensionsThatDoNotFit) {
  using A = GatherAttributes;
  const auto batching = [](A& a) {
    a.collapsed_slice_dims = {};
    a.start_index_map = {1};
    a.operand_batching_dims = {0};
    a.start_indices_batching_dims = {0};
  };
  EXPECT_EQ(GatherViolations(batching, S32Array({3}), F32Array({3, 4})), "");
  EXPECT_EQ(GatherViolations(batching),
            "batching dimensions must have one size: dimension 0 of the operand f32[3,4] is 3, dimension 0 of the "
            "indices s32[5] is 5");
  EXPECT_EQ(GatherViolations([&](A& a) {
              batching(a);
              a.start_indices_batching_dims = {};
            }),
            "operand_batching_dims={0} and start_indices_batching_dims={} must be equally long");
  EXPECT_EQ(GatherViolations(
                [&](A& a) {
                  batching(a);
                  a.start_indices_batching_dims = {1};
                },
                S32Array({5, 1})),
            "start_indices_batching_dims={1} must not name index_vector_dim, which is 1");
}

// ---- scatter

// A function of two s32 scalars; the root is one operation of both or one of them.
class Combiner {
 public:
  explicit Combiner(HloOpcode opcode, PrimitiveType type = S32) {
    auto* a = computation_.Parameter(0, Shape::Scalar(type));
    auto* b = computation_.Parameter(1, Shape::Scalar(type));
    computation_.AddInferred(opcode, {a, b});
  }
  // Returns the update.
  Combiner() {
    computation_.Parameter(0, Shape::Scalar(S32));
    computation_.computation().set_root(computation_.Parameter(1, Shape::Scalar(S32)));
  }
  HloComputation* get() { return &computation_.computation(); }

 private:
  TestComputation computation_{"combine"};
};

ScatterAttributes ScatterRows() {
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  return a;
}

TEST(Scatter, CombinesRowsInOrderAndDropsThoseOutside) {
  Combiner add(HloOpcode::kAdd);
  const std::vector<Literal> operands = {Counting({3, 2}), Literal::Vector<int32_t>({2, 3, 2, -1, 0}),
                                         Array<int32_t>({5, 2}, {10, 20, 1, 1, 100, 200, 1, 1, 1000, 2000})};
  EXPECT_THAT(
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kScatter, S32Array({3, 2}), operands, With(ScatterRows()), {add.get()})),
      ElementsAre(1000, 2001, 2, 3, 114, 225));
  Combiner subtract(HloOpcode::kSubtract);
  EXPECT_THAT(ValuesOf<int32_t>(
                  EvaluateOp(HloOpcode::kScatter, S32Array({3, 2}), operands, With(ScatterRows()), {subtract.get()})),
              ElementsAre(-1000, -1999, 2, 3, -106, -215));
  Combiner overwrite;
  EXPECT_THAT(ValuesOf<int32_t>(
                  EvaluateOp(HloOpcode::kScatter, S32Array({3, 2}), operands, With(ScatterRows()), {overwrite.get()})),
              ElementsAre(1000, 2000, 2, 3, 100, 200));
}
TEST(Scatter, DropsAWindowThatLiesPartlyOutside) {
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  Combiner add(HloOpcode::kAdd);
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(
                  HloOpcode::kScatter, S32Array({4}),
                  {Counting({4}), Literal::Vector<int32_t>({3, 2}), Array<int32_t>({2, 2}, {10, 20, 30, 40})}, With(a),
                  {add.get()})),
              ElementsAre(0, 1, 32, 43));
  Literal unsigned_indices = Literal::Vector<uint64_t>({~uint64_t{0}, uint64_t{1} << 63});
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kScatter, S32Array({4}),
                                           {Counting({4}), unsigned_indices, Array<int32_t>({2, 2}, {1, 2, 3, 4})},
                                           With(a), {add.get()})),
              ElementsAre(0, 1, 2, 3));
}
TEST(Scatter, KeepsTheOrderOfUpdatesWhereWindowsOverlap) {
  // Windows of 2 at 0 and 1; the window dimension of the updates comes first, so that the updates reach element 1 as
  // u[0,1] = 20 (second window, first element), then u[1,0] = 30 (first window, second element).
  ScatterAttributes a;
  a.update_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  Combiner overwrite;
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(
                  HloOpcode::kScatter, S32Array({3}),
                  {Counting({3}), Literal::Vector<int32_t>({0, 1}), Array<int32_t>({2, 2}, {10, 20, 30, 40})}, With(a),
                  {overwrite.get()})),
              ElementsAre(10, 30, 40));
}
TEST(Scatter, WritesColumnsWithAnyFunction) {
  ScatterAttributes a;
  a.update_window_dims = {0};
  a.inserted_window_dims = {1};
  a.scatter_dims_to_operand_dims = {1};
  a.index_vector_dim = 1;
  for (HloOpcode opcode : {HloOpcode::kMaximum, HloOpcode::kAdd}) {
    Combiner combiner(opcode);
    const auto result = ValuesOf<int32_t>(
        EvaluateOp(HloOpcode::kScatter, S32Array({2, 3}),
                   {Counting({2, 3}), Literal::Vector<int32_t>({2, 0}), Array<int32_t>({2, 2}, {7, 1, 2, 9})}, With(a),
                   {combiner.get()}));
    // Column 2 meets {7, 2}, column 0 meets {1, 9}.
    const std::vector<int32_t> maxima = {1, 1, 7, 9, 4, 5};
    const std::vector<int32_t> sums = {1, 1, 9, 12, 4, 7};
    EXPECT_EQ(result, opcode == HloOpcode::kAdd ? sums : maxima);
  }
}
TEST(Scatter, CombinesWindowsWhoseLastDimensionIsNotTheArrays) {
  // Windows along dimension 0 of the array only, last in the updates: lines with a stride.
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {1};
  a.scatter_dims_to_operand_dims = {1};
  a.index_vector_dim = 1;
  Combiner subtract(HloOpcode::kSubtract);
  EXPECT_THAT(
      ValuesOf<int32_t>(EvaluateOp(HloOpcode::kScatter, S32Array({2, 3}),
                                   {Counting({2, 3}), Literal::Vector<int32_t>({2}), Array<int32_t>({1, 2}, {10, 20})},
                                   With(a), {subtract.get()})),
      ElementsAre(0, 1, -8, 3, 4, -15));
}
TEST(Scatter, CombinesSeveralArraysWithOneFunction) {
  TestComputation f("f");
  auto* a0 = f.Parameter(0, Shape::Scalar(S32));
  auto* a1 = f.Parameter(1, Shape::Scalar(F32));
  auto* b0 = f.Parameter(2, Shape::Scalar(S32));
  auto* b1 = f.Parameter(3, Shape::Scalar(F32));
  f.AddInferred(HloOpcode::kTuple,
                {f.AddInferred(HloOpcode::kSubtract, {a0, b0}), f.AddInferred(HloOpcode::kMultiply, {a1, b1})});
  ScatterAttributes attributes;
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  const Shape result = Shape::Tuple({S32Array({3}), F32Array({3})});
  const std::vector<Literal> operands = {Counting({3}), Literal::Vector<float>({1, 2, 3}),
                                         Literal::Vector<int32_t>({1, 1}), Literal::Vector<int32_t>({5, 6}),
                                         Literal::Vector<float>({10, 0.5})};
  const auto values = EvaluateOp(HloOpcode::kScatter, result, operands, With(attributes), {&f.computation()});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(values->element(0).span<int32_t>(), ElementsAre(0, -10, 2));
  EXPECT_THAT(values->element(1).span<float>(), ElementsAre(1, 10, 3));
}
TEST(Scatter, MayGiveATupleOfOneAndSoMayItsFunction) {
  TestComputation f("f");
  auto* a = f.Parameter(0, Shape::Scalar(S32));
  auto* b = f.Parameter(1, Shape::Scalar(S32));
  f.AddInferred(HloOpcode::kTuple, {f.AddInferred(HloOpcode::kSubtract, {a, b})});
  ScatterAttributes attributes;
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  const std::vector<Literal> operands = {Counting({3}), Literal::Vector<int32_t>({1, 1}),
                                         Literal::Vector<int32_t>({5, 6})};
  EXPECT_THAT(ValuesOf<int32_t>(EvaluateOp(HloOpcode::kScatter, S32Array({3}), operands, With(attributes),
                                           {&f.computation()})),
              ElementsAre(0, -10, 2));
  const Shape one = Shape::Tuple({S32Array({3})});
  const auto values = EvaluateOp(HloOpcode::kScatter, one, operands, With(attributes), {&f.computation()});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(values->element(0).span<int32_t>(), ElementsAre(0, -10, 2));
  EXPECT_EQ(ViolationsOf(HloOpcode::kScatter, one, {S32Array({3}), S32Array({2}), S32Array({2})}, With(attributes),
                         {&f.computation()}),
            "warning: the result for one array should be s32[3], not a tuple of it");
}
TEST(Scatter, RoundsNarrowSumsAtEveryStep) {
  Combiner add(HloOpcode::kAdd, S4);
  ScatterAttributes a;
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  Literal array = *Literal::Zeros(Shape::Array(S4, {2}));
  Literal updates = *Literal::Allocate(Shape::Array(S4, {2}));
  updates.mutable_data<int8_t>()[0] = 7;
  updates.mutable_data<int8_t>()[1] = 3;
  EXPECT_THAT(ValuesOf<int8_t>(EvaluateOp(HloOpcode::kScatter, Shape::Array(S4, {2}),
                                          {array, Literal::Vector<int32_t>({1, 1}), updates}, With(a), {add.get()})),
              ElementsAre(0, -6));
}

std::string ScatterViolations(const std::function<void(ScatterAttributes&)>& change, Shape updates = S32Array({5, 4}),
                              Shape indices = S32Array({5}), HloComputation* combiner = nullptr) {
  ScatterAttributes a = ScatterRows();
  change(a);
  Combiner add(HloOpcode::kAdd);
  return ViolationsOf(HloOpcode::kScatter, S32Array({3, 4}), {S32Array({3, 4}), indices, updates}, With(a),
                      {combiner == nullptr ? add.get() : combiner});
}

TEST(Scatter, RefusesEveryInconsistency) {
  using A = ScatterAttributes;
  const auto same = [](A&) {};
  EXPECT_EQ(ScatterViolations(same), "");
  EXPECT_EQ(ScatterViolations(same, S32Array({5, 3})), "");  // windows may be smaller
  EXPECT_EQ(
      ScatterViolations(same, S32Array({5, 5})),
      "windows do not fit into the array: dimension 1 of the updates s32[5,5] is 5, expected at most dimension 1 of "
      "s32[3,4], which is 4");
  EXPECT_EQ(ScatterViolations(same, S32Array({6, 4})),
            "updates and indices must count the same windows: dimension 0 of the updates s32[6,4] is 6, dimension 0 of "
            "the indices s32[5] is 5");
  EXPECT_EQ(
      ScatterViolations(same, S32Array({5})),
      "updates must have 1 dimensions that count windows, as the indices s32[5] without index_vector_dim=1, and 1 "
      "within a window, got s32[5]");
  EXPECT_EQ(ScatterViolations(same, F32Array({5, 4})),
            "update 0 must have the element type of its array s32[3,4], got f32[5,4]");
  EXPECT_EQ(ScatterViolations(same, S32Array({5, 4}), F32Array({5})),
            "the indices must be of an integer type, got f32[5]; convert them");
  EXPECT_EQ(ScatterViolations([](A& a) { a.update_window_dims = {2}; }),
            "update_window_dims={2} names dimension 2, but the update s32[5,4] has rank 2; use 0 to 1");
  EXPECT_EQ(ScatterViolations([](A& a) {
              a.update_window_dims = {0, 1};
            }),
            "update_window_dims={0,1} must name an update dimension for each dimension of the array s32[3,4] that is "
            "neither inserted nor batching, which are 1");
  EXPECT_EQ(ScatterViolations(
                [](A& a) {
                  a.inserted_window_dims = {};
                  a.update_window_dims = {2, 1};
                },
                S32Array({5, 3, 4})),
            "update_window_dims={2,1} must be in ascending order");
  EXPECT_EQ(ScatterViolations([](A& a) { a.inserted_window_dims = {2}; }),
            "inserted_window_dims={2} names dimension 2, but the operand s32[3,4] has rank 2; use 0 to 1");
  EXPECT_EQ(
      ScatterViolations([](A& a) {
        a.scatter_dims_to_operand_dims = {0, 1};
      }),
      "scatter_dims_to_operand_dims={0,1} must have an entry for each of 1 coordinates of an index vector of s32[5] "
      "along index_vector_dim=1");
  EXPECT_EQ(ScatterViolations([](A& a) { a.input_batching_dims = {0}; }),
            "dimension 0 stands in both inserted_window_dims={0} and input_batching_dims={0}; it may stand in one of "
            "them");
}
TEST(Scatter, RefusesAFunctionOfTheWrongSignature) {
  TestComputation f("f");
  f.Parameter(0, Shape::Scalar(S32));
  EXPECT_EQ(ScatterViolations([](ScatterAttributes&) {}, S32Array({5, 4}), S32Array({5}), &f.computation()),
            "to_apply f must be (s32[], s32[]) -> s32[], got (s32[]) -> s32[]");
}
TEST(Scatter, RefusesAnEvenNumberOfOperandsAndArraysThatDiffer) {
  Combiner add(HloOpcode::kAdd);
  const Shape x = S32Array({3, 4});
  const Shape i = S32Array({5});
  const Shape u = S32Array({5, 4});
  const auto message = [&](std::vector<Shape> operands) {
    return std::string(
        InferredShapeOf(HloOpcode::kScatter, operands, With(ScatterRows()), {add.get()}).status().message());
  };
  EXPECT_EQ(message({x, x, i, u}), "expected n arrays, the indices and n updates, got 4 operands; give an odd number");
  EXPECT_EQ(
      message({x, S32Array({3, 5}), i, u, u}),
      "all arrays must have equal dimensions, and all updates: array 0 is s32[3,4], array 1 is s32[3,5], update 0 "
      "is s32[5,4], update 1 is s32[5,4]");
}

}  // namespace
}  // namespace xla
