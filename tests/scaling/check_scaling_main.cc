// Checks that the work on a program is proportional to its size, for all constructs (README.md).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/scaling/constructs.h"
#include "tests/scaling/measure.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

// A job keeps to --budget by itself. This ends one that hangs, and not one that others on the machine hold up.
constexpr absl::Duration kJobLimit = absl::Hours(4);
constexpr size_t kWorst = 10;
constexpr int64_t kMostRounds = 1000;
// What is above the bound is measured again, twice at most, with this many times the work. Where a program leaves the
// processor's caches, linear work may grow by more than the bound; beyond, only what is worse than linear does.
constexpr int kAgain = 2, kLargerAgain = 4;

struct Flags {
  bool list = false;
  std::string only;
  std::string print;
  std::string phases;
  absl::optional<double> bound = 2.3;
  absl::optional<double> scale = 1;
  absl::optional<double> milliseconds = 50;
  absl::optional<double> longest = 3;
  absl::optional<double> budget = 120;
  int64_t rounds = 5;
  int64_t jobs = 1;
  int64_t memory_limit = int64_t{4} << 30;
  bool memory = true;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "check_scaling [FLAGS]",
      "Generates programs that are large in many ways, each at three sizes, and measures CPU time and memory "
      "of reading, verifying, printing, simplifying and compiling them. A doubling may multiply each by no "
      "more than the bound; what does is measured again, at larger sizes, before it counts. Prints each figure as it "
      "comes and the worst ten at the end. Exit "
      "status: 0 all within the bound, 1 something is not, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Switch("list", &flags.list, "print the constructs with a line each");
  table.Text("only", "NAMES", &flags.only, "measure these constructs, with commas between them");
  table.Text("phases", "NAMES", &flags.phases,
             "measure these phases alone: read, print, verify, write-proto, read-proto, simplify, interpreter, cpu");
  table.Text("print", "NAME:N", &flags.print, "print the program of a construct at size N");
  table.Real("bound", "X", &flags.bound, "the largest growth in a doubling");
  table.Real("scale", "X", &flags.scale, "begin with X times the usual size");
  table.Real("milliseconds", "X", &flags.milliseconds,
             "what a phase takes at the smallest of its three sizes, at least");
  table.Real("longest", "SECONDS", &flags.longest, "do not measure a larger size after a phase took this long");
  table.Real("budget", "SECONDS", &flags.budget, "for all sizes and phases of a construct");
  table.Number("rounds", "N", &flags.rounds, 0,
               "measure what is above the bound up to N times more, at its three sizes in turn, before it counts");
  table.Number("jobs", "N", &flags.jobs, 1, "measure N constructs at a time; it is more exact with 1");
  table.Bytes("memory-limit", "SIZE", &flags.memory_limit,
              "for all that is measured at a time; sizes that would need more are left out");
  table.Switch("memory", &flags.memory, "judge memory, too");
  return table;
}

std::vector<GrowingProgram> AllPrograms() {
  std::vector<GrowingProgram> programs;
  for (const Construct& construct : HloConstructs()) {
    programs.push_back({construct.name, construct.size, "", [add = construct.add](int64_t n) {
                          ProgramText text;
                          add(text, n);
                          return text.Build();
                        }});
  }
  for (const FormatConstruct& construct : FormatConstructs()) {
    programs.push_back({construct.name, construct.size, construct.file_name, construct.text});
  }
  return programs;
}

void PrintList() {
  const auto print = [](const char* name, const char* summary) { std::printf("%-34s %s\n", name, summary); };
  for (const Construct& construct : HloConstructs()) print(construct.name, construct.summary);
  for (const FormatConstruct& construct : FormatConstructs()) print(construct.name, construct.summary);
}

// InvalidArgument for a name that no construct has. All if there are no names.
absl::StatusOr<std::vector<GrowingProgram>> ChosenPrograms(const std::string& names) {
  const std::vector<GrowingProgram> all = AllPrograms();
  std::vector<GrowingProgram> chosen;
  for (const absl::string_view name : absl::StrSplit(names, ',', absl::SkipEmpty())) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const GrowingProgram& p) { return p.name == name; });
    if (it == all.end())
      return absl::InvalidArgumentError(absl::StrCat("there is no construct '", name, "'; see --list"));
    chosen.push_back(*it);
  }
  return names.empty() ? all : chosen;
}

// ---- Figures, which processes exchange as text: a line for each phase, then n, size, seconds and bytes of each.

std::string Encode(const std::vector<PhaseCosts>& phases) {
  std::string text;
  for (const PhaseCosts& phase : phases) {
    absl::StrAppend(&text, phase.phase);
    for (const PhaseCost& cost : phase.costs)
      absl::StrAppendFormat(&text, " %d %.9g %.9g %.9g", cost.n, cost.size, cost.seconds, cost.bytes);
    text += '\n';
  }
  return text;
}

std::vector<PhaseCosts> Decode(const std::string& text) {
  std::vector<PhaseCosts> phases;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ');
    phases.push_back({fields[0], {}});
    for (size_t i = 1; i + 3 < fields.size(); i += 4) {
      phases.back().costs.push_back({std::atoll(fields[i].c_str()), std::atof(fields[i + 1].c_str()),
                                     std::atof(fields[i + 2].c_str()), std::atof(fields[i + 3].c_str())});
    }
  }
  return phases;
}

// One kind of cost of one phase of one construct.
struct Figure {
  std::string construct;
  std::string phase;
  std::string what;  // "time", "memory"
  double growth = 1;
  std::string costs;  // "n 1000: 51.2 ms, n 2000: 103 ms, n 4000: 207 ms"
};

std::string TextOf(const std::vector<PhaseCost>& costs, bool time) {
  std::string text;
  for (const PhaseCost& cost : costs) {
    absl::StrAppendFormat(&text, "%s%d: %.4g %s", text.empty() ? "" : ", ", cost.n,
                          time ? 1e3 * cost.seconds : cost.bytes / (1 << 20), time ? "ms" : "MiB");
  }
  return text;
}

class Report {
 public:
  explicit Report(const Flags& flags) : flags_(flags) {}

  // The figures of a construct, which it prints; those of a second measurement replace larger ones.
  void Add(const std::string& construct, const std::vector<PhaseCosts>& phases) {
    for (const PhaseCosts& phase : phases) {
      if (phase.costs.empty()) continue;
      AddFigure({construct, phase.phase, "time", TimeGrowth(phase), TextOf(phase.costs, true)});
      if (flags_.memory) {
        AddFigure({construct, phase.phase, "memory", MemoryGrowth(phase), TextOf(phase.costs, false)});
      }
    }
  }
  void AddFailure(const std::string& construct, const std::string& how) {
    std::printf("%s: %s\n", construct.c_str(), how.c_str());
    ++failures_;
  }

  // The phases that are above the bound, by construct.
  std::map<std::string, std::set<std::string>> PhasesAbove() const {
    std::map<std::string, std::set<std::string>> phases;
    for (const Figure& figure : figures_) {
      if (figure.growth > *flags_.bound) phases[figure.construct].insert(figure.phase);
    }
    return phases;
  }

  // Prints the worst and how many are above the bound; that number.
  int64_t Print() {
    std::printf("the worst:\n");
    std::stable_sort(figures_.begin(), figures_.end(),
                     [](const Figure& a, const Figure& b) { return a.growth > b.growth; });
    int64_t above = 0;
    for (size_t i = 0; i < figures_.size(); ++i) {
      const Figure& figure = figures_[i];
      const bool is_above = figure.growth > *flags_.bound;
      above += is_above ? 1 : 0;
      if (i >= kWorst && !is_above) break;
      PrintFigure(figure);
    }
    std::printf("%lld figures, growth in a doubling: %lld above %.3g, %lld constructs failed\n",
                static_cast<long long>(figures_.size()), static_cast<long long>(above), *flags_.bound,
                static_cast<long long>(failures_));
    return above + failures_;
  }

 private:
  void PrintFigure(const Figure& figure) const {
    std::printf("%s %5.2f  %-30s %-20s %s\n", figure.growth > *flags_.bound ? "ABOVE" : "     ", figure.growth,
                figure.construct.c_str(), absl::StrCat(figure.phase, ", ", figure.what).c_str(), figure.costs.c_str());
  }

  void AddFigure(const Figure& figure) {
    PrintFigure(figure);
    for (Figure& known : figures_) {
      if (known.construct != figure.construct || known.phase != figure.phase || known.what != figure.what) continue;
      if (figure.growth < known.growth) known = figure;
      return;
    }
    figures_.push_back(figure);
  }

  const Flags& flags_;
  std::vector<Figure> figures_;
  int64_t failures_ = 0;
};

// `options` gives those for each program.
void Measure(const std::vector<GrowingProgram>& programs,
             const std::function<MeasureOptions(const std::string& name)>& options, int jobs, Report* report) {
  ProgressLine progress("check_scaling", static_cast<int64_t>(programs.size()));
  int64_t done = 0;
  RunIsolatedJobs(
      static_cast<int>(programs.size()), jobs, kJobLimit,
      [&](int i) { return Encode(MeasurePhases(programs[i], options(programs[i].name))); },
      [&](int i, const JobResult& result) {
        progress.Wipe();
        result.finished ? report->Add(programs[i].name, Decode(result.output))
                        : report->AddFailure(programs[i].name, result.failure);
        std::fflush(stdout);
        progress.Update(++done);
      });
}

int Check(const Flags& flags, std::vector<GrowingProgram> programs) {
  MeasureOptions options;
  options.least_seconds = *flags.milliseconds / 1e3;
  options.most_seconds = *flags.longest;
  options.budget_seconds = *flags.budget;
  options.most_resident_bytes = flags.memory_limit / flags.jobs;
  options.bound = *flags.bound;
  options.rounds = static_cast<int>(std::min<int64_t>(flags.rounds, kMostRounds));
  for (const absl::string_view phase : absl::StrSplit(flags.phases, ',', absl::SkipEmpty())) {
    options.phases.insert(std::string(phase));
  }
  for (GrowingProgram& program : programs) {
    program.size = std::max<int64_t>(1, static_cast<int64_t>(*flags.scale * static_cast<double>(program.size)));
  }
  Report report(flags);
  Measure(
      programs, [&](const std::string&) { return options; }, static_cast<int>(flags.jobs), &report);
  // Small sizes that no time asks for stay within the caches.
  const bool is_large = *flags.milliseconds > 0;
  const int larger = is_large ? kLargerAgain : 1;
  for (int time = 0; time < kAgain; ++time) {
    const std::map<std::string, std::set<std::string>> above = report.PhasesAbove();
    programs.erase(std::remove_if(programs.begin(), programs.end(),
                                  [&](const GrowingProgram& program) { return above.count(program.name) == 0; }),
                   programs.end());
    options.least_seconds *= larger;
    options.most_seconds *= larger;
    options.budget_seconds *= larger;
    options.max_text_bytes *= larger;
    const auto options_again = [&](const std::string& name) {
      MeasureOptions again = options;
      again.phases = above.at(name);
      return again;
    };
    Measure(programs, options_again, static_cast<int>(flags.jobs), &report);
  }
  return report.Print() > 0 ? kExitResultsDiffer : kExitFine;
}

int PrintProgram(const std::string& choice) {
  const std::vector<std::string> parts = absl::StrSplit(choice, ':');
  const auto programs = ChosenPrograms(parts[0]);
  if (!programs.ok()) return BadUsage("check_scaling", programs.status().message());
  int64_t n = 0;
  if (parts.size() != 2 || programs->size() != 1 || !absl::SimpleAtoi(parts[1], &n) || n < 1) {
    return BadUsage("check_scaling", "--print: expected NAME:N with N of at least 1");
  }
  const std::string text = (*programs)[0].text(n);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitFine;
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_scaling", argc, argv, table);
  if (ended.has_value()) return *ended;
  if (flags.list) {
    PrintList();
    return kExitFine;
  }
  if (!flags.print.empty()) return PrintProgram(flags.print);
  auto programs = ChosenPrograms(flags.only);
  if (!programs.ok()) return BadUsage("check_scaling", programs.status().message());
  return Check(flags, *std::move(programs));
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  xla::KeepPagesOutOfTheMeasure(argv);
  return xla::Main(argc, argv);
}
