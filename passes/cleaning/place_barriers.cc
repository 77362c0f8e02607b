#include "passes/cleaning/place_barriers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "passes/analyses/call_graph.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HoldsOnlyArrays(const Shape& shape) {
  std::vector<const Shape*> path = {&shape};
  while (!path.empty()) {
    const Shape& current = *path.back();
    path.pop_back();
    if (!current.IsArray() && !current.IsTuple()) return false;
    if (!current.IsTuple()) continue;
    for (const Shape& element : current.tuple_shapes()) path.push_back(&element);
  }
  return true;
}

// What such an instruction gives is for its end alone.
bool IsPartOfAsync(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kBegins | opcode_trait::kEnds);
}

// Whether it is the program, or runs as a part of it: not a function of scalars or the body of a fusion.
bool IsControlFlow(const HloComputation& computation, const FixedComputations& fixed) {
  const auto callers = computation.callers();
  return !fixed.Contain(computation) && !computation.is_fusion_computation() &&
         std::all_of(callers.begin(), callers.end(), [](const HloInstruction* caller) {
           return HasTrait(caller->opcode(), opcode_trait::kControlFlow);
         });
}

bool IsBarrier(const HloInstruction* instruction) { return instruction->opcode() == HloOpcode::kOptBarrier; }

HloInstruction* AddBarrier(HloInstruction* value) {
  auto barrier = std::make_unique<HloInstruction>(HloOpcode::kOptBarrier, "", value->shape());
  barrier->AddOperand(value);
  return value->parent()->AddInstruction(std::move(barrier));
}

bool PlaceBefore(HloInstruction* instruction) {
  bool changed = false;
  for (int i = 0; i < instruction->operand_count(); ++i) {
    HloInstruction* const operand = instruction->operand(i);
    if (IsBarrier(operand) || !HoldsOnlyArrays(operand->shape())) continue;
    HloInstruction* const barrier = AddBarrier(operand);
    for (int j = i; j < instruction->operand_count(); ++j) {
      if (instruction->operand(j) == operand) instruction->ReplaceOperand(j, barrier);
    }
    changed = true;
  }
  return changed;
}

bool PlaceAfter(HloInstruction* instruction) {
  const auto users = instruction->users();
  const bool is_root = instruction->parent()->root() == instruction;
  if (!HoldsOnlyArrays(instruction->shape()) || (!is_root && std::all_of(users.begin(), users.end(), &IsBarrier))) {
    return false;
  }
  instruction->ReplaceAllUsesWith(AddBarrier(instruction));
  return true;
}

}  // namespace

absl::StatusOr<bool> PlaceBarriers(HloModule& module, PassContext& context) {
  absl::flat_hash_map<std::string, HloInstruction*> named;
  const std::vector<std::string> names = context.ListOption("instructions");
  if (names.empty()) return false;
  for (const auto& computation : module.computations()) {
    for (HloInstruction* instruction : computation->LiveInstructions()) named.emplace(instruction->name(), instruction);
  }
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  bool changed = false;
  for (const std::string& name : names) {
    const auto found = named.find(std::string(absl::StripPrefix(name, "%")));
    if (found == named.end()) {
      return absl::InvalidArgumentError(absl::StrCat("place-barriers: no instruction is named '", name,
                                                     "'; names are those that the program has when the pass runs"));
    }
    HloInstruction* const instruction = found->second;
    if (IsBarrier(instruction)) continue;
    RETURN_IF_ERROR(context.CheckDeadline());
    if (IsPartOfAsync(*instruction) || !IsControlFlow(*instruction->parent(), *fixed)) {
      context.Warn(
          absl::StrCat("no barriers around '", name,
                       "': it is in a fusion or a function of scalars, or a part of an asynchronous operation"));
      continue;
    }
    const bool before = PlaceBefore(instruction);
    const bool after = PlaceAfter(instruction);
    if (!before && !after) continue;
    context.CountRewrite("place-barriers");
    changed = true;
  }
  return changed;
}

}  // namespace xla
