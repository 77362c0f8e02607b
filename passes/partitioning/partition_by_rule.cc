#include "passes/partitioning/partition_by_rule.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/base/identity_element.h"
#include "passes/partitioning/local_form.h"
#include "passes/partitioning/reshard_plan.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class RulePartitioner {
 public:
  RulePartitioner(HloInstruction& instruction, const FactorRule& rule, int64_t devices, ShardEmitter& emitter,
                  ShardedValues& values, PassContext& context)
      : instruction_(instruction),
        rule_(rule),
        devices_(devices),
        emitter_(emitter),
        values_(values),
        context_(context),
        factors_(rule.factors.size()),
        whole_element_type_(ResultLeaves(instruction.shape())[0]->element_type()) {}

  absl::Status Run(const LeafTilings& wanted) {
    std::vector<Shape> whole;
    for (const HloInstruction* operand : instruction_.operands()) whole.push_back(values_[*operand].whole);
    ChooseFactors(wanted);
    TakeOperands(whole);
    MaskOperands(whole);
    return FinishResult(wanted);
  }

 private:
  // ---- Which factors are cut

  // Which side has its way where both want the devices for different factors.
  enum class First {
    kResults,     // as they are wanted, and then sums as operands have their terms
    kReductions,  // sums, and then results: adding up may move less than the terms would
    kOperands,    // all of them: moving the result may move less than the operands would
  };

  // Takes the way that moves the fewest bytes, the first one of several.
  void ChooseFactors(const LeafTilings& wanted) {
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

  void CutAllFactors(First first, const LeafTilings& wanted) {
    factors_.assign(rule_.factors.size(), DimensionTiling());
    if (first == First::kOperands) {
      for (const int i : OperandsBySize()) CutFactors(rule_.operands[i], OperandTiling(i));
    }
    if (first == First::kReductions) CutReductionsOfOperands();
    for (size_t leaf = 0; leaf < rule_.results.size(); ++leaf) CutFactors(rule_.results[leaf], wanted[leaf]);
    CutReductionsOfOperands();
  }

  void CutReductionsOfOperands() {
    for (int i = 0; i < instruction_.operand_count(); ++i) CutReducedFactors(rule_.operands[i], OperandTiling(i));
  }

  // The largest first.
  std::vector<int> OperandsBySize() const {
    std::vector<std::pair<int64_t, int>> sizes;
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      sizes.emplace_back(-values_[*instruction_.operand(i)].whole.ByteSize(), i);
    }
    std::sort(sizes.begin(), sizes.end());
    std::vector<int> operands;
    for (const auto& [size, operand] : sizes) operands.push_back(operand);
    return operands;
  }

  const ArrayTiling& OperandTiling(int operand) const { return values_[*instruction_.operand(operand)].leaves[0]; }

  // By a device: what it receives of operands, to add up sums, and of results until they are as they are wanted.
  int64_t BytesMoved(const LeafTilings& wanted) const {
    int64_t bytes = 0;
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      bytes += ReshardBytes(OperandTiling(i), TilingOf(rule_.operands[i]), values_[*instruction_.operand(i)].whole,
                            devices_);
    }
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
      bytes += (scattered.has_value() ? 1 : 2) * (shard - shard / parts);
      bytes += ReshardBytes(tiling, wanted[leaf], *results[leaf], devices_);
    }
    return bytes;
  }

  void CutFactors(const std::vector<int>& dimensions, const ArrayTiling& tiling) {
    for (size_t k = 0; k < dimensions.size(); ++k) CutFactor(dimensions[k], tiling[k]);
  }

  void CutReducedFactors(const std::vector<int>& dimensions, const ArrayTiling& tiling) {
    for (size_t k = 0; k < dimensions.size(); ++k) {
      if (dimensions[k] != FactorRule::kNone && rule_.factors[dimensions[k]].is_reduced) {
        CutFactor(dimensions[k], tiling[k]);
      }
    }
  }

  void CutFactor(int factor, const DimensionTiling& tiling) {
    if (factor == FactorRule::kNone || tiling.is_whole() || !factors_[factor].is_whole()) return;
    const int64_t multiple = rule_.factors[factor].multiple_of_tiles;
    if (multiple != 0 && multiple % tiling.tiles != 0) return;
    factors_[factor] = tiling;
    if (!IsEven(factors_, devices_)) factors_[factor] = DimensionTiling();
  }

  ArrayTiling TilingOf(const std::vector<int>& dimensions) const {
    ArrayTiling tiling;
    for (const int factor : dimensions) {
      tiling.push_back(factor == FactorRule::kNone ? DimensionTiling() : factors_[factor]);
    }
    return tiling;
  }

  // What keeps an operand from being used as it is.
  std::string WhyCut(int operand, const ArrayTiling& from, const ArrayTiling& to) const {
    std::vector<std::string> reasons;
    for (size_t k = 0; k < to.size(); ++k) {
      if (from[k] == to[k]) continue;
      const int factor = rule_.operands[operand][k];
      const std::string dimension = absl::StrCat("dimension ", k);
      if (factor == FactorRule::kNone) {
        reasons.push_back(absl::StrCat(instruction_.opcode_name(), " needs ", dimension, " whole"));
      } else if (!to[k].is_whole()) {
        reasons.push_back(absl::StrCat(dimension, " is cut as the result, or another operand, is"));
      } else if (rule_.factors[factor].multiple_of_tiles != 0 &&
                 rule_.factors[factor].multiple_of_tiles % from[k].tiles != 0) {
        reasons.push_back(
            absl::StrCat(instruction_.opcode_name(), " cannot keep ", dimension, " in ", from[k].tiles, " tiles"));
      } else {
        reasons.push_back(absl::StrCat("the result is not cut along ", dimension));
      }
    }
    return absl::StrJoin(reasons, ", ");
  }

  std::vector<int64_t> CutReductions() const {
    std::vector<int64_t> cut;
    for (size_t f = 0; f < factors_.size(); ++f) {
      if (rule_.factors[f].is_reduced && !factors_[f].is_whole()) cut.push_back(static_cast<int64_t>(f));
    }
    return cut;
  }

  // ---- The instruction on shards

  void TakeOperands(const std::vector<Shape>& whole) {
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      const HloInstruction& operand = *instruction_.operand(i);
      const ArrayTiling tiling = TilingOf(rule_.operands[i]);
      instruction_.ReplaceOperand(i, values_.Get(operand, {tiling}, instruction_,
                                                 [&] { return WhyCut(i, values_[operand].leaves[0], tiling); }));
    }
    LeafTilings results;
    for (const std::vector<int>& leaf : rule_.results) results.push_back(TilingOf(leaf));
    whole_result_ = instruction_.shape();
    if (!IsWhole(factors_)) context_.CountRewrite("keep-sharded");
    MakeLocal(instruction_, results, whole);
    results_ = std::move(results);
  }

  // Padding must not count among what is added up. A zero in one operand of a product is not enough, because the other
  // one may be a NaN.
  void MaskOperands(const std::vector<Shape>& whole) {
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      for (size_t k = 0; k < rule_.operands[i].size(); ++k) {
        const int factor = rule_.operands[i][k];
        if (factor == FactorRule::kNone || !rule_.factors[factor].is_reduced) continue;
        MaskOperand(i, static_cast<int>(k), whole[i].dimension(static_cast<int>(k)), factors_[factor]);
      }
    }
  }

  void MaskOperand(int operand, int dimension, int64_t size, const DimensionTiling& tiling) {
    if (!HasPadding(size, tiling)) return;
    emitter_.At(&instruction_);
    HloInstruction* const shards = instruction_.operand(operand);
    instruction_.ReplaceOperand(
        operand, emitter_.MaskPadding(shards, dimension, size, tiling, Neutral(shards->shape().element_type())));
    context_.CountRewrite("mask-padding");
  }

  // There is one wherever a rule has factors that are reduced; the types of a product's operands have a zero then.
  Literal Neutral(PrimitiveType type) const {
    absl::StatusOr<Literal> neutral = IdentityElement(rule_.combiner, type);
    return neutral.ok() ? *std::move(neutral) : Literal();
  }

  absl::Status FinishResult(const LeafTilings& wanted) {
    HloInstruction* result = &instruction_;
    if (instruction_.opcode() == HloOpcode::kIota) result = AddOffset();
    if (!CutReductions().empty()) result = AddUp(wanted[0]);
    values_.Set(instruction_, {result, whole_result_, results_});
    return emitter_.status();
  }

  // Counts on from the first index of the shard. In integers, so that narrow types wrap and wide floats round as they
  // do for the whole array.
  HloInstruction* AddOffset() {
    const auto dimension = instruction_.attributes<IotaAttributes>().iota_dimension;
    const DimensionTiling& tiling = results_[0][dimension];
    if (tiling.is_whole()) return &instruction_;
    InstructionBuilder& build = emitter_.At(&instruction_);
    HloInstruction* const offset = emitter_.Offset(tiling, whole_result_.dimension(static_cast<int>(dimension)));
    const PrimitiveType type = instruction_.shape().element_type();
    instruction_.mutable_shape().set_element_type(offset->shape().element_type());
    HloInstruction* const index =
        build.Add(&instruction_, build.BroadcastScalar(offset, instruction_.shape().WithoutLayout()));
    return build.Convert(index, type);
  }

  // The sum, of which a device keeps only its part where that is what is wanted.
  HloInstruction* AddUp(const ArrayTiling& wanted) {
    HloInstruction* init = nullptr;
    if (instruction_.opcode() == HloOpcode::kReduce && !MayCountTwice(*instruction_.operand(1))) {
      // Each device begins with what leaves the others' numbers as they are, and the initial value comes last.
      init = instruction_.operand(1);
      instruction_.ReplaceOperand(1, emitter_.At(&instruction_).Constant(Neutral(init->shape().element_type())));
    }
    const PrimitiveType type = instruction_.shape().element_type();
    instruction_.mutable_shape().set_element_type(PartType());
    InstructionBuilder& build = emitter_.At(&instruction_);
    context_.CountRewrite("add-up-parts");
    emitter_.recorder().BeginMove(instruction_, instruction_, results_, results_,
                                  [] { return "each device has a part of the sum"; });
    const absl::optional<int> scattered = ScatteredDimension(results_[0], wanted);
    HloInstruction* result;
    if (scattered.has_value()) {
      const int64_t size = whole_result_.dimension(*scattered);
      result = emitter_.ReduceScatter(&instruction_, rule_.combiner, factors_, CutReductions(), *scattered, size);
      results_[0][*scattered] = wanted[*scattered];
      context_.CountRewrite("scatter-sum");
    } else {
      result = emitter_.AllReduce(&instruction_, rule_.combiner, factors_, CutReductions());
    }
    if (PartType() != type) result = build.Convert(result, type);
    if (init == nullptr) return result;
    const Shape shape = result->shape().WithoutLayout();
    return build.Binary(CombinerOn(shape), build.BroadcastScalar(init, shape), result);
  }

  // Products of narrow floats are rounded once for the whole program, so their parts must not be rounded before.
  PrimitiveType PartType() const {
    const PrimitiveType type = whole_element_type_;
    const bool is_product =
        instruction_.opcode() == HloOpcode::kDot || instruction_.opcode() == HloOpcode::kConvolution;
    return is_product && IsNarrowFloatType(type) ? PrimitiveType::F32 : type;
  }

  // The dimension of a sum that is wanted cut among the very devices that have its parts, in their order.
  absl::optional<int> ScatteredDimension(const ArrayTiling& result, const ArrayTiling& wanted) const {
    const std::vector<int64_t> reductions = CutReductions();
    if (reductions.empty()) return absl::nullopt;
    const std::vector<std::vector<int64_t>> groups = GroupsAlong(factors_, reductions, devices_);
    for (size_t k = 0; k < result.size(); ++k) {
      if (!result[k].is_whole() || wanted[k].tiles != static_cast<int64_t>(groups[0].size())) continue;
      const bool is_in_order = std::all_of(groups.begin(), groups.end(), [&](const std::vector<int64_t>& group) {
        for (size_t i = 0; i < group.size(); ++i) {
          if (wanted[k].CoordinateOf(group[i]) != static_cast<int64_t>(i)) return false;
        }
        return true;
      });
      if (is_in_order) return static_cast<int>(k);
    }
    return absl::nullopt;
  }

  HloOpcode CombinerOn(const Shape& shape) const {
    return shape.element_type() == PrimitiveType::PRED ? OnPredicates(rule_.combiner) : rule_.combiner;
  }

  // Whether op(init, init) is init, so that each device may begin with it.
  bool MayCountTwice(const HloInstruction& init) const {
    if (init.opcode() != HloOpcode::kConstant) return false;
    const std::shared_ptr<const Literal>& literal = init.attributes<ConstantAttributes>().literal;
    if (literal == nullptr) return false;
    const PrimitiveType type = init.shape().element_type();
    if (literal->BitwiseEquals(Neutral(type))) return true;
    const absl::StatusOr<Literal> zero = Literal::Zeros(Shape::Scalar(type));
    return rule_.combiner == HloOpcode::kAdd && zero.ok() && literal->BitwiseEquals(*zero);
  }

  HloInstruction& instruction_;
  const FactorRule& rule_;
  const int64_t devices_;
  ShardEmitter& emitter_;
  ShardedValues& values_;
  PassContext& context_;
  ArrayTiling factors_;  // by factor, as if these were the dimensions of one array
  const PrimitiveType whole_element_type_;  // of the first result
  LeafTilings results_;
  Shape whole_result_;
};

}  // namespace

absl::Status PartitionByRule(HloInstruction& instruction, const FactorRule& rule, const LeafTilings& wanted,
                             int64_t devices, ShardEmitter& emitter, ShardedValues& values, PassContext& context) {
  return RulePartitioner(instruction, rule, devices, emitter, values, context).Run(wanted);
}

}  // namespace xla
