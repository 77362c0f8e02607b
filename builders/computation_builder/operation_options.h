// What the operations of ComputationBuilder take beyond operands and lists of dimensions: dimension numbers, and
// options whose defaults fit most calls.
//
//   ConvolutionOptions depthwise;
//   depthwise.feature_group_count = 3;
#ifndef BUILDERS_COMPUTATION_BUILDER_OPERATION_OPTIONS_H_
#define BUILDERS_COMPUTATION_BUILDER_OPERATION_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "builders/computation_builder/xla_computation.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/types/shape.h"

namespace xla {

// How Conv, ReduceWindow and SelectAndScatter pad what their window moves over.
//   kSame   so that there is one position per `stride` elements, out = ceil(in / stride): of the elements to add, half
//           (rounded down) go in front
//   kValid  not at all
enum class Padding { kSame, kValid };

// Which dimensions a dot pairs. lhs_contracting_dims[i] is summed over together with rhs_contracting_dims[i];
// lhs_batch_dims[i] goes with rhs_batch_dims[i].
struct DotDimensionNumbers {
  DimensionVector lhs_contracting_dims;
  DimensionVector rhs_contracting_dims;
  DimensionVector lhs_batch_dims;
  DimensionVector rhs_batch_dims;
};

// Dimensions of RaggedDot: those of the dot, and those that tell which rows belong to which group.
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot;
  DimensionVector lhs_ragged_dims;  // the one dimension of lhs that groups divide
  DimensionVector rhs_group_dims;   // the dimension of rhs that counts groups, if it has one
};

// What Dot and DotGeneral take beside dimension numbers. None of it changes shapes; `algorithm` fixes the types that
// products and sums are rounded to.
struct DotOptions {
  std::vector<Precision> precision;  // none, or one for each operand
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  // Element type of the result; PRIMITIVE_TYPE_INVALID: that of the operands.
  PrimitiveType preferred_element_type = PRIMITIVE_TYPE_INVALID;
};

// What the convolutions take beside window and dimension numbers. At most one of the two group counts may be above 1.
struct ConvolutionOptions {
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  std::vector<bool> window_reversal;  // none, or one for each spatial dimension
  std::vector<Precision> precision;   // none, or one for each operand
  // Element type of the result; PRIMITIVE_TYPE_INVALID: that of the operands.
  PrimitiveType preferred_element_type = PRIMITIVE_TYPE_INVALID;
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
};

// Where gather finds and puts things; meanings as in XLA's operation semantics.
struct GatherDimensionNumbers {
  DimensionVector offset_dims;
  DimensionVector collapsed_slice_dims;
  DimensionVector start_index_map;
  int64_t index_vector_dim = 0;
  DimensionVector operand_batching_dims;
  DimensionVector start_indices_batching_dims;
};

// The mirror image for scatter.
struct ScatterDimensionNumbers {
  DimensionVector update_window_dims;
  DimensionVector inserted_window_dims;
  DimensionVector scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  DimensionVector input_batching_dims;
  DimensionVector scatter_indices_batching_dims;
};

// What Scatter takes beside dimension numbers.
struct ScatterOptions {
  // Promises, which the interpreter does not use; breaking one leaves the result open.
  bool indices_are_sorted = false;
  bool unique_indices = false;
};

// Who takes part in a collective.
struct CollectiveOptions {
  // {{0, 1}, {2, 3}}: ids of replicas (or partitions, or devices, as the two fields below say). Empty: one group of
  // all.
  ReplicaGroups replica_groups;
  absl::optional<int64_t> channel_id;  // positive
  bool use_global_device_ids = false;  // AllReduce, AllGather, ReduceScatter
  bool constrain_layout = false;       // these and AllToAll

  CollectiveOptions() = default;
  // The groups as lists: CollectiveOptions::Groups({{0, 1}, {2, 3}}).
  static CollectiveOptions Groups(std::vector<std::vector<int64_t>> groups) {
    CollectiveOptions options;
    options.replica_groups.groups = std::move(groups);
    return options;
  }
};

// A transfer from one device to another, or to and from the host.
struct SendRecvOptions {
  absl::optional<int64_t> channel_id;
  bool is_host_transfer = false;
  // Which device sends to which; none: each to itself.
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
};

// What a CustomCall takes beside its target's name, its operands and the shape of its result. The builder does not
// interpret it; the backend that knows the target does.
struct CustomCallOptions {
  // Keeps the call although its result is unused.
  bool has_side_effect = false;
  CustomCallApiVersion api_version = CustomCallApiVersion::kOriginal;
  // Handed to the function: any bytes, or a dictionary {name = 1 : i64} for kTypedFfi.
  std::string backend_config;
  // The operands' shapes with the layouts that the function expects; nullopt: any layouts.
  absl::optional<std::vector<Shape>> operand_layouts;
  std::vector<OutputOperandAlias> output_operand_aliasing;
  std::vector<XlaComputation> called_computations;
  std::shared_ptr<const Literal> literal;
  CustomCallSchedule schedule = CustomCallSchedule::kNone;
  // For functions that compute a convolution or a dot.
  absl::optional<Window> window;
  absl::optional<ConvolutionDimensionNumbers> convolution_dimension_numbers;
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  std::vector<Precision> precision;
  PaddingType padding_type = PaddingType::kInvalid;
};

// The operation of a higher level that a call stands for.
struct CompositeOptions {
  std::string name;               // "chlo.top_k"; not empty
  std::string attributes = "{}";  // a dictionary
  int64_t version = 0;
};

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_OPERATION_OPTIONS_H_
