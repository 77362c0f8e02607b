// FactorRule: which dimensions of an instruction's operands and results are cut together.
//
// A *factor* is an index that the instruction loops over. A product of f32[b,m,k] and f32[b,k,n] has the factors b, m,
// k and n; lhs is cut along b, m and k, the result along b, m and n. If each device takes a range of every factor, and
// has the shards that belong to it, then the instruction itself, on shapes of shards, computes the shards of the
// result:
//
//   rule of dot           lhs {b,m,k}   rhs {b,k,n}   result {b,m,n}   reduced {k}
//
// Along a factor that only operands have, results are parts of a sum (*reduced*) that is added up afterwards. A
// dimension without a factor is whole on each device. One rule serves both ways: propagation goes from any array to the
// others, partitioning from the results to the operands.
//
// Along a factor with a *window*, operands are read through one: a tile needs a range of rows, not a tile of its own
// (window_tiles.h). Its dimension in them is another one than that in the results, but it is cut into as many tiles.
//
// An instruction without a rule is computed by each device on whole arrays.
#ifndef PASSES_PARTITIONING_FACTOR_RULE_H_
#define PASSES_PARTITIONING_FACTOR_RULE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/window_tiles.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/types/shape.h"

namespace xla {

// A reduce-window whose output o combines the first o + 1 elements along a dimension or, from the end, the last ones.
struct CumulativeOperation {
  int dimension = 0;
  bool from_the_end = false;
  HloOpcode opcode = HloOpcode::kAdd;
};

struct FactorRule {
  static constexpr int kNone = -1;
  struct Factor {
    bool is_reduced = false;
    // The number of tiles must divide this, because an array is cut otherwise than by ranges of equal size where there
    // is padding. 1: never cut.
    int64_t multiple_of_tiles = 0;  // 0: any number
    // Of the operands before the first one that is a kernel, an initial value or what is padded with.
    absl::optional<WindowReach> window = absl::nullopt;
    // Of a select-and-scatter: a tile needs rows of the operand, and sources, that lie in others (scatter_tiles.h).
    absl::optional<WindowReach> scattered = absl::nullopt;
    // Which part of an index says where along this factor an update of a scatter goes, or what a gather or a
    // dynamic-slice looks up. Updates that go to other shards are beyond the end of the device's own, where a scatter
    // leaves them out. -1: none.
    int index_part = -1;
    // Of a reverse: the operand's tiles are in the opposite order.
    bool is_mirrored = false;
    // Shards have a multiple of this many elements.
    int64_t shard_multiple = 1;
    // Of the dimension, where one of these two is set.
    int64_t size = 0;

    // Of a collective that a manual body has: devices that meet in it, and have to have the same tile. nullptr: none.
    std::shared_ptr<const std::vector<std::vector<int64_t>>> meetings = nullptr;

    bool Allows(const DimensionTiling& tiling) const;
  };

  int AddFactor(const Factor& factor) {
    factors.push_back(factor);
    return static_cast<int>(factors.size()) - 1;
  }
  int AddFactor() { return AddFactor(Factor()); }

  std::vector<Factor> factors;
  // The factor of each dimension, or kNone; by operand, and by leaf of the result. The list of what is not an array is
  // empty.
  std::vector<std::vector<int>> operands;
  std::vector<std::vector<int>> results;
  // How parts of a reduced factor are combined: kAdd for products.
  HloOpcode combiner = HloOpcode::kAdd;
  // Instead, the instruction reduces all parts, in the order of tiles, to the result (ordered_reduction.h).
  bool reduces_parts = false;
  // What a factor along this dimension needs of other shards (partition_scan.h).
  absl::optional<CumulativeOperation> scan = absl::nullopt;
};

// nullopt: none. The instruction is verified.
absl::optional<FactorRule> FactorRuleOf(const HloInstruction& instruction);

// The rule of an instruction that works on each element, or along some dimensions that stay whole, by itself: all
// operands and results that have the rank of the first result are cut as it is, apart from dimensions for which
// `is_cut` is false; others (scalars) are whole.
FactorRule AlignedRule(const HloInstruction& instruction, const std::vector<bool>& is_cut);
// The arrays of a result, in order: its elements, or itself.
std::vector<const Shape*> ResultLeaves(const Shape& shape);
// A function of two scalars, used as reducer, that is one associative operation on both; nullopt for any other.
absl::optional<HloOpcode> ReducingOpcode(const HloComputation& function);

// ---- Families, each in a file of its own. nullopt: this instruction of the family has no rule.

absl::optional<FactorRule> BroadcastFactors(const HloInstruction& instruction);
absl::optional<FactorRule> ReshapeFactors(const HloInstruction& instruction);
absl::optional<FactorRule> TransposeFactors(const HloInstruction& instruction);
absl::optional<FactorRule> GatherFactors(const HloInstruction& instruction);
absl::optional<FactorRule> ScatterFactors(const HloInstruction& instruction);
absl::optional<FactorRule> DynamicSliceFactors(const HloInstruction& instruction);
absl::optional<FactorRule> DynamicUpdateSliceFactors(const HloInstruction& instruction);
absl::optional<FactorRule> DotFactors(const HloInstruction& instruction);
absl::optional<FactorRule> ConvolutionFactors(const HloInstruction& instruction);
absl::optional<FactorRule> RandomBitFactors(const HloInstruction& instruction);
absl::optional<FactorRule> ReduceFactors(const HloInstruction& instruction);
absl::optional<FactorRule> BatchNormFactors(const HloInstruction& instruction);
absl::optional<FactorRule> SliceFactors(const HloInstruction& instruction);
absl::optional<FactorRule> PadFactors(const HloInstruction& instruction);
absl::optional<FactorRule> ReduceWindowFactors(const HloInstruction& instruction);
absl::optional<FactorRule> SelectAndScatterFactors(const HloInstruction& instruction);
absl::optional<FactorRule> CollectiveFactors(const HloInstruction& instruction);

// Adds the spatial dimensions of a convolution, whose products can be added up.
void AddSpatialFactors(const HloInstruction& convolution, FactorRule& rule);

}  // namespace xla

#endif  // PASSES_PARTITIONING_FACTOR_RULE_H_
