#include "docs/generator/pass_pages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "docs/generator/markdown_text.h"
#include "passes/base/rewrite_rule.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "passes/testing/rewrite_case.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kFolder = "docs/passes";
constexpr absl::string_view kOrigin =
    "<!-- Written by `bazel run //docs/generator:refresh` from the pass table and the cases of the pass: change those, "
    "not this. -->\n\n";

// By the pass that a file is named after, in the order of the files' names.
using CasesByPass = std::map<std::string, std::vector<RewriteCase>>;

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

absl::StatusOr<CasesByPass> ReadCases(const std::string& root) {
  CasesByPass cases;
  for (const std::string& group : SortedFolders(absl::StrCat(root, "/passes"))) {
    const std::string folder = absl::StrCat(root, "/passes/", group, "/cases");
    for (const std::string& name : SortedFiles(folder, ".hlo")) {
      ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(folder, "/", name)));
      ASSIGN_OR_RETURN(std::vector<RewriteCase> read, ReadRewriteCases(file.data(), name));
      std::vector<RewriteCase>& of_pass = cases[name.substr(0, name.find('.'))];
      of_pass.insert(of_pass.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
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

void AppendRules(const Pass& pass, std::string* page) {
  if (pass.rules == nullptr) return;
  absl::StrAppend(page,
                  "\n## Rules\n\nEach can be switched off by `--disable-rule=NAME`.\n\n"
                  "| rule | before => after | only with `--fast-math=` |\n| --- | --- | --- |\n");
  for (const RewriteRule* rule : pass.rules(pass.name)) {
    absl::StrAppend(page, "| ", Code(rule->name), " | ", Cell(Code(rule->before_after)), " | ",
                    absl::StrJoin(FastMathNames(rule->fast_math), ", "), " |\n");
  }
}

void AppendModule(absl::string_view text, std::string* page) {
  absl::StrAppend(page, "```\n", absl::StripAsciiWhitespace(text), "\n```\n");
}

void AppendCase(const Pass& pass, const RewriteCase& one, std::string* page) {
  absl::StrAppend(page, "\n### ", MarkdownProse(one.title), "\n\n");
  if (one.passes != pass.name) absl::StrAppend(page, "With `--passes=", one.passes, "`:\n\n");
  AppendModule(one.before, page);
  if (one.expectation == RewriteCase::Expectation::kUnchanged) {
    absl::StrAppend(page, "\nstays as it is.\n");
    return;
  }
  absl::StrAppend(page, "\nbecomes\n\n");
  AppendModule(one.after, page);
}

std::string PassPage(const Pass& pass, const std::vector<RewriteCase>& cases) {
  std::string page = absl::StrCat(kOrigin, "# ", pass.name, "\n\n", MarkdownProse(pass.summary), "\n");
  if (pass.needs[0] != '\0') absl::StrAppend(&page, "\n- **Needs**: ", MarkdownProse(pass.needs), "\n");
  if (pass.establishes[0] != '\0') {
    absl::StrAppend(&page, pass.needs[0] == '\0' ? "\n" : "", "- **Establishes**: ", MarkdownProse(pass.establishes),
                    "\n");
  }
  AppendOptions(pass, &page);
  AppendRules(pass, &page);
  if (!cases.empty()) absl::StrAppend(&page, "\n## Examples\n\nThey are the tests of the pass.\n");
  for (const RewriteCase& one : cases) AppendCase(pass, one, &page);
  return page;
}

std::string IndexPage(const CasesByPass& cases) {
  std::string page =
      absl::StrCat(kOrigin,
                   "# Passes\n\nEach can be run alone: `hlo-opt model.hlo --passes=NAME,NAME:option=value`. "
                   "[Which pass broke my numbers](../which_pass_broke_my_numbers.md) shows how they are checked.\n\n"
                   "| pass | | examples |\n| --- | --- | --- |\n");
  for (const Pass* pass : AllPasses()) {
    const auto found = cases.find(pass->name);
    absl::StrAppend(&page, "| [", pass->name, "](", pass->name, ".md) | ", Cell(MarkdownProse(pass->summary)), " | ",
                    found == cases.end() ? 0 : found->second.size(), " |\n");
  }
  absl::StrAppend(&page, "\n## Pipelines\n\n`hlo-opt model.hlo --pipeline=NAME` runs one.\n");
  for (const NamedPipeline& pipeline : AllPipelines()) {
    absl::StrAppend(&page, "\n### ", pipeline.name, "\n\n", MarkdownProse(pipeline.summary), "\n\n");
    AppendModule(DescribePipeline(pipeline.steps), &page);
  }
  return page;
}

}  // namespace

absl::StatusOr<std::vector<ReferencePage>> GeneratePassPages(const std::string& root) {
  ASSIGN_OR_RETURN(const CasesByPass cases, ReadCases(root));
  std::vector<ReferencePage> pages = {{absl::StrCat(kFolder, "/README.md"), IndexPage(cases)}};
  for (const Pass* pass : AllPasses()) {
    const auto found = cases.find(pass->name);
    pages.push_back({absl::StrCat(kFolder, "/", pass->name, ".md"),
                     PassPage(*pass, found == cases.end() ? std::vector<RewriteCase>() : found->second)});
  }
  return pages;
}

std::vector<std::string> StalePassPages(const std::string& root, const std::vector<ReferencePage>& pages) {
  std::vector<std::string> stale;
  for (const std::string& name : SortedFiles(absl::StrCat(root, "/", kFolder), ".md")) {
    const std::string path = absl::StrCat(kFolder, "/", name);
    const bool is_page =
        std::any_of(pages.begin(), pages.end(), [&](const ReferencePage& page) { return page.path == path; });
    if (!is_page) stale.push_back(path);
  }
  return stale;
}

}  // namespace xla
