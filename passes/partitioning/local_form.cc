#include "passes/partitioning/local_form.h"

#include <utility>

#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

Shape NextShards(const Shape& shape, const std::vector<ArrayTiling>& leaves, size_t* next) {
  if (!shape.IsTuple()) {
    const ArrayTiling& tiling = leaves[(*next)++];
    return IsWhole(tiling) ? shape : ShardShape(shape, tiling);
  }
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(NextShards(element, leaves, next));
  return Shape::Tuple(std::move(elements));
}

// A slice of a whole dimension of the operand before is one of its shard now. Slices of one element, of batches or of
// what is looked up in shards, stay.
template <typename Sizes>
void FollowOperand(const HloInstruction& instruction, const Shape& whole, Sizes& sizes) {
  const Shape& shard = instruction.operand(0)->shape();
  for (int k = 0; k < shard.rank(); ++k) {
    if (sizes[k] == whole.dimension(k)) sizes[k] = shard.dimension(k);
  }
}

}  // namespace

Shape ShardShapeOfLeaves(const Shape& shape, const std::vector<ArrayTiling>& leaves) {
  size_t next = 0;
  return NextShards(shape, leaves, &next);
}

void MakeLocal(HloInstruction& instruction, const std::vector<ArrayTiling>& results, const std::vector<Shape>& whole) {
  instruction.mutable_shape() = ShardShapeOfLeaves(instruction.shape(), results);
  if (instruction.opcode() == HloOpcode::kSlice) {
    const Shape& shard = instruction.operand(0)->shape();
    std::vector<SliceRange>& ranges = instruction.mutable_attributes<SliceAttributes>().ranges;
    for (int k = 0; k < shard.rank(); ++k) {
      if (shard.dimension(k) != whole[0].dimension(k)) ranges[k].limit = shard.dimension(k);
    }
  } else if (instruction.opcode() == HloOpcode::kDynamicSlice) {
    FollowOperand(instruction, whole[0], instruction.mutable_attributes<DynamicSliceAttributes>().slice_sizes);
  } else if (instruction.opcode() == HloOpcode::kGather) {
    FollowOperand(instruction, whole[0], instruction.mutable_attributes<GatherAttributes>().slice_sizes);
  }
}

}  // namespace xla
