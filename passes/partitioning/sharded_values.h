// ShardedValues: what stands for the values of a global computation while it is partitioned.
#ifndef PASSES_PARTITIONING_SHARDED_VALUES_H_
#define PASSES_PARTITIONING_SHARDED_VALUES_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "passes/partitioning/computation_roles.h"
#include "passes/partitioning/pending_sum.h"
#include "passes/partitioning/shard_emitter.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// A value of the global program as the devices have it.
struct ShardedValue {
  HloInstruction* shards = nullptr;
  Shape whole;  // the shape in the global program; of a manual value, that of the shards
  LeafTilings leaves;
  // Of an array that has not been added up: `shards` are terms, in the type in which they are added.
  absl::optional<PendingSum> sum = absl::nullopt;
};

// Instructions of the global program are the keys; some of them have become those of the partitioned one.
class ShardedValues {
 public:
  explicit ShardedValues(ShardEmitter* emitter) : emitter_(*emitter) {}

  void Set(const HloInstruction& global, ShardedValue value) { values_[&global].made = std::move(value); }
  const ShardedValue& operator[](const HloInstruction& global) const { return values_.at(&global).made; }

  bool Has(const HloInstruction& global) const { return values_.contains(&global); }
  // The value cut in this way, for the instruction `user`: made when it is first asked for.
  HloInstruction* Get(const HloInstruction& global, const LeafTilings& wanted, const HloInstruction& user,
                      Reason reason);
  HloInstruction* GetWhole(const HloInstruction& global, const HloInstruction& user, Reason reason);
  // The value as it is cut, added up.
  HloInstruction* Shards(const HloInstruction& global);
  // How often Get had to make something.
  int64_t reshard_count() const { return reshard_count_; }
  // How many sums were scattered when they were needed.
  int64_t scattered_count() const { return scattered_count_; }

 private:
  struct Entry {
    ShardedValue made;
    std::vector<std::pair<LeafTilings, HloInstruction*>> resharded;
  };

  // Adds it up, as `wanted` if that is among the devices that have the terms; nullptr: on all of them.
  void AddUp(const HloInstruction& global, const LeafTilings* wanted);
  HloInstruction* Reshard(HloInstruction* shards, const Shape& whole, const LeafTilings& from, const LeafTilings& to,
                          InstructionBuilder& build, size_t* leaf);

  ShardEmitter& emitter_;
  absl::flat_hash_map<const HloInstruction*, Entry> values_;
  int64_t reshard_count_ = 0;
  int64_t scattered_count_ = 0;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_SHARDED_VALUES_H_
