#include "passes/base/rewrite_rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/same_shape.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/copy_budget.h"
#include "passes/base/odd_forms.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Rewrites per instruction of a computation that ordinary programs never come near.
constexpr int64_t kRewritesPerInstruction = 32;
constexpr int64_t kSpareRewrites = 1000;
// One that writes out a function, as that of a generator of random numbers, takes up to a tenth of a millisecond.
constexpr int64_t kStepsBetweenDeadlineChecks = 32;
// A rule may look further than the operands of its root, so what a rewrite made possible may be further away than what
// is looked at again: all is, until nothing changes. So with what became unused.
constexpr int kMaxScans = 16;

// New, and of an operation whose result is the same in any layout.
bool TakesAnyLayout(const HloInstruction& instruction) {
  return instruction.users().empty() && !instruction.shape().has_layout() && !instruction.shape().IsTuple() &&
         instruction.opcode() != HloOpcode::kBitcast && instruction.opcode() != HloOpcode::kConstant &&
         instruction.opcode() != HloOpcode::kParameter;
}

// The rules by opcode of their root, in order.
class RuleIndex {
 public:
  RuleIndex(absl::Span<const RewriteRule* const> rules, const PassContext& context) : by_opcode_(AllOpcodes().size()) {
    for (const RewriteRule* rule : rules) {
      if (!context.RuleEnabled(rule->name) || !context.FastMathAllows(rule->fast_math)) continue;
      for (const HloOpcode opcode : rule->opcodes) by_opcode_[static_cast<size_t>(opcode)].push_back(rule);
    }
  }
  const std::vector<const RewriteRule*>& For(HloOpcode opcode) const { return by_opcode_[static_cast<size_t>(opcode)]; }

 private:
  std::vector<std::vector<const RewriteRule*>> by_opcode_;
};

// Of instructions of one computation, which is not tidied meanwhile.
class Worklist {
 public:
  void Push(HloInstruction* instruction) {
    const size_t place = static_cast<size_t>(instruction->place());
    if (place >= is_queued_.size()) is_queued_.resize(std::max(place + 1, 2 * is_queued_.size()), false);
    if (is_queued_[place]) return;
    is_queued_[place] = true;
    queue_.push_back(instruction);
  }
  HloInstruction* Pop() {
    HloInstruction* const next = queue_.front();
    queue_.pop_front();
    is_queued_[next->place()] = false;
    return next;
  }
  bool empty() const { return queue_.empty(); }

 private:
  std::deque<HloInstruction*> queue_;
  std::vector<bool> is_queued_;  // by place
};

// What is written at an instruction holds for the new one that takes its place.
void CarryAnnotations(const HloInstruction& from, HloInstruction* to) {
  if (!from.has_annotations()) return;
  const InstructionAnnotations& old = from.annotations();
  if (old.sharding.has_value() && !to->annotations().sharding.has_value()) {
    to->mutable_annotations().sharding = old.sharding;
  }
  if (!old.frontend_attributes.empty() && to->annotations().frontend_attributes.empty()) {
    to->mutable_annotations().frontend_attributes = old.frontend_attributes;
  }
}

// Applies rules to one computation.
class Rewriter {
 public:
  Rewriter(const RuleIndex& rules, HloComputation* computation, SideEffects& effects, CopyBudget& budget,
           PassContext& context)
      : rules_(rules), computation_(computation), effects_(effects), budget_(budget), context_(context) {}

  absl::StatusOr<bool> Run() {
    const int64_t limit = kRewritesPerInstruction * computation_->instruction_count() + kSpareRewrites;
    for (int scan = 0; scan < kMaxScans; ++scan) {
      const int64_t changes_before = changes_;
      for (HloInstruction* instruction : computation_->LiveInstructions()) worklist_.Push(instruction);
      RETURN_IF_ERROR(EmptyWorklist(limit));
      if (changes_ == changes_before || rewrites_ > limit) break;
    }
    return changes_ > 0;
  }

 private:
  // Rewrites until nothing is left to look at. The limit ends endless rewriting, which a pair of rules that undo each
  // other would cause; the module is then left as it is, which is correct.
  absl::Status EmptyWorklist(int64_t limit) {
    for (int64_t step = 0; !worklist_.empty(); ++step) {
      if (step % kStepsBetweenDeadlineChecks == 0) RETURN_IF_ERROR(context_.CheckDeadline());
      HloInstruction* const instruction = worklist_.Pop();
      if (instruction->is_removed() || RemoveIfDead(instruction)) continue;
      RETURN_IF_ERROR(Rewrite(instruction));
      if (rewrites_ > limit) {
        context_.Warn(absl::StrCat("gave up in computation ", computation_->name(), " after ", rewrites_,
                                   " rewrites, the last by rule ", last_rule_, ", because rules undo each other"));
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }
  // Removes `start` if nothing uses it, then every operand that loses its last user thereby. Operands that stay are
  // visited again, since rules that require a single user may match now.
  bool RemoveIfDead(HloInstruction* start) {
    if (!IsDead(*start)) return false;
    std::vector<HloInstruction*> dead = {start};
    while (!dead.empty()) {
      HloInstruction* const instruction = dead.back();
      dead.pop_back();
      if (instruction->is_removed()) continue;
      const std::vector<HloInstruction*> operands(instruction->operands().begin(), instruction->operands().end());
      computation_->RemoveInstruction(instruction);
      ++changes_;
      context_.CountRewrite("remove-dead");
      for (HloInstruction* operand : operands) {
        if (IsDead(*operand)) {
          dead.push_back(operand);
        } else {
          Revisit(operand);
        }
      }
    }
    return true;
  }
  bool IsDead(const HloInstruction& instruction) {
    return instruction.users().empty() && computation_->root() != &instruction && IsRemovable(instruction) &&
           !effects_.Has(instruction);
  }
  // An instruction that lost a user, and its last user, which may now be its only one.
  void Revisit(HloInstruction* instruction) {
    worklist_.Push(instruction);
    if (instruction->users().size() == 1) worklist_.Push(instruction->users()[0]);
  }

  // Tries the rules for the opcode in their order until one fires. Rules see instructions with dynamic dimensions or
  // odd forms only if they declare that they handle them; instructions with control edges or side effects are left
  // alone, and so is what calls more than there is room for copies of.
  absl::Status Rewrite(HloInstruction* root) {
    const auto& rules = rules_.For(root->opcode());
    if (rules.empty() || !context_.MayRewrite() || root->HasControlEdges() || effects_.Has(*root) ||
        !budget_.TakeCallees(*root)) {
      return absl::OkStatus();
    }
    const StepWatch watch(*root, context_);
    absl::optional<bool> dynamic, odd;  // asked for when it matters
    for (const RewriteRule* rule : rules) {
      if (!rule->dynamic_dimensions) {
        if (!dynamic.has_value()) dynamic = IsDynamic(*root);
        if (*dynamic) continue;
      }
      if (!rule->odd_forms) {
        if (!odd.has_value()) odd = IsOdd(*root);
        if (*odd) continue;
      }
      ASSIGN_OR_RETURN(const bool fired, Apply(*rule, root));
      if (fired) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  static bool IsOdd(const HloInstruction& instruction) {
    const auto operands = instruction.operands();
    return IsOddForm(instruction) ||
           std::any_of(operands.begin(), operands.end(), [](const HloInstruction* o) { return IsOddForm(*o); });
  }

  bool IsDynamic(const HloInstruction& instruction) {
    const auto operands = instruction.operands();
    return HasDynamicShape(instruction) || std::any_of(operands.begin(), operands.end(),
                                                       [this](const HloInstruction* o) { return HasDynamicShape(*o); });
  }
  // Each element of a wide tuple asks this of the tuple.
  bool HasDynamicShape(const HloInstruction& instruction) {
    if (!instruction.shape().IsTuple()) return instruction.shape().IsDynamic();
    const auto [known, is_new] = dynamic_tuples_.try_emplace(&instruction, false);
    if (is_new) known->second = instruction.shape().IsDynamic();
    return known->second;
  }

  // Runs one rule at `root`. A rule that gives nullptr or `root` did not match, and what it has built meanwhile is
  // removed. Otherwise all users are given the replacement, which must have a compatible shape, and everything around
  // it is put in the queue again.
  absl::StatusOr<bool> Apply(const RewriteRule& rule, HloInstruction* root) {
    MatchLog log;
    InstructionBuilder builder(computation_, root);
    const size_t before = computation_->instructions().size();
    const RuleContext rule_context{builder, context_, context_.WantsExplanation("match") ? &log : nullptr};
    HloInstruction* const replacement = rule.rewrite(root, rule_context);
    RETURN_IF_ERROR(builder.status());
    if (replacement == nullptr || replacement == root) {
      TakeBack(before);
      if (!log.why().empty()) context_.Explain(*root, absl::StrCat(rule.name, ": ", log.why()));
      return false;
    }
    if (!replacement->shape().Compatible(root->shape())) {
      return absl::InternalError(absl::StrCat("rule ", rule.name, " replaced ", root->ToShortString(), " by ",
                                              replacement->ToShortString(),
                                              ", which has another shape; please report this with the module"));
    }
    context_.CountRewriteOf(rule.name, *root);
    const std::vector<HloInstruction*> users(root->users().begin(), root->users().end());
    if (replacement->users().empty()) CarryAnnotations(*root, replacement);
    ReplaceInstruction(root, replacement);
    ++changes_;
    ++rewrites_;
    last_rule_ = rule.name;
    Requeue(root, replacement, users, before);
    return true;
  }

  // Removes what a rule made before it gave up: the last of the list, users before operands.
  void TakeBack(size_t before) {
    for (size_t i = computation_->instructions().size(); i > before; --i) {
      HloInstruction* const instruction = computation_->instructions()[i - 1].get();
      if (instruction->users().empty()) computation_->RemoveInstruction(instruction);
    }
  }

  // `users` of the root, and not all that the replacement has: those may be many, each time.
  void Requeue(HloInstruction* root, HloInstruction* replacement, absl::Span<HloInstruction* const> users,
               size_t before) {
    for (size_t i = before; i < computation_->instructions().size(); ++i) {
      worklist_.Push(computation_->instructions()[i].get());
    }
    worklist_.Push(replacement);
    for (HloInstruction* user : users) worklist_.Push(user);
    RemoveIfDead(root);
  }

  const RuleIndex& rules_;
  HloComputation* const computation_;
  SideEffects& effects_;
  CopyBudget& budget_;
  PassContext& context_;
  Worklist worklist_;
  // Whether shapes of tuples are dynamic, which no rewrite changes; instructions stay in memory as long as this does.
  absl::flat_hash_map<const HloInstruction*, bool> dynamic_tuples_;
  int64_t changes_ = 0;  // rewrites, and instructions that were removed unused
  int64_t rewrites_ = 0;
  std::string last_rule_;
};

// Those that the entry runs. The others wait to be removed; whether their form means something, is lost. Computations
// that rules have just made stand after all others, whoever calls them.
absl::flat_hash_set<const HloComputation*> ReachableComputations(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> reachable = {module.entry()};
  std::vector<const HloComputation*> open = {module.entry()};
  while (!open.empty()) {
    const HloComputation* const computation = open.back();
    open.pop_back();
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        if (reachable.insert(callee).second) open.push_back(callee);
      }
    }
  }
  return reachable;
}

// What was begun and has to run has to end, too.
bool EndsSideEffect(const HloInstruction& instruction) {
  const HloInstruction* start = &instruction;
  while (HasTrait(start->opcode(), opcode_trait::kEnds)) start = start->operand(0);
  return start != &instruction && SideEffects().Has(*start);
}

}  // namespace

bool LayoutMayBeSeen(const HloInstruction& instruction) {
  if (instruction.parent()->root() == &instruction) return true;
  const auto users = instruction.users();
  return std::any_of(users.begin(), users.end(), [](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kBitcast || user->opcode() == HloOpcode::kCustomCall;
  });
}

bool IsRemovable(const HloInstruction& instruction) {
  return instruction.opcode() != HloOpcode::kParameter && !instruction.HasControlEdges() &&
         !EndsSideEffect(instruction);
}

// Gives all users the replacement. Where someone sees the layout, the replacement takes it on, or a copy to it is
// inserted.
void ReplaceInstruction(HloInstruction* old, HloInstruction* replacement) {
  const bool layout_matters =
      !SameShapeAndLayout(old->shape(), replacement->shape(), Shape::kIgnoreDynamic) && LayoutMayBeSeen(*old);
  if (layout_matters && TakesAnyLayout(*replacement)) {
    replacement->mutable_shape() = old->shape();
  } else if (layout_matters) {
    auto copy = std::make_unique<HloInstruction>(HloOpcode::kCopy, "", old->shape());
    copy->AddOperand(replacement);
    replacement = old->parent()->AddInstruction(std::move(copy));
  }
  if (old->HasControlEdges()) old->MoveControlEdgesTo(replacement);
  old->ReplaceAllUsesWith(replacement);
}

namespace {

// Applies the rules to the computations that the module has now.
absl::StatusOr<bool> ApplyToPresent(const RuleIndex& index, HloModule& module, CopyBudget& budget,
                                    PassContext& context) {
  const auto reachable = ReachableComputations(module);
  const auto effects = context.analyses.Get<SideEffects>(module);
  bool changed = false;
  const size_t count = module.computations().size();
  std::vector<bool> visited(count, false);
  // A custom call that goes, unused, leaves its computation to the rules if it has another caller.
  for (bool any_visited = true, any_fixed = true; any_visited && any_fixed;) {
    any_visited = any_fixed = false;
    for (size_t i = 0; i < count; ++i) {
      HloComputation* const computation = module.computations()[i].get();
      if (visited[i] || !reachable.contains(computation)) continue;
      if (IsFixedByCaller(*computation)) {
        any_fixed = true;
        continue;
      }
      visited[i] = any_visited = true;
      ASSIGN_OR_RETURN(const bool computation_changed, Rewriter(index, computation, *effects, budget, context).Run());
      changed = changed || computation_changed;
      computation->Tidy();  // a rule may clone what its root calls
    }
  }
  return changed;
}

}  // namespace

// Applies the rules to all computations, and again if they added some.
absl::StatusOr<bool> ApplyRules(absl::Span<const RewriteRule* const> rules, HloModule& module, PassContext& context) {
  const RuleIndex index(rules, context);
  CopyBudget budget(module, context);
  bool changed = false;
  // What rules say of an instruction may depend on the computation that it calls: where they made computations, these
  // have their turn, and then their callers once more.
  for (size_t known = 0; known != module.computations().size();) {
    known = module.computations().size();
    ASSIGN_OR_RETURN(const bool changed_now, ApplyToPresent(index, module, budget, context));
    changed = changed || changed_now;
  }
  return changed;
}

}  // namespace xla
