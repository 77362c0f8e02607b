#include "passes/partitioning/partition_gather.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "xla_core/ir/attributes.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace {

// The largest number of the type, or of s64.
int64_t LargestOf(PrimitiveType type) {
  const int bits = BitWidth(type) - (IsSignedInt(type) ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
}

class ShardLookUp {
 public:
  ShardLookUp(HloInstruction& instruction, const Shape& array, const std::vector<IndexedDimension>& dimensions,
              ShardEmitter& emitter)
      : instruction_(instruction),
        array_(array),
        dimensions_(dimensions),
        emitter_(emitter),
        build_(emitter.At(&instruction)) {}

  HloInstruction* LookUp(const Literal& neutral) {
    const Shape shape = instruction_.shape().WithoutLayout();
    HloInstruction* const is_here = instruction_.opcode() == HloOpcode::kGather
                                        ? OfGather()
                                        : build_.BroadcastScalar(OfStarts(/*first=*/1, shape), shape);
    return build_.Select(is_here, &instruction_, build_.Splat(shape, neutral));
  }

  // Elsewhere the update is what is there.
  void Update() {
    HloInstruction* const update = instruction_.operand(1);
    const Shape shape = update->shape().WithoutLayout();
    HloInstruction* const is_here = build_.BroadcastScalar(OfStarts(/*first=*/2, shape), shape);
    const std::vector<HloInstruction*> starts(instruction_.operands().begin() + 2, instruction_.operands().end());
    HloInstruction* const old = build_.DynamicSlice(instruction_.operand(0), starts, shape.dimensions());
    instruction_.ReplaceOperand(1, build_.Select(is_here, update, old));
  }

 private:
  // Whether the element of a slice or update is one of the shard. Its starts are operands from `first` on.
  HloInstruction* OfStarts(int first, const Shape& part) {
    HloInstruction* is_here = nullptr;
    std::vector<HloInstruction*> starts(instruction_.operands().begin() + first, instruction_.operands().end());
    // An unsigned number must not become a negative one.
    for (int k = 0; k < part.rank(); ++k) {
      const bool is_cut = std::any_of(dimensions_.begin(), dimensions_.end(),
                                      [&](const IndexedDimension& dimension) { return dimension.part == k; });
      const Shape& counted = is_cut ? array_ : instruction_.operand(0)->shape();
      starts[k] = Clamped(starts[k], counted.dimension(k) - part.dimension(k));
    }
    for (const IndexedDimension& dimension : dimensions_) {
      starts[dimension.part] = OfShard(starts[dimension.part], dimension, array_.dimension(dimension.part), &is_here);
    }
    const PrimitiveType type = CommonType(starts);
    for (size_t i = 0; i < starts.size(); ++i) {
      instruction_.ReplaceOperand(first + static_cast<int>(i), build_.Convert(starts[i], type));
    }
    return is_here;
  }

  static PrimitiveType CommonType(const std::vector<HloInstruction*>& indices) {
    const bool is_wide = std::any_of(indices.begin(), indices.end(), [](const HloInstruction* index) {
      return index->shape().element_type() == PrimitiveType::S64;
    });
    return is_wide ? PrimitiveType::S64 : PrimitiveType::S32;
  }

  HloInstruction* OfGather() {
    const GatherAttributes& attributes = instruction_.attributes<GatherAttributes>();
    HloInstruction* const indices = instruction_.operand(1);
    const int vector_dim = static_cast<int>(attributes.index_vector_dim);
    const bool has_vectors = vector_dim < indices->shape().rank();
    HloInstruction* is_here = nullptr;
    std::vector<HloInstruction*> parts;
    for (size_t i = 0; i < attributes.start_index_map.size(); ++i) {
      const int part = static_cast<int>(i);
      const int k = static_cast<int>(attributes.start_index_map[i]);
      HloInstruction* const index = has_vectors ? build_.SliceInDim(indices, vector_dim, part, part + 1) : indices;
      const auto cut = std::find_if(dimensions_.begin(), dimensions_.end(),
                                    [&](const IndexedDimension& dimension) { return dimension.part == part; });
      if (cut == dimensions_.end()) {
        parts.push_back(Clamped(index, instruction_.operand(0)->shape().dimension(k) - attributes.slice_sizes[k]));
      } else {
        parts.push_back(OfShard(Clamped(index, array_.dimension(k) - 1), *cut, array_.dimension(k), &is_here));
      }
    }
    instruction_.ReplaceOperand(1, Joined(std::move(parts), vector_dim));
    return ByWindow(is_here, vector_dim);
  }

  HloInstruction* Joined(std::vector<HloInstruction*> parts, int vector_dim) {
    const PrimitiveType type = CommonType(parts);
    for (HloInstruction*& part : parts) part = build_.Convert(part, type);
    return parts.size() == 1 ? parts[0] : build_.Concatenate(parts, vector_dim);
  }

  // Of each window, as an array of the result's dimensions.
  HloInstruction* ByWindow(HloInstruction* is_here, int vector_dim) {
    std::vector<int64_t> sizes(is_here->shape().dimensions().begin(), is_here->shape().dimensions().end());
    if (vector_dim < static_cast<int>(sizes.size())) sizes.erase(sizes.begin() + vector_dim);
    const DimensionVector& offset_dims = instruction_.attributes<GatherAttributes>().offset_dims;
    std::vector<int64_t> counting;
    for (int64_t k = 0; k < instruction_.shape().rank(); ++k) {
      if (std::find(offset_dims.begin(), offset_dims.end(), k) == offset_dims.end()) counting.push_back(k);
    }
    return build_.Broadcast(build_.Reshape(is_here, sizes), instruction_.shape().dimensions(), counting);
  }

  // Within [0, limit], as s32 or, where that is too small, s64.
  HloInstruction* Clamped(HloInstruction* index, int64_t limit) {
    const PrimitiveType type = index->shape().element_type();
    const Shape shape = index->shape().WithoutLayout();
    if (IsSignedInt(type)) index = build_.Max(index, build_.Splat(shape, 0));
    if (limit < LargestOf(type)) index = build_.Min(index, build_.Splat(shape, limit));
    return build_.Convert(index,
                          limit <= std::numeric_limits<int32_t>::max() ? PrimitiveType::S32 : PrimitiveType::S64);
  }

  // Counted from the first element of the shard. Whether that is one of the shard is added to `is_here`.
  HloInstruction* OfShard(HloInstruction* index, const IndexedDimension& dimension, int64_t size,
                          HloInstruction** is_here) {
    HloInstruction* const offset = emitter_.Offset(dimension.tiling, size);
    const PrimitiveType type = offset->shape().element_type();
    const Shape shape = Shape::Array(type, index->shape().dimensions());
    HloInstruction* const local = build_.Sub(build_.Convert(index, type), build_.BroadcastScalar(offset, shape));
    HloInstruction* const begins = build_.Compare(ComparisonDirection::kGe, local, build_.Splat(shape, 0));
    HloInstruction* const ends =
        build_.Compare(ComparisonDirection::kLt, local, build_.Splat(shape, ShardSize(size, dimension.tiling)));
    HloInstruction* const is_within = build_.And(begins, ends);
    *is_here = *is_here == nullptr ? is_within : build_.And(*is_here, is_within);
    return local;
  }

  HloInstruction& instruction_;
  const Shape& array_;
  const std::vector<IndexedDimension>& dimensions_;
  ShardEmitter& emitter_;
  InstructionBuilder& build_;
};

}  // namespace

HloInstruction* LookUpInShards(HloInstruction& instruction, const Shape& array,
                               const std::vector<IndexedDimension>& dimensions, const Literal& neutral,
                               ShardEmitter& emitter) {
  return ShardLookUp(instruction, array, dimensions, emitter).LookUp(neutral);
}

void UpdateInShards(HloInstruction& instruction, const Shape& array, const std::vector<IndexedDimension>& dimensions,
                    ShardEmitter& emitter) {
  ShardLookUp(instruction, array, dimensions, emitter).Update();
}

}  // namespace xla
