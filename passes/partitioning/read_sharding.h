// Reads a sharding, in any of its forms, as a tiling.
#ifndef PASSES_PARTITIONING_READ_SHARDING_H_
#define PASSES_PARTITIONING_READ_SHARDING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "passes/partitioning/array_tiling.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/types/shape.h"

namespace xla {

// What a sharding says of one array. One device that has the whole array (maximal), a sharding that is unknown, and
// axes over which an array is replicated: all of them are whole here, which gives each device what it may need.
struct ArraySharding {
  ArrayTiling tiling;
  // The program was written for each device by itself: the shape is that of the shards, and the array may differ
  // everywhere.
  bool is_manual = false;
  // The devices have terms of a sum that has not been added up.
  bool is_unreduced = false;
};

// Of an array, or of anything else that is not a tuple. InvalidArgument, naming both numbers, if the sharding is for
// another number of dimensions or of devices.
absl::StatusOr<ArraySharding> ReadSharding(const Sharding& sharding, const Shape& shape, int64_t devices);

// The other way: a sharding that reads as this tiling. The tiling is even.
Sharding WriteSharding(const ArrayTiling& tiling, int64_t devices);

}  // namespace xla

#endif  // PASSES_PARTITIONING_READ_SHARDING_H_
