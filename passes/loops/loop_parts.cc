#include "passes/loops/loop_parts.h"

#include <algorithm>
#include <utility>

#include "passes/base/instruction_builder.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

// The parameter, if the computation takes its state apart with get-tuple-elements only.
HloInstruction* StateParameter(const HloComputation& computation) {
  for (const auto& instruction : computation.instructions()) {
    if (instruction->is_removed() || instruction->opcode() != HloOpcode::kParameter) continue;
    const bool plain = HasOnlyElementUsers(*instruction) && computation.root() != instruction.get();
    return plain && instruction->shape().IsTuple() ? instruction.get() : nullptr;
  }
  return nullptr;
}

Shape WithMoreElements(const Shape& tuple, absl::Span<HloInstruction* const> added) {
  std::vector<Shape> elements(tuple.tuple_shapes().begin(), tuple.tuple_shapes().end());
  for (const HloInstruction* value : added) elements.push_back(value->shape());
  return Shape::Tuple(std::move(elements));
}

bool CallsNothing(const HloComputation& computation) {
  const auto instructions = computation.instructions();
  return std::all_of(instructions.begin(), instructions.end(),
                     [](const auto& instruction) { return instruction->called_computations().empty(); });
}

}  // namespace

HloInstruction* LoopParts::Initial(int i) const {
  HloInstruction* const first = loop->operand(0);
  return first->opcode() == HloOpcode::kTuple ? first->operand(i) : nullptr;
}

HloInstruction* LoopParts::InitialOf(const HloInstruction& element) const {
  const auto index = static_cast<int>(element.attributes<GetTupleElementAttributes>().index);
  HloInstruction* const known = Initial(index);
  return known != nullptr ? known : ElementOf(loop->operand(0), index);
}

bool LoopParts::IsInvariant(int i) const {
  const HloInstruction* const element = next->operand(i);
  return element->opcode() == HloOpcode::kGetTupleElement && element->operand(0) == body_parameter &&
         element->attributes<GetTupleElementAttributes>().index == i;
}

// The parts of a loop in the form that passes over loops work on: state and next state are tuples, with parameters
// that have no control edges or sharding. nullopt for other loops.
absl::optional<LoopParts> FindLoopParts(HloInstruction* loop) {
  if (loop->HasControlEdges() || !loop->shape().IsTuple() || loop->annotations().sharding.has_value()) {
    return absl::nullopt;
  }
  LoopParts parts;
  parts.loop = loop;
  parts.condition = loop->called_computation(0);
  parts.body = loop->called_computation(1);
  if (parts.condition == parts.body) return absl::nullopt;
  parts.condition_parameter = StateParameter(*parts.condition);
  parts.body_parameter = StateParameter(*parts.body);
  parts.next = parts.body->root();
  if (parts.condition_parameter == nullptr || parts.body_parameter == nullptr ||
      parts.next->opcode() != HloOpcode::kTuple) {
    return absl::nullopt;
  }
  return parts;
}

bool IsShared(const HloComputation& computation) {
  const auto callers = computation.callers();
  if (callers.size() != 1) return callers.size() > 1;
  const auto called = callers[0]->called_computations();
  return std::count(called.begin(), called.end(), &computation) > 1;
}

bool MakeOwn(HloInstruction* caller, int callee) {
  HloComputation* const shared = caller->called_computation(callee);
  if (!IsShared(*shared)) return true;
  if (!CallsNothing(*shared)) return false;
  caller->ReplaceCalledComputation(callee, AddCloneOfComputation(*shared, shared->parent()));
  return true;
}

bool MakeOwn(LoopParts& parts) {
  if (!IsShared(*parts.condition) && !IsShared(*parts.body)) return true;
  HloInstruction* const loop = parts.loop;
  const auto is_shared_for_good = [](const HloComputation& callee) {
    return IsShared(callee) && !CallsNothing(callee);
  };
  if (is_shared_for_good(*parts.condition) || is_shared_for_good(*parts.body)) return false;
  const bool own = MakeOwn(loop, 0) && MakeOwn(loop, 1);
  parts = *FindLoopParts(loop);
  return own;
}

// Adds values to the state, which each iteration passes on unchanged, and returns the elements that the body reads.
// Users that see the whole tuple get one without the new elements.
std::vector<HloInstruction*> AddInvariantElements(LoopParts& parts, absl::Span<HloInstruction* const> values) {
  HloInstruction* const loop = parts.loop;
  const int old_size = parts.size();
  InstructionBuilder outside(loop->parent(), loop);

  TupleElements elements;
  std::vector<HloInstruction*> initial;
  for (int i = 0; i < old_size; ++i) {
    HloInstruction* const known = parts.Initial(i);
    initial.push_back(known != nullptr ? known : elements.One(loop->operand(0), i));
  }
  initial.insert(initial.end(), values.begin(), values.end());
  const Shape state = WithMoreElements(loop->operand(0)->shape(), values);
  const Shape seen_by_users = loop->shape();
  loop->ReplaceOperand(0, outside.MakeOfShape(HloOpcode::kTuple, state, initial));

  parts.condition_parameter->mutable_shape() = WithMoreElements(parts.condition_parameter->shape(), values);
  parts.body_parameter->mutable_shape() = WithMoreElements(parts.body_parameter->shape(), values);
  loop->mutable_shape() = WithMoreElements(loop->shape(), values);
  parts.next->mutable_shape() = WithMoreElements(parts.next->shape(), values);
  std::vector<HloInstruction*> added;
  for (size_t i = 0; i < values.size(); ++i) {
    added.push_back(elements.One(parts.body_parameter, old_size + static_cast<int>(i)));
    parts.next->AddOperand(added.back());
  }
  GiveUsersElements(loop, seen_by_users);
  return added;
}

}  // namespace xla
