// Runs random modules on a backend and compares with the interpreter.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/cpu/testing/tested_processor.h"
#include "backends/registry.h"
#include "passes/analyses/exactness.h"
#include "tests/conformance/autopsy_of_failure.h"
#include "tests/conformance/backend_variants.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/random_modules/contenders.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/run_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/files.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/random_source.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// Modules that one job of a worker process runs; when one of them kills it, its job is done again one by one.
constexpr int kModulesPerJob = 25;
constexpr absl::Duration kJobLimit = absl::Minutes(5);
// One set of ordinary arguments, and one with NaN, infinities and limits: RandomInputs tells them apart by seed mod 3.
constexpr uint64_t kRunsPerModule = 2;

struct Flags {
  std::string backend = "cpu";
  uint64_t seed = 0;
  int64_t modules = 1000;
  std::string backend_threads = "1,3";
  std::string levels = "1";
  std::vector<std::string> settings;
  std::vector<std::string> client_settings;
  std::string processor = "any";
  std::string output;
  std::string autopsy;
  int64_t threads = 0;
  int64_t max_findings = 20;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "check_backend [FLAGS]",
      "Runs random modules on a backend: results must be those of the interpreter, within the tolerance of "
      "their types if they depend on the order of a sum or on how a function is rounded, and the same bits "
      "for every number of threads and every level of optimization; on cpu also with poisoned memory and a "
      "verified plan, loaded, cached, with weights and on other processors. Exit status: 0 nothing found, 1 "
      "something found, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Choice("backend", BackendNames(), &flags.backend, "what is checked");
  table.Seed("seed", &flags.seed, "of the first module; the others follow");
  table.Number("modules", "N", &flags.modules, 1, "how many");
  table.Text("backend-threads", "LIST", &flags.backend_threads, "numbers of threads that the backend runs on");
  table.Text("levels", "LIST", &flags.levels, "levels of optimization, of 0, 1 and 2, that the backend compiles with");
  table.List("setting", "NAME=VALUE", &flags.settings, "of the backend, for compiling; may be repeated");
  table.List("client-setting", "NAME=VALUE", &flags.client_settings,
             "of the backend's client, such as profile=lowest of vulkan; may be repeated");
  table.Choice("processor", {"any", "host", "matrix-unit", "avx2", "baseline"}, &flags.processor,
               "that programs of cpu are for; any: the seed chooses among those that can be tested here");
  table.Text("output", "DIR", &flags.output, "where modules with other results are written");
  table.Text("autopsy", "DIR", &flags.autopsy,
             "find out what makes results that differ from the interpreter's, and leave what is found in a folder for "
             "each module in DIR");
  table.Number("threads", "N", &flags.threads, 1, "processes (default: one per CPU)");
  table.Number("max-findings", "N", &flags.max_findings, 1, "stop printing after this many");
  return table;
}

using Leaves = std::vector<Literal>;

// What a run gave: the leaves of the results of all devices, and what each device fed out.
struct Outcome {
  Leaves results;
  std::vector<Leaves> outfeeds;
  std::vector<size_t> fed_out;  // how many values, each of one leaf or more
};

void AddLeaves(const Literal& value, Leaves* leaves) {
  for (Literal& leaf : FlattenLeaves(value)) leaves->push_back(std::move(leaf));
}

struct Inputs {
  std::vector<std::vector<Literal>> arguments;
  std::vector<std::vector<Literal>> infeed;
};

absl::StatusOr<Outcome> Run(RunnableModule& runnable, const Inputs& inputs) {
  FeedQueues queues;
  queues.infeed = inputs.infeed;
  ASSIGN_OR_RETURN(const std::vector<Literal> results, runnable.Run(inputs.arguments, &queues));
  Outcome outcome;
  for (const Literal& result : results) AddLeaves(result, &outcome.results);
  for (const std::vector<Literal>& queue : queues.outfeed) {
    outcome.outfeeds.emplace_back();
    outcome.fed_out.push_back(queue.size());
    for (const Literal& value : queue) AddLeaves(value, &outcome.outfeeds.back());
  }
  return outcome;
}

bool IsLimit(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status);
}

bool AgreeButForNan(const Literal& got, const Literal& want) {
  Tolerance exact;
  exact.zero_sign = true;
  return CompareArrays(got, want, exact).matches();
}

// Fast math and the like: most elements that are numbers are near, however the others came about.
bool AgreesMostly(const Literal& got, const Literal& want) {
  Tolerance coarse = DefaultTolerance(want.shape().element_type());
  coarse.rtol = std::max(4 * coarse.rtol, 0.01);
  coarse.atol = 0.01;
  coarse.atol_is_relative = true;
  const Comparison comparison = CompareArrays(got, want, coarse);
  return comparison.shape_mismatch.empty() &&
         2 * (comparison.differing - comparison.incomparable) <= comparison.elements;
}

// Of a leaf by its number.
using IsExactLeaf = std::function<bool(size_t leaf)>;

// "" if each leaf agrees; within the tolerance means that exact leaves have the same bits.
std::string CompareLeaves(absl::string_view of, const Leaves& got, const Leaves& want, ContenderAgreement agreement,
                          const IsExactLeaf& is_exact) {
  if (got.size() != want.size()) return absl::StrCat(got.size(), " leaves ", of, ", expected ", want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (!want[i].shape().IsArray()) continue;
    const std::string name = absl::StrCat("leaf ", i, " ", of);
    // Of outfeeds that come in another order the shapes differ.
    if (!got[i].shape().Compatible(want[i].shape())) return absl::StrCat(name, " has another shape");
    if (agreement == ContenderAgreement::kAny) continue;
    if (agreement == ContenderAgreement::kMostly) {
      if (!AgreesMostly(got[i], want[i])) return absl::StrCat(name, " is not near");
      continue;
    }
    if (agreement != ContenderAgreement::kWithinTolerance || is_exact(i)) {
      const bool agrees =
          agreement == ContenderAgreement::kSameBits ? got[i].BitwiseEquals(want[i]) : AgreeButForNan(got[i], want[i]);
      if (!agrees) return absl::StrCat(name, " has other bits");
      continue;
    }
    const Comparison comparison = CompareArrays(got[i], want[i], DefaultTolerance(want[i].shape().element_type()));
    if (!comparison.matches()) return DescribeComparison(name, comparison, got[i], want[i]);
  }
  return "";
}

// "" if results and outfeeds agree.
std::string Compare(const Outcome& got, const Outcome& want, ContenderAgreement agreement, const ExactOutputs& exact) {
  std::string difference = CompareLeaves("of the results", got.results, want.results, agreement,
                                         [&](size_t leaf) { return exact.results[leaf % exact.results.size()]; });
  for (size_t d = 0; d < want.fed_out.size() && difference.empty(); ++d) {
    const size_t count = d < got.fed_out.size() ? got.fed_out[d] : 0;
    if (count != want.fed_out[d]) {
      return absl::StrCat("device ", d, " fed out ", count, " values, expected ", want.fed_out[d]);
    }
    if (count == 0) continue;
    difference = CompareLeaves(absl::StrCat("that device ", d, " fed out"), got.outfeeds[d], want.outfeeds[d],
                               agreement, [&](size_t) { return exact.outfeeds; });
  }
  return difference;
}

RandomModule ModuleFor(uint64_t seed) {
  RandomModuleOptions options;
  options.functions_are_rounded = true;
  return GenerateRandomModule(seed, options);
}

struct Counts {
  int64_t runs = 0;
  int64_t skipped = 0;  // runs that reach a limit
};

bool IsWithInterpreter(ContenderAgreement agreement) {
  return agreement != ContenderAgreement::kButForNan && agreement != ContenderAgreement::kSameBits;
}

// The processor that the programs of a seed are for; others than the host only if one is not asked for.
TestedProcessor ProcessorFor(uint64_t seed, const Flags& flags) {
  const std::vector<TestedProcessor> processors = TestableProcessors();
  if (flags.backend != "cpu") return TestedProcessor::kHost;
  for (const TestedProcessor processor : processors) {
    if (TestedProcessorName(processor) == flags.processor) return processor;
  }
  RandomSource random(seed ^ 0xBF58476D1CE4E5B9);
  return random.Chance(60) ? TestedProcessor::kHost : random.Pick(processors);
}

// Runs a contender, as often as it wants. "" if that agrees; `first` has the results of the first contender, or gets
// them.
std::string RunContender(const Contender& contender, const Inputs& inputs, const ExactOutputs& exact,
                         const absl::StatusOr<Outcome>& want, absl::optional<Outcome>& first, Counts* counts) {
  for (int run = 0; run < contender.runs; ++run) {
    ++counts->runs;
    auto got = Run(*contender.runnable, inputs);
    if (got.ok() != want.ok()) {
      return absl::StrCat("the interpreter says ", want.status().ToString(), ", the backend ", got.status().ToString());
    }
    if (!got.ok()) continue;
    const std::string difference =
        Compare(*got, IsWithInterpreter(contender.agreement) ? *want : *first, contender.agreement, exact);
    if (!difference.empty()) return difference;
    if (!first.has_value()) first = *std::move(got);
  }
  return "";
}

// What no order of a sum and no rounding of a function changes: as the generator knows, or as the analysis finds.
ExactOutputs ExactOutputsOf(const RandomModule& random) {
  ExactnessOptions options;
  options.may_round = &BackendsMayRound;
  ExactOutputs exact = FindExactOutputs(*random.module, options);
  for (size_t leaf = 0; leaf < exact.results.size(); ++leaf) {
    exact.results[leaf] = exact.results[leaf] || random.exact_leaves[leaf];
  }
  return exact;
}

// What an autopsy says of the backend as it usually runs; "" if none is asked for.
std::string AutopsyOf(const HloModule& module, const Inputs& inputs, uint64_t seed, const Flags& flags,
                      const BackendVariant& variant) {
  if (flags.autopsy.empty() || flags.backend == "interpreter") return "";
  FailedRun run;
  run.backend = flags.backend;
  run.variant = variant;
  run.replica_count = module.config().replica_count;
  run.partition_count = module.config().num_partitions;
  run.arguments = inputs.arguments;
  run.infeed = inputs.infeed;
  return absl::StrCat("\n", AutopsyOfFailure(module, run, absl::StrCat(flags.autopsy, "/", seed)));
}

// What is wrong with the backend's results; "" if nothing.
std::string CheckSeed(uint64_t seed, const Flags& flags, absl::Span<const BackendVariant> usual, Counts* counts) {
  const RandomModule random = ModuleFor(seed);
  const HloModule& module = *random.module;
  const ExactOutputs exact = ExactOutputsOf(random);
  const auto reference = CompileVariant(module, "interpreter", BackendVariant());
  if (!reference.ok()) return absl::StrCat("the interpreter: ", reference.status().ToString());
  const TestedProcessor processor = ProcessorFor(seed, flags);
  TestOnProcessor(processor);
  const std::string with =
      processor == TestedProcessor::kHost ? "" : absl::StrCat("processor ", TestedProcessorName(processor), ", ");
  const auto contenders = MakeContenders(module, flags.backend, usual, seed);
  if (!contenders.ok()) return absl::StrCat(with, "compiling: ", contenders.status().ToString());
  for (uint64_t run = 0; run < kRunsPerModule; ++run) {
    const uint64_t input_seed = 3 * seed + run;
    const Inputs inputs = {RandomInputs(module, input_seed), RandomInfeeds(module, input_seed)};
    const auto want = Run(**reference, inputs);
    if (IsLimit(want.status())) {
      ++counts->skipped;
      continue;
    }
    absl::optional<Outcome> first;
    for (const Contender& contender : *contenders) {
      if (contender.ordinary_only && input_seed % 3 != 0) continue;
      const std::string difference = RunContender(contender, inputs, exact, want, first, counts);
      if (difference.empty()) continue;
      const std::string autopsy = AutopsyOf(module, inputs, seed, flags, usual[0]);
      return absl::StrCat("run ", run, ", ", with, contender.name, ": ", difference, autopsy);
    }
  }
  return "";
}

class Findings {
 public:
  explicit Findings(const Flags& flags) : flags_(flags) {}

  void Add(uint64_t seed, const std::string& what) {
    if (++total_ > flags_.max_findings) return;
    std::printf("FOUND seed %llu: %.2000s\n", static_cast<unsigned long long>(seed), what.c_str());
    std::fflush(stdout);
    if (flags_.output.empty()) return;
    const absl::Status written =
        WriteFile(absl::StrCat(flags_.output, "/", seed, ".hlo"), ModuleToString(*ModuleFor(seed).module));
    if (!written.ok()) std::fprintf(stderr, "check_backend: %s\n", std::string(written.message()).c_str());
  }
  int64_t total() const { return total_; }

 private:
  const Flags& flags_;
  int64_t total_ = 0;
};

// A record for the counts, and one for each finding: fields between processes.
constexpr char kRecordEnd = '\x1e';
constexpr char kFieldEnd = '\x1f';

std::string RunSeeds(uint64_t first, uint64_t end, const Flags& flags, absl::Span<const BackendVariant> variants) {
  Counts counts;
  std::string found;
  for (uint64_t seed = first; seed < end; ++seed) {
    const std::string what = CheckSeed(seed, flags, variants, &counts);
    if (!what.empty()) absl::StrAppend(&found, std::string(1, kRecordEnd), seed, std::string(1, kFieldEnd), what);
  }
  return absl::StrCat(counts.runs, " ", counts.skipped, found);
}

void AddResults(const std::string& text, Counts* counts, Findings* findings) {
  const std::vector<std::string> records = absl::StrSplit(text, kRecordEnd);
  const std::vector<std::string> numbers = absl::StrSplit(records[0], ' ');
  counts->runs += std::atoll(numbers[0].c_str());
  counts->skipped += std::atoll(numbers[1].c_str());
  for (size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(records[i], kFieldEnd);
    findings->Add(std::strtoull(fields[0].c_str(), nullptr, 10), fields[1]);
  }
}

int CheckSeeds(const Flags& flags, absl::Span<const BackendVariant> variants) {
  const int workers = flags.threads > 0 ? static_cast<int>(flags.threads) : UsableCpuCount();
  const int jobs = static_cast<int>((flags.modules + kModulesPerJob - 1) / kModulesPerJob);
  const auto seeds_of = [&](int job) {
    const int64_t first = int64_t{job} * kModulesPerJob;
    return std::make_pair(flags.seed + first, flags.seed + std::min<int64_t>(flags.modules, first + kModulesPerJob));
  };
  Counts counts;
  Findings findings(flags);
  std::vector<uint64_t> suspects;
  ProgressLine progress("check_backend", jobs);
  int done = 0;
  RunIsolatedJobs(
      jobs, workers, kJobLimit,
      [&](int job) { return RunSeeds(seeds_of(job).first, seeds_of(job).second, flags, variants); },
      [&](int job, const JobResult& result) {
        progress.Wipe();
        if (result.finished) {
          AddResults(result.output, &counts, &findings);
        } else {
          for (auto [seed, end] = seeds_of(job); seed < end; ++seed) suspects.push_back(seed);
        }
        progress.Update(++done);
      });
  progress.Wipe();
  RunIsolatedJobs(
      static_cast<int>(suspects.size()), workers, kJobLimit,
      [&](int i) { return RunSeeds(suspects[i], suspects[i] + 1, flags, variants); },
      [&](int i, const JobResult& result) {
        result.finished ? AddResults(result.output, &counts, &findings) : findings.Add(suspects[i], result.failure);
      });
  std::printf("%lld modules, %lld runs, %lld skipped: %lld findings\n", static_cast<long long>(flags.modules),
              static_cast<long long>(counts.runs), static_cast<long long>(counts.skipped),
              static_cast<long long>(findings.total()));
  return findings.total() > 0 ? kExitResultsDiffer : kExitFine;
}

bool IsTestable(absl::string_view name) {
  const std::vector<TestedProcessor> testable = TestableProcessors();
  return std::any_of(testable.begin(), testable.end(),
                     [&](TestedProcessor processor) { return TestedProcessorName(processor) == name; });
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_backend", argc, argv, table);
  if (ended.has_value()) return *ended;
  if (flags.processor != "any" && !IsTestable(flags.processor)) {
    return BadUsage("check_backend",
                    absl::StrCat("--processor: this machine has not what it takes to test ", flags.processor));
  }
  const auto variants = ReadVariants(flags.backend_threads, flags.levels, flags.settings, flags.client_settings);
  if (!variants.ok()) return BadUsage("check_backend", variants.status().message());
  return CheckSeeds(flags, *variants);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
