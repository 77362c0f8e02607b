// Runs the rewrite cases of the files it is given (README.md).
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "passes/testing/rewrite_case.h"
#include "passes/testing/run_rewrite_case.h"
#include "xla_core/support/files.h"

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
    "  --verbose      print the result of the passes for each case\n"
    "  --update       write the result of the passes for the cases into the files, for review (with bazel run)\n";

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

// Lines of the file with the expectations of the given cases replaced, from the last to the first so that line numbers
// hold.
std::string Updated(absl::string_view text, const std::vector<std::pair<RewriteCase, std::string>>& expectations) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (auto it = expectations.rbegin(); it != expectations.rend(); ++it) {
    const auto begin = lines.begin() + it->first.after_begin;
    const bool is_last = it->first.after_end == static_cast<int>(lines.size());
    lines.erase(begin, lines.begin() + it->first.after_end);
    std::vector<std::string> replacement = absl::StrSplit(absl::StripAsciiWhitespace(it->second), '\n');
    replacement.push_back("");
    if (is_last) replacement.erase(replacement.end() - 1);
    lines.insert(lines.begin() + it->first.after_begin, std::make_move_iterator(replacement.begin()),
                 std::make_move_iterator(replacement.end()));
    if (is_last) lines.push_back("");
  }
  return absl::StrJoin(lines, "\n");
}

// Bazel runs tests on copies; the source tree is where `bazel run` says.
std::string SourcePath(const std::string& file) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace == nullptr ? file : absl::StrCat(workspace, "/", file);
}

void RunCase(const RewriteCase& rewrite_case, const std::string& file, const Flags& flags, Totals& totals,
             std::vector<std::pair<RewriteCase, std::string>>& updates) {
  const RewriteOutcome outcome = RunRewriteCase(rewrite_case, file);
  ++totals.run;
  const std::string title = absl::StrCat(file, ":", rewrite_case.line, ": ", rewrite_case.title);
  if (!outcome.not_run.empty()) ++totals.not_compared;
  if (flags.verbose) std::printf("%s\n%s\n", title.c_str(), outcome.expectation.c_str());
  if (outcome.failure.empty()) return;
  if (flags.update && !outcome.expectation.empty()) updates.emplace_back(rewrite_case, outcome.expectation);
  ++totals.failed;
  std::printf("FAILED %s\n  %s\n", title.c_str(), outcome.failure.c_str());
  if (!outcome.expectation.empty())
    std::printf("the passes (%s) give\n%s", rewrite_case.passes.c_str(), outcome.expectation.c_str());
  std::printf("\n");
}

bool RunFile(const std::string& file, const Flags& flags, Totals& totals) {
  const auto fail = [](const absl::Status& status) {
    std::printf("FAILED %s\n", std::string(status.message()).c_str());
    return false;
  };
  const std::string path = flags.update ? SourcePath(file) : file;
  const absl::StatusOr<FileContents> contents = ReadFile(path);
  if (!contents.ok()) return fail(contents.status());
  const absl::StatusOr<std::vector<RewriteCase>> cases = ReadRewriteCases(contents->data(), file);
  if (!cases.ok()) return fail(cases.status());
  std::vector<std::pair<RewriteCase, std::string>> updates;
  for (const RewriteCase& rewrite_case : *cases) {
    const bool wanted = absl::StrContains(rewrite_case.title, flags.filter) || absl::StrContains(file, flags.filter);
    if (wanted) RunCase(rewrite_case, file, flags, totals, updates);
  }
  if (updates.empty()) return true;
  const absl::Status written = WriteFile(path, Updated(contents->data(), updates));
  if (!written.ok()) return fail(written);
  std::printf("%s: wrote %d expectations; review them\n", path.c_str(), static_cast<int>(updates.size()));
  return true;
}

int Main(int argc, char** argv) {
  Flags flags;
  if (!ParseFlags(argc, argv, &flags)) {
    std::printf("%s", kUsage);
    return 2;
  }
  Totals totals;
  bool files_are_fine = true;
  for (const std::string& file : flags.files) files_are_fine = RunFile(file, flags, totals) && files_are_fine;
  std::printf("%d cases, %d failed, %d without a run on the interpreter\n", totals.run, totals.failed,
              totals.not_compared);
  return totals.failed == 0 && files_are_fine ? 0 : 1;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
