// Products, convolutions, windows, decompositions and random numbers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

std::vector<int64_t> ToVector(absl::Span<const int64_t> values) {
  return std::vector<int64_t>(values.begin(), values.end());
}

// The name of an algorithm for products taken apart: what both sides and the sum are rounded to.
struct AlgorithmParts {
  absl::string_view name;
  FloatKind operands;
  FloatKind sum;
  int64_t components;
  int64_t operations;
};
constexpr AlgorithmParts kAlgorithms[] = {
    {"dot_f16_f16_f16", FloatKind::kF16, FloatKind::kF16, 1, 1},
    {"dot_f16_f16_f32", FloatKind::kF16, FloatKind::kF32, 1, 1},
    {"dot_bf16_bf16_bf16", FloatKind::kBF16, FloatKind::kBF16, 1, 1},
    {"dot_bf16_bf16_f32", FloatKind::kBF16, FloatKind::kF32, 1, 1},
    {"dot_bf16_bf16_f32_x3", FloatKind::kBF16, FloatKind::kF32, 1, 3},
    {"dot_bf16_bf16_f32_x6", FloatKind::kBF16, FloatKind::kF32, 1, 6},
    {"dot_bf16_bf16_f32_x9", FloatKind::kBF16, FloatKind::kF32, 1, 9},
    {"dot_tf32_tf32_f32", FloatKind::kTF32, FloatKind::kF32, 1, 1},
    {"dot_tf32_tf32_f32_x3", FloatKind::kTF32, FloatKind::kF32, 1, 3},
    {"dot_f32_f32_f32", FloatKind::kF32, FloatKind::kF32, 1, 1},
    {"dot_f64_f64_f64", FloatKind::kF64, FloatKind::kF64, 1, 1},
};

}  // namespace

absl::Status HloConverter::ConvertDot(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<DotAttributes>();
  Draft draft;
  draft.name = "stablehlo.dot_general";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"dot_dimension_numbers",
       module_.Struct("stablehlo.dot", {{"lhs_batching_dimensions", Ints(attributes.lhs_batch_dims)},
                                        {"rhs_batching_dimensions", Ints(attributes.rhs_batch_dims)},
                                        {"lhs_contracting_dimensions", Ints(attributes.lhs_contracting_dims)},
                                        {"rhs_contracting_dimensions", Ints(attributes.rhs_contracting_dims)}})}};
  const AttributeId precision = Precisions("stablehlo", attributes.operand_precision);
  if (precision.ok()) draft.attributes.push_back({"precision_config", precision});
  if (attributes.algorithm != DotAlgorithm::kUnset) {
    const absl::string_view name = DotAlgorithmNames().names[static_cast<int>(attributes.algorithm)];
    const auto parts = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                    [name](const AlgorithmParts& each) { return each.name == name; });
    if (parts == std::end(kAlgorithms)) {
      return Unsupported(instruction, absl::StrCat("the algorithm ", name, " has no types of operands"));
    }
    const AttributeId type = module_.Intern(TypeAttribute(module_.Intern(FloatType(parts->operands))));
    draft.attributes.push_back(
        {"algorithm",
         module_.Struct("stablehlo.dot_algorithm",
                        {{"lhs_precision_type", type},
                         {"rhs_precision_type", type},
                         {"accumulation_type", module_.Intern(TypeAttribute(module_.Intern(FloatType(parts->sum))))},
                         {"lhs_component_count", Int(parts->components)},
                         {"rhs_component_count", Int(parts->components)},
                         {"num_primitive_operations", Int(parts->operations)},
                         {"allow_imprecise_accumulation", Bool(false)}})});
  }
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertRaggedDot(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<RaggedDotAttributes>();
  Draft draft;
  draft.name = "chlo.ragged_dot";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"ragged_dot_dimension_numbers",
       module_.Struct("chlo.ragged_dot", {{"lhs_batching_dimensions", Ints(attributes.lhs_batch_dims)},
                                          {"rhs_batching_dimensions", Ints(attributes.rhs_batch_dims)},
                                          {"lhs_contracting_dimensions", Ints(attributes.lhs_contracting_dims)},
                                          {"rhs_contracting_dimensions", Ints(attributes.rhs_contracting_dims)},
                                          {"lhs_ragged_dimensions", Ints(attributes.lhs_ragged_dims)},
                                          {"rhs_group_dimensions", Ints(attributes.rhs_group_dims)}})}};
  const AttributeId precision = Precisions("chlo", attributes.operand_precision);
  if (precision.ok()) draft.attributes.push_back({"precision_config", precision});
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertConvolution(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  if (attributes.convolution_kind != ConvolutionKind::kUnset &&
      attributes.convolution_kind != ConvolutionKind::kFprop) {
    return Unsupported(instruction, "StableHLO has no gradients of convolutions as operations");
  }
  std::vector<int64_t> strides;
  std::vector<int64_t> padding;
  std::vector<int64_t> lhs_dilation;
  std::vector<int64_t> rhs_dilation;
  std::vector<bool> reversal;
  for (const WindowDimension& dimension : attributes.window.dimensions) {
    strides.push_back(dimension.stride);
    padding.push_back(dimension.padding_low);
    padding.push_back(dimension.padding_high);
    lhs_dilation.push_back(dimension.base_dilation);
    rhs_dilation.push_back(dimension.window_dilation);
    reversal.push_back(dimension.window_reversal);
  }
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  Draft draft;
  draft.name = "stablehlo.convolution";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"dimension_numbers",
       module_.Struct("stablehlo.conv", {{"input_batch_dimension", Int(labels.input_batch)},
                                         {"input_feature_dimension", Int(labels.input_feature)},
                                         {"input_spatial_dimensions", Ints(labels.input_spatial)},
                                         {"kernel_input_feature_dimension", Int(labels.kernel_input_feature)},
                                         {"kernel_output_feature_dimension", Int(labels.kernel_output_feature)},
                                         {"kernel_spatial_dimensions", Ints(labels.kernel_spatial)},
                                         {"output_batch_dimension", Int(labels.output_batch)},
                                         {"output_feature_dimension", Int(labels.output_feature)},
                                         {"output_spatial_dimensions", Ints(labels.output_spatial)}})},
      {"window_strides", Ints(strides)},
      {"padding", Matrix(padding, 2)},
      {"lhs_dilation", Ints(lhs_dilation)},
      {"rhs_dilation", Ints(rhs_dilation)},
      {"window_reversal", Bools(reversal)},
      {"feature_group_count", Int(attributes.feature_group_count)},
      {"batch_group_count", Int(attributes.batch_group_count)}};
  const AttributeId precision = Precisions("stablehlo", attributes.operand_precision);
  if (precision.ok()) draft.attributes.push_back({"precision_config", precision});
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertFft(const HloInstruction& instruction, Body* body) {
  constexpr absl::string_view kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  const auto& attributes = instruction.attributes<FftAttributes>();
  Draft draft;
  draft.name = "stablehlo.fft";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"fft_type", Enum("fft_type", kTypes[static_cast<int>(attributes.fft_type)])},
                      {"fft_length", Ints(attributes.fft_length)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertTriangularSolve(const HloInstruction& instruction, Body* body) {
  constexpr absl::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const auto& attributes = instruction.attributes<TriangularSolveAttributes>();
  Draft draft;
  draft.name = "stablehlo.triangular_solve";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"left_side", Bool(attributes.left_side)},
                      {"lower", Bool(attributes.lower)},
                      {"unit_diagonal", Bool(attributes.unit_diagonal)},
                      {"transpose_a", Enum("transpose", kTransposes[static_cast<int>(attributes.transpose_a)])}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertCholesky(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.cholesky";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"lower", Bool(instruction.attributes<CholeskyAttributes>().lower)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertBatchNorm(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<BatchNormAttributes>();
  Draft draft;
  draft.name = instruction.opcode() == HloOpcode::kBatchNormGrad        ? "stablehlo.batch_norm_grad"
               : instruction.opcode() == HloOpcode::kBatchNormInference ? "stablehlo.batch_norm_inference"
                                                                        : "stablehlo.batch_norm_training";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"epsilon", Float32(attributes.epsilon)}, {"feature_index", Int(attributes.feature_index)}};
  return Emit(instruction, std::move(draft), body);
}

// The shape of the result is an operand.
absl::Status HloConverter::ConvertRng(const HloInstruction& instruction, Body* body) {
  const RandomDistribution distribution = instruction.attributes<RngAttributes>().distribution;
  if (distribution == RandomDistribution::kInvalid) return Unsupported(instruction, "it has no distribution");
  const std::vector<int64_t> dimensions = ToVector(instruction.shape().dimensions());
  const TypeId type =
      module_.Intern(TensorType({static_cast<int64_t>(dimensions.size())}, module_.Intern(IntegerType(64))));
  const absl::string_view data(reinterpret_cast<const char*>(dimensions.data()), dimensions.size() * sizeof(int64_t));
  Draft shape;
  shape.name = "stablehlo.constant";
  shape.attributes = {
      {"value", module_.Intern(DenseElementsAttribute(
                    type, data.size() > kMaxInternedBytes ? module_.KeepBytes(data) : data, /*is_splat=*/false))}};
  shape.result_types = {type};
  Draft draft;
  draft.operands = AllOperands(instruction, *body);
  RETURN_IF_ERROR(Emit(instruction, std::move(shape), body));
  draft.name = "stablehlo.rng";
  draft.operands.push_back(body->values[instruction.place()][0]);
  draft.attributes = {{"rng_distribution",
                       Enum("rng_distribution", distribution == RandomDistribution::kUniform ? "UNIFORM" : "NORMAL")}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertRngBitGenerator(const HloInstruction& instruction, Body* body) {
  constexpr absl::string_view kNames[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  const auto algorithm = instruction.attributes<RngBitGeneratorAttributes>().algorithm;
  Draft draft;
  draft.name = "stablehlo.rng_bit_generator";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"rng_algorithm", Enum("rng_algorithm", kNames[static_cast<int>(algorithm)])}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertReduceWindow(const HloInstruction& instruction, Body* body) {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<int64_t> base_dilations;
  std::vector<int64_t> window_dilations;
  std::vector<int64_t> padding;
  for (const WindowDimension& dimension : instruction.attributes<WindowAttributes>().window.dimensions) {
    if (dimension.window_reversal) return Unsupported(instruction, "StableHLO does not reverse windows of reductions");
    sizes.push_back(dimension.size);
    strides.push_back(dimension.stride);
    base_dilations.push_back(dimension.base_dilation);
    window_dilations.push_back(dimension.window_dilation);
    padding.push_back(dimension.padding_low);
    padding.push_back(dimension.padding_high);
  }
  Draft draft;
  draft.name = "stablehlo.reduce_window";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"window_dimensions", Ints(sizes)},
                      {"window_strides", Ints(strides)},
                      {"base_dilations", Ints(base_dilations)},
                      {"window_dilations", Ints(window_dilations)},
                      {"padding", Matrix(padding, 2)}};
  RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertSelectAndScatter(const HloInstruction& instruction, Body* body) {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<int64_t> padding;
  for (const WindowDimension& dimension : instruction.attributes<WindowAttributes>().window.dimensions) {
    if (dimension.window_reversal || dimension.base_dilation != 1 || dimension.window_dilation != 1) {
      return Unsupported(instruction, "StableHLO neither reverses nor dilates windows of select_and_scatter");
    }
    sizes.push_back(dimension.size);
    strides.push_back(dimension.stride);
    padding.push_back(dimension.padding_low);
    padding.push_back(dimension.padding_high);
  }
  Draft draft;
  draft.name = "stablehlo.select_and_scatter";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"window_dimensions", Ints(sizes)}, {"window_strides", Ints(strides)}, {"padding", Matrix(padding, 2)}};
  RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  RETURN_IF_ERROR(AppendRegion(instruction, 1, *body, &draft));
  return Emit(instruction, std::move(draft), body);
}

}  // namespace stablehlo
}  // namespace xla
