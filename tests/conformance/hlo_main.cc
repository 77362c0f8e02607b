// Runs the corpus of HLO programs with known results and counts what passes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backends/registry.h"
#include "re2/re2.h"
#include "tests/conformance/backend_variants.h"
#include "tests/conformance/conformance_case.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/conformance/run_case.h"
#include "tools/exit_codes.h"
#include "tools/flag_table.h"
#include "xla_core/support/json.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// A run gets this long by itself; a case, which is two runs and more, somewhat longer before it is taken for dead.
constexpr absl::Duration kCaseTimeout = absl::Seconds(120);
constexpr absl::Duration kFullSizeTimeout = absl::Minutes(15);
constexpr absl::Duration kGrace = absl::Seconds(60);
// Of a failure's message this many lines are printed.
constexpr int kMaxMessageLines = 30;

struct Flags {
  std::string corpus;
  std::string backend = "interpreter";
  std::string filter;
  int64_t threads = 0;
  std::string backend_threads = "1";
  std::string levels = "1";
  bool full = false;
  bool json = false;
  bool fallbacks = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("hlo [FLAGS]",
                  "Runs the cases of a conformance corpus: each program from text and from protobuf against its "
                  "expected results, the compiler's output through a round trip, and what is invalid against "
                  "being refused. Exit status: 0 all passed or skipped, 1 some failed, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Text("corpus", "DIR", &flags.corpus,
             "the corpus (default: hlo in the folder that HALO_CORPUS names; without either nothing is run)");
  table.Choice("backend", BackendNames(), &flags.backend, "what executes the programs");
  table.Text("filter", "RE", &flags.filter, "only cases whose GROUP/NAME matches somewhere");
  table.Number("threads", "N", &flags.threads, 1, "cases that run at the same time (default: one per CPU)");
  table.Text("backend-threads", "LIST", &flags.backend_threads,
             "numbers of threads that each program runs on, with the same bits as results (default: 1)");
  table.Text("levels", "LIST", &flags.levels,
             "levels of optimization, of 0, 1 and 2, that each program is compiled with, with the same bits as results "
             "(default: 1)");
  table.Switch("full", &flags.full, "also the models of real size");
  table.Switch("fallbacks", &flags.fallbacks, "list what the backend left to the evaluator, by opcode and reason");
  table.Switch("json", &flags.json, "print counts and failures as one JSON object");
  return table;
}

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
  std::string Text() const { return absl::StrCat(passed, " passed, ", failed, " failed, ", skipped, " skipped"); }
  void Add(Verdict verdict) {
    ++(verdict == Verdict::kPassed ? passed : verdict == Verdict::kFailed ? failed : skipped);
  }
};

// What backends left to the evaluator, over all cases.
class FallbackCounts {
 public:
  void Add(const ConformanceCase& conformance_case, const CompileReport& report) {
    native_ += report.native_instructions;
    for (const Fallback& fallback : report.fallbacks) {
      Row& row = rows_[{fallback.opcode, fallback.reason}];
      row.instructions += fallback.count;
      ++row.cases;
      const std::string title = conformance_case.title();
      if (row.example.empty() || title < row.example) row.example = title;
    }
  }

  // The most frequent first.
  void Print() const {
    std::vector<std::pair<Key, Row>> rows(rows_.begin(), rows_.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.instructions > b.second.instructions; });
    std::printf("%lld instructions run natively\n", static_cast<long long>(native_));
    for (const auto& [key, row] : rows) {
      std::printf("%6lld x %s in %lld cases, as %s: %s\n", static_cast<long long>(row.instructions), key.first.c_str(),
                  static_cast<long long>(row.cases), row.example.c_str(), key.second.c_str());
    }
  }

 private:
  using Key = std::pair<std::string, std::string>;  // opcode and reason
  struct Row {
    int64_t instructions = 0;
    int64_t cases = 0;
    std::string example;  // the first case by name
  };

  int64_t native_ = 0;
  std::map<Key, Row> rows_;
};

// The results of all cases, in the order in which they end.
class Summary {
 public:
  Summary(bool json, bool fallbacks) : json_(json), prints_fallbacks_(fallbacks) {}

  void Add(const ConformanceCase& conformance_case, const CaseResult& result, absl::Duration elapsed) {
    total_.Add(result.verdict);
    fallbacks_.Add(conformance_case, result.compile_report);
    groups_[conformance_case.group].Add(result.verdict);
    times_[conformance_case.group] += elapsed;
    if (result.verdict != Verdict::kFailed) return;
    failures_.emplace_back(conformance_case.title(), result.message);
    if (!json_) PrintFailure(failures_.back());
  }

  void Print() const {
    if (json_) {
      std::printf("%s\n", Json().c_str());
      return;
    }
    for (const auto& group : groups_) {
      std::printf("%-12s %s (%.1f s)\n", group.first.c_str(), group.second.Text().c_str(),
                  absl::ToDoubleSeconds(times_.at(group.first)));
    }
    std::printf("%s\n", total_.Text().c_str());
    if (prints_fallbacks_) fallbacks_.Print();
  }

  bool any_failed() const { return total_.failed > 0; }

 private:
  static void PrintFailure(const std::pair<std::string, std::string>& failure) {
    const std::vector<std::string> lines = absl::StrSplit(failure.second, '\n');
    std::printf("FAILED %s\n", failure.first.c_str());
    for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
      if (i == kMaxMessageLines) {
        std::printf("    ... %d more lines\n", static_cast<int>(lines.size()) - i);
        break;
      }
      std::printf("    %.500s\n", lines[i].c_str());
    }
    std::fflush(stdout);
  }

  static void WriteCounts(const Counts& counts, JsonWriter& json) {
    json.Key("passed").Int(counts.passed).Key("failed").Int(counts.failed).Key("skipped").Int(counts.skipped);
  }

  std::string Json() const {
    JsonWriter json;
    json.BeginObject();
    WriteCounts(total_, json);
    json.Key("groups").BeginObject();
    for (const auto& group : groups_) {
      json.Key(group.first).BeginObject();
      WriteCounts(group.second, json);
      json.EndObject();
    }
    json.EndObject();
    json.Key("failures").BeginArray();
    for (const auto& failure : failures_) {
      json.BeginObject().Key("case").String(failure.first).Key("why").String(failure.second).EndObject();
    }
    json.EndArray();
    json.EndObject();
    return json.TakeText();
  }

  const bool json_;
  const bool prints_fallbacks_;
  Counts total_;
  FallbackCounts fallbacks_;
  std::map<std::string, Counts> groups_;
  std::map<std::string, absl::Duration> times_;
  std::vector<std::pair<std::string, std::string>> failures_;
};

// `bazel run` starts programs in a folder of its own and says where the user was.
std::string RelativeToUser(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr || path.empty() || absl::StartsWith(path, "/") ? path : absl::StrCat(folder, "/", path);
}

// What a worker process sends back: the verdict as one byte, records of the compile report, and the message.
constexpr char kRecordEnd = '\x1e';
constexpr char kFieldEnd = '\x1f';
constexpr char kReportEnd = '\x1d';

std::string Encode(const CaseResult& result) {
  std::string text(1, static_cast<char>('0' + static_cast<int>(result.verdict)));
  absl::StrAppend(&text, result.compile_report.native_instructions);
  for (const Fallback& fallback : result.compile_report.fallbacks) {
    absl::StrAppend(&text, std::string(1, kRecordEnd), fallback.opcode, std::string(1, kFieldEnd), fallback.reason,
                    std::string(1, kFieldEnd), fallback.count);
  }
  return absl::StrCat(text, std::string(1, kReportEnd), result.message);
}

CaseResult Decode(const JobResult& job) {
  if (!job.finished || job.output.empty()) return {Verdict::kFailed, job.failure, {}};
  CaseResult result;
  result.verdict = static_cast<Verdict>(job.output[0] - '0');
  const size_t report_end = job.output.find(kReportEnd);
  result.message = job.output.substr(report_end + 1);
  const std::vector<std::string> records = absl::StrSplit(job.output.substr(1, report_end - 1), kRecordEnd);
  result.compile_report.native_instructions = std::atoll(records[0].c_str());
  for (size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(records[i], kFieldEnd);
    result.compile_report.fallbacks.push_back({fields[0], fields[1], std::atoll(fields[2].c_str()), ""});
  }
  return result;
}

int Fail(absl::string_view message) {
  std::fprintf(stderr, "hlo: %s\n", std::string(message).c_str());
  return kExitBadUsage;
}

int RunCases(const std::vector<ConformanceCase>& cases, const std::vector<BackendVariant>& variants,
             const Flags& flags) {
  const int workers = flags.threads > 0 ? static_cast<int>(flags.threads) : UsableCpuCount();
  CaseLimits limits;
  limits.backend = flags.backend;
  limits.variants = variants;
  limits.run_full_size = flags.full;
  limits.max_memory_bytes = MachineMemoryBytes() / 10 * 8 / workers;
  limits.timeout = flags.full ? kFullSizeTimeout : kCaseTimeout;
  Summary summary(flags.json, flags.fallbacks);
  ProgressLine progress("conformance", static_cast<int64_t>(cases.size()));
  int done = 0;
  RunIsolatedJobs(
      static_cast<int>(cases.size()), workers, 2 * limits.timeout + kGrace,
      [&](int i) { return Encode(RunCase(cases[i], limits)); },
      [&](int i, const JobResult& job) {
        progress.Wipe();
        summary.Add(cases[i], Decode(job), job.elapsed);
        progress.Update(++done);
      });
  progress.Wipe();
  summary.Print();
  return summary.any_failed() ? kExitResultsDiffer : kExitFine;
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
  const RE2 filter(flags.filter, RE2::Quiet);
  if (!filter.ok()) return Fail(absl::StrCat("--filter: ", filter.error()));

  const auto variants = ReadVariants(flags.backend_threads, flags.levels);
  if (!variants.ok()) return Fail(variants.status().message());

  const char* const from_environment = std::getenv("HALO_CORPUS");
  const bool has_environment = from_environment != nullptr && *from_environment != '\0';
  const std::string corpus =
      !flags.corpus.empty() || !has_environment ? flags.corpus : absl::StrCat(from_environment, "/hlo");
  absl::StatusOr<std::vector<ConformanceCase>> cases = ListCases(RelativeToUser(corpus));
  if (!cases.ok()) {
    if (!flags.corpus.empty()) return Fail(cases.status().message());
    std::printf(
        "skipped: there is no corpus; name one with --corpus, or a folder with hlo in it with HALO_CORPUS\n%s\n",
        Counts().Text().c_str());
    return kExitFine;
  }
  std::vector<ConformanceCase> chosen;
  for (ConformanceCase& conformance_case : *cases) {
    if (RE2::PartialMatch(conformance_case.title(), filter)) chosen.push_back(std::move(conformance_case));
  }
  if (chosen.empty()) return Fail("no case matches");
  return RunCases(chosen, *variants, flags);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
