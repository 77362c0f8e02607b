#include "builders/computation_builder/lib/reductions.h"

#include <cmath>
#include <limits>

#include "builders/computation_builder/lib/activations.h"
#include "builders/computation_builder/lib/cumulative.h"
#include "builders/computation_builder/lib/run_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::IsNan;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

XlaOp Matrix(ComputationBuilder& b) { return b.ConstantR2<float>({{1, 2, 3}, {6, 5, 4}}); }

TEST(Reductions, CombineAlongDimensionsAndKeepThemIfAsked) {
  const auto run = [](auto reduce) {
    ComputationBuilder b("test");
    return Values<float>(b, reduce(Matrix(b)));
  };
  EXPECT_THAT(run([](XlaOp x) { return ReduceSum(x, {1}); }), ElementsAre(6, 15));
  EXPECT_THAT(run([](XlaOp x) { return ReduceProduct(x, {0}); }), ElementsAre(6, 10, 12));
  EXPECT_THAT(run([](XlaOp x) { return ReduceMax(x, {0, 1}); }), ElementsAre(6));
  EXPECT_THAT(run([](XlaOp x) { return ReduceMin(x, {0}); }), ElementsAre(1, 2, 3));
  EXPECT_THAT(run([](XlaOp x) { return Mean(x, {1}); }), ElementsAre(2, 5));
  EXPECT_THAT(run([](XlaOp x) { return Variance(x, {1}); }), ElementsAre(FloatEq(2.f / 3), FloatEq(2.f / 3)));
  EXPECT_THAT(run([](XlaOp x) { return Variance(x, {1}, /*correction=*/1); }), ElementsAre(1, 1));
  EXPECT_THAT(run([](XlaOp x) { return ReduceSum(x, {}); }), ElementsAre(1, 2, 3, 6, 5, 4));

  ComputationBuilder b("test");
  const XlaOp kept = ReduceMax(Matrix(b), {1}, /*keep_dimensions=*/true);
  EXPECT_EQ(b.ShapeOrInvalid(kept).ToString(), "f32[2,1]");
  EXPECT_EQ(b.ShapeOrInvalid(Variance(Matrix(b), {0}, 0, true)).ToString(), "f32[1,3]");
}

TEST(Reductions, SumsOfNarrowFloatsDoNotStopGrowing) {
  ComputationBuilder b("test");
  const XlaOp ones = b.ConvertElementType(b.ConstantR1<float>(1000, 1), BF16);
  EXPECT_THAT(Values<float>(b, b.ConvertElementType(ReduceSum(ones, {0}), F32)), ElementsAre(1000));
}

TEST(Reductions, AnyAndAll) {
  const auto run = [](auto reduce) {
    ComputationBuilder b("test");
    return Values<bool>(b, reduce(b.ConstantR2<bool>({{true, false}, {true, true}})));
  };
  EXPECT_THAT(run([](XlaOp x) { return Any(x); }), ElementsAre(true));
  EXPECT_THAT(run([](XlaOp x) { return All(x); }), ElementsAre(false));
  EXPECT_THAT(run([](XlaOp x) { return All(x, {1}); }), ElementsAre(false, true));
  EXPECT_THAT(run([](XlaOp x) { return Any(x, {0}); }), ElementsAre(true, true));
}

TEST(Reductions, LogSumExpNeitherOverflowsNorMakesNanOfInfinities) {
  ComputationBuilder b("test");
  const XlaOp x = b.ConstantR2<float>({{1000, 1000}, {-kInf, -kInf}, {kInf, 0}, {-1000, -kInf}});
  EXPECT_THAT(Values<float>(b, LogSumExp(x, {1})), ElementsAre(FloatEq(1000.6931f), -kInf, kInf, -1000));
}

TEST(ArgMinMax, TakesTheLowestIndexOfEqualsAndNanBeforeAll) {
  const auto run = [](bool max) {
    ComputationBuilder b("test");
    const XlaOp x =
        b.ConstantR2<float>({{1, 3, 3}, {2, 0, 0}, {5, kNan, kNan}, {-kInf, -kInf, -kInf}, {kInf, kInf, 0}});
    return Values<int32_t>(b, max ? ArgMax(x, S32, 1) : ArgMin(x, S32, 1));
  };
  EXPECT_THAT(run(true), ElementsAre(1, 0, 1, 0, 0));
  EXPECT_THAT(run(false), ElementsAre(0, 1, 1, 0, 2));
}

TEST(ArgMinMax, OfIntegersAndPredicates) {
  ComputationBuilder b("test");
  const XlaOp integers = ArgMax(b.ConstantR2<int32_t>({{1, 9}, {7, 8}}), S64, 0);
  const XlaOp predicates = ArgMin(b.ConstantR1<bool>({true, false}), S64, 0);
  EXPECT_THAT(Values<int64_t>(b, b.Add(integers, predicates)), ElementsAre(2, 1));
}

TEST(Cumulative, InAllFourDirections) {
  const auto run = [](bool exclusive, bool reverse) {
    ComputationBuilder b("test");
    return Values<float>(b, CumSum(Matrix(b), 1, exclusive, reverse));
  };
  EXPECT_THAT(run(false, false), ElementsAre(1, 3, 6, 6, 11, 15));
  EXPECT_THAT(run(true, false), ElementsAre(0, 1, 3, 0, 6, 11));
  EXPECT_THAT(run(false, true), ElementsAre(6, 5, 3, 15, 9, 4));
  EXPECT_THAT(run(true, true), ElementsAre(5, 3, 0, 9, 4, 0));
}

TEST(Cumulative, ProductsExtremesAndLogarithms) {
  const auto run = [](auto cumulate) {
    ComputationBuilder b("test");
    return Values<float>(b, cumulate(b.ConstantR1<float>({2, 3, 1})));
  };
  EXPECT_THAT(run([](XlaOp x) { return CumProd(x, 0); }), ElementsAre(2, 6, 6));
  EXPECT_THAT(run([](XlaOp x) { return CumMax(x, 0); }), ElementsAre(2, 3, 3));
  EXPECT_THAT(run([](XlaOp x) { return CumMin(x, 0, /*exclusive=*/true); }), ElementsAre(kInf, 2, 2));
  const float a = std::log(std::exp(2.f) + std::exp(3.f)), c = std::log(std::exp(3.f) + std::exp(1.f));
  EXPECT_THAT(run([](XlaOp x) { return CumLogSumExp(x, 0); }),
              ElementsAre(2, FloatEq(a), FloatNear(3.4076059f, 1e-5f)));
  EXPECT_THAT(run([](XlaOp x) { return CumLogSumExp(x, 0, true, true); }), ElementsAre(FloatEq(c), FloatEq(1), -kInf));
  EXPECT_THAT(run([](XlaOp x) { return CumSum(x.builder()->Slice(x, {0}, {0}), 0); }), ElementsAre());
}

TEST(Softmax, IsStable) {
  ComputationBuilder b("test");
  const XlaOp x = b.ConstantR2<float>({{1000, 1000}, {0, -1000}});
  EXPECT_THAT(Values<float>(b, b.Tuple({}).valid() ? Softmax(x, 1) : x), ElementsAre(0.5f, 0.5f, 1, 0));
  ComputationBuilder c("test");
  EXPECT_THAT(Values<float>(c, LogSoftmax(c.ConstantR1<float>({1000, 0}), 0)), ElementsAre(0, -1000));
}

TEST(ReductionErrors, NameTheFunctionAndTheCall) {
  ComputationBuilder b("test");
  ArgMax(Matrix(b), S32, 2);
  ExpectError(b, __FILE__, __LINE__ - 1,
              "ArgMax(f32[2,3]): axis must be a dimension of f32[2,3], that is at least 0 and "
              "less than 2, got 2");
  ComputationBuilder c("test");
  ReduceSum(Matrix(c), {1, 1});
  ExpectError(c, __FILE__, __LINE__ - 1,
              "ReduceSum(f32[2,3]): dimensions must not name a dimension twice, got 1 again");
  ComputationBuilder d("test");
  Softmax(d.ConstantR1<int32_t>({1}), 0);
  ExpectError(d, __FILE__, __LINE__ - 1, "Softmax(s32[1]): x must be an array of floats, got s32[1]");
  ComputationBuilder e("test");
  ArgMin(Matrix(e), F32, 0);
  ExpectError(e, __FILE__, __LINE__ - 1, "ArgMin(f32[2,3]): output_type must be an integer type, got f32");
  ComputationBuilder f("test");
  Any(Matrix(f));
  ExpectError(f, __FILE__, __LINE__ - 1, "Any(f32[2,3]): predicates must be an array of pred, got f32[2,3]");
  ComputationBuilder g("test");
  CumSum(Matrix(g), -1);
  ExpectError(g, __FILE__, __LINE__ - 1, "CumSum(f32[2,3]): axis must be a dimension");
}

TEST(ReductionErrors, InvalidValuesAndThoseOfOtherBuildersAreReported) {
  EXPECT_FALSE(Mean(XlaOp(), {}).valid());
  ComputationBuilder b("test"), other("other");
  b.Add(Matrix(b), XlaOp());
  EXPECT_FALSE(b.ok());
  const std::string first(b.first_error().message());
  Mean(Matrix(b), {7});
  EXPECT_EQ(b.first_error().message(), first);
}

// Computations that a function makes for itself come from where the function was called.
TEST(Reductions, GiveTheirComputationsTheCallersMetadata) {
  ComputationBuilder b("place");
  OpMetadata metadata;
  metadata.op_name = "f/best";
  metadata.source_file = "model.py";
  b.SetOpMetadata(metadata);
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {2, 3}), "x");
  b.Tuple({ArgMax(x, S32, 1), CumLogSumExp(x, 1)});
  const auto module = b.BuildModule();
  ASSERT_TRUE(module.ok()) << module.status();
  for (const auto& computation : (*module)->computations()) {
    if (computation->name() != "arg_max" && computation->name() != "log_add_exp") continue;
    for (const auto& instruction : computation->instructions()) {
      EXPECT_EQ(instruction->annotations().metadata.source_file, "model.py") << instruction->ToShortString();
    }
  }
}

}  // namespace
}  // namespace xla
