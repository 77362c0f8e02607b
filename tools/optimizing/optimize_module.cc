#include "tools/optimizing/optimize_module.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "passes/base/rewrite_rule.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "tools/optimizing/pass_reports.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/files.h"
#include "xla_core/support/folders.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr absl::string_view kTopics[] = {"fusion", "match"};

void Say(absl::string_view text) { std::fprintf(stderr, "%s", std::string(text).c_str()); }

std::vector<std::string> SplitLists(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    for (const absl::string_view word : absl::StrSplit(list, ',', absl::SkipEmpty())) words.emplace_back(word);
  }
  return words;
}

std::vector<absl::string_view> KnownRules() {
  std::vector<absl::string_view> rules;
  for (const Pass* pass : AllPasses()) {
    if (pass->rules == nullptr) continue;
    for (const RewriteRule* rule : pass->rules(pass->name)) rules.push_back(rule->name);
  }
  return rules;
}

// Sets the option of the pass that heeds it; false if that is not there.
bool SetMemoryLimit(int64_t bytes, Pipeline* steps) {
  bool found = false;
  for (PipelineStep& step : *steps) {
    if (step.pass == "rematerialize") {
      step.options["memory-limit"] = absl::StrCat(bytes);
      found = true;
    }
    found = SetMemoryLimit(bytes, &step.group) || found;
  }
  return found;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Optimizer>> Optimizer::Create(const PassFlags& flags, const ResourceContext& resources) {
  std::unique_ptr<Optimizer> optimizer(new Optimizer(flags, resources));
  RETURN_IF_ERROR(optimizer->ReadFlags());
  return optimizer;
}

absl::Status Optimizer::ReadFlags() {
  if (!flags_.passes.empty() && !flags_.pipeline.empty()) {
    return absl::InvalidArgumentError("--passes and --pipeline contradict each other: leave one out");
  }
  if (flags_.pipeline.empty()) {
    ASSIGN_OR_RETURN(steps_, ParsePasses(flags_.passes));
  } else {
    ASSIGN_OR_RETURN(steps_, PipelineByName(flags_.pipeline));
  }
  for (const std::string& name : SplitLists(flags_.disabled_passes)) {
    ASSIGN_OR_RETURN(const Pass* const pass, PassByName(name));
    runner_.disabled_passes.insert(pass->name);
  }
  for (const std::string& group : SplitLists(flags_.fast_math)) {
    ASSIGN_OR_RETURN(const unsigned bits, ParseFastMath(group));
    context_.fast_math |= bits;
  }
  runner_.stop_after = flags_.stop_after;
  if (flags_.memory_limit > 0 && !SetMemoryLimit(flags_.memory_limit, &steps_)) {
    return absl::InvalidArgumentError(
        "--memory-limit: the pass rematerialize is not among those that run; use --pipeline cpu, or add it to --passes "
        "after schedule-for-memory");
  }
  RETURN_IF_ERROR(ReadRules());
  RETURN_IF_ERROR(CheckArgumentFlags(flags_));
  std::vector<std::string> topics = SplitLists(flags_.explain);
  if (flags_.explain_fusion) topics.push_back("fusion");
  for (const std::string& topic : topics) {
    if (std::find(std::begin(kTopics), std::end(kTopics), topic) == std::end(kTopics)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--explain: unknown topic '", topic, "'", DidYouMean(topic, kTopics)));
    }
    context_.explained_topics.insert(topic);
  }
  ASSIGN_OR_RETURN(dump_, PassDump::Create(flags_, resources_));
  return absl::OkStatus();
}

absl::Status Optimizer::ReadRules() {
  const std::vector<absl::string_view> known = KnownRules();
  for (const std::string& rule : SplitLists(flags_.disabled_rules)) {
    if (std::find(known.begin(), known.end(), rule) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat("--disable-rule: unknown rule '", rule, "'",
                                                     DidYouMean(rule, known), "; --stats shows which rules fire"));
    }
    context_.disabled_rules.insert(rule);
  }
  return absl::OkStatus();
}

absl::Status Optimizer::Optimize(HloModule& module, const ProgramData& program) {
  has_bad_arguments_ = false;
  const absl::Status status = RunAndReport(module, program, module_number_++);
  failed_ = failed_ || (!status.ok() && !has_bad_arguments_);
  return status;
}

absl::StatusOr<DifferentialCheckOptions> Optimizer::CheckOptions(const HloModule& module, const ProgramData& program,
                                                                 const ResourceContext& resources) const {
  DifferentialCheckOptions options;
  options.limits.max_steps = flags_.check_max_steps;
  options.limits.max_memory_bytes = flags_.check_max_memory;
  options.limits.resources = &resources;
  options.seed = flags_.check_seed;
  options.sets_of_each_kind = static_cast<int>(flags_.check_sets);
  options.find_pass = FindPass;
  if (!flags_.check_each_pass) return options;
  ASSIGN_OR_RETURN(CheckArguments arguments, ReadCheckArguments(module, flags_, program, resources));
  options.given = std::move(arguments.given);
  options.weights = std::move(arguments.weights);
  return options;
}

absl::Status Optimizer::RunAndReport(HloModule& module, const ProgramData& program, int64_t number) {
  if (dump_ != nullptr) RETURN_IF_ERROR(dump_->BeforePasses(module, number));
  PassContext context = context_;
  ResourceLimits limits;
  limits.timeout = flags_.time_limit;
  limits.timeout_name = "--pass-time-limit";
  const ResourceContext resources(&resources_, "optimizing the program", limits);
  context.resources = &resources;
  absl::StatusOr<DifferentialCheckOptions> check_options = CheckOptions(module, program, resources);
  has_bad_arguments_ = !check_options.ok();
  RETURN_IF_ERROR(check_options.status());
  DifferentialCheck check(*std::move(check_options), context);
  PassRunnerOptions runner = runner_;
  runner.verify_layouts = flags_.check_each_pass;
  if (flags_.check_each_pass) {
    runner.before_pass = [&](const HloModule& before, const std::string&, int64_t) { return check.BeforePass(before); };
  }
  runner.after_pass = [&](const HloModule& after, const std::string& pass, int64_t run, bool changed) -> absl::Status {
    if (dump_ != nullptr && changed) RETURN_IF_ERROR(dump_->AfterPass(after, number, pass, run));
    return flags_.check_each_pass ? check.AfterPass(after, pass, run, changed) : absl::OkStatus();
  };
  std::vector<PassRecord> records;
  const absl::StatusOr<bool> changed = RunPasses(steps_, runner, context, module, &records);
  Report(context, records);
  if (flags_.check_each_pass) {
    if (changed.ok()) check.AfterAllPasses(module);
    // What was not compared because of them is no result of the check.
    if (changed.ok()) RETURN_IF_ERROR(resources.Check());
    RETURN_IF_ERROR(ReportCheck(module, check));
  }
  RETURN_IF_ERROR(changed.status());
  return dump_ == nullptr ? absl::OkStatus() : dump_->AfterPasses(module, number);
}

void Optimizer::Report(const PassContext& context, const std::vector<PassRecord>& records) const {
  for (const std::string& warning : context.warnings()) Say(absl::StrCat("warning: ", warning, "\n"));
  for (const Explanation& explanation : context.explanations()) {
    Say(absl::StrCat(explanation.pass, ": ", explanation.instruction, ": ", explanation.text, "\n"));
  }
  if (flags_.stats) Say(StatsTable(records));
  if (flags_.time_passes) Say(TimeTable(records));
}

// Two files in the folder of --check-output, which is made.
absl::Status Optimizer::WriteFinding(const HloModule& module, const CheckFinding& finding) const {
  const std::string pass = finding.pass.empty() ? "all" : FileNamePart(finding.pass);
  const std::string stem =
      absl::StrFormat("%s/%s.%04d.%s", flags_.check_output, FileNamePart(module.name()), finding.number, pass);
  RETURN_IF_ERROR(MakeFolder(flags_.check_output));
  RETURN_IF_ERROR(WriteFile(stem + ".before.hlo", ModuleToString(*finding.before)));
  RETURN_IF_ERROR(WriteFile(stem + ".after.hlo", ModuleToString(*finding.after)));
  Say(absl::StrCat("  before: ", stem, ".before.hlo\n  after:  ", stem, ".after.hlo\n"));
  return absl::OkStatus();
}

absl::Status Optimizer::ReportCheck(const HloModule& module, const DifferentialCheck& check) {
  for (const CheckFinding& finding : check.findings()) {
    found_difference_ = true;
    Say(absl::StrCat(finding.ToString(), "\n"));
    if (!flags_.check_output.empty()) RETURN_IF_ERROR(WriteFinding(module, finding));
  }
  const CheckCounts& counts = check.counts();
  Say(absl::StrFormat("check: %d passes changed the program and were compared in %d runs: %d differences\n",
                      counts.compared, counts.runs, static_cast<int64_t>(check.findings().size())));
  if (!check.findings().empty() && flags_.check_output.empty()) {
    Say("check: with --check-output DIR the modules before and after are written to DIR\n");
  }
  if (counts.skipped_sets > 0) {
    Say(absl::StrFormat("check: %d sets of arguments were skipped, the last because: %s\n", counts.skipped_sets,
                        counts.skip_reason));
  }
  if (counts.unchecked > 0) {
    Say(absl::StrFormat("check: %d passes changed the program and could not be compared\n", counts.unchecked));
  }
  return absl::OkStatus();
}

}  // namespace xla
