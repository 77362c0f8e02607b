#include "passes/partitioning/partition_computation.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/analyses/shape_leaves.h"
#include "passes/base/identity_element.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/local_form.h"
#include "passes/partitioning/partition_by_rule.h"
#include "passes/partitioning/partition_concatenation.h"
#include "passes/partitioning/sharded_values.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What each device draws by itself; all of them go on with what the first one drew.
constexpr OpcodeSet kDrawn = {HloOpcode::kRng, HloOpcode::kRngGetAndUpdateState};

int64_t ElementOffset(const Shape& tuple, int64_t index) {
  int64_t offset = 0;
  for (int64_t i = 0; i < index; ++i) offset += tuple.tuple_shape(static_cast<int>(i)).leaf_count();
  return offset;
}

class ComputationPartitioner {
 public:
  ComputationPartitioner(HloComputation& computation, const ComputationRoles& roles,
                         const AnnotatedShardings& shardings, PartitionedProgram& program, PassContext& context)
      : computation_(computation),
        roles_(roles),
        is_global_(roles.SignatureOf(computation) != nullptr),
        signature_(is_global_ ? *roles.SignatureOf(computation) : *roles.SignatureOfOuterBody(computation)),
        shardings_(shardings),
        context_(context),
        emitter_(&computation, &program),
        values_(&emitter_) {
    emitter_.SetManual(signature_.manual);
  }

  absl::Status Run() {
    const std::vector<HloInstruction*> instructions = computation_.LiveInstructions();
    HloInstruction* const root = computation_.root();
    // Asked before operands become shards.
    std::vector<Kind> kinds;
    for (const HloInstruction* instruction : instructions) kinds.push_back(KindOf(*instruction));
    for (size_t i = 0; i < instructions.size(); ++i) {
      RETURN_IF_ERROR(context_.CheckDeadline());
      // What begins a region takes its operands from outside of it.
      const bool is_inside = roles_.IsInRegion(*instructions[i]) && !BeginsManual(*instructions[i]);
      if (is_inside) emitter_.SetManual(roles_.ManualOf(*instructions[i]));
      RETURN_IF_ERROR(Visit(*instructions[i], kinds[i]));
      if (is_inside) emitter_.SetManual(signature_.manual);
      RETURN_IF_ERROR(emitter_.status());
      Record(*instructions[i]);
    }
    computation_.set_root(values_.Get(*root, signature_.result, *root, [&] {
      return absl::StrCat("the result of ", computation_.name(), " is cut so, or whole without an annotation");
    }));
    // What stands for a value of the program is something else now. Users come first.
    for (auto gone = replaced_.rbegin(); gone != replaced_.rend(); ++gone) {
      (*gone)->DropControlEdges();
      computation_.RemoveInstruction(*gone);
    }
    if (values_.scattered_count() > 0) context_.CountRewrite("scatter-sum", values_.scattered_count());
    if (values_.reshard_count() > 0) context_.CountRewrite("reshard", values_.reshard_count());
    return emitter_.status();
  }

 private:
  // What depends on the shapes of operands.
  struct Kind {
    bool is_constraint = false;
    absl::optional<FactorRule> rule;
  };

  Kind KindOf(const HloInstruction& instruction) const {
    if (roles_.IsManual(instruction)) return Kind();
    if (IsShardingConstraint(instruction)) return {true, absl::nullopt};
    return {false, FactorRuleOf(instruction)};
  }

  absl::Status Visit(HloInstruction& instruction, const Kind& kind) {
    const absl::string_view target = CustomCallTarget(instruction);
    if (target == kGlobalToLocal || target == kFullToShard) return BeginManual(instruction);
    if (target == kLocalToGlobal || target == kShardToFull) return EndManual(instruction);
    if (target == "xla.sdy.ShardingGroup" && instruction.users().empty()) return Drop(instruction);
    if (roles_.IsManual(instruction)) return KeepWhole(instruction);
    if (kind.is_constraint) return Constrain(instruction);
    if (instruction.opcode() == HloOpcode::kParameter) return Parameter(instruction);
    if (instruction.opcode() == HloOpcode::kTuple) return Tuple(instruction);
    if (instruction.opcode() == HloOpcode::kGetTupleElement) return Element(instruction);
    if (HasTrait(instruction.opcode(), opcode_trait::kPassesOn)) return PassOn(instruction);
    if (HasTrait(instruction.opcode(), opcode_trait::kControlFlow)) return Call(instruction);
    RETURN_IF_ERROR(CheckEffects(instruction));
    if (!kind.rule.has_value()) return KeepWhole(instruction);
    ASSIGN_OR_RETURN(const LeafTilings wanted, Wanted(instruction, WholeLeaves(instruction.shape())));
    if (IsCutConcatenation(instruction, wanted[0], values_)) {
      RETURN_IF_ERROR(PartitionConcatenation(instruction, wanted[0], emitter_, values_, context_));
      return Drop(instruction);
    }
    ASSIGN_OR_RETURN(const bool is_replaced,
                     PartitionByRule(instruction, *kind.rule, wanted, emitter_, values_, context_));
    return is_replaced ? Drop(instruction) : absl::OkStatus();
  }

  void Record(const HloInstruction& instruction) {
    if (!values_.Has(instruction)) return;
    const ShardedValue& value = values_[instruction];
    emitter_.recorder().AddValue(instruction, value.whole, value.leaves, roles_.IsManual(instruction));
  }

  absl::Status CheckEffects(const HloInstruction& instruction) const {
    if (!HasOwnSideEffect(instruction) && instruction.opcode() != HloOpcode::kPartitionId) return absl::OkStatus();
    // A manual body has them for each device.
    if (!signature_.manual.is_whole()) return absl::OkStatus();
    if (kDrawn.Has(instruction.opcode())) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(instruction.name(), ": ", instruction.opcode_name(),
                                                 " cannot be partitioned, because it has an effect, or asks for the "
                                                 "device, that the program on whole arrays has "
                                                 "once; put it into a manual body (shard_map)"));
  }

  // ---- Values

  absl::Status Parameter(HloInstruction& instruction) {
    const int64_t number = instruction.attributes<ParameterAttributes>().number;
    return Become(instruction, signature_.parameters[number]);
  }

  // The instruction stays, on shards.
  absl::Status Become(HloInstruction& instruction, LeafTilings leaves) {
    ShardedValue value{&instruction, instruction.shape(), std::move(leaves)};
    if (!std::all_of(value.leaves.begin(), value.leaves.end(), &IsWhole)) {
      instruction.mutable_shape() = ShardShapeOfLeaves(value.whole, value.leaves);
    }
    values_.Set(instruction, std::move(value));
    return absl::OkStatus();
  }

  absl::Status Drop(HloInstruction& instruction) {
    replaced_.push_back(&instruction);
    return absl::OkStatus();
  }

  // Something else stands for it.
  absl::Status Replace(HloInstruction& instruction, HloInstruction* shards, LeafTilings leaves) {
    values_.Set(instruction, {shards, instruction.shape(), std::move(leaves)});
    return Drop(instruction);
  }

  absl::Status Constrain(HloInstruction& instruction) {
    const HloInstruction& operand = *instruction.operand(0);
    ASSIGN_OR_RETURN(const LeafTilings leaves, Wanted(instruction, values_[operand].leaves));
    return Replace(instruction, values_.Get(operand, leaves, instruction, [] { return "it is annotated so"; }), leaves);
  }

  absl::Status Tuple(HloInstruction& instruction) {
    LeafTilings leaves;
    std::vector<HloInstruction*> elements;
    for (const HloInstruction* operand : instruction.operands()) {
      const ShardedValue& value = values_[*operand];
      leaves.insert(leaves.end(), value.leaves.begin(), value.leaves.end());
      elements.push_back(values_.Shards(*operand));
    }
    instruction.SetOperands(elements);
    return Become(instruction, std::move(leaves));
  }

  absl::Status Element(HloInstruction& instruction) {
    const ShardedValue& tuple = values_[*instruction.operand(0)];
    const auto begin =
        tuple.leaves.begin() + ElementOffset(tuple.whole, instruction.attributes<GetTupleElementAttributes>().index);
    LeafTilings leaves(begin, begin + instruction.shape().leaf_count());
    instruction.ReplaceOperand(0, tuple.shards);
    return Become(instruction, std::move(leaves));
  }

  absl::Status PassOn(HloInstruction& instruction) {
    LeafTilings leaves = values_[*instruction.operand(0)].leaves;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      instruction.ReplaceOperand(i, values_.Shards(*instruction.operand(i)));
    }
    return Become(instruction, std::move(leaves));
  }

  // ---- Calls

  absl::Status Call(HloInstruction& instruction) {
    if (instruction.opcode() == HloOpcode::kConditional) return Choose(instruction);
    const Signature& callee = *roles_.SignatureOf(*instruction.called_computations().back());
    for (int i = 0; i < instruction.operand_count(); ++i) {
      instruction.ReplaceOperand(i, values_.Get(*instruction.operand(i), callee.parameters[i], instruction, [&] {
        return absl::StrCat("parameter ", i, " of ", instruction.called_computations().back()->name(), " is cut so");
      }));
    }
    return Become(instruction, callee.result);
  }

  absl::Status Choose(HloInstruction& conditional) {
    conditional.ReplaceOperand(
        0, values_.GetWhole(*conditional.operand(0), conditional, [] { return "each device chooses for itself"; }));
    for (int i = 1; i < conditional.operand_count(); ++i) {
      const Signature& branch = *roles_.SignatureOf(*conditional.called_computation(i - 1));
      conditional.ReplaceOperand(i, values_.Get(*conditional.operand(i), branch.parameters[0], conditional, [&] {
        return absl::StrCat("the parameter of ", conditional.called_computation(i - 1)->name(), " is cut so");
      }));
    }
    return Become(conditional, roles_.SignatureOf(*conditional.called_computation(0))->result);
  }

  // ---- Manual bodies

  // From here on shards are values of their own.
  absl::Status BeginManual(HloInstruction& instruction) {
    std::vector<HloInstruction*> shards;
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : instruction.operands()) shapes.push_back(values_[*operand].whole);
    LeafTilings tilings;
    if (CustomCallTarget(instruction) == kGlobalToLocal) {
      ASSIGN_OR_RETURN(tilings, shardings_.OfManualBoundary(instruction, shapes));
    } else {
      tilings = values_[*instruction.operand(0)].leaves;
    }
    RETURN_IF_ERROR(CheckBoundary(instruction, shapes, tilings, instruction.shape()));
    LeafTilings within = WholeLeaves(instruction.shape());
    if (roles_.IsInRegion(instruction)) {
      ASSIGN_OR_RETURN(within, Wanted(instruction, std::move(within)));
      for (size_t i = 0; i < tilings.size(); ++i) CutFreeDimensions(&tilings[i], &within[i]);
    }
    ASSIGN_OR_RETURN(const std::vector<DimensionTiling> terms, TermsAt(instruction));
    for (int i = 0; i < instruction.operand_count(); ++i) {
      shards.push_back(values_.Get(*instruction.operand(i), {tilings[i]}, instruction,
                                   [] { return "the manual body is written for these shards"; }));
      if (terms[i].is_whole()) continue;
      ASSIGN_OR_RETURN(const Literal zero, NeutralTerm(instruction, shards[i]->shape().element_type()));
      emitter_.At(&instruction);
      shards[i] = emitter_.KeepInFirst(shards[i], terms[i], zero);
      context_.CountRewrite("make-terms");
    }
    return Replace(instruction, OneOrTuple(instruction, shards), std::move(within));
  }

  // For each array of the boundary, along which places of devices the body has terms of a sum.
  absl::StatusOr<std::vector<DimensionTiling>> TermsAt(const HloInstruction& boundary) const {
    const absl::string_view target = CustomCallTarget(boundary);
    if (target == kGlobalToLocal || target == kLocalToGlobal) return shardings_.TermsAtManualBoundary(boundary);
    return std::vector<DimensionTiling>(static_cast<size_t>(boundary.operand_count()));
  }

  static absl::StatusOr<Literal> NeutralTerm(const HloInstruction& boundary, PrimitiveType type) {
    absl::StatusOr<Literal> zero = IdentityElement(HloOpcode::kAdd, type);
    if (zero.ok()) return zero;
    return absl::UnimplementedError(absl::StrCat(boundary.name(), ": unreduced= for an array of ",
                                                 PrimitiveTypeName(type),
                                                 ", which has no sums; convert it, or leave unreduced= out"));
  }

  // The sum of the terms that a manual body has.
  HloInstruction* AddTerms(const HloInstruction& instruction, HloInstruction* term, ArrayTiling tiling,
                           const DimensionTiling& places) {
    const PrimitiveType type = term->shape().element_type();
    InstructionBuilder& build = emitter_.At(&instruction);
    emitter_.recorder().BeginMove(instruction, instruction, {tiling}, {tiling},
                                  [] { return "the manual body leaves terms of a sum"; });
    if (IsNarrowFloatType(type)) term = build.Convert(term, PrimitiveType::F32);
    const auto along = static_cast<int64_t>(tiling.size());
    tiling.push_back(places);
    context_.CountRewrite("add-up-terms");
    return build.Convert(emitter_.AllReduce(term, HloOpcode::kAdd, tiling, {along}), type);
  }

  // `outside` cuts dimensions for the body; `within` cuts the shards over axes that are free in it. A dimension is cut
  // by one of both.
  static void CutFreeDimensions(ArrayTiling* outside, ArrayTiling* within) {
    for (size_t k = 0; k < outside->size(); ++k) {
      if ((*outside)[k].is_whole()) {
        (*outside)[k] = (*within)[k];
      } else {
        (*within)[k] = DimensionTiling();
      }
    }
  }

  absl::Status EndManual(HloInstruction& instruction) {
    std::vector<Shape> shard_shapes;
    for (const HloInstruction* operand : instruction.operands()) shard_shapes.push_back(values_[*operand].whole);
    std::vector<Shape> shapes;
    for (const Shape* leaf : ResultLeaves(instruction.shape())) shapes.push_back(*leaf);
    LeafTilings tilings;
    if (CustomCallTarget(instruction) == kLocalToGlobal) {
      ASSIGN_OR_RETURN(tilings, shardings_.OfManualBoundary(instruction, shapes));
    } else {
      ASSIGN_OR_RETURN(tilings, Wanted(instruction, WholeLeaves(instruction.shape())));
    }
    const Shape manual = shard_shapes.size() == 1 ? shard_shapes[0] : Shape::Tuple(shard_shapes);
    RETURN_IF_ERROR(CheckBoundary(instruction, shapes, tilings, manual));
    ASSIGN_OR_RETURN(const std::vector<DimensionTiling> terms, TermsAt(instruction));
    std::vector<HloInstruction*> shards;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      const HloInstruction& operand = *instruction.operand(i);
      ArrayTiling within = values_[operand].leaves[0];
      CutFreeDimensions(&tilings[i], &within);
      if (roles_.IsInRegion(operand)) emitter_.SetManual(roles_.ManualOf(operand));
      shards.push_back(values_.Get(operand, {within}, instruction,
                                   [] { return "the manual body cuts the dimension, and so do axes free in it"; }));
      emitter_.SetManual(signature_.manual);
      if (terms[i].is_whole()) continue;
      RETURN_IF_ERROR(NeutralTerm(instruction, shards[i]->shape().element_type()).status());
      shards[i] = AddTerms(instruction, shards[i], tilings[i], terms[i]);
    }
    RETURN_IF_ERROR(Replace(instruction, OneOrTuple(instruction, shards), std::move(tilings)));
    if (is_global_) return absl::OkStatus();
    // The body around it has no shards along the axes of this one. What moves from one cut to another would not know
    // that devices differ along axes of the outer body; what joins parts keeps to devices at equal places there.
    HloInstruction* const whole = values_.GetWhole(
        instruction, instruction, [] { return "the manual body around it goes on with whole arrays"; });
    values_.Set(instruction, {whole, instruction.shape(), WholeLeaves(instruction.shape())});
    return absl::OkStatus();
  }

  absl::Status CheckBoundary(const HloInstruction& instruction, const std::vector<Shape>& shapes,
                             const LeafTilings& tilings, const Shape& manual) const {
    const std::vector<const Shape*> given = ResultLeaves(manual);
    for (size_t i = 0; i < given.size() && i < shapes.size(); ++i) {
      const Shape expected = ShardShape(shapes[i], tilings[i]);
      if (given[i]->Compatible(expected)) continue;
      return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": array ", i, " of the manual body is ",
                                                     given[i]->ToString(), ", expected ", expected.ToString(),
                                                     ", the shard of ", shapes[i].ToString(), " by ",
                                                     TilingText(tilings[i]), "; change the sharding or the shape"));
    }
    if (given.size() == shapes.size()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": there are ", given.size(),
                                                   " arrays in the manual body and ", shapes.size(), " outside of it"));
  }

  HloInstruction* OneOrTuple(const HloInstruction& instruction, const std::vector<HloInstruction*>& shards) {
    return instruction.shape().IsTuple() ? emitter_.At(&instruction).Tuple(shards) : shards[0];
  }

  // ---- Everything else

  // As it is, from whole operands.
  absl::Status KeepWhole(HloInstruction& instruction) {
    bool is_gathered = false;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      const ShardedValue& value = values_[*instruction.operand(i)];
      is_gathered |= !std::all_of(value.leaves.begin(), value.leaves.end(), &IsWhole);
      instruction.ReplaceOperand(i, values_.GetWhole(*instruction.operand(i), instruction, [&] {
        return absl::StrCat(instruction.opcode_name(), " is computed from whole arrays");
      }));
      if (instruction.opcode() == HloOpcode::kBitcast) RestoreLayout(instruction, value.whole);
    }
    if (is_gathered) context_.CountRewrite(absl::StrCat("gather-for-", instruction.opcode_name()));
    if (!kDrawn.Has(instruction.opcode()) || roles_.IsManual(instruction)) {
      return Become(instruction, WholeLeaves(instruction.shape()));
    }
    emitter_.At(&instruction);
    const LeafTilings whole = WholeLeaves(instruction.shape());
    emitter_.recorder().BeginMove(instruction, instruction, whole, whole,
                                  [] { return "all devices go on with what the first one drew"; });
    values_.Set(instruction,
                {emitter_.FromFirstDevice(&instruction), instruction.shape(), WholeLeaves(instruction.shape())});
    return absl::OkStatus();
  }

  // A bitcast reads its operand in the order of the layout, which what moves shards does not keep.
  void RestoreLayout(HloInstruction& bitcast, const Shape& whole) {
    HloInstruction* const operand = bitcast.operand(0);
    if (!whole.has_layout() || operand->shape() == whole) return;
    bitcast.ReplaceOperand(0, emitter_.At(&bitcast).MakeOfShape(HloOpcode::kCopy, whole, {operand}));
  }

  // As it is annotated.
  absl::StatusOr<LeafTilings> Wanted(const HloInstruction& instruction, LeafTilings otherwise) const {
    ASSIGN_OR_RETURN(auto tilings, shardings_.TilingsOfResult(instruction, roles_.ManualOf(instruction)));
    return tilings.has_value() ? *std::move(tilings) : std::move(otherwise);
  }

  HloComputation& computation_;
  const ComputationRoles& roles_;
  const bool is_global_;
  const Signature& signature_;
  const AnnotatedShardings& shardings_;
  PassContext& context_;
  ShardEmitter emitter_;
  ShardedValues values_;
  std::vector<HloInstruction*> replaced_;
};

}  // namespace

absl::Status PartitionComputation(HloComputation& computation, const ComputationRoles& roles,
                                  const AnnotatedShardings& shardings, PartitionedProgram& program,
                                  PassContext& context) {
  return ComputationPartitioner(computation, roles, shardings, program, context).Run();
}

void RemoveShardingConstraints(HloComputation& computation) {
  for (HloInstruction* instruction : computation.LiveInstructions()) {
    if (!IsShardingConstraint(*instruction)) continue;
    instruction->ReplaceAllUsesWith(instruction->operand(0));
    instruction->MoveControlEdgesTo(instruction->operand(0));
    computation.RemoveInstruction(instruction);
  }
}

}  // namespace xla
