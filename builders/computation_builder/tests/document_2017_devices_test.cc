// The operation semantics of 2017: operations that reach outside the program, and random numbers.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/tests/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/custom_call_registry.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CrossReplicaSum2017, OfTwoReplicas) {
  ComputationBuilder b("sum");
  b.SetDeviceCounts(2);
  b.CrossReplicaSum(b.Parameter(0, Shape::Array(F32, {2}), "x"));
  const auto results = EvaluateOnReplicas(b, {{LiteralOf("f32[2] {1.0, 2.5}")}, {LiteralOf("f32[2] {3.0, 5.1}")}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, ElementsAre(HasValue("f32[2] {4.0, 7.6}"), HasValue("f32[2] {4.0, 7.6}")));
}

// "If one replica executes a CrossReplicaSum node more times than another, then the former replica will wait forever":
// here the run ends with an error that says so. Replica r goes round its loop r + 1 times.
TEST(CrossReplicaSum2017, ExecutedMoreOftenOnOneReplicaIsReported) {
  ComputationBuilder condition("condition");
  condition.Gt(condition.Parameter(0, Shape::Scalar(S32), "x"), condition.ConstantR0<int32_t>(0));
  ComputationBuilder body("body");
  const auto x = body.Parameter(0, Shape::Scalar(S32), "x");
  const auto sum = body.CrossReplicaSum(body.ConstantR0<int32_t>(0));
  body.Add(body.Sub(x, body.ConstantR0<int32_t>(1)), sum);
  ComputationBuilder b("loop");
  b.SetDeviceCounts(2);
  const auto rounds = b.Parameter(0, Shape::Scalar(S32), "rounds");
  b.While(condition.Build().value(), body.Build().value(), rounds);
  const auto results = EvaluateOnReplicas(b, {{Literal::Scalar<int32_t>(1)}, {Literal::Scalar<int32_t>(2)}});
  EXPECT_THAT(results.status().message(), HasSubstr("deadlock"));
}

extern "C" void myfunc(void* out, void** in) {
  float(&x)[2] = *static_cast<float(*)[2]>(in[0]);
  float(&y)[2][3] = *static_cast<float(*)[2][3]>(in[1]);
  EXPECT_EQ(1, x[0]);
  EXPECT_EQ(2, x[1]);
  EXPECT_EQ(10, y[0][0]);
  EXPECT_EQ(20, y[0][1]);
  EXPECT_EQ(30, y[0][2]);
  EXPECT_EQ(40, y[1][0]);
  EXPECT_EQ(50, y[1][1]);
  EXPECT_EQ(60, y[1][2]);
  float(&z)[3][3] = *static_cast<float(*)[3][3]>(out);
  z[0][0] = x[1] + y[1][0];
  z[2][1] = x[0] * y[1][2];
}

TEST(CustomCall2017, FunctionOfTheDocument) {
  ASSERT_TRUE(CustomCallRegistry::Global().RegisterOriginal("myfunc", &myfunc).ok());
  ComputationBuilder b("custom_call");
  const auto x = b.ConstantR1<float>({1, 2});
  const auto y = b.ConstantR2<float>({{10, 20, 30}, {40, 50, 60}});
  b.CustomCall("myfunc", {x, y}, Shape::Array(F32, {3, 3}));
  EXPECT_THAT(Evaluate(b), HasValue("f32[3,3] {{42, 0, 0}, {0, 0, 0}, {0, 60, 0}}"));
}

TEST(CustomCall2017, UnknownFunctionIsNamed) {
  ComputationBuilder b("custom_call");
  b.CustomCall("no_such_function", {}, Shape::Array(F32, {3}));
  EXPECT_THAT(Evaluate(b).status().message(), HasSubstr("no_such_function"));
}

// x -> x < limit
Computation Below(float limit) {
  ComputationBuilder b("below");
  b.Lt(b.Parameter(0, Shape::Scalar(F32), "x"), b.ConstantR0<float>(limit));
  return b.Build().value();
}

// x -> Infeed(f32[])
Computation NextValue() {
  ComputationBuilder b("next");
  b.Parameter(0, Shape::Scalar(F32), "x");
  b.Infeed(Shape::Scalar(F32));
  return b.Build().value();
}

FeedQueues QueueOf(std::vector<float> values) {
  FeedQueues queues;
  queues.infeed.resize(1);
  for (const float value : values) queues.infeed[0].push_back(Literal::Scalar<float>(value));
  return queues;
}

// result1 = while (condition, init = init_value) { Infeed(shape) }
// result2 = while (condition, init = result1) { Infeed(shape) }
TEST(Infeed2017, TwoLoopsInARow) {
  ComputationBuilder b("two_loops");
  const auto init_value = b.ConstantR0<float>(0);
  const auto result1 = b.While(Below(10), NextValue(), init_value);
  const auto result2 = b.While(Below(100), NextValue(), result1);
  b.Tuple({result1, result2});
  FeedQueues queues = QueueOf({1, 2, 10, 50, 99, 100, 7});
  EXPECT_THAT(EvaluateWithFeeds(b, {}, &queues), HasValue("(f32[] 10, f32[] 100)"));
}

// "The compiler issues an error if there isn't a total order."
TEST(Infeed2017, TwoLoopsWithoutOrderAreRefused) {
  ComputationBuilder b("no_order");
  const auto init_value = b.ConstantR0<float>(0);
  b.While(Below(10), NextValue(), init_value);
  b.While(Below(100), NextValue(), init_value);
  EXPECT_THAT(b.Build().status().message(), HasSubstr("there is no order between while."));
}

TEST(Infeed2017, TakesPlaceInTheOrderOfTheCalls) {
  ComputationBuilder b("order");
  const auto first = b.Infeed(Shape::Scalar(F32));
  const auto second = b.Infeed(Shape::Array(S32, {2}));
  b.Tuple({second, first, b.Infeed(Shape::Tuple({Shape::Scalar(F32), Shape::Scalar(PRED)}))});
  FeedQueues queues;
  queues.infeed.push_back({LiteralOf("f32[] 1"), LiteralOf("s32[2] {2, 3}"), LiteralOf("(f32[] 4, pred[] true)")});
  EXPECT_THAT(EvaluateWithFeeds(b, {}, &queues), HasValue("(s32[2] {2, 3}, f32[] 1, (f32[] 4, pred[] true))"));
}

// "For an empty tuple shape, the Infeed operation is effectively a nop."
TEST(Infeed2017, EmptyTupleReadsNothing) {
  ComputationBuilder b("empty");
  const auto nothing = b.Infeed(Shape::Tuple({}));
  b.Tuple({nothing, b.Infeed(Shape::Scalar(F32))});
  FeedQueues queues = QueueOf({5});
  EXPECT_THAT(EvaluateWithFeeds(b, {}, &queues), HasValue("((), f32[] 5)"));
}

TEST(Infeed2017, NestedTuplesAreRefused) {
  ComputationBuilder b("nested");
  b.Infeed(Shape::Tuple({Shape::Tuple({Shape::Scalar(F32)})}));
  EXPECT_THAT(b.first_error().message(), HasSubstr("tuple"));
}

// The result of one Rng operation with a seed.
template <typename Write>
Literal RandomNumbers(const Shape& shape, uint64_t seed, Write write) {
  ComputationBuilder b("rng");
  write(b, shape);
  absl::StatusOr<Literal> result = Evaluate(b, {}, seed);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return Literal();
  EXPECT_EQ(result->shape().ToString(), shape.ToString());
  return *std::move(result);
}

struct Moments {
  double mean = 0;
  double deviation = 0;
  double least = INFINITY;
  double greatest = -INFINITY;
};
template <typename T>
Moments MomentsOf(const Literal& numbers) {
  Moments moments;
  double sum = 0, squares = 0;
  for (const T number : numbers.span<T>()) {
    const double x = static_cast<double>(number);
    sum += x;
    squares += x * x;
    moments.least = std::min(moments.least, x);
    moments.greatest = std::max(moments.greatest, x);
  }
  moments.mean = sum / numbers.element_count();
  moments.deviation = std::sqrt(squares / numbers.element_count() - moments.mean * moments.mean);
  return moments;
}

const Shape kManyFloats = Shape::Array(F32, {100, 200});

void UniformFloats(ComputationBuilder& b, const Shape& shape) {
  b.RngUniform(b.ConstantR0<float>(-2), b.ConstantR0<float>(6), shape);
}
void StandardNormal(ComputationBuilder& b, const Shape& shape) {
  b.RngNormal(b.ConstantR0<float>(5), b.ConstantR0<float>(2), shape);
}
void Bernoulli(ComputationBuilder& b, const Shape& shape) { b.RngBernoulli(b.ConstantR0<float>(0.25), shape); }

// Means of 20,000 numbers: the bounds are 6 standard deviations and more.
TEST(RngUniform2017, FloatsInTheInterval) {
  const Moments moments = MomentsOf<float>(RandomNumbers(kManyFloats, 1, UniformFloats));
  EXPECT_NEAR(moments.mean, 2, 0.1);
  EXPECT_NEAR(moments.deviation, 8 / std::sqrt(12), 0.1);
  EXPECT_GE(moments.least, -2);
  EXPECT_LT(moments.greatest, 6);
}

TEST(RngUniform2017, IntegersWithoutTheUpperLimit) {
  const auto write = [](ComputationBuilder& b, const Shape& shape) {
    b.RngUniform(b.ConstantR0<int32_t>(-1), b.ConstantR0<int32_t>(3), shape);
  };
  const Moments moments = MomentsOf<int32_t>(RandomNumbers(Shape::Array(S32, {1000}), 1, write));
  EXPECT_EQ(moments.least, -1);
  EXPECT_EQ(moments.greatest, 2);
  EXPECT_NEAR(moments.mean, 0.5, 0.25);
}

TEST(RngNormal2017, MeanAndStandardDeviation) {
  const Moments moments = MomentsOf<float>(RandomNumbers(kManyFloats, 1, StandardNormal));
  EXPECT_NEAR(moments.mean, 5, 0.1);
  EXPECT_NEAR(moments.deviation, 2, 0.1);
}

TEST(RngBernoulli2017, OnesWithTheGivenProbability) {
  const Moments moments = MomentsOf<uint32_t>(RandomNumbers(Shape::Array(U32, {100, 200}), 1, Bernoulli));
  EXPECT_EQ(moments.least, 0);
  EXPECT_EQ(moments.greatest, 1);
  EXPECT_NEAR(moments.mean, 0.25, 0.03);
}

TEST(RngBernoulli2017, NeverAndAlways) {
  ComputationBuilder b("bernoulli");
  const Shape shape = Shape::Array(U32, {3});
  b.Tuple({b.RngBernoulli(b.ConstantR0<float>(0), shape), b.RngBernoulli(b.ConstantR0<float>(1), shape)});
  EXPECT_THAT(Evaluate(b), HasValue("(u32[3] {0, 0, 0}, u32[3] {1, 1, 1})"));
}

template <typename Write>
void ExpectSeedDecides(const Shape& shape, Write write) {
  const Literal first = RandomNumbers(shape, 1, write);
  EXPECT_TRUE(first.BitwiseEquals(RandomNumbers(shape, 1, write)));
  EXPECT_FALSE(first.BitwiseEquals(RandomNumbers(shape, 2, write)));
}
TEST(RngUniform2017, SeedDecides) { ExpectSeedDecides(kManyFloats, UniformFloats); }
TEST(RngNormal2017, SeedDecides) { ExpectSeedDecides(kManyFloats, StandardNormal); }
TEST(RngBernoulli2017, SeedDecides) { ExpectSeedDecides(Shape::Array(U32, {1000}), Bernoulli); }

TEST(RngUniform2017, TwoCallsDiffer) {
  ComputationBuilder b("rng");
  const Shape shape = Shape::Array(F32, {10});
  const auto low = b.ConstantR0<float>(0), high = b.ConstantR0<float>(1);
  b.Tuple({b.RngUniform(low, high, shape), b.RngUniform(low, high, shape)});
  const absl::StatusOr<Literal> result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->element(0).BitwiseEquals(result->element(1)));
}

TEST(Rng2017, OfNoElementsAndAScalar) {
  RandomNumbers(Shape::Array(F32, {0, 3}), 1, UniformFloats);
  RandomNumbers(Shape::Scalar(F32), 1, StandardNormal);
  RandomNumbers(Shape::Scalar(U32), 1, Bernoulli);
}

}  // namespace
}  // namespace xla
