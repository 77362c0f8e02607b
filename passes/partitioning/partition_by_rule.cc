#include "passes/partitioning/partition_by_rule.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "passes/base/identity_element.h"
#include "passes/partitioning/factor_choice.h"
#include "passes/partitioning/local_form.h"
#include "passes/partitioning/partition_gather.h"
#include "passes/partitioning/partition_random_bits.h"
#include "passes/partitioning/partition_reverse.h"
#include "passes/partitioning/partition_ring.h"
#include "passes/partitioning/partition_scan.h"
#include "passes/partitioning/partition_select_and_scatter.h"
#include "passes/partitioning/partition_window.h"
#include "passes/partitioning/sum_of_result.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class RulePartitioner {
 public:
  RulePartitioner(HloInstruction& instruction, const FactorRule& rule, ShardEmitter& emitter, ShardedValues& values,
                  PassContext& context)
      : instruction_(instruction),
        rule_(rule),
        emitter_(emitter),
        values_(values),
        context_(context),
        choice_(instruction, rule, emitter.scope(), values),
        whole_element_type_(ResultLeaves(instruction.shape())[0]->element_type()) {}

  absl::StatusOr<bool> Run(const LeafTilings& wanted) {
    std::vector<Shape> whole;
    for (const HloInstruction* operand : instruction_.operands()) whole.push_back(values_[*operand].whole);
    choice_.Choose(wanted);
    if (instruction_.opcode() == HloOpcode::kDot) {
      ring_ = FindRing(instruction_, rule_, choice_, wanted[0], values_, emitter_);
    }
    sum_ = SumOfResult(instruction_, rule_, choice_, values_, context_);
    TakeOperands(whole);
    MaskOperands(whole);
    if (instruction_.opcode() == HloOpcode::kScatter) ShiftIndices(whole[0]);
    if (instruction_.opcode() == HloOpcode::kReverse) AlignReversedRows(whole[0]);
    HloInstruction* const computed = ring_.has_value() ? TakeRing(wanted[0]) : Compute(whole);
    RETURN_IF_ERROR(FinishResult(TakeIndexed(computed, whole), wanted));
    return computed != &instruction_;
  }

 private:
  void TakeOperands(const std::vector<Shape>& whole) {
    if (instruction_.operand_count() > 0) read_through_window_ = instruction_.operand(0);
    if (ring_.has_value() && !ring_->is_scattered) goes_around_ = instruction_.operand(ring_->operand);
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      const HloInstruction& operand = *instruction_.operand(i);
      ArrayTiling goal = &operand == goes_around_ ? values_[operand].leaves[0] : choice_.OperandGoal(i);
      const ArrayTiling& tiling = operands_.emplace_back(std::move(goal));
      if (sum_.has_value() && values_[operand].sum.has_value()) {
        instruction_.ReplaceOperand(i, values_[operand].shards);
        type_of_terms_ = values_[operand].shards->shape().element_type();
        continue;
      }
      instruction_.ReplaceOperand(i, values_.Get(operand, {tiling}, instruction_, [&] {
        return choice_.WhyCut(i, values_[operand].leaves[0], tiling);
      }));
    }
    LeafTilings results;
    for (const std::vector<int>& leaf : rule_.results) results.push_back(choice_.TilingOf(leaf));
    whole_result_ = instruction_.shape();
    if (!IsWhole(choice_.factors())) context_.CountRewrite("keep-sharded");
    MakeLocal(instruction_, results, whole);
    if (sum_.has_value()) {
      // What is converted has its own type; all else has that of the terms.
      if (instruction_.opcode() != HloOpcode::kConvert) instruction_.mutable_shape().set_element_type(type_of_terms_);
      context_.CountRewrite("keep-terms");
    }
    results_ = std::move(results);
  }

  // Padding must not count among what is added up. A zero in one operand of a product is not enough, because the other
  // one may be a NaN.
  void MaskOperands(const std::vector<Shape>& whole) {
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      for (size_t k = 0; k < rule_.operands[i].size(); ++k) {
        const int factor = rule_.operands[i][k];
        if (factor == FactorRule::kNone || !rule_.factors[factor].is_reduced) continue;
        // A window has only the taps that exist, and an index is never beyond the end.
        if (rule_.factors[factor].window.has_value() || rule_.factors[factor].index_part >= 0) continue;
        MaskOperand(i, static_cast<int>(k), whole[i].dimension(static_cast<int>(k)), choice_.factors()[factor]);
      }
    }
  }

  void MaskOperand(int operand, int dimension, int64_t size, const DimensionTiling& tiling) {
    if (!HasPadding(size, tiling)) return;
    emitter_.At(&instruction_);
    HloInstruction* const shards = instruction_.operand(operand);
    instruction_.ReplaceOperand(
        operand,
        emitter_.MaskPadding(shards, dimension, size, tiling,
                             rule_.reduces_parts ? InitialValue(operand) : Neutral(shards->shape().element_type())));
    context_.CountRewrite("mask-padding");
  }

  void ShiftIndices(const Shape& array) {
    const int place = instruction_.operand_count() / 2;
    const int64_t vector_dimension = instruction_.attributes<ScatterAttributes>().index_vector_dim;
    for (int k = 0; k < array.rank(); ++k) {
      const int factor = rule_.operands[0][k];
      if (factor == FactorRule::kNone || choice_.factors()[factor].is_whole()) continue;
      const int part = rule_.factors[factor].index_part;
      if (part < 0) continue;
      emitter_.At(&instruction_);
      instruction_.ReplaceOperand(place, emitter_.IndicesOfShard(instruction_.operand(place), part, vector_dimension,
                                                                 choice_.factors()[factor], array.dimension(k)));
      context_.CountRewrite("scatter-into-shards");
    }
  }

  void AlignReversedRows(const Shape& array) {
    const int count = xla::AlignReversedRows(instruction_, *read_through_window_, array, operands_[0], emitter_);
    if (count > 0) context_.CountRewrite("exchange-rows", count);
  }

  // The instruction, or what takes its place.
  HloInstruction* Compute(const std::vector<Shape>& whole) {
    if (instruction_.opcode() == HloOpcode::kRngBitGenerator) return DrawBits();
    if (instruction_.opcode() == HloOpcode::kSelectAndScatter) return SelectAndScatter();
    if (!rule_.scan.has_value() || operands_[0][rule_.scan->dimension].is_whole()) return TakeWindows();
    context_.CountRewrite("scan-shards");
    emitter_.recorder().BeginMove(instruction_, instruction_, results_, results_,
                                  [] { return "each device needs what the shards before its own come to"; });
    return ScanShards(instruction_, *rule_.scan, whole[0].dimension(rule_.scan->dimension), operands_[0],
                      Neutral(WindowedType()), emitter_);
  }

  HloInstruction* SelectAndScatter() {
    std::vector<CutScatter> cuts;
    int64_t rows = 0;
    for (size_t k = 0; k < rule_.results[0].size(); ++k) {
      const int factor = rule_.results[0][k];
      const DimensionTiling& tiling = choice_.factors()[factor];
      if (tiling.is_whole() || !rule_.factors[factor].scattered.has_value()) continue;
      cuts.push_back({static_cast<int>(k), tiling, ScatterTiles(*rule_.factors[factor].scattered, tiling.tiles)});
      for (const WindowTiles* tiles : {&cuts.back().tiles.rows(), &cuts.back().tiles.sources()}) {
        rows += tiles->rows_before() + tiles->rows_after();
      }
    }
    if (cuts.empty()) return &instruction_;
    context_.CountRewrite("cut-window");
    if (rows > 0) {
      context_.CountRewrite("exchange-rows");
      emitter_.recorder().BeginMove(*read_through_window_, instruction_, {operands_[0]}, {operands_[0]},
                                    [] { return "windows reach into the shards of neighbours"; });
    }
    return SelectAndScatterShards(instruction_, operands_, cuts, emitter_);
  }

  // Instead of the instruction, if its numbers are cut.
  HloInstruction* DrawBits() {
    if (IsWhole(results_.back())) return &instruction_;
    context_.CountRewrite("draw-bits-of-shard");
    return DrawBitsOfShard(instruction_, whole_result_, results_.back(), emitter_);
  }

  // Looks up, or updates, what the shard has.
  HloInstruction* TakeIndexed(HloInstruction* computed, const std::vector<Shape>& whole) {
    const HloOpcode opcode = instruction_.opcode();
    const bool is_update = opcode == HloOpcode::kDynamicUpdateSlice;
    if (opcode != HloOpcode::kGather && opcode != HloOpcode::kDynamicSlice && !is_update) return computed;
    std::vector<IndexedDimension> dimensions;
    for (const int factor : rule_.operands[0]) {
      if (factor == FactorRule::kNone || choice_.factors()[factor].is_whole()) continue;
      const int part = rule_.factors[factor].index_part;
      if (part >= 0) dimensions.push_back({part, choice_.factors()[factor]});
    }
    if (dimensions.empty()) return computed;
    context_.CountRewrite(is_update ? "update-in-shards" : "look-up-in-shards");
    if (!is_update) {
      return LookUpInShards(instruction_, whole[0], dimensions, Neutral(whole[0].element_type()), emitter_);
    }
    UpdateInShards(instruction_, whole[0], dimensions, emitter_);
    return computed;
  }

  // What gives the shards of the result, or their parts.
  HloInstruction* TakeWindows() {
    if (!choice_.CutReductions().empty() && !rule_.reduces_parts) {
      instruction_.mutable_shape().set_element_type(choice_.PartType());
    }
    std::vector<CutWindow> windows;
    int64_t rows = 0;
    for (size_t k = 0; !rule_.operands.empty() && k < rule_.operands[0].size(); ++k) {
      const int factor = rule_.operands[0][k];
      if (!choice_.IsCutWindow(factor)) continue;
      CutWindow window;
      window.dimension = static_cast<int>(k);
      window.number = rule_.factors[factor].window->dimension;
      window.tiling = choice_.factors()[factor];
      window.tiles = &choice_.TilesOf(factor);
      if (rule_.factors[factor].is_reduced) {
        const std::vector<int>& kernel = rule_.operands[1];
        window.kernel_dimension = static_cast<int>(std::find(kernel.begin(), kernel.end(), factor) - kernel.begin());
      }
      if (!operands_[0][k].is_whole()) rows += window.tiles->rows_before() + window.tiles->rows_after();
      windows.push_back(std::move(window));
    }
    if (windows.empty()) return &instruction_;
    context_.CountRewrite("cut-window");
    if (rows > 0) {
      context_.CountRewrite("exchange-rows");
      emitter_.At(&instruction_);
      emitter_.recorder().BeginMove(*read_through_window_, instruction_, {operands_[0]}, {operands_[0]},
                                    [] { return "windows reach into the shards of neighbours"; });
    }
    return PartitionWindows(instruction_, operands_, windows, Neutral(WindowedType()), emitter_);
  }

  // The same in a ring, which leaves each device its part where the result is scattered.
  HloInstruction* TakeRing(const ArrayTiling& wanted) {
    const bool adds_up = ring_->is_scattered || rule_.factors[ring_->factor].is_reduced;
    if (adds_up || !choice_.CutReductions().empty()) {
      instruction_.mutable_shape().set_element_type(choice_.PartType());
    }
    emitter_.At(&instruction_);
    if (ring_->is_scattered) {
      emitter_.recorder().BeginMove(instruction_, instruction_, results_, results_,
                                    [] { return "each device has a part of the sum, which goes around a ring"; });
      context_.CountRewrite("ring-of-sums");
    } else {
      const LeafTilings from = {operands_[ring_->operand]};
      emitter_.recorder().BeginMove(*goes_around_, instruction_, from, from,
                                    [] { return "its parts go around a ring, and are multiplied meanwhile"; });
      context_.CountRewrite("ring-of-parts");
    }
    HloInstruction* const parts = MultiplyInRing(instruction_, rule_, *ring_, Neutral(WindowedType()), emitter_);
    if (ring_->is_scattered) results_[0][ring_->dimension] = wanted[ring_->dimension];
    return parts;
  }

  PrimitiveType WindowedType() const { return instruction_.operand(0)->shape().element_type(); }

  // There is one wherever a rule has factors that are reduced; the types of a product's operands have a zero then.
  Literal Neutral(PrimitiveType type) const {
    absl::StatusOr<Literal> neutral = IdentityElement(rule_.combiner, type);
    return neutral.ok() ? *std::move(neutral) : Literal();
  }

  absl::Status FinishResult(HloInstruction* parts, const LeafTilings& wanted) {
    HloInstruction* result = parts;
    if (instruction_.opcode() == HloOpcode::kIota) result = AddOffset();
    const bool is_added_up = ring_.has_value() && ring_->is_scattered;
    if (rule_.reduces_parts && !choice_.CutReductions().empty()) {
      result = ReduceParts();
    } else if (!is_added_up && !sum_.has_value() && !choice_.CutReductions().empty()) {
      result = AddUp(parts, wanted[0]);
    }
    if (ring_.has_value() && !sum_.has_value()) {
      result = emitter_.At(&instruction_).Convert(result, whole_element_type_);
    }
    values_.Set(instruction_, {result, whole_result_, results_, sum_});
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

  // The sum, of which a device keeps only its part where that is what is wanted. Else it is left pending, unless an
  // initial value is added to it.
  HloInstruction* AddUp(HloInstruction* parts, const ArrayTiling& wanted) {
    HloInstruction* init = nullptr;
    if (instruction_.opcode() == HloOpcode::kReduce && !MayCountTwice(*instruction_.operand(1))) {
      // Each device begins with what leaves the others' numbers as they are, and the initial value comes last.
      init = instruction_.operand(1);
      instruction_.ReplaceOperand(1, emitter_.At(&instruction_).Constant(Neutral(init->shape().element_type())));
    }
    InstructionBuilder& build = emitter_.At(&instruction_);
    context_.CountRewrite("add-up-parts");
    const absl::optional<int> scattered = choice_.ScatteredDimension(results_[0], wanted);
    if (init == nullptr && !scattered.has_value()) {
      sum_ = choice_.Sum();
      return parts;
    }
    emitter_.recorder().BeginMove(instruction_, instruction_, results_, results_,
                                  [] { return "each device has a part of the sum"; });
    HloInstruction* result;
    if (scattered.has_value()) {
      const int64_t size = whole_result_.dimension(*scattered);
      result =
          emitter_.ReduceScatter(parts, rule_.combiner, choice_.factors(), choice_.CutReductions(), *scattered, size);
      results_[0][*scattered] = wanted[*scattered];
      context_.CountRewrite("scatter-sum");
    } else {
      result = emitter_.AllReduce(parts, rule_.combiner, choice_.factors(), choice_.CutReductions());
    }
    if (choice_.PartType() != whole_element_type_) result = build.Convert(result, whole_element_type_);
    if (init == nullptr) return result;
    const Shape shape = result->shape().WithoutLayout();
    return build.Binary(CombinerOn(shape), build.BroadcastScalar(init, shape), result);
  }

  // What a constant holds from which the reduction of an array begins.
  Literal InitialValue(int array) const {
    const HloInstruction& init = *instruction_.operand(instruction_.operand_count() / 2 + array);
    return *init.attributes<ConstantAttributes>().literal;
  }

  // The parts of all devices, in the order of tiles along a dimension of their own, are reduced once more.
  HloInstruction* ReduceParts() {
    InstructionBuilder& build = emitter_.At(&instruction_);
    context_.CountRewrite("reduce-parts");
    emitter_.recorder().BeginMove(instruction_, instruction_, results_, results_,
                                  [] { return "each device has reduced its shard"; });
    const int arrays = instruction_.operand_count() / 2;
    std::vector<HloInstruction*> parts;
    for (int i = 0; i < arrays; ++i) {
      HloInstruction* const part =
          instruction_.shape().IsTuple() ? build.GetTupleElement(&instruction_, i) : &instruction_;
      parts.push_back(emitter_.Stack(part, choice_.factors(), choice_.CutReductions()));
    }
    const std::vector<HloInstruction*> inits(instruction_.operands().begin() + arrays, instruction_.operands().end());
    return build.ReduceAll(parts, inits, {0}, instruction_.called_computation(0));
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
  ShardEmitter& emitter_;
  ShardedValues& values_;
  PassContext& context_;
  FactorChoice choice_;
  const PrimitiveType whole_element_type_;               // of the first result
  std::vector<ArrayTiling> operands_;                    // as they are taken
  const HloInstruction* read_through_window_ = nullptr;  // in the global program
  absl::optional<PendingSum> sum_;                       // whose terms the result is
  PrimitiveType type_of_terms_ = PrimitiveType::F32;
  absl::optional<Ring> ring_;
  const HloInstruction* goes_around_ = nullptr;  // in the global program
  LeafTilings results_;
  Shape whole_result_;
};

}  // namespace

absl::StatusOr<bool> PartitionByRule(HloInstruction& instruction, const FactorRule& rule, const LeafTilings& wanted,
                                     ShardEmitter& emitter, ShardedValues& values, PassContext& context) {
  return RulePartitioner(instruction, rule, emitter, values, context).Run(wanted);
}

}  // namespace xla
