// Each computation is walked once, operands before users. An instruction finds its operands in the layouts that they
// have by then, asks for others if it needs them, and takes a layout itself.
#include "passes/memory/assign_layouts.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/base/instruction_builder.h"
#include "passes/memory/array_layouts.h"
#include "passes/memory/layout_demands.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The layout of the result is part of what the instruction means to a user else.
bool ResultIsAsWritten(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return opcode == HloOpcode::kCustomCall || opcode == HloOpcode::kInfeed || IsCustomFusion(instruction);
}

// The same values are as easily made in any layout.
bool IsMadeInAnyLayout(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kFromAttributes) || instruction.opcode() == HloOpcode::kBroadcast;
}

// The result has the layouts of the operands.
bool IsTransparent(HloOpcode opcode) { return HasTrait(opcode, opcode_trait::kBundles | opcode_trait::kPassesOn); }

// Of the kinds that another layout makes superfluous; none of them has a side effect.
bool MayGo(HloOpcode opcode) {
  return IsTransparent(opcode) || HasTrait(opcode, opcode_trait::kFromAttributes) || opcode == HloOpcode::kCopy ||
         opcode == HloOpcode::kReshape || opcode == HloOpcode::kTranspose || opcode == HloOpcode::kBroadcast;
}

bool HaveSameOrder(const HloInstruction& a, const HloInstruction& b) {
  return OrderOf(a.shape()) == OrderOf(b.shape());
}

class Computation {
 public:
  Computation(HloComputation* computation, const LayoutDemands& demands, PassContext& context)
      : computation_(computation),
        module_(computation->parent()),
        is_entry_(computation == computation->parent()->entry()),
        is_control_(demands.call_graph().Context(*computation) == CallContext::kControl),
        demands_(demands),
        context_(context),
        take_any_order_(demands.TakersOfAnyOrder(*computation)) {}

  // Assigns layouts in order of the instructions, operands before users; then brings the result into its declared
  // layout. Instructions that lost their last user to a bitcast or copy are removed, those unused from the start
  // stay.
  absl::StatusOr<bool> Run() {
    const std::vector<HloInstruction*> instructions = computation_->LiveInstructions();
    for (const HloInstruction* instruction : instructions) {
      if (instruction->users().empty() && instruction != computation_->root()) unused_before_.insert(instruction);
    }
    for (HloInstruction* instruction : instructions) Assign(instruction);
    HloInstruction* const root = computation_->root();
    HloInstruction* const result = In(ShapeOfResult(), root);
    if (result != root) computation_->set_root(result);
    RETURN_IF_ERROR(status_);
    for (HloInstruction* instruction : instructions) {
      if (!unused_before_.contains(instruction)) RemoveIfUnused(instruction);
    }
    return changed_;
  }

 private:
  // ---- What layouts are wanted

  Shape ShapeOfResult() const {
    const Shape& shape = computation_->root()->shape();
    const auto& entry_layout = module_->config().entry_computation_layout;
    if (!is_entry_) return WithRowMajorLayouts(shape);
    return entry_layout.has_value() ? WithLayoutsOf(shape, entry_layout->result) : shape;
  }

  Shape ShapeOfParameter(const HloInstruction& parameter) const {
    const auto& entry_layout = module_->config().entry_computation_layout;
    if (!is_entry_) return WithRowMajorLayouts(parameter.shape());
    if (!entry_layout.has_value()) return WithMissingLayouts(parameter.shape());
    return WithLayoutsOf(parameter.shape(),
                         entry_layout->parameters[parameter.attributes<ParameterAttributes>().number]);
  }

  // The operand whose order of elements an elementwise operation takes; nullptr: row-major.
  const HloInstruction* OperandToFollow(const HloInstruction& instruction) const {
    if (!take_any_order_.contains(&instruction)) return nullptr;
    const HloInstruction* first = nullptr;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!operand->shape().SameDimensions(instruction.shape())) return nullptr;
      if (IsMadeInAnyLayout(*operand)) continue;
      if (first != nullptr && !HaveSameOrder(*first, *operand)) return nullptr;
      if (first == nullptr) first = operand;
    }
    return first;
  }

  static Shape WithMissingLayouts(Shape shape) {
    shape.SetMissingLayoutsToDefault();
    return shape;
  }

  // A fusion's result lies where its root is written, in the order of that.
  static Shape ShapeAsWritten(const HloInstruction& instruction) {
    if (!IsCustomFusion(instruction)) return WithMissingLayouts(instruction.shape());
    return WithLayoutsOf(instruction.shape(), instruction.called_computation(0)->root()->shape());
  }

  // The rule for one instruction, by the first case that fits: declared layouts (parameters, custom calls, copies),
  // layouts of operands (views, elementwise operations that follow one), and row-major for the rest.
  void Assign(HloInstruction* instruction) {
    const HloOpcode opcode = instruction->opcode();
    if (opcode == HloOpcode::kParameter) {
      SetShape(instruction, ShapeOfParameter(*instruction));
    } else if (IsTransparent(opcode)) {
      SetShape(instruction, ShapeThrough(*instruction));
    } else if (opcode == HloOpcode::kBitcast) {
      AssignBitcast(instruction);
    } else if (ResultIsAsWritten(*instruction)) {
      AskForOperandsOfCustom(instruction);
      SetShape(instruction, ShapeAsWritten(*instruction));
    } else if (opcode == HloOpcode::kCopy && instruction->shape().IsArray()) {
      SetShape(instruction, WithMissingLayouts(instruction->shape()));
    } else if (IsMadeInAnyLayout(*instruction)) {
      AskForRowMajorOperands(instruction);
      SetShape(instruction, WithMissingLayouts(instruction->shape()));
    } else if (const HloInstruction* followed = OperandToFollow(*instruction)) {
      const DimensionVector order = OrderOf(followed->shape());
      for (int i = 0; i < instruction->operand_count(); ++i) {
        Ask(instruction, i, WithOrder(instruction->operand(i)->shape(), order));
      }
      SetShape(instruction, WithOrder(instruction->shape(), order));
    } else if (!BecomesBitcast(instruction)) {
      AskForRowMajorOperands(instruction);
      SetShape(instruction, WithRowMajorLayouts(instruction->shape()));
    }
  }

  static Shape ShapeThrough(const HloInstruction& instruction) {
    Shape shape = instruction.shape();
    if (instruction.opcode() == HloOpcode::kTuple) {
      std::vector<Shape> elements;
      elements.reserve(instruction.operand_count());
      for (int i = 0; i < instruction.operand_count(); ++i) {
        elements.push_back(ShapePassedOn(shape.tuple_shape(i), instruction.operand(i)->shape()));
      }
      return Shape::Tuple(std::move(elements));
    }
    const Shape& operand = instruction.operand(0)->shape();
    if (instruction.opcode() != HloOpcode::kGetTupleElement) return ShapePassedOn(shape, operand);
    const auto index = instruction.attributes<GetTupleElementAttributes>().index;
    return ShapePassedOn(shape, operand.tuple_shape(static_cast<int>(index)));
  }

  // The shape of a value that was declared as `shape` and is passed on from one of shape `source`. Static ones differ
  // in layouts only, and then the source's is shared: else each of the steps that build a deep tuple would cost as much
  // as the whole.
  static Shape ShapePassedOn(const Shape& shape, const Shape& source) {
    return shape.IsDynamic() || source.IsDynamic() ? WithLayoutsOf(shape, source) : WithMissingLayouts(source);
  }

  // What a bitcast does depends on both its layouts, which therefore stay, unless they are the same.
  void AssignBitcast(HloInstruction* bitcast) {
    const Shape& written = demands_.OperandShapes(*bitcast)[0];
    const Shape& operand = bitcast->operand(0)->shape();
    if (written.Compatible(bitcast->shape()) && SameLayouts(written, bitcast->shape())) {
      SetShape(bitcast, WithLayoutsOf(bitcast->shape(), operand));
      return;
    }
    Ask(bitcast, 0, WithMissingLayouts(written));
    SetShape(bitcast, WithMissingLayouts(bitcast->shape()));
  }

  void AskForOperandsOfCustom(HloInstruction* custom) {
    const absl::Span<const Shape> wanted = demands_.OperandShapes(*custom);
    if (static_cast<int>(wanted.size()) != custom->operand_count()) return AskForRowMajorOperands(custom);
    for (int i = 0; i < custom->operand_count(); ++i) {
      Ask(custom, i, WithLayoutsOf(custom->operand(i)->shape(), wanted[i]));
    }
  }

  void AskForRowMajorOperands(HloInstruction* instruction) {
    for (int i = 0; i < instruction->operand_count(); ++i) {
      Ask(instruction, i, WithRowMajorLayouts(instruction->operand(i)->shape()));
    }
  }

  void Ask(HloInstruction* user, int i, const Shape& wanted) {
    HloInstruction* const operand = user->operand(i);
    HloInstruction* const other = In(wanted, operand);
    if (other == operand) return;
    user->ReplaceOperand(i, other);
    changed_ = true;
  }

  // True if `instruction` is replaced.
  bool BecomesBitcast(HloInstruction* instruction) {
    if (!is_control_ || instruction->shape().IsDynamic()) return false;
    if (instruction->opcode() == HloOpcode::kReshape) return ReshapeBecomesBitcast(instruction);
    return instruction->opcode() == HloOpcode::kTranspose && TransposeBecomesBitcast(instruction);
  }

  bool ReshapeBecomesBitcast(HloInstruction* reshape) {
    HloInstruction* operand = reshape->operand(0);
    const Shape shape = WithRowMajorLayouts(reshape->shape());
    const Shape row_major = WithRowMajorLayouts(operand->shape());
    if (!ReshapeKeepsPlaces(row_major, shape)) return false;
    if (!ReshapeKeepsPlaces(operand->shape(), shape)) operand = In(row_major, operand);
    context_.CountRewrite("reshape-to-bitcast");
    ReplaceByBitcast(reshape, shape, operand);
    return true;
  }

  // Of an operand that is not row-major, the result need not be either, so that nothing is moved in any case.
  bool TransposeBecomesBitcast(HloInstruction* transpose) {
    HloInstruction* const operand = transpose->operand(0);
    const absl::Span<const int64_t> permutation = Permutation(*transpose);
    Shape shape = WithRowMajorLayouts(transpose->shape());
    if (!TransposeKeepsPlaces(operand->shape(), permutation, shape)) {
      if (HasRowMajorOrder(operand->shape())) return false;
      DimensionVector order = OrderOf(operand->shape());
      for (int64_t& d : order) d = std::find(permutation.begin(), permutation.end(), d) - permutation.begin();
      shape = WithOrder(shape, order);
      if (!TransposeKeepsPlaces(operand->shape(), permutation, shape)) return false;
    }
    context_.CountRewrite("transpose-to-bitcast");
    ReplaceByBitcast(transpose, shape, operand);
    return true;
  }

  void ReplaceByBitcast(HloInstruction* instruction, const Shape& shape, HloInstruction* operand) {
    HloInstruction* const bitcast = Add(HloOpcode::kBitcast, shape, {operand}, *instruction);
    bitcast->CopyAnnotations(*instruction);
    if (instruction->HasControlEdges()) instruction->MoveControlEdgesTo(bitcast);
    instruction->ReplaceAllUsesWith(bitcast);
    unused_before_.erase(instruction);
  }

  static absl::Span<const int64_t> Permutation(const HloInstruction& transpose) {
    return transpose.attributes<DimensionsAttributes>().dimensions;
  }

  // ---- Values in other layouts

  // The value in the layouts of `wanted`, whose other properties are those of the value's shape. Recurses as deep as
  // the shape nests, which is bounded.
  HloInstruction* In(const Shape& wanted, HloInstruction* value) {
    if (SameLayouts(value->shape(), wanted)) return value;
    if (!wanted.IsTuple()) return ArrayIn(wanted, value);
    std::vector<HloInstruction*> elements;
    for (int i = 0; i < wanted.tuple_size(); ++i) elements.push_back(In(wanted.tuple_shape(i), Element(value, i)));
    return Add(HloOpcode::kTuple, wanted, elements, *value);
  }

  HloInstruction* Element(HloInstruction* tuple, int i) {
    if (tuple->opcode() == HloOpcode::kTuple) return tuple->operand(i);
    auto attributes = std::make_unique<GetTupleElementAttributes>();
    attributes->index = i;
    InstructionBuilder builder(computation_, tuple);
    return builder.MakeOfShape(HloOpcode::kGetTupleElement, tuple->shape().tuple_shape(i), {tuple},
                               std::move(attributes));
  }

  HloInstruction* ArrayIn(const Shape& wanted, HloInstruction* value) {
    for (HloInstruction* made : made_[value]) {
      if (SameLayouts(made->shape(), wanted)) return made;
    }
    HloInstruction* const made = MakeIn(wanted, value);
    made_[value].push_back(made);
    return made;
  }

  // `value` in the layouts of `wanted`, by the cheapest means: the source of a copy that had them, the same
  // instruction made again in other layouts (constants, iota), a bitcast where no byte moves, and else a copy.
  HloInstruction* MakeIn(const Shape& wanted, HloInstruction* value) {
    for (HloInstruction* source = value; source->opcode() == HloOpcode::kCopy;) {
      source = source->operand(0);
      if (SameLayouts(source->shape(), wanted)) return source;
    }
    if (IsMadeInAnyLayout(*value)) {
      return Add(value->opcode(), wanted, value->operands(), *value);
    }
    if (CopyKeepsPlaces(value->shape(), wanted)) return Add(HloOpcode::kBitcast, wanted, {value}, *value);
    if (is_control_ && value->opcode() == HloOpcode::kTranspose &&
        TransposeKeepsPlaces(value->operand(0)->shape(), Permutation(*value), wanted)) {
      return Add(HloOpcode::kBitcast, wanted, {value->operand(0)}, *value);
    }
    context_.CountRewrite("copy-added");
    return Add(HloOpcode::kCopy, wanted, {value}, *value);
  }

  // ---- Changes

  HloInstruction* Add(HloOpcode opcode, const Shape& shape, absl::Span<HloInstruction* const> operands,
                      const HloInstruction& like) {
    InstructionBuilder builder(computation_, &like);
    auto attributes =
        opcode != like.opcode() || like.raw_attributes() == nullptr ? nullptr : like.raw_attributes()->Clone();
    HloInstruction* const added = builder.MakeOfShape(opcode, shape, operands, std::move(attributes));
    if (status_.ok()) status_ = builder.status();
    if (like.annotations().sharding.has_value()) added->mutable_annotations().sharding = like.annotations().sharding;
    changed_ = true;
    return added;
  }

  void SetShape(HloInstruction* instruction, const Shape& shape) {
    if (instruction->shape() == shape) return;
    // A scalar's layout is not seen.
    constexpr auto kWithLayout = Shape::LayoutPrinting::kWith;
    changed_ = changed_ || instruction->shape().ToFullString(kWithLayout) != shape.ToFullString(kWithLayout);
    instruction->mutable_shape() = shape;
  }

  void RemoveIfUnused(HloInstruction* instruction) {
    std::vector<HloInstruction*> candidates = {instruction};
    while (!candidates.empty()) {
      HloInstruction* const next = candidates.back();
      candidates.pop_back();
      if (next->is_removed() || !next->users().empty() || next == computation_->root()) continue;
      if (!MayGo(next->opcode()) || next->HasControlEdges()) continue;
      const std::vector<HloInstruction*> operands(next->operands().begin(), next->operands().end());
      computation_->RemoveInstruction(next);
      changed_ = true;
      candidates.insert(candidates.end(), operands.begin(), operands.end());
    }
  }

  HloComputation* const computation_;
  HloModule* const module_;
  const bool is_entry_;
  const bool is_control_;
  const LayoutDemands& demands_;
  PassContext& context_;
  absl::flat_hash_set<const HloInstruction*> unused_before_;  // of those that stay all the same
  const absl::flat_hash_set<const HloInstruction*> take_any_order_;
  absl::flat_hash_map<const HloInstruction*, std::vector<HloInstruction*>> made_;  // the same value in other layouts
  absl::Status status_;
  bool changed_ = false;
};

// Those of the entry that are missing.
bool CompleteEntryLayout(HloModule& module) {
  auto& layout = module.mutable_config().entry_computation_layout;
  const bool is_new = !layout.has_value();
  if (is_new) {
    layout.emplace();
    for (const HloInstruction* parameter : module.entry()->parameters())
      layout->parameters.push_back(parameter->shape());
    layout->result = module.entry()->root()->shape();
  }
  bool changed = is_new;
  const auto complete = [&](Shape* shape) {
    const Shape before = *shape;
    shape->SetMissingLayoutsToDefault();
    constexpr auto kWithLayout = Shape::LayoutPrinting::kWith;
    changed = changed || (before != *shape && before.ToFullString(kWithLayout) != shape->ToFullString(kWithLayout));
  };
  for (Shape& parameter : layout->parameters) complete(&parameter);
  complete(&layout->result);
  return changed;
}

}  // namespace

absl::StatusOr<bool> AssignLayouts(HloModule& module, PassContext& context) {
  bool changed = CompleteEntryLayout(module);
  ASSIGN_OR_RETURN(const LayoutDemands demands, LayoutDemands::Create(module, context));
  std::vector<HloComputation*> computations;
  for (const auto& computation : module.computations()) {
    if (!demands.IsFixed(*computation)) computations.push_back(computation.get());
  }
  for (HloComputation* computation : computations) {
    RETURN_IF_ERROR(context.CheckDeadline());
    ASSIGN_OR_RETURN(const bool computation_changed, Computation(computation, demands, context).Run());
    changed = changed || computation_changed;
  }
  return changed;
}

}  // namespace xla
