#include "builders/webnn/context.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/event.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

// y = x + x, z = -x for x float32[2].
struct Doubling {
  explicit Doubling(std::shared_ptr<MLContext> in) : context(std::move(in)) {
    MLGraphBuilder builder(context);
    const MLOperand x = OrDie(builder.input("x", Float32({2})));
    graph = OrDie(builder.build({{"y", OrDie(builder.add(x, x))}, {"z", OrDie(builder.neg(x))}}));
  }
  std::shared_ptr<MLContext> context;
  std::shared_ptr<MLGraph> graph;
};

ArrayBufferView Room() { return OrDie(ArrayBufferView::For(Float32({2}))); }

TEST(ContextTest, CreatesContexts) {
  MLContextOptions options;
  EXPECT_EQ(OrDie(ML().createContext(options))->deviceType(), MLDeviceType::kCpu);
  options.deviceType = MLDeviceType::kNpu;
  EXPECT_EQ(ErrorOf(ML().createContext(options)), "NotSupportedError: device not supported");
  EXPECT_EQ(ErrorOf(ML(/*allowed=*/false).createContext()), "SecurityError: feature not allowed");
}

TEST(ContextTest, ComputeTransfersItsViews) {
  Doubling d(NewContext());
  const ArrayBufferView x = ArrayBufferView::Of<float>({1, -2});
  const ArrayBufferView y = Room();
  const void* const memory = y.data();
  const MLComputeResult result = OrDie(d.context->compute(d.graph, {{"x", x}, {"more", Room()}}, {{"y", y}}));
  EXPECT_THAT(result.outputs[0].second.span<float>(), ElementsAre(2, -4));
  EXPECT_EQ(result.outputs[0].second.data(), memory);
  EXPECT_THAT(result.inputs[0].second.span<float>(), ElementsAre(1, -2));
  EXPECT_EQ(x.byteLength(), 0);
  EXPECT_EQ(y.data(), nullptr);
}

TEST(ContextTest, ComputeRefusesWhatDoesNotFitAndLeavesItAlone) {
  Doubling d(NewContext());
  Doubling other(NewContext());
  const ArrayBufferView x = ArrayBufferView::Of<float>({1, 2});
  const auto error_of = [&](const MLNamedArrayBufferViews& inputs, const MLNamedArrayBufferViews& outputs) {
    return ErrorOf(d.context->compute(d.graph, inputs, outputs));
  };
  EXPECT_EQ(error_of({}, {}), "TypeError: missing input");
  EXPECT_EQ(error_of({{"x", ArrayBufferView::Of<float>({1})}}, {}), "TypeError: buffer byte length");
  EXPECT_EQ(error_of({{"x", x}}, {{"w", Room()}}), "TypeError: unknown output");
  EXPECT_EQ(error_of({{"x", x}}, {{"y", ArrayBufferView::Of<int32_t>({1, 2})}}), "TypeError: buffer element type");
  EXPECT_EQ(error_of({{"x", x}}, {{"y", x}}), "TypeError: buffer cannot be transferred");
  EXPECT_EQ(ErrorOf(d.context->compute(other.graph, {{"x", x}}, {})), "TypeError: graph of another context");
  EXPECT_EQ(x.byteLength(), 8);
  EXPECT_EQ(error_of({{"x", x}}, {}), "OK") << "no outputs need be asked for";
}

TEST(ContextTest, AContextOfAGpuDeviceDoesNotCompute) {
  GPUDevice device{NewContext()->client()};
  Doubling d(OrDie(ML().createContext(device)));
  EXPECT_EQ(d.context->contextType(), MLContextType::kWebgpu);
  EXPECT_EQ(ErrorOf(d.context->compute(d.graph, {}, {})), "OperationError: context type");
}

TEST(ContextTest, ComputationsRunSideBySide) {
  Doubling d(NewContext());
  std::vector<Future<MLComputeResult>> results;
  for (int i = 0; i < 20; ++i) {
    const float value = static_cast<float>(i);
    results.push_back(
        d.context->computeAsync(d.graph, {{"x", ArrayBufferView::Of<float>({value, value})}}, {{"y", Room()}}));
  }
  for (int i = 0; i < 20; ++i) {
    const MLComputeResult result = OrDie(results[i].Await());
    EXPECT_EQ(result.outputs[0].second.span<float>()[1], 2 * i);
  }
}

// ---- Later editions

std::shared_ptr<MLTensor> NewTensor(MLContext& context, MLOperandDescriptor descriptor = Float32({2})) {
  return OrDie(context.createTensor(MLTensorDescriptor(std::move(descriptor), true, true)));
}

std::vector<float> Read(MLContext& context, const std::shared_ptr<MLTensor>& tensor) {
  const ArrayBuffer buffer = OrDie(context.readTensor(tensor));
  const auto* values = static_cast<const float*>(buffer.data());
  return std::vector<float>(values, values + buffer.byteLength() / 4);
}

TEST(ContextTest, DispatchesInOrder) {
  Doubling d(NewContext(MLEdition::kLater));
  const auto a = NewTensor(*d.context);
  const auto b = NewTensor(*d.context);
  const auto c = NewTensor(*d.context);
  EXPECT_THAT(Read(*d.context, a), ElementsAre(0, 0));
  ASSERT_TRUE(d.context->writeTensor(a, ArrayBufferView::Of<float>({1, 2})).ok());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(d.context->dispatch(d.graph, {{"x", a}}, {{"y", b}, {"z", c}}).ok());
    ASSERT_TRUE(d.context->dispatch(d.graph, {{"x", b}}, {{"y", a}, {"z", c}}).ok());
  }
  Future<ArrayBuffer> before = d.context->readTensorAsync(a);
  ASSERT_TRUE(d.context->writeTensor(a, ArrayBufferView::Of<float>({0, 0})).ok());
  EXPECT_EQ(static_cast<const float*>(OrDie(before.Await()).data())[1], 128);
  EXPECT_THAT(Read(*d.context, c), ElementsAre(-32, -64));
}

TEST(ContextTest, TensorsAreChecked) {
  Doubling d(NewContext(MLEdition::kLater));
  const auto a = NewTensor(*d.context);
  const auto b = NewTensor(*d.context);
  const auto c = NewTensor(*d.context);
  const auto wide = NewTensor(*d.context, Float32({3}));
  const auto plain = OrDie(d.context->createTensor(MLTensorDescriptor(Float32({2}))));
  const auto dispatch = [&](const MLNamedTensors& inputs, const MLNamedTensors& outputs) {
    return ErrorOf(d.context->dispatch(d.graph, inputs, outputs));
  };
  EXPECT_EQ(dispatch({{"x", a}}, {{"y", b}, {"z", c}}), "OK");
  EXPECT_EQ(dispatch({{"x", a}}, {{"y", b}}), "TypeError: tensors do not match the graph");
  EXPECT_EQ(dispatch({{"x", wide}}, {{"y", b}, {"z", c}}), "TypeError: tensors do not match the graph");
  EXPECT_EQ(dispatch({{"x", a}}, {{"y", b}, {"z", b}}), "TypeError: tensor given twice");
  EXPECT_EQ(dispatch({{"x", NewTensor(*NewContext())}}, {{"y", b}, {"z", c}}), "TypeError: tensor of another context");
  EXPECT_EQ(ErrorOf(d.context->writeTensor(plain, ArrayBufferView::Of<float>({1, 2}))),
            "TypeError: tensor not writable");
  EXPECT_EQ(ErrorOf(d.context->readTensor(plain)), "TypeError: tensor not readable");
  EXPECT_EQ(ErrorOf(d.context->writeTensor(a, ArrayBufferView::Of<float>({1}))), "TypeError: buffer byte length");
  a->destroy();
  EXPECT_EQ(dispatch({{"x", a}}, {{"y", b}, {"z", c}}), "TypeError: tensor destroyed");
  d.graph->destroy();
  EXPECT_EQ(dispatch({{"x", plain}}, {{"y", b}, {"z", c}}), "InvalidStateError: graph destroyed");
}

TEST(ContextTest, ConstantTensorsGoToBuilders) {
  const auto context = NewContext(MLEdition::kLater);
  const auto weights = OrDie(context->createConstantTensor(Float32({2}), ArrayBufferView::Of<float>({3, 4})));
  MLGraphBuilder builder(context);
  EXPECT_EQ(ErrorOf(builder.constant(NewTensor(*context))), "TypeError: tensor not constant");
  EXPECT_THAT(RunGraph(builder, OrDie(builder.neg(OrDie(builder.constant(weights))))), ElementsAre(-3, -4));
}

TEST(ContextTest, PackedElementsGoInAndOut) {
  const auto context = NewContext(MLEdition::kLater);
  MLGraphBuilder builder(context);
  const MLOperandDescriptor int4(MLOperandDataType::kInt4, {3});
  const MLOperand x = OrDie(builder.input("x", int4));
  const auto graph = OrDie(
      builder.build({{"y", OrDie(builder.identity(x))}, {"z", OrDie(builder.cast(x, MLOperandDataType::kInt8))}}));
  const auto in = NewTensor(*context, int4);
  const auto y = NewTensor(*context, int4);
  const auto z = NewTensor(*context, MLOperandDescriptor(MLOperandDataType::kInt8, {3}));
  ASSERT_TRUE(context->writeTensor(in, ArrayBufferView::Of<int8_t>({0x2f, 0x08})).ok());
  ASSERT_TRUE(context->dispatch(graph, {{"x", in}}, {{"y", y}, {"z", z}}).ok());
  const ArrayBuffer packed = OrDie(context->readTensor(y));
  EXPECT_THAT(absl::MakeConstSpan(static_cast<const uint8_t*>(packed.data()), 2), ElementsAre(0x2f, 0x08));
  const ArrayBuffer bytes = OrDie(context->readTensor(z));
  EXPECT_THAT(absl::MakeConstSpan(static_cast<const int8_t*>(bytes.data()), 3), ElementsAre(-1, 2, -8));
}

TEST(ContextTest, ADestroyedContextIsLost) {
  const auto context = NewContext(MLEdition::kLater);
  MLGraphBuilder builder(context);
  Future<MLContextLostInfo> lost = context->lost();
  EXPECT_FALSE(lost.IsReady());
  context->destroy();
  EXPECT_EQ(OrDie(lost.Await()).message, "destroy() was called");
  EXPECT_EQ(ErrorOf(context->createTensor(MLTensorDescriptor(Float32({2})))), "InvalidStateError: context lost");
  EXPECT_EQ(ErrorOf(builder.input("x", Float32({2}))), "InvalidStateError: context lost");
}

TEST(ContextTest, LimitsOfOperatorsComeFromTheirRows) {
  const MLOpSupportLimits limits = NewContext()->opSupportLimits();
  for (const auto& [name, operands] : limits.operators) {
    if (name != "logicalNot") continue;
    EXPECT_EQ(operands[0].first, "a");
    EXPECT_THAT(operands[0].second.dataTypes, ElementsAre(MLOperandDataType::kUint8));
    EXPECT_EQ(operands[1].first, "output");
  }
}

// "types rank..rank" of an operand.
std::string LimitsText(const Named<Named<MLTensorLimits>>& operators, absl::string_view op, absl::string_view operand) {
  for (const auto& [name, operands] : operators) {
    for (const auto& [operand_name, limits] : operands) {
      if (name != op || operand_name != operand) continue;
      std::vector<absl::string_view> types;
      for (const MLOperandDataType type : limits.dataTypes) types.push_back(ToString(type));
      return absl::StrCat(absl::StrJoin(types, ","), " ", limits.rank_min, "..", limits.rank_max);
    }
  }
  return "none";
}

TEST(ContextTest, LimitsOfOptionalOperandsAndOfResultsAreTheirOwn) {
  const auto operators = NewContext()->opSupportLimits().operators;
  EXPECT_EQ(LimitsText(operators, "conv2d", "input"), "float32,float16 4..4");
  EXPECT_EQ(LimitsText(operators, "conv2d", "bias"), "float32,float16 1..1");
  EXPECT_EQ(LimitsText(operators, "gemm", "c"), "float32,float16 0..2");
  EXPECT_EQ(LimitsText(operators, "lstm", "peepholeWeight"), "float32,float16 2..2");
  EXPECT_EQ(LimitsText(operators, "lstm", "outputs"), "float32,float16 3..4");
  EXPECT_EQ(LimitsText(operators, "where", "output"), LimitsText(operators, "where", "input"));
  EXPECT_EQ(LimitsText(operators, "argMax", "output"), "int32,int64 0..8");
  for (const auto& [name, operands] : operators) {
    for (const auto& [operand, limits] : operands) EXPECT_FALSE(limits.dataTypes.empty()) << name << " " << operand;
  }
}

}  // namespace
}  // namespace webnn
}  // namespace xla
