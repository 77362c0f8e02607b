#include "passes/base/counted_loop.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

HloComputation* MakeCondition(InstructionBuilder& build, absl::string_view name, const Shape& state, int64_t turns) {
  HloComputation* const condition = NewComputation(build.module(), absl::StrCat(name, "_condition"));
  InstructionBuilder inside(condition, build.origin());
  HloInstruction* const turn = inside.GetTupleElement(inside.Parameter(0, state), 0);
  HloInstruction* const limit = inside.Scalar(turn->shape().element_type(), turns);
  condition->set_root(inside.Compare(ComparisonDirection::kLt, turn, limit));
  build.UpdateStatus(inside.status());
  return condition;
}

// Removes what an iteration made and did not use after all, so that no later pass finds it.
void RemoveUnused(HloComputation* computation) {
  const std::vector<HloInstruction*> instructions = computation->LiveInstructions();
  for (auto at = instructions.rbegin(); at != instructions.rend(); ++at) {
    HloInstruction* const instruction = *at;
    if (instruction != computation->root() && instruction->users().empty() &&
        instruction->opcode() != HloOpcode::kParameter && instruction->called_computations().empty() &&
        !instruction->HasControlEdges() && !HasTrait(instruction->opcode(), opcode_trait::kSideEffect)) {
      computation->RemoveInstruction(instruction);
    }
  }
}

// The loop's body: the counter and the values as elements of the state, the values that make_turn gives next, the
// counter plus one.
HloComputation* MakeBody(InstructionBuilder& build, absl::string_view name, const Shape& state, LoopTurn make_turn) {
  HloComputation* const body = NewComputation(build.module(), absl::StrCat(name, "_body"));
  InstructionBuilder inside(body, build.origin());
  HloInstruction* const before = inside.Parameter(0, state);
  HloInstruction* const turn = inside.GetTupleElement(before, 0);
  std::vector<HloInstruction*> elements;
  for (int i = 1; i < static_cast<int>(state.tuple_size()); ++i) elements.push_back(inside.GetTupleElement(before, i));
  std::vector<HloInstruction*> after = make_turn(inside, turn, elements);
  after.insert(after.begin(), inside.Add(turn, inside.One(turn->shape().element_type())));
  body->set_root(inside.Tuple(after));
  RemoveUnused(body);
  build.UpdateStatus(inside.status());
  return body;
}

}  // namespace

// No iteration gives the initial values and a single one needs no loop; otherwise the state is the tuple of the
// counter and the values, and the results are its elements without the counter.
std::vector<HloInstruction*> CountedLoop(InstructionBuilder& build, absl::string_view name, PrimitiveType counter_type,
                                         int64_t turns, absl::Span<HloInstruction* const> initial, LoopTurn make_turn) {
  if (turns == 0) return {initial.begin(), initial.end()};
  if (turns == 1) return make_turn(build, build.Zero(counter_type), initial);
  std::vector<HloInstruction*> elements = {build.Zero(counter_type)};
  elements.insert(elements.end(), initial.begin(), initial.end());
  std::vector<Shape> shapes;
  for (const HloInstruction* element : elements) shapes.push_back(element->shape().WithoutLayout());
  const Shape state = Shape::Tuple(shapes);
  HloInstruction* const start = build.Tuple(elements);
  HloComputation* const condition = MakeCondition(build, name, state, turns);
  HloComputation* const body = MakeBody(build, name, state, make_turn);
  HloInstruction* const loop = build.MakeOfShape(HloOpcode::kWhile, state, {start}, nullptr, {condition, body});
  std::vector<HloInstruction*> results;
  for (size_t i = 1; i < elements.size(); ++i) results.push_back(build.GetTupleElement(loop, static_cast<int64_t>(i)));
  return results;
}

PrimitiveType CounterTypeFor(int64_t largest) { return largest <= std::numeric_limits<int32_t>::max() ? S32 : S64; }

}  // namespace xla
