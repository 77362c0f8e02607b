#include "docs/generator/pass_pages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "docs/generator/markdown_text.h"
#include "passes/base/rewrite_rule.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "passes/testing/rewrite_case.h"
#include "passes/xla_pass_names.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kPassFolder = "docs/passes";
constexpr absl::string_view kOrigin =
    "<!-- Written by `bazel run //docs/generator:refresh` from the pass table and the cases of the pass: change those, "
    "not this. -->\n\n";

// A page shows this many cases of a pass, and of each so many lines; the rest is in the files of cases.
constexpr size_t kShownCases = 2;
constexpr int kShownLines = 24;

// Paths from the root, and the cases in them, in the order of the files' names.
struct CasesOfPass {
  std::vector<std::string> files;
  std::vector<RewriteCase> cases;
};
using CasesByPass = std::map<std::string, CasesOfPass>;

std::vector<std::string> SortedFiles(const std::string& folder, absl::string_view extension) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == std::string(extension)) files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> SortedFolders(const std::string& folder) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory()) folders.push_back(entry.path().filename().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Cases of passes are files named after them, `passes/*/cases/NAME.hlo`, or with a part between name and ending.
absl::StatusOr<CasesByPass> ReadCases(const std::string& root) {
  CasesByPass cases;
  for (const std::string& group : SortedFolders(absl::StrCat(root, "/passes"))) {
    const std::string folder = absl::StrCat("passes/", group, "/cases");
    for (const std::string& name : SortedFiles(absl::StrCat(root, "/", folder), ".hlo")) {
      ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(root, "/", folder, "/", name)));
      ASSIGN_OR_RETURN(std::vector<RewriteCase> read, ReadRewriteCases(file.data(), name));
      CasesOfPass& of_pass = cases[name.substr(0, name.find('.'))];
      of_pass.files.push_back(absl::StrCat(folder, "/", name));
      of_pass.cases.insert(of_pass.cases.end(), std::make_move_iterator(read.begin()),
                           std::make_move_iterator(read.end()));
    }
  }
  return cases;
}

// A cell of a table.
std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

std::string Code(absl::string_view text) { return absl::StrCat("`", text, "`"); }

const char* KindName(PassOption::Kind kind) {
  switch (kind) {
    case PassOption::Kind::kBool:
      return "true or false";
    case PassOption::Kind::kInt:
      return "whole number";
    case PassOption::Kind::kText:
      return "text";
    case PassOption::Kind::kList:
      return "words joined by +";
  }
  return "";
}

void AppendOptions(const Pass& pass, std::string* page) {
  if (pass.options.empty()) return;
  absl::StrAppend(page, "\n## Options\n\n| option | value | default | |\n| --- | --- | --- | --- |\n");
  for (const PassOption& option : pass.options) {
    const std::string standard = option.default_value[0] == '\0' ? "" : Code(option.default_value);
    absl::StrAppend(page, "| ", Code(option.name), " | ", KindName(option.kind), " | ", standard, " | ",
                    Cell(MarkdownProse(option.help)), " |\n");
  }
}

// The passes whose rules are some of those that `pass` applies: their pages list them.
std::vector<const Pass*> FamiliesOf(const Pass& pass, const std::vector<const RewriteRule*>& rules) {
  std::vector<const Pass*> families;
  for (const Pass* other : AllPasses()) {
    if (other == &pass || other->rules == nullptr) continue;
    const std::vector<const RewriteRule*> part = other->rules(other->name);
    if (part.size() >= rules.size()) continue;
    const bool is_part =
        absl::c_all_of(part, [&](const RewriteRule* rule) { return absl::c_linear_search(rules, rule); });
    if (is_part) families.push_back(other);
  }
  return families;
}

// A table of the rules of a pass. A pass that applies other passes' rules links to their pages and lists only the
// remaining ones.
void AppendRules(const Pass& pass, std::string* page) {
  if (pass.rules == nullptr) return;
  std::vector<const RewriteRule*> rules = pass.rules(pass.name);
  absl::StrAppend(page, "\n## Rules\n\n`--disable-rule=NAME` switches one off.\n");
  const std::vector<const Pass*> families = FamiliesOf(pass, rules);
  if (!families.empty()) {
    absl::StrAppend(page, "\nThe pass applies all rules of ",
                    absl::StrJoin(families, ", ",
                                  [](std::string* out, const Pass* family) {
                                    absl::StrAppend(out, "[", family->name, "](", family->name, ".md)");
                                  }),
                    ".\n");
    for (const Pass* family : families) {
      for (const RewriteRule* rule : family->rules(family->name)) {
        rules.erase(std::remove(rules.begin(), rules.end(), rule), rules.end());
      }
    }
  }
  if (rules.empty()) return;
  absl::StrAppend(page, "\n| rule | before => after | only with `--fast-math=` |\n| --- | --- | --- |\n");
  for (const RewriteRule* rule : rules) {
    absl::StrAppend(page, "| ", Code(rule->name), " | ", Cell(Code(rule->before_after)), " | ",
                    absl::StrJoin(FastMathNames(rule->fast_math), ", "), " |\n");
  }
}

int LineCount(const RewriteCase& one) {
  const auto lines = [](absl::string_view text) {
    text = absl::StripAsciiWhitespace(text);
    return static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  };
  return lines(one.before) + lines(one.after);
}

// The first cases that rewrite something and are short, or else the shortest, in the order of the file.
std::vector<const RewriteCase*> ShownCases(const std::vector<RewriteCase>& cases) {
  std::vector<const RewriteCase*> shown;
  for (const RewriteCase& one : cases) {
    if (one.expectation == RewriteCase::Expectation::kBecomes) shown.push_back(&one);
  }
  std::stable_sort(shown.begin(), shown.end(), [](const RewriteCase* a, const RewriteCase* b) {
    return std::max(LineCount(*a), kShownLines) < std::max(LineCount(*b), kShownLines);
  });
  if (shown.size() > kShownCases) shown.resize(kShownCases);
  return shown;
}

// The modules as they stand in the file, the second one cut if both are long.
void AppendCase(const Pass& pass, const RewriteCase& one, std::string* page) {
  absl::StrAppend(page, "\n", MarkdownProse(one.title),
                  one.passes == pass.name ? "" : absl::StrCat(" (`--passes=", one.passes, "`)"), ":\n\n```\n");
  std::vector<std::string> lines = absl::StrSplit(absl::StripAsciiWhitespace(one.before), '\n');
  const std::vector<std::string> after = absl::StrSplit(absl::StripAsciiWhitespace(one.after), '\n');
  lines.push_back("// BECOMES");
  // The second module has the name of the first.
  const bool repeats_name = after[0] == lines[0];
  lines.insert(lines.end(), after.begin() + (repeats_name ? 1 : 0), after.end());
  const size_t shown = std::min<size_t>(lines.size(), kShownLines);
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(page, lines[i], "\n");
  if (lines.size() > shown) absl::StrAppend(page, "// and ", lines.size() - shown, " more lines\n");
  absl::StrAppend(page, "```\n");
}

void AppendCases(const Pass& pass, const CasesOfPass& cases, std::string* page) {
  if (cases.cases.empty()) return;
  absl::StrAppend(page, "\n## Examples\n\nFrom the ", cases.cases.size(), " cases that test the pass: ",
                  absl::StrJoin(cases.files, ", ",
                                [](std::string* out, const std::string& file) {
                                  absl::StrAppend(out, "[", file.substr(file.rfind('/') + 1), "](../../", file, ")");
                                }),
                  ".\n");
  for (const RewriteCase* one : ShownCases(cases.cases)) AppendCase(pass, *one, page);
}

std::string PassPage(const Pass& pass, const CasesOfPass& cases) {
  std::string page = absl::StrCat(kOrigin, "# ", pass.name, "\n\n", MarkdownProse(pass.summary), "\n");
  std::string facts;
  const std::vector<absl::string_view> xla = XlaNamesOfPass(pass.name);
  if (!xla.empty()) absl::StrAppend(&facts, "- **In XLA**: ", Code(absl::StrJoin(xla, "`, `")), "\n");
  if (pass.needs[0] != '\0') absl::StrAppend(&facts, "- **Needs**: ", MarkdownProse(pass.needs), "\n");
  if (pass.establishes[0] != '\0') {
    absl::StrAppend(&facts, "- **Establishes**: ", MarkdownProse(pass.establishes), "\n");
  }
  if (!facts.empty()) absl::StrAppend(&page, "\n", facts);
  AppendOptions(pass, &page);
  AppendRules(pass, &page);
  AppendCases(pass, cases, &page);
  return page;
}

// The steps, a line each; those of a group only where it comes first.
std::string ShortDescription(const Pipeline& pipeline) {
  std::set<std::string> groups;
  bool is_shown = true;
  const std::string description = DescribePipeline(pipeline);
  std::string text;
  for (absl::string_view line : absl::StrSplit(absl::StripAsciiWhitespace(description), '\n')) {
    const bool is_member = absl::StartsWith(line, "  ");
    if (is_member && !is_shown) continue;
    const bool is_group = absl::StrContains(line, " rounds ");
    is_shown = !is_group || groups.emplace(line).second;
    absl::StrAppend(&text, line, is_shown ? "" : "; the same passes", "\n");
  }
  return text;
}

std::string IndexPage(const CasesByPass& cases) {
  std::string page =
      absl::StrCat(kOrigin,
                   "# Passes\n\nEach can be run alone: `hlo-opt model.hlo --passes=NAME,NAME:option=value`. "
                   "XLA's names work too, where a page gives one. [Wrong "
                   "numbers](../wrong_numbers.md) shows how they are checked.\n\n"
                   "| pass | | cases |\n| --- | --- | --- |\n");
  for (const Pass* pass : AllPasses()) {
    const auto found = cases.find(pass->name);
    absl::StrAppend(&page, "| [", pass->name, "](", pass->name, ".md) | ", Cell(MarkdownProse(pass->summary)), " | ",
                    found == cases.end() ? 0 : found->second.cases.size(), " |\n");
  }
  absl::StrAppend(&page, "\n## Pipelines\n\n`hlo-opt model.hlo --pipeline=NAME` runs one.\n");
  for (const NamedPipeline& pipeline : AllPipelines()) {
    absl::StrAppend(&page, "\n### ", pipeline.name, "\n\n", MarkdownProse(pipeline.summary), "\n\n```\n",
                    ShortDescription(pipeline.steps), "```\n");
  }
  return page;
}

}  // namespace

absl::StatusOr<std::vector<ReferencePage>> GeneratePassPages(const std::string& root) {
  ASSIGN_OR_RETURN(const CasesByPass cases, ReadCases(root));
  std::vector<ReferencePage> pages = {{absl::StrCat(kPassFolder, "/README.md"), IndexPage(cases)}};
  for (const Pass* pass : AllPasses()) {
    const auto found = cases.find(pass->name);
    pages.push_back({absl::StrCat(kPassFolder, "/", pass->name, ".md"),
                     PassPage(*pass, found == cases.end() ? CasesOfPass() : found->second)});
  }
  return pages;
}

std::vector<std::string> StalePassPages(const std::string& root, const std::vector<ReferencePage>& pages) {
  std::vector<std::string> stale;
  for (const std::string& name : SortedFiles(absl::StrCat(root, "/", kPassFolder), ".md")) {
    const std::string path = absl::StrCat(kPassFolder, "/", name);
    const bool is_page =
        std::any_of(pages.begin(), pages.end(), [&](const ReferencePage& page) { return page.path == path; });
    if (!is_page) stale.push_back(path);
  }
  return stale;
}

}  // namespace xla
