#include "passes/memory/layout_demands.h"

#include <algorithm>
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

// Results of the program that are wanted in another order than row-major.
absl::flat_hash_set<const HloInstruction*> ResultsInAnotherOrder(const HloComputation& computation) {
  absl::flat_hash_set<const HloInstruction*> results;
  const HloModule& module = *computation.parent();
  const auto& entry_layout = module.config().entry_computation_layout;
  const HloInstruction& root = *computation.root();
  if (module.entry() != &computation || !entry_layout.has_value()) return results;
  if (entry_layout->result.IsArray() && !HasRowMajorOrder(entry_layout->result)) results.insert(&root);
  if (root.opcode() != HloOpcode::kTuple) return results;
  for (int i = 0; i < root.operand_count(); ++i) {
    const Shape& wanted = entry_layout->result.tuple_shape(i);
    if (wanted.IsArray() && !HasRowMajorOrder(wanted)) results.insert(root.operand(i));
  }
  return results;
}

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

absl::flat_hash_set<const HloInstruction*> LayoutDemands::TakersOfAnyOrder(const HloComputation& computation) const {
  absl::flat_hash_set<const HloInstruction*> takers;
  const auto results = ResultsInAnotherOrder(computation);
  const std::vector<HloInstruction*> instructions = computation.LiveInstructions();
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const HloInstruction& instruction = **it;
    if (!IsElementwise(instruction.opcode()) || !instruction.shape().IsArray()) continue;
    const auto users = instruction.users();
    const bool is_result = results.contains(&instruction);
    const bool by_users = std::all_of(users.begin(), users.end(), [&](const HloInstruction* user) {
      return takers.contains(user) || user->opcode() == HloOpcode::kCopy || user->opcode() == HloOpcode::kTranspose ||
             OnlyChangesLayout(*user) || (is_result && user == computation.root());
    });
    const bool is_root = &instruction == computation.root();
    if (by_users && (is_result || !is_root)) takers.insert(&instruction);
  }
  return takers;
}

}  // namespace xla
