#include "passes/check/differential_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr int64_t kLimitFactorAfter = 8;

constexpr struct {
  CheckInputKind kind;
  const char* name;
} kKinds[] = {{CheckInputKind::kOrdinary, "ordinary"},
              {CheckInputKind::kWholeNumbers, "whole-number"},
              {CheckInputKind::kEdgeValues, "edge-valued"}};

bool IsLimit(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status);
}

std::string Difference(const RunOutcome& got, const RunOutcome& want, const ExactOutputs& exact) {
  if (!got.status.ok()) return absl::StrCat("the program fails now: ", got.status.message());
  return DifferenceBetween(got, want, exact);
}

std::string RulesThatFired(const RewriteCounts& counts) {
  if (counts.empty()) return "";
  return absl::StrCat("one of ", absl::StrJoin(counts, ", ", [](std::string* out, const auto& count) {
                        absl::StrAppend(out, count.first, " (", count.second, " times)");
                      }));
}

}  // namespace

std::string CheckFinding::ToString() const {
  const std::string who = pass.empty() ? "all passes together, though none of them alone,"
                                       : absl::StrCat("pass ", pass, " (run ", number, ")");
  return absl::StrCat(who, " changed what the program computes, with ", arguments,
                      rewrite.empty() ? "" : absl::StrCat("\nrewrite: ", rewrite), "\n", difference);
}

DifferentialCheck::DifferentialCheck(DifferentialCheckOptions options, PassContext& context)
    : options_(std::move(options)), context_(context) {}
DifferentialCheck::~DifferentialCheck() = default;

void DifferentialCheck::Skip(absl::string_view reason) {
  ++counts_.skipped_sets;
  counts_.skip_reason = std::string(reason);
}

// A set whose arguments exceed the limits is skipped and counted, not reported as a difference.
void DifferentialCheck::AddGeneratedSet(const HloModule& module, const CheckInputOptions& inputs, std::string name) {
  // The arguments outlive the budget, so it is taken off them below.
  MemoryBudget budget(options_.limits.max_memory_bytes);
  ArgumentSet set;
  set.name = std::move(name);
  set.is_ordinary = inputs.kind != CheckInputKind::kEdgeValues;
  absl::StatusOr<std::vector<std::vector<Literal>>> arguments = MakeCheckInputs(module, inputs, &budget);
  if (!arguments.ok()) return Skip(arguments.status().message());
  set.arguments = *std::move(arguments);
  for (std::vector<Literal>& device : set.arguments) {
    for (Literal& argument : device) argument.LeaveBudget();
  }
  for (size_t device = 0; device < std::min(options_.given.size(), set.arguments.size()); ++device) {
    for (const int64_t weight : options_.weights) set.arguments[device][weight] = options_.given[device][weight];
  }
  AddSet(module, std::move(set));
}

// Runs the unchanged module for reference. A set with which that exceeds the limits is skipped and counted, too.
void DifferentialCheck::AddSet(const HloModule& module, ArgumentSet set) {
  set.outcome = RunForCheck(module, set.arguments, options_.limits);
  if (!set.outcome.status.ok()) return Skip(set.outcome.status.message());
  set.first_outcome = set.outcome;
  sets_.push_back(std::move(set));
}

absl::Status DifferentialCheck::MakeSets(const HloModule& module) {
  ASSIGN_OR_RETURN(const auto exactness, context_.analyses.Get<Exactness>(module, context_.resources));
  has_sets_ = true;
  first_exact_ = exactness->outputs();
  if (!options_.given.empty()) {
    ArgumentSet set;
    set.name = options_.given_name;
    set.is_ordinary = true;
    set.arguments = options_.given;
    AddSet(module, std::move(set));
  }
  for (const auto& kind : kKinds) {
    for (int i = 0; i < options_.sets_of_each_kind; ++i) {
      CheckInputOptions inputs;
      inputs.kind = kind.kind;
      inputs.seed = options_.seed + static_cast<uint64_t>(i);
      inputs.huge = first_exact_.All();
      AddGeneratedSet(module, inputs, absl::StrCat(kind.name, " arguments of seed ", inputs.seed));
    }
  }
  return absl::OkStatus();
}

absl::Status DifferentialCheck::BeforePass(const HloModule& module) {
  if (!has_sets_) RETURN_IF_ERROR(MakeSets(module));
  if (sets_.empty()) return absl::OkStatus();
  if (first_ == nullptr) first_ = CloneModule(module);
  before_ = CloneModule(module);
  ASSIGN_OR_RETURN(const auto exactness, context_.analyses.Get<Exactness>(module, context_.resources));
  exact_before_ = exactness->outputs();
  return absl::OkStatus();
}

ExactOutputs DifferentialCheck::ExactOutputsOfPass() const {
  ExactOutputs exact = exact_before_;
  const bool is_fast = context_.fast_math != kExact;
  for (size_t i = 0; i < exact.results.size(); ++i) {
    const bool was_exact = i < first_exact_.results.size() && first_exact_.results[i];
    exact.results[i] = !is_fast && (exact.results[i] || was_exact);
  }
  exact.outfeeds = !is_fast && (exact.outfeeds || first_exact_.outfeeds);
  return exact;
}

// Compares the module after a pass with the last known outcomes of each set, and reports at most one difference a
// pass. The new outcomes become the reference, so that a pass is blamed only for what it changed itself; a set that
// hits a limit is dropped. Limits are wider than in the reference run, for a pass may make a module slower.
absl::Status DifferentialCheck::AfterPass(const HloModule& module, const std::string& pass, int64_t number,
                                          bool changed) {
  if (!changed) return absl::OkStatus();
  if (sets_.empty()) {
    ++counts_.unchecked;
    return absl::OkStatus();
  }
  const ExactOutputs exact = ExactOutputsOfPass();
  RunLimits limits = options_.limits;
  limits.max_steps *= kLimitFactorAfter;
  limits.timeout *= kLimitFactorAfter;
  std::vector<ArgumentSet> left;
  bool found = false;
  ++counts_.compared;
  for (ArgumentSet& set : sets_) {
    if (!set.is_ordinary && context_.fast_math != kExact) continue;
    RunOutcome outcome = RunForCheck(module, set.arguments, limits);
    if (IsLimit(outcome.status)) {
      Skip(outcome.status.message());
      continue;
    }
    ++counts_.runs;
    const std::string difference = Difference(outcome, set.outcome, exact);
    if (!difference.empty() && !found) {
      found = true;
      CheckFinding finding;
      finding.pass = pass;
      finding.number = number;
      finding.arguments = set.name;
      finding.difference = difference;
      finding.rewrite = FindRewrite(set, exact);
      finding.before = CloneModule(*before_);
      finding.after = CloneModule(module);
      findings_.push_back(std::move(finding));
    }
    if (!outcome.status.ok()) continue;
    set.outcome = std::move(outcome);
    left.push_back(std::move(set));
  }
  sets_ = std::move(left);
  return absl::OkStatus();
}

void DifferentialCheck::AfterAllPasses(const HloModule& module) {
  if (!findings_.empty()) return;
  ExactOutputs exact = first_exact_;
  if (context_.fast_math != kExact) exact = {std::vector<bool>(exact.results.size(), false), false};
  for (const ArgumentSet& set : sets_) {
    CheckFinding finding;
    finding.difference = DifferenceBetween(set.outcome, set.first_outcome, exact);
    if (finding.difference.empty()) continue;
    finding.arguments = set.name;
    finding.before = CloneModule(*first_);
    finding.after = CloneModule(module);
    findings_.push_back(std::move(finding));
    return;
  }
}

absl::StatusOr<bool> DifferentialCheck::Differs(const ArgumentSet& set, const ExactOutputs& exact, int64_t max_rewrites,
                                                std::string* last_rewrite) const {
  const Pass* const pass = options_.find_pass(context_.pass());
  if (pass == nullptr) return absl::NotFoundError("no such pass");
  const std::unique_ptr<HloModule> module = CloneModule(*before_);
  PassContext context = context_;
  context.StartPass(context_.pass(), context_.options());
  context.max_rewrites = max_rewrites;
  RETURN_IF_ERROR(pass->run(*module, context).status());
  module->Tidy();
  RETURN_IF_ERROR(VerifyModule(*module));
  *last_rewrite = context.last_rewrite();
  const RunOutcome outcome = RunForCheck(*module, set.arguments, options_.limits);
  return !Difference(outcome, set.outcome, exact).empty();
}

// Halves the number of rewrites that the pass may do: the last one of the fewest that make a difference is the wrong
// one.
std::string DifferentialCheck::FindRewrite(const ArgumentSet& set, const ExactOutputs& exact) const {
  std::string rewrite = RulesThatFired(context_.counts());
  if (!options_.find_pass) return rewrite;
  int64_t right = 0;
  int64_t wrong = context_.numbered_rewrites();
  std::string ignored;
  const absl::StatusOr<bool> none = Differs(set, exact, 0, &ignored);
  if (wrong == 0 || !none.ok() || *none) return rewrite;
  while (wrong - right > 1) {
    const int64_t middle = right + (wrong - right) / 2;
    const absl::StatusOr<bool> differs = Differs(set, exact, middle, &ignored);
    if (!differs.ok()) return rewrite;
    (*differs ? wrong : right) = middle;
  }
  std::string last;
  const absl::StatusOr<bool> differs = Differs(set, exact, wrong, &last);
  if (!differs.ok() || !*differs) return rewrite;
  return absl::StrCat("rule ", last, ", the ", wrong, ". of ", context_.numbered_rewrites());
}

}  // namespace xla
