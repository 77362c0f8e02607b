#include "passes/loops/simplify_conditionals.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "passes/analyses/side_effects.h"
#include "passes/base/copy_budget.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/cleaning/equal_instructions.h"
#include "passes/cleaning/inline_call.h"
#include "passes/loops/loop_parts.h"
#include "passes/loops/movable_work.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

int BranchCount(const HloInstruction& conditional) {
  return static_cast<int>(conditional.called_computations().size());
}

// The branch that a constant selector takes; -1 if the selector is not constant.
int ConstantBranch(const HloInstruction& conditional) {
  const absl::optional<int64_t> selector = SplatInteger(*conditional.operand(0));
  if (!selector.has_value()) return -1;
  const int last = BranchCount(conditional) - 1;
  if (conditional.operand(0)->shape().element_type() == PRED) return *selector != 0 ? 0 : 1;
  return *selector < 0 || *selector > last ? last : static_cast<int>(*selector);
}

// Operations that may as well be computed although their result is not chosen.
bool IsCheap(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !instruction.called_computations().empty()) return false;
  constexpr uint32_t kCheap = opcode_trait::kGiven | opcode_trait::kBundles | opcode_trait::kElementwise;
  return HasTrait(instruction.opcode(), kCheap) || !IsWork(instruction.opcode());
}

bool IsView(HloOpcode opcode) { return HasTrait(opcode, opcode_trait::kGiven | opcode_trait::kBundles); }

class ConditionalSimplifier {
 public:
  ConditionalSimplifier(HloModule& module, CopyBudget& budget, PassContext& context)
      : module_(module), context_(context), budget_(budget), effects_(context.analyses.Get<SideEffects>(module)) {
    // Callees first, as numbering wants it. Programs are not compared, which are large.
    for (const auto& computation : module.computations()) {
      if (!computation->callers().empty()) numbers_.Number(*computation);
    }
  }

  // By number, since simplifying adds computations; conditionals are listed before any of them is replaced.
  absl::StatusOr<bool> Run() {
    bool changed = false;
    const size_t count = module_.computations().size();
    for (size_t c = 0; c < count; ++c) {
      RETURN_IF_ERROR(context_.CheckDeadline());
      std::vector<HloInstruction*> conditionals;
      for (HloInstruction* instruction : module_.computations()[c]->LiveInstructions()) {
        if (instruction->opcode() == HloOpcode::kConditional) conditionals.push_back(instruction);
      }
      bool simplified = false;
      for (HloInstruction* conditional : conditionals) {
        ASSIGN_OR_RETURN(const bool simplified_one, Simplify(conditional));
        simplified = simplified || simplified_one;
      }
      HloComputation& computation = *module_.computations()[c];
      computation.Tidy();
      if (simplified) RemoveUnused(computation);
      changed = changed || simplified;
    }
    return changed;
  }

 private:
  // Such as selectors, which every copy of the computation would hold: callers may be about to get theirs.
  void RemoveUnused(HloComputation& computation) {
    for (size_t i = computation.instructions().size(); i-- > 0;) {
      HloInstruction* const instruction = computation.instructions()[i].get();
      if (!instruction->users().empty() || computation.root() == instruction || !IsRemovable(*instruction) ||
          effects_->Has(*instruction)) {
        continue;
      }
      computation.RemoveInstruction(instruction);
    }
    computation.Tidy();
  }

  absl::StatusOr<bool> Simplify(HloInstruction* conditional) {
    if (conditional->HasControlEdges()) return false;
    int branch = ConstantBranch(*conditional);
    if (branch >= 0) return TakeBranch(conditional, branch, "conditional-of-constant");
    if (AllBranchesSame(*conditional)) return TakeBranch(conditional, 0, "conditional-of-equal-branches");
    if (CanSelect(*conditional)) return SelectResults(conditional);
    return false;
  }

  bool TakeBranch(HloInstruction* conditional, int branch, const char* rule) {
    HloInstruction* const argument = conditional->operand(branch + 1);
    const HloComputation& body = *conditional->called_computation(branch);
    if (!CanInline(*conditional, body, {argument}) || !MayCopy(body)) return false;
    InlineCall(conditional, body, {argument}, *effects_);
    context_.CountRewrite(rule);
    return true;
  }

  bool AllBranchesSame(const HloInstruction& conditional) {
    for (int i = 1; i < BranchCount(conditional); ++i) {
      if (conditional.operand(i + 1) != conditional.operand(1)) return false;
      if (numbers_.Number(*conditional.called_computation(i)) != numbers_.Number(*conditional.called_computation(0))) {
        return false;
      }
    }
    return true;
  }

  // ---- Computing all branches and selecting

  // Whether computing all branches costs less than a jump: few branches, few cheap instructions, few bytes, and all
  // of them allowed to run when they are not taken.
  bool CanSelect(const HloInstruction& conditional) {
    const int64_t max_bytes = context_.IntOption("max-bytes");
    const int64_t max_instructions = context_.IntOption("max-instructions");
    if (BranchCount(conditional) > context_.IntOption("max-branches")) return false;
    if (!CanSelectShape(conditional.shape())) return false;
    int64_t bytes = 0;
    int64_t instructions = 0;
    for (int i = 0; i < BranchCount(conditional); ++i) {
      const HloComputation& branch = *conditional.called_computation(i);
      if (!CanInline(conditional, branch, {conditional.operand(i + 1)})) return false;
      for (const auto& instruction : branch.instructions()) {
        if (!IsCheap(*instruction)) return false;
        if (IsView(instruction->opcode())) continue;
        if (!instruction->shape().IsArray() || instruction->shape().IsDynamic()) return false;
        const int64_t size = instruction->shape().ByteSize();
        if (++instructions > max_instructions || size > max_bytes - bytes) return false;
        bytes += size;
      }
    }
    const auto branches = conditional.called_computations();
    return std::all_of(branches.begin(), branches.end(),
                       [this](const HloComputation* branch) { return MayCopy(*branch); });
  }

  // What one instruction alone calls is moved rather than copied.
  bool MayCopy(const HloComputation& body) { return !IsShared(body) || budget_.Take(body); }

  // Arrays of known size, in tuples that do not nest deeply.
  static bool CanSelectShape(const Shape& shape, int depth = 0) {
    if (shape.IsArray()) return !shape.IsDynamic();
    if (!shape.IsTuple() || depth > 4) return false;
    const auto elements = shape.tuple_shapes();
    return std::all_of(elements.begin(), elements.end(),
                       [depth](const Shape& element) { return CanSelectShape(element, depth + 1); });
  }

  // Inlines all branches and selects, from the last branch back, as an index out of range means the last one.
  absl::StatusOr<bool> SelectResults(HloInstruction* conditional) {
    HloComputation* const computation = conditional->parent();
    InstructionBuilder builder(computation, conditional);
    std::vector<HloInstruction*> results;
    for (int i = 0; i < BranchCount(*conditional); ++i) {
      results.push_back(InlineBody(*conditional->called_computation(i), {conditional->operand(i + 1)}, computation));
    }
    HloInstruction* const selector = conditional->operand(0);
    HloInstruction* chosen = results.back();
    for (int i = static_cast<int>(results.size()) - 2; i >= 0; --i) {
      HloInstruction* const taken = selector->shape().element_type() == PRED
                                        ? selector
                                        : builder.Compare(ComparisonDirection::kEq, selector, builder.Scalar(S32, i));
      chosen = Select(builder, taken, results[i], chosen);
    }
    RETURN_IF_ERROR(builder.status());
    ReplaceInstruction(conditional, chosen);
    computation->RemoveInstruction(conditional);
    context_.CountRewrite("conditional-to-select");
    return true;
  }

  // Leaf by leaf; the depth of the shape is bounded by CanSelectShape.
  static HloInstruction* Select(InstructionBuilder& builder, HloInstruction* taken, HloInstruction* on_true,
                                HloInstruction* on_false) {
    if (on_true == on_false) return on_true;
    if (on_true->shape().IsArray()) return builder.Select(taken, on_true, on_false);
    std::vector<HloInstruction*> elements;
    for (int64_t i = 0; i < on_true->shape().tuple_size(); ++i) {
      elements.push_back(Select(builder, taken, Element(builder, on_true, i), Element(builder, on_false, i)));
    }
    return builder.Tuple(elements);
  }
  static HloInstruction* Element(InstructionBuilder& builder, HloInstruction* tuple, int64_t i) {
    return tuple->opcode() == HloOpcode::kTuple ? tuple->operand(static_cast<int>(i))
                                                : builder.GetTupleElement(tuple, i);
  }

  HloModule& module_;
  PassContext& context_;
  CopyBudget& budget_;
  ComputationNumbers numbers_;
  const std::shared_ptr<SideEffects> effects_;
};

}  // namespace

absl::StatusOr<bool> SimplifyConditionals(HloModule& module, PassContext& context) {
  CopyBudget budget(module, context);
  bool changed = false;
  // A branch that is substituted for its conditional may hold conditionals of which more is known now.
  while (true) {
    ASSIGN_OR_RETURN(const bool again, ConditionalSimplifier(module, budget, context).Run());
    if (!again) return changed;
    changed = true;
    budget.ForgetSizes();
    module.RemoveUnreachableComputations();
    module.Tidy();
  }
}

}  // namespace xla
