#include "passes/memory/layout_demands.h"

#include <utility>

#include "passes/memory/array_layouts.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Whether it is a bitcast to a layout that differs in dimensions of size 1 only: what a copy between layouts becomes.
bool OnlyChangesLayout(const HloInstruction& user) {
  return user.opcode() == HloOpcode::kBitcast && user.shape().Compatible(user.operand(0)->shape()) &&
         CopyKeepsPlaces(user.operand(0)->shape(), user.shape());
}

// Where a computation says in which layouts it reads values.
class DeclaredReaders {
 public:
  DeclaredReaders(const HloComputation& computation, const LayoutDemands& demands) {
    const HloModule& module = *computation.parent();
    const auto& entry_layout = module.config().entry_computation_layout;
    if (module.entry() == &computation && entry_layout.has_value()) Add(*computation.root(), entry_layout->result);
    for (const HloInstruction* user : computation.LiveInstructions()) {
      const absl::Span<const Shape> shapes = demands.OperandShapes(*user);
      if (shapes.empty() || static_cast<int>(shapes.size()) != user->operand_count()) continue;
      if (OnlyChangesLayout(*user)) continue;
      readers_.insert(user);
      for (int i = 0; i < user->operand_count(); ++i) Add(*user->operand(i), shapes[i]);
    }
  }

  bool Contain(const HloInstruction& reader) const { return readers_.contains(&reader); }
  // Whether one of them, or the caller of the program, wants `value` in another order than row-major.
  bool WantInAnotherOrder(const HloInstruction& value) const { return in_another_order_.contains(&value); }

 private:
  // `value` is read as `wanted`. A tuple is a reader of its elements.
  void Add(const HloInstruction& value, const Shape& wanted) {
    std::vector<std::pair<const HloInstruction*, const Shape*>> pending = {{&value, &wanted}};
    while (!pending.empty()) {
      const auto [instruction, shape] = pending.back();
      pending.pop_back();
      if (shape->IsArray() && !HasRowMajorOrder(*shape)) in_another_order_.insert(instruction);
      if (instruction->opcode() != HloOpcode::kTuple || !readers_.insert(instruction).second) continue;
      for (int i = 0; i < instruction->operand_count(); ++i) {
        pending.emplace_back(instruction->operand(i), &shape->tuple_shape(i));
      }
    }
  }

  absl::flat_hash_set<const HloInstruction*> readers_;
  absl::flat_hash_set<const HloInstruction*> in_another_order_;
};

}  // namespace

bool IsCustomFusion(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kFusion &&
         instruction.attributes<FusionAttributes>().kind == FusionKind::kCustom;
}

absl::StatusOr<LayoutDemands> LayoutDemands::Create(const HloModule& module, PassContext& context) {
  ASSIGN_OR_RETURN(auto call_graph, context.analyses.Get<CallGraph>(module, context.resources));
  LayoutDemands demands(std::move(call_graph));
  for (auto it = module.computations().rbegin(); it != module.computations().rend(); ++it) {  // callers first
    const bool is_fixed = demands.IsFixed(**it);
    for (const auto& instruction : (*it)->instructions()) {
      const bool is_custom = instruction->opcode() == HloOpcode::kCustomCall || IsCustomFusion(*instruction);
      for (const HloComputation* callee : instruction->called_computations()) {
        if (is_fixed || is_custom) demands.fixed_.insert(callee);
      }
      std::vector<Shape> shapes;
      if (instruction->opcode() == HloOpcode::kBitcast) {
        shapes.push_back(instruction->operand(0)->shape());
      } else if (IsCustomFusion(*instruction)) {
        for (const HloInstruction* parameter : instruction->called_computation(0)->parameters()) {
          shapes.push_back(parameter->shape());
        }
      }
      if (!shapes.empty()) demands.operand_shapes_[instruction.get()] = std::move(shapes);
    }
  }
  return demands;
}

absl::Span<const Shape> LayoutDemands::OperandShapes(const HloInstruction& user) const {
  if (user.opcode() == HloOpcode::kCustomCall) {
    const auto& constraints = user.attributes<CustomCallAttributes>().operand_layout_constraints;
    return constraints.has_value() ? absl::MakeConstSpan(*constraints) : absl::Span<const Shape>();
  }
  const auto shapes = operand_shapes_.find(&user);
  return shapes != operand_shapes_.end() ? absl::MakeConstSpan(shapes->second) : absl::Span<const Shape>();
}

// A value that has another order than row-major after a run has only users that leave the order open or were written
// for that order, so that the next run finds the same takers. What became a bitcast, or is now read without the copy
// that was there, counts as it did before: a transpose leaves the order open, and so must the bitcast in its place.
absl::flat_hash_set<const HloInstruction*> LayoutDemands::TakersOfAnyOrder(const HloComputation& computation) const {
  const DeclaredReaders declared(computation, *this);
  absl::flat_hash_set<const HloInstruction*> takers;
  absl::flat_hash_set<const HloInstruction*> bound;  // by a user, to row-major order
  const auto leaves_open = [&](const HloInstruction& user, const HloInstruction& operand) {
    return takers.contains(&user) || user.opcode() == HloOpcode::kCopy || user.opcode() == HloOpcode::kTranspose ||
           OnlyChangesLayout(user) || (declared.Contain(user) && declared.WantInAnotherOrder(operand));
  };
  const std::vector<HloInstruction*> instructions = computation.LiveInstructions();
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const HloInstruction& instruction = **it;
    const bool is_bound = bound.contains(&instruction) ||
                          (&instruction == computation.root() && !declared.WantInAnotherOrder(instruction));
    if (!is_bound && IsElementwise(instruction.opcode()) && instruction.shape().IsArray()) takers.insert(&instruction);
    for (const HloInstruction* operand : instruction.operands()) {
      if (!leaves_open(instruction, *operand)) bound.insert(operand);
    }
  }
  return takers;
}

}  // namespace xla
