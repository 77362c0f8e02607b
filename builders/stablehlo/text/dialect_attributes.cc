#include "builders/stablehlo/text/dialect_attributes.h"

#include <iterator>

namespace xla {
namespace stablehlo {
namespace {

constexpr absl::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr absl::string_view kComparisonTypes[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr absl::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr absl::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr absl::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr absl::string_view kRngAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr absl::string_view kRngDistributions[] = {"UNIFORM", "NORMAL"};
constexpr absl::string_view kAccuracyModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

constexpr absl::string_view kDirectionsOfPropagation[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
constexpr EnumForm kPropagationDirection = {"propagation_direction", kDirectionsOfPropagation};

constexpr int kNumChloEnums = 3;  // the first ones
constexpr EnumForm kEnums[] = {
    {"comparison_direction", kDirections},
    {"comparison_type", kComparisonTypes},
    {"precision", kPrecisions},
    {"transpose", kTransposes},
    {"fft_type", kFftTypes},
    {"rng_algorithm", kRngAlgorithms},
    {"rng_distribution", kRngDistributions},
    {"result_accuracy_mode", kAccuracyModes},
};

constexpr StructField kChannelHandleFields[] = {{"handle", FieldKind::kInteger}, {"type", FieldKind::kInteger}};
constexpr StructField kGatherFields[] = {
    {"offset_dims", FieldKind::kIntegers},           {"collapsed_slice_dims", FieldKind::kIntegers},
    {"operand_batching_dims", FieldKind::kIntegers}, {"start_indices_batching_dims", FieldKind::kIntegers},
    {"start_index_map", FieldKind::kIntegers},       {"index_vector_dim", FieldKind::kInteger},
};
constexpr StructField kScatterFields[] = {
    {"update_window_dims", FieldKind::kIntegers},           {"inserted_window_dims", FieldKind::kIntegers},
    {"input_batching_dims", FieldKind::kIntegers},          {"scatter_indices_batching_dims", FieldKind::kIntegers},
    {"scatter_dims_to_operand_dims", FieldKind::kIntegers}, {"index_vector_dim", FieldKind::kInteger},
};
constexpr StructField kDotFields[] = {
    {"lhs_batching_dimensions", FieldKind::kIntegers},
    {"rhs_batching_dimensions", FieldKind::kIntegers},
    {"lhs_contracting_dimensions", FieldKind::kIntegers},
    {"rhs_contracting_dimensions", FieldKind::kIntegers},
};
constexpr StructField kRaggedDotFields[] = {
    {"lhs_batching_dimensions", FieldKind::kIntegers},    {"rhs_batching_dimensions", FieldKind::kIntegers},
    {"lhs_contracting_dimensions", FieldKind::kIntegers}, {"rhs_contracting_dimensions", FieldKind::kIntegers},
    {"lhs_ragged_dimensions", FieldKind::kIntegers},      {"rhs_group_dimensions", FieldKind::kIntegers},
};
constexpr StructField kDotAlgorithmFields[] = {
    {"lhs_precision_type", FieldKind::kType},
    {"rhs_precision_type", FieldKind::kType},
    {"accumulation_type", FieldKind::kType},
    {"lhs_component_count", FieldKind::kInteger},
    {"rhs_component_count", FieldKind::kInteger},
    {"num_primitive_operations", FieldKind::kInteger},
    {"allow_imprecise_accumulation", FieldKind::kBool},
};
constexpr StructField kResultAccuracyFields[] = {
    {"atol", FieldKind::kFloat},
    {"rtol", FieldKind::kFloat},
    {"ulps", FieldKind::kInteger},
    {"mode", FieldKind::kMode},
};
constexpr StructField kOutputOperandAliasFields[] = {
    {"output_tuple_indices", FieldKind::kIntegers},
    {"operand_index", FieldKind::kInteger},
    {"operand_tuple_indices", FieldKind::kIntegers},
};
// The raw form; the usual one is that of ReadDimensionLetters.
constexpr StructField kConvFields[] = {
    {"input_batch_dimension", FieldKind::kInteger},           {"input_feature_dimension", FieldKind::kInteger},
    {"input_spatial_dimensions", FieldKind::kIntegers},       {"kernel_input_feature_dimension", FieldKind::kInteger},
    {"kernel_output_feature_dimension", FieldKind::kInteger}, {"kernel_spatial_dimensions", FieldKind::kIntegers},
    {"output_batch_dimension", FieldKind::kInteger},          {"output_feature_dimension", FieldKind::kInteger},
    {"output_spatial_dimensions", FieldKind::kIntegers},
};

constexpr StructForm kStructs[] = {
    {"stablehlo.channel_handle", false, kChannelHandleFields},
    {"stablehlo.gather", true, kGatherFields},
    {"stablehlo.scatter", true, kScatterFields},
    {"stablehlo.dot", true, kDotFields},
    {"stablehlo.dot_algorithm", false, kDotAlgorithmFields},
    {"stablehlo.result_accuracy", true, kResultAccuracyFields},
    {"stablehlo.output_operand_alias", false, kOutputOperandAliasFields},
    {"stablehlo.conv", false, kConvFields},
    {"chlo.ragged_dot", true, kRaggedDotFields},
};

}  // namespace

const EnumForm* FindEnumForm(absl::string_view dialect, absl::string_view name) {
  if (dialect == "sdy" && name == kPropagationDirection.name) return &kPropagationDirection;
  if (dialect != "stablehlo" && dialect != "chlo") return nullptr;
  const auto forms = absl::MakeConstSpan(kEnums).first(dialect == "chlo" ? kNumChloEnums : std::size(kEnums));
  for (const EnumForm& form : forms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

const StructForm* FindStructForm(absl::string_view name) {
  for (const StructForm& form : kStructs) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

}  // namespace stablehlo
}  // namespace xla
