#include "passes/expanding/expand_linear_algebra_calls.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/lapack_calls.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Expand = HloInstruction* (*)(const LapackCallSite& site, InstructionBuilder& build);

struct Routine {
  const char* name;
  Expand expand;
};
constexpr Routine kRoutines[] = {
    {"geqrf", &ExpandGeqrf}, {"getrf", &ExpandGetrf}, {"orgqr", &ExpandOrgqr}, {"ormqr", &ExpandOrmqr},
    {"potrf", &ExpandPotrf}, {"syevd", &ExpandSyevd}, {"trsm", &ExpandTrsm},
};

HloInstruction* ExpandCall(HloInstruction* call, const RuleContext& context) {
  const absl::optional<LapackCallSite> site = AsLapackCall(*call);
  if (!site.has_value()) return nullptr;
  const std::vector<std::string> wanted = context.pass.ListOption("ops");
  if (std::find(wanted.begin(), wanted.end(), site->routine) == wanted.end()) return nullptr;
  for (const Routine& routine : kRoutines) {
    if (routine.name == site->routine) return routine.expand(*site, context.build);
  }
  return nullptr;
}

// Checks the names of routines and the value of `unknown`.
absl::Status CheckOptions(const PassContext& context) {
  for (const std::string& op : context.ListOption("ops")) {
    if (std::none_of(std::begin(kRoutines), std::end(kRoutines), [&](const Routine& r) { return r.name == op; })) {
      std::vector<absl::string_view> names;
      for (const Routine& routine : kRoutines) names.push_back(routine.name);
      return absl::InvalidArgumentError(
          absl::StrCat("option ops: expected any of ", absl::StrJoin(names, ", "), ", got '", op, "'"));
    }
  }
  const absl::string_view unknown = context.Option("unknown");
  if (unknown == "leave" || unknown == "warn" || unknown == "fail") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("option unknown: expected leave, warn or fail, got '", unknown, "'"));
}

// Counts the LAPACK calls that remain, and warns of them or fails as the option says.
absl::Status TellOfOthers(const HloModule& module, PassContext& context) {
  for (const auto& computation : module.computations()) {
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      if (instruction->opcode() != HloOpcode::kCustomCall) continue;
      const std::string& target = instruction->attributes<CustomCallAttributes>().custom_call_target;
      if (!IsLapackTarget(target)) continue;
      context.CountRewrite("lapack-call-left");
      const std::string message =
          absl::StrCat(instruction->ToShortString(), " in computation ", computation->name(), ": the call of ", target,
                       " is not expanded: no expansion of it is known or asked for, or operands, results and "
                       "attributes are not those of the routine");
      if (context.Option("unknown") == "fail") return absl::UnimplementedError(message);
      if (context.Option("unknown") == "warn") context.Warn(message);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> ExpandLinearAlgebraCalls(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"lapack-call",
                                    "custom-call(a), target lapack_*_ffi => while (j) { row or column j .. }",
                                    {HloOpcode::kCustomCall},
                                    &ExpandCall};
  RETURN_IF_ERROR(CheckOptions(context));
  ASSIGN_OR_RETURN(const bool changed, ApplyRules({&kRule}, module, context));
  RETURN_IF_ERROR(TellOfOthers(module, context));
  return changed;
}

}  // namespace xla
