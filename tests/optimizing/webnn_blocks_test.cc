// What a program runs for common blocks of networks that are built with WebNN: after the pipeline `cpu`, each is as few
// fusions and library calls as it can be.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace webnn {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr MLOperandDataType kFloat32 = MLOperandDataType::kFloat32;
constexpr MLOperandDataType kFloat16 = MLOperandDataType::kFloat16;

// Names, views of other values, and what is computed from nothing that is given to the program: constants in another
// order, which are computed once and kept, and masks.
bool RunsNothing(const HloInstruction& instruction, const absl::flat_hash_set<const HloInstruction*>& fixed) {
  const HloOpcode opcode = instruction.opcode();
  return opcode == HloOpcode::kParameter || opcode == HloOpcode::kBitcast || HasTrait(opcode, opcode_trait::kBundles) ||
         fixed.contains(&instruction);
}

// "fusion", or "fusion of X" where X is a product, which is then one call with an epilogue.
std::string StepName(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kFusion) return std::string(instruction.opcode_name());
  for (const auto& member : instruction.called_computations()[0]->instructions()) {
    if (member->opcode() == HloOpcode::kDot || member->opcode() == HloOpcode::kConvolution) {
      return absl::StrCat("fusion of ", member->opcode_name());
    }
  }
  return "fusion";
}

// What runs when the computation does, in order.
std::vector<std::string> StepsOf(const HloComputation& computation) {
  absl::flat_hash_set<const HloInstruction*> fixed;
  std::vector<std::string> steps;
  for (const HloInstruction* instruction : computation.LiveInstructions()) {
    const auto operands = instruction->operands();
    const bool is_fixed =
        instruction->opcode() != HloOpcode::kParameter &&
        std::all_of(operands.begin(), operands.end(), [&](const HloInstruction* x) { return fixed.contains(x); });
    if (is_fixed) fixed.insert(instruction);
    const bool counts_turns = instruction->shape().IsScalar();
    if (!RunsNothing(*instruction, fixed) && !counts_turns) steps.push_back(StepName(*instruction));
  }
  return steps;
}

class WebnnBlocksTest : public testing::TestWithParam<MLOperandDataType> {
 protected:
  WebnnBlocksTest() : builder(MLContext::WithoutDevice(MLEdition::kDraft)) {}

  MLOperand Input(std::vector<uint32_t> shape) {
    return builder.input(absl::StrCat("x", inputs_++), {type, std::move(shape)}).value();
  }

  // Numbers that differ, as those of a trained network do: what is all the same would be a broadcast.
  MLOperand Weights(const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    std::vector<float> values(count);
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 37 % 101) / 64 - 0.75f;
    const Literal literal = LiteralUtil::FromValues<float>(shape, absl::MakeConstSpan(values)).value();
    return builder.constant(LiteralUtil::Convert(literal, type == kFloat16 ? F16 : F32).value()).value();
  }

  // After the pipeline.
  std::unique_ptr<HloModule> Optimized(const MLNamedOperands& outputs) {
    const GraphDefinition graph = builder.Define(outputs).value();
    std::unique_ptr<HloModule> module = LowerToHlo(graph).value();
    PassContext context;
    EXPECT_TRUE(RunPasses(PipelineByName("cpu").value(), PassRunnerOptions(), context, *module).ok());
    return module;
  }
  std::vector<std::string> Steps(const absl::StatusOr<MLOperand>& output) {
    return StepsOf(*Optimized({{"y", output.value()}})->entry());
  }

  // Convolution, bias and the clamp to 0 .. 6 that follows it in mobile networks.
  MLOperand ConvolutionBlock(const MLOperand& input, const MLOperand& filter, MLConv2dOptions options,
                             int64_t channels) {
    options.bias = Weights({channels});
    MLClampOptions limits;
    limits.minValue = MLNumber(0.0);
    limits.maxValue = MLNumber(6.0);
    return builder.clamp(builder.conv2d(input, filter, options).value(), limits).value();
  }

  // softmax(q k^T / 8 + mask) v for q, k and v of [batch, heads, length, 64].
  absl::StatusOr<MLOperand> Attention(const absl::optional<MLOperand>& allowed) {
    const std::vector<uint32_t> shape = {2, 4, 128, 64};
    const MLOperand q = Input(shape), k = Input(shape), v = Input(shape);
    MLTransposeOptions swap;
    swap.permutation = UnsignedList{0, 1, 3, 2};
    const MLOperand product = builder.matmul(q, builder.transpose(k, swap).value()).value();
    MLOperand scores = builder.mul(product, builder.constant(type, MLNumber(0.125)).value()).value();
    if (allowed.has_value()) {
      const MLOperand low = builder.constant(type, MLNumber(-30000.0)).value();
      scores = builder.where(*allowed, scores, low).value();
    }
    return builder.matmul(builder.softmax(scores, 3).value(), v);
  }

  std::vector<MLOperand> Lstm(int64_t steps) {
    const int64_t hidden = 32, features = 16;
    MLLstmOptions options;
    options.bias = Weights({1, 4 * hidden});
    options.recurrentBias = Weights({1, 4 * hidden});
    return builder
        .lstm(Input({static_cast<uint32_t>(steps), 4, features}), Weights({1, 4 * hidden, features}),
              Weights({1, 4 * hidden, hidden}), steps, hidden, options)
        .value();
  }

  const MLOperandDataType type = GetParam();
  MLGraphBuilder builder;

 private:
  int inputs_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Types, WebnnBlocksTest, testing::Values(kFloat32, kFloat16),
                         [](const auto& info) { return info.param == kFloat32 ? "float32" : "float16"; });

TEST_P(WebnnBlocksTest, ConvolutionWithChannelsLastIsOneCall) {
  MLConv2dOptions options;
  options.padding = UnsignedList{1, 1, 1, 1};
  options.inputLayout = MLInputOperandLayout::kNhwc;
  options.filterLayout = MLConv2dFilterOperandLayout::kOhwi;
  const MLOperand y = ConvolutionBlock(Input({1, 14, 14, 16}), Weights({32, 3, 3, 16}), options, 32);
  EXPECT_THAT(Steps(y), ElementsAre("fusion of convolution"));
}

TEST_P(WebnnBlocksTest, DepthwiseConvolutionIsOneCall) {
  MLConv2dOptions options;
  options.padding = UnsignedList{1, 1, 1, 1};
  options.groups = 32;
  options.inputLayout = MLInputOperandLayout::kNhwc;
  options.filterLayout = MLConv2dFilterOperandLayout::kIhwo;
  const MLOperand y = ConvolutionBlock(Input({1, 14, 14, 32}), Weights({1, 3, 3, 32}), options, 32);
  EXPECT_THAT(Steps(y), ElementsAre("fusion of convolution"));
}

// The calls want channels last. The input is put in that order, and what follows the last product brings the result
// back; between two convolutions there is nothing.
TEST_P(WebnnBlocksTest, ConvolutionsWithChannelsFirstAreTransposedAtTheEnds) {
  MLConv2dOptions options;
  options.padding = UnsignedList{1, 1, 1, 1};
  const MLOperand x = Input({1, 16, 14, 14});
  const MLOperand one = ConvolutionBlock(x, Weights({32, 16, 3, 3}), options, 32);
  EXPECT_THAT(Steps(one), ElementsAre("transpose", "convolution", "fusion"));
  options.groups = 32;
  const MLOperand two = ConvolutionBlock(one, Weights({32, 1, 3, 3}), options, 32);
  EXPECT_THAT(Steps(two), ElementsAre("transpose", "fusion of convolution", "convolution", "fusion"));
}

TEST_P(WebnnBlocksTest, GemmAndGeluIsOneCall) {
  MLGemmOptions options;
  options.c = Weights({128});
  const MLOperand x = Input({16, 64});
  EXPECT_THAT(Steps(builder.gelu(builder.gemm(x, Weights({64, 128}), options).value())), ElementsAre("fusion of dot"));
  options.bTranspose = true;
  EXPECT_THAT(Steps(builder.gelu(builder.gemm(x, Weights({128, 64}), options).value())), ElementsAre("fusion of dot"));
}

TEST_P(WebnnBlocksTest, MatmulBiasAndGeluIsOneCall) {
  const MLOperand product = builder.matmul(Input({2, 16, 64}), Weights({64, 128})).value();
  EXPECT_THAT(Steps(builder.gelu(builder.add(product, Weights({128})).value())), ElementsAre("fusion of dot"));
}

TEST_P(WebnnBlocksTest, LayerNormalizationIsOneFusion) {
  MLLayerNormalizationOptions options;
  options.scale = Weights({64});
  options.bias = Weights({64});
  options.axes = UnsignedList{2};
  EXPECT_THAT(Steps(builder.layerNormalization(Input({2, 16, 64}), options)), ElementsAre("fusion"));
}

TEST_P(WebnnBlocksTest, ResidualAndLayerNormalizationIsOneFusion) {
  MLLayerNormalizationOptions options;
  options.axes = UnsignedList{2};
  const MLOperand sum = builder.add(Input({2, 16, 64}), Input({2, 16, 64})).value();
  EXPECT_THAT(Steps(builder.layerNormalization(sum, options)), ElementsAre("fusion"));
}

TEST_P(WebnnBlocksTest, AttentionIsTwoProductsAndOneFusion) {
  const std::string second = type == kFloat32 ? "dot" : "fusion of dot";  // with the conversion of its sums
  EXPECT_THAT(Steps(Attention(absl::nullopt)), ElementsAre("dot", "fusion", second));
}

// The mask is computed from nothing, and is not a step here.
TEST_P(WebnnBlocksTest, CausalAttentionIsTwoProductsAndOneFusion) {
  const MLOperand one = builder.constant(MLOperandDataType::kUint8, MLNumber(1.0)).value();
  MLTriangularOptions lower;
  lower.upper = false;
  const MLOperand mask = builder.triangular(builder.expand(one, {128, 128}).value(), lower).value();
  const std::string second = type == kFloat32 ? "dot" : "fusion of dot";
  EXPECT_THAT(Steps(Attention(mask)), ElementsAre("dot", "fusion", second));
}

using WebnnLstmTest = WebnnBlocksTest;
INSTANTIATE_TEST_SUITE_P(Types, WebnnLstmTest, testing::Values(kFloat32),
                         [](const auto& info) { return info.param == kFloat32 ? "float32" : "float16"; });

TEST_P(WebnnLstmTest, CellIsTwoProductsAndOneFusion) {
  MLLstmCellOptions options;
  options.bias = Weights({128});
  options.recurrentBias = Weights({128});
  const std::vector<MLOperand> states =
      builder
          .lstmCell(Input({4, 16}), Weights({128, 16}), Weights({128, 32}), Input({4, 32}), Input({4, 32}), 32, options)
          .value();
  const auto module = Optimized({{"h", states[0]}, {"c", states[1]}});
  EXPECT_THAT(StepsOf(*module->entry()), ElementsAre("dot", "dot", "fusion"));
}

// The recurrent product of states that are zero is folded.
TEST_P(WebnnLstmTest, FirstStepIsOneProductAndOneFusion) {
  const std::vector<MLOperand> states = Lstm(1);
  const auto module = Optimized({{"h", states[0]}, {"c", states[1]}});
  EXPECT_THAT(StepsOf(*module->entry()), ElementsAre("dot", "fusion"));
}

// These are written one after the other.
TEST_P(WebnnLstmTest, StepOfAShortSequenceIsOneProductAndOneFusion) {
  const std::vector<MLOperand> states = Lstm(3);
  const auto module = Optimized({{"h", states[0]}, {"c", states[1]}});
  EXPECT_THAT(StepsOf(*module->entry()),
              UnorderedElementsAre("fusion of dot", "fusion", "dot", "fusion", "dot", "fusion"));
}

// The input's part of all steps is one product, and each step one more, and what makes the states of it.
TEST_P(WebnnLstmTest, StepOfALongSequenceIsOneProductAndOneFusion) {
  const std::vector<MLOperand> states = Lstm(32);
  const auto module = Optimized({{"h", states[0]}, {"c", states[1]}});
  const HloComputation* body = nullptr;
  for (const auto& instruction : module->entry()->instructions()) {
    if (instruction->opcode() == HloOpcode::kWhile) body = instruction->called_computations()[1];
  }
  ASSERT_NE(body, nullptr);
  EXPECT_THAT(StepsOf(*module->entry()), ElementsAre("fusion of dot", "while"));
  EXPECT_THAT(StepsOf(*body), UnorderedElementsAre("dot", "fusion"));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
