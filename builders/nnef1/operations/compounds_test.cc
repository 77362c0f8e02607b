// Values of reductions, products, activations, normalisations and small compounds where they are easily got wrong.
#include <cmath>

#include "builders/nnef1/operations/feeds_test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

MATCHER(IsNear, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= 1e-6 * (1 + std::abs(std::get<1>(arg))); }

// ---- Reductions

TEST(ArgmaxReduce, TakesTheFirstOfEqualItems) {
  const Feed x = Scalars("x", {2, 4}, {1, 3, 3, 0, 5, 5, 2, 5});
  EXPECT_THAT(ValuesOf("z = argmax_reduce(x, axes = [1]);", {x}), ElementsAre(1, 0));
  EXPECT_THAT(ValuesOf("z = argmin_reduce(x, axes = [1]);", {x}), ElementsAre(3, 2));
}

TEST(ArgmaxReduce, CountsSeveralAxesInTheirOrder) {
  const Feed x = Scalars("x", {2, 2, 2}, {0, 7, 2, 3, 4, 5, 6, 6});
  EXPECT_THAT(ValuesOf("z = argmax_reduce(x, axes = [2, 0]);", {x}), ElementsAre(1, 2));
  EXPECT_THAT(ExtentsOf("z = argmax_reduce(x, axes = [2, 0]);", {x}), ElementsAre(1, 2, 1));
  EXPECT_THAT(ValuesOf("z = argmax_reduce(x, axes = []);", {x}), Each(0));
}

TEST(SumReduce, DividesByTheReducedVolume) {
  const Feed x = Scalars("x", {2, 2}, {1, 2, 3, 6});
  EXPECT_THAT(ValuesOf("z = sum_reduce(x, axes = [1, 0], normalize = true);", {x}), ElementsAre(3));
  EXPECT_THAT(ExtentsOf("z = mean_reduce(x, axes = [0]);", {x}), ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf("z = sum_reduce(x, axes = [], normalize = true);", {x}), ElementsAre(1, 2, 3, 6));
}

TEST(AllReduce, IsOfLogicals) {
  const Feed x = Logicals("x", {2, 2}, {1, 0, 0, 0});
  EXPECT_THAT(ValuesOf("z = any_reduce(x, axes = [1]);", {x}), ElementsAre(1, 0));
  EXPECT_THAT(ValuesOf("z = all_reduce(x, axes = [0]);", {x}), ElementsAre(0, 0));
}

TEST(Reductions, RefuseAxesThatAreNone) {
  const Feed x = Counting({2, 2});
  EXPECT_THAT(FailureOf("z = max_reduce(x, axes = [2]);", {x}), HasSubstr("an axis from 0 to 1"));
  EXPECT_THAT(FailureOf("z = max_reduce(x, axes = [-1]);", {x}), HasSubstr("do not count from the end"));
  EXPECT_THAT(FailureOf("z = max_reduce(x, axes = [1, 1]);", {x}), HasSubstr("got 1 twice"));
}

// ---- Products

TEST(Matmul, BroadcastsBatches) {
  const Feed a = Scalars("a", {2, 1, 1, 2}, {1, 2, 3, 4}), b = Scalars("b", {1, 2, 2, 1}, {1, 1, 1, -1});
  EXPECT_THAT(ValuesOf("z = matmul(a, b);", {a, b}), ElementsAre(3, -1, 7, -1));
}

TEST(Matmul, KeepsRowsBehindBatchesOfTheOtherOperand) {
  // 2 rows of a meet 2 batches of b: [a rows, b batches, b columns] is not the order of the result.
  const Feed a = Scalars("a", {1, 2, 1}, {1, 10}), b = Scalars("b", {2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(ValuesOf("z = matmul(a, b);", {a, b}), ElementsAre(1, 2, 10, 20, 3, 4, 30, 40));
}

TEST(Matmul, TransposesEither) {
  const Feed a = Scalars("a", {1, 2}, {1, 2}), b = Scalars("b", {1, 2}, {3, 4});
  EXPECT_THAT(ValuesOf("z = matmul(a, b, transposeA = true);", {a, b}), ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(ValuesOf("z = matmul(a, b, transposeB = true);", {a, b}), ElementsAre(11));
  EXPECT_THAT(FailureOf("z = matmul(a, b);", {a, b}), HasSubstr("A, B: expected equal inner extents, got 2 of [1,2]"));
}

TEST(Linear, HasOneRowOfTheFilterForEachOutput) {
  const Feed x = Scalars("x", {1, 2}, {1, 2}), filter = Scalars("f", {3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_THAT(ValuesOf("z = linear(x, f);", {x, filter}), ElementsAre(1, 2, 3));
  EXPECT_THAT(ValuesOf("z = linear(x, f, bias);", {x, filter, Scalars("bias", {1, 3}, {10, 20, 30})}),
              ElementsAre(11, 22, 33));
}

// ---- Activations

TEST(Activations, FollowTheirFormulas) {
  const Feed x = Scalars("x", {3}, {-1, 0, 1});
  EXPECT_THAT(ValuesOf("z = gelu(x);", {x}),  // with a sigmoid; with erf it is 0.841345 for 1
              Pointwise(IsNear(), {-0.15420430, 0.0, 0.84579570}));
  EXPECT_THAT(ValuesOf("z = elu(x, alpha = 2.0);", {x}), Pointwise(IsNear(), {-1.26424112, 0.0, 1.0}));
  EXPECT_THAT(ValuesOf("z = selu(x);", {x}), Pointwise(IsNear(), {-1.11133072, 0.0, 1.05070102}));
  EXPECT_THAT(ValuesOf("z = leaky_relu(x, alpha = 2.0);", {x}), ElementsAre(-2, 0, 1));
  EXPECT_THAT(ValuesOf("z = silu(x);", {x}), Pointwise(IsNear(), {-0.26894142, 0.0, 0.73105858}));
}

TEST(Prelu, AlignsAlphaWithTheFirstDimension) {
  const Feed x = Scalars("x", {2, 2}, {-1, -1, -1, 1});
  EXPECT_THAT(ValuesOf("z = prelu(x, alpha);", {x, Scalars("alpha", {2}, {2, 3})}), ElementsAre(-2, -2, -3, 1));
}

TEST(Softplus, DoesNotOverflow) {
  EXPECT_THAT(ValuesOf("z = softplus(x);", {Scalars("x", {2}, {1000, -1000})}), ElementsAre(1000, 0));
}

TEST(Softmax, IsOverAllAxesTogetherAndOverAxisOneByDefault) {
  const Feed x = Scalars("x", {1, 2, 4}, std::vector<double>(8, 3));
  EXPECT_THAT(ValuesOf("z = softmax(x);", {x}), Each(0.5));
  EXPECT_THAT(ValuesOf("z = softmax(x, axes = [2, 1]);", {x}), Each(0.125));
  EXPECT_THAT(ValuesOf("z = softmax(x);", {Scalars("x", {1, 2}, {1000, 0})}), ElementsAre(1, 0));
  EXPECT_THAT(FailureOf("z = softmax(x);", {Counting({3})}), HasSubstr("an axis from 0 to 0"));
}

// ---- Normalisations

TEST(BatchNormalization, HasTheOffsetBeforeTheScale) {
  const std::vector<Feed> feeds = {Scalars("x", {1, 2, 1}, {3, 10}), Scalars("mean", {1, 2}, {1, 2}),
                                   Scalars("variance", {1, 2}, {4, 16}), Scalars("offset", {1, 2}, {10, 20}),
                                   Scalars("scale", {1, 2}, {2, 3})};
  EXPECT_THAT(ValuesOf("z = batch_normalization(x, mean, variance, offset, scale, epsilon = 0.0);", feeds),
              ElementsAre(12, 26));
}

TEST(L2Normalization, TakesEpsilonAsTheLeastDivisor) {
  const Feed x = Scalars("x", {2}, {3, 4});
  EXPECT_THAT(ValuesOf("z = l2_normalization(x, axes = [0], epsilon = 10.0);", {x}), Pointwise(IsNear(), {0.3, 0.4}));
  EXPECT_THAT(ValuesOf("z = l1_normalization(x, axes = [0], bias = 1.0);", {x}), Pointwise(IsNear(), {0.375, 0.5}));
}

TEST(LocalResponseNormalization, DividesByTheVolumeOfTheWindow) {
  const Feed x = Scalars("x", {1, 3, 1}, {1, 1, 1});
  EXPECT_THAT(
      ValuesOf("z = local_response_normalization(x, size = [1, 3, 1], alpha = 3.0, beta = 1.0, bias = 1.0);", {x}),
      Pointwise(IsNear(), {1 / 3.0, 0.25, 1 / 3.0}));
}

// ---- Several tensors

TEST(Moments, DivideByTheNumberOfItems) {
  const Feed x = Scalars("x", {2}, {10001, 10003});
  EXPECT_THAT(ValuesOf("z, variance = moments(x, axes = [0]);", {x}), ElementsAre(10002));
  EXPECT_THAT(ValuesOf("mean, z = moments(x, axes = [0]);", {x}), ElementsAre(1));
}

TEST(AddN, AddsNoneAndMany) {
  const Feed x = Counting({2, 2}), y = Scalars("y", {2}, {10, 20});
  EXPECT_THAT(ValuesOf("z = add_n([]);", {x}), ElementsAre(0));
  EXPECT_THAT(ValuesOf("z = add_n([x]);", {x}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ValuesOf("z = add_n([x, y, x]);", {x, y}), ElementsAre(10, 12, 24, 26));
}

TEST(CopyN, NeedsOneCopy) {
  EXPECT_THAT(ValuesOf("[a, z] = copy_n(x, times = 2);", {Counting({2})}), ElementsAre(0, 1));
  EXPECT_THAT(FailureOf("[a, z] = copy_n(x, times = 0);", {Counting({2})}), HasSubstr("times: expected 1 to"));
  EXPECT_THAT(FailureOf("[a, z] = copy_n(x, times = 1000000000000);", {Counting({2})}),
              HasSubstr("times: expected 1 to"));
}

// ---- Quantisation

TEST(MinMaxLinearQuantize, RoundsHalvesUp) {
  const Feed x = Scalars("x", {5}, {0.5, 1.5, 2.25, -1, 9});
  EXPECT_THAT(ValuesOf("z = min_max_linear_quantize(x, 0.0, 3.0, bits = 2, signed = false, symmetric = false);", {x}),
              ElementsAre(1, 2, 2, 0, 3));
  EXPECT_THAT(ValuesOf("z = linear_quantize(x, 0.0, 3.0, bits = 2);", {x}), ElementsAre(1, 2, 2, 0, 3));
}

TEST(MinMaxLinearQuantize, HasOneStepLessIfSignedAndSymmetric) {
  const Feed x = Scalars("x", {3}, {0.4, 0.5, -1});
  const std::string call = "z = min_max_linear_quantize(x, -1.0, 1.0, signed = true, symmetric = true, bits = ";
  EXPECT_THAT(ValuesOf(call + "2);", {x}), ElementsAre(0, 1, -1));
  EXPECT_THAT(FailureOf(call + "1);", {x}), HasSubstr("bits: expected 2 to 64, got 1"));
}

TEST(ZeroPointLinearQuantize, LimitsCodes) {
  const std::string call = "z = zero_point_linear_quantize(x, ";
  EXPECT_THAT(ValuesOf(call + "zero_point = 8, scale = 0.5, bits = 4, signed = false, symmetric = false);",
                       {Scalars("x", {4}, {0.25, -0.25, 100, -100})}),
              ElementsAre(0.5, 0, 3.5, -4));
  const Feed x = Scalars("x", {2}, {100, -100});
  EXPECT_THAT(ValuesOf(call + "zero_point = 0, scale = 1.0, bits = 3, signed = true, symmetric = false);", {x}),
              ElementsAre(3, -4));
  EXPECT_THAT(ValuesOf(call + "zero_point = 0, scale = 1.0, bits = 3, signed = true, symmetric = true);", {x}),
              ElementsAre(3, -3));
}

TEST(ZeroPointLinearQuantize, TakesTensors) {
  EXPECT_THAT(ValuesOf("z = zero_point_linear_quantize(x, zero, s, bits = 8, signed = true, symmetric = false);",
                       {Scalars("x", {2, 1}, {3, 3}), Integers("zero", {2}, {0, 127}), Scalars("s", {2}, {2, 1})}),
              ElementsAre(4, 0));
}

TEST(LogarithmicQuantize, KeepsPowersOfTwoExact) {
  // log2(8) is 3, not a little more, which would be rounded up to 4.
  const Feed x = Scalars("x", {6}, {0, 1, 3, -3, 100, 0.001}), max = Scalars("max", {}, {8});
  EXPECT_THAT(ValuesOf("z = logarithmic_quantize(x, max, bits = 3);", {x, max}),
              Pointwise(IsNear(), {0.0, 1.0, 4.0, -4.0, 8.0, 0.0625}));
  EXPECT_THAT(ValuesOf("z = logarithmic_quantize(x, 3.3, bits = 3);", {Scalars("x", {1}, {100})}),
              ElementsAre(DoubleNear(4, 1e-5)));
}

// ---- Regions of interest

Feed WholeMap(double rows, double columns) { return Scalars("rois", {1, 4}, {0, 0, rows, columns}); }
const Feed& FirstMap() {
  static const auto* const feed = new Feed(Integers("batch", {1, 1}, {0}));
  return *feed;
}

TEST(RoiPool, DividesRegionsIntoCells) {
  const std::string call = "z = avg_roi_pool(x, rois, batch, output_size = [2, 2]);";
  EXPECT_THAT(ValuesOf(call, {Counting({1, 1, 4, 4}), WholeMap(4, 4), FirstMap()}), ElementsAre(2.5, 4.5, 10.5, 12.5));
  // Cells of ceil(3 / 2) items from item 0 and from item floor(3 / 2) on.
  EXPECT_THAT(ValuesOf(call, {Counting({1, 1, 4, 4}), WholeMap(3, 3), FirstMap()}), ElementsAre(2.5, 3.5, 6.5, 7.5));
}

TEST(RoiPool, RoundsCoordinatesHalvesUp) {
  const Feed rois = Scalars("rois", {1, 4}, {-0.5, 0.49, 3.5, 3.6});
  EXPECT_THAT(
      ValuesOf("z = max_roi_pool(x, rois, batch, output_size = [1, 1]);", {Counting({1, 1, 4, 4}), rois, FirstMap()}),
      ElementsAre(15));
  EXPECT_THAT(
      ValuesOf("z = avg_roi_pool(x, rois, batch, output_size = [1, 1]);", {Counting({1, 1, 4, 4}), rois, FirstMap()}),
      ElementsAre(7.5));
}

TEST(RoiPool, TakesTheMapOfEachRegion) {
  const Feed x = Scalars("x", {2, 1, 3}, {-1, -2, -3, -4, -5, -6});
  const Feed rois = Scalars("rois", {3, 2}, {0, 3, 1, 3, 2, 3});
  EXPECT_THAT(
      ValuesOf("z = max_roi_pool(x, rois, batch, output_size = [2]);", {x, rois, Integers("batch", {3}, {0, 1, 1})}),
      ElementsAre(-1, -2, -5, -6, -6, -6));
  EXPECT_THAT(
      FailureOf("z = max_roi_pool(x, rois, batch, output_size = [2]);", {x, rois, Integers("batch", {3}, {0, 2, 1})}),
      HasSubstr("batch_index: expected indices from 0 to 1"));
}

// Two regions of five at once; the last two are the fourth, for the second time, and the fifth.
TEST(RoiPool, TakesLargeMapsBlockByBlock) {
  const Feed x = Counting({2, 1, 400000});
  const Feed rois = Scalars("rois", {5, 2}, {0, 400000, 0, 10, 100, 399990, 5, 6, 0, 300000});
  EXPECT_THAT(ValuesOf("z = max_roi_pool(x, rois, batch, output_size = [2]);",
                       {x, rois, Integers("batch", {5}, {0, 1, 0, 1, 0})}),
              ElementsAre(199999, 399999, 400004, 400009, 200044, 399989, 400005, 400005, 149999, 299999));
}

TEST(RoiPool, RefusesRegionsOutsideOfTheMap) {
  const std::string call = "z = avg_roi_pool(x, rois, batch, output_size = [1]);";
  for (const std::vector<double>& region : std::vector<std::vector<double>>{{0, 4}, {-1, 2}, {2, 2}, {2, 1}}) {
    EXPECT_THAT(FailureOf(call, {Counting({1, 1, 3}), Scalars("rois", {1, 2}, region), FirstMap()}),
                HasSubstr("lie inside of the input"))
        << region[0] << " to " << region[1];
  }
}

TEST(RoiResample, SamplesBetweenItems) {
  const auto resample = [](const std::vector<double>& region, const std::string& rest) {
    return ValuesOf("z = roi_resample(x, rois, batch, " + rest + ");",
                    {Counting({1, 1, 4}), Scalars("rois", {1, 2}, region), FirstMap()});
  };
  EXPECT_THAT(resample({0, 4}, "output_size = [4]"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(resample({1, 3}, "output_size = [2]"), ElementsAre(1, 2));
  EXPECT_THAT(resample({0.5, 2.5}, "output_size = [2]"), ElementsAre(0.5, 1.5));
  EXPECT_THAT(resample({0, 4}, "output_size = [8], method = 'symmetric'"),
              ElementsAre(0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3));
  EXPECT_THAT(resample({0, 4}, "output_size = [8], method = 'asymmetric'"), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3));
  EXPECT_THAT(resample({0, 4}, "output_size = [7], method = 'aligned'"), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3));
  EXPECT_THAT(resample({-9, -8}, "output_size = [1]"), ElementsAre(0));
  EXPECT_THAT(FailureOf("z = roi_resample(x, rois, batch, output_size = [1], method = 'simetric');",
                        {Counting({1, 1, 4}), Scalars("rois", {1, 2}, {0, 1}), FirstMap()}),
              HasSubstr("did you mean 'symmetric'?"));
}

TEST(RoiAlign, PoolsWhatWasResampled) {
  const std::vector<Feed> feeds = {Counting({1, 1, 2, 2}), WholeMap(2, 2), FirstMap()};
  EXPECT_THAT(ValuesOf("z = avg_roi_align(x, rois, batch, output_size = [1, 1], sampling_rate = [2, 2]);", feeds),
              ElementsAre(1.5));
  EXPECT_THAT(ValuesOf("z = max_roi_align(x, rois, batch, output_size = [1, 2], sampling_rate = [2, 1]);", feeds),
              ElementsAre(2, 3));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
