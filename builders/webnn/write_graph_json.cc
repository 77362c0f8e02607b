#include "builders/webnn/write_graph_json.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/graph_json_format.h"
#include "builders/webnn/operator_definition.h"
#include "builders/webnn/tensor_json.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/literal_io/safetensors.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// Constants with more elements go into the file of weights, if there is one.
constexpr int64_t kMostInlineElements = 16;

using NamedLiterals = std::vector<std::pair<std::string, Literal>>;

// Whether two values of a parameter that is not optional are the same.
bool IsSameValue(const ParameterValue& a, const ParameterValue& b) {
  const auto same = [&](auto tag) {
    using T = decltype(tag);
    const T* const first = absl::get_if<T>(&a);
    const T* const second = absl::get_if<T>(&b);
    return first != nullptr && second != nullptr && *first == *second;
  };
  return same(bool()) || same(int64_t()) || same(double()) || same(MLNumber()) || same(std::string());
}

class GraphWriter {
 public:
  // With `weights`, large constants are added to that and left out of the text.
  GraphWriter(const GraphDefinition& graph, const std::string& weights_file, NamedLiterals* weights)
      : graph_(graph), weights_file_(weights_file), weights_(weights) {}

  std::string Write() {
    ChooseNames();
    const bool later = graph_.nodes->edition() == MLEdition::kLater;
    std::string text = absl::StrCat("{\n  \"format\": \"", kGraphJsonFormat, "\",\n  \"spec\": \"",
                                    later ? "later" : "draft", "\",\n");
    if (!weights_file_.empty()) {
      absl::StrAppend(&text, "  \"weights\": ", JsonWriter().String(weights_file_).text(), ",\n");
    }
    std::vector<std::string> lines;
    for (const OperandNode* input : graph_.inputs) lines.push_back(Member(names_.at(input), Input(*input)));
    for (const OperandNode* constant : graph_.constants) {
      lines.push_back(Member(names_.at(constant), Constant(*constant)));
    }
    AppendBlock("inputs", "{", lines, "},\n", &text);
    lines.clear();
    for (const OperatorNode* node : graph_.operators) lines.push_back(Operator(*node));
    AppendBlock("operators", "[", lines, "],\n", &text);
    lines.clear();
    for (const auto& [name, node] : graph_.outputs) {
      lines.push_back(Member(name, JsonWriter().String(names_.at(node)).text()));
    }
    AppendBlock("outputs", "{", lines, "}\n", &text);
    return text + "}\n";
  }

 private:
  static std::string Member(const std::string& name, const std::string& value) {
    return absl::StrCat(JsonWriter().String(name).text(), ": ", value);
  }

  // A list or record with a line for each of its members.
  static void AppendBlock(absl::string_view name, absl::string_view open, const std::vector<std::string>& lines,
                          absl::string_view close, std::string* text) {
    absl::StrAppend(text, "  \"", name, "\": ", open);
    if (!lines.empty()) absl::StrAppend(text, "\n    ", absl::StrJoin(lines, ",\n    "), "\n  ");
    absl::StrAppend(text, close);
  }

  // Inputs have names; the others get one that no input has.
  void ChooseNames() {
    for (const OperandNode* input : graph_.inputs) {
      names_[input] = input->name;
      taken_.insert(input->name);
    }
    for (const OperandNode* constant : graph_.constants) names_[constant] = NewName("constant");
    for (const OperatorNode* node : graph_.operators) {
      for (const OperandNode* result : node->results) names_[result] = NewName(node->definition->name);
    }
  }
  std::string NewName(absl::string_view stem) {
    std::string name;
    do {
      name = absl::StrCat(stem, "_", counts_[stem]++);
    } while (!taken_.insert(name).second);
    return name;
  }

  static void WriteDescriptor(const MLOperandDescriptor& descriptor, JsonWriter& json) {
    json.Key("dtype").String(ToString(descriptor.dataType)).Key("shape").BeginArray();
    for (const uint32_t size : descriptor.dimensions) json.Int(size);
    json.EndArray();
  }

  static std::string Input(const OperandNode& node) {
    JsonWriter json;
    json.BeginObject();
    WriteDescriptor(node.descriptor, json);
    return json.EndObject().text();
  }

  std::string Constant(const OperandNode& node) {
    JsonWriter json;
    json.BeginObject();
    WriteDescriptor(node.descriptor, json);
    json.Key("constant").Bool(true);
    if (weights_ != nullptr && node.value.element_count() > kMostInlineElements) {
      weights_->emplace_back(names_.at(&node), node.value);
    } else {
      WriteJsonElements(node.value, json);
    }
    return json.EndObject().text();
  }

  void WriteOperand(const MLOperand& operand, JsonWriter& json) const {
    json.BeginObject().Key("operand").String(names_.at(operand.node())).EndObject();
  }

  // Numbers that the draft rounds to binary32 need only the digits that this leaves.
  void WriteReal(double value, JsonWriter& json) const {
    if (graph_.nodes->edition() == MLEdition::kDraft) {
      WriteFloat(value, F32, json);
    } else {
      WriteFloat(value, F64, json);
    }
  }

  void WriteNumber(const MLNumber& number, JsonWriter& json) const {
    if (const auto* integer = absl::get_if<int64_t>(&number.value())) {
      json.Int(*integer);
    } else if (const auto* natural = absl::get_if<uint64_t>(&number.value())) {
      json.Uint(*natural);
    } else {
      WriteReal(number.AsDouble(), json);
    }
  }

  void WriteActivations(const std::vector<MLActivation>& activations, JsonWriter& json) const {
    json.BeginObject().Key("activations").BeginArray();
    for (const MLActivation& activation : activations) {
      json.BeginObject().Key("name").String(activation.name());
      WriteOptions(*activation.definition(), activation.parameters(), json);
      json.EndObject();
    }
    json.EndArray().EndObject();
  }

  // As {"value": ...}, {"operand": ...} or {"activations": ...}.
  void WriteValue(const ParameterValue& value, JsonWriter& json) const {
    if (const auto* operand = absl::get_if<MLOperand>(&value)) return WriteOperand(*operand, json);
    if (const auto* list = absl::get_if<std::vector<MLActivation>>(&value)) return WriteActivations(*list, json);
    json.BeginObject().Key("value");
    if (const auto* boolean = absl::get_if<bool>(&value)) {
      json.Bool(*boolean);
    } else if (const auto* integer = absl::get_if<int64_t>(&value)) {
      json.Int(*integer);
    } else if (const auto* real = absl::get_if<double>(&value)) {
      WriteReal(*real, json);
    } else if (const auto* number = absl::get_if<MLNumber>(&value)) {
      WriteNumber(*number, json);
    } else if (const auto* text = absl::get_if<std::string>(&value)) {
      json.String(*text);
    } else if (const auto* naturals = absl::get_if<UnsignedList>(&value)) {
      json.BeginArray();
      for (const uint32_t natural : *naturals) json.Int(natural);
      json.EndArray();
    } else if (const auto* reals = absl::get_if<std::vector<double>>(&value)) {
      json.BeginArray();
      for (const double element : *reals) WriteReal(element, json);
      json.EndArray();
    }
    json.EndObject();
  }

  void WriteArguments(const OperatorNode& node, JsonWriter& json) const {
    const OperatorDefinition& definition = *node.definition;
    json.Key("args").BeginObject();
    if (definition.is_variadic) {
      json.Key(definition.operands[0].name).BeginObject().Key("operands").BeginArray();
      for (const MLOperand& operand : node.operands) json.String(names_.at(operand.node()));
      json.EndArray().EndObject();
    } else {
      for (size_t i = 0; i < node.operands.size(); ++i) {
        json.Key(definition.operands[i].name);
        WriteOperand(node.operands[i], json);
      }
    }
    for (const Parameter& parameter : definition.parameters) {
      const ParameterValue value = parameter.get(node.parameters);
      if (!parameter.is_argument || !IsGiven(value)) continue;
      json.Key(parameter.name);
      WriteValue(value, json);
    }
    json.EndObject();
  }

  // Those that say something; the member "options" is left out if none does.
  void WriteOptions(const OperatorDefinition& definition, const std::any& parameters, JsonWriter& json) const {
    const std::any defaults = definition.make_parameters();
    bool any = false;
    for (const Parameter& parameter : definition.parameters) {
      const ParameterValue value = parameter.get(parameters);
      const bool says_something = parameter.is_optional ? IsGiven(value) : !IsSameValue(value, parameter.get(defaults));
      if (parameter.is_argument || !says_something) continue;
      if (!any) json.Key("options").BeginObject();
      any = true;
      json.Key(parameter.name);
      WriteValue(value, json);
    }
    if (any) json.EndObject();
  }

  std::string Operator(const OperatorNode& node) const {
    JsonWriter json;
    json.BeginObject().Key("op").String(node.definition->name);
    WriteArguments(node, json);
    WriteOptions(*node.definition, node.parameters, json);
    json.Key("outputs").BeginArray();
    for (const OperandNode* result : node.results) json.String(names_.at(result));
    return json.EndArray().EndObject().text();
  }

  const GraphDefinition& graph_;
  const std::string weights_file_;
  NamedLiterals* const weights_;
  absl::flat_hash_map<const OperandNode*, std::string> names_;
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int64_t> counts_;
};

absl::Status WriteNpz(const NamedLiterals& arrays, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<NpzWriter> writer, NpzWriter::Create(path));
  for (const auto& [name, array] : arrays) RETURN_IF_ERROR(writer->Add(name, array));
  return writer->Commit();
}

}  // namespace

std::string WriteWebnn(const GraphDefinition& graph) { return GraphWriter(graph, "", nullptr).Write(); }

absl::Status WriteWebnnFile(const GraphDefinition& graph, const std::string& path, const std::string& weights) {
  if (weights.empty()) return WriteFile(path, WriteWebnn(graph));
  RETURN_IF_ERROR(CheckWeightsFile(weights, "weights"));
  NamedLiterals arrays;
  const std::string text = GraphWriter(graph, weights, &arrays).Write();
  const std::string beside = absl::StrCat(FolderOf(path), weights);
  RETURN_IF_ERROR(IsNpz(weights) ? WriteNpz(arrays, beside) : WriteSafetensors(arrays, beside));
  return WriteFile(path, text);
}

}  // namespace webnn
}  // namespace xla
