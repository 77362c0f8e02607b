// The typed attributes of instructions: one small struct per family of opcodes. Which opcode has which struct the
// op table says; a field means what the attribute of its name means in XLA's hlo.proto.
#ifndef XLA_CORE_IR_ATTRIBUTES_H_
#define XLA_CORE_IR_ATTRIBUTES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/attribute_schema.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// ---- Values that several structs use

// PrecisionConfig.Precision of xla_data.proto: how much a backend may round the operands of a product. The evaluator
// always computes as kHighest.
enum class Precision : int32_t { kDefault = 0, kHigh = 1, kHighest = 2 };
// The relation that `compare` tests. With NaN only kNe holds, except in a total order.
enum class ComparisonDirection : int32_t { kEq, kNe, kGe, kGt, kLe, kLt };
// How `compare` orders operands: floats by IEEE 754's relations or by its totalOrder, integers with or without a
// sign.
enum class ComparisonType : int32_t { kFloat, kTotalOrder, kSigned, kUnsigned };
// FftType of xla_data.proto: complex to complex forward and inverse, real to half of a complex spectrum, and back.
enum class FftType : int32_t { kFft, kIfft, kRfft, kIrfft };
// Which form of the matrix a triangular-solve solves with; kAdjoint is the transposed conjugate.
enum class TransposeA : int32_t { kInvalid, kNoTranspose, kTranspose, kAdjoint };
// How XLA's code generators treat a fusion. It changes nothing in what the fusion computes.
enum class FusionKind : int32_t { kLoop, kInput, kOutput, kCustom };
// What `rng` draws: kUniform from [operand 0, operand 1), kNormal with mean operand 0 and standard deviation operand
// 1.
enum class RandomDistribution : int32_t { kInvalid, kUniform, kNormal };
// How rng-bit-generator makes bits from its state, whose size depends on it.
enum class RandomAlgorithm : int32_t { kDefault, kThreeFry, kPhilox };
// PaddingType of xla_data.proto, which only custom calls carry. Not evaluated.
enum class PaddingType : int32_t { kInvalid, kValid, kSame };
// A wish for XLA's scheduler about a custom call. Carried, not used.
enum class CustomCallSchedule : int32_t { kNone, kLatest, kEarliest };
// Which signature the function of a custom call has. kTypedFfi alone gives backend_config the form of a dictionary.
enum class CustomCallApiVersion : int32_t {
  kUnspecified,
  kOriginal,
  kStatusReturning,
  kStatusReturningUnified,
  kTypedFfi
};
// A convolution, or one written as the gradient for its input (kDgrad) or its kernel (kWgrad), whose dimensions then
// mean something else.
enum class ConvolutionKind : int32_t { kUnset, kFprop, kDgrad, kWgrad };
// PrecisionConfig.Algorithm of XLA's protobuf; 0 is unset.
enum class DotAlgorithm : int32_t { kUnset = 0 };

const EnumTable& PrecisionNames();
const EnumTable& ComparisonDirectionNames();
const EnumTable& ComparisonTypeNames();
const EnumTable& DotAlgorithmNames();

// What `compare` takes when no type is written: FLOAT for floats and complex, SIGNED, UNSIGNED (unsigned and pred).
ComparisonType DefaultComparisonType(PrimitiveType operand_type);

// One dimension of a window; all counts in elements.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t base_dilation = 1;    // lhs_dilate
  int64_t window_dilation = 1;  // rhs_dilate
  bool window_reversal = false;
  bool operator==(const WindowDimension& o) const;
};
// One entry for each dimension that the window moves over: all of them for reduce-window, the spatial ones for a
// convolution.
struct Window {
  absl::InlinedVector<WindowDimension, 4> dimensions;
  bool operator==(const Window& o) const { return dimensions == o.dimensions; }
};

// Which dimension of each array is what: ConvolutionDimensionNumbers of xla_data.proto, dim_labels in text.
// b01f_01io->b01f means input_batch 0, input_spatial {1, 2}, input_feature 3, kernel_spatial {0, 1} ...
struct ConvolutionDimensionNumbers {
  int64_t input_batch = 0;
  int64_t input_feature = 0;
  int64_t kernel_input_feature = 0;
  int64_t kernel_output_feature = 0;
  int64_t output_batch = 0;
  int64_t output_feature = 0;
  DimensionVector input_spatial;
  DimensionVector kernel_spatial;
  DimensionVector output_spatial;
  bool operator==(const ConvolutionDimensionNumbers& o) const;
};

// One dimension of a pad: elements added before, after and between those of the operand. low and high may be
// negative, which removes elements; interior may not.
struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  bool operator==(const PaddingDimension& o) const { return low == o.low && high == o.high && interior == o.interior; }
};
using PaddingConfig = std::vector<PaddingDimension>;

// One dimension of a slice: elements start, start + stride ... below limit.
struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceRange& o) const { return start == o.start && limit == o.limit && stride == o.stride; }
};

// The result (or the part of it at output_index) shares memory with that part of an operand.
struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;
  bool operator==(const OutputOperandAlias& o) const {
    return output_index == o.output_index && operand == o.operand && operand_index == o.operand_index;
  }
};

// sparsity_config of a convolution: N of M elements along a dimension are kept. Carried, not evaluated.
struct ConvolutionSparsity {
  struct Side {
    int64_t num_non_zero = 0;
    int64_t block_size = 0;
    int64_t dimension = 0;
    int64_t stride = 0;
    bool operator==(const Side& o) const {
      return num_non_zero == o.num_non_zero && block_size == o.block_size && dimension == o.dimension &&
             stride == o.stride;
    }
  };
  absl::optional<Side> lhs;
  absl::optional<Side> rhs;
  bool operator==(const ConvolutionSparsity& o) const { return lhs == o.lhs && rhs == o.rhs; }
};

// The domain attribute of XLA: the shardings on both sides of the instruction. It does not change the value.
struct Domain {
  absl::optional<Sharding> entry;
  absl::optional<Sharding> exit;
  bool operator==(const Domain& o) const { return entry == o.entry && exit == o.exit; }
};

// ---- The structs

#define HALO_ATTRIBUTES(Name) struct Name : AttributesOf<Name>
#define HALO_SCHEMA() static const AttributeSchema& Schema()

// Parameters are numbered from 0. parameter_replication says for each leaf whether all replicas get the same value.
HALO_ATTRIBUTES(ParameterAttributes) {
  int64_t number = 0;
  std::vector<bool> parameter_replication;
  HALO_SCHEMA();
};

HALO_ATTRIBUTES(ConstantAttributes) {
  // nullptr for an elided constant (`{...}` in text, no literal in protobuf): it can be printed, not evaluated.
  std::shared_ptr<const Literal> literal;
  HALO_SCHEMA();
};

// Elements count 0, 1, ... along iota_dimension and are equal along all others.
HALO_ATTRIBUTES(IotaAttributes) {
  int64_t iota_dimension = 0;
  HALO_SCHEMA();
};

// inferred_dimension is the dimension whose size at run time follows from the others, in dynamic reshapes.
HALO_ATTRIBUTES(ReshapeAttributes) {
  absl::optional<int64_t> inferred_dimension;
  HALO_SCHEMA();
};

// broadcast (may be left out for a scalar operand)
HALO_ATTRIBUTES(BroadcastAttributes) {
  DimensionVector dimensions;
  HALO_SCHEMA();
};

// transpose, reverse, reduce
HALO_ATTRIBUTES(DimensionsAttributes) {
  DimensionVector dimensions;
  HALO_SCHEMA();
};

// map: all dimensions when left out
HALO_ATTRIBUTES(MapAttributes) {
  DimensionVector dimensions;
  HALO_SCHEMA();
};

// concatenate, get-dimension-size, set-dimension-size
HALO_ATTRIBUTES(DimensionAttributes) {
  int64_t dimension = 0;
  HALO_SCHEMA();
};

// All operands are permuted together along `dimension`. A stable sort keeps the order of equal elements.
HALO_ATTRIBUTES(SortAttributes) {
  int64_t dimension = 0;
  bool is_stable = false;
  HALO_SCHEMA();
};

// A scan takes the slices of its inputs along `dimension` one by one, from the last if is_reverse. The last
// num_carries operands and results are the carries.
HALO_ATTRIBUTES(ScanAttributes) {
  int64_t dimension = 0;
  int64_t num_carries = 0;
  bool is_reverse = false;
  int32_t is_associative = 0;  // 0 unset, 1 true, 2 false
  HALO_SCHEMA();
};

// The first k elements of the last dimension in descending order, or in ascending order unless `largest`.
HALO_ATTRIBUTES(TopKAttributes) {
  int64_t k = 0;
  bool largest = true;
  bool is_stable = false;
  HALO_SCHEMA();
};

// reduce-window, select-and-scatter: all dimensions
HALO_ATTRIBUTES(WindowAttributes) {
  Window window;
  HALO_SCHEMA();
};

// How many bits of exponent and mantissa each element keeps; its type stays.
HALO_ATTRIBUTES(ReducePrecisionAttributes) {
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;
  HALO_SCHEMA();
};

// One entry for each dimension.
HALO_ATTRIBUTES(PadAttributes) {
  PaddingConfig padding;
  HALO_SCHEMA();
};

// One range for each dimension.
HALO_ATTRIBUTES(SliceAttributes) {
  std::vector<SliceRange> ranges;
  HALO_SCHEMA();
};

// The sizes of the result, one for each dimension of the operand; starts are operands.
HALO_ATTRIBUTES(DynamicSliceAttributes) {
  DimensionVector slice_sizes;
  HALO_SCHEMA();
};

// Names as in the StableHLO spec, section `gather`. index_vector_dim may be the rank of the indices: then each index
// is a vector of one.
HALO_ATTRIBUTES(GatherAttributes) {
  DimensionVector offset_dims;
  DimensionVector collapsed_slice_dims;
  DimensionVector start_index_map;
  DimensionVector operand_batching_dims;
  DimensionVector start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  DimensionVector slice_sizes;
  bool indices_are_sorted = false;
  HALO_SCHEMA();
};

// Names as in the StableHLO spec, section `scatter`. The flags promise something about the indices; a false promise
// makes the result unspecified.
HALO_ATTRIBUTES(ScatterAttributes) {
  DimensionVector update_window_dims;
  DimensionVector inserted_window_dims;
  DimensionVector scatter_dims_to_operand_dims;
  DimensionVector input_batching_dims;
  DimensionVector scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  HALO_SCHEMA();
};

// dot, scaled-dot
HALO_ATTRIBUTES(DotAttributes) {
  DimensionVector lhs_batch_dims;
  DimensionVector lhs_contracting_dims;
  DimensionVector rhs_batch_dims;
  DimensionVector rhs_contracting_dims;
  std::vector<Precision> operand_precision;
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  HALO_SCHEMA();
};

// A dot in which lhs has groups of rows of different sizes along its ragged dimension; operand 2 has the sizes.
// rhs_group_dims names the dimension of rhs that has a matrix for each group.
HALO_ATTRIBUTES(RaggedDotAttributes) {
  DimensionVector lhs_batch_dims;
  DimensionVector lhs_contracting_dims;
  DimensionVector rhs_batch_dims;
  DimensionVector rhs_contracting_dims;
  DimensionVector lhs_ragged_dims;
  DimensionVector rhs_group_dims;
  std::vector<Precision> operand_precision;
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  HALO_SCHEMA();
};

// feature_group_count divides input and output features into groups that are convolved by themselves,
// batch_group_count the batch; at most one of them is above 1.
HALO_ATTRIBUTES(ConvolutionAttributes) {
  Window window;  // spatial dimensions only, in dim_labels digit order
  ConvolutionDimensionNumbers dim_labels;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  std::vector<Precision> operand_precision;
  ConvolutionKind convolution_kind = ConvolutionKind::kUnset;
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  ConvolutionSparsity sparsity_config;
  HALO_SCHEMA();
};

// fft_length has the sizes of the innermost dimensions, which are transformed; for real transforms, those of the real
// array.
HALO_ATTRIBUTES(FftAttributes) {
  FftType fft_type = FftType::kFft;
  DimensionVector fft_length;
  HALO_SCHEMA();
};

// Solves op(a) x = b if left_side, else x op(a) = b, and reads only the triangle of a that `lower` names; with
// unit_diagonal not the diagonal either.
HALO_ATTRIBUTES(TriangularSolveAttributes) {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  TransposeA transpose_a = TransposeA::kInvalid;
  HALO_SCHEMA();
};

// Which triangle of the operand is read, and which factor is given: l with a = l l^H, or u with a = u^H u.
HALO_ATTRIBUTES(CholeskyAttributes) {
  bool lower = false;
  HALO_SCHEMA();
};

// epsilon is added to the variance; mean and variance belong to one index of feature_index each.
HALO_ATTRIBUTES(BatchNormAttributes) {
  float epsilon = 0;
  int64_t feature_index = 0;
  HALO_SCHEMA();
};

HALO_ATTRIBUTES(CompareAttributes) {
  ComparisonDirection direction = ComparisonDirection::kEq;
  // Unset until the operand's type is known; readers fill in DefaultComparisonType.
  ComparisonType type = ComparisonType::kFloat;
  HALO_SCHEMA();
};

HALO_ATTRIBUTES(RngAttributes) {
  RandomDistribution distribution = RandomDistribution::kInvalid;
  HALO_SCHEMA();
};

HALO_ATTRIBUTES(RngBitGeneratorAttributes) {
  RandomAlgorithm algorithm = RandomAlgorithm::kDefault;
  HALO_SCHEMA();
};

// The state is a counter of the device; delta is added to it after it is read.
HALO_ATTRIBUTES(RngGetAndUpdateStateAttributes) {
  int64_t delta = 0;
  HALO_SCHEMA();
};

HALO_ATTRIBUTES(GetTupleElementAttributes) {
  int64_t index = 0;
  HALO_SCHEMA();
};

// is_composite marks a call that stands for an operation named in its frontend attributes. It runs as any call does.
HALO_ATTRIBUTES(CallAttributes) {
  bool is_composite = false;
  HALO_SCHEMA();
};

// The aliases allow a backend to write results over operands; they do not change the result.
HALO_ATTRIBUTES(FusionAttributes) {
  FusionKind kind = FusionKind::kLoop;
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  HALO_SCHEMA();
};

// custom_call_target names the function. Window, dimension labels, group counts and precision are for targets that
// compute a convolution or product. `literal` is a constant that the function reads.
HALO_ATTRIBUTES(CustomCallAttributes) {
  absl::optional<Window> window;
  absl::optional<ConvolutionDimensionNumbers> dim_labels;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  std::vector<Precision> operand_precision;
  PaddingType padding_type = PaddingType::kInvalid;
  std::string custom_call_target;
  absl::optional<std::vector<Shape>> operand_layout_constraints;
  bool custom_call_has_side_effect = false;
  std::shared_ptr<const Literal> literal;
  CustomCallSchedule schedule = CustomCallSchedule::kNone;
  CustomCallApiVersion api_version = CustomCallApiVersion::kOriginal;
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  HALO_SCHEMA();
};

// The configuration is a text for the device, which no backend here reads.
HALO_ATTRIBUTES(InfeedAttributes) {
  std::string infeed_config;
  HALO_SCHEMA();
};

// outfeed_shape is the shape of the value as it goes out, with its layout.
HALO_ATTRIBUTES(OutfeedAttributes) {
  Shape outfeed_shape;
  std::string outfeed_config;
  HALO_SCHEMA();
};

// send, send-done, recv, recv-done
HALO_ATTRIBUTES(SendRecvAttributes) {
  absl::optional<int64_t> channel_id;
  bool is_host_transfer = false;
  HALO_SCHEMA();
};

HALO_ATTRIBUTES(DomainAttributes) {
  Domain domain;
  HALO_SCHEMA();
};

// Says in XLA which prefetch across programs this copy is. Carried, not used.
HALO_ATTRIBUTES(CopyStartAttributes) {
  absl::optional<int64_t> cross_program_prefetch_index;
  HALO_SCHEMA();
};

// Members that all grouped collectives have. A struct that inherits it describes these fields first.
struct CollectiveAttributes : Attributes {
  absl::optional<int64_t> channel_id;
  ReplicaGroups replica_groups;
};

// all-reduce, all-reduce-start
struct AllReduceAttributes : AttributesOf<AllReduceAttributes, CollectiveAttributes> {
  bool constrain_layout = false;
  bool use_global_device_ids = false;
  HALO_SCHEMA();
};

// reduce-scatter, all-gather, all-gather-start
struct ShardingCollectiveAttributes : AttributesOf<ShardingCollectiveAttributes, CollectiveAttributes> {
  bool constrain_layout = false;
  bool use_global_device_ids = false;
  int64_t dimension = 0;
  HALO_SCHEMA();
};

// all-to-all: an array is split along split_dimension, and the parts that a device receives are put together along
// it.
struct AllToAllAttributes : AttributesOf<AllToAllAttributes, CollectiveAttributes> {
  bool constrain_layout = false;
  absl::optional<int64_t> split_dimension;  // nullopt: the tuple form
  HALO_SCHEMA();
};

// ragged-all-to-all: what goes where is in its operands (offsets and sizes), not in attributes.
struct RaggedAllToAllAttributes : AttributesOf<RaggedAllToAllAttributes, CollectiveAttributes> {
  HALO_SCHEMA();
};

// collective-broadcast: the first device of each group sends its operand to the others; with has_dynamic_root the
// last operand says, for each of the others, at which position of the group the sender is.
struct CollectiveBroadcastAttributes : AttributesOf<CollectiveBroadcastAttributes, CollectiveAttributes> {
  bool has_dynamic_root = false;
  HALO_SCHEMA();
};

// collective-permute, collective-permute-start
HALO_ATTRIBUTES(CollectivePermuteAttributes) {
  absl::optional<int64_t> channel_id;
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  std::vector<std::vector<int64_t>> slice_sizes;
  HALO_SCHEMA();
};

// async-start, async-update, async-done
HALO_ATTRIBUTES(AsyncAttributes) {
  std::string async_execution_thread = "main";
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  HALO_SCHEMA();
};

#undef HALO_ATTRIBUTES
#undef HALO_SCHEMA

}  // namespace xla

#endif  // XLA_CORE_IR_ATTRIBUTES_H_
