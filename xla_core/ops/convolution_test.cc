// Convolutions compared with their definition. Single values and refusals are in cases.
#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

struct Case {
  ConvolutionDimensionNumbers labels;
  Window window;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
};

SetAttributes Set(const Case& c) {
  return [c](HloInstruction& instruction) {
    auto& attributes = instruction.mutable_attributes<ConvolutionAttributes>();
    attributes.dim_labels = c.labels;
    attributes.window = c.window;
    attributes.feature_group_count = c.feature_groups;
    attributes.batch_group_count = c.batch_groups;
  };
}

std::vector<float> Convolve(const Literal& lhs, const Literal& rhs, const Case& c) {
  const auto shape = InferredShapeOf(HloOpcode::kConvolution, {lhs.shape(), rhs.shape()}, Set(c));
  EXPECT_TRUE(shape.ok()) << shape.status();
  const auto result = EvaluateOp(HloOpcode::kConvolution, *shape, {lhs, rhs}, Set(c));
  EXPECT_TRUE(result.ok()) << result.status();
  const auto span = result->span<float>();
  return std::vector<float>(span.begin(), span.end());
}

WindowDimension Size(int64_t size) {
  WindowDimension window;
  window.size = size;
  return window;
}

// Loops over every index, as the definition reads.
std::vector<double> Naive(const Literal& lhs, const Literal& rhs, const Shape& result, const Case& c) {
  const auto index = [](const Shape& shape, const std::vector<int64_t>& at) {
    int64_t linear = 0;
    for (int d = 0; d < shape.rank(); ++d) linear = linear * shape.dimension(d) + at[d];
    return linear;
  };
  std::vector<double> sums(result.ElementCount());
  const int rank = result.rank();
  std::vector<int64_t> out(rank);
  const int64_t groups = std::max(c.feature_groups, c.batch_groups);
  const int64_t group_outputs = rhs.shape().dimension(static_cast<int>(c.labels.kernel_output_feature)) / groups;
  const int64_t features = rhs.shape().dimension(static_cast<int>(c.labels.kernel_input_feature));
  for (int64_t o = 0; o < result.ElementCount(); ++o) {
    for (int64_t rest = o, d = rank - 1; d >= 0; --d) {
      out[d] = rest % result.dimension(static_cast<int>(d));
      rest /= result.dimension(static_cast<int>(d));
    }
    const int64_t group = out[c.labels.output_feature] / group_outputs;
    int64_t positions = 1;
    for (const auto& w : c.window.dimensions) positions *= w.size;
    for (int64_t p = 0; p < positions; ++p) {
      std::vector<int64_t> in(rank), k(rank);
      bool inside = true;
      int64_t rest = p;
      for (size_t i = c.window.dimensions.size(); i-- > 0;) {
        const WindowDimension& w = c.window.dimensions[i];
        const int64_t ki = rest % w.size;
        rest /= w.size;
        k[c.labels.kernel_spatial[i]] = w.window_reversal ? w.size - 1 - ki : ki;
        const int64_t x = out[c.labels.output_spatial[i]] * w.stride + ki * w.window_dilation - w.padding_low;
        const int64_t size = lhs.shape().dimension(static_cast<int>(c.labels.input_spatial[i]));
        inside &= x >= 0 && x % w.base_dilation == 0 && x / w.base_dilation < size;
        in[c.labels.input_spatial[i]] = x / w.base_dilation;
      }
      if (!inside) continue;
      for (int64_t f = 0; f < features; ++f) {
        k[c.labels.kernel_input_feature] = f;
        k[c.labels.kernel_output_feature] = out[c.labels.output_feature];
        in[c.labels.input_feature] = c.feature_groups > 1 ? group * features + f : f;
        const int64_t batches = result.dimension(static_cast<int>(c.labels.output_batch));
        in[c.labels.input_batch] = out[c.labels.output_batch] + (c.batch_groups > 1 ? group * batches : 0);
        sums[o] +=
            static_cast<double>(lhs.data<float>()[index(lhs.shape(), in)]) * rhs.data<float>()[index(rhs.shape(), k)];
      }
    }
  }
  return sums;
}

// A random convolution of up to three spatial dimensions with every option.
TEST(Convolution, RandomCasesAgreeWithTheDefinition) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random() % (high - low + 1)); };
  const auto permutation = [&](int n) {
    std::vector<int64_t> p(n);
    for (int i = 0; i < n; ++i) p[i] = i;
    std::shuffle(p.begin(), p.end(), random);
    return p;
  };
  int nonempty = 0;
  for (int round = 0; round < 300; ++round) {
    const int spatial = static_cast<int>(pick(0, 3));
    Case c;
    (random() % 2 ? c.feature_groups : c.batch_groups) = pick(1, 3);
    const int64_t features = pick(1, 3), outputs = pick(1, 12) * c.feature_groups * c.batch_groups;
    DimensionVector lhs(spatial + 2), rhs(spatial + 2);
    const auto l = permutation(spatial + 2), r = permutation(spatial + 2), o = permutation(spatial + 2);
    c.labels.input_batch = l[0], c.labels.input_feature = l[1];
    c.labels.kernel_input_feature = r[0], c.labels.kernel_output_feature = r[1];
    c.labels.output_batch = o[0], c.labels.output_feature = o[1];
    lhs[l[0]] = pick(1, 2) * c.batch_groups, lhs[l[1]] = features * c.feature_groups;
    rhs[r[0]] = features, rhs[r[1]] = outputs;
    for (int i = 0; i < spatial; ++i) {
      WindowDimension w = Size(pick(1, 3));
      w.stride = pick(1, 2), w.padding_low = pick(-1, 2), w.padding_high = pick(-1, 2);
      w.base_dilation = pick(1, 2), w.window_dilation = pick(1, 2), w.window_reversal = random() % 2 == 0;
      c.window.dimensions.push_back(w);
      lhs[l[i + 2]] = pick(1, 6), rhs[r[i + 2]] = w.size;
      c.labels.input_spatial.push_back(l[i + 2]), c.labels.kernel_spatial.push_back(r[i + 2]);
      c.labels.output_spatial.push_back(o[i + 2]);
    }
    const auto fill = [&](const DimensionVector& dims) {
      std::vector<float> values(Shape::Array(F32, dims).ElementCount());
      for (float& value : values) value = static_cast<float>(pick(-9, 9));
      return Literal::FromValues<float>(dims, absl::Span<const float>(values));
    };
    const Literal x = fill(lhs), k = fill(rhs);
    const auto shape = InferredShapeOf(HloOpcode::kConvolution, {x.shape(), k.shape()}, Set(c));
    ASSERT_TRUE(shape.ok()) << shape.status();
    nonempty += shape->ElementCount() > 0;
    const std::vector<double> expected = Naive(x, k, *shape, c);
    ASSERT_THAT(Convolve(x, k, c), ::testing::ElementsAreArray(std::vector<float>(expected.begin(), expected.end())))
        << "round " << round;
  }
  EXPECT_GT(nonempty, 200);
}

// HLO text cannot repeat a dimension.
TEST(Convolution, RefusesLabelsThatRepeatADimension) {
  Case c;
  c.labels.input_batch = 0, c.labels.input_feature = 2, c.labels.input_spatial = {1};
  c.labels.kernel_input_feature = 1, c.labels.kernel_output_feature = 2, c.labels.kernel_spatial = {0};
  c.labels.output_batch = 2, c.labels.output_feature = 2, c.labels.output_spatial = {1};
  c.window.dimensions = {Size(2)};
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kConvolution, Shape::Array(F32, {1, 4, 6}),
                   {Shape::Array(F32, {1, 5, 3}), Shape::Array(F32, {2, 3, 6})}, Set(c)),
      "dim_labels must name each of the 3 dimensions of the result once; dimension 2 is repeated or out of range");
}

}  // namespace
}  // namespace xla
