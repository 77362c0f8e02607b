#include "builders/stablehlo/text/operation_forms.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace stablehlo {
namespace {

using Names = absl::Span<const absl::string_view>;

constexpr ClauseKind kInteger = ClauseKind::kInteger;
constexpr ClauseKind kIntegers = ClauseKind::kIntegers;
constexpr TypesForm kSame = TypesForm::kSame;
constexpr TypesForm kFunctional = TypesForm::kFunctional;
constexpr TypesForm kArrow = TypesForm::kArrow;

constexpr OperationForm kForms[] = {
    {"stablehlo.abs", 1, kSame},
    {"stablehlo.cbrt", 1, kSame},
    {"stablehlo.ceil", 1, kSame},
    {"stablehlo.convert", 1, kSame},
    {"stablehlo.count_leading_zeros", 1, kSame},
    {"stablehlo.cosine", 1, kSame},
    {"stablehlo.exponential", 1, kSame},
    {"stablehlo.exponential_minus_one", 1, kSame},
    {"stablehlo.floor", 1, kSame},
    {"stablehlo.imag", 1, kSame},
    {"stablehlo.log", 1, kSame},
    {"stablehlo.log_plus_one", 1, kSame},
    {"stablehlo.logistic", 1, kSame},
    {"stablehlo.negate", 1, kSame},
    {"stablehlo.not", 1, kSame},
    {"stablehlo.popcnt", 1, kSame},
    {"stablehlo.real", 1, kSame},
    {"stablehlo.round_nearest_afz", 1, kSame},
    {"stablehlo.round_nearest_even", 1, kSame},
    {"stablehlo.rsqrt", 1, kSame},
    {"stablehlo.sign", 1, kSame},
    {"stablehlo.sine", 1, kSame},
    {"stablehlo.sqrt", 1, kSame},
    {"stablehlo.tan", 1, kSame},
    {"stablehlo.tanh", 1, kSame},
    {"stablehlo.uniform_dequantize", 1, kSame},
    {"stablehlo.uniform_quantize", 1, kSame},
    {"stablehlo.add", 2, kSame},
    {"stablehlo.and", 2, kSame},
    {"stablehlo.atan2", 2, kSame},
    {"stablehlo.divide", 2, kSame},
    {"stablehlo.maximum", 2, kSame},
    {"stablehlo.minimum", 2, kSame},
    {"stablehlo.multiply", 2, kSame},
    {"stablehlo.or", 2, kSame},
    {"stablehlo.power", 2, kSame},
    {"stablehlo.remainder", 2, kSame},
    {"stablehlo.shift_left", 2, kSame},
    {"stablehlo.shift_right_arithmetic", 2, kSame},
    {"stablehlo.shift_right_logical", 2, kSame},
    {"stablehlo.subtract", 2, kSame},
    {"stablehlo.xor", 2, kSame},
    {"stablehlo.clamp", 3, kSame},
    {"stablehlo.reverse", 1, kSame, {{"dims", "dimensions", kIntegers}}},
    {"stablehlo.cholesky", 1, kSame, {{"lower", "lower", ClauseKind::kBool, /*is_optional=*/true}}},
    {"stablehlo.bitcast_convert", 1, kFunctional},
    {"stablehlo.is_finite", 1, kFunctional},
    {"stablehlo.reshape", 1, kFunctional},
    {"stablehlo.dynamic_pad", 5, kFunctional},
    {"stablehlo.dynamic_reshape", 2, kFunctional},
    {"stablehlo.dynamic_update_slice", kAnyNumber, kFunctional},
    {"stablehlo.real_dynamic_slice", 4, kFunctional},
    {"stablehlo.broadcast", 1, kFunctional, {{"sizes", "broadcast_sizes", kIntegers}}},
    {"stablehlo.broadcast_in_dim", 1, kFunctional, {{"dims", "broadcast_dimensions", kIntegers}}},
    {"stablehlo.concatenate", kAnyNumber, kFunctional, {{"dim", "dimension", kInteger}}},
    {"stablehlo.dynamic_broadcast_in_dim", 2, kFunctional, {{"dims", "broadcast_dimensions", kIntegers}}},
    {"stablehlo.dynamic_iota", 1, kFunctional, {{"dim", "iota_dimension", kInteger}}},
    {"stablehlo.dynamic_slice", kAnyNumber, kFunctional, {{"sizes", "slice_sizes", kIntegers}}},
    {"stablehlo.einsum", 2, kFunctional, {{"config", "einsum_config", ClauseKind::kString}}},
    {"stablehlo.fft",
     1,
     kFunctional,
     {{"type", "fft_type", ClauseKind::kEnumerator}, {"length", "fft_length", kIntegers}}},
    {"stablehlo.get_dimension_size", 1, kFunctional, {{"dim", "dimension", kInteger}}},
    {"stablehlo.pad",
     2,
     kFunctional,
     {{"low", "edge_padding_low", kIntegers},
      {"high", "edge_padding_high", kIntegers},
      {"interior", "interior_padding", kIntegers}}},
    {"stablehlo.rng", 3, kFunctional, {{"distribution", "rng_distribution", ClauseKind::kEnumerator}}},
    {"stablehlo.rng_bit_generator", 1, kFunctional, {{"algorithm", "rng_algorithm", ClauseKind::kEnumerator}}},
    {"stablehlo.set_dimension_size", 2, kFunctional, {{"dim", "dimension", kInteger}}},
    {"stablehlo.transpose", 1, kFunctional, {{"dims", "permutation", kIntegers}}},
    {"stablehlo.unary_einsum", 1, kFunctional, {{"config", "einsum_config", ClauseKind::kString}}},
    {"stablehlo.iota", 0, TypesForm::kResult, {{"dim", "iota_dimension", kInteger}}},
    {"stablehlo.after_all", kAnyNumber, TypesForm::kResult},
    {"stablehlo.create_token", 0, TypesForm::kResult},
    {"stablehlo.partition_id", 0, TypesForm::kResult},
    {"stablehlo.replica_id", 0, TypesForm::kResult},
    {"chlo._asin_acos_kernel", 1, kArrow},
    {"chlo.acos", 1, kArrow},
    {"chlo.acosh", 1, kArrow},
    {"chlo.asin", 1, kArrow},
    {"chlo.asinh", 1, kArrow},
    {"chlo.atan", 1, kArrow},
    {"chlo.atanh", 1, kArrow},
    {"chlo.bessel_i1e", 1, kArrow},
    {"chlo.broadcast_add", 2, kFunctional},
    {"chlo.broadcast_and", 2, kFunctional},
    {"chlo.broadcast_atan2", 2, kFunctional},
    {"chlo.broadcast_compare", 2, kFunctional},
    {"chlo.broadcast_complex", 2, kFunctional},
    {"chlo.broadcast_divide", 2, kFunctional},
    {"chlo.broadcast_maximum", 2, kFunctional},
    {"chlo.broadcast_minimum", 2, kFunctional},
    {"chlo.broadcast_multiply", 2, kFunctional},
    {"chlo.broadcast_next_after", 2, kFunctional},
    {"chlo.broadcast_or", 2, kFunctional},
    {"chlo.broadcast_polygamma", 2, kFunctional},
    {"chlo.broadcast_power", 2, kFunctional},
    {"chlo.broadcast_remainder", 2, kFunctional},
    {"chlo.broadcast_select", 3, kFunctional},
    {"chlo.broadcast_shift_left", 2, kFunctional},
    {"chlo.broadcast_shift_right_arithmetic", 2, kFunctional},
    {"chlo.broadcast_shift_right_logical", 2, kFunctional},
    {"chlo.broadcast_subtract", 2, kFunctional},
    {"chlo.broadcast_xor", 2, kFunctional},
    {"chlo.broadcast_zeta", 2, kFunctional},
    {"chlo.conj", 1, kArrow},
    {"chlo.cosh", 1, kArrow},
    {"chlo.digamma", 1, kArrow},
    {"chlo.erf", 1, kArrow},
    {"chlo.erf_inv", 1, kArrow},
    {"chlo.erfc", 1, kArrow},
    {"chlo.is_inf", 1, kArrow},
    {"chlo.is_neg_inf", 1, kArrow},
    {"chlo.is_pos_inf", 1, kArrow},
    {"chlo.lgamma", 1, kArrow},
    {"chlo.mulhi", 2, kArrow},
    {"chlo.next_after", 2, kArrow},
    {"chlo.polygamma", 2, kArrow},
    {"chlo.sinh", 1, kArrow},
    {"chlo.square", 1, kArrow},
    {"chlo.tan", 1, kArrow},
    {"chlo.zeta", 2, kArrow},
    // What TensorFlow leaves of HLO's own functions.
    {"mhlo.acos", 1, kSame},
    {"mhlo.acosh", 1, kSame},
    {"mhlo.asin", 1, kSame},
    {"mhlo.asinh", 1, kSame},
    {"mhlo.atanh", 1, kSame},
    {"mhlo.cosh", 1, kSame},
    {"mhlo.erf", 1, kSame},
    {"mhlo.sinh", 1, kSame},
    {"sdy.func_data_flow_edge", 1, kSame},
};

constexpr absl::string_view kBatchNorm[] = {"epsilon", "feature_index"};
constexpr absl::string_view kAllGather[] = {"all_gather_dim", "replica_groups", "channel_handle",
                                            "use_global_device_ids"};
constexpr absl::string_view kAllReduce[] = {"replica_groups", "channel_handle", "use_global_device_ids"};
constexpr absl::string_view kAllToAll[] = {"split_dimension", "concat_dimension", "split_count", "replica_groups",
                                           "channel_handle"};
constexpr absl::string_view kCollectiveBroadcast[] = {"replica_groups", "channel_handle", "has_dynamic_root"};
constexpr absl::string_view kCollectiveReduce[] = {"replica_groups", "channel_handle", "use_global_device_ids",
                                                   "has_dynamic_root"};
constexpr absl::string_view kCollectivePermute[] = {"source_target_pairs", "channel_handle"};
constexpr absl::string_view kReduceScatter[] = {"scatter_dimension", "replica_groups", "channel_handle",
                                                "use_global_device_ids"};
constexpr absl::string_view kCrossReplicaSum[] = {"replica_groups"};
constexpr absl::string_view kDynamicConv[] = {"window_strides",      "padding",           "lhs_dilation",
                                              "rhs_dilation",        "window_reversal",   "dimension_numbers",
                                              "feature_group_count", "batch_group_count", "precision_config"};
constexpr absl::string_view kGather[] = {"dimension_numbers", "slice_sizes", "indices_are_sorted"};
constexpr absl::string_view kScatter[] = {"scatter_dimension_numbers", "indices_are_sorted", "unique_indices"};
constexpr absl::string_view kSort[] = {"dimension", "is_stable"};
constexpr absl::string_view kDimensions[] = {"dimensions"};
constexpr absl::string_view kReduceWindow[] = {"window_dimensions", "window_strides", "base_dilations",
                                               "window_dilations", "padding"};
constexpr absl::string_view kSelectAndScatter[] = {"window_dimensions", "window_strides", "padding"};
constexpr absl::string_view kTriangularSolve[] = {"left_side", "lower", "unit_diagonal", "transpose_a"};
constexpr absl::string_view kInfeed[] = {"infeed_config", "layout"};
constexpr absl::string_view kOutfeed[] = {"outfeed_config"};
constexpr absl::string_view kSend[] = {"channel_handle", "is_host_transfer", "source_target_pairs"};
constexpr absl::string_view kTorchIndexSelect[] = {"dim", "batch_dims"};
constexpr absl::string_view kRaggedDot[] = {"ragged_dot_dimension_numbers", "precision_config"};
constexpr absl::string_view kScan[] = {"dimension", "is_reverse", "is_associative", "operandSegmentSizes",
                                       "resultSegmentSizes"};
constexpr absl::string_view kValue[] = {"value"};
constexpr absl::string_view kConstant[] = {"value"};
constexpr absl::string_view kCompare[] = {"comparison_direction", "compare_type"};
constexpr absl::string_view kSlice[] = {"start_indices", "limit_indices", "strides"};
constexpr absl::string_view kIndex[] = {"index"};
constexpr absl::string_view kDotGeneral[] = {"dot_dimension_numbers", "precision_config", "algorithm"};
constexpr absl::string_view kDot[] = {"precision_config"};
constexpr absl::string_view kReducePrecision[] = {"exponent_bits", "mantissa_bits"};
constexpr absl::string_view kCustomCall[] = {"call_target_name", "has_side_effect",        "backend_config",
                                             "api_version",      "called_computations",    "operand_layouts",
                                             "result_layouts",   "output_operand_aliases", "result_tilings"};
constexpr absl::string_view kComposite[] = {"name", "composite_attributes", "decomposition", "version"};
constexpr absl::string_view kTopK[] = {"k", "is_stable"};
constexpr absl::string_view kCallee[] = {"callee"};
constexpr absl::string_view kFunction[] = {"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"};
constexpr absl::string_view kModule[] = {"sym_name", "sym_visibility"};
constexpr absl::string_view kMesh[] = {"sym_name", "mesh"};
constexpr absl::string_view kSharding[] = {"sharding"};
constexpr absl::string_view kManualComputation[] = {"in_shardings", "out_shardings", "manual_axes"};
constexpr absl::string_view kNamedComputation[] = {"name", "in_shardings", "out_shardings"};
constexpr absl::string_view kGroup[] = {"group_id"};
constexpr absl::string_view kDirection[] = {"allowed_direction"};
constexpr absl::string_view kOutSharding[] = {"out_sharding"};
constexpr absl::string_view kGatheringAxes[] = {"gathering_axes", "out_sharding"};
constexpr absl::string_view kSlicingAxes[] = {"slicing_axes", "out_sharding"};
constexpr absl::string_view kParams[] = {"params", "out_sharding"};
constexpr absl::string_view kCollectiveAxes[] = {"axes", "out_sharding"};
constexpr absl::string_view kReductionAxes[] = {"reduction_axes", "out_sharding"};
constexpr absl::string_view kReduceScatterAxes[] = {"reduce_scatter_axes", "out_sharding"};

struct OtherOperation {
  absl::string_view name;
  Names properties = {};
};

// Those with forms of their own and those that have only the generic one.
constexpr OtherOperation kOthers[] = {
    {"builtin.module", kModule},
    {"builtin.unrealized_conversion_cast"},
    {"func.func", kFunction},
    {"func.call", kCallee},
    {"func.return"},
    {"stablehlo.all_gather", kAllGather},
    {"stablehlo.all_reduce", kAllReduce},
    {"stablehlo.all_to_all", kAllToAll},
    {"stablehlo.async_done"},
    {"stablehlo.async_start"},
    {"stablehlo.batch_norm_grad", kBatchNorm},
    {"stablehlo.batch_norm_inference", kBatchNorm},
    {"stablehlo.batch_norm_training", kBatchNorm},
    {"stablehlo.case"},
    {"stablehlo.collective_broadcast", kCollectiveBroadcast},
    {"stablehlo.collective_permute", kCollectivePermute},
    {"stablehlo.collective_reduce", kCollectiveReduce},
    {"stablehlo.compare", kCompare},
    {"stablehlo.complex"},
    {"stablehlo.composite", kComposite},
    {"stablehlo.constant", kConstant},
    {"stablehlo.convolution", kDynamicConv},
    {"stablehlo.cross-replica-sum", kCrossReplicaSum},
    {"stablehlo.custom_call", kCustomCall},
    {"stablehlo.dot", kDot},
    {"stablehlo.dot_general", kDotGeneral},
    {"stablehlo.dynamic_conv", kDynamicConv},
    {"stablehlo.dynamic_gather", kGather},
    {"stablehlo.gather", kGather},
    {"stablehlo.get_tuple_element", kIndex},
    {"stablehlo.if"},
    {"stablehlo.infeed", kInfeed},
    {"stablehlo.map", kDimensions},
    {"stablehlo.optimization_barrier"},
    {"stablehlo.outfeed", kOutfeed},
    {"stablehlo.recv", kSend},
    {"stablehlo.reduce", kDimensions},
    {"stablehlo.reduce_precision", kReducePrecision},
    {"stablehlo.reduce_scatter", kReduceScatter},
    {"stablehlo.reduce_window", kReduceWindow},
    {"stablehlo.return"},
    {"stablehlo.scatter", kScatter},
    {"stablehlo.select"},
    {"stablehlo.select_and_scatter", kSelectAndScatter},
    {"stablehlo.send", kSend},
    {"stablehlo.slice", kSlice},
    {"stablehlo.sort", kSort},
    {"stablehlo.torch_index_select", kTorchIndexSelect},
    {"stablehlo.triangular_solve", kTriangularSolve},
    {"stablehlo.tuple"},
    {"stablehlo.while"},
    {"chlo.constant", kValue},
    {"chlo.constant_like", kValue},
    {"chlo.ragged_dot", kRaggedDot},
    {"chlo.scan", kScan},
    {"chlo.top_k", kTopK},
    {"sdy.all_gather", kGatheringAxes},
    {"sdy.all_reduce", kReductionAxes},
    {"sdy.all_slice", kSlicingAxes},
    {"sdy.all_to_all", kParams},
    {"sdy.collective_permute", kOutSharding},
    {"sdy.constant", kValue},
    {"sdy.data_flow_edge", kSharding},
    {"sdy.manual_computation", kManualComputation},
    {"sdy.mesh", kMesh},
    {"sdy.named_computation", kNamedComputation},
    {"sdy.propagation_barrier", kDirection},
    {"sdy.reduce_scatter", kReduceScatterAxes},
    {"sdy.replicated_to_unreduced", kCollectiveAxes},
    {"sdy.reshard", kSharding},
    {"sdy.return"},
    {"sdy.sharded_to_unreduced", kCollectiveAxes},
    {"sdy.sharding_constraint", kSharding},
    {"sdy.sharding_group", kGroup},
};

// The rows by name: either pointer may be nullptr, not both.
struct Row {
  const OperationForm* form = nullptr;
  const OtherOperation* other = nullptr;
};

const absl::flat_hash_map<absl::string_view, Row>& Rows() {
  static const auto* const rows = [] {
    auto* made = new absl::flat_hash_map<absl::string_view, Row>;
    for (const OperationForm& form : kForms) (*made)[form.name].form = &form;
    for (const OtherOperation& other : kOthers) (*made)[other.name].other = &other;
    return made;
  }();
  return *rows;
}

}  // namespace

const OperationForm* FindOperationForm(absl::string_view name) {
  const auto found = Rows().find(name);
  return found == Rows().end() ? nullptr : found->second.form;
}

absl::Span<const absl::string_view> PropertyNames(absl::string_view name) {
  const auto found = Rows().find(name);
  return found == Rows().end() || found->second.other == nullptr ? Names() : found->second.other->properties;
}

bool IsKnownOperation(absl::string_view name) { return Rows().contains(name); }

std::vector<absl::string_view> KnownOperations() {
  std::vector<absl::string_view> known;
  for (const OperationForm& form : kForms) known.push_back(form.name);
  for (const OtherOperation& other : kOthers) known.push_back(other.name);
  return known;
}

std::string DidYouMeanOperation(absl::string_view name) { return DidYouMean(name, KnownOperations()); }

}  // namespace stablehlo
}  // namespace xla
