// Runs passes and pipelines on random modules, or on a corpus, and checks them against the interpreter.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/analyses/exactness.h"
#include "passes/pass_runner.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "re2/re2.h"
#include "tests/conformance/conformance_case.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/random_modules/check_passes.h"
#include "tests/random_modules/pass_variants.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/run_arguments.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/files.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Modules that one job of a worker process checks; when one of them kills it, its job is done again one by one.
constexpr int kModulesPerJob = 25;
constexpr absl::Duration kJobLimit = absl::Minutes(5);
constexpr absl::Duration kCaseLimit = absl::Minutes(15);
// One set of ordinary arguments, and one with NaN, infinities and limits: RandomInputs tells them apart by seed mod 3.
constexpr uint64_t kRunsPerModule = 2;

struct Flags {
  uint64_t seed = 0;
  int64_t count = 1000;
  std::string passes;
  std::string chain;
  std::string pipeline;
  std::string skip;
  std::string file;
  std::string corpus;
  std::string filter;
  std::string output;
  int64_t threads = 0;
  int64_t max_findings = 20;
  bool count_changes = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "check_passes [FLAGS]",
      "Runs each pass by itself, or a pipeline, on random modules: results must stay those of the "
      "interpreter, a pass must say whether it changed something, change nothing the second time, and do the "
      "same on every run. Exit status: 0 nothing found, 1 something found, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first module; the others follow");
  table.Number("count", "N", &flags.count, 1, "modules");
  table.Text("passes", "LIST", &flags.passes,
             "the passes to check, each alone (default: all of the pass table, some with several options)");
  table.Text("chain", "LIST", &flags.chain, "passes to run one after the other, with a comparison after each");
  table.Text("pipeline", "NAMES", &flags.pipeline, "pipelines to run, with a comparison after each of their passes");
  table.Text("skip", "LIST", &flags.skip, "passes to leave out");
  table.Text("file", "FILE", &flags.file, "check the module of this file instead, as if all of it were exact");
  table.Text("corpus", "DIR", &flags.corpus, "check the programs of this conformance corpus instead");
  table.Text("filter", "RE", &flags.filter, "only cases of the corpus whose GROUP/NAME matches somewhere");
  table.Text("output", "DIR", &flags.output, "where the modules before and after a wrong pass are written");
  table.Number("threads", "N", &flags.threads, 1, "processes (default: one per CPU)");
  table.Number("max-findings", "N", &flags.max_findings, 1, "stop printing after this many");
  table.Switch("count-changes", &flags.count_changes, "print how often each pass changed something, 0 included");
  return table;
}

struct Work {
  Pipeline alone;                                         // passes to check alone
  std::vector<std::pair<std::string, Pipeline>> chained;  // pipelines by name
};

absl::Status AddVariants(const std::function<bool(const std::string& pass)>& is_skipped, Work* work) {
  for (const char* const text : kPassVariants) {
    ASSIGN_OR_RETURN(const Pipeline steps, ParsePasses(text));
    if (!is_skipped(steps[0].pass)) work->alone.push_back(steps[0]);
  }
  for (const char* const text : kPassChains) {
    ASSIGN_OR_RETURN(Pipeline steps, ParsePasses(text));
    const bool any_skipped =
        std::any_of(steps.begin(), steps.end(), [&](const PipelineStep& step) { return is_skipped(step.pass); });
    if (!any_skipped) work->chained.push_back({text, std::move(steps)});
  }
  return absl::OkStatus();
}

absl::StatusOr<Work> MakeWork(const Flags& flags) {
  Work work;
  const std::vector<std::string> skipped = absl::StrSplit(flags.skip, ',', absl::SkipEmpty());
  const auto is_skipped = [&](const std::string& pass) {
    for (const std::string& name : skipped) {
      if (name == pass) return true;
    }
    return false;
  };
  if (!flags.passes.empty()) {
    auto parsed = ParsePasses(flags.passes);
    if (!parsed.ok()) return parsed.status();
    work.alone = *std::move(parsed);
  } else if (flags.chain.empty() && flags.pipeline.empty()) {
    for (const Pass* pass : AllPasses()) {
      PipelineStep step;
      step.pass = pass->name;
      if (!is_skipped(step.pass)) work.alone.push_back(step);
    }
    RETURN_IF_ERROR(AddVariants(is_skipped, &work));
  }
  for (const absl::string_view name : absl::StrSplit(flags.pipeline, ',', absl::SkipEmpty())) {
    auto pipeline = PipelineByName(name);
    if (!pipeline.ok()) return pipeline.status();
    work.chained.push_back({std::string(name), *std::move(pipeline)});
  }
  if (!flags.chain.empty()) {
    auto parsed = ParsePasses(flags.chain);
    if (!parsed.ok()) return parsed.status();
    work.chained.push_back({"chain", *std::move(parsed)});
  }
  return work;
}

// Counts in front of findings, as text between processes: a line of numbers, and of passes with a number each, then
// records.
constexpr char kFieldEnd = '\x1f';
constexpr char kRecordEnd = '\x1e';

struct Report {
  PassCheckCounts counts;
  std::vector<std::pair<std::string, PassFinding>> findings;  // with what the module is: "seed 7"
};

std::string Encode(const Report& report) {
  std::string text = absl::StrCat(report.counts.passes, " ", report.counts.changed, " ", report.counts.skipped);
  for (const auto& [pass, count] : report.counts.changed_by_pass) absl::StrAppend(&text, " ", pass, " ", count);
  for (const auto& [title, f] : report.findings) {
    text += kRecordEnd;
    for (const std::string& field : {title, f.pass, f.rules, f.what, f.before, f.after}) {
      text += field;
      text += kFieldEnd;
    }
  }
  return text;
}

Report Decode(const std::string& text) {
  Report report;
  const std::vector<std::string> records = absl::StrSplit(text, kRecordEnd);
  const std::vector<std::string> numbers = absl::StrSplit(records[0], ' ');
  const auto number = [&numbers](size_t i) { return static_cast<int64_t>(std::atoll(numbers[i].c_str())); };
  report.counts = {number(0), number(1), number(2), {}};
  for (size_t i = 3; i + 1 < numbers.size(); i += 2) report.counts.changed_by_pass[numbers[i]] = number(i + 1);
  for (size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string> f = absl::StrSplit(records[i], kFieldEnd);
    report.findings.push_back({f[0], {f[1], f[2], f[3], f[4], f[5]}});
  }
  return report;
}

void CheckProgram(const CheckedProgram& program, const std::string& title, const Work& work, Report* report) {
  const CheckLimits limits;
  const auto add = [&](std::vector<PassFinding> findings, const std::string& prefix) {
    for (PassFinding& finding : findings) {
      finding.pass = prefix + finding.pass;
      report->findings.push_back({title, std::move(finding)});
    }
  };
  if (!work.alone.empty()) add(CheckPassesAlone(program, work.alone, limits, &report->counts), "");
  for (const auto& [name, pipeline] : work.chained) {
    add(CheckPipeline(program, pipeline, limits, &report->counts), absl::StrCat(name, ": "));
  }
}

RunInputs InputsFor(const HloModule& module, uint64_t seed) {
  return {RandomInputs(module, seed), RandomInfeeds(module, seed)};
}

// Passes keep what functions give to the bit, but expand-batch-norm is also run with arithmetic in f32.
ExactOutputs ExactOutputsUnderPasses(const HloModule& module) {
  ExactnessOptions options;
  options.may_round = [](HloOpcode opcode) { return opcode == HloOpcode::kBatchNormInference; };
  return FindExactOutputs(module, options);
}

void CheckSeed(uint64_t seed, const Work& work, Report* report) {
  const RandomModule random = GenerateRandomModule(seed);
  CheckedProgram program;
  program.module = random.module.get();
  program.replicas = random.module->config().replica_count;
  program.partitions = random.module->config().num_partitions;
  for (uint64_t run = 0; run < kRunsPerModule; ++run) program.runs.push_back(InputsFor(*random.module, 3 * seed + run));
  // The generator knows which sums are of whole numbers, the analysis what no sum reaches.
  const ExactOutputs exact = ExactOutputsUnderPasses(*random.module);
  program.tolerances = [&](int leaf, PrimitiveType type) -> std::vector<Tolerance> {
    return {random.exact_leaves[leaf] || exact.results[leaf] ? ExactTolerance() : DefaultTolerance(type)};
  };
  CheckProgram(program, absl::StrCat("seed ", seed), work, report);
}

// Prints and writes what is found, and counts it.
class Findings {
 public:
  explicit Findings(const Flags& flags) : flags_(flags) {}

  void Add(const Report& report) {
    counts_.passes += report.counts.passes;
    counts_.changed += report.counts.changed;
    counts_.skipped += report.counts.skipped;
    for (const auto& [pass, count] : report.counts.changed_by_pass) counts_.changed_by_pass[pass] += count;
    for (const auto& [title, finding] : report.findings) AddFinding(title, finding);
  }
  void AddCrash(const std::string& title, const std::string& how) { AddFinding(title, {"?", "", how, "", ""}); }

  int64_t total() const { return total_; }
  void PrintSummary(int64_t modules) const {
    for (const auto& [pass, count] : by_pass_)
      std::printf("  %6lld  %s\n", static_cast<long long>(count), pass.c_str());
    std::printf("%lld modules, %lld passes run, %lld of them changed something, %lld runs skipped: %lld findings\n",
                static_cast<long long>(modules), static_cast<long long>(counts_.passes),
                static_cast<long long>(counts_.changed), static_cast<long long>(counts_.skipped),
                static_cast<long long>(total_));
  }
  // For each pass that ran alone, and each one of a pipeline that changed something.
  void PrintChanges(const Work& work) const {
    std::map<std::string, int64_t> changes = counts_.changed_by_pass;
    for (const PipelineStep& step : work.alone) changes.try_emplace(StepText(step), 0);
    std::printf("changes by pass:\n");
    for (const auto& [pass, count] : changes) std::printf("  %8lld  %s\n", static_cast<long long>(count), pass.c_str());
  }

 private:
  void AddFinding(const std::string& title, const PassFinding& finding) {
    ++by_pass_[finding.pass];
    if (++total_ > flags_.max_findings) return;
    std::printf("FOUND %s, pass %s, rules {%s}: %.2000s\n", title.c_str(), finding.pass.c_str(), finding.rules.c_str(),
                finding.what.c_str());
    if (!flags_.output.empty()) {
      const std::string stem = absl::StrCat(flags_.output, "/", total_);
      Write(stem + "_before.hlo", finding.before);
      Write(stem + "_after.hlo", finding.after);
    }
    std::fflush(stdout);
  }
  static void Write(const std::string& path, const std::string& text) {
    const absl::Status status = WriteFile(path, text);
    if (!status.ok()) std::fprintf(stderr, "check_passes: %s\n", std::string(status.message()).c_str());
  }

  const Flags& flags_;
  PassCheckCounts counts_;
  std::map<std::string, int64_t> by_pass_;
  int64_t total_ = 0;
};

int WorkerCount(const Flags& flags) { return flags.threads > 0 ? static_cast<int>(flags.threads) : UsableCpuCount(); }

int CheckFile(const Flags& flags, const Work& work) {
  const auto text = ReadFile(UserPath(flags.file));
  if (!text.ok()) return BadUsage("check_passes", text.status().message());
  const auto module = ParseHloModule(text->data());
  if (!module.ok()) return BadUsage("check_passes", module.status().message());
  const absl::Status valid = VerifyModule(**module);
  if (!valid.ok()) return BadUsage("check_passes", valid.message());
  CheckedProgram program;
  program.module = module->get();
  for (uint64_t run = 0; run < 6; ++run) program.runs.push_back(InputsFor(**module, 3 * flags.seed + run));
  program.replicas = (*module)->config().replica_count;
  program.partitions = (*module)->config().num_partitions;
  program.tolerances = [](int, PrimitiveType) -> std::vector<Tolerance> { return {ExactTolerance()}; };
  Report report;
  CheckProgram(program, flags.file, work, &report);
  Findings findings(flags);
  findings.Add(report);
  findings.PrintSummary(1);
  return findings.total() > 0 ? kExitResultsDiffer : kExitFine;
}

// Seeds whose job died are done again, each in a process of its own.
void CheckSeeds(const Flags& flags, const Work& work, Findings* findings) {
  const int workers = WorkerCount(flags);
  const int jobs = static_cast<int>((flags.count + kModulesPerJob - 1) / kModulesPerJob);
  std::vector<uint64_t> suspects;
  const auto seeds_of = [&](int job) {
    const int64_t first = int64_t{job} * kModulesPerJob;
    return std::make_pair(flags.seed + first, flags.seed + std::min<int64_t>(flags.count, first + kModulesPerJob));
  };
  ProgressLine progress("check_passes", jobs);
  int done = 0;
  RunIsolatedJobs(
      jobs, workers, kJobLimit,
      [&](int job) {
        Report report;
        for (auto [seed, end] = seeds_of(job); seed < end; ++seed) CheckSeed(seed, work, &report);
        return Encode(report);
      },
      [&](int job, const JobResult& result) {
        progress.Wipe();
        if (result.finished) {
          findings->Add(Decode(result.output));
        } else {
          for (auto [seed, end] = seeds_of(job); seed < end; ++seed) suspects.push_back(seed);
        }
        progress.Update(++done);
      });
  progress.Wipe();
  RunIsolatedJobs(
      static_cast<int>(suspects.size()), workers, kJobLimit,
      [&](int i) {
        Report report;
        CheckSeed(suspects[i], work, &report);
        return Encode(report);
      },
      [&](int i, const JobResult& result) {
        result.finished ? findings->Add(Decode(result.output))
                        : findings->AddCrash(absl::StrCat("seed ", suspects[i]), result.failure);
      });
}

// ---- The corpus

absl::Status CheckCase(const ConformanceCase& conformance_case, const Work& work, Report* report) {
  ASSIGN_OR_RETURN(const CaseDescription description, ReadCaseDescription(conformance_case));
  if (description.must_be_refused || description.is_full_size) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FileContents text, ReadFile(conformance_case.path("module.hlo")));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(text.data()));
  RETURN_IF_ERROR(VerifyModule(*module));
  CheckedProgram program;
  program.module = module.get();
  program.replicas = description.replica_count;
  program.partitions = description.partition_count;
  const std::vector<Shape> parameters = ParameterShapes(*module);
  const int64_t devices = program.replicas * program.partitions;
  ASSIGN_OR_RETURN(DeviceArguments arguments,
                   description.has_inputs
                       ? ArgumentsFromSpecs(parameters, devices, description.inputs, "case.json", InputResources())
                       : RandomArguments(parameters, devices, /*seed=*/0, InputResources()));
  program.runs.push_back({std::move(arguments), {}});
  const ExactOutputs exact = ExactOutputsUnderPasses(*module);
  program.tolerances = [&](int leaf, PrimitiveType type) -> std::vector<Tolerance> {
    if (exact.results[leaf]) return {ExactTolerance()};
    return {description.tolerance.ForOutput(leaf, type), DefaultTolerance(type)};
  };
  CheckProgram(program, conformance_case.title(), work, report);
  return absl::OkStatus();
}

int CheckCorpus(const Flags& flags, const Work& work) {
  const RE2 filter(flags.filter, RE2::Quiet);
  if (!filter.ok()) return BadUsage("check_passes", absl::StrCat("--filter: ", filter.error()));
  const auto all = ListCases(UserPath(flags.corpus));
  if (!all.ok()) return BadUsage("check_passes", all.status().message());
  std::vector<ConformanceCase> cases;
  for (const ConformanceCase& one : *all) {
    if (one.group != "invalid" && RE2::PartialMatch(one.title(), filter)) cases.push_back(one);
  }
  Findings findings(flags);
  ProgressLine progress("check_passes", static_cast<int64_t>(cases.size()));
  int done = 0;
  RunIsolatedJobs(
      static_cast<int>(cases.size()), WorkerCount(flags), kCaseLimit,
      [&](int i) {
        Report report;
        const absl::Status status = CheckCase(cases[i], work, &report);
        if (!status.ok()) report.findings.push_back({cases[i].title(), {"?", "", status.ToString(), "", ""}});
        return Encode(report);
      },
      [&](int i, const JobResult& result) {
        progress.Wipe();
        result.finished ? findings.Add(Decode(result.output)) : findings.AddCrash(cases[i].title(), result.failure);
        progress.Update(++done);
      });
  progress.Wipe();
  findings.PrintSummary(static_cast<int64_t>(cases.size()));
  if (flags.count_changes) findings.PrintChanges(work);
  return findings.total() > 0 ? kExitResultsDiffer : kExitFine;
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_passes", argc, argv, table);
  if (ended.has_value()) return *ended;
  flags.output = UserPath(flags.output);
  const auto work = MakeWork(flags);
  if (!work.ok()) return BadUsage("check_passes", work.status().message());
  if (!flags.file.empty()) return CheckFile(flags, *work);
  if (!flags.corpus.empty()) return CheckCorpus(flags, *work);
  Findings findings(flags);
  CheckSeeds(flags, *work, &findings);
  findings.PrintSummary(flags.count);
  if (flags.count_changes) findings.PrintChanges(*work);
  return findings.total() > 0 ? kExitResultsDiffer : kExitFine;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
