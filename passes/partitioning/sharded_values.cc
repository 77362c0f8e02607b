#include "passes/partitioning/sharded_values.h"

#include <algorithm>
#include <numeric>

namespace xla {

HloInstruction* ShardedValues::Get(const HloInstruction& global, const LeafTilings& wanted, const HloInstruction& user,
                                   Reason reason) {
  Entry& entry = values_.at(&global);
  if (entry.made.sum.has_value()) AddUp(global, &wanted);
  if (entry.made.leaves == wanted) return entry.made.shards;
  for (const auto& [leaves, resharded] : entry.resharded) {
    if (leaves == wanted) return resharded;
  }
  size_t leaf = 0;
  ++reshard_count_;
  emitter_.recorder().BeginMove(global, user, entry.made.leaves, wanted, reason);
  HloInstruction* const resharded =
      Reshard(entry.made.shards, entry.made.whole, entry.made.leaves, wanted, emitter_.At(&user), &leaf);
  entry.resharded.emplace_back(wanted, resharded);
  return resharded;
}

HloInstruction* ShardedValues::GetWhole(const HloInstruction& global, const HloInstruction& user, Reason reason) {
  const LeafTilings& leaves = values_.at(&global).made.leaves;
  if (std::all_of(leaves.begin(), leaves.end(), &IsWhole)) return Shards(global);
  return Get(global, WholeLeaves(values_.at(&global).made.whole), user, reason);
}

HloInstruction* ShardedValues::Shards(const HloInstruction& global) {
  const ShardedValue& value = values_.at(&global).made;
  if (value.sum.has_value()) AddUp(global, nullptr);
  return value.shards;
}

void ShardedValues::AddUp(const HloInstruction& global, const LeafTilings* wanted) {
  ShardedValue& value = values_.at(&global).made;
  const PendingSum sum = *std::exchange(value.sum, absl::nullopt);
  InstructionBuilder& build = emitter_.At(&global);
  emitter_.recorder().BeginMove(global, global, value.leaves, value.leaves,
                                [] { return "each device has a part of the sum"; });
  ArrayTiling& cut = value.leaves[0];
  ArrayTiling all = cut;
  all.insert(all.end(), sum.terms.begin(), sum.terms.end());
  std::vector<int64_t> along(sum.terms.size());
  std::iota(along.begin(), along.end(), static_cast<int64_t>(cut.size()));
  absl::optional<int> scattered;
  if (wanted != nullptr) scattered = ScatteredDimension(cut, sum, (*wanted)[0]);
  if (scattered.has_value()) {
    const int64_t size = value.whole.dimension(*scattered);
    value.shards = emitter_.ReduceScatter(value.shards, sum.combiner, all, along, *scattered, size);
    cut[*scattered] = (*wanted)[0][*scattered];
    ++scattered_count_;
  } else {
    value.shards = emitter_.AllReduce(value.shards, sum.combiner, all, along);
  }
  value.shards = build.Convert(value.shards, value.whole.element_type());
}

HloInstruction* ShardedValues::Reshard(HloInstruction* shards, const Shape& whole, const LeafTilings& from,
                                       const LeafTilings& to, InstructionBuilder& build, size_t* leaf) {
  if (!whole.IsTuple()) {
    const size_t i = (*leaf)++;
    return emitter_.Reshard(shards, from[i], to[i], whole);
  }
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < whole.tuple_size(); ++i) {
    elements.push_back(Reshard(build.GetTupleElement(shards, i), whole.tuple_shape(i), from, to, build, leaf));
  }
  return build.Tuple(elements);
}

}  // namespace xla
