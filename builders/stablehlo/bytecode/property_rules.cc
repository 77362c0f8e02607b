#include "builders/stablehlo/bytecode/property_rules.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr Conversion kSame = Conversion::kSame;
constexpr Conversion kIntegers = Conversion::kIntegers;

// The first that fits counts. What is not here is as it is.
constexpr PropertyRule kRules[] = {
    {"api_version", kSame, NotGiven::kOnes},
    {"arg_attrs", kSame, NotGiven::kEmpty},
    {"backend_config", kSame, NotGiven::kEmpty},
    {"base_dilations", kIntegers, NotGiven::kOnes},
    {"broadcast_dimensions", kIntegers},
    {"broadcast_sizes", kIntegers},
    {"called_computations", Conversion::kSymbols, NotGiven::kEmpty},
    {"callee", Conversion::kSymbol},
    {"compare_type", kSame, NotGiven::kNoType},
    {"composite_attributes", kSame, NotGiven::kEmpty},
    {"decomposition", Conversion::kSymbol},
    {"dimension", kSame, NotGiven::kMinusOne, "sort"},
    {"dimensions", kIntegers},
    {"edge_padding_high", kIntegers},
    {"edge_padding_low", kIntegers},
    {"fft_length", kIntegers},
    {"has_dynamic_root", kSame, NotGiven::kZeros},
    {"has_side_effect", kSame, NotGiven::kZeros},
    {"indices_are_sorted", kSame, NotGiven::kZeros},
    {"infeed_config", kSame, NotGiven::kEmpty},
    {"interior_padding", kIntegers},
    {"is_host_transfer", kSame, NotGiven::kZeros},
    {"is_stable", kSame, NotGiven::kZeros},
    {"known_expanding_dimensions", kIntegers, NotGiven::kEmpty},
    {"known_nonexpanding_dimensions", kIntegers, NotGiven::kEmpty},
    {"layout", kSame, NotGiven::kEmpty},
    {"lhs_dilation", kIntegers, NotGiven::kOnes},
    {"limit_indices", kIntegers},
    {"lower", kSame, NotGiven::kZeros, "cholesky"},
    {"outfeed_config", kSame, NotGiven::kEmpty},
    {"output_operand_aliases", kSame, NotGiven::kEmpty},
    {"padding", kSame, NotGiven::kZeros},
    {"permutation", kIntegers},
    {"precision_config", kSame, NotGiven::kDefault},
    {"res_attrs", kSame, NotGiven::kEmpty},
    {"result_accuracy", kSame, NotGiven::kDefault},
    {"result_tilings", kSame, NotGiven::kEmpty},
    {"rhs_dilation", kIntegers, NotGiven::kOnes},
    {"slice_sizes", kIntegers},
    {"source_target_pairs", kSame, NotGiven::kNone, "collective_permute"},
    {"source_target_pairs", kSame, NotGiven::kEmpty},
    {"start_indices", kIntegers},
    {"strides", kIntegers},
    {"sym_visibility", kSame, NotGiven::kEmpty},
    {"unique_indices", kSame, NotGiven::kZeros},
    {"use_global_device_ids", Conversion::kFlag, NotGiven::kZeros},
    {"version", kSame, NotGiven::kZeros},
    {"window_dilations", kIntegers, NotGiven::kOnes},
    {"window_dimensions", kIntegers},
    {"window_reversal", Conversion::kBooleans, NotGiven::kZeros},
    {"window_strides", kIntegers, NotGiven::kOnes},
};

constexpr StructRule kStructs[] = {
    {"convolution", "dimension_numbers", "stablehlo.conv"},
    {"dot_general", "dot_dimension_numbers", "stablehlo.dot"},
    {"dot_general", "algorithm", "stablehlo.dot_algorithm"},
    {"dynamic_conv", "dimension_numbers", "stablehlo.conv"},
    {"dynamic_gather", "dimension_numbers", "stablehlo.gather"},
    {"gather", "dimension_numbers", "stablehlo.gather"},
    {"scatter", "scatter_dimension_numbers", "stablehlo.scatter"},
};

constexpr DroppedAttribute kDropped[] = {{"dynamic_conv", "padding"}};  // it has become an operand

}  // namespace

const PropertyRule& RuleOf(absl::string_view operation, absl::string_view attribute) {
  static constexpr PropertyRule kNoRule = {};
  for (const PropertyRule& rule : kRules) {
    if (rule.name == attribute && (rule.operation.empty() || rule.operation == operation)) return rule;
  }
  return kNoRule;
}

absl::Span<const StructRule> StructRules() { return kStructs; }
absl::Span<const DroppedAttribute> DroppedAttributes() { return kDropped; }

}  // namespace stablehlo
}  // namespace xla
