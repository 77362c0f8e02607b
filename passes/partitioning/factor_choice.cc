#include "passes/partitioning/factor_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/partitioning/partition_reverse.h"
#include "passes/partitioning/partition_window.h"
#include "passes/partitioning/reshard_plan.h"

namespace xla {

void FactorChoice::Choose(const LeafTilings& wanted) {
  int64_t fewest = 0;
  ArrayTiling best;
  for (const First first : {First::kResults, First::kReductions, First::kOperands}) {
    CutAllFactors(first, wanted);
    const int64_t bytes = BytesMoved(wanted);
    if (best.empty() || bytes < fewest) {
      fewest = bytes;
      best = factors_;
    }
    if (fewest == 0) break;
  }
  factors_ = std::move(best);
}

// ---- Which factors are cut

void FactorChoice::CutAllFactors(First first, const LeafTilings& wanted) {
  factors_.assign(rule_.factors.size(), DimensionTiling());
  if (first == First::kOperands) {
    for (const int i : OperandsBySize()) CutFactors(rule_.operands[i], OperandTiling(i));
  }
  if (first == First::kReductions) CutReductionsOfOperands();
  for (size_t leaf = 0; leaf < rule_.results.size(); ++leaf) CutFactors(rule_.results[leaf], wanted[leaf]);
  CutReductionsOfOperands();
}

void FactorChoice::CutReductionsOfOperands() {
  for (int i = 0; i < instruction_.operand_count(); ++i) {
    const std::vector<int>& dimensions = rule_.operands[i];
    for (size_t k = 0; k < dimensions.size(); ++k) {
      if (dimensions[k] != FactorRule::kNone && rule_.factors[dimensions[k]].is_reduced) {
        CutFactor(dimensions[k], OperandTiling(i)[k]);
      }
    }
  }
}

void FactorChoice::CutFactors(const std::vector<int>& dimensions, const ArrayTiling& tiling) {
  for (size_t k = 0; k < dimensions.size(); ++k) CutFactor(dimensions[k], tiling[k]);
}

void FactorChoice::CutFactor(int factor, const DimensionTiling& tiling) {
  if (factor == FactorRule::kNone || tiling.is_whole() || !factors_[factor].is_whole()) return;
  if (!rule_.factors[factor].Allows(tiling)) return;
  // What is cut along one dimension is even; asking takes a look at all devices.
  const bool is_even_alone =
      scope_.manual.is_whole() &&
      std::all_of(factors_.begin(), factors_.end(), [](const DimensionTiling& other) { return other.is_whole(); });
  factors_[factor] = tiling;
  const bool is_even = is_even_alone || IsEven(factors_, scope_);
  if (!is_even || FormCount() > WindowTiles::kMostForms) factors_[factor] = DimensionTiling();
}

std::vector<int> FactorChoice::OperandsBySize() const {
  std::vector<std::pair<int64_t, int>> sizes;
  for (int i = 0; i < instruction_.operand_count(); ++i) {
    sizes.emplace_back(-values_[*instruction_.operand(i)].whole.ByteSize(), i);
  }
  std::sort(sizes.begin(), sizes.end());
  std::vector<int> operands;
  for (const auto& [size, operand] : sizes) operands.push_back(operand);
  return operands;
}

const WindowTiles& FactorChoice::TilesOf(int factor) const {
  const int64_t tiles = factors_[factor].tiles;
  return tiles_of_windows_.try_emplace({factor, tiles}, *rule_.factors[factor].window, tiles).first->second;
}

int64_t FactorChoice::FormCount() const {
  int64_t count = 1;
  for (size_t f = 0; f < factors_.size(); ++f) {
    const int factor = static_cast<int>(f);
    if (IsCutWindow(factor)) count *= static_cast<int64_t>(TilesOf(factor).forms().size());
  }
  return count;
}

// ---- What that moves

int64_t FactorChoice::BytesMoved(const LeafTilings& wanted) const {
  int64_t bytes = 0;
  for (int i = 0; i < instruction_.operand_count(); ++i) bytes += BytesOfOperand(i, OperandGoal(i));
  int64_t parts = 1;
  for (const int64_t factor : CutReductions()) parts *= factors_[factor].tiles;
  const std::vector<const Shape*> results = ResultLeaves(instruction_.shape());
  for (size_t leaf = 0; leaf < results.size(); ++leaf) {
    ArrayTiling tiling = TilingOf(rule_.results[leaf]);
    Shape part = ShardShape(*results[leaf], tiling);
    if (parts > 1) part.set_element_type(PartType());
    const int64_t shard = part.ByteSize();
    const absl::optional<int> scattered = ScatteredDimension(tiling, wanted[leaf]);
    if (scattered.has_value()) tiling[*scattered] = wanted[leaf][*scattered];
    bytes += rule_.reduces_parts ? shard * (parts - 1) : (scattered.has_value() ? 1 : 2) * (shard - shard / parts);
    bytes += ReshardBytes(tiling, wanted[leaf], *results[leaf], scope_);
  }
  return bytes;
}

int64_t FactorChoice::BytesOfOperand(int operand, const ArrayTiling& tiling) const {
  const Shape& whole = values_[*instruction_.operand(operand)].whole;
  ArrayTiling from = OperandTiling(operand);
  const int64_t sum = BytesOfSum(operand, tiling, &from);
  return sum + ReshardBytes(from, tiling, whole, scope_) + BytesOfNeighbours(operand, tiling, whole);
}

int64_t FactorChoice::BytesOfSum(int operand, const ArrayTiling& tiling, ArrayTiling* from) const {
  const ShardedValue& value = values_[*instruction_.operand(operand)];
  if (!value.sum.has_value()) return 0;
  const int64_t bytes = value.shards->shape().ByteSize();
  const absl::optional<int> scattered = xla::ScatteredDimension(*from, *value.sum, tiling);
  if (scattered.has_value()) (*from)[*scattered] = tiling[*scattered];
  return (scattered.has_value() ? 1 : 2) * (bytes - bytes / value.sum->count());
}

int64_t FactorChoice::BytesOfNeighbours(int operand, const ArrayTiling& tiling, const Shape& whole) const {
  if (operand >= WindowedOperandCount(instruction_)) return 0;
  int64_t bytes = 0;
  for (size_t k = 0; k < tiling.size(); ++k) {
    const int factor = rule_.operands[operand][k];
    if (!IsCutWindow(factor) || tiling[k].is_whole()) continue;
    const WindowTiles& tiles = TilesOf(factor);
    const Shape shard = ShardShape(whole, tiling);
    bytes += shard.ByteSize() / shard.dimension(static_cast<int>(k)) * (tiles.rows_before() + tiles.rows_after());
  }
  return bytes;
}

// ---- What follows from it

ArrayTiling FactorChoice::OperandGoal(int operand) const {
  ArrayTiling tiling = TilingOf(rule_.operands[operand]);
  for (size_t k = 0; k < tiling.size(); ++k) {
    if (IsMirrored(rule_.operands[operand][k])) tiling[k] = Mirrored(tiling[k]);
  }
  if (operand >= WindowedOperandCount(instruction_)) return tiling;
  for (size_t k = 0; k < tiling.size(); ++k) {
    const int factor = rule_.operands[operand][k];
    if (!IsCutWindow(factor)) continue;
    ArrayTiling whole = tiling;
    whole[k] = DimensionTiling();
    const bool has_too_many_hops = TilesOf(factor).hop_count() > WindowTiles::kMostHops;
    if (has_too_many_hops || BytesOfOperand(operand, whole) <= BytesOfOperand(operand, tiling)) tiling = whole;
  }
  return tiling;
}

ArrayTiling FactorChoice::TilingOf(const std::vector<int>& dimensions) const {
  ArrayTiling tiling;
  for (const int factor : dimensions) {
    tiling.push_back(factor == FactorRule::kNone ? DimensionTiling() : factors_[factor]);
  }
  return tiling;
}

std::string FactorChoice::WhyCut(int operand, const ArrayTiling& from, const ArrayTiling& to) const {
  std::vector<std::string> reasons;
  for (size_t k = 0; k < to.size(); ++k) {
    if (from[k] == to[k]) continue;
    const int factor = rule_.operands[operand][k];
    const std::string dimension = absl::StrCat("dimension ", k);
    if (IsCutWindow(factor) && to[k].is_whole()) {
      reasons.push_back(absl::StrCat("windows reach over so many shards of ", dimension, " that it is gathered"));
    } else if (factor == FactorRule::kNone) {
      reasons.push_back(absl::StrCat(instruction_.opcode_name(), " needs ", dimension, " whole"));
    } else if (IsMirrored(factor) && !to[k].is_whole()) {
      reasons.push_back(absl::StrCat("the shards of ", dimension, " are in the opposite order in the result"));
    } else if (!to[k].is_whole()) {
      reasons.push_back(absl::StrCat(dimension, " is cut as the result, or another operand, is"));
    } else if (!rule_.factors[factor].Allows(from[k])) {
      reasons.push_back(
          absl::StrCat(instruction_.opcode_name(), " cannot keep ", dimension, " in ", from[k].tiles, " tiles"));
    } else {
      reasons.push_back(absl::StrCat("the result is not cut along ", dimension));
    }
  }
  return absl::StrJoin(reasons, ", ");
}

std::vector<int64_t> FactorChoice::CutReductions() const {
  std::vector<int64_t> cut;
  for (size_t f = 0; f < factors_.size(); ++f) {
    if (rule_.factors[f].is_reduced && !factors_[f].is_whole()) cut.push_back(static_cast<int64_t>(f));
  }
  return cut;
}

PrimitiveType FactorChoice::PartType() const {
  const PrimitiveType type = element_type_;
  const bool is_product = instruction_.opcode() == HloOpcode::kDot || instruction_.opcode() == HloOpcode::kConvolution;
  return is_product && IsNarrowFloatType(type) ? PrimitiveType::F32 : type;
}

PendingSum FactorChoice::Sum() const {
  PendingSum sum;
  sum.combiner = rule_.combiner;
  for (const int64_t factor : CutReductions()) sum.terms.push_back(factors_[factor]);
  return sum;
}

absl::optional<int> FactorChoice::ScatteredDimension(const ArrayTiling& result, const ArrayTiling& wanted) const {
  if (rule_.reduces_parts) return absl::nullopt;
  return xla::ScatteredDimension(result, Sum(), wanted);
}

}  // namespace xla
