#include "tests/benchmarks/webnn/models.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "builders/webnn/test_support.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace webnn {

const Literal& ModelInputs::MakeValue(const MLOperandDescriptor& descriptor, double low, double high) {
  InputSpec spec = DefaultInputSpec(HloShapeOf(descriptor), values_.size() + 1);
  spec.low = low;
  spec.high = high;
  spec.int_low = static_cast<uint64_t>(static_cast<int64_t>(low));
  spec.int_count = static_cast<uint64_t>(static_cast<int64_t>(high - low) + 1);
  values_.push_back(OrDie(MakeInput(spec)));
  return values_.back();
}

MLOperand ModelInputs::Input(MLOperandDataType type, std::vector<uint32_t> shape, double low, double high) {
  const MLOperandDescriptor descriptor(type, std::move(shape));
  MakeValue(descriptor, low, high);
  return OrDie(builder_.input(absl::StrCat(values_.size() - 1), descriptor));
}

MLOperand ModelInputs::Weight(std::vector<uint32_t> shape, double low, double high) {
  if (!weights_are_constants_) return Input(MLOperandDataType::kFloat32, std::move(shape), low, high);
  return OrDie(builder_.constant(MakeValue(Float32(std::move(shape)), low, high)));
}

namespace {

// Weights whose products with `inputs` numbers have about the variance of these.
double Spread(uint32_t inputs) { return std::sqrt(3.0 / inputs); }

class MobileNet {
 public:
  MobileNet(MLGraphBuilder& builder, ModelInputs& inputs, MLInputOperandLayout layout)
      : builder_(builder), inputs_(inputs), layout_(layout) {}

  MLOperand Scores(MLOperand x) {
    x = Relu6(Convolution(x, 3, 32, 3, /*stride=*/2));
    struct Stage {
      uint32_t expansion, outputs, count, stride;
    };
    static constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                        {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    uint32_t channels = 32;
    for (const Stage& stage : kStages) {
      for (uint32_t i = 0; i < stage.count; ++i) {
        x = Bottleneck(x, channels, channels * stage.expansion, stage.outputs, i == 0 ? stage.stride : 1);
        channels = stage.outputs;
      }
    }
    x = Relu6(Convolution(x, channels, 1280, 1));
    MLPool2dOptions whole;
    whole.layout = layout_;
    x = OrDie(builder_.reshape(OrDie(builder_.averagePool2d(x, whole)), {1, 1280}));
    const MLOperand weights = inputs_.Weight({1280, 1000}, -Spread(1280), Spread(1280));
    MLGemmOptions options;
    options.c = inputs_.Weight({1000}, -0.1, 0.1);
    return OrDie(builder_.gemm(x, weights, options));
  }

 private:
  bool is_nhwc() const { return layout_ == MLInputOperandLayout::kNhwc; }

  MLOperand Relu6(const MLOperand& x) {
    MLClampOptions limits;
    limits.minValue = 0;
    limits.maxValue = 6;
    return OrDie(builder_.clamp(x, limits));
  }

  // A convolution and the normalization after it.
  MLOperand Convolution(const MLOperand& x, uint32_t channels, uint32_t outputs, uint32_t size, uint32_t stride = 1,
                        uint32_t groups = 1) {
    MLConv2dOptions options;
    options.padding = UnsignedList(4, size / 2);
    options.strides = UnsignedList{stride, stride};
    options.groups = groups;
    options.inputLayout = layout_;
    options.filterLayout = is_nhwc() ? MLConv2dFilterOperandLayout::kHwio : MLConv2dFilterOperandLayout::kOihw;
    const uint32_t per_group = channels / groups;
    const double spread = Spread(size * size * per_group);
    const MLOperand filter = inputs_.Weight(
        is_nhwc() ? UnsignedList{size, size, per_group, outputs} : UnsignedList{outputs, per_group, size, size},
        -spread, spread);
    const MLOperand y = OrDie(builder_.conv2d(x, filter, options));
    MLBatchNormalizationOptions normalization;
    normalization.axis = is_nhwc() ? 3 : 1;
    normalization.scale = inputs_.Weight({outputs}, 0.5, 1.5);
    normalization.bias = inputs_.Weight({outputs}, -0.1, 0.1);
    const MLOperand mean = inputs_.Weight({outputs}, -0.1, 0.1);
    const MLOperand variance = inputs_.Weight({outputs}, 0.5, 1.5);
    return OrDie(builder_.batchNormalization(y, mean, variance, normalization));
  }

  MLOperand Bottleneck(const MLOperand& x, uint32_t channels, uint32_t middle, uint32_t outputs, uint32_t stride) {
    MLOperand y = middle == channels ? x : Relu6(Convolution(x, channels, middle, 1));
    y = Relu6(Convolution(y, middle, middle, 3, stride, /*groups=*/middle));
    y = Convolution(y, middle, outputs, 1);
    return stride == 1 && channels == outputs ? OrDie(builder_.add(x, y)) : y;
  }

  MLGraphBuilder& builder_;
  ModelInputs& inputs_;
  const MLInputOperandLayout layout_;
};

class Encoder {
 public:
  Encoder(MLGraphBuilder& builder, ModelInputs& inputs, const TransformerSizes& sizes)
      : builder_(builder), inputs_(inputs), sizes_(sizes) {}

  MLNamedOperands Outputs(const MLOperand& ids) {
    const MLOperand words = OrDie(builder_.gather(inputs_.Weight({sizes_.vocabulary, sizes_.dim}, -1, 1), ids));
    MLOperand x = Normalization(Sum(words, inputs_.Weight({sizes_.length, sizes_.dim}, -1, 1)));
    for (uint32_t layer = 0; layer < sizes_.layers; ++layer) {
      x = Normalization(Sum(x, Attention(x)));
      const MLOperand hidden = OrDie(builder_.gelu(Dense(x, sizes_.dim, 4 * sizes_.dim)));
      x = Normalization(Sum(x, Dense(hidden, 4 * sizes_.dim, sizes_.dim)));
    }
    const MLOperand first = OrDie(builder_.slice(x, {0, 0, 0}, {1, 1, sizes_.dim}));
    const MLOperand row = OrDie(builder_.reshape(first, {1, sizes_.dim}));
    return {{"sequence", x}, {"pooled", OrDie(builder_.tanh(Dense(row, sizes_.dim, sizes_.dim)))}};
  }

 private:
  MLOperand Sum(const MLOperand& a, const MLOperand& b) { return OrDie(builder_.add(a, b)); }

  MLOperand Normalization(const MLOperand& x) {
    MLLayerNormalizationOptions options;
    options.axes = UnsignedList{2};
    options.scale = inputs_.Weight({sizes_.dim}, 0.5, 1.5);
    options.bias = inputs_.Weight({sizes_.dim}, -0.1, 0.1);
    return OrDie(builder_.layerNormalization(x, options));
  }

  MLOperand Dense(const MLOperand& x, uint32_t from, uint32_t to) {
    const MLOperand product = OrDie(builder_.matmul(x, inputs_.Weight({from, to}, -Spread(from), Spread(from))));
    return Sum(product, inputs_.Weight({to}, -0.1, 0.1));
  }

  // [1, length, heads, size] -> [1, heads, length, size] and back, or with other permutations.
  MLOperand Transposed(const MLOperand& x, UnsignedList permutation) {
    MLTransposeOptions options;
    options.permutation = std::move(permutation);
    return OrDie(builder_.transpose(x, options));
  }

  MLOperand Heads(const MLOperand& x) {
    const MLOperand y = Dense(x, sizes_.dim, sizes_.dim);
    const UnsignedList split = {1, sizes_.length, sizes_.heads, sizes_.dim / sizes_.heads};
    return Transposed(OrDie(builder_.reshape(y, split)), {0, 2, 1, 3});
  }

  MLOperand Attention(const MLOperand& x) {
    const MLOperand q = Heads(x), k = Heads(x), v = Heads(x);
    const double scale = 1 / std::sqrt(static_cast<double>(sizes_.dim / sizes_.heads));
    const MLOperand factor = OrDie(builder_.constant(MLOperandDataType::kFloat32, MLNumber(scale)));
    const MLOperand scores = OrDie(builder_.mul(OrDie(builder_.matmul(q, Transposed(k, {0, 1, 3, 2}))), factor));
    const MLOperand y = OrDie(builder_.matmul(OrDie(builder_.softmax(scores, 3)), v));
    const UnsignedList joined = {1, sizes_.length, sizes_.dim};
    return Dense(OrDie(builder_.reshape(Transposed(y, {0, 2, 1, 3}), joined)), sizes_.dim, sizes_.dim);
  }

  MLGraphBuilder& builder_;
  ModelInputs& inputs_;
  const TransformerSizes sizes_;
};

}  // namespace

MLNamedOperands MobileNetV2(MLGraphBuilder& builder, ModelInputs& inputs, MLInputOperandLayout layout) {
  const UnsignedList shape =
      layout == MLInputOperandLayout::kNhwc ? UnsignedList{1, 224, 224, 3} : UnsignedList{1, 3, 224, 224};
  const MLOperand image = inputs.Input(MLOperandDataType::kFloat32, shape, -1, 1);
  return {{"scores", MobileNet(builder, inputs, layout).Scores(image)}};
}

MLNamedOperands Transformer(MLGraphBuilder& builder, ModelInputs& inputs, const TransformerSizes& sizes) {
  const MLOperand ids = inputs.Input(MLOperandDataType::kInt32, {1, sizes.length}, 0, sizes.vocabulary - 1.0);
  return Encoder(builder, inputs, sizes).Outputs(ids);
}

}  // namespace webnn
}  // namespace xla
