// What is live is known beforehand (liveness_of_elements.h). Then shapes change in place: first those of parameters,
// calls, loops and barriers whose elements are not all live, together with the numbers in their get-tuple-elements;
// then what such instructions are given, and the roots of the computations that they call, become tuples of the
// elements that stay. Last, what has no users goes.
#include "passes/cleaning/remove_dead_code.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/cleaning/liveness_of_elements.h"
#include "passes/cleaning/may_be_root.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// By old number of an element the new one, -1 for elements that go.
using NewNumbers = std::vector<int>;

// `text` with the number after "tuple_index" replaced; nothing if that element is gone.
std::string WithNewTupleIndex(const std::string& text, const NewNumbers& numbers) {
  static constexpr absl::string_view kKey = "\"tuple_index\":\"";
  const size_t at = text.find(std::string(kKey));
  if (at == std::string::npos) return text;
  const size_t begin = at + kKey.size();
  const size_t end = text.find('"', begin);
  int64_t index = -1;
  if (end == std::string::npos || !absl::SimpleAtoi(text.substr(begin, end - begin), &index) || index < 0 ||
      index >= static_cast<int64_t>(numbers.size()) || numbers[index] < 0) {
    return "";
  }
  return absl::StrCat(text.substr(0, begin), numbers[index], text.substr(end));
}

class DeadCodeRemover {
 public:
  DeadCodeRemover(HloModule& module, PassContext& context)
      : module_(module),
        context_(context),
        effects_(context.analyses.Get<SideEffects>(module)),
        fixed_(context.analyses.Get<FixedComputations>(module)),
        live_(module, *fixed_, *effects_) {}

  absl::StatusOr<bool> Run() {
    for (const auto& computation : module_.computations()) {
      if (!MayChange(*computation)) continue;
      for (HloInstruction* instruction : computation->LiveInstructions()) Shrink(instruction);
    }
    for (const auto& computation : module_.computations()) {
      if (!MayChange(*computation)) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      for (HloInstruction* instruction : computation->LiveInstructions()) {
        if (live_.IsRunning(*instruction)) RETURN_IF_ERROR(Rewire(instruction));
      }
      RETURN_IF_ERROR(ShrinkRoot(computation.get()));
    }
    for (const auto& computation : module_.computations()) {
      if (!MayChange(*computation)) continue;
      DropParameters(computation.get());
      Sweep(computation.get());
    }
    return changed_;
  }

  // Whether computations that were fixed may not be any more.
  bool RemovedFixingCall() const { return removed_fixing_call_; }

 private:
  // What no running call enters goes as a whole in the end.
  bool MayChange(const HloComputation& computation) const {
    return live_.IsEntered(computation) && !fixed_->Contain(computation);
  }

  // ---- Shapes

  // What stays of the elements of a parameter, the result of a call, a loop or a barrier; empty: everything.
  NewNumbers Numbers(const HloInstruction& instruction) const {
    const int elements = instruction.shape().tuple_size();
    NewNumbers numbers;
    int next = 0;
    for (int i = 0; i < elements; ++i) numbers.push_back(KeepsElement(instruction, i) ? next++ : -1);
    return next == elements ? NewNumbers() : numbers;
  }
  bool KeepsElement(const HloInstruction& instruction, int i) const {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kOptBarrier) return live_.IsLive(instruction, i);
    if (opcode == HloOpcode::kParameter) {
      return !live_.MayChangeSignature(*instruction.parent()) || live_.IsLive(instruction, i);
    }
    if (opcode == HloOpcode::kWhile) {
      return !live_.MayChangeSignature(*instruction.called_computation(1)) || live_.IsLive(instruction, i);
    }
    if (opcode != HloOpcode::kFusion && !HasTrait(opcode, opcode_trait::kControlFlow)) return true;
    const HloComputation& callee = *instruction.called_computation(0);
    return !live_.MayChangeSignature(callee) || live_.IsResultLive(callee, i);
  }

  void Shrink(HloInstruction* instruction) {
    if (instruction->opcode() != HloOpcode::kParameter && !live_.IsRunning(*instruction)) return;
    if (BecomesEmptyTuple(*instruction)) {
      instruction->mutable_shape() = Shape::Tuple({});
      if (instruction->has_annotations()) instruction->mutable_annotations().original_value.reset();
      Note("remove-parameter", 1);
      return;
    }
    NewNumbers numbers = Numbers(*instruction);
    if (numbers.empty()) return;
    std::vector<Shape> kept;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= 0) kept.push_back(instruction->shape().tuple_shape(static_cast<int>(i)));
    }
    Note("remove-tuple-element", static_cast<int64_t>(numbers.size() - kept.size()));
    instruction->mutable_shape() = Shape::Tuple(std::move(kept));
    ShrinkAnnotations(instruction, numbers);
    for (HloInstruction* user : instruction->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement || !live_.IsRunning(*user)) continue;
      int64_t& index = user->mutable_attributes<GetTupleElementAttributes>().index;
      index = numbers[index];
    }
    numbers_[instruction] = std::move(numbers);
  }

  static void ShrinkAnnotations(HloInstruction* instruction, const NewNumbers& numbers) {
    if (!instruction->has_annotations()) return;
    InstructionAnnotations& annotations = instruction->mutable_annotations();
    if (annotations.original_value.has_value() && annotations.original_value->elements.size() == numbers.size()) {
      std::vector<OriginalValue> kept;
      for (size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= 0) kept.push_back(annotations.original_value->elements[i]);
      }
      annotations.original_value->elements = std::move(kept);
    }
    if (instruction->opcode() == HloOpcode::kWhile) {
      annotations.backend_config = WithNewTupleIndex(annotations.backend_config, numbers);
    }
  }

  // A branch of a conditional has to have a parameter.
  bool BecomesEmptyTuple(const HloInstruction& instruction) const {
    if (instruction.opcode() != HloOpcode::kParameter || instruction.shape().IsTuple() ||
        !live_.IsAllDead(instruction) || !live_.MayChangeSignature(*instruction.parent())) {
      return false;
    }
    for (const HloInstruction* site : instruction.parent()->callers()) {
      if (live_.IsRunning(*site) && site->opcode() != HloOpcode::kConditional) return false;
    }
    return true;
  }

  // Calls and fusions need not be given what nothing wants.
  bool IsDropped(const HloInstruction& parameter) {
    const auto [known, is_new] = is_dropped_.try_emplace(&parameter, false);
    if (is_new) known->second = CanDrop(parameter);
    return known->second;
  }
  bool CanDrop(const HloInstruction& parameter) const {
    if (!live_.IsAllDead(parameter) || !live_.MayChangeSignature(*parameter.parent())) return false;
    for (const HloInstruction* site : parameter.parent()->callers()) {
      const bool takes_operands = site->opcode() == HloOpcode::kCall || site->opcode() == HloOpcode::kFusion;
      if (live_.IsRunning(*site) && !takes_operands) return false;
    }
    return true;
  }

  // ---- Values

  // Element `i`, by old numbers, of a tuple.
  HloInstruction* Element(HloInstruction* tuple, int i, InstructionBuilder& build) {
    if (tuple->opcode() == HloOpcode::kTuple) return tuple->operand(i);
    const auto [at, is_new] = elements_.try_emplace(tuple);
    if (is_new) {
      for (HloInstruction* user : tuple->users()) {
        if (user->opcode() != HloOpcode::kGetTupleElement || !live_.IsRunning(*user)) continue;
        at->second.try_emplace(user->attributes<GetTupleElementAttributes>().index, user);
      }
    }
    const auto numbers = numbers_.find(tuple);
    const int64_t index = numbers == numbers_.end() ? i : numbers->second[i];
    HloInstruction*& element = at->second[index];
    if (element == nullptr) element = build.GetTupleElement(tuple, index);
    return element;
  }

  // What stays of `tuple` for a user of the elements `numbers`.
  HloInstruction* Shrunk(HloInstruction* tuple, const NewNumbers& numbers, InstructionBuilder& build) {
    const auto own = numbers_.find(tuple);
    if (own != numbers_.end() && own->second == numbers) return tuple;
    std::vector<HloInstruction*> elements;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= 0) elements.push_back(Element(tuple, static_cast<int>(i), build));
    }
    return build.Tuple(elements);
  }

  // The operand for a parameter or for what has the shape of `like`.
  HloInstruction* OperandFor(HloInstruction* operand, const HloInstruction* like, InstructionBuilder& build) {
    if (like->opcode() == HloOpcode::kParameter && like->shape().IsTuple() && !operand->shape().IsTuple()) {
      return build.Tuple({});
    }
    const auto numbers = numbers_.find(like);
    return numbers == numbers_.end() ? operand : Shrunk(operand, numbers->second, build);
  }

  const std::vector<HloInstruction*>& Parameters(const HloComputation* computation) {
    const auto [at, is_new] = parameters_.try_emplace(computation);
    if (is_new) at->second = computation->parameters();
    return at->second;
  }

  absl::Status Rewire(HloInstruction* instruction) {
    InstructionBuilder build(instruction->parent(), instruction);
    const HloOpcode opcode = instruction->opcode();
    if (opcode == HloOpcode::kGetTupleElement) {
      ForwardElement(instruction, build);
    } else if (opcode == HloOpcode::kOptBarrier || opcode == HloOpcode::kWhile) {
      instruction->ReplaceOperand(0, OperandFor(instruction->operand(0), instruction, build));
    } else if (opcode == HloOpcode::kConditional) {
      RewireConditional(instruction, build);
    } else if (opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion) {
      RewireCall(instruction, build);
    }
    return build.status();
  }

  // A tuple holds on to elements of it that are dead. (All such uses are replaced: whether the tuple stays is known
  // only when they are.)
  void ForwardElement(HloInstruction* element, InstructionBuilder& build) {
    HloInstruction* const tuple = element->operand(0);
    if (tuple->opcode() != HloOpcode::kTuple || element->HasControlEdges()) return;
    const int64_t index = element->attributes<GetTupleElementAttributes>().index;
    HloInstruction* value = tuple->operand(static_cast<int>(index));
    if (!MayBeRoot(*value, *element)) value = build.MakeOfShape(HloOpcode::kCopy, element->shape(), {value});
    ReplaceInstruction(element, value);
    Note("forward-element", 1);
  }

  void RewireConditional(HloInstruction* conditional, InstructionBuilder& build) {
    std::vector<HloInstruction*> operands = {conditional->operand(0)};
    for (int i = 1; i < conditional->operand_count(); ++i) {
      const HloInstruction* const parameter = Parameters(conditional->called_computation(i - 1))[0];
      operands.push_back(OperandFor(conditional->operand(i), parameter, build));
    }
    SetOperandsIfNew(conditional, operands);
  }

  void RewireCall(HloInstruction* call, InstructionBuilder& build) {
    const std::vector<HloInstruction*>& parameters = Parameters(call->called_computation(0));
    std::vector<HloInstruction*> operands;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (IsDropped(*parameters[i])) continue;
      operands.push_back(OperandFor(call->operand(static_cast<int>(i)), parameters[i], build));
    }
    SetOperandsIfNew(call, operands);
  }

  // All at once, since there may be many.
  static void SetOperandsIfNew(HloInstruction* instruction, const std::vector<HloInstruction*>& operands) {
    const auto old = instruction->operands();
    if (!std::equal(operands.begin(), operands.end(), old.begin(), old.end())) instruction->SetOperands(operands);
  }

  // Every caller agrees on what stays of the result.
  absl::Status ShrinkRoot(HloComputation* computation) {
    for (const HloInstruction* site : computation->callers()) {
      const auto numbers = numbers_.find(site);
      const bool is_condition = site->opcode() == HloOpcode::kWhile && site->called_computation(1) != computation;
      if (numbers == numbers_.end() || is_condition) continue;
      InstructionBuilder build(computation, computation->root());
      computation->set_root(Shrunk(computation->root(), numbers->second, build));
      return build.status();
    }
    return absl::OkStatus();
  }

  // ---- Removal

  void DropParameters(HloComputation* computation) {
    int64_t next = 0;
    for (HloInstruction* parameter : Parameters(computation)) {
      if (!IsDropped(*parameter)) {
        parameter->mutable_attributes<ParameterAttributes>().number = next++;
        continue;
      }
      dropped_.push_back(parameter);
    }
  }

  void Sweep(HloComputation* computation) {
    absl::flat_hash_set<const HloInstruction*> removed;
    std::vector<HloInstruction*> open = computation->LiveInstructions();
    while (!open.empty()) {
      HloInstruction* const instruction = open.back();
      open.pop_back();
      if (removed.contains(instruction) || !instruction->users().empty() || computation->root() == instruction ||
          !IsRemovable(*instruction) || effects_->Has(*instruction)) {
        continue;
      }
      // Operands may come later in the list: tuples that were made for smaller loops.
      const auto operands = instruction->operands();
      open.insert(open.end(), operands.begin(), operands.end());
      removed.insert(instruction);
      removed_fixing_call_ = removed_fixing_call_ || FixesItsCallees(*instruction);
      computation->RemoveInstruction(instruction);
    }
    if (!removed.empty()) Note("remove-instruction", static_cast<int64_t>(removed.size()));
    for (HloInstruction* parameter : dropped_) computation->RemoveInstruction(parameter);
    if (!dropped_.empty()) Note("remove-parameter", static_cast<int64_t>(dropped_.size()));
    dropped_.clear();
  }

  void Note(absl::string_view what, int64_t times) {
    changed_ = true;
    context_.CountRewrite(what, times);
  }

  HloModule& module_;
  PassContext& context_;
  const std::shared_ptr<SideEffects> effects_;
  const std::shared_ptr<const FixedComputations> fixed_;
  const ElementLiveness live_;
  absl::flat_hash_map<const HloInstruction*, NewNumbers> numbers_;  // of what shrinks
  absl::flat_hash_map<const HloInstruction*, absl::flat_hash_map<int64_t, HloInstruction*>> elements_;
  absl::flat_hash_map<const HloComputation*, std::vector<HloInstruction*>> parameters_;
  absl::flat_hash_map<const HloInstruction*, bool> is_dropped_;  // parameters
  std::vector<HloInstruction*> dropped_;
  bool changed_ = false;
  bool removed_fixing_call_ = false;
};

}  // namespace

absl::StatusOr<bool> RemoveDeadCode(HloModule& module, PassContext& context) {
  bool changed = false, again = true;
  while (again) {
    changed = module.RemoveUnreachableComputations() || changed;
    DeadCodeRemover remover(module, context);
    ASSIGN_OR_RETURN(const bool removed, remover.Run());
    changed = changed || removed;
    again = remover.RemovedFixingCall();
    if (again) module.Tidy();  // parameters that are gone are not counted any more
  }
  // What only dead instructions called.
  return module.RemoveUnreachableComputations() || changed;
}

}  // namespace xla
