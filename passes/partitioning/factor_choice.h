// FactorChoice: which factors of an instruction are cut, and how its operands have to be cut for that.
#ifndef PASSES_PARTITIONING_FACTOR_CHOICE_H_
#define PASSES_PARTITIONING_FACTOR_CHOICE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/sharded_values.h"

namespace xla {

// Of one instruction, whose operands are those of the global program until the choice has been read.
class FactorChoice {
 public:
  FactorChoice(const HloInstruction& instruction, const FactorRule& rule, const DeviceScope& scope,
               const ShardedValues& values)
      : instruction_(instruction),
        rule_(rule),
        scope_(scope),
        values_(values),
        element_type_(ResultLeaves(instruction.shape())[0]->element_type()),
        factors_(rule.factors.size()) {}

  // Takes the way that moves the fewest bytes, the first one of several.
  void Choose(const LeafTilings& wanted);

  // By factor, as if these were the dimensions of one array.
  const ArrayTiling& factors() const { return factors_; }
  ArrayTiling TilingOf(const std::vector<int>& dimensions) const;
  std::vector<int64_t> CutReductions() const;
  // Which term of each result a device has.
  PendingSum Sum() const;
  // That of a result, cut so, which is wanted so.
  absl::optional<int> ScatteredDimension(const ArrayTiling& result, const ArrayTiling& wanted) const;
  // Of the first result while its parts have not been added up: products of narrow floats are rounded once for the
  // whole program, so their parts must not be rounded before.
  PrimitiveType PartType() const;

  // How an operand is to be cut. What is read through a window need not be cut as the window is: where that moves fewer
  // bytes, it is whole, and each device takes the rows that it needs.
  ArrayTiling OperandGoal(int operand) const;
  // What keeps an operand from being used as it is.
  std::string WhyCut(int operand, const ArrayTiling& from, const ArrayTiling& to) const;

  bool IsCutWindow(int factor) const {
    return factor != FactorRule::kNone && rule_.factors[factor].window.has_value() && !factors_[factor].is_whole();
  }
  bool IsMirrored(int factor) const { return factor != FactorRule::kNone && rule_.factors[factor].is_mirrored; }
  // Of a factor that is a cut window. Valid as long as the choice.
  const WindowTiles& TilesOf(int factor) const;

 private:
  // Which side has its way where both want the devices for different factors.
  enum class First {
    kResults,     // as they are wanted, and then sums as operands have their terms
    kReductions,  // sums, and then results: adding up may move less than the terms would
    kOperands,    // all of them: moving the result may move less than the operands would
  };

  void CutAllFactors(First first, const LeafTilings& wanted);
  void CutReductionsOfOperands();
  void CutFactors(const std::vector<int>& dimensions, const ArrayTiling& tiling);
  void CutFactor(int factor, const DimensionTiling& tiling);
  // The largest first.
  std::vector<int> OperandsBySize() const;
  const ArrayTiling& OperandTiling(int operand) const { return values_[*instruction_.operand(operand)].leaves[0]; }
  // How many forms of the instruction devices have (window_tiles.h).
  int64_t FormCount() const;

  // By a device: what it receives of operands, to add up sums, and of results until they are as they are wanted.
  int64_t BytesMoved(const LeafTilings& wanted) const;
  // ... until an operand is cut in this way and it has the rows of its neighbours.
  int64_t BytesOfOperand(int operand, const ArrayTiling& tiling) const;
  // ... until an operand that is pending has been added up; `from` becomes how it is cut then.
  int64_t BytesOfSum(int operand, const ArrayTiling& tiling, ArrayTiling* from) const;
  int64_t BytesOfNeighbours(int operand, const ArrayTiling& tiling, const Shape& whole) const;

  const HloInstruction& instruction_;
  const FactorRule& rule_;
  const DeviceScope scope_;
  const ShardedValues& values_;
  const PrimitiveType element_type_;
  ArrayTiling factors_;
  mutable std::map<std::pair<int, int64_t>, WindowTiles> tiles_of_windows_;  // by factor and number of tiles
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_FACTOR_CHOICE_H_
