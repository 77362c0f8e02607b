#include "passes/loops/simplify_loops.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/trip_counts.h"
#include "passes/base/copy_budget.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/cleaning/inline_call.h"
#include "passes/loops/loop_parts.h"
#include "passes/loops/replacements.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Instructions of an expression of constants that a loop may make for itself.
constexpr int kMaxConstantExpression = 8;

// Whether the value is made of constants alone, without arithmetic: constant, iota, broadcasts and reshapes of them.
bool IsConstantExpression(const HloInstruction* value) {
  for (int steps = 0; steps < kMaxConstantExpression; ++steps) {
    if (HasTrait(value->opcode(), opcode_trait::kFromAttributes)) return true;
    if (value->opcode() != HloOpcode::kBroadcast && value->opcode() != HloOpcode::kReshape) return false;
    value = value->operand(0);
  }
  return false;
}

HloInstruction* CopyConstantExpression(const HloInstruction* value, HloComputation* into) {
  std::vector<const HloInstruction*> chain = {value};
  while (chain.back()->operand_count() == 1) chain.push_back(chain.back()->operand(0));
  HloInstruction* copy = AddClone(*chain.back(), {}, into);
  for (size_t i = chain.size() - 1; i-- > 0;) copy = AddClone(*chain[i], {copy}, into);
  return copy;
}

// Which elements of the state are read, that is, used other than to pass them on.
class ElementReads {
 public:
  explicit ElementReads(const LoopParts& parts) : next_(*parts.next) {
    for (const HloInstruction* value : next_.operands()) ++uses_in_next_[value];
  }

  // `element` is element i, in the condition or in the body.
  bool IsRead(const HloInstruction& element, int i) const {
    const auto found = uses_in_next_.find(&element);
    const int in_next = found == uses_in_next_.end() ? 0 : found->second;
    const int handed_on = next_.operand(i) == &element ? 1 : 0;
    const size_t as_user = in_next > 0 ? 1 : 0;
    return in_next > handed_on || element.users().size() > as_user || element.parent()->root() == &element;
  }

 private:
  const HloInstruction& next_;
  absl::flat_hash_map<const HloInstruction*, int> uses_in_next_;
};

class LoopSimplifier {
 public:
  LoopSimplifier(HloModule& module, CopyBudget& budget, PassContext& context)
      : module_(module), context_(context), budget_(budget), effects_(context.analyses.Get<SideEffects>(module)) {}

  // First simplifies the state of all loops, then removes loops that run at most once.
  absl::StatusOr<bool> Run() {
    bool changed = false;
    const size_t count = module_.computations().size();
    for (size_t c = 0; c < count; ++c) {
      RETURN_IF_ERROR(context_.CheckDeadline());
      HloComputation* const computation = module_.computations()[c].get();
      for (HloInstruction* loop : computation->LiveInstructions()) {
        if (loop->opcode() != HloOpcode::kWhile) continue;
        if (!SimplifyState(loop)) continue;
        for (HloComputation* callee : loop->called_computations()) callee->Tidy();
        changed = true;
      }
    }
    for (size_t c = 0; c < count; ++c) {
      HloComputation* const computation = module_.computations()[c].get();
      std::vector<HloInstruction*> loops;
      for (HloInstruction* instruction : computation->LiveInstructions()) {
        if (instruction->opcode() == HloOpcode::kWhile) loops.push_back(instruction);
      }
      for (HloInstruction* loop : loops) {
        if (RemoveLoop(loop)) changed = true;
      }
      computation->Tidy();
    }
    return changed;
  }

 private:
  bool Count(const char* rule) {
    context_.CountRewrite(rule);
    return true;
  }

  bool SimplifyState(HloInstruction* loop) {
    absl::optional<LoopParts> parts = FindLoopParts(loop);
    if (!parts.has_value()) return false;
    bool changed = ReadInvariantsFromStart(*parts);
    changed = MakeConstantsInside(*parts) || changed;
    changed = MergeEqualElements(*parts) || changed;
    return MergeDistantElements(*parts) || changed;
  }

  // After the loop an element that never changes is what it was before.
  bool ReadInvariantsFromStart(const LoopParts& parts) {
    bool changed = false;
    TupleElements elements, first_elements;
    Replacements replacements;
    for (int i = 0; i < parts.size(); ++i) {
      if (!parts.IsInvariant(i)) continue;
      for (HloInstruction* element : elements.Of(*parts.loop, i)) {
        const bool is_root = element->parent()->root() == element;
        if (element->HasControlEdges() || (element->users().empty() && !is_root)) continue;
        HloInstruction* const known = parts.Initial(i);
        replacements.Add(element, known != nullptr ? known : first_elements.One(parts.loop->operand(0), i));
        changed = Count("invariant-state-read-from-start");
      }
    }
    replacements.Apply();
    return changed;
  }

  // Replaces elements of the state that are constant expressions and never change by copies of them inside. What is
  // passed on to the next iteration stays an element.
  bool MakeConstantsInside(LoopParts& parts) {
    TupleElements elements;
    const std::vector<int> constants = ConstantsThatAreRead(parts, elements);
    if (constants.empty() || !MakeOwn(parts)) return false;
    const ElementReads reads(parts);
    std::vector<HloInstruction*> handed_on;
    Replacements replacements;
    const auto replace = [&](HloComputation* computation, const HloInstruction& parameter, int i) {
      for (HloInstruction* element : elements.Of(parameter, i)) {
        if (!reads.IsRead(*element, i)) continue;
        replacements.Add(element, CopyConstantExpression(parts.Initial(i), computation));
      }
    };
    for (const int i : constants) {
      handed_on.push_back(parts.next->operand(i));
      replace(parts.condition, *parts.condition_parameter, i);
      replace(parts.body, *parts.body_parameter, i);
    }
    replacements.Apply();
    std::vector<HloInstruction*> next(parts.next->operands().begin(), parts.next->operands().end());
    for (size_t k = 0; k < constants.size(); ++k) next[constants[k]] = handed_on[k];
    parts.next->SetOperands(next);
    context_.CountRewrite("constant-state-made-inside", static_cast<int64_t>(constants.size()));
    return true;
  }

  // The elements of the state that never change, begin as constant expressions, and are read.
  static std::vector<int> ConstantsThatAreRead(const LoopParts& parts, TupleElements& elements) {
    const ElementReads reads(parts);
    std::vector<int> constants;
    for (int i = 0; i < parts.size(); ++i) {
      const HloInstruction* const initial = parts.Initial(i);
      if (!parts.IsInvariant(i) || initial == nullptr || !IsConstantExpression(initial)) continue;
      const auto any_is_read = [&](const HloInstruction& parameter) {
        const auto of_parameter = elements.Of(parameter, i);
        return std::any_of(of_parameter.begin(), of_parameter.end(),
                           [&](const HloInstruction* element) { return reads.IsRead(*element, i); });
      };
      if (any_is_read(*parts.condition_parameter) || any_is_read(*parts.body_parameter)) constants.push_back(i);
    }
    return constants;
  }

  // Whether `element` is used other than as operand i of `next`.
  static bool HasUseBesides(const HloInstruction& element, const HloInstruction* next, int i) {
    if (element.parent()->root() == &element) return true;
    for (const HloInstruction* user : element.users()) {
      if (user != next) return true;
      for (int o = 0; o < user->operand_count(); ++o) {
        if (user->operand(o) == &element && o != i) return true;
      }
    }
    return false;
  }

  // In every use but as operand i of `next`.
  static void ReplaceUses(HloInstruction* element, HloInstruction* value, HloInstruction* next, int i) {
    const bool handed_on = next != nullptr && next->operand(i) == element;
    ReplaceInstruction(element, value);
    if (handed_on) next->ReplaceOperand(i, element);
  }

  // Elements that begin as the same value and change in the same way: both passed on, both given the same next value,
  // or both added the same constant to.
  bool MergeEqualElements(LoopParts& parts) {
    if (parts.loop->operand(0)->opcode() != HloOpcode::kTuple) return false;
    bool changed = false;
    TupleElements elements;
    absl::flat_hash_map<const HloInstruction*, std::vector<int>> by_start;
    for (int i = 0; i < parts.size(); ++i) {
      std::vector<int>& candidates = by_start[parts.Initial(i)];
      bool merged = false;
      for (const int first : candidates) {
        if (!ChangeAlike(parts, first, i)) continue;
        changed = Merge(elements, parts, first, i) || changed;
        merged = true;
        break;
      }
      // A long list of equal starts that change in different ways is not worth comparing with each other.
      if (!merged && candidates.size() < 16) candidates.push_back(i);
    }
    return changed;
  }

  static bool IsElementOf(const HloInstruction* value, const HloInstruction* tuple, int i) {
    return value->opcode() == HloOpcode::kGetTupleElement && value->operand(0) == tuple &&
           value->attributes<GetTupleElementAttributes>().index == i;
  }

  static bool ChangeAlike(const LoopParts& parts, int a, int b) {
    const HloInstruction* const next_a = parts.next->operand(a);
    const HloInstruction* const next_b = parts.next->operand(b);
    if (!next_a->shape().Equal(next_b->shape())) return false;
    if (parts.IsInvariant(a) && parts.IsInvariant(b)) return true;
    if (next_a == next_b) return !parts.IsInvariant(a) && !parts.IsInvariant(b);
    return AreAddedTheSame(parts, a, b);
  }

  static bool AreAddedTheSame(const LoopParts& parts, int a, int b) {
    const HloInstruction* const next_a = parts.next->operand(a);
    const HloInstruction* const next_b = parts.next->operand(b);
    const bool both_add = next_a->opcode() == HloOpcode::kAdd && next_b->opcode() == HloOpcode::kAdd;
    return both_add && IsElementOf(next_a->operand(0), parts.body_parameter, a) &&
           IsElementOf(next_b->operand(0), parts.body_parameter, b) &&
           SameStep(*next_a->operand(1), *next_b->operand(1));
  }

  static bool SameStep(const HloInstruction& a, const HloInstruction& b) {
    if (&a == &b) return true;
    const Literal* const left = ConstantValue(a);
    const Literal* const right = ConstantValue(b);
    return left != nullptr && right != nullptr && left->BitwiseEquals(*right);
  }

  // Integers that begin as constants and are added the same stay as far apart as they are: of several counters one is
  // enough, and another is a sum. Conditions keep their counter, since trip counts are read from them.
  bool MergeDistantElements(LoopParts& parts) {
    bool changed = false;
    TupleElements elements;
    absl::flat_hash_map<const HloInstruction*, int> uses_in_next;
    for (const HloInstruction* next : parts.next->operands()) ++uses_in_next[next];
    absl::flat_hash_map<PrimitiveType, std::vector<int>> by_type;
    for (int i = 0; i < parts.size(); ++i) {
      const HloInstruction* const start = parts.Initial(i);
      if (start == nullptr || !IsInt(start->shape().element_type()) || start->shape().rank() != 0 ||
          ConstantValue(*start) == nullptr) {
        continue;
      }
      // What else reads the value of the next iteration keeps the addition.
      const HloInstruction* const next = parts.next->operand(i);
      if (next->users().size() != 1 || uses_in_next[next] != 1) continue;
      std::vector<int>& candidates = by_type[start->shape().element_type()];
      bool merged = false;
      for (int& first : candidates) {
        if (!AreAddedTheSame(parts, first, i)) continue;
        if (IsUsed(elements, parts, parts.condition_parameter, nullptr, i)) {
          if (IsUsed(elements, parts, parts.condition_parameter, nullptr, first)) continue;
          changed = MergeDistant(elements, parts, i, first) || changed;
          first = i;
        } else {
          changed = MergeDistant(elements, parts, first, i) || changed;
        }
        merged = true;
        break;
      }
      // As with equal starts.
      if (!merged && candidates.size() < 16) candidates.push_back(i);
    }
    return changed;
  }

  // initial(merged) - initial(kept), which wraps as the counters do.
  static absl::StatusOr<Literal> Distance(const LoopParts& parts, int kept, int merged) {
    ASSIGN_OR_RETURN(const Literal from, LiteralUtil::Convert(*ConstantValue(*parts.Initial(kept)), S64));
    ASSIGN_OR_RETURN(const Literal to, LiteralUtil::Convert(*ConstantValue(*parts.Initial(merged)), S64));
    const uint64_t distance = static_cast<uint64_t>(*to.data<int64_t>()) - static_cast<uint64_t>(*from.data<int64_t>());
    return LiteralUtil::Convert(Literal::Scalar<int64_t>(static_cast<int64_t>(distance)),
                                parts.Initial(kept)->shape().element_type());
  }

  // Replaces element `merged` by element `kept` and its distance to that one.
  bool MergeDistant(TupleElements& elements, LoopParts& parts, int kept, int merged) {
    const bool result_used = IsUsed(elements, parts, parts.loop, nullptr, merged);
    const bool inside_used = IsUsed(elements, parts, parts.body_parameter, OwnUser(parts, kept, merged), merged);
    if (!result_used && !inside_used) return false;
    const absl::StatusOr<Literal> distance = Distance(parts, kept, merged);
    if (!distance.ok() || (inside_used && !MakeOwn(parts))) return false;
    const auto replace = [&](HloInstruction* tuple, HloInstruction* own) {
      InstructionBuilder build(tuple->parent(), tuple);
      HloInstruction* const sum = build.Add(elements.One(tuple, kept), build.Constant(*distance));
      for (HloInstruction* element : elements.Of(*tuple, merged)) ReplaceUsesBut(element, sum, own);
    };
    if (inside_used) replace(parts.body_parameter, OwnUser(parts, kept, merged));
    if (result_used) replace(parts.loop, nullptr);
    return Count("distant-state-merged");
  }

  // What keeps element i changing as it does: the tuple that it is passed on in, or the addition to it. Uses there
  // stay.
  static HloInstruction* OwnUser(const LoopParts& parts, int kept, int i) {
    if (parts.IsInvariant(i)) return parts.next;
    return parts.next->operand(kept) == parts.next->operand(i) ? nullptr : parts.next->operand(i);
  }

  static bool HasUseBesides(const HloInstruction& element, const HloInstruction* own, const LoopParts& parts, int i) {
    if (own == parts.next) return HasUseBesides(element, own, i);
    if (element.parent()->root() == &element) return true;
    const auto users = element.users();
    return std::any_of(users.begin(), users.end(), [own](const HloInstruction* user) { return user != own; });
  }

  // Whether element i of the tuple is used other than by `own`.
  static bool IsUsed(TupleElements& elements, const LoopParts& parts, const HloInstruction* tuple,
                     const HloInstruction* own, int i) {
    const auto of_tuple = elements.Of(*tuple, i);
    return std::any_of(of_tuple.begin(), of_tuple.end(),
                       [&](const HloInstruction* element) { return HasUseBesides(*element, own, parts, i); });
  }

  // Gives the users of `element` but `own`, an addition to it, the value.
  static void ReplaceUsesBut(HloInstruction* element, HloInstruction* value, HloInstruction* own) {
    const bool own_uses = own != nullptr && own->operand(0) == element;
    ReplaceInstruction(element, value);
    if (own_uses) own->ReplaceOperand(0, element);
  }

  // Replaces element `merged` by `kept`, which has the same value in every iteration, wherever it is used. The
  // element itself remains until dead code is removed.
  bool Merge(TupleElements& elements, LoopParts& parts, int kept, int merged) {
    const bool result_used = IsUsed(elements, parts, parts.loop, nullptr, merged);
    const bool inside_used = IsUsed(elements, parts, parts.condition_parameter, nullptr, merged) ||
                             IsUsed(elements, parts, parts.body_parameter, OwnUser(parts, kept, merged), merged);
    if (!result_used && !inside_used) return false;
    if (inside_used) {
      if (!MakeOwn(parts)) return false;
      ReplaceElements(elements, parts.condition_parameter, kept, merged, nullptr, parts);
      ReplaceElements(elements, parts.body_parameter, kept, merged, OwnUser(parts, kept, merged), parts);
    }
    if (result_used) ReplaceElements(elements, parts.loop, kept, merged, nullptr, parts);
    return Count("equal-state-merged");
  }

  // Gives the users of element `merged`, but for `own`, element `kept`.
  static void ReplaceElements(TupleElements& elements, HloInstruction* tuple, int kept, int merged, HloInstruction* own,
                              const LoopParts& parts) {
    if (elements.Of(*tuple, merged).empty()) return;
    HloInstruction* const value = elements.One(tuple, kept);
    for (HloInstruction* element : elements.Of(*tuple, merged)) {
      if (own == parts.next && own != nullptr) {
        ReplaceUses(element, value, own, merged);
      } else {
        ReplaceUsesBut(element, value, own);
      }
    }
  }

  // Replaces a loop without iterations by its initial state, and one of a single iteration by its body.
  bool RemoveLoop(HloInstruction* loop) {
    if (loop->HasControlEdges() || effects_->Has(*loop->called_computation(0))) return false;
    const absl::optional<int64_t> turns = TripCount(*loop);
    if (!turns.has_value() || *turns > 1) return false;
    if (*turns == 0) {
      ReplaceInstruction(loop, loop->operand(0));
      loop->parent()->RemoveInstruction(loop);
      return Count("loop-without-turns");
    }
    HloInstruction* const state = loop->operand(0);
    if (!CanInline(*loop, *loop->called_computation(1), {state})) return false;
    const HloComputation& body = *loop->called_computation(1);
    if (IsShared(body) && !budget_.Take(body)) return false;
    InlineCall(loop, body, {state}, *effects_);
    return Count("loop-of-one-turn");
  }

  HloModule& module_;
  PassContext& context_;
  CopyBudget& budget_;
  const std::shared_ptr<SideEffects> effects_;
};

}  // namespace

absl::StatusOr<bool> SimplifyLoops(HloModule& module, PassContext& context) {
  CopyBudget budget(module, context);
  bool changed = false;
  // A body that is substituted for its loop may hold loops of which more is known now.
  while (true) {
    ASSIGN_OR_RETURN(const bool again, LoopSimplifier(module, budget, context).Run());
    if (!again) return changed;
    changed = true;
    budget.ForgetSizes();
    module.RemoveUnreachableComputations();
    module.Tidy();
  }
}

}  // namespace xla
