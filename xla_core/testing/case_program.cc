#include "xla_core/testing/case_program.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_file.h"

namespace xla {
namespace {

struct Flags {
  bool update = false;
  bool verbose = false;
  std::string filter;
  std::vector<std::string> files;
};

constexpr char kUsage[] =
    "usage: cases_test [--filter=TEXT] [--verbose] [--update] FILES\n"
    "  --filter=TEXT  only cases whose file or title contains the text\n"
    "  --verbose      print the result of each case\n"
    "  --update       write the results of failed cases into the files, for review (with bazel run), and\n"
    "                 run them again\n";

bool ParseFlags(int argc, char** argv, Flags* flags) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (argument == "--update") {
      flags->update = true;
    } else if (argument == "--verbose") {
      flags->verbose = true;
    } else if (argument == "--filter" && i + 1 < argc) {
      flags->filter = argv[++i];
    } else if (absl::ConsumePrefix(&argument, "--filter=")) {
      flags->filter = std::string(argument);
    } else if (absl::StartsWith(argument, "-")) {
      return false;
    } else {
      flags->files.emplace_back(argument);
    }
  }
  return true;
}

struct Totals {
  int run = 0;
  int failed = 0;
  int not_compared = 0;
};

// Bazel runs tests on copies; the source tree is where `bazel run` says.
std::string SourcePath(const std::string& file) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace == nullptr ? file : absl::StrCat(workspace, "/", file);
}

// Runs the case, and adds what --update is to write. What is written decides nothing yet: see RunAgain.
void RunCase(const RunnableCase& one, const std::string& file, const Flags& flags, Totals& totals,
             std::vector<LinesUpdate>* updates) {
  const CaseOutcome outcome = one.run();
  ++totals.run;
  const std::string title = absl::StrCat(file, ":", one.line, ": ", one.title);
  if (flags.verbose) std::printf("%s\n%s\n", title.c_str(), outcome.expectation.c_str());
  if (!outcome.not_run.empty() && outcome.failure.empty()) ++totals.not_compared;
  if (outcome.failure.empty()) return;
  if (updates != nullptr && !outcome.expectation.empty()) {
    updates->push_back({one.expectation_begin, one.expectation_end, outcome.expectation});
    return;
  }
  ++totals.failed;
  std::printf("FAILED %s\n  %s\n", title.c_str(), outcome.failure.c_str());
  if (!outcome.expectation.empty()) std::printf("it gives\n%s", outcome.expectation.c_str());
  std::printf("\n");
}

// Runs the cases of these places in the file, which has their results by now: what still fails is wrong in another way.
absl::Status RunAgain(absl::string_view text, const std::string& file, const std::vector<size_t>& places,
                      const Flags& flags, const CaseReader& read, Totals& totals) {
  ASSIGN_OR_RETURN(const std::vector<RunnableCase> cases, read(text, file));
  totals.run -= static_cast<int>(places.size());
  for (const size_t place : places) RunCase(cases[place], file, flags, totals, nullptr);
  return absl::OkStatus();
}

absl::Status RunFile(const std::string& file, const Flags& flags, const CaseReader& read, Totals& totals) {
  const std::string path = flags.update ? SourcePath(file) : file;
  ASSIGN_OR_RETURN(const FileContents contents, ReadFile(path));
  ASSIGN_OR_RETURN(const std::vector<RunnableCase> cases, read(contents.data(), file));
  std::vector<LinesUpdate> updates;
  std::vector<size_t> updated;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!absl::StrContains(cases[i].title, flags.filter) && !absl::StrContains(file, flags.filter)) continue;
    RunCase(cases[i], file, flags, totals, flags.update ? &updates : nullptr);
    if (updates.size() > updated.size()) updated.push_back(i);
  }
  if (updates.empty()) return absl::OkStatus();
  const std::string text = UpdateLines(contents.data(), updates);
  RETURN_IF_ERROR(WriteFile(path, text));
  std::printf("%s: wrote %d expectations; review them\n", path.c_str(), static_cast<int>(updates.size()));
  return RunAgain(text, file, updated, flags, read, totals);
}

}  // namespace

int RunCaseFiles(int argc, char** argv, const CaseReader& read) {
  Flags flags;
  if (!ParseFlags(argc, argv, &flags)) {
    std::printf("%s", kUsage);
    return 2;
  }
  Totals totals;
  bool files_are_fine = true;
  for (const std::string& file : flags.files) {
    const absl::Status status = RunFile(file, flags, read, totals);
    if (!status.ok()) std::printf("FAILED %s\n", std::string(status.message()).c_str());
    files_are_fine = files_are_fine && status.ok();
  }
  std::printf("%d cases, %d failed", totals.run, totals.failed);
  if (totals.not_compared > 0) std::printf(", %d without a run on the interpreter", totals.not_compared);
  std::printf("\n");
  return totals.failed == 0 && files_are_fine ? 0 : 1;
}

}  // namespace xla
