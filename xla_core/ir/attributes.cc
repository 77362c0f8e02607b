// The descriptions of the attribute structs: for each field its text name, kind, presence and protobuf path, in print
// order.
#include "xla_core/ir/attributes.h"

#include "absl/strings/match.h"

namespace xla {
namespace {

using K = FieldKind;
constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kOptional = Presence::kOptional;
constexpr Presence kPrinted = Presence::kOptionalPrinted;
constexpr Presence kInternal = Presence::kInternal;

// Enumerations whose spelling only the schemas need.
const EnumTable kFftTypes = {"fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}};
const EnumTable kTransposes = {"transpose_a", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}};
const EnumTable kFusionKinds = {"fusion kind", {"kLoop", "kInput", "kOutput", "kCustom"}};
const EnumTable kDistributions = {"distribution", {nullptr, "rng_uniform", "rng_normal"}, true};
const EnumTable kRandomAlgorithms = {"algorithm", {"rng_default", "rng_three_fry", "rng_philox"}, true};
const EnumTable kPaddingTypes = {"padding_type", {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"}};
const EnumTable kSchedules = {"schedule", {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"}, true};
const EnumTable kApiVersions = {"api_version",
                                {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                                 "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"},
                                true};
const EnumTable kConvolutionKinds = {"convolution_kind", {"unset", "fprop", "dgrad", "wgrad"}};

}  // namespace

int EnumTable::Find(absl::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == nullptr) continue;
    if (any_case ? absl::EqualsIgnoreCase(names[i], name) : names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

const EnumTable& PrecisionNames() {
  static const auto& table = *new EnumTable{"operand_precision", {"default", "high", "highest"}, true};
  return table;
}

const EnumTable& ComparisonDirectionNames() {
  static const auto& table = *new EnumTable{"direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}};
  return table;
}

const EnumTable& ComparisonTypeNames() {
  static const auto& table = *new EnumTable{"type", {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}};
  return table;
}

const EnumTable& DotAlgorithmNames() {
  static const auto& table = *new EnumTable{
      "algorithm",
      {"unset", "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32",
       "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_tf32_tf32_f32",
       "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64", "dot_bf16_bf16_f32_x9"},
      true};
  return table;
}

ComparisonType DefaultComparisonType(PrimitiveType operand_type) {
  if (IsFloat(operand_type) || IsComplex(operand_type)) return ComparisonType::kFloat;
  return IsSignedInt(operand_type) ? ComparisonType::kSigned : ComparisonType::kUnsigned;
}

bool WindowDimension::operator==(const WindowDimension& o) const {
  return size == o.size && stride == o.stride && padding_low == o.padding_low && padding_high == o.padding_high &&
         base_dilation == o.base_dilation && window_dilation == o.window_dilation &&
         window_reversal == o.window_reversal;
}

bool ConvolutionDimensionNumbers::operator==(const ConvolutionDimensionNumbers& o) const {
  return input_batch == o.input_batch && input_feature == o.input_feature &&
         kernel_input_feature == o.kernel_input_feature && kernel_output_feature == o.kernel_output_feature &&
         output_batch == o.output_batch && output_feature == o.output_feature && input_spatial == o.input_spatial &&
         kernel_spatial == o.kernel_spatial && output_spatial == o.output_spatial;
}

#define HALO_DEFINE_SCHEMA(Struct, ...)                                       \
  const AttributeSchema& Struct::Schema() {                                   \
    using S = Struct;                                                         \
    static const auto& schema = *new AttributeSchema{#Struct, {__VA_ARGS__}}; \
    return schema;                                                            \
  }

HALO_DEFINE_SCHEMA(ParameterAttributes, Field<&S::number>("number", K::kInt, kInternal, "parameter_number"),
                   Field<&S::parameter_replication>("parameter_replication", K::kBoolList, kOptional,
                                                    "parameter_replication.replicated_at_leaf_buffers"))
HALO_DEFINE_SCHEMA(ConstantAttributes, Field<&S::literal>("literal", K::kLiteral, kInternal, "literal"))
HALO_DEFINE_SCHEMA(IotaAttributes, Field<&S::iota_dimension>("iota_dimension", K::kInt, kRequired, "dimensions"))
HALO_DEFINE_SCHEMA(ReshapeAttributes,
                   Field<&S::inferred_dimension>("inferred_dimension", K::kOptionalInt, kOptional, "dimensions"))
HALO_DEFINE_SCHEMA(BroadcastAttributes, Field<&S::dimensions>("dimensions", K::kIntList, kPrinted, "dimensions"))
HALO_DEFINE_SCHEMA(DimensionsAttributes, Field<&S::dimensions>("dimensions", K::kIntList, kRequired, "dimensions"))
HALO_DEFINE_SCHEMA(MapAttributes, Field<&S::dimensions>("dimensions", K::kIntList, kPrinted, "dimensions"))
HALO_DEFINE_SCHEMA(DimensionAttributes, Field<&S::dimension>("dimensions", K::kOneDimension, kRequired, "dimensions"))
HALO_DEFINE_SCHEMA(SortAttributes, Field<&S::dimension>("dimensions", K::kOneDimension, kRequired, "dimensions"),
                   Field<&S::is_stable>("is_stable", K::kBool, kOptional, "is_stable"))
HALO_DEFINE_SCHEMA(ScanAttributes, Field<&S::dimension>("dimensions", K::kOneDimension, kRequired, "dimensions"),
                   Field<&S::num_carries>("num_carries", K::kInt, kRequired, "num_carries"),
                   Field<&S::is_reverse>("is_reverse", K::kBool, kOptional, "is_reverse"),
                   Field<&S::is_associative>("is_associative", K::kTriState, kPrinted, "is_associative"))
HALO_DEFINE_SCHEMA(TopKAttributes, Field<&S::k>("k", K::kInt, kRequired, "k"),
                   Field<&S::largest>("largest", K::kBool, kPrinted, "largest"),
                   Field<&S::is_stable>("is_stable", K::kBool, kOptional, "is_stable"))
HALO_DEFINE_SCHEMA(WindowAttributes, Field<&S::window>("window", K::kWindow, kOptional, "window"))
HALO_DEFINE_SCHEMA(ReducePrecisionAttributes,
                   Field<&S::exponent_bits>("exponent_bits", K::kInt, kRequired, "exponent_bits"),
                   Field<&S::mantissa_bits>("mantissa_bits", K::kInt, kRequired, "mantissa_bits"))
// Of a scalar there is nothing to write; that other operands have an entry for each dimension is checked with the
// shape.
HALO_DEFINE_SCHEMA(PadAttributes, Field<&S::padding>("padding", K::kPadding, kOptional, "padding_config"))
HALO_DEFINE_SCHEMA(SliceAttributes, Field<&S::ranges>("slice", K::kSlice, kRequired, "slice_dimensions"))
HALO_DEFINE_SCHEMA(DynamicSliceAttributes,
                   Field<&S::slice_sizes>("dynamic_slice_sizes", K::kIntList, kRequired, "dynamic_slice_sizes"))
HALO_DEFINE_SCHEMA(
    GatherAttributes,
    Field<&S::offset_dims>("offset_dims", K::kIntList, kRequired, "gather_dimension_numbers.offset_dims"),
    Field<&S::collapsed_slice_dims>("collapsed_slice_dims", K::kIntList, kRequired,
                                    "gather_dimension_numbers.collapsed_slice_dims"),
    Field<&S::start_index_map>("start_index_map", K::kIntList, kRequired, "gather_dimension_numbers.start_index_map"),
    Field<&S::operand_batching_dims>("operand_batching_dims", K::kIntList, kOptional,
                                     "gather_dimension_numbers.operand_batching_dims"),
    Field<&S::start_indices_batching_dims>("start_indices_batching_dims", K::kIntList, kOptional,
                                           "gather_dimension_numbers.start_indices_batching_dims"),
    Field<&S::index_vector_dim>("index_vector_dim", K::kInt, kRequired, "gather_dimension_numbers.index_vector_dim"),
    Field<&S::slice_sizes>("slice_sizes", K::kIntList, kRequired, "gather_slice_sizes"),
    Field<&S::indices_are_sorted>("indices_are_sorted", K::kBool, kOptional, "indices_are_sorted"))
HALO_DEFINE_SCHEMA(ScatterAttributes,
                   Field<&S::update_window_dims>("update_window_dims", K::kIntList, kRequired,
                                                 "scatter_dimension_numbers.update_window_dims"),
                   Field<&S::inserted_window_dims>("inserted_window_dims", K::kIntList, kRequired,
                                                   "scatter_dimension_numbers.inserted_window_dims"),
                   Field<&S::scatter_dims_to_operand_dims>("scatter_dims_to_operand_dims", K::kIntList, kRequired,
                                                           "scatter_dimension_numbers.scatter_dims_to_operand_dims"),
                   Field<&S::input_batching_dims>("input_batching_dims", K::kIntList, kOptional,
                                                  "scatter_dimension_numbers.input_batching_dims"),
                   Field<&S::scatter_indices_batching_dims>("scatter_indices_batching_dims", K::kIntList, kOptional,
                                                            "scatter_dimension_numbers.scatter_indices_batching_dims"),
                   Field<&S::index_vector_dim>("index_vector_dim", K::kInt, kRequired,
                                               "scatter_dimension_numbers.index_vector_dim"),
                   Field<&S::indices_are_sorted>("indices_are_sorted", K::kBool, kOptional, "indices_are_sorted"),
                   Field<&S::unique_indices>("unique_indices", K::kBool, kOptional, "unique_indices"))
HALO_DEFINE_SCHEMA(
    DotAttributes,
    Field<&S::lhs_batch_dims>("lhs_batch_dims", K::kIntList, kOptional, "dot_dimension_numbers.lhs_batch_dimensions"),
    Field<&S::lhs_contracting_dims>("lhs_contracting_dims", K::kIntList, kPrinted,
                                    "dot_dimension_numbers.lhs_contracting_dimensions"),
    Field<&S::rhs_batch_dims>("rhs_batch_dims", K::kIntList, kOptional, "dot_dimension_numbers.rhs_batch_dimensions"),
    Field<&S::rhs_contracting_dims>("rhs_contracting_dims", K::kIntList, kPrinted,
                                    "dot_dimension_numbers.rhs_contracting_dimensions"),
    Field<&S::operand_precision>("operand_precision", K::kPrecisionList, kOptional,
                                 "precision_config.operand_precision"),
    Field<&S::algorithm>("algorithm", K::kEnum, kOptional, "precision_config.algorithm", &DotAlgorithmNames()))
HALO_DEFINE_SCHEMA(
    RaggedDotAttributes,
    Field<&S::lhs_batch_dims>("lhs_batch_dims", K::kIntList, kOptional,
                              "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_batch_dimensions"),
    Field<&S::lhs_contracting_dims>("lhs_contracting_dims", K::kIntList, kPrinted,
                                    "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_contracting_dimensions"),
    Field<&S::rhs_batch_dims>("rhs_batch_dims", K::kIntList, kOptional,
                              "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_batch_dimensions"),
    Field<&S::rhs_contracting_dims>("rhs_contracting_dims", K::kIntList, kPrinted,
                                    "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_contracting_dimensions"),
    Field<&S::lhs_ragged_dims>("lhs_ragged_dims", K::kIntList, kPrinted,
                               "ragged_dot_dimension_numbers.lhs_ragged_dimensions"),
    Field<&S::rhs_group_dims>("rhs_group_dims", K::kIntList, kPrinted,
                              "ragged_dot_dimension_numbers.rhs_group_dimensions"),
    Field<&S::operand_precision>("operand_precision", K::kPrecisionList, kOptional,
                                 "precision_config.operand_precision"),
    Field<&S::algorithm>("algorithm", K::kEnum, kOptional, "precision_config.algorithm", &DotAlgorithmNames()))
HALO_DEFINE_SCHEMA(ConvolutionAttributes, Field<&S::window>("window", K::kWindow, kOptional, "window"),
                   Field<&S::dim_labels>("dim_labels", K::kDimLabels, kRequired, "convolution_dimension_numbers"),
                   Field<&S::feature_group_count>("feature_group_count", K::kInt, kOptional, "feature_group_count"),
                   Field<&S::batch_group_count>("batch_group_count", K::kInt, kOptional, "batch_group_count"),
                   Field<&S::operand_precision>("operand_precision", K::kPrecisionList, kOptional,
                                                "precision_config.operand_precision"),
                   Field<&S::convolution_kind>("convolution_kind", K::kEnum, kOptional, "conv_kind",
                                               &kConvolutionKinds),
                   Field<&S::algorithm>("algorithm", K::kEnum, kOptional, "precision_config.algorithm",
                                        &DotAlgorithmNames()),
                   Field<&S::sparsity_config>("sparsity_config", K::kSparsity, kOptional, "sparsity_config"))
HALO_DEFINE_SCHEMA(FftAttributes, Field<&S::fft_type>("fft_type", K::kEnum, kRequired, "fft_type", &kFftTypes),
                   Field<&S::fft_length>("fft_length", K::kIntList, kRequired, "fft_length"))
HALO_DEFINE_SCHEMA(TriangularSolveAttributes,
                   Field<&S::left_side>("left_side", K::kBool, kOptional, "triangular_solve_options.left_side"),
                   Field<&S::lower>("lower", K::kBool, kOptional, "triangular_solve_options.lower"),
                   Field<&S::unit_diagonal>("unit_diagonal", K::kBool, kOptional,
                                            "triangular_solve_options.unit_diagonal"),
                   Field<&S::transpose_a>("transpose_a", K::kEnum, kOptional, "triangular_solve_options.transpose_a",
                                          &kTransposes))
HALO_DEFINE_SCHEMA(CholeskyAttributes, Field<&S::lower>("lower", K::kBool, kOptional, "cholesky_options.lower"))
HALO_DEFINE_SCHEMA(BatchNormAttributes, Field<&S::epsilon>("epsilon", K::kFloat, kRequired, "epsilon"),
                   Field<&S::feature_index>("feature_index", K::kInt, kRequired, "feature_index"))
// `type` is optional; the printer leaves it out when it is DefaultComparisonType of the operand.
HALO_DEFINE_SCHEMA(CompareAttributes,
                   Field<&S::direction>("direction", K::kEnum, kRequired, "comparison_direction",
                                        &ComparisonDirectionNames()),
                   Field<&S::type>("type", K::kEnum, kOptional, "comparison_type", &ComparisonTypeNames()))
HALO_DEFINE_SCHEMA(RngAttributes,
                   Field<&S::distribution>("distribution", K::kEnum, kRequired, "distribution", &kDistributions))
HALO_DEFINE_SCHEMA(RngBitGeneratorAttributes,
                   Field<&S::algorithm>("algorithm", K::kEnum, kRequired, "rng_algorithm", &kRandomAlgorithms))
HALO_DEFINE_SCHEMA(RngGetAndUpdateStateAttributes, Field<&S::delta>("delta", K::kInt, kRequired, "delta"))
HALO_DEFINE_SCHEMA(GetTupleElementAttributes, Field<&S::index>("index", K::kInt, kRequired, "tuple_index"))
HALO_DEFINE_SCHEMA(CallAttributes, Field<&S::is_composite>("is_composite", K::kBool, kOptional, "is_composite"))
HALO_DEFINE_SCHEMA(FusionAttributes, Field<&S::kind>("kind", K::kEnum, kRequired, "fusion_kind", &kFusionKinds),
                   Field<&S::output_to_operand_aliasing>("output_to_operand_aliasing", K::kAliasing, kOptional,
                                                         "output_operand_aliasing"))
HALO_DEFINE_SCHEMA(CustomCallAttributes, Field<&S::window>("window", K::kOptionalWindow, kOptional, "window"),
                   Field<&S::dim_labels>("dim_labels", K::kOptionalDimLabels, kOptional,
                                         "convolution_dimension_numbers"),
                   Field<&S::feature_group_count>("feature_group_count", K::kInt, kOptional, "feature_group_count"),
                   Field<&S::batch_group_count>("batch_group_count", K::kInt, kOptional, "batch_group_count"),
                   Field<&S::operand_precision>("operand_precision", K::kPrecisionList, kOptional,
                                                "precision_config.operand_precision"),
                   Field<&S::padding_type>("padding_type", K::kEnum, kOptional, "padding_type", &kPaddingTypes),
                   Field<&S::custom_call_target>("custom_call_target", K::kString, kRequired, "custom_call_target"),
                   Field<&S::operand_layout_constraints>("operand_layout_constraints", K::kOptionalShapeList, kOptional,
                                                         "operand_shapes_with_layout"),
                   Field<&S::custom_call_has_side_effect>("custom_call_has_side_effect", K::kBool, kOptional,
                                                          "custom_call_has_side_effect"),
                   Field<&S::literal>("literal", K::kLiteral, kOptional, "literal"),
                   Field<&S::output_to_operand_aliasing>("output_to_operand_aliasing", K::kAliasing, kOptional,
                                                         "output_operand_aliasing"),
                   Field<&S::schedule>("schedule", K::kEnum, kOptional, "custom_call_schedule", &kSchedules),
                   Field<&S::api_version>("api_version", K::kEnum, kOptional, "custom_call_api_version", &kApiVersions))
HALO_DEFINE_SCHEMA(InfeedAttributes, Field<&S::infeed_config>("infeed_config", K::kString, kOptional, "infeed_config"))
HALO_DEFINE_SCHEMA(OutfeedAttributes, Field<&S::outfeed_shape>("outfeed_shape", K::kShape, kOptional, "outfeed_shape"),
                   Field<&S::outfeed_config>("outfeed_config", K::kString, kOptional, "outfeed_config"))
HALO_DEFINE_SCHEMA(SendRecvAttributes, Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::is_host_transfer>("is_host_transfer", K::kBool, kOptional, "is_host_transfer"))
HALO_DEFINE_SCHEMA(DomainAttributes, Field<&S::domain>("domain", K::kDomain, kRequired, "domain_entry_sharding"))
HALO_DEFINE_SCHEMA(CopyStartAttributes,
                   Field<&S::cross_program_prefetch_index>("cross_program_prefetch_index", K::kOptionalInt, kOptional,
                                                           "cross_program_prefetch_index"))
HALO_DEFINE_SCHEMA(AllReduceAttributes, Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::replica_groups>("replica_groups", K::kReplicaGroups, kPrinted, "replica_groups"),
                   Field<&S::constrain_layout>("constrain_layout", K::kBool, kOptional, "constrain_layout"),
                   Field<&S::use_global_device_ids>("use_global_device_ids", K::kBool, kOptional,
                                                    "use_global_device_ids"))
// In the order of all-gather; XLA prints the dimensions of reduce-scatter last.
HALO_DEFINE_SCHEMA(ShardingCollectiveAttributes,
                   Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::replica_groups>("replica_groups", K::kReplicaGroups, kPrinted, "replica_groups"),
                   Field<&S::constrain_layout>("constrain_layout", K::kBool, kOptional, "constrain_layout"),
                   Field<&S::dimension>("dimensions", K::kOneDimension, kRequired, "dimensions"),
                   Field<&S::use_global_device_ids>("use_global_device_ids", K::kBool, kOptional,
                                                    "use_global_device_ids"))
HALO_DEFINE_SCHEMA(AllToAllAttributes, Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::replica_groups>("replica_groups", K::kReplicaGroups, kPrinted, "replica_groups"),
                   Field<&S::constrain_layout>("constrain_layout", K::kBool, kOptional, "constrain_layout"),
                   Field<&S::split_dimension>("dimensions", K::kOptionalDimension, kOptional, "dimensions"))
HALO_DEFINE_SCHEMA(RaggedAllToAllAttributes,
                   Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::replica_groups>("replica_groups", K::kReplicaGroups, kPrinted, "replica_groups"))
HALO_DEFINE_SCHEMA(CollectiveBroadcastAttributes,
                   Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::replica_groups>("replica_groups", K::kReplicaGroups, kPrinted, "replica_groups"),
                   Field<&S::has_dynamic_root>("has_dynamic_root", K::kBool, kOptional, "has_dynamic_root"))
HALO_DEFINE_SCHEMA(CollectivePermuteAttributes,
                   Field<&S::channel_id>("channel_id", K::kOptionalInt, kOptional, "channel_id"),
                   Field<&S::source_target_pairs>("source_target_pairs", K::kSourceTargetPairs, kRequired,
                                                  "source_target_pairs"),
                   Field<&S::slice_sizes>("slice_sizes", K::kIntLists, kOptional, "dynamic_slice_sizes"))
HALO_DEFINE_SCHEMA(AsyncAttributes,
                   Field<&S::async_execution_thread>("async_execution_thread", K::kString, kOptional,
                                                     "async_execution_thread"),
                   Field<&S::output_to_operand_aliasing>("output_to_operand_aliasing", K::kAliasing, kOptional,
                                                         "output_operand_aliasing"))

#undef HALO_DEFINE_SCHEMA

}  // namespace xla
