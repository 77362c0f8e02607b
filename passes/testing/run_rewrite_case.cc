#include "passes/testing/run_rewrite_case.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "passes/check/check_inputs.h"
#include "passes/check/compare_runs.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/compare_modules.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ModulePtr = std::unique_ptr<HloModule>;
using Expectation = RewriteCase::Expectation;

// Small, because cases are: one that needs more is marked NOT-RUN.
constexpr int64_t kMaxSteps = 1'000'000;
constexpr int64_t kMaxBytes = int64_t{256} << 20;

constexpr struct {
  CheckInputKind kind;
  const char* name;
  uint64_t seeds;
} kInputs[] = {{CheckInputKind::kOrdinary, "ordinary", 2},
               {CheckInputKind::kWholeNumbers, "whole-number", 2},
               {CheckInputKind::kEdgeValues, "edge-valued", 8}};

absl::StatusOr<ModulePtr> Read(const std::string& text, const std::string& file, absl::string_view what) {
  ParseOptions options;
  options.file_name = file;
  ASSIGN_OR_RETURN(ModulePtr module, ParseHloModule(text, options));
  const absl::Status status = VerifyModule(*module);
  if (status.ok()) return module;
  return absl::InvalidArgumentError(absl::StrCat("the module ", what, " is not valid\n", status.message()));
}

// As cases show modules: with layouts only where one is not row-major.
std::string Show(const HloModule& module) {
  PrintOptions options = PrintOptions::Short();
  const std::string with_layouts = ModuleToString(module, options);
  options.result_layouts = false;
  const ModulePtr copy = CloneModule(module);
  copy->mutable_config().entry_computation_layout.reset();
  const std::string without = absl::StrReplaceAll(ModuleToString(*copy, options), {{"\n\n", "\n"}});
  const absl::StatusOr<ModulePtr> again = ParseHloModule(without);
  const bool same = again.ok() && ModulesStructurallyEqual(**again, module, nullptr, {/*layouts=*/true});
  return same ? without : with_layouts;
}

absl::Status CheckRules(const RewriteCase& rewrite_case, const std::vector<PassRecord>& records) {
  RewriteCounts counts;
  for (const PassRecord& record : records) {
    for (const auto& [rule, count] : record.rewrites) counts[rule] += count;
  }
  for (const std::string& rule : rewrite_case.rules) {
    if (counts[rule] == 0) return absl::FailedPreconditionError(absl::StrCat("rule ", rule, " did not fire"));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RunStrictly(const RewriteCase& rewrite_case, HloModule& module, std::vector<PassRecord>* records) {
  ASSIGN_OR_RETURN(const Pipeline passes, ParsePasses(rewrite_case.passes));
  PassRunnerOptions options;
  options.strict = true;
  PassContext context;
  return RunPasses(passes, options, context, module, records);
}

absl::Status Compare(const RewriteCase& rewrite_case, const std::string& file, const HloModule& actual, bool changed) {
  if (rewrite_case.expectation == Expectation::kNone) {
    return absl::InvalidArgumentError("the case has neither BECOMES nor UNCHANGED");
  }
  if (rewrite_case.expectation == Expectation::kUnchanged) {
    return changed ? absl::FailedPreconditionError("the module changed, expected that it stays") : absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ModulePtr expected, Read(rewrite_case.after, file, "after BECOMES"));
  if (!changed) return absl::FailedPreconditionError("the module did not change");
  std::string difference;
  CompareOptions options;
  options.layouts = rewrite_case.exact;
  if (!ModulesStructurallyEqual(actual, *expected, &difference, options)) {
    return absl::FailedPreconditionError(absl::StrCat("the module is not the expected one: ", difference));
  }
  if (rewrite_case.exact &&
      ModuleToString(actual, PrintOptions::Canonical()) != ModuleToString(*expected, PrintOptions::Canonical())) {
    return absl::FailedPreconditionError("the instructions stand in another order than the expected one");
  }
  return absl::OkStatus();
}

absl::Status CheckStable(const RewriteCase& rewrite_case, const HloModule& actual) {
  const ModulePtr again = CloneModule(actual);
  const absl::StatusOr<bool> changed = RunStrictly(rewrite_case, *again, nullptr);
  if (!changed.ok()) {
    return absl::FailedPreconditionError(absl::StrCat("a second run failed: ", changed.status().message()));
  }
  if (!*changed) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("a second run changed the module again, to\n", Show(*again)));
}

// One run of both. `not_run` is set if the program before cannot run with these arguments.
absl::Status CompareOneRun(const HloModule& before, const HloModule& after, const CheckInputOptions& inputs,
                           const ExactOutputs& exact, std::string* not_run) {
  MemoryBudget budget(kMaxBytes);
  RunLimits limits;
  limits.max_steps = kMaxSteps;
  limits.max_memory_bytes = kMaxBytes;
  const absl::StatusOr<std::vector<std::vector<Literal>>> arguments = MakeCheckInputs(before, inputs, &budget);
  if (!arguments.ok()) {
    *not_run = std::string(arguments.status().message());
    return absl::OkStatus();
  }
  const RunOutcome want = RunForCheck(before, *arguments, limits);
  if (!want.status.ok()) {
    *not_run = std::string(want.status.message());
    return absl::OkStatus();
  }
  const RunOutcome got = RunForCheck(after, *arguments, limits);
  if (!got.status.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the result fails where the program did not: ", got.status.message()));
  }
  const std::string difference = DifferenceBetween(got, want, exact);
  return difference.empty() ? absl::OkStatus() : absl::FailedPreconditionError(difference);
}

// `not_run` is set if no run of the program before succeeded. What fast math allows is right only by tolerance, and for
// ordinary numbers; otherwise exact outputs keep every bit.
absl::Status CompareRuns(const HloModule& before, const HloModule& after, bool fast_math, std::string* not_run) {
  ExactOutputs exact = FindExactOutputs(before);
  if (fast_math) exact = {std::vector<bool>(exact.results.size(), false), false};
  bool any_run = false;
  for (const auto& kind : kInputs) {
    if (fast_math && kind.kind != CheckInputKind::kOrdinary) continue;
    for (uint64_t seed = 0; seed < kind.seeds; ++seed) {
      CheckInputOptions inputs;
      inputs.kind = kind.kind;
      inputs.seed = seed;
      inputs.huge = exact.All();
      std::string why;
      const absl::Status status = CompareOneRun(before, after, inputs, exact, &why);
      if (!status.ok()) {
        return absl::FailedPreconditionError(
            absl::StrCat("with ", kind.name, " arguments of seed ", seed, " the results differ: ", status.message()));
      }
      any_run = any_run || why.empty();
      if (!why.empty()) *not_run = why;
    }
  }
  if (any_run) not_run->clear();
  return absl::OkStatus();
}

absl::Status Run(const RewriteCase& rewrite_case, const std::string& file, CaseOutcome& outcome) {
  ASSIGN_OR_RETURN(const ModulePtr before, Read(rewrite_case.before, file, "before"));
  const ModulePtr module = CloneModule(*before);
  std::vector<PassRecord> records;
  ASSIGN_OR_RETURN(const bool changed, RunStrictly(rewrite_case, *module, &records));
  outcome.expectation = changed ? absl::StrCat("// BECOMES\n", Show(*module)) : "// UNCHANGED\n";
  RETURN_IF_ERROR(Compare(rewrite_case, file, *module, changed));
  RETURN_IF_ERROR(CheckRules(rewrite_case, records));
  if (!changed) return absl::OkStatus();
  RETURN_IF_ERROR(CheckStable(rewrite_case, *module));
  outcome.not_run = rewrite_case.not_run;
  if (!outcome.not_run.empty()) return absl::OkStatus();
  const bool fast_math = absl::StrContains(rewrite_case.passes, "fast-math=");
  RETURN_IF_ERROR(CompareRuns(*before, *module, fast_math, &outcome.not_run));
  if (outcome.not_run.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the program cannot be run: ", outcome.not_run,
                                                    "; if that is as it should be, say // NOT-RUN and why"));
}

}  // namespace

CaseOutcome RunRewriteCase(const RewriteCase& rewrite_case, const std::string& file) {
  CaseOutcome outcome;
  outcome.failure = std::string(Run(rewrite_case, file, outcome).message());
  return outcome;
}

}  // namespace xla
