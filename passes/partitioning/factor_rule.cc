#include "passes/partitioning/factor_rule.h"

#include <algorithm>
#include <memory>

#include "passes/base/odd_forms.h"
#include "passes/partitioning/partition_reverse.h"
#include "passes/partitioning/scatter_tiles.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

using RuleFunction = absl::optional<FactorRule> (*)(const HloInstruction&);

// The rank of a sort is that of its arrays, which may be several; so of all of these.
const Shape& FirstResult(const HloInstruction& instruction) { return *ResultLeaves(instruction.shape())[0]; }

std::vector<bool> AllCut(const HloInstruction& instruction) {
  return std::vector<bool>(FirstResult(instruction).rank(), true);
}

// All dimensions but the last few.
FactorRule AllButLast(const HloInstruction& instruction, int64_t count) {
  std::vector<bool> is_cut = AllCut(instruction);
  const int64_t rank = static_cast<int64_t>(is_cut.size());
  for (int64_t i = std::max<int64_t>(0, rank - count); i < rank; ++i) is_cut[i] = false;
  return AlignedRule(instruction, is_cut);
}

absl::optional<FactorRule> Elementwise(const HloInstruction& instruction) {
  return AlignedRule(instruction, AllCut(instruction));
}

absl::optional<FactorRule> BitcastConvert(const HloInstruction& instruction) {
  if (instruction.operand(0)->shape().rank() != instruction.shape().rank()) return absl::nullopt;
  return Elementwise(instruction);
}

absl::optional<FactorRule> Reverse(const HloInstruction& instruction) {
  FactorRule rule = AlignedRule(instruction, AllCut(instruction));
  for (const int64_t k : instruction.attributes<DimensionsAttributes>().dimensions) {
    FactorRule::Factor& factor = rule.factors[rule.results[0][k]];
    factor.is_mirrored = true;
    factor.size = instruction.shape().dimension(static_cast<int>(k));
  }
  return rule;
}

absl::optional<FactorRule> Concatenate(const HloInstruction& instruction) {
  std::vector<bool> is_cut = AllCut(instruction);
  is_cut[instruction.attributes<DimensionAttributes>().dimension] = false;
  return AlignedRule(instruction, is_cut);
}

absl::optional<FactorRule> Sort(const HloInstruction& instruction) {
  std::vector<bool> is_cut = AllCut(instruction);
  is_cut[instruction.attributes<SortAttributes>().dimension] = false;
  return AlignedRule(instruction, is_cut);
}

absl::optional<FactorRule> TopK(const HloInstruction& instruction) { return AllButLast(instruction, 1); }
absl::optional<FactorRule> Matrices(const HloInstruction& instruction) { return AllButLast(instruction, 2); }
absl::optional<FactorRule> Fft(const HloInstruction& instruction) {
  return AllButLast(instruction, static_cast<int64_t>(instruction.attributes<FftAttributes>().fft_length.size()));
}

constexpr OpcodeMap<RuleFunction> kRules(nullptr, {{HloOpcode::kBitcastConvert, &BitcastConvert},
                                                   {HloOpcode::kAllGather, &CollectiveFactors},
                                                   {HloOpcode::kAllReduce, &CollectiveFactors},
                                                   {HloOpcode::kAllToAll, &CollectiveFactors},
                                                   {HloOpcode::kBatchNormGrad, &BatchNormFactors},
                                                   {HloOpcode::kBatchNormInference, &BatchNormFactors},
                                                   {HloOpcode::kBatchNormTraining, &BatchNormFactors},
                                                   {HloOpcode::kBroadcast, &BroadcastFactors},
                                                   {HloOpcode::kCholesky, &Matrices},
                                                   {HloOpcode::kCollectiveBroadcast, &CollectiveFactors},
                                                   {HloOpcode::kCollectivePermute, &CollectiveFactors},
                                                   {HloOpcode::kConcatenate, &Concatenate},
                                                   {HloOpcode::kConvolution, &ConvolutionFactors},
                                                   {HloOpcode::kDot, &DotFactors},
                                                   {HloOpcode::kDynamicSlice, &DynamicSliceFactors},
                                                   {HloOpcode::kDynamicUpdateSlice, &DynamicUpdateSliceFactors},
                                                   {HloOpcode::kFft, &Fft},
                                                   {HloOpcode::kGather, &GatherFactors},
                                                   {HloOpcode::kIota, &Elementwise},
                                                   {HloOpcode::kMap, &Elementwise},
                                                   {HloOpcode::kPad, &PadFactors},
                                                   {HloOpcode::kReduce, &ReduceFactors},
                                                   {HloOpcode::kReduceScatter, &CollectiveFactors},
                                                   {HloOpcode::kReduceWindow, &ReduceWindowFactors},
                                                   {HloOpcode::kReshape, &ReshapeFactors},
                                                   {HloOpcode::kReverse, &Reverse},
                                                   {HloOpcode::kRngBitGenerator, &RandomBitFactors},
                                                   {HloOpcode::kScatter, &ScatterFactors},
                                                   {HloOpcode::kSelectAndScatter, &SelectAndScatterFactors},
                                                   {HloOpcode::kSlice, &SliceFactors},
                                                   {HloOpcode::kSort, &Sort},
                                                   {HloOpcode::kTopK, &TopK},
                                                   {HloOpcode::kTranspose, &TransposeFactors},
                                                   {HloOpcode::kTriangularSolve, &Matrices}});

bool IsStaticArrayOrArrays(const Shape& shape) {
  if (shape.IsDynamic()) return false;
  if (!shape.IsTuple()) return shape.IsArray();
  const auto elements = shape.tuple_shapes();
  return !elements.empty() && std::all_of(elements.begin(), elements.end(), [](const Shape& e) { return e.IsArray(); });
}

const HloInstruction* WithoutSharding(const HloInstruction* value) {
  while (value->opcode() == HloOpcode::kCustomCall && value->operand_count() == 1 &&
         value->attributes<CustomCallAttributes>().custom_call_target == "Sharding") {
    value = value->operand(0);
  }
  return value;
}

bool IsParameter(const HloInstruction* value, int64_t number) {
  value = WithoutSharding(value);
  return value->opcode() == HloOpcode::kParameter && value->attributes<ParameterAttributes>().number == number;
}

}  // namespace

bool FactorRule::Factor::Allows(const DimensionTiling& tiling) const {
  const int64_t tiles = tiling.tiles;
  if (multiple_of_tiles != 0 && multiple_of_tiles % tiles != 0) return false;
  if (shard_multiple != 1 && CeilDiv(size, tiles) % shard_multiple != 0) return false;
  if (is_mirrored && HopsOfReverse(size, tiles) > WindowTiles::kMostHops) return false;
  if (scattered.has_value() && !ScatterTiles::Allows(*scattered, tiles)) return false;
  if (window.has_value() && !WindowTiles::Allows(*window, tiles)) return false;
  if (meetings == nullptr || tiling.is_whole()) return true;
  const std::vector<int64_t>& places = *tiling.coordinates;
  // Numbers of devices are those that the program says, which need not exist.
  const auto exists = [&](int64_t device) { return device >= 0 && device < static_cast<int64_t>(places.size()); };
  return std::all_of(meetings->begin(), meetings->end(), [&](const std::vector<int64_t>& devices) {
    return std::all_of(devices.begin(), devices.end(),
                       [&](int64_t device) { return exists(device) && places[device] == places[devices[0]]; });
  });
}

std::vector<const Shape*> ResultLeaves(const Shape& shape) {
  if (!shape.IsTuple()) return {&shape};
  std::vector<const Shape*> leaves;
  for (const Shape& element : shape.tuple_shapes()) leaves.push_back(&element);
  return leaves;
}

FactorRule AlignedRule(const HloInstruction& instruction, const std::vector<bool>& is_cut) {
  FactorRule rule;
  std::vector<int> factors;
  for (const bool cut : is_cut) factors.push_back(cut ? rule.AddFactor() : FactorRule::kNone);
  const auto factors_of = [&](const Shape& shape) {
    return static_cast<size_t>(shape.rank()) == factors.size() ? factors
                                                               : std::vector<int>(shape.rank(), FactorRule::kNone);
  };
  for (const HloInstruction* operand : instruction.operands()) rule.operands.push_back(factors_of(operand->shape()));
  for (const Shape* leaf : ResultLeaves(instruction.shape())) rule.results.push_back(factors_of(*leaf));
  return rule;
}

absl::optional<HloOpcode> ReducingOpcode(const HloComputation& function) {
  if (function.parameter_count() != 2) return absl::nullopt;
  const HloInstruction* root = WithoutSharding(function.root());
  if (!HasTrait(root->opcode(), opcode_trait::kAssociative) || !root->shape().IsScalar()) return absl::nullopt;
  const bool straight = IsParameter(root->operand(0), 0) && IsParameter(root->operand(1), 1);
  const bool crossed = IsParameter(root->operand(0), 1) && IsParameter(root->operand(1), 0);
  if (!straight && !crossed) return absl::nullopt;
  return root->opcode();
}

absl::optional<FactorRule> FactorRuleOf(const HloInstruction& instruction) {
  if (IsOddForm(instruction) || !IsStaticArrayOrArrays(instruction.shape())) return absl::nullopt;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!IsStaticArrayOrArrays(operand->shape()) || operand->shape().IsTuple()) return absl::nullopt;
  }
  const RuleFunction rule = kRules[instruction.opcode()];
  if (rule != nullptr) return rule(instruction);
  if (!HasTrait(instruction.opcode(), opcode_trait::kElementwise)) return absl::nullopt;
  return Elementwise(instruction);
}

}  // namespace xla
