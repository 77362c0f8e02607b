#include "passes/partitioning/partition_concatenation.h"

#include <utility>

#include "passes/partitioning/reshard_plan.h"
#include "passes/partitioning/window_tiles.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Each operand is a pass over the whole shard.
constexpr int kMostOperands = 8;

int DimensionOf(const HloInstruction& concatenation) {
  return static_cast<int>(concatenation.attributes<DimensionAttributes>().dimension);
}

// An operand as it lies in the result: row r of the result is its row r - begin.
WindowReach Placed(int64_t begin, int64_t rows, int64_t size) {
  WindowReach reach;
  reach.window.padding_low = begin;
  reach.window.padding_high = size - begin - rows;
  reach.rows = rows;
  reach.outputs = size;
  reach.is_filled = true;
  return reach;
}

class ConcatenationPartitioner {
 public:
  ConcatenationPartitioner(const HloInstruction& instruction, const ArrayTiling& wanted, ShardEmitter& emitter,
                           ShardedValues& values)
      : instruction_(instruction),
        wanted_(wanted),
        emitter_(emitter),
        values_(values),
        dimension_(DimensionOf(instruction)),
        size_(instruction.shape().dimension(dimension_)) {}

  HloInstruction* Shards() {
    int64_t begin = size_;
    HloInstruction* result = nullptr;
    for (int i = instruction_.operand_count() - 1; i >= 0; --i) {
      const HloInstruction& operand = *instruction_.operand(i);
      const int64_t rows = values_[operand].whole.dimension(dimension_);
      const int64_t end = begin;
      begin -= rows;
      if (rows == 0) continue;
      HloInstruction* const placed = Take(operand, WindowTiles(Placed(begin, rows, size_), Tiles()));
      // What comes after the operand is there already.
      result = result == nullptr ? placed : SelectBefore(end, placed, result);
    }
    return result;
  }

 private:
  int64_t Tiles() const { return wanted_[dimension_].tiles; }

  HloInstruction* Take(const HloInstruction& operand, const WindowTiles& tiles) {
    const ArrayTiling tiling = Goal(operand, tiles);
    HloInstruction* const shards = values_.Get(
        operand, {tiling}, instruction_, [] { return "it is cut as the result is, or gathered if that moves less"; });
    emitter_.At(&instruction_);
    if (!tiling[dimension_].is_whole() && tiles.rows_before() + tiles.rows_after() > 0) {
      emitter_.recorder().BeginMove(operand, instruction_, {tiling}, {tiling},
                                    [] { return "its rows lie elsewhere in the result"; });
    }
    return emitter_.TakeRows(shards, tiling, dimension_, wanted_[dimension_], tiles);
  }

  // Whole along the dimension where that moves no more, or would take many hops.
  ArrayTiling Goal(const HloInstruction& operand, const WindowTiles& tiles) const {
    const ShardedValue& value = values_[operand];
    ArrayTiling whole = wanted_;
    whole[dimension_] = DimensionTiling();
    const Shape shard = ShardShape(value.whole, wanted_);
    const int64_t rows = tiles.rows_before() + tiles.rows_after();
    const int64_t bytes = ReshardBytes(value.leaves[0], wanted_, value.whole, emitter_.scope()) +
                          shard.ByteSize() / shard.dimension(dimension_) * rows;
    const bool has_too_many_hops = tiles.hop_count() > WindowTiles::kMostHops;
    return has_too_many_hops || ReshardBytes(value.leaves[0], whole, value.whole, emitter_.scope()) <= bytes ? whole
                                                                                                             : wanted_;
  }

  HloInstruction* SelectBefore(int64_t end, HloInstruction* before, HloInstruction* after) {
    InstructionBuilder& build = emitter_.At(&instruction_);
    HloInstruction* const offset = emitter_.Offset(wanted_[dimension_], size_);
    const Shape indices = Shape::Array(offset->shape().element_type(), before->shape().dimensions());
    HloInstruction* const index = build.Add(build.Iota(indices, dimension_), build.BroadcastScalar(offset, indices));
    return build.Select(build.Compare(ComparisonDirection::kLt, index, build.Splat(indices, end)), before, after);
  }

  const HloInstruction& instruction_;
  const ArrayTiling& wanted_;
  ShardEmitter& emitter_;
  ShardedValues& values_;
  const int dimension_;
  const int64_t size_;
};

}  // namespace

bool IsCutConcatenation(const HloInstruction& instruction, const ArrayTiling& wanted, const ShardedValues& values) {
  if (instruction.opcode() != HloOpcode::kConcatenate || instruction.operand_count() > kMostOperands) return false;
  const int dimension = DimensionOf(instruction);
  const int64_t size = instruction.shape().dimension(dimension);
  const int64_t tiles = wanted[dimension].tiles;
  if (tiles == 1 || size == 0) return false;
  int64_t begin = 0;
  for (const HloInstruction* operand : instruction.operands()) {
    const int64_t rows = values[*operand].whole.dimension(dimension);
    if (rows > 0 && !WindowTiles::Allows(Placed(begin, rows, size), tiles)) return false;
    begin += rows;
  }
  return true;
}

absl::Status PartitionConcatenation(const HloInstruction& instruction, const ArrayTiling& wanted, ShardEmitter& emitter,
                                    ShardedValues& values, PassContext& context) {
  HloInstruction* const shards = ConcatenationPartitioner(instruction, wanted, emitter, values).Shards();
  values.Set(instruction, {shards, instruction.shape(), {wanted}});
  context.CountRewrite("cut-concatenation");
  context.CountRewrite("keep-sharded");
  return emitter.status();
}

}  // namespace xla
