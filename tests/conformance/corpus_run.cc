#include "tests/conformance/corpus_run.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/conformance/isolated_jobs.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/json.h"
#include "xla_core/support/progress.h"

namespace xla {
namespace {

// Of a failure's message this many lines are printed.
constexpr int kMaxMessageLines = 30;

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
  void Add(const std::string& title, const CompileReport& report) {
    native_ += report.native_instructions;
    for (const Fallback& fallback : report.fallbacks) {
      Row& row = rows_[{fallback.opcode, fallback.reason}];
      row.instructions += fallback.count;
      ++row.cases;
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

// What is counted apart.
class TallyCounts {
 public:
  void Add(const std::string& title, const CaseResult& result) {
    for (const auto& [name, holds] : result.tallies) {
      Row& row = rows_[name];
      ++row.cases;
      if (holds) ++row.holding;
      if (!holds) row.others.insert(title);
    }
  }

  void Print() const {
    for (const auto& [name, row] : rows_) {
      std::printf("%s: %d of %d", name.c_str(), row.holding, row.cases);
      int shown = 0;
      for (const std::string& title : row.others) {
        if (shown == kMostShown) std::printf(", ...");
        if (shown++ == kMostShown) break;
        std::printf("%s%s", shown == 1 ? "; not " : ", ", title.c_str());
      }
      std::printf("\n");
    }
  }

  void Write(JsonWriter& json) const {
    json.Key("tallies").BeginObject();
    for (const auto& [name, row] : rows_) {
      json.Key(name).BeginObject().Key("holds").Int(row.holding).Key("of").Int(row.cases).Key("not").BeginArray();
      for (const std::string& title : row.others) json.String(title);
      json.EndArray().EndObject();
    }
    json.EndObject();
  }

  bool empty() const { return rows_.empty(); }

 private:
  static constexpr int kMostShown = 20;
  struct Row {
    int holding = 0, cases = 0;
    std::set<std::string> others;
  };

  std::map<std::string, Row> rows_;
};

// The results of all cases, in the order in which they end.
class Summary {
 public:
  Summary(bool json, bool fallbacks) : json_(json), prints_fallbacks_(fallbacks) {}

  void Add(const CaseName& name, const CaseResult& result, absl::Duration elapsed) {
    total_.Add(result.verdict);
    fallbacks_.Add(name.title, result.compile_report);
    tallies_.Add(name.title, result);
    groups_[name.group].Add(result.verdict);
    times_[name.group] += elapsed;
    if (result.verdict != Verdict::kFailed) return;
    failures_.emplace_back(name.title, result.message);
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
    tallies_.Print();
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
    if (!tallies_.empty()) tallies_.Write(json);
    json.EndObject();
    return json.TakeText();
  }

  const bool json_;
  const bool prints_fallbacks_;
  Counts total_;
  FallbackCounts fallbacks_;
  TallyCounts tallies_;
  std::map<std::string, Counts> groups_;
  std::map<std::string, absl::Duration> times_;
  std::vector<std::pair<std::string, std::string>> failures_;
};

// What a worker process sends back: the verdict as one byte, records of the compile report, those of tallies, and the
// message.
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
  absl::StrAppend(&text, std::string(1, kReportEnd));
  for (const auto& [name, holds] : result.tallies) {
    absl::StrAppend(&text, name, std::string(1, kFieldEnd), holds ? 1 : 0, std::string(1, kRecordEnd));
  }
  return absl::StrCat(text, std::string(1, kReportEnd), result.message);
}

CaseResult Decode(const JobResult& job) {
  if (!job.finished || job.output.empty()) return {Verdict::kFailed, job.failure, {}};
  CaseResult result;
  result.verdict = static_cast<Verdict>(job.output[0] - '0');
  const size_t report_end = job.output.find(kReportEnd);
  const size_t tallies_end = job.output.find(kReportEnd, report_end + 1);
  result.message = job.output.substr(tallies_end + 1);
  const std::string tallies = job.output.substr(report_end + 1, tallies_end - report_end - 1);
  for (const absl::string_view record : absl::StrSplit(tallies, kRecordEnd, absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(record, kFieldEnd);
    result.tallies.emplace_back(fields[0], fields[1] == "1");
  }
  const std::vector<std::string> records = absl::StrSplit(job.output.substr(1, report_end - 1), kRecordEnd);
  result.compile_report.native_instructions = std::atoll(records[0].c_str());
  for (size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(records[i], kFieldEnd);
    result.compile_report.fallbacks.push_back({fields[0], fields[1], std::atoll(fields[2].c_str()), ""});
  }
  return result;
}

}  // namespace

int RunCorpus(const std::vector<CaseName>& names, const CorpusRun& run,
              const std::function<CaseResult(int)>& run_case) {
  Summary summary(run.json, run.fallbacks);
  ProgressLine progress("conformance", static_cast<int64_t>(names.size()));
  int done = 0;
  RunIsolatedJobs(
      static_cast<int>(names.size()), run.workers, run.limit, [&](int i) { return Encode(run_case(i)); },
      [&](int i, const JobResult& job) {
        progress.Wipe();
        summary.Add(names[i], Decode(job), job.elapsed);
        progress.Update(++done);
      });
  progress.Wipe();
  summary.Print();
  return summary.any_failed() ? kExitResultsDiffer : kExitFine;
}

void PrintThatThereIsNoCorpus(const std::string& folder) {
  std::printf("skipped: there is no corpus; name one with --corpus, or a folder with %s in it with HALO_CORPUS\n%s\n",
              folder.c_str(), Counts().Text().c_str());
}

}  // namespace xla
