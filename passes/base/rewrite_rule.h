// Rewrite rules as data, and the worklist that applies them.
//
// A rule looks at one instruction and what it stands on, and returns what should stand in its place. The worklist
// begins with all instructions, operands first; where a rule fires, what was added, its users and what lost a user are
// looked at again, so the work is proportional to the module and to the number of rewrites. The first rule that fires
// wins.
#ifndef PASSES_BASE_REWRITE_RULE_H_
#define PASSES_BASE_REWRITE_RULE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/pass_context.h"
#include "passes/base/pattern.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// What a rule is given besides its root.
struct RuleContext {
  InstructionBuilder& build;
  PassContext& pass;
  // Not nullptr if the user asked why rules do not match: pass it to Match.
  MatchLog* log;
};

// A row of a family's list. A rule is local: it may look at the root, its operands and users, and change nothing but
// by what it returns. Strings are static.
struct RewriteRule {
  const char* name;                // "add-zero", as --disable-rule= and --stats spell it
  const char* before_after;        // "add(x, 0) => x  (integers)"
  std::vector<HloOpcode> opcodes;  // of the root
  // The replacement, which has a compatible shape: another instruction, or one made with `build`; nullptr: does not
  // apply. What was made for a rule that then gives up is removed again.
  HloInstruction* (*rewrite)(HloInstruction* root, const RuleContext& context);
  unsigned fast_math = kExact;  // groups that must be on
  // Rules see no instruction that is dynamic or has a dynamic operand unless they say that they can.
  bool dynamic_dimensions = false;
  // Nor any of an odd form (odd_forms.h), or with an operand of one.
  bool odd_forms = false;
};

// Applies the rules to all computations until none fires; true if any did. Instructions without users are removed as
// they appear. Instructions with control edges or side effects, and the computations of custom calls and custom
// fusions, stay as they are, and so does what calls computations that copies of would make the program too large
// (CopyBudget). A layout that a replaced instruction had, and a user might see, is kept. Stops with a
// warning after so many rewrites that rules must be undoing each other. Counts rewrites by rule.
absl::StatusOr<bool> ApplyRules(absl::Span<const RewriteRule* const> rules, HloModule& module, PassContext& context);

// Whether a user may look at the layout of the value: the caller of its computation; a bitcast, which reads the
// physical order of its operand; or a custom call.
bool LayoutMayBeSeen(const HloInstruction& instruction);

// Whether the instruction can go once nothing uses it: no side effect of its own or of what it calls, no control edge,
// not a parameter.
bool IsRemovable(const HloInstruction& instruction);

// Replaces `old` by `replacement`, as users and root see it, and keeps the layout that `old` had if a user
// might see it, by a copy if need be. Control edges of `old` move. `old` stays, without users.
void ReplaceInstruction(HloInstruction* old, HloInstruction* replacement);

}  // namespace xla

#endif  // PASSES_BASE_REWRITE_RULE_H_
