// What an instruction carries besides its meaning: metadata, sharding, frontend attributes, statistics, origin. Nothing
// in Halo's evaluation reads it; it survives a round trip through text and protobuf.
#ifndef XLA_CORE_IR_ANNOTATIONS_H_
#define XLA_CORE_IR_ANNOTATIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/support/boxed_optional.h"
#include "xla_core/support/shared_string.h"
#include "xla_core/types/shape.h"

namespace xla {

// metadata={op_type="..." op_name="..." ...}; empty and zero fields are not printed. Its texts are those of many
// instructions, which share them as far as the reader saw that they are equal.
struct OpMetadata {
  SharedString op_type;
  SharedString op_name;
  SharedString source_file;
  int32_t source_line = 0;
  int32_t source_end_line = 0;
  int32_t source_column = 0;
  int32_t source_end_column = 0;
  std::vector<int64_t> profile_type;
  SharedString deduplicated_name;
  SharedString scheduling_name;
  int32_t stack_frame_id = 0;  // 1-based index into the module's stack frames, 0: none
  SharedString metadata_payload;

  bool operator==(const OpMetadata& o) const;
  bool empty() const { return *this == OpMetadata(); }
};

// A sharding, classic or named. Field meanings are those of XLA's OpSharding protobuf.
struct Sharding {
  enum class Type { kReplicated = 0, kMaximal = 1, kTuple = 2, kOther = 3, kManual = 4, kUnknown = 5, kUnreduced = 6 };
  enum class Reduction { kSum = 0, kMax = 1, kMin = 2 };
  enum class GroupType { kAs = 0, kLike = 1 };
  struct Named {
    struct Dimension {
      std::vector<AxisRef> axes;
      bool is_closed = true;  // false: a trailing `?`
      bool operator==(const Dimension& o) const { return axes == o.axes && is_closed == o.is_closed; }
    };
    Mesh mesh;
    std::vector<Dimension> dimensions;
    std::vector<AxisRef> replicated_axes;
    std::vector<AxisRef> unreduced_axes;
    std::vector<AxisRef> manual_axes;
    Reduction reduction = Reduction::kSum;
    bool operator==(const Named& o) const {
      return mesh == o.mesh && dimensions == o.dimensions && replicated_axes == o.replicated_axes &&
             unreduced_axes == o.unreduced_axes && manual_axes == o.manual_axes && reduction == o.reduction;
    }
  };

  Type type = Type::kReplicated;
  std::vector<int64_t> tile_dimensions;  // devices=[2,1,2]
  std::vector<int64_t> devices;          // explicit list, or the one device of `maximal`
  absl::optional<IotaTransform> iota;    // <=[4]T(..)
  bool replicate_on_last_tile_dim = false;
  std::vector<Type> last_tile_dims;
  std::vector<Sharding> tuple;  // kTuple, flattened over the leaves
  absl::optional<std::pair<GroupType, int64_t>> shard_group;
  std::vector<OpMetadata> metadata;
  std::shared_ptr<const Named> named;  // nullptr: classic

  bool operator==(const Sharding& o) const;
};

// Keys in order; values are raw text, a JSON dictionary or a string.
using FrontendAttributes = std::map<std::string, std::string>;

// statistics={visualizing_index=0,count_nan=100.0}
struct Statistics {
  int64_t visualizing_index = 0;
  std::vector<std::pair<std::string, double>> values;
  bool operator==(const Statistics& o) const { return visualizing_index == o.visualizing_index && values == o.values; }
};

// origin={...}: which array of the original module a value came from.
struct OriginalValue {
  struct Array {
    std::string instruction_name;
    ShapeIndex shape_index;
    bool operator==(const Array& o) const {
      return instruction_name == o.instruction_name && shape_index == o.shape_index;
    }
  };
  bool is_synthetic_call = false;
  bool is_tuple = false;
  absl::optional<Array> array;          // of a leaf; nullopt: unknown
  std::vector<OriginalValue> elements;  // of a tuple
  bool operator==(const OriginalValue& o) const {
    return is_synthetic_call == o.is_synthetic_call && is_tuple == o.is_tuple && array == o.array &&
           elements == o.elements;
  }
};

// result_accuracy={mode=highest} or {tolerance={atol=0,rtol=1e-3,ulps=2}}
struct ResultAccuracy {
  enum class Mode { kDefault = 0, kHighest = 1, kTolerance = 2 };
  Mode mode = Mode::kDefault;
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
  bool operator==(const ResultAccuracy& o) const {
    return mode == o.mode && atol == o.atol && rtol == o.rtol && ulps == o.ulps;
  }
};

// All annotations of one instruction. Most instructions have none, or metadata only, and a module may have a million of
// these: what is large and rare is boxed.
struct InstructionAnnotations {
  OpMetadata metadata;
  BoxedOptional<Sharding> sharding;
  FrontendAttributes frontend_attributes;
  std::string backend_config;  // raw: a JSON dictionary or any bytes
  BoxedOptional<Statistics> statistics;
  ResultAccuracy result_accuracy;
  BoxedOptional<OriginalValue> original_value;
};

// The stack-frame tables of a module (StackFrameIndexProto of XLA's hlo.proto). Ids are 1-based; 0 means none.
// `parent_frame_id` is the stored value, one less than text writes.
struct StackFrameIndex {
  struct FileLocation {
    int32_t file_name_id = 0;
    int32_t function_name_id = 0;
    int32_t line = 0;
    int32_t end_line = 0;
    int32_t column = 0;
    int32_t end_column = 0;
  };
  struct StackFrame {
    int32_t file_location_id = 0;
    int32_t parent_frame_id = 0;
  };
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
  bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() && stack_frames.empty();
  }
};

}  // namespace xla

#endif  // XLA_CORE_IR_ANNOTATIONS_H_
