#include "docs/generator/nnef2_page.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "builders/nnef2/library/library.h"
#include "docs/generator/markdown_text.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kOpening =
    R"(<!-- Written by `bazel run //docs/generator:refresh` from builders/nnef2/library: change that, not this. -->

# NNEF 2 operators

The operators of the standard library of NNEF 2, module by module: what each computes, and its declaration in SkriptND with types,
attributes, inputs and results. A model imports a module and calls an operator as `module.operator{attribute=value}(input)`. The
definitions in [builders/nnef2/library](../builders/nnef2/library) say what an operator checks and how it is computed: *lowered* ones by
index notation, *composed* ones from other operators; *intrinsic* ones the compiler knows. Operators whose names begin with `_` can be
called in their own module only.
)";

// Reads one module line by line; blocks are known by their indentation.
class ModuleReader {
 public:
  absl::Status AddLine(absl::string_view line);
  absl::StatusOr<std::vector<DocOperator>> Finish() && {
    if (!current_.name.empty()) return absl::InvalidArgumentError(absl::StrCat(current_.name, ": there is no end"));
    return std::move(operators_);
  }

 private:
  void AddComment(absl::string_view line);
  absl::Status BeginOperator(absl::string_view name);
  void AddToOperator(absl::string_view line);

  std::vector<DocOperator> operators_;
  std::string group_;
  std::vector<std::string> paragraphs_;  // of the comment that came last
  DocOperator current_;                  // with a name within an operator
  bool is_declaration_ = false;          // the block is one that the page shows
};

absl::Status ModuleReader::AddLine(absl::string_view line) {
  if (!current_.name.empty()) {
    AddToOperator(line);
  } else if (absl::ConsumePrefix(&line, "operator ")) {
    return BeginOperator(line.substr(0, line.find(' ')));
  } else if (absl::StartsWith(line, "#")) {
    AddComment(line);
  } else {
    paragraphs_.clear();
  }
  return absl::OkStatus();
}

void ModuleReader::AddComment(absl::string_view line) {
  if (absl::ConsumePrefix(&line, "# ---- ")) {
    group_ = std::string(line);
    return;
  }
  const absl::string_view words = absl::StripAsciiWhitespace(line.substr(1));
  if (words.empty() || paragraphs_.empty()) paragraphs_.emplace_back();
  std::string& paragraph = paragraphs_.back();
  absl::StrAppend(&paragraph, paragraph.empty() || words.empty() ? "" : " ", words);
}

absl::Status ModuleReader::BeginOperator(absl::string_view name) {
  if (paragraphs_.empty()) return absl::InvalidArgumentError(absl::StrCat(name, ": there is no comment"));
  current_ = DocOperator();
  current_.name = std::string(name);
  current_.group = group_;
  current_.paragraphs = std::move(paragraphs_);
  current_.declaration = absl::StrCat("operator ", name, " {\n");
  paragraphs_.clear();
  return absl::OkStatus();
}

void ModuleReader::AddToOperator(absl::string_view line) {
  if (line == "}") {
    current_.declaration += "}\n";
    operators_.push_back(std::move(current_));
    current_ = DocOperator();
    return;
  }
  if (absl::StartsWith(line, "    @")) {
    const absl::string_view block = line.substr(5, line.find(' ', 5) - 5);
    is_declaration_ = block == "dtype" || block == "attrib" || block == "input" || block == "output";
    if (block == "lower") current_.kind = DocOperator::Kind::kLowered;
    if (block == "compose") current_.kind = DocOperator::Kind::kComposed;
  }
  if (is_declaration_) absl::StrAppend(&current_.declaration, line, "\n");
}

absl::string_view KindName(DocOperator::Kind kind) {
  switch (kind) {
    case DocOperator::Kind::kLowered:
      return "lowered";
    case DocOperator::Kind::kComposed:
      return "composed";
    case DocOperator::Kind::kIntrinsic:
      return "intrinsic";
  }
  return "";
}

std::string OperatorText(absl::string_view module, const DocOperator& shown) {
  std::string text = absl::StrCat("\n### ", module, ".", shown.name, "\n");
  for (const std::string& paragraph : shown.paragraphs) absl::StrAppend(&text, "\n", MarkdownProse(paragraph), "\n");
  absl::StrAppend(&text, "\n```\n", shown.declaration, "```\n\n*", KindName(shown.kind), "*\n");
  return text;
}

// "add" of math as a link; the heading is "math.add", without its dot in the anchor.
std::string LinkTo(absl::string_view module, const DocOperator& shown) {
  return absl::StrCat("[", shown.name, "](#", module, shown.name, ")");
}

// A list of the groups of a module with links to their operators.
std::string Contents(absl::string_view module, const std::vector<DocOperator>& operators) {
  std::string text;
  for (size_t i = 0; i < operators.size();) {
    std::vector<std::string> links;
    const std::string& group = operators[i].group;
    for (; i < operators.size() && operators[i].group == group; ++i) links.push_back(LinkTo(module, operators[i]));
    absl::StrAppend(&text, "- ", group.empty() ? "" : absl::StrCat("**", group, "**: "), absl::StrJoin(links, ", "),
                    "\n");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::vector<DocOperator>> ReadModule(absl::string_view text) {
  ModuleReader reader;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) RETURN_IF_ERROR(reader.AddLine(line));
  return std::move(reader).Finish();
}

absl::StatusOr<ReferencePage> GenerateNnef2Page() {
  std::string page(kOpening);
  for (const nnef2::LibraryModule& module : nnef2::StandardLibrary()) {
    ASSIGN_OR_RETURN(const std::vector<DocOperator> operators, ReadModule(module.text));
    absl::StrAppend(&page, "\n## ", module.name, "\n\n", Contents(module.name, operators));
    for (const DocOperator& shown : operators) page += OperatorText(module.name, shown);
  }
  return ReferencePage{"docs/nnef2_operators.md", std::move(page)};
}

}  // namespace xla
