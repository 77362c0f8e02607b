#include "tests/random_modules/check_passes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "passes/base/pass_context.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// What one run gave: the leaves of all devices' results, and what each device fed out.
struct Outcome {
  std::vector<Literal> leaves;
  std::vector<std::vector<Literal>> outfeed;
};

absl::StatusOr<Outcome> RunProgram(const HloModule& module, const CheckedProgram& program, const RunInputs& inputs,
                                   const CheckLimits& limits) {
  EvaluatorOptions options;
  options.max_steps = limits.max_steps;
  options.max_memory_bytes = limits.max_memory_bytes;
  options.timeout = limits.timeout;
  options.replica_count = program.replicas;
  options.partition_count = program.partitions;
  auto evaluator = Evaluator::Create(module, options);
  if (!evaluator.ok()) return evaluator.status();
  FeedQueues queues;
  queues.infeed = inputs.infeed;
  auto results = (*evaluator)->Run(inputs.arguments, &queues);
  if (!results.ok()) return results.status();
  Outcome outcome;
  for (Literal& result : *results) {
    result.LeaveBudget();
    for (Literal& leaf : FlattenLeaves(result)) outcome.leaves.push_back(std::move(leaf));
  }
  outcome.outfeed = std::move(queues.outfeed);
  return outcome;
}

// "" if the same values were fed out in the same order.
std::string CompareOutfeeds(const Outcome& got, const Outcome& want) {
  for (size_t d = 0; d < want.outfeed.size(); ++d) {
    const std::vector<Literal>& values = got.outfeed[d];
    const std::vector<Literal>& expected = want.outfeed[d];
    if (values.size() != expected.size()) {
      return absl::StrCat("device ", d, " feeds out ", values.size(), " values, before ", expected.size());
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const std::vector<Literal> leaves = FlattenLeaves(values[i]), expected_leaves = FlattenLeaves(expected[i]);
      bool same = leaves.size() == expected_leaves.size();
      for (size_t k = 0; same && k < leaves.size(); ++k) {
        same = leaves[k].shape().Compatible(expected_leaves[k].shape()) &&
               CompareArrays(leaves[k], expected_leaves[k], ExactTolerance()).matches();
      }
      if (!same) return absl::StrCat("device ", d, " feeds out another value ", i);
    }
  }
  return "";
}

bool IsLimit(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted || status.code() == absl::StatusCode::kDeadlineExceeded;
}

std::string RulesText(const RewriteCounts& counts) {
  std::string text;
  for (const auto& [rule, times] : counts) absl::StrAppend(&text, text.empty() ? "" : ", ", rule, " ", times);
  return text;
}

// The first line in which two texts differ, in both.
std::string FirstDifference(absl::string_view got, absl::string_view want) {
  const std::vector<absl::string_view> got_lines = absl::StrSplit(got, '\n');
  const std::vector<absl::string_view> want_lines = absl::StrSplit(want, '\n');
  for (size_t i = 0; i < std::min(got_lines.size(), want_lines.size()); ++i) {
    if (got_lines[i] != want_lines[i]) return absl::StrCat("'", got_lines[i], "', was '", want_lines[i], "'");
  }
  return absl::StrCat(got_lines.size(), " lines, were ", want_lines.size());
}

// What the program gave before any pass, run by run.
class Reference {
 public:
  Reference(const CheckedProgram& program, const CheckLimits& limits, PassCheckCounts* counts)
      : program_(program), limits_(limits) {
    for (const RunInputs& inputs : program.runs) {
      auto outcome = RunProgram(*program.module, program, inputs, limits);
      if (IsLimit(outcome.status())) ++counts->skipped;
      want_.push_back(std::move(outcome));
    }
  }

  // "" if `module` gives the same.
  std::string Compare(const HloModule& module) const {
    for (size_t r = 0; r < program_.runs.size(); ++r) {
      if (IsLimit(want_[r].status())) continue;
      const auto got = RunProgram(module, program_, program_.runs[r], limits_);
      if (got.ok() != want_[r].ok()) {
        return absl::StrCat("run ", r, ": before ", want_[r].status().ToString(), ", after ", got.status().ToString());
      }
      if (!got.ok()) continue;
      if (got->leaves.size() != want_[r]->leaves.size()) {
        return absl::StrCat(got->leaves.size(), " leaves, before ", want_[r]->leaves.size());
      }
      std::string difference = CompareLeaves(got->leaves, want_[r]->leaves);
      if (difference.empty()) difference = CompareOutfeeds(*got, *want_[r]);
      if (!difference.empty()) return absl::StrCat("run ", r, ": ", difference);
    }
    return "";
  }

 private:
  std::string CompareLeaves(const std::vector<Literal>& got, const std::vector<Literal>& want) const {
    const int devices = static_cast<int>(program_.replicas * program_.partitions);
    const int leaves = static_cast<int>(want.size()) / devices;
    for (int i = 0; i < static_cast<int>(want.size()); ++i) {
      const std::string difference = CompareLeaf(i % leaves, got[i], want[i]);
      if (!difference.empty()) return absl::StrCat(OutputName(i / leaves, devices, i % leaves), ": ", difference);
    }
    return "";
  }

  // "" if one of the tolerances is satisfied, else how the last one is not.
  std::string CompareLeaf(int leaf, const Literal& got, const Literal& want) const {
    if (!want.shape().IsArray()) return "";
    std::string difference;
    for (const Tolerance& tolerance : program_.tolerances(leaf, want.shape().element_type())) {
      const Comparison comparison = CompareArrays(got, want, tolerance);
      if (comparison.matches()) return "";
      difference = DescribeComparison("", comparison, got, want);
    }
    return difference;
  }

  const CheckedProgram& program_;
  const CheckLimits& limits_;
  std::vector<absl::StatusOr<Outcome>> want_;
};

// One pass, as a pipeline of its own.
absl::StatusOr<bool> RunAlone(const PipelineStep& step, HloModule& module, RewriteCounts* rules) {
  PassContext context;
  PassRunnerOptions options;
  options.strict = true;
  std::vector<PassRecord> records;
  auto changed = RunPasses({step}, options, context, module, &records);
  if (rules != nullptr && !records.empty()) *rules = records.back().rewrites;
  return changed;
}

absl::optional<PassFinding> CheckAlone(const PipelineStep& step, const CheckedProgram& program, const std::string& text,
                                       const Reference& reference, PassCheckCounts* counts) {
  PassFinding finding{StepText(step), "", "", text, ""};
  const std::unique_ptr<HloModule> after = CloneModule(*program.module);
  RewriteCounts rules;
  const auto changed = RunAlone(step, *after, &rules);
  ++counts->passes;
  finding.rules = RulesText(rules);
  if (!changed.ok()) {
    finding.what = std::string(changed.status().message());
    return finding;
  }
  // A strict run finds changes that a pass does not report.
  if (!*changed) return absl::nullopt;
  finding.after = ModuleToString(*after);
  if (finding.after == text) {
    finding.what = "says that it changed the module, which is the same";
    return finding;
  }
  counts->CountChange(finding.pass);
  finding.what = reference.Compare(*after);
  if (!finding.what.empty()) return finding;

  const std::unique_ptr<HloModule> again = CloneModule(*program.module);
  if (RunAlone(step, *again, nullptr).ok() && ModuleToString(*again) != finding.after) {
    finding.what =
        absl::StrCat("gives another module on another run: ", FirstDifference(ModuleToString(*again), finding.after));
    return finding;
  }
  const auto twice = RunAlone(step, *after, &rules);
  if (!twice.ok() || *twice) {
    finding.rules = RulesText(rules);
    finding.what =
        twice.ok() ? absl::StrCat("changes its own result: ", FirstDifference(ModuleToString(*after), finding.after))
                   : absl::StrCat("fails on its own result: ", twice.status().message());
    return finding;
  }
  return absl::nullopt;
}

}  // namespace

std::string StepText(const PipelineStep& step) {
  std::string text = step.pass;
  for (const auto& [name, value] : step.options) absl::StrAppend(&text, ":", name, "=", value);
  return text;
}

Tolerance ExactTolerance() {
  Tolerance tolerance;
  tolerance.zero_sign = true;
  return tolerance;
}

std::vector<PassFinding> CheckPassesAlone(const CheckedProgram& program, const Pipeline& steps,
                                          const CheckLimits& limits, PassCheckCounts* counts) {
  const std::string text = ModuleToString(*program.module);
  const Reference reference(program, limits, counts);
  std::vector<PassFinding> findings;
  for (const PipelineStep& step : steps) {
    absl::optional<PassFinding> finding = CheckAlone(step, program, text, reference, counts);
    if (finding.has_value()) findings.push_back(*std::move(finding));
  }
  return findings;
}

std::vector<PassFinding> CheckPipeline(const CheckedProgram& program, const Pipeline& pipeline,
                                       const CheckLimits& limits, PassCheckCounts* counts) {
  const Reference reference(program, limits, counts);
  std::vector<PassFinding> findings;
  const std::unique_ptr<HloModule> module = CloneModule(*program.module);
  PassContext context;
  PassRunnerOptions options;
  options.verify_layouts = true;
  PassFinding current;
  options.before_pass = [&](const HloModule& before, const std::string& pass, int64_t) {
    ++counts->passes;
    // What the pass before left is printed already.
    std::string text = current.after.empty() ? ModuleToString(before) : std::move(current.after);
    current = PassFinding{pass, "", "", std::move(text), ""};
    return absl::OkStatus();
  };
  options.after_pass = [&](const HloModule& after, const std::string&, int64_t, bool changed) {
    current.after = ModuleToString(after);
    current.rules = RulesText(context.counts());
    if (changed != (current.before != current.after)) {
      current.what = changed ? "says that it changed the module, which is the same" : "changed the module secretly";
    } else if (changed) {
      counts->CountChange(current.pass);
      current.what = reference.Compare(after);
    }
    // What comes after a difference differs too.
    return current.what.empty() ? absl::OkStatus() : absl::AbortedError("a difference was found");
  };
  const auto result = RunPasses(pipeline, options, context, *module);
  if (!result.ok()) {
    if (current.what.empty()) current.what = std::string(result.status().message());
    findings.push_back(current);
    return findings;
  }
  const std::unique_ptr<HloModule> again = CloneModule(*program.module);
  PassContext other_context;
  if (!RunPasses(pipeline, PassRunnerOptions(), other_context, *again).ok() ||
      ModuleToString(*again) != ModuleToString(*module)) {
    findings.push_back(
        {"the pipeline", "", "gives another module on another run", ModuleToString(*module), ModuleToString(*again)});
  }
  return findings;
}

}  // namespace xla
