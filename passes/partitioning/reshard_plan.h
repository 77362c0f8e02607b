// How an array that is cut by one tiling comes to be cut by another: which steps, in which order.
//
// What a device needs and has is cut out (no bytes move), then tiles change places between dimensions (all-to-all) or
// between devices (collective-permute), and only what is left is gathered:
//
//   [4:1,1] -> [1,4:1]     all-to-all            [4:1] -> [2:2]       gather pairs
//   [1,1]   -> [4:1,1]     cut                   [2:2] -> [2:0/1/1/0] permute
#ifndef PASSES_PARTITIONING_RESHARD_PLAN_H_
#define PASSES_PARTITIONING_RESHARD_PLAN_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "passes/partitioning/array_tiling.h"
#include "xla_core/types/shape.h"

namespace xla {

struct ReshardStep {
  enum class Kind {
    kCut,       // `dimension` has finer tiles afterwards, each within the device's tile before
    kGather,    // `dimension` has coarser tiles afterwards, or is whole
    kExchange,  // `dimension` is whole afterwards, and `other`, which was, is cut in its place
    kPermute,   // shards go to other devices
  };
  Kind kind;
  int dimension = 0;
  int other = 0;
  ArrayTiling after;  // of all dimensions
};

// The steps from an even tiling to another one, none if they are equal. `shape` is that of the whole array.
std::vector<ReshardStep> PlanReshard(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape,
                                     const DeviceScope& scope);

// The bytes that a device receives in these steps.
int64_t ReshardBytes(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape, const DeviceScope& scope);

// What a byte costs that each device of such groups receives from others of its group, relative to other bytes: links
// between hosts are slower than those within them. Empty: all bytes cost the same.
using ByteCost = std::function<double(const std::vector<std::vector<int64_t>>& groups)>;
// The cost of ReshardBytes.
double ReshardCost(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape, const DeviceScope& scope,
                   const ByteCost& cost);

}  // namespace xla

#endif  // PASSES_PARTITIONING_RESHARD_PLAN_H_
