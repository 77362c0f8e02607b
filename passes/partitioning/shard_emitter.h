// ShardEmitter: the instructions that move, cut and mask shards.
#ifndef PASSES_PARTITIONING_SHARD_EMITTER_H_
#define PASSES_PARTITIONING_SHARD_EMITTER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "passes/base/instruction_builder.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/partition_recorder.h"
#include "passes/partitioning/reshard_plan.h"
#include "passes/partitioning/ring_rule.h"
#include "passes/partitioning/window_tiles.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The devices of a program and the channels of its collectives, each of which has one of its own.
struct PartitionedProgram {
  int64_t devices = 1;
  int64_t last_channel = 0;
  PartitionRecorder* recorder = nullptr;  // there always is one
  RingRule rings = RingsFrom(kRingBytes);
};

// Adds to one computation. What depends on the device alone is computed once in it.
class ShardEmitter {
 public:
  ShardEmitter(HloComputation* computation, PartitionedProgram* program)
      : computation_(computation), program_(*program) {}

  // The devices among which shards move from now on; at first those of the program. `manual` is that of a DeviceScope.
  void SetManual(DimensionTiling manual) { manual_ = std::move(manual); }
  DeviceScope scope() const { return {program_.devices, manual_}; }

  // A builder for what stands in for `origin`, which may be nullptr. Its status counts (status()) from the next call
  // on.
  InstructionBuilder& At(const HloInstruction* origin);
  // The first error of any builder.
  absl::Status status() const { return build_.status(); }
  PartitionRecorder& recorder() { return *program_.recorder; }
  const RingRule& rings() const { return program_.rings; }

  // From shards by `from` to shards by `to` of an array that is `shape` as a whole.
  HloInstruction* Reshard(HloInstruction* shard, const ArrayTiling& from, const ArrayTiling& to, const Shape& shape);
  // Sets what is padding along `dimension` to a scalar's value. `size` is that of the whole dimension.
  HloInstruction* MaskPadding(HloInstruction* shard, int64_t dimension, int64_t size, const DimensionTiling& tiling,
                              const Literal& neutral);
  // What devices of the first tile have, a scalar's value in all others.
  HloInstruction* KeepInFirst(HloInstruction* x, const DimensionTiling& tiling, const Literal& elsewhere);
  // The rows along `dimension` that a device needs of an array, which is cut by `from`: as `tiling` or not at all. Rows
  // of neighbours come by collective-permute, one hop after the other.
  HloInstruction* TakeRows(HloInstruction* x, const ArrayTiling& from, int dimension, const DimensionTiling& tiling,
                           const WindowTiles& tiles);
  // Sets those of them that do not exist to a scalar.
  HloInstruction* FillRows(HloInstruction* rows, int dimension, const DimensionTiling& tiling, const WindowTiles& tiles,
                           HloInstruction* fill);
  // Lets indices of a scatter count from the first element of the device's shard along a dimension, which is `size`
  // elements long as a whole. Their dimension `vector_dimension`, if there is one, holds the parts of an index.
  HloInstruction* IndicesOfShard(HloInstruction* indices, int part, int64_t vector_dimension,
                                 const DimensionTiling& tiling, int64_t size);
  // An integer for each tile: a scalar, s32 unless one is too large for that.
  HloInstruction* OfTile(const DimensionTiling& tiling, const std::vector<int64_t>& values);
  // Combines the results of devices that differ in their tiles along some dimensions.
  HloInstruction* AllReduce(HloInstruction* x, HloOpcode combiner, const ArrayTiling& tiling,
                            absl::Span<const int64_t> dimensions);
  // The same, of which each device keeps one part along a dimension of the result, which is `size` elements long as a
  // whole: the first of a group the first part.
  HloInstruction* ReduceScatter(HloInstruction* x, HloOpcode combiner, const ArrayTiling& tiling,
                                absl::Span<const int64_t> reduced, int dimension, int64_t size);
  // What devices that differ in their tiles along some dimensions have, in the order of these tiles, along a new first
  // dimension.
  HloInstruction* Stack(HloInstruction* x, const ArrayTiling& tiling, absl::Span<const int64_t> dimensions);
  // What the first device of the scope has.
  HloInstruction* FromFirstDevice(HloInstruction* x);
  // From each device of a group to the one before it, from the first one to the last.
  HloInstruction* SendAround(HloInstruction* x, const std::vector<std::vector<int64_t>>& groups);
  std::vector<std::pair<int64_t, int64_t>> PairsAround(const std::vector<std::vector<int64_t>>& groups) const;
  // Adds zeros at the end of a dimension until it has this size.
  HloInstruction* PadTo(HloInstruction* x, int64_t dimension, int64_t size);
  // The index, in a whole dimension of `size` elements, of the first element of the device's shard: a scalar, s32
  // unless the dimension is too large for that.
  HloInstruction* Offset(const DimensionTiling& tiling, int64_t size);

 private:
  HloInstruction* Take(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before, const Shape& shape);
  HloInstruction* Cut(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before, int64_t size);
  HloInstruction* Gather(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before, int64_t size);
  HloInstruction* Exchange(HloInstruction* shard, const ReshardStep& step, const ArrayTiling& before,
                           const Shape& shape);
  HloInstruction* Permute(HloInstruction* shard, const ArrayTiling& before, const ArrayTiling& after);
  HloInstruction* AddNeighbours(HloInstruction* x, const ArrayTiling& from, int dimension, const WindowTiles& tiles);
  HloInstruction* FromNeighbour(HloInstruction* x, const std::vector<std::vector<int64_t>>& groups, int dimension,
                                int64_t hop, const WindowTiles& tiles);
  // An s32 scalar.
  HloInstruction* Coordinate(const DimensionTiling& tiling);
  ReplicaGroups Groups(const ArrayTiling& tiling, absl::Span<const int64_t> dimensions) const;

  HloComputation* const computation_;
  PartitionedProgram& program_;
  DimensionTiling manual_;
  InstructionBuilder build_{computation_};
  HloInstruction* device_ = nullptr;  // its number, s32
  std::vector<std::pair<DimensionTiling, HloInstruction*>> coordinates_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_SHARD_EMITTER_H_
