#include "backends/autopsy/pass_search.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/plan/optimize_module.h"
#include "passes/check/compare_runs.h"
#include "passes/check/differential_check.h"
#include "passes/pass_runner.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Nothing but the limits of the user: a check multiplies these.
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max() / 64;

absl::Status PassIsWrong() { return absl::CancelledError("a pass is wrong"); }

RunLimits LimitsOf(const JudgeOptions& judging, const PassSearchOptions* search) {
  RunLimits limits;
  limits.max_steps = kNoLimit;
  limits.max_memory_bytes = kNoLimit;
  limits.timeout = absl::InfiniteDuration();
  limits.resources = judging.rounding.resources;
  limits.threads = judging.rounding.threads;
  limits.seed = judging.rounding.seed;
  if (search == nullptr) return limits;
  limits.partition_count = search->compile.partition_count;
  if (!search->infeed.empty()) limits.infeed = &search->infeed;
  return limits;
}

absl::StatusOr<unsigned> FastMathOf(const CompileOptions& options) {
  unsigned groups = options.fast_math ? kAllFastMath : kExact;
  const auto setting = options.settings.find("fast-math");
  if (setting == options.settings.end()) return groups;
  for (const absl::string_view name : absl::StrSplit(setting->second, ',', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(const unsigned bits, ParseFastMath(name));
    groups |= bits;
  }
  return groups;
}

// Whether the module after a pass computes something else than the one before, and rounding does not explain it.
absl::StatusOr<bool> IsReal(const HloModule& before, const HloModule& after,
                            const std::vector<std::vector<Literal>>& arguments, const RunLimits& limits,
                            const JudgeOptions& judging, std::string* text) {
  const RunOutcome want = RunForCheck(before, arguments, limits);
  RETURN_IF_ERROR(CheckResources(limits.resources));
  RETURN_IF_ERROR(want.status);
  const RunOutcome got = RunForCheck(after, arguments, limits);
  RETURN_IF_ERROR(CheckResources(limits.resources));
  if (!got.status.ok()) {
    *text = absl::StrCat("the program fails now: ", got.status.message());
    return true;
  }
  // What devices compute together has no form in f64 here, and what was fed out is compared as it is.
  if (arguments.size() > 1 || got.names != want.names) {
    *text = DifferenceBetween(got, want, Agreement::kByTolerance);
    return !text->empty();
  }
  std::vector<Literal> got_results, want_results;
  for (size_t i = 0; i < got.leaves.size(); ++i) {
    if (got.result_numbers[i] < 0) continue;
    got_results.push_back(got.leaves[i]);
    want_results.push_back(want.leaves[i]);
  }
  ASSIGN_OR_RETURN(const Judgement judgement,
                   JudgeDifference(before, arguments[0], got_results, want_results, judging));
  *text = judgement.text;
  return judgement.is_accusation();
}

// A finding of the check as one of ours, unless rounding explains it.
absl::Status TakeFinding(const CheckFinding& found, const std::vector<std::vector<Literal>>& arguments,
                         const PassContext& context, const PassSearchOptions& options, WrongPass* finding) {
  std::string text;
  ASSIGN_OR_RETURN(const bool is_real, IsReal(*found.before, *found.after, arguments,
                                              LimitsOf(options.judging, &options), options.judging, &text));
  if (!is_real) return absl::OkStatus();
  finding->pass = found.pass.empty() ? "all passes together" : found.pass;
  finding->rewrite = found.rewrite;
  finding->text = found.ToString();
  finding->options = context.options();
  finding->fast_math = context.fast_math;
  finding->before = CloneModule(*found.before);
  finding->after = CloneModule(*found.after);
  return absl::OkStatus();
}

}  // namespace

bool HasPipeline(absl::string_view name) { return PipelineByName(name).ok(); }

absl::StatusOr<WrongPass> FindWrongPass(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                                        const PassSearchOptions& options) {
  ASSIGN_OR_RETURN(const Pipeline pipeline, PipelineByName(options.pipeline));
  const ResourceContext resources(options.resources, "checking passes");
  const int64_t partitions =
      options.compile.partition_count > 0 ? options.compile.partition_count : module.config().num_partitions;
  const int64_t replicas = static_cast<int64_t>(arguments.size()) / partitions;
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> prepared,
                   PrepareForPasses(module, replicas, partitions, resources));
  PassContext context;
  ASSIGN_OR_RETURN(context.fast_math, FastMathOf(options.compile));
  context.resources = &resources;
  DifferentialCheckOptions check_options;
  check_options.limits = LimitsOf(options.judging, &options);
  check_options.sets_of_each_kind = 0;
  check_options.given = arguments;
  check_options.find_pass = FindPass;
  DifferentialCheck check(check_options, context);
  WrongPass finding;
  size_t seen = 0;
  PassRunnerOptions runner;
  runner.before_pass = [&](const HloModule& before, const std::string&, int64_t) { return check.BeforePass(before); };
  runner.after_pass = [&](const HloModule& after, const std::string& pass, int64_t number,
                          bool changed) -> absl::Status {
    RETURN_IF_ERROR(check.AfterPass(after, pass, number, changed));
    if (changed) ++finding.checked;
    if (check.findings().size() == seen) return absl::OkStatus();
    seen = check.findings().size();
    RETURN_IF_ERROR(TakeFinding(check.findings().back(), arguments, context, options, &finding));
    return finding.pass.empty() ? absl::OkStatus() : PassIsWrong();
  };
  const absl::Status status = RunPasses(pipeline, runner, context, *prepared).status();
  if (!finding.pass.empty()) return finding;
  RETURN_IF_ERROR(status);
  check.AfterAllPasses(*prepared);
  if (check.counts().unchecked > 0) {
    finding.unchecked_reason = absl::StrCat(check.counts().unchecked, " passes, because ", check.counts().skip_reason);
  }
  if (check.findings().size() > seen) {
    RETURN_IF_ERROR(TakeFinding(check.findings().back(), arguments, context, options, &finding));
  }
  return finding;
}

absl::StatusOr<bool> PassChanges(const WrongPass& finding, const HloModule& module,
                                 const std::vector<Literal>& arguments, const JudgeOptions& judging) {
  const Pass* const pass = FindPass(finding.pass);
  if (pass == nullptr) return false;
  const std::unique_ptr<HloModule> after = CloneModule(module);
  PassContext context;
  context.fast_math = finding.fast_math;
  context.resources = judging.rounding.resources;
  context.StartPass(finding.pass, finding.options);
  const absl::Status status = pass->run(*after, context).status();
  RETURN_IF_ERROR(CheckResources(judging.rounding.resources));
  if (!status.ok()) return false;
  after->Tidy();
  if (!VerifyModule(*after).ok()) return false;
  std::string text;
  const absl::StatusOr<bool> is_real = IsReal(module, *after, {arguments}, LimitsOf(judging, nullptr), judging, &text);
  RETURN_IF_ERROR(CheckResources(judging.rounding.resources));
  return is_real.ok() && *is_real;
}

std::string PassWithOptions(const WrongPass& finding) {
  std::string text = finding.pass;
  for (const auto& [name, value] : finding.options) absl::StrAppend(&text, ":", name, "=", value);
  return text;
}

}  // namespace xla
