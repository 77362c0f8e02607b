// Runs random modules on a backend and compares with the interpreter.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
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
#include "backends/registry.h"
#include "tests/conformance/backend_variants.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/random_modules/random_module.h"
#include "tools/exit_codes.h"
#include "tools/flag_table.h"
#include "tools/run_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/files.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// Modules that one job of a worker process runs; when one of them kills it, its job is done again one by one.
constexpr int kModulesPerJob = 25;
constexpr absl::Duration kJobLimit = absl::Minutes(5);
constexpr absl::Duration kRunLimit = absl::Seconds(60);
constexpr int64_t kMaxSteps = 3'000'000;
constexpr int64_t kMaxMemoryBytes = int64_t{2} << 30;
// One set of ordinary arguments, and one with NaN, infinities and limits: RandomInputs tells them apart by seed mod 3.
constexpr uint64_t kRunsPerModule = 2;

struct Flags {
  std::string backend = "cpu";
  uint64_t seed = 0;
  int64_t modules = 1000;
  std::string backend_threads = "1,3";
  std::string levels = "1";
  std::vector<std::string> settings;
  std::string output;
  int64_t threads = 0;
  int64_t max_findings = 20;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("check_backend [FLAGS]",
                  "Runs random modules on a backend: results must be those of the interpreter, within the tolerance of "
                  "their types, and the same bits for every number of threads and every level of optimization; on cpu "
                  "also with poisoned memory and a verified plan, with small tiles, and with contracted recurrences, "
                  "whose bits must be those of another level. Exit status: 0 nothing found, 1 something found, 2 bad "
                  "usage.");
  table.Topic("flags", "all of them");
  table.Choice("backend", BackendNames(), &flags.backend, "what is checked");
  table.Seed("seed", &flags.seed, "of the first module; the others follow");
  table.Number("modules", "N", &flags.modules, 1, "how many");
  table.Text("backend-threads", "LIST", &flags.backend_threads, "numbers of threads that the backend runs on");
  table.Text("levels", "LIST", &flags.levels, "levels of optimization, of 0, 1 and 2, that the backend compiles with");
  table.List("setting", "NAME=VALUE", &flags.settings, "of the backend, for compiling; may be repeated");
  table.Text("output", "DIR", &flags.output, "where modules with other results are written");
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

absl::StatusOr<std::unique_ptr<RunnableModule>> Compile(const HloModule& module, const std::string& backend,
                                                        const BackendVariant& variant) {
  RunSettings settings;
  settings.backend = backend;
  settings.compile_settings = variant.settings;
  settings.threads = variant.threads;
  settings.optimization_level = variant.optimization_level;
  settings.replica_count = module.config().replica_count;
  settings.partition_count = module.config().num_partitions;
  settings.options.max_steps = kMaxSteps;
  settings.options.max_memory_bytes = kMaxMemoryBytes;
  settings.options.timeout = kRunLimit;
  return RunnableModule::Create(module, settings);
}

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

enum class Agreement {
  kWithinTolerance,  // of the types
  kButForNan,        // the same bits, except that a NaN is a NaN: rewrites change the bits of those
  kSameBits,
};

bool AgreeButForNan(const Literal& got, const Literal& want) {
  Tolerance exact;
  exact.zero_sign = true;
  return CompareArrays(got, want, exact).matches();
}

// "" if each leaf agrees.
std::string CompareLeaves(absl::string_view of, const Leaves& got, const Leaves& want, Agreement agreement) {
  if (got.size() != want.size()) return absl::StrCat(got.size(), " leaves ", of, ", expected ", want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (!want[i].shape().IsArray()) continue;
    const std::string name = absl::StrCat("leaf ", i, " ", of);
    // Of outfeeds that come in another order the shapes differ.
    if (!got[i].shape().Compatible(want[i].shape())) return absl::StrCat(name, " has another shape");
    if (agreement != Agreement::kWithinTolerance) {
      const bool agrees =
          agreement == Agreement::kSameBits ? got[i].BitwiseEquals(want[i]) : AgreeButForNan(got[i], want[i]);
      if (!agrees) return absl::StrCat(name, " has other bits");
      continue;
    }
    const Comparison comparison = CompareArrays(got[i], want[i], DefaultTolerance(want[i].shape().element_type()));
    if (!comparison.matches()) return DescribeComparison(name, comparison, got[i], want[i]);
  }
  return "";
}

// "" if results and outfeeds agree.
std::string Compare(const Outcome& got, const Outcome& want, Agreement agreement) {
  std::string difference = CompareLeaves("of the results", got.results, want.results, agreement);
  for (size_t d = 0; d < want.fed_out.size() && difference.empty(); ++d) {
    const size_t count = d < got.fed_out.size() ? got.fed_out[d] : 0;
    if (count != want.fed_out[d]) {
      return absl::StrCat("device ", d, " fed out ", count, " values, expected ", want.fed_out[d]);
    }
    if (count == 0) continue;
    difference = CompareLeaves(absl::StrCat("that device ", d, " fed out"), got.outfeeds[d], want.outfeeds[d],
                               agreement);
  }
  return difference;
}

RandomModule ModuleFor(uint64_t seed) {
  RandomModuleOptions options;
  options.functions_are_rounded = true;
  return GenerateRandomModule(seed, options);
}

// What the results of a variant are compared with.
enum class Role {
  kUsual,          // the interpreter's; those of the variants before have the same bits
  kOtherOrder,     // the interpreter's: sums are added up in another order than by the others
  kOtherRounding,  // those of the variant before it of this kind
};

struct CheckedVariant {
  BackendVariant variant;
  Role role;
};

std::vector<CheckedVariant> VariantsFor(uint64_t seed, const std::string& backend,
                                        absl::Span<const BackendVariant> usual) {
  // Of the modules some are checked at each level and on each number of threads.
  std::vector<BackendVariant> variants(usual.begin(), usual.end());
  AddCheckedVariant(backend, seed % usual.size(), &variants);
  std::vector<CheckedVariant> result;
  for (BackendVariant& variant : variants) result.push_back({std::move(variant), Role::kUsual});
  if (backend != "cpu") return result;
  static constexpr const char* kTileCosts[] = {"1", "40", "400", "4000"};
  BackendVariant tiled = result.back().variant;
  tiled.threads = 3;
  tiled.settings["tile-cost"] = kTileCosts[seed / usual.size() % 4];
  result.push_back({std::move(tiled), Role::kOtherOrder});
  if (seed % 4 != 0) return result;
  for (const int level : {0, 2}) {
    BackendVariant contracted = usual[0];
    contracted.optimization_level = level;
    contracted.settings["contract-recurrences"] = "true";
    contracted.settings["verify-plan"] = "true";
    result.push_back({std::move(contracted), Role::kOtherRounding});
  }
  return result;
}

struct Counts {
  int64_t runs = 0;
  int64_t skipped = 0;  // modules that the backend says it cannot run, and runs that reach a limit
};

// What is wrong with the backend's results; "" if nothing.
std::string CheckSeed(uint64_t seed, const Flags& flags, absl::Span<const BackendVariant> usual, Counts* counts) {
  const std::vector<CheckedVariant> variants = VariantsFor(seed, flags.backend, usual);
  const RandomModule random = ModuleFor(seed);
  const HloModule& module = *random.module;
  const auto reference = Compile(module, "interpreter", BackendVariant());
  if (!reference.ok()) return absl::StrCat("the interpreter: ", reference.status().ToString());
  std::vector<std::unique_ptr<RunnableModule>> compiled;
  for (const CheckedVariant& checked : variants) {
    auto runnable = Compile(module, flags.backend, checked.variant);
    if (absl::IsUnimplemented(runnable.status())) {
      ++counts->skipped;
      return "";
    }
    if (!runnable.ok()) return absl::StrCat("compiling: ", runnable.status().ToString());
    compiled.push_back(*std::move(runnable));
  }
  for (uint64_t run = 0; run < kRunsPerModule; ++run) {
    const Inputs inputs = {RandomInputs(module, 3 * seed + run), RandomInfeeds(module, 3 * seed + run)};
    const auto want = Run(**reference, inputs);
    if (IsLimit(want.status())) {
      ++counts->skipped;
      continue;
    }
    absl::optional<Outcome> first, contracted;
    for (size_t i = 0; i < compiled.size(); ++i) {
      ++counts->runs;
      const auto& [variant, role] = variants[i];
      auto got = Run(*compiled[i], inputs);
      if (got.ok() != want.ok()) {
        return absl::StrCat("run ", run, ": the interpreter says ", want.status().ToString(), ", the backend ",
                            got.status().ToString());
      }
      if (!got.ok()) continue;
      std::string difference;
      if (role == Role::kOtherRounding) {
        if (contracted.has_value()) difference = Compare(*got, *contracted, Agreement::kButForNan);
        contracted = *std::move(got);
      } else if (role == Role::kOtherOrder || !first.has_value()) {
        difference = Compare(*got, *want, Agreement::kWithinTolerance);
        if (role == Role::kUsual) first = *std::move(got);
      } else {
        const bool same_level = variant.optimization_level == variants[0].variant.optimization_level;
        difference = Compare(*got, *first, same_level ? Agreement::kSameBits : Agreement::kButForNan);
      }
      if (!difference.empty()) return absl::StrCat("run ", run, ", ", variant.Text(), ": ", difference);
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

int Fail(absl::string_view message) {
  std::fprintf(stderr, "check_backend: %s\n", std::string(message).c_str());
  return kExitBadUsage;
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const auto others = table.Parse(absl::MakeConstSpan(argv + 1, argc - 1));
  if (!others.ok()) return Fail(others.status().message());
  if (table.help_topic().has_value()) {
    std::printf("%s\n%s", table.Help("")->c_str(), table.Help("flags")->c_str());
    return kExitFine;
  }
  if (!others->empty()) return Fail(absl::StrCat("unexpected argument '", (*others)[0], "'; --help lists the flags"));
  const auto variants = ReadVariants(flags.backend_threads, flags.levels, flags.settings);
  if (!variants.ok()) return Fail(variants.status().message());
  return CheckSeeds(flags, *variants);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
