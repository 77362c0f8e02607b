#include "tests/conformance/nnef2_facts.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "builders/nnef2/diagnostics.h"
#include "re2/re2.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using nnef2::ComposedGraph;
using nnef2::ComposedTensor;
using nnef2::Scalar;

absl::Status Differs(absl::string_view what, absl::string_view got, absl::string_view expected) {
  if (got == expected) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(what, ": got ", got, ", expected ", expected));
}

const JsonValue::Array& ArrayMember(const JsonValue& json, absl::string_view key) {
  static const auto* const empty = new JsonValue::Array;
  const JsonValue* const member = json.Find(key);
  return member == nullptr || member->AsArray() == nullptr ? *empty : *member->AsArray();
}

// "[2,~]".
std::string ExpectedShape(const JsonValue& json, absl::string_view key) {
  std::vector<std::string> extents;
  for (const JsonValue& extent : ArrayMember(json, key)) {
    extents.push_back(extent.AsString() != nullptr ? *extent.AsString() : absl::StrCat(extent.AsInt64().value_or(-1)));
  }
  return absl::StrCat("[", absl::StrJoin(extents, ","), "]");
}

// With ~ for extents that vary, or with their bounds.
std::string ShapeOf(const ComposedTensor& tensor, bool with_bounds) {
  std::vector<std::string> extents;
  for (const Scalar& extent : tensor.shape) {
    const bool is_static = extent.kind == Scalar::Kind::kInt;
    extents.push_back(is_static     ? absl::StrCat(extent.integer)
                      : with_bounds ? absl::StrCat(extent.symbolic->upper)
                                    : "~");
  }
  return absl::StrCat("[", absl::StrJoin(extents, ","), "]");
}

absl::Status CheckOutputs(const ComposedGraph& graph, const JsonValue& facts) {
  const JsonValue::Array& expected = ArrayMember(facts, "outputs");
  RETURN_IF_ERROR(Differs("number of outputs", absl::StrCat(graph.outputs.size()), absl::StrCat(expected.size())));
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string name = TextMember(expected[i], "name");
    RETURN_IF_ERROR(Differs(absl::StrCat("name of output ", i), graph.definition->outputs[i].name.text, name));
    if (graph.outputs[i].items.empty()) return Differs(name, "no tensors", "one");
    const ComposedTensor& tensor = graph.tensors[graph.outputs[i].items[0].integer];
    RETURN_IF_ERROR(
        Differs(absl::StrCat("dtype of ", name), tensor.element.ToString(), TextMember(expected[i], "dtype")));
    RETURN_IF_ERROR(
        Differs(absl::StrCat("shape of ", name), ShapeOf(tensor, false), ExpectedShape(expected[i], "shape")));
    if (expected[i].Find("max_shape") == nullptr) continue;
    RETURN_IF_ERROR(
        Differs(absl::StrCat("bounds of ", name), ShapeOf(tensor, true), ExpectedShape(expected[i], "max_shape")));
  }
  return absl::OkStatus();
}

absl::Status CheckVariables(const ComposedGraph& graph, const JsonValue& facts) {
  for (const JsonValue& expected : ArrayMember(facts, "variables")) {
    const std::string name = TextMember(expected, "name");
    const auto found = std::find_if(graph.variables.begin(), graph.variables.end(),
                                    [&](int variable) { return graph.tensors[variable].name == name; });
    if (found == graph.variables.end()) return absl::DataLossError(absl::StrCat("there is no variable '", name, "'"));
    RETURN_IF_ERROR(Differs(absl::StrCat("shape of ", name), ShapeOf(graph.tensors[*found], false),
                            ExpectedShape(expected, "shape")));
  }
  return absl::OkStatus();
}

std::string TextOf(const JsonValue& value) {
  if (value.AsString() != nullptr) return absl::StrCat("'", *value.AsString(), "'");
  if (value.AsBool().has_value()) return *value.AsBool() ? "true" : "false";
  if (value.AsArray() != nullptr) {
    return absl::StrCat(
        "[",
        absl::StrJoin(*value.AsArray(), ", ", [](std::string* out, const JsonValue& item) { *out += TextOf(item); }),
        "]");
  }
  return absl::StrCat(value.AsDouble().value_or(0));
}

// Numbers as JSON has them, which does not tell 1 from 1.0.
std::string TextOf(const nnef2::Value& value) {
  const auto item_text = [](std::string* out, const Scalar& item) {
    if (item.kind == Scalar::Kind::kString) absl::StrAppend(out, "'", item.text, "'");
    if (item.kind == Scalar::Kind::kBool) absl::StrAppend(out, item.integer != 0 ? "true" : "false");
    if (item.kind == Scalar::Kind::kReal) absl::StrAppend(out, item.real);
    if (item.kind == Scalar::Kind::kInt) absl::StrAppend(out, static_cast<double>(item.integer));
  };
  const std::string items = absl::StrJoin(value.items, ", ", item_text);
  return value.type.is_pack ? absl::StrCat("[", items, "]") : items;
}

absl::Status CheckQuantization(const ComposedGraph& graph, const JsonValue& expected) {
  if (expected.AsObject() == nullptr) return absl::OkStatus();
  for (const auto& [tensor, entry] : *expected.AsObject()) {
    const auto found = std::find_if(graph.quantizations.begin(), graph.quantizations.end(),
                                    [&name = tensor](const auto& info) { return info.tensor == name; });
    if (found == graph.quantizations.end()) {
      return absl::DataLossError(absl::StrCat("there is no quantization of '", tensor, "'"));
    }
    std::vector<std::string> got = {absl::StrCat("op='", found->operator_name, "'")}, wanted;
    for (const auto& attribute : found->attributes) {
      got.push_back(absl::StrCat(attribute.first, "=", TextOf(attribute.second)));
    }
    for (const auto& attribute : *entry.AsObject()) {
      wanted.push_back(absl::StrCat(attribute.first, "=", TextOf(attribute.second)));
    }
    std::sort(got.begin(), got.end());
    std::sort(wanted.begin(), wanted.end());
    RETURN_IF_ERROR(Differs(tensor, absl::StrJoin(got, ", "), absl::StrJoin(wanted, ", ")));
  }
  return Differs("number of quantizations", absl::StrCat(graph.quantizations.size()),
                 absl::StrCat(expected.AsObject()->size()));
}

absl::Status CheckGraphs(const ComposedGraph& graph, const JsonValue& facts) {
  std::vector<absl::string_view> got;
  for (const nnef2::Definition* const definition : graph.program->graphs()) got.push_back(definition->name.text);
  std::vector<std::string> expected;
  for (const JsonValue& name : ArrayMember(facts, "graphs")) {
    expected.push_back(name.AsString() == nullptr ? "" : *name.AsString());
  }
  return Differs("graphs", absl::StrJoin(got, ", "), absl::StrJoin(expected, ", "));
}

struct ReportedError {
  std::string module;
  int line = 0;
  std::string error_class;
};

// The errors in a message: "m/custom/ops.sknd:5:17: shape: ...", or "data: ..." without a place.
std::vector<ReportedError> ErrorsIn(absl::string_view message, const Nnef2Description& description) {
  static const RE2* const placed = new RE2(R"(^(.+):(\d+):\d+: ([a-z-]+): )");
  static const RE2* const unplaced = new RE2(R"(^([a-z-]+): )");
  std::vector<ReportedError> errors;
  for (const absl::string_view line : absl::StrSplit(message, '\n')) {
    ReportedError error;
    std::string source, number;
    const std::string text(line);
    if (RE2::PartialMatch(text, *placed, &source, &number, &error.error_class)) {
      const bool fits = absl::SimpleAtoi(number, &error.line);
      error.module = description.is_folder ? std::filesystem::path(source).stem().string() : "main";
      if (fits) errors.push_back(std::move(error));
    } else if (RE2::PartialMatch(text, *unplaced, &error.error_class)) {
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

}  // namespace

absl::Status CheckNnef2Facts(const ComposedGraph& graph, const JsonValue& facts) {
  if (facts.Find("outputs") != nullptr) RETURN_IF_ERROR(CheckOutputs(graph, facts));
  RETURN_IF_ERROR(CheckVariables(graph, facts));
  if (const JsonValue* const expected = facts.Find("quantization"))
    RETURN_IF_ERROR(CheckQuantization(graph, *expected));
  return facts.Find("graphs") == nullptr ? absl::OkStatus() : CheckGraphs(graph, facts);
}

absl::Status CheckNnef2TensorFacts(const nnef2::StoredTensor& tensor, const JsonValue& facts) {
  const std::string dtype = TextMember(facts, "dtype");
  const bool is_signed = tensor.header.item_type == nnef::ItemType::kSigned;
  const bool is_integer = is_signed || tensor.header.item_type == nnef::ItemType::kUnsigned;
  const absl::string_view got = is_integer ? "int" : tensor.header.item_type == nnef::ItemType::kBool ? "bool" : "real";
  RETURN_IF_ERROR(Differs("dtype", got, dtype));
  if (const JsonValue* const bits = facts.Find("bits")) {
    RETURN_IF_ERROR(
        Differs("bits", absl::StrCat(tensor.header.bits_per_item), absl::StrCat(bits->AsInt64().value_or(0))));
  }
  if (const JsonValue* const expected = facts.Find("signed")) {
    RETURN_IF_ERROR(Differs("signed", is_signed ? "true" : "false", TextOf(*expected)));
  }
  RETURN_IF_ERROR(Differs("shape", absl::StrCat("[", absl::StrJoin(tensor.header.extents, ","), "]"),
                          ExpectedShape(facts, "shape")));
  std::vector<double> expected;
  for (const JsonValue& item : ArrayMember(facts, "values")) {
    const bool is_true = item.AsBool().value_or(false);
    expected.push_back(is_true ? 1 : item.AsDouble().value_or(0));
  }
  // Of items that are true or false, 1 and 0.
  ASSIGN_OR_RETURN(const Literal numbers, LiteralUtil::Convert(tensor.value, F64));
  return Differs("values", absl::StrJoin(numbers.span<double>(), ", "), absl::StrJoin(expected, ", "));
}

Nnef2Refusal JudgeNnef2Refusal(const absl::Status& status, const Nnef2Description& description) {
  const JsonValue* const expected = description.json.Find("expected_error");
  Nnef2Refusal refusal;
  if (expected == nullptr) return refusal;
  std::vector<std::string> classes = {TextMember(*expected, "class")};
  for (const JsonValue& name : ArrayMember(*expected, "also_accepted")) {
    if (name.AsString() != nullptr) classes.push_back(*name.AsString());
  }
  const JsonValue* const line = expected->Find("line");
  const std::string module = TextMember(*expected, "module");
  refusal.has_line = line == nullptr || !line->AsInt64().has_value();
  for (const ReportedError& error : ErrorsIn(status.message(), description)) {
    refusal.has_class |= std::find(classes.begin(), classes.end(), error.error_class) != classes.end();
    if (line != nullptr && line->AsInt64() == error.line && (module.empty() || module == error.module)) {
      refusal.has_line = true;
    }
  }
  refusal.has_message = absl::StrContains(status.message(), TextMember(*expected, "message_contains"));
  return refusal;
}

}  // namespace xla
