#include "passes/expanding/expand_variadic.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

// What `value` depends on, itself included.
absl::flat_hash_set<const HloInstruction*> Dependencies(const HloInstruction* value) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> open = {value};
  while (!open.empty()) {
    const HloInstruction* const next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    open.insert(open.end(), next->operands().begin(), next->operands().end());
  }
  return seen;
}

bool DependsOnlyOn(const HloComputation& reducer, const absl::flat_hash_set<const HloInstruction*>& values,
                   int64_t array, int64_t count) {
  for (const auto& instruction : reducer.instructions()) {
    if (!values.contains(instruction.get()) || instruction->HasControlEdges()) {
      if (instruction->HasControlEdges()) return false;
      continue;
    }
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    const int64_t number = instruction->attributes<ParameterAttributes>().number;
    if (number != array && number != count + array) return false;
  }
  return true;
}

// The reducer of one array: (accumulator, element) -> result `array` of `reducer`.
HloComputation* ReducerOf(const HloComputation& reducer, int64_t array, InstructionBuilder& build) {
  const HloInstruction* const result = reducer.root()->operand(static_cast<int>(array));
  const auto needed = Dependencies(result);
  HloComputation* const single = NewComputation(build.module(), absl::StrCat(reducer.name(), "_", array));
  InstructionBuilder inside(single, build.origin());
  const Shape scalar = Shape::Scalar(result->shape().element_type());
  HloInstruction* const parameters[] = {inside.Parameter(0, scalar), inside.Parameter(1, scalar)};
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (const auto& instruction : reducer.instructions()) {
    if (!needed.contains(instruction.get())) continue;
    HloInstruction* copy;
    if (instruction->opcode() == HloOpcode::kParameter) {
      copy = parameters[instruction->attributes<ParameterAttributes>().number == array ? 0 : 1];
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : instruction->operands()) operands.push_back(copies.at(operand));
      copy = AddClone(*instruction, operands, single);
    }
    copies[instruction.get()] = copy;
  }
  single->set_root(copies.at(result));
  build.UpdateStatus(inside.status());
  return single;
}

HloInstruction* Separate(HloInstruction* root, const RuleContext& context) {
  const int count = root->operand_count() / 2;
  const HloComputation& reducer = *root->called_computation(0);
  if (count < 2 || reducer.root()->opcode() != HloOpcode::kTuple) return nullptr;
  for (int k = 0; k < count; ++k) {
    const HloInstruction* const result = reducer.root()->operand(k);
    const PrimitiveType type = result->shape().element_type();
    if (IsNarrowFloatType(type) || root->operand(k)->shape().element_type() != type ||
        !DependsOnlyOn(reducer, Dependencies(result), k, count)) {
      return nullptr;
    }
  }
  InstructionBuilder& build = context.build;
  std::vector<HloInstruction*> results;
  for (int k = 0; k < count; ++k) {
    results.push_back(build.Make(root->opcode(), {root->operand(k), root->operand(count + k)},
                                 root->raw_attributes()->Clone(), {ReducerOf(reducer, k, build)}));
  }
  return build.Tuple(results);
}

}  // namespace

absl::StatusOr<bool> ExpandVariadic(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"reduce-each-array",
                                    "reduce((x, y), (a, b)), to_apply=(f, g) => (reduce(x, a), reduce(y, b))",
                                    {HloOpcode::kReduce, HloOpcode::kReduceWindow},
                                    &Separate};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
