#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SetAttributes Dims(DimensionVector lhs_batch, DimensionVector lhs_contracting, DimensionVector rhs_batch,
                   DimensionVector rhs_contracting) {
  return [=](HloInstruction& dot) {
    auto& attributes = dot.mutable_attributes<DotAttributes>();
    attributes.lhs_batch_dims = lhs_batch;
    attributes.lhs_contracting_dims = lhs_contracting;
    attributes.rhs_batch_dims = rhs_batch;
    attributes.rhs_contracting_dims = rhs_contracting;
  };
}

template <typename T>
Literal Array(std::initializer_list<int64_t> dimensions, std::vector<T> values) {
  return Literal::FromValues<T>(std::vector<int64_t>(dimensions), absl::Span<const T>(values));
}

// lhs and rhs whose products are all different, in a size that crosses every block boundary of the tiled product.
TEST(Dot, LargeProductsAgreeWithTheDefinition) {
  const int64_t m = 131, n = 261, k = 517;
  std::vector<float> a(m * k), b(k * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<float>(i));
  const auto result = EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {m, n}), {Array({m, k}, a), Array({k, n}, b)},
                                 Dims({}, {1}, {}, {0}));
  ASSERT_TRUE(result.ok()) << result.status();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += static_cast<double>(a[i * k + l]) * b[l * n + j];
      ASSERT_EQ(result->data<float>()[i * n + j], static_cast<float>(sum)) << i << "," << j;
    }
  }
}

TEST(Dot, TransposedAndNarrowProductsHaveTheSameBits) {
  const int64_t m = 300, k = 40;
  std::vector<float> a(m * k), x(k);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<float>(i));
  const auto column =
      EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {m}), {Array({m, k}, a), Array({k}, x)}, Dims({}, {1}, {}, {0}));
  const auto row =
      EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {m}), {Array({k}, x), Array({m, k}, a)}, Dims({}, {0}, {}, {1}));
  ASSERT_TRUE(column.ok() && row.ok());
  EXPECT_TRUE(column->BitwiseEquals(*row));
}

TEST(Dot, ContractsSeveralDimensionsInThePairsOfTheirLists) {
  // lhs[b, i, p, q], rhs[q, b, p]: sum over p, q.
  std::vector<int32_t> a(2 * 2 * 2 * 3), b(3 * 2 * 2);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int32_t>(i);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int32_t>(10 * i + 1);
  const auto result = EvaluateOp(HloOpcode::kDot, Shape::Array(S32, {2, 2}),
                                 {Array({2, 2, 2, 3}, a), Array({3, 2, 2}, b)}, Dims({0}, {3, 2}, {1}, {0, 2}));
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<int32_t> expected(4);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int p = 0; p < 2; ++p) {
        for (int q = 0; q < 3; ++q) {
          expected[i * 2 + j] += a[((i * 2 + j) * 2 + p) * 3 + q] * b[(q * 2 + i) * 2 + p];
        }
      }
    }
  }
  EXPECT_THAT(result->span<int32_t>(), ::testing::ElementsAreArray(expected));
}

TEST(Dot, IntegersWrapAndMayWiden) {
  const Literal x = Literal::Vector<int8_t>({100, 100}), y = Literal::Vector<int8_t>({100, 100});
  EXPECT_EQ(EvaluateOp(HloOpcode::kDot, Shape::Scalar(S8), {x, y}, Dims({}, {0}, {}, {0}))->data<int8_t>()[0],
            static_cast<int8_t>(20000));
  EXPECT_EQ(EvaluateOp(HloOpcode::kDot, Shape::Scalar(S32), {x, y}, Dims({}, {0}, {}, {0}))->data<int32_t>()[0], 20000);
  const Literal big = Literal::Vector<uint64_t>({1ull << 63, 3});
  const Literal two = Literal::Vector<uint64_t>({2, 5});
  EXPECT_EQ(EvaluateOp(HloOpcode::kDot, Shape::Scalar(U64), {big, two}, Dims({}, {0}, {}, {0}))->data<uint64_t>()[0],
            15u);
}

TEST(Dot, PredIsAnOrOfAnds) {
  const bool values[] = {true, true, false, false};
  const Literal x = Literal::FromValues<bool>({2, 2}, absl::MakeConstSpan(values));
  const auto result = EvaluateOp(HloOpcode::kDot, Shape::Array(PRED, {2}), {x, Literal::Vector<bool>({true, true})},
                                 Dims({}, {1}, {}, {0}));
  EXPECT_THAT(result->span<bool>(), ElementsAre(true, false));
}

TEST(Dot, RoundsOnceAndKeepsWhatADoubleHolds) {
  // In f32 the ones would vanish beside 2^24.
  const Literal x = Literal::Vector<float>({16777216.f, 1.f, 1.f, -16777216.f});
  const Literal y = Literal::Vector<float>({1, 1, 1, 1});
  EXPECT_EQ(EvaluateOp(HloOpcode::kDot, Shape::Scalar(F32), {x, y}, Dims({}, {0}, {}, {0}))->data<float>()[0], 2.f);
}

TEST(Dot, ComplexAndEmptyContractions) {
  const Literal x = Literal::Vector<complex64>({{1, 2}, {0, 1}});
  const Literal y = Literal::Vector<complex64>({{3, -1}, {0, 1}});
  EXPECT_EQ(EvaluateOp(HloOpcode::kDot, Shape::Scalar(C64), {x, y}, Dims({}, {0}, {}, {0}))->data<complex64>()[0],
            complex64(4, 5));
  const Literal none = Array<float>({2, 0}, {});
  EXPECT_THAT(
      EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {2, 2}), {none, none}, Dims({}, {1}, {}, {1}))->span<float>(),
      ElementsAre(0, 0, 0, 0));
}

TEST(Dot, InfersShapesAndTypes) {
  const auto f = [](PrimitiveType type) { return Shape::Array(type, {2, 3}); };
  EXPECT_EQ(InferredShapeOf(HloOpcode::kDot, {f(BF16), f(F32)}, Dims({}, {0}, {}, {0}))->ToString(), "f32[3,3]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kDot, {f(F16), f(BF16)}, Dims({}, {0}, {}, {0}))->ToString(), "f32[3,3]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kDot, {f(S4), f(S8)}, Dims({0}, {}, {0}, {}))->ToString(), "s8[2,3,3]");
}

TEST(Dot, RefusesWrongDimensions) {
  const Shape a = Shape::Array(F32, {2, 3}), b = Shape::Array(F32, {4, 5}), r = Shape::Array(F32, {2, 5});
  const auto message = [&](SetAttributes dims) { return ViolationsOf(HloOpcode::kDot, r, {a, b}, dims); };
  EXPECT_EQ(message(Dims({}, {1}, {}, {0})),
            "contracting dimensions must have equal size: lhs f32[2,3] dim 1 is 3, expected the same of rhs f32[4,5] "
            "dim 0, got 4; transpose an operand or change rhs_contracting_dims");
  EXPECT_EQ(message(Dims({}, {2}, {}, {0})),
            "a dimension of lhs_contracting_dims={2} is out of range: 2 of f32[2,3], which has dimensions 0 to 1");
  EXPECT_EQ(message(Dims({}, {0, 1}, {}, {0})),
            "lhs and rhs must have equally many contracting dimensions, got {0,1} and {0}");
  EXPECT_EQ(message(Dims({1}, {1}, {0}, {1})),
            "dimension 1 of lhs f32[2,3] is named twice, in lhs_batch_dims and in lhs_contracting_dims; each dimension "
            "may be a batch or a contracting dimension once");
}

TEST(Dot, KnowsWhichTypesMultiply) {
  const auto message = [&](PrimitiveType a, PrimitiveType b, PrimitiveType result) {
    return ViolationsOf(HloOpcode::kDot, Shape::Scalar(result), {Shape::Scalar(a), Shape::Scalar(b)});
  };
  EXPECT_EQ(message(PRED, F32, F32), "warning: the operands are pred and f32; they are multiplied as f32");
  EXPECT_EQ(message(F32, C64, C64), "warning: the operands are f32 and c64; they are multiplied as c64");
  EXPECT_EQ(message(C64, C64, F32), "a product of complex operands cannot be f32; take `real` of a complex result");
  EXPECT_EQ(message(S32, S32, S8),
            "warning: the result's element type s8 is narrower than s32; sums keep their low bits");
  EXPECT_EQ(message(S8, S8, S32), "");
  EXPECT_EQ(message(PRED, PRED, PRED), "");
  EXPECT_EQ(message(PRED, F32, PRED),
            "a product of pred and f32 cannot be pred; compare a sum of another type with 0\n"
            "warning: the operands are pred and f32; they are multiplied as f32");
}

TEST(Dot, RefusesAWrongNumberOfPrecisions) {
  const auto set = [](HloInstruction& dot) {
    dot.mutable_attributes<DotAttributes>().operand_precision = {Precision::kHigh};
  };
  EXPECT_EQ(ViolationsOf(HloOpcode::kDot, Shape::Scalar(F32), {Shape::Scalar(F32), Shape::Scalar(F32)}, set),
            "operand_precision must have one entry for each of the 2 operands, got 1");
}

TEST(Dot, SkipsWhatLiesBeyondADynamicSize) {
  Literal x = Literal::Vector<float>({1, 2, std::numeric_limits<float>::quiet_NaN()});
  const bool dynamic = true;
  x.ResetShape(Shape::Array(F32, std::vector<int64_t>{3}, absl::MakeConstSpan(&dynamic, 1)));
  x.SetDynamicSize(0, 2);
  EXPECT_EQ(EvaluateOp(HloOpcode::kDot, Shape::Scalar(F32), {x, x}, Dims({}, {0}, {}, {0}))->data<float>()[0], 5.f);
}

// ---- ragged-dot

SetAttributes Ragged(DimensionVector lhs_contracting, DimensionVector rhs_contracting, int64_t ragged,
                     DimensionVector group, DimensionVector lhs_batch = {}, DimensionVector rhs_batch = {}) {
  return [=](HloInstruction& dot) {
    auto& attributes = dot.mutable_attributes<RaggedDotAttributes>();
    attributes.lhs_batch_dims = lhs_batch;
    attributes.rhs_batch_dims = rhs_batch;
    attributes.lhs_contracting_dims = lhs_contracting;
    attributes.rhs_contracting_dims = rhs_contracting;
    attributes.lhs_ragged_dims = {ragged};
    attributes.rhs_group_dims = group;
  };
}

TEST(RaggedDot, RowsOfAGroupMeetTheirOwnMatrix) {
  const Literal lhs = Array<float>({4, 1}, {1, 2, 3, 4});
  const Literal rhs = Array<float>({3, 1, 2}, {1, 10, 2, 20, 3, 30});
  const auto result = EvaluateOp(HloOpcode::kRaggedDot, Shape::Array(F32, {4, 2}),
                                 {lhs, rhs, Literal::Vector<int32_t>({1, 0, 2})}, Ragged({1}, {1}, 0, {0}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->span<float>(), ElementsAre(1, 10, 6, 60, 9, 90, 0, 0));
}

TEST(RaggedDot, ContractingGroupsAreSummedApart) {
  const Literal lhs = Array<float>({1, 4}, {1, 2, 3, 4});
  const Literal rhs = Array<float>({4, 1}, {1, 1, 10, 10});
  const auto result = EvaluateOp(HloOpcode::kRaggedDot, Shape::Array(F32, {2, 1, 1}),
                                 {lhs, rhs, Literal::Vector<int32_t>({1, 2})}, Ragged({1}, {0}, 1, {}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->span<float>(), ElementsAre(1, 32));
}

TEST(RaggedDot, BatchesBeyondTheGroupsAreZero) {
  const Literal lhs = Array<float>({3, 1}, {1, 2, 3});
  const auto result = EvaluateOp(HloOpcode::kRaggedDot, Shape::Array(F32, {3}),
                                 {lhs, lhs, Literal::Vector<int32_t>({1, 1})}, Ragged({1}, {1}, 0, {}, {0}, {0}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->span<float>(), ElementsAre(1, 4, 0));
}

TEST(RaggedDot, GroupSizesMayDifferByBatch) {
  const Literal lhs = Array<float>({2, 2, 1}, {1, 2, 3, 4});
  const Literal rhs = Array<float>({2, 2, 1, 1}, {1, 10, 100, 1000});  // group, batch
  const auto result = EvaluateOp(HloOpcode::kRaggedDot, Shape::Array(F32, {2, 2, 1}),
                                 {lhs, rhs, Array<int32_t>({2, 2}, {2, 0, 1, 1})}, Ragged({2}, {2}, 1, {0}, {0}, {1}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->span<float>(), ElementsAre(1, 2, 30, 4000));
}

TEST(RaggedDot, RefusesWrongGroups) {
  const Shape lhs = Shape::Array(F32, {4, 2}), rhs = Shape::Array(F32, {3, 2, 5}), sizes = Shape::Array(S32, {3});
  const Shape r = Shape::Array(F32, {4, 5});
  const auto message = [&](const Shape& s, SetAttributes a) {
    return ViolationsOf(HloOpcode::kRaggedDot, r, {lhs, rhs, s}, a);
  };
  EXPECT_EQ(message(sizes, Ragged({1}, {1}, 0, {0})), "");
  EXPECT_EQ(message(sizes, Ragged({1}, {1}, 2, {0})), "lhs_ragged_dims={2} is out of range for lhs f32[4,2]");
  EXPECT_EQ(message(sizes, Ragged({1}, {1}, 0, {})),
            "rhs_group_dims must have 1 dimensions when the ragged dimension 0 of lhs is free, got {}");
  EXPECT_EQ(message(sizes, Ragged({1}, {1}, 0, {1})),
            "rhs_group_dims={1} must be a dimension of rhs f32[3,2,5] that is neither batch nor contracting");
  EXPECT_EQ(message(Shape::Array(S32, {2}), Ragged({1}, {1}, 0, {0})),
            "the group dimension 0 of rhs f32[3,2,5] must have one element for each of the 2 group sizes");
  EXPECT_EQ(message(Shape::Array(F32, {3}), Ragged({1}, {1}, 0, {0})),
            "group_sizes must be an array of integers with at least one dimension, got f32[3]");
  EXPECT_EQ(message(Shape::Array(S32, {2, 3}), Ragged({1}, {1}, 0, {0})),
            "group_sizes must have dimensions [3] or [3], got s32[2,3]");
}

// ---- scaled-dot

TEST(ScaledDot, RepeatsScalesAlongEachDimension) {
  const Literal lhs = Array<float>({1, 4}, {1, 1, 1, 1}), rhs = Array<float>({4, 1}, {1, 2, 3, 4});
  const auto result =
      EvaluateOp(HloOpcode::kScaledDot, Shape::Array(F32, {1, 1}),
                 {lhs, rhs, Array<float>({1, 2}, {10, 100}), Literal::Scalar<float>(0.5f)}, Dims({}, {1}, {}, {0}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->span<float>(), ElementsAre((1 + 2) * 5 + (3 + 4) * 50));
}

TEST(ScaledDot, RefusesScalesThatDoNotFit) {
  const Shape lhs = Shape::Array(F32, {1, 4}), rhs = Shape::Array(F32, {4, 1}), r = Shape::Array(F32, {1, 1});
  const auto message = [&](const Shape& lhs_scale, const Shape& rhs_scale) {
    return ViolationsOf(HloOpcode::kScaledDot, r, {lhs, rhs, lhs_scale, rhs_scale}, Dims({}, {1}, {}, {0}));
  };
  EXPECT_EQ(message(Shape::Array(F32, {1, 3}), Shape::Scalar(F32)),
            "dimension 1 of lhs f32[1,4] must be a multiple of that of its scale f32[1,3]");
  EXPECT_EQ(message(Shape::Scalar(F32), Shape::Scalar(F32)),
            "both scales are scalars; use dot, and multiply its result");
  EXPECT_EQ(message(Shape::Array(F32, {1, 2}), Shape::Array(F32, {2})),
            "the scale of rhs must be a scalar or have the 2 dimensions of f32[4,1], got f32[2]");
  EXPECT_THAT(ViolationsOf(HloOpcode::kScaledDot, Shape::Array(F32, {1, 4, 4, 1}),
                           {lhs, rhs, Shape::Array(F32, {1, 2}), Shape::Scalar(F32)}, Dims({}, {}, {}, {})),
              HasSubstr("there must be exactly one contracting dimension, got 0"));
}

}  // namespace
}  // namespace xla
