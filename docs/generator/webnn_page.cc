#include "docs/generator/webnn_page.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/operator_table.h"
#include "builders/webnn/read_graph_json.h"
#include "docs/generator/markdown_text.h"
#include "docs/generator/short_hlo.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using webnn::MLEdition;
using webnn::OperandRule;
using webnn::OperatorDefinition;
using webnn::Parameter;
using webnn::ParameterKind;

constexpr char kGraphExamples[] = "docs/generator/webnn_examples.json";

constexpr absl::string_view kWebnnOpening =
    R"(<!-- Written by `bazel run //docs/generator:refresh` from the operator table (builders/webnn/ops) and
docs/generator/webnn_examples.json: change those, not this. -->

# WebNN operators

For each operator of the [WebNN frontend](../builders/webnn/README.md): its result types if they differ from the operand's, its operands,
its arguments and options, an example, and the HLO that the example lowers to, before any pass runs. Where that is long, the opcodes are
counted instead. The WebNN specification defines what an operator computes. `hlo-opt model.webnn.json --to text` prints the HLO of
[a graph in a file](webnn_json.md).

*Later* marks additions of editions after the draft of June 2024; their element types and names follow those of the draft.
)";

// Operators that are called so, and the example of each.
struct GraphExample {
  const JsonValue* graph = nullptr;
  const JsonValue* call = nullptr;
};

// Examples by operator, from a file of graphs of one operator each.
absl::StatusOr<std::map<std::string, GraphExample>> ExamplesByOperator(const JsonValue& json) {
  std::map<std::string, GraphExample> examples;
  if (json.AsArray() == nullptr) return absl::InvalidArgumentError(absl::StrCat(kGraphExamples, ": expected a list"));
  for (const JsonValue& graph : *json.AsArray()) {
    const JsonValue* const operators = graph.Find("operators");
    const bool has_one = operators != nullptr && operators->AsArray() != nullptr && operators->AsArray()->size() == 1;
    const JsonValue* const name = has_one ? operators->AsArray()->front().Find("op") : nullptr;
    if (name == nullptr || name->AsString() == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(kGraphExamples, ": expected graphs of one operator each"));
    }
    if (!examples.emplace(*name->AsString(), GraphExample{&graph, &operators->AsArray()->front()}).second) {
      return absl::InvalidArgumentError(absl::StrCat(kGraphExamples, ": more than one example of ", *name->AsString()));
    }
  }
  return examples;
}

// ---- What it takes

std::string TypesText(const OperandRule& rule) {
  std::string text = rule.types.ToString();
  if (!(rule.types == rule.later_types)) absl::StrAppend(&text, "; *later* ", rule.later_types.ToString());
  return text;
}

std::string RankText(const OperandRule& rule) {
  if (rule.min_rank == rule.max_rank) return absl::StrCat(rule.min_rank);
  if (rule.max_rank == webnn::kMaxRank) return rule.min_rank == 0 ? "any" : absl::StrCat("at least ", rule.min_rank);
  return absl::StrCat(rule.min_rank, " to ", rule.max_rank);
}

std::string NameText(absl::string_view name, absl::string_view later_name) {
  return later_name.empty() ? absl::StrCat("`", name, "`") : absl::StrCat("`", name, "`, *later* `", later_name, "`");
}

std::string KindText(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::kBoolean:
      return "boolean";
    case ParameterKind::kUnsigned:
      return "unsigned long";
    case ParameterKind::kWrapping:
      return "unsigned long, modulo 2^32";
    case ParameterKind::kLong:
      return "long";
    case ParameterKind::kFloat:
      return "float, *later* double";
    case ParameterKind::kNumber:
      return "float, *later* MLNumber";
    case ParameterKind::kString:
      return "string";
    case ParameterKind::kEnum:
      return absl::StrCat("\"", absl::StrJoin(parameter.enum_names->values, "\", \""), "\"");
    case ParameterKind::kUnsigneds:
      return "sequence of unsigned long";
    case ParameterKind::kFloats:
      return "sequence of float";
    case ParameterKind::kUnsignedOrList:
      return "unsigned long, or a sequence of it";
    case ParameterKind::kOperand:
      return "MLOperand";
    case ParameterKind::kActivations:
      return "sequence of MLActivation";
  }
  return "";
}

std::string DefaultText(const Parameter& parameter, const std::any& defaults) {
  if (parameter.is_argument) return parameter.is_optional ? "" : "required";
  const webnn::ParameterValue value = parameter.get(defaults);
  if (const auto* boolean = absl::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* integer = absl::get_if<int64_t>(&value)) return absl::StrCat(*integer);
  if (const auto* real = absl::get_if<double>(&value)) return absl::StrCat(*real);
  if (const auto* number = absl::get_if<webnn::MLNumber>(&value)) return number->ToString();
  if (const auto* text = absl::get_if<std::string>(&value)) return absl::StrCat("\"", *text, "\"");
  return "";
}

// The lists of a section: result types, operands with types and ranks, parameters with their defaults.
void AppendLists(const OperatorDefinition& definition, std::string* page) {
  if (definition.result_types.has_value()) {
    absl::StrAppend(page, "- result: ", definition.result_types->ToString(), "\n");
  }
  std::string names;
  for (size_t i = 0; i < definition.operands.size(); ++i) {
    const OperandRule& rule = definition.operands[i];
    const std::string text = absl::StrCat(TypesText(rule), "; rank ", RankText(rule));
    absl::StrAppend(&names, names.empty() ? "" : ", ", NameText(rule.name, rule.later_name));
    if (i + 1 < definition.operands.size()) {
      const OperandRule& next = definition.operands[i + 1];
      // Operands that must be of the same types and rank share a line.
      if (text == absl::StrCat(TypesText(next), "; rank ", RankText(next))) continue;
    }
    absl::StrAppend(page, "- ", names, definition.is_variadic ? ", a list" : "", ": ", text, "\n");
    names.clear();
  }
  const std::any defaults = definition.make_parameters();
  for (const Parameter& parameter : definition.parameters) {
    // Every operator has it.
    if (parameter.name == "label") continue;
    const bool is_later = parameter.edition == MLEdition::kLater && definition.edition == MLEdition::kDraft;
    const std::string standard = DefaultText(parameter, defaults);
    absl::StrAppend(page, "- ", NameText(parameter.name, parameter.later_name), is_later ? ", *later*" : "", ": ",
                    KindText(parameter), standard.empty() || parameter.is_argument ? "" : "; default ",
                    parameter.is_argument && !standard.empty() ? "; " : "", standard, "\n");
  }
}

// ---- The example

std::string ValueText(const JsonValue& json) {
  if (json.AsArray() != nullptr) {
    return absl::StrCat(
        "[",
        absl::StrJoin(*json.AsArray(), ", ",
                      [](std::string* text, const JsonValue& element) { absl::StrAppend(text, ValueText(element)); }),
        "]");
  }
  if (const std::string* text = json.AsString()) return absl::StrCat("'", *text, "'");
  if (const auto boolean = json.AsBool()) return *boolean ? "true" : "false";
  if (const auto integer = json.AsInt64()) return absl::StrCat(*integer);
  return absl::StrCat(json.AsDouble().value_or(0));
}

std::string ArgumentText(const JsonValue& json) {
  if (const JsonValue* value = json.Find("value")) return ValueText(*value);
  if (const JsonValue* operand = json.Find("operand")) return *operand->AsString();
  const JsonValue* const operands = json.Find("operands");
  return operands == nullptr ? ""
                             : absl::StrCat("[",
                                            absl::StrJoin(*operands->AsArray(), ", ",
                                                          [](std::string* text, const JsonValue& name) {
                                                            absl::StrAppend(text, *name.AsString());
                                                          }),
                                            "]");
}

// The call in JavaScript.
std::string CallText(const JsonValue& call) {
  std::vector<std::string> arguments;
  for (const auto& argument : *call.Find("args")->AsObject()) arguments.push_back(ArgumentText(argument.second));
  if (const JsonValue* options = call.Find("options")) {
    std::vector<std::string> members;
    for (const auto& [name, option] : *options->AsObject()) {
      const std::string text = ArgumentText(option);
      members.push_back(text == name ? name : absl::StrCat(name, ": ", text));
    }
    arguments.push_back(absl::StrCat("{", absl::StrJoin(members, ", "), "}"));
  }
  return absl::StrCat("builder.", *call.Find("op")->AsString(), "(", absl::StrJoin(arguments, ", "), ")");
}

absl::StatusOr<std::vector<std::string>> HloLines(const JsonValue& json) {
  ASSIGN_OR_RETURN(const MLEdition edition, webnn::EditionOfJson(json, kGraphExamples));
  webnn::MLGraphBuilder builder(webnn::MLContext::WithoutDevice(edition));
  ASSIGN_OR_RETURN(const webnn::JsonGraph read, webnn::ReadGraphJson(json, kGraphExamples, builder));
  ASSIGN_OR_RETURN(const webnn::GraphDefinition graph, builder.Define(read.outputs));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, webnn::LowerToHlo(graph));
  return ShortHlo(*module);
}

absl::StatusOr<std::string> OperatorText(const OperatorDefinition& definition, const GraphExample& example) {
  ASSIGN_OR_RETURN(const std::vector<std::string> hlo, HloLines(*example.graph));
  std::string text = absl::StrCat("\n## ", definition.name, "\n\n");
  if (definition.edition == MLEdition::kLater) absl::StrAppend(&text, "*Later.* ");
  if (definition.has_activation_form) {
    absl::StrAppend(&text, "Also an activation function: `builder.", definition.name,
                    "(options)` without an operand. ");
  }
  text = std::string(absl::StripTrailingAsciiWhitespace(text)) + "\n\n";
  AppendLists(definition, &text);
  absl::StrAppend(&text, "\n```js\n", CallText(*example.call));
  return WithHloComments(std::move(text), "//", hlo) + "```\n";
}

}  // namespace

// A section for each operator, in alphabetical order, with an example each.
absl::StatusOr<ReferencePage> GenerateWebnnPage(const std::string& root) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(root, "/", kGraphExamples)));
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(file.data(), kGraphExamples));
  ASSIGN_OR_RETURN(const auto examples, ExamplesByOperator(json));
  std::vector<const OperatorDefinition*> operators(webnn::AllOperators().begin(), webnn::AllOperators().end());
  std::sort(operators.begin(), operators.end(), [](const auto* a, const auto* b) {
    return absl::AsciiStrToLower(a->name) < absl::AsciiStrToLower(b->name);
  });
  std::string page(kWebnnOpening);
  std::vector<std::string> links;
  for (const OperatorDefinition* row : operators) {
    links.push_back(absl::StrCat("[", row->name, "](#", HeadingAnchor(row->name), ")"));
  }
  absl::StrAppend(&page, "\n", absl::StrJoin(links, ", "), "\n");
  for (const OperatorDefinition* row : operators) {
    const auto example = examples.find(std::string(row->name));
    if (example == examples.end()) {
      return absl::InvalidArgumentError(absl::StrCat(kGraphExamples, ": there is no example of ", row->name));
    }
    ASSIGN_OR_RETURN(const std::string text, OperatorText(*row, example->second));
    page += text;
  }
  return ReferencePage{"docs/webnn_operators.md", page};
}

}  // namespace xla
