#include "docs/generator/nnef1_page.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef1/operation.h"
#include "docs/generator/markdown_text.h"
#include "docs/generator/short_hlo.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using nnef1::OperationDefinition;

constexpr char kExamples[] = "docs/generator/nnef1_examples.txt";

constexpr absl::string_view kNnefOpening =
    R"(<!-- Written by `bazel run //docs/generator:refresh` from the operation table (builders/nnef1/operations) and
docs/generator/nnef1_examples.txt: change those, not this. -->

# NNEF 1 operations

For each operation of the [NNEF 1 frontend](nnef1.md): its declaration, with the section of NNEF 1.0.4; an example, with its inputs;
and the HLO that the example lowers to, before any pass runs. Where that is long, the opcodes are counted instead. A compound operation
computes what its body says; its HLO may be shorter. `hlo-opt model/ --to text` prints the HLO of a model. Scalars are f32 here; they may
be f64, f16 or bf16 as well.
)";

struct Example {
  std::string inputs;
  std::string statements;
};

std::string Trimmed(absl::string_view text) { return std::string(absl::StripAsciiWhitespace(text)); }

// The name of the operation that the last statement calls.
std::string OperationOf(absl::string_view statements) {
  const absl::string_view last = statements.substr(statements.rfind(';') + 1);
  const absl::string_view call = absl::StripAsciiWhitespace(last.substr(last.find('=') + 1));
  return std::string(call.substr(0, call.find_first_of("(<")));
}

// By operation: that of the last statement, or the one that precedes a colon.
absl::StatusOr<std::map<std::string, Example>> ReadExamples(absl::string_view text) {
  std::map<std::string, Example> examples;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(" | ", 1));
    const size_t colon = parts.first.find(':');
    const bool is_named = colon != absl::string_view::npos;
    Example example = {Trimmed(is_named ? parts.first.substr(colon + 1) : parts.first), Trimmed(parts.second)};
    const std::string name = is_named ? Trimmed(parts.first.substr(0, colon)) : OperationOf(example.statements);
    if (!examples.emplace(name, std::move(example)).second) {
      return absl::InvalidArgumentError(absl::StrCat(kExamples, ": more than one example of ", name));
    }
  }
  return examples;
}

// "x[2,3], i integer[4]" as the names "x, i" and their statements.
std::string ExternalStatements(absl::string_view inputs, std::vector<std::string>* names) {
  std::string statements;
  // A comma ends an input where a bracket is before it.
  for (absl::string_view rest = inputs; !rest.empty();) {
    const size_t close = rest.find(']');
    const absl::string_view input = absl::StripAsciiWhitespace(rest.substr(0, close + 1));
    rest.remove_prefix(std::min(close + 2, rest.size()));
    const size_t open = input.find('[');
    const std::vector<absl::string_view> words = absl::StrSplit(input.substr(0, open), ' ', absl::SkipEmpty());
    names->emplace_back(words[0]);
    absl::StrAppend(&statements, "    ", words[0], " = external<", words.size() > 1 ? words[1] : "scalar",
                    ">(shape = ", input.substr(open), ");\n");
  }
  return statements;
}

// The identifiers on the left side of the last statement.
std::vector<std::string> ResultsOf(absl::string_view statements) {
  const absl::string_view last = statements.substr(statements.rfind(';') + 1);
  std::vector<std::string> names;
  for (const absl::string_view name :
       absl::StrSplit(last.substr(0, last.find('=')), absl::ByAnyChar("[], "), absl::SkipEmpty())) {
    names.emplace_back(name);
  }
  return names;
}

std::string DocumentOf(const Example& example) {
  std::vector<std::string> names;
  const std::string inputs = ExternalStatements(example.inputs, &names);
  return absl::StrCat("version 1.0;\n\ngraph example(", absl::StrJoin(names, ", "), ") -> (",
                      absl::StrJoin(ResultsOf(example.statements), ", "), ")\n{\n", inputs, "    ", example.statements,
                      ";\n}\n");
}

absl::StatusOr<std::vector<std::string>> HloLines(const Example& example) {
  const std::string document = DocumentOf(example);
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef1::Container> container,
                   nnef1::OpenContainerInMemory(document, "example"));
  nnef1::LoadOptions options;
  options.load_data = false;
  const absl::StatusOr<nnef1::Model> model = nnef1::LoadModel(*container, options);
  if (!model.ok()) return absl::InvalidArgumentError(absl::StrCat(document, model.status().message()));
  nnef1::LoweringOptions lowering;
  lowering.variables_are_parameters = true;
  ASSIGN_OR_RETURN(const nnef1::LoweredModel lowered, nnef1::LowerToHlo(*model, lowering));
  return ShortHlo(*lowered.module);
}

absl::StatusOr<std::string> OperationText(const OperationDefinition& row, const std::string& name,
                                          const Example& example) {
  const absl::StatusOr<std::vector<std::string>> hlo = HloLines(example);
  if (!hlo.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(kExamples, ": ", name, ": ", hlo.status().message()));
  }
  const std::vector<std::string> statements = absl::StrSplit(example.statements, "; ");
  std::string text = absl::StrCat("\n## ", name, "\n\n```\n");
  absl::StrAppend(&text, absl::StripAsciiWhitespace(row.declaration), row.section.empty() ? "" : "  # section ",
                  row.section, "\n", absl::StrJoin(statements, ";\n"), ";  # ", example.inputs);
  return WithHloComments(std::move(text), "#", *hlo) + "```\n";
}

}  // namespace

// A section for each row of the operation table, with an example that was run. A row without an example, or an
// example without a row, is an error.
absl::StatusOr<ReferencePage> GenerateNnef1Page(const std::string& root) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(root, "/", kExamples)));
  ASSIGN_OR_RETURN(auto examples, ReadExamples(file.data()));
  std::vector<std::string> links;
  std::string body;
  for (const OperationDefinition& row : nnef1::OperationTable()) {
    const std::string& name = nnef1::DeclarationOf(row).name;
    const auto example = examples.find(name);
    if (example == examples.end()) {
      return absl::InvalidArgumentError(absl::StrCat(kExamples, ": there is no example of ", name));
    }
    ASSIGN_OR_RETURN(const std::string text, OperationText(row, name, example->second));
    links.push_back(absl::StrCat("[", name, "](#", HeadingAnchor(name), ")"));
    body += text;
    examples.erase(example);
  }
  if (!examples.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kExamples, ": there is no operation '", examples.begin()->first, "'"));
  }
  return ReferencePage{"docs/nnef1_operations.md",
                       absl::StrCat(kNnefOpening, "\n", absl::StrJoin(links, ", "), "\n", body)};
}

}  // namespace xla
