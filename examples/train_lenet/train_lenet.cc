// LeNet-5 learns to read digits: the network, its gradient and the training loop, written with the builder.
//
//   images [n,1,28,28]
//     -> convolution 5x5, ReLU [n,6,28,28]  -> max pooling 2x2 [n,6,14,14]
//     -> convolution 5x5, ReLU [n,16,10,10] -> max pooling 2x2 [n,16,5,5]
//     -> dense, ReLU [n,120] -> dense, ReLU [n,84] -> dense [n,10]
//
// Two programs are made of it. `training_step` takes weights, images and labels and gives new weights and the loss;
// `inference` takes weights and images and gives digits. Gradients are written out by hand: of a convolution they are
// convolutions, of max pooling SelectAndScatter. The images are drawn by the program, the same in every run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/scalar_computations.h"
#include "examples/helpers/random_numbers.h"
#include "examples/helpers/sparkline.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kImageSize = 28;
constexpr int kClasses = 10;
constexpr int kBatch = 32;
constexpr int kSteps = 80;
constexpr float kLearningRate = 0.15f;
constexpr int kTestImages = 200;

// ---- Layers and their gradients. `b` is the builder; gradients are those of the loss.

using Window = std::vector<int64_t>;
const Window kPoolWindow = {1, 1, 2, 2};  // batch and features one by one, 2x2 in space

XlaOp Zero(ComputationBuilder& b) { return b.ConstantR0<float>(0); }
XlaComputation Addition() { return CreateScalarAddComputation(F32); }

XlaOp Sum(ComputationBuilder& b, XlaOp values, ArraySlice<int64_t> dimensions) {
  return b.Reduce(values, Zero(b), Addition(), dimensions);
}

XlaOp Relu(ComputationBuilder& b, XlaOp x) { return b.Max(x, Zero(b)); }
// Only what was positive has passed.
XlaOp ReluGradient(ComputationBuilder& b, XlaOp output, XlaOp gradient) {
  return b.Select(b.Gt(output, Zero(b)), gradient, b.Mul(gradient, Zero(b)));
}

XlaOp MaxPool(ComputationBuilder& b, XlaOp x) {
  return b.ReduceWindow(x, b.ConstantLiteral(LiteralUtil::MinValue(F32)), CreateScalarMaxComputation(F32), kPoolWindow,
                        kPoolWindow, Padding::kValid);
}
// Each element of the gradient goes to the place where its window had the greatest element.
XlaOp MaxPoolGradient(ComputationBuilder& b, XlaOp input, XlaOp gradient) {
  return b.SelectAndScatter(input, CreateScalarGeComputation(F32), kPoolWindow, kPoolWindow, Padding::kValid, gradient,
                            Zero(b), Addition());
}

XlaOp Dense(ComputationBuilder& b, XlaOp x, XlaOp weight, XlaOp bias) { return b.Add(b.Dot(x, weight), bias, {1}); }

XlaOp Convolution(ComputationBuilder& b, XlaOp x, XlaOp kernel, XlaOp bias, Padding padding) {
  return b.Add(b.Conv(x, kernel, {1, 1}, padding), bias, {1});
}
// Of the kernel: the input, with the examples in place of features, convolved with the gradient.
XlaOp KernelGradient(ComputationBuilder& b, XlaOp input, XlaOp gradient, int64_t padding) {
  ConvolutionDimensionNumbers numbers = ComputationBuilder::DefaultConvDimensionNumbers();
  std::swap(numbers.input_batch, numbers.input_feature);
  std::swap(numbers.kernel_input_feature, numbers.kernel_output_feature);
  std::swap(numbers.output_batch, numbers.output_feature);
  return b.ConvGeneralDilated(input, gradient, {1, 1}, {{padding, padding}, {padding, padding}}, {}, {}, numbers);
}
// Of the input of a convolution without padding: the gradient convolved with the kernel turned round.
XlaOp InputGradient(ComputationBuilder& b, XlaOp kernel, XlaOp gradient) {
  ConvolutionDimensionNumbers numbers = ComputationBuilder::DefaultConvDimensionNumbers();
  std::swap(numbers.kernel_input_feature, numbers.kernel_output_feature);
  ConvolutionOptions options;
  options.window_reversal = {true, true};
  return b.ConvGeneralDilated(gradient, kernel, {1, 1}, {{4, 4}, {4, 4}}, {}, {}, numbers, options);
}

// ---- The network

// Kernel or matrix, then bias, of each layer: the first ten parameters of both programs.
const std::vector<std::vector<int64_t>>& WeightDimensions() {
  static const auto* const dimensions = new std::vector<std::vector<int64_t>>{
      {6, 1, 5, 5}, {6}, {16, 6, 5, 5}, {16}, {400, 120}, {120}, {120, 84}, {84}, {84, kClasses}, {kClasses}};
  return *dimensions;
}
constexpr int kWeightCount = 10;

std::vector<XlaOp> WeightParameters(ComputationBuilder& b) {
  std::vector<XlaOp> weights;
  for (int i = 0; i < kWeightCount; ++i) {
    const std::string name = (i % 2 == 0 ? "weight" : "bias") + std::to_string(i / 2 + 1);
    weights.push_back(b.Parameter(i, Shape::Array(F32, WeightDimensions()[i]), name));
  }
  return weights;
}

XlaOp ImagesParameter(ComputationBuilder& b, int count) {
  return b.Parameter(kWeightCount, Shape::Array(F32, {count, 1, kImageSize, kImageSize}), "images");
}

// What the layers put out, kept for the gradients.
struct Activations {
  XlaOp conv1, pool1, conv2, pool2, flat, dense1, dense2, scores;
};

Activations Forward(ComputationBuilder& b, const std::vector<XlaOp>& w, XlaOp images, int count) {
  Activations a;
  a.conv1 = Relu(b, Convolution(b, images, w[0], w[1], Padding::kSame));
  a.pool1 = MaxPool(b, a.conv1);
  a.conv2 = Relu(b, Convolution(b, a.pool1, w[2], w[3], Padding::kValid));
  a.pool2 = MaxPool(b, a.conv2);
  a.flat = b.Reshape(a.pool2, {count, 400});
  a.dense1 = Relu(b, Dense(b, a.flat, w[4], w[5]));
  a.dense2 = Relu(b, Dense(b, a.dense1, w[6], w[7]));
  a.scores = Dense(b, a.dense2, w[8], w[9]);
  return a;
}

// The gradient of each weight, from that of the scores.
std::vector<XlaOp> Backward(ComputationBuilder& b, const std::vector<XlaOp>& w, XlaOp images, const Activations& a,
                            XlaOp scores_gradient) {
  std::vector<XlaOp> gradients(kWeightCount);
  // Of a dense layer's weights, which are put in place, and of its input, which is returned.
  const auto dense = [&](int layer, XlaOp input, XlaOp gradient) {
    gradients[2 * layer] = b.Dot(b.Transpose(input, {1, 0}), gradient);
    gradients[2 * layer + 1] = Sum(b, gradient, {0});
    return b.Dot(gradient, b.Transpose(w[2 * layer], {1, 0}));
  };
  const XlaOp dense2 = ReluGradient(b, a.dense2, dense(4, a.dense2, scores_gradient));
  const XlaOp dense1 = ReluGradient(b, a.dense1, dense(3, a.dense1, dense2));
  const XlaOp pool2 = b.Reshape(dense(2, a.flat, dense1), {kBatch, 16, 5, 5});

  const XlaOp conv2 = ReluGradient(b, a.conv2, MaxPoolGradient(b, a.conv2, pool2));
  gradients[2] = KernelGradient(b, a.pool1, conv2, 0);
  gradients[3] = Sum(b, conv2, {0, 2, 3});
  const XlaOp pool1 = InputGradient(b, w[2], conv2);

  const XlaOp conv1 = ReluGradient(b, a.conv1, MaxPoolGradient(b, a.conv1, pool1));
  gradients[0] = KernelGradient(b, images, conv1, 2);
  gradients[1] = Sum(b, conv1, {0, 2, 3});
  return gradients;
}

// (weights.., images, labels s32[n]) -> (new weights.., loss)
absl::StatusOr<std::unique_ptr<HloModule>> TrainingStep() {
  ComputationBuilder b("training_step");
  const std::vector<XlaOp> w = WeightParameters(b);
  const XlaOp images = ImagesParameter(b, kBatch);
  const XlaOp labels = b.Parameter(kWeightCount + 1, Shape::Array(S32, {kBatch}), "labels");
  const Activations a = Forward(b, w, images, kBatch);

  // The logarithm of softmax, with the greatest score taken out before so that nothing overflows.
  const XlaOp greatest =
      b.Reduce(a.scores, b.ConstantLiteral(LiteralUtil::MinValue(F32)), CreateScalarMaxComputation(F32), {1});
  const XlaOp shifted = b.Sub(a.scores, greatest, {0});
  const XlaOp log_probabilities = b.Sub(shifted, b.Log(Sum(b, b.Exp(shifted), {1})), {0});
  // 1 where the column is the label.
  const XlaOp columns = b.Iota(Shape::Array(S32, {kBatch, kClasses}), 1);
  const XlaOp one_hot = b.ConvertElementType(b.Eq(columns, labels, {0}), F32);
  const XlaOp loss = -Sum(b, one_hot * log_probabilities, {0, 1}) / kBatch;

  std::vector<XlaOp> results = Backward(b, w, images, a, (b.Exp(log_probabilities) - one_hot) / kBatch);
  for (int i = 0; i < kWeightCount; ++i) {
    results[i] = w[i] - kLearningRate * results[i];
    b.SetUpAlias({i}, i, {});  // new weights may take the memory of the old ones
  }
  results.push_back(loss);
  return b.BuildModule(b.Tuple(results));
}

// (weights.., images) -> the digit with the greatest score, s32[n]
absl::StatusOr<std::unique_ptr<HloModule>> Inference() {
  ComputationBuilder b("inference");
  const std::vector<XlaOp> w = WeightParameters(b);
  const XlaOp scores = Forward(b, w, ImagesParameter(b, kTestImages), kTestImages).scores;
  return b.BuildModule(b.Reshape(b.GetTupleElement(b.TopK(scores, 1), 1), {kTestImages}));
}

// ---- Digits

// Five dots by seven.
constexpr const char* kGlyphs[kClasses] = {
    ".###.#...##...##...##...##...#.###.", "..#...##....#....#....#....#...###.", ".###.#...#....#...#...#...#...#####",
    "####.....#....#.###.....#....#####.", "...#...##..#.#.#..#.#####...#....#.", "######....####.....#....##...#.###.",
    ".###.#....#....####.#...##...#.###.", "#####....#...#...#...#....#....#...", ".###.#...##...#.###.#...##...#.###.",
    ".###.#...##...#.####....#....#.###."};

struct Digits {
  std::vector<float> pixels;  // of all images, row by row, 0 to about 1
  std::vector<int32_t> labels;
};

// A digit three times as large as its dots, leaning, somewhere in the image, with some dirt on it.
void DrawDigit(RandomNumbers& random, Digits& digits) {
  const int digit = random.Below(kClasses);
  const int left = 4 + random.Below(6), top = 2 + random.Below(4);
  const float lean = random.Uniform(-0.15f, 0.15f), ink = random.Uniform(0.6f, 1.0f);
  for (int y = 0; y < kImageSize; ++y) {
    for (int x = 0; x < kImageSize; ++x) {
      const int shift = static_cast<int>(lean * static_cast<float>(y - kImageSize / 2));
      const int column = x - left - shift, row = y - top;
      const bool inside = column >= 0 && column < 15 && row >= 0 && row < 21;
      const bool is_set = inside && kGlyphs[digit][row / 3 * 5 + column / 3] == '#';
      digits.pixels.push_back((is_set ? ink : 0) + random.Uniform(0, 0.3f));
    }
  }
  digits.labels.push_back(digit);
}

Digits DrawDigits(RandomNumbers& random, int count) {
  Digits digits;
  for (int i = 0; i < count; ++i) DrawDigit(random, digits);
  return digits;
}

// Two rows of pixels to a line of text, with what was read below.
void PrintImages(const Digits& digits, const std::vector<int32_t>& read, int first, int count) {
  const auto pixel_is_dark = [&](int image, int y, int x) {
    return digits.pixels[(image * kImageSize + y) * kImageSize + x] > 0.5f;
  };
  for (int y = 0; y < kImageSize; y += 2) {
    std::string line = " ";
    for (int image = first; image < first + count; ++image) {
      for (int x = 4; x < kImageSize - 3; ++x) {
        const bool upper = pixel_is_dark(image, y, x), lower = pixel_is_dark(image, y + 1, x);
        line += upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ");
      }
    }
    std::printf("%s\n", line.c_str());
  }
  for (int image = first; image < first + count; ++image) std::printf("%14s%-7d", "read as ", read[image]);
  std::printf("\n\n");
}

// ---- Training

absl::StatusOr<BufferList> InitialWeights(Client& client, RandomNumbers& random) {
  BufferList weights;
  for (const std::vector<int64_t>& dimensions : WeightDimensions()) {
    int64_t count = 1;
    for (int64_t size : dimensions) count *= size;
    // He's limit, sqrt(6 / inputs) for layers with ReLU; biases begin at 0. Kernels have their outputs in front.
    const int64_t outputs = dimensions.size() == 4 ? dimensions[0] : dimensions.back();
    const float limit = dimensions.size() == 1 ? 0 : std::sqrt(6.0f * outputs / count);
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(random.Uniform(-limit, limit));
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                     client.BufferFromLiteral(Literal::FromValues<float>(dimensions, values)));
    weights.push_back(std::move(buffer));
  }
  return weights;
}

std::vector<Buffer*> Pointers(const BufferList& buffers) {
  std::vector<Buffer*> pointers;
  for (const std::unique_ptr<Buffer>& buffer : buffers) pointers.push_back(buffer.get());
  return pointers;
}

absl::StatusOr<std::unique_ptr<Buffer>> SendImages(Client& client, const Digits& digits) {
  const int64_t count = static_cast<int64_t>(digits.labels.size());
  return client.BufferFromLiteral(Literal::FromValues<float>({count, 1, kImageSize, kImageSize}, digits.pixels));
}

// One step on new images. The weights stay on the device; they are donated, and replaced by the new ones.
absl::StatusOr<float> TrainOnce(Executable& step, const Digits& digits, BufferList& weights) {
  Client& client = step.client();
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> images, SendImages(client, digits));
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> labels,
                   client.BufferFromLiteral(Literal::FromValues<int32_t>({kBatch}, digits.labels)));
  std::vector<Buffer*> arguments = Pointers(weights);
  arguments.push_back(images.get());
  arguments.push_back(labels.get());
  ASSIGN_OR_RETURN(weights, step.Execute(arguments));
  ASSIGN_OR_RETURN(const Literal loss, weights.back()->ToLiteral());
  weights.pop_back();
  return *loss.data<float>();
}

absl::StatusOr<std::vector<int32_t>> Read(Executable& inference, const Digits& digits, const BufferList& weights) {
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> images, SendImages(inference.client(), digits));
  std::vector<Buffer*> arguments = Pointers(weights);
  arguments.push_back(images.get());
  ASSIGN_OR_RETURN(BufferList results, inference.Execute(arguments));
  ASSIGN_OR_RETURN(const Literal read, results[0]->ToLiteral());
  return std::vector<int32_t>(read.span<int32_t>().begin(), read.span<int32_t>().end());
}

int CountRight(const std::vector<int32_t>& read, const Digits& digits) {
  int right = 0;
  for (size_t i = 0; i < read.size(); ++i) right += read[i] == digits.labels[i];
  return right;
}

absl::Status Run() {
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, GetClient("interpreter"));
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, TrainingStep());
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> step, client->Compile(std::move(module)));
  ASSIGN_OR_RETURN(module, Inference());
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> inference, client->Compile(std::move(module)));

  RandomNumbers random(1998);
  const Digits test = DrawDigits(random, kTestImages);
  ASSIGN_OR_RETURN(BufferList weights, InitialWeights(*client, random));
  ASSIGN_OR_RETURN(std::vector<int32_t> read, Read(*inference, test, weights));
  const int right_before = CountRight(read, test);
  std::printf("LeNet-5 before training reads %d of %d digits that it will never learn from.\n\n", right_before,
              kTestImages);

  std::printf("  step   loss\n");
  std::vector<float> losses;
  for (int i = 0; i < kSteps; ++i) {
    ASSIGN_OR_RETURN(const float loss, TrainOnce(*step, DrawDigits(random, kBatch), weights));
    losses.push_back(loss);
    if (i % 20 == 0 || i == kSteps - 1) std::printf("%6d  %5.3f\n", i, loss);
  }
  std::printf("\nloss  %s\n\n", Sparkline(losses).c_str());

  ASSIGN_OR_RETURN(read, Read(*inference, test, weights));
  const int right_after = CountRight(read, test);
  PrintImages(test, read, 0, 5);
  std::printf("After %d steps on %d digits each it reads %d of %d: accuracy %.1f %%.\n", kSteps, kBatch, right_after,
              kTestImages, 100.0 * right_after / kTestImages);
  if (losses.back() > losses.front() / 2 || right_after < kTestImages * 9 / 10) {
    return absl::InternalError("the network has not learnt to read");
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main() {
  const absl::Status status = xla::Run();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
