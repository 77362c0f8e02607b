#include "passes/partitioning/sharded_values.h"

#include <algorithm>

namespace xla {

HloInstruction* ShardedValues::Get(const HloInstruction& global, const LeafTilings& wanted, const HloInstruction& user,
                                   Reason reason) {
  Entry& entry = values_.at(&global);
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
  if (std::all_of(leaves.begin(), leaves.end(), &IsWhole)) return values_.at(&global).made.shards;
  return Get(global, WholeLeaves(values_.at(&global).made.whole), user, reason);
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
