#include "builders/stablehlo/bytecode/vhlo_operations.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla {
namespace stablehlo {
namespace {

// The first forms of these have been the same since the oldest version, and have no attributes.
constexpr absl::string_view kPlain =
    "abs add after_all and atan2 bitcast_convert case ceil clamp complex convert count_leading_zeros create_token "
    "divide dynamic_pad dynamic_reshape dynamic_update_slice floor if imag is_finite maximum minimum multiply negate "
    "not optimization_barrier or partition_id popcnt power real real_dynamic_slice remainder replica_id reshape return "
    "round_nearest_afz round_nearest_even select shift_left shift_right_arithmetic shift_right_logical sign subtract "
    "tuple uniform_dequantize uniform_quantize while xor";

// These have a first form without attributes, and a second with the accuracy of the result.
constexpr absl::string_view kAccurate =
    "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh";
constexpr VhloVersion kAccuracySince = {1, 10};
constexpr VhloVersion kExponentialAccuracySince = {1, 9};
constexpr VhloVersion kTanSince = {1, 4};

struct Row {
  absl::string_view name;  // with the number of the form
  absl::string_view attributes;
  VhloVersion since = kOldestVhlo;
  VhloVersion until = kNewestVhlo;
};

#define CONVOLUTION_ATTRIBUTES(PADDING)                                                                           \
  "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions " \
  "kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation "        \
  "output_batch_dimension output_feature_dimension output_spatial_dimensions " PADDING                            \
  "precision_config rhs_dilation window_reversal window_strides"

constexpr Row kRows[] = {
    {"all_gather_v1", "all_gather_dim channel_id replica_groups use_global_device_ids", kOldestVhlo, {1, 4}},
    {"all_gather_v2", "all_gather_dim channel_id replica_groups use_global_device_ids", {1, 5}},
    {"all_reduce_v1", "channel_id replica_groups use_global_device_ids", kOldestVhlo, {1, 4}},
    {"all_reduce_v2", "channel_id replica_groups use_global_device_ids", {1, 5}},
    {"all_to_all_v1", "channel_id concat_dimension replica_groups split_count split_dimension", kOldestVhlo, {1, 4}},
    {"all_to_all_v2", "channel_id concat_dimension replica_groups split_count split_dimension", {1, 5}},
    {"async_done_v1", "", {1, 15}},
    {"async_start_v1", "", {1, 15}},
    {"batch_norm_grad_v1", "epsilon feature_index"},
    {"batch_norm_inference_v1", "epsilon feature_index"},
    {"batch_norm_training_v1", "epsilon feature_index"},
    {"broadcast_in_dim_v1", "broadcast_dimensions"},
    {"broadcast_v1", "broadcast_sizes"},
    {"call_v1", "callee"},
    {"cholesky_v1", "lower"},
    {"collective_broadcast_v1", "channel_id replica_groups", {0, 16}, {1, 19}},
    {"collective_broadcast_v2", "channel_id has_dynamic_root replica_groups", {1, 20}},
    {"collective_permute_v1", "channel_id source_target_pairs"},
    {"collective_reduce_v1", "channel_id has_dynamic_root replica_groups use_global_device_ids", {1, 19}},
    {"compare_v1", "compare_type comparison_direction"},
    {"composite_v1", "composite_attributes decomposition name version", {0, 19}, {1, 13}},
    {"composite_v2", "composite_attributes decomposition name version", {1, 14}},
    {"concatenate_v1", "dimension"},
    {"constant_v1", "value"},
    {"convolution_v1", CONVOLUTION_ATTRIBUTES("padding ")},
    {"cross-replica-sum_v1", "replica_groups"},
    {"custom_call_v1",
     "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
     "output_operand_aliases result_layouts",
     kOldestVhlo,
     {1, 17}},
    {"custom_call_v2",
     "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
     "output_operand_aliases result_layouts result_tilings",
     {1, 18}},
    {"dot_general_v1",
     "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions "
     "rhs_contracting_dimensions",
     kOldestVhlo,
     {1, 5}},
    {"dot_general_v2",
     "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count "
     "lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config rhs_batching_dimensions "
     "rhs_component_count rhs_contracting_dimensions rhs_precision_type",
     {1, 6}},
    {"dot_v1", "precision_config"},
    {"dynamic_broadcast_in_dim_v1", "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
    {"dynamic_conv_v1", CONVOLUTION_ATTRIBUTES("padding "), kOldestVhlo, {0, 19}},
    {"dynamic_conv_v2", CONVOLUTION_ATTRIBUTES(""), {0, 20}},
    {"dynamic_gather_v1",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map",
     kOldestVhlo,
     {1, 0}},
    {"dynamic_gather_v2",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims start_index_map "
     "start_indices_batching_dims",
     {1, 1}},
    {"dynamic_iota_v1", "iota_dimension"},
    {"dynamic_slice_v1", "slice_sizes"},
    {"einsum_v1", "einsum_config"},
    {"fft_v1", "fft_length fft_type"},
    {"func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility"},
    {"gather_v1",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes start_index_map",
     kOldestVhlo,
     {1, 0}},
    {"gather_v2",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims slice_sizes "
     "start_index_map start_indices_batching_dims",
     {1, 1}},
    {"get_dimension_size_v1", "dimension"},
    {"get_tuple_element_v1", "index"},
    {"infeed_v1", "infeed_config layout"},
    {"iota_v1", "iota_dimension"},
    {"map_v1", "dimensions"},
    {"outfeed_v1", "outfeed_config"},
    {"pad_v1", "edge_padding_high edge_padding_low interior_padding"},
    {"recv_v1", "channel_id channel_type is_host_transfer", kOldestVhlo, {1, 11}},
    {"recv_v2", "channel_id channel_type is_host_transfer source_target_pairs", {1, 12}},
    {"reduce_precision_v1", "exponent_bits mantissa_bits"},
    {"reduce_scatter_v1", "channel_id replica_groups scatter_dimension use_global_device_ids"},
    {"reduce_v1", "dimensions"},
    {"reduce_window_v1", "base_dilations padding window_dilations window_dimensions window_strides"},
    {"reverse_v1", "dimensions"},
    {"rng_bit_generator_v1", "rng_algorithm"},
    {"rng_v1", "rng_distribution"},
    {"scatter_v1",
     "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims unique_indices "
     "update_window_dims",
     kOldestVhlo,
     {1, 0}},
    {"scatter_v2",
     "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims scatter_dims_to_operand_dims "
     "scatter_indices_batching_dims unique_indices update_window_dims",
     {1, 1}},
    {"select_and_scatter_v1", "padding window_dimensions window_strides"},
    {"send_v1", "channel_id channel_type is_host_transfer", kOldestVhlo, {1, 11}},
    {"send_v2", "channel_id channel_type is_host_transfer source_target_pairs", {1, 12}},
    {"set_dimension_size_v1", "dimension"},
    {"slice_v1", "limit_indices start_indices strides"},
    {"sort_v1", "dimension is_stable"},
    {"torch_index_select_v1", "batch_dims dim"},
    {"transpose_v1", "permutation"},
    {"triangular_solve_v1", "left_side lower transpose_a unit_diagonal"},
    {"unary_einsum_v1", "einsum_config"},
};

#undef CONVOLUTION_ATTRIBUTES

using Table = absl::flat_hash_map<std::string, VhloOperation>;

void Add(absl::string_view name, absl::string_view attributes, VhloVersion since, VhloVersion until, Table* table) {
  VhloOperation operation;
  operation.name = std::string(name.substr(0, name.rfind("_v")));
  operation.since = since;
  operation.until = until;
  operation.attributes = absl::StrSplit(attributes, ' ', absl::SkipEmpty());
  table->emplace(std::string(name), std::move(operation));
}

Table* MakeTable() {
  auto* const table = new Table;
  for (const Row& row : kRows) Add(row.name, row.attributes, row.since, row.until, table);
  for (const absl::string_view name : absl::StrSplit(kPlain, ' ')) {
    Add(absl::StrCat(name, "_v1"), "", kOldestVhlo, kNewestVhlo, table);
  }
  for (const absl::string_view name : absl::StrSplit(kAccurate, ' ')) {
    const VhloVersion since = name == "exponential" ? kExponentialAccuracySince : kAccuracySince;
    Add(absl::StrCat(name, "_v1"), "", name == "tan" ? kTanSince : kOldestVhlo, {since.major, since.minor - 1}, table);
    Add(absl::StrCat(name, "_v2"), "result_accuracy", since, kNewestVhlo, table);
  }
  return table;
}

}  // namespace

std::string VhloVersion::ToString() const { return absl::StrCat(major, ".", minor, ".0"); }

absl::optional<VhloVersion> VersionOfProducer(absl::string_view producer) {
  if (!absl::ConsumePrefix(&producer, "StableHLO_v")) return absl::nullopt;
  const std::vector<absl::string_view> numbers = absl::StrSplit(producer, '.');
  VhloVersion version;
  int patch = 0;
  const bool is_read = numbers.size() == 3 && absl::SimpleAtoi(numbers[0], &version.major) &&
                       absl::SimpleAtoi(numbers[1], &version.minor) && absl::SimpleAtoi(numbers[2], &patch);
  return is_read ? absl::make_optional(version) : absl::nullopt;
}

const VhloOperation* FindVhloOperation(absl::string_view name) {
  static const Table* const table = MakeTable();
  const auto found = table->find(name);
  return found == table->end() ? nullptr : &found->second;
}

}  // namespace stablehlo
}  // namespace xla
