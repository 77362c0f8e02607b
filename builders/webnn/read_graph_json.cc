#include "builders/webnn/read_graph_json.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/graph_json_format.h"
#include "builders/webnn/idl_conversions.h"
#include "builders/webnn/tensor_json.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/literal_io/safetensors.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/files.h"
#include "xla_core/support/limit_message.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

absl::Status Malformed(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

// The member `key`, which has to be an object (or an array).
absl::StatusOr<const JsonValue::Object*> ObjectMember(const JsonValue& json, absl::string_view key,
                                                      absl::string_view where) {
  const JsonValue* const member = json.Find(key);
  if (member != nullptr && member->AsObject() != nullptr) return member->AsObject();
  return Malformed(
      where, absl::StrCat("expected an object \"", key, "\", got ", member == nullptr ? "none" : member->KindName()));
}

absl::StatusOr<const JsonValue::Array*> ArrayMember(const JsonValue& json, absl::string_view key,
                                                    absl::string_view where) {
  const JsonValue* const member = json.Find(key);
  if (member != nullptr && member->AsArray() != nullptr) return member->AsArray();
  return Malformed(
      where, absl::StrCat("expected an array \"", key, "\", got ", member == nullptr ? "none" : member->KindName()));
}

absl::StatusOr<std::string> TextOf(const JsonValue& json, absl::string_view what, absl::string_view where) {
  if (json.AsString() != nullptr) return *json.AsString();
  return Malformed(where, absl::StrCat("expected ", what, " as a string, got ", json.KindName()));
}

template <typename T>
absl::StatusOr<T> FindName(const absl::flat_hash_map<std::string, T>& known, const JsonValue& json,
                           absl::string_view what, absl::string_view where) {
  ASSIGN_OR_RETURN(const std::string name, TextOf(json, absl::StrCat("the name of an ", what), where));
  const auto it = known.find(name);
  if (it != known.end()) return it->second;
  return Malformed(where, absl::StrCat("there is no ", what, " '", name, "' before this"));
}

template <typename T>
absl::StatusOr<MLValue> NamedList(const absl::flat_hash_map<std::string, T>& known, const JsonValue& json,
                                  absl::string_view what, absl::string_view where) {
  if (json.AsArray() == nullptr) {
    return Malformed(where, absl::StrCat("expected an array of names, got ", json.KindName()));
  }
  MLValueList values;
  for (const JsonValue& element : *json.AsArray()) {
    ASSIGN_OR_RETURN(T value, FindName(known, element, what, where));
    values.emplace_back(std::move(value));
  }
  return MLValue(std::move(values));
}

// Numbers, as they are or as {"value": ...}.
absl::StatusOr<Named<MLValue>> ReadActivationOptions(const JsonValue* json, absl::string_view where) {
  Named<MLValue> options;
  if (json == nullptr) return options;
  if (json->AsObject() == nullptr) {
    return Malformed(where, absl::StrCat("expected a record of options, got ", json->KindName()));
  }
  for (const auto& [name, option] : *json->AsObject()) {
    const JsonValue* const value = option.Find("value");
    options.emplace_back(name, ToMLValue(value == nullptr ? option : *value));
  }
  return options;
}

absl::StatusOr<MLValue> ReadActivations(const JsonValue& json, MLGraphBuilder& builder, absl::string_view where) {
  if (json.AsArray() == nullptr) {
    return Malformed(where, absl::StrCat("expected an array of activations, got ", json.KindName()));
  }
  MLValueList values;
  for (const JsonValue& element : *json.AsArray()) {
    // Later editions have names only.
    if (element.AsString() != nullptr) {
      values.emplace_back(*element.AsString());
      continue;
    }
    const JsonValue* const name = element.Find("name");
    if (name == nullptr) return Malformed(where, "expected activations like {\"name\": \"relu\"}");
    ASSIGN_OR_RETURN(const std::string text, TextOf(*name, "the name of an activation", where));
    ASSIGN_OR_RETURN(const Named<MLValue> options, ReadActivationOptions(element.Find("options"), where));
    absl::StatusOr<MLActivation> activation = builder.activation(text, options);
    if (!activation.ok()) return AtPlace(where, activation.status());
    values.emplace_back(*std::move(activation));
  }
  return MLValue(std::move(values));
}

absl::StatusOr<MLValue> ReadArgument(const JsonValue& json, const JsonNames& names, MLGraphBuilder& builder,
                                     absl::string_view where) {
  if (const JsonValue* value = json.Find("value")) return ToMLValue(*value);
  if (const JsonValue* name = json.Find("operand")) {
    ASSIGN_OR_RETURN(MLOperand operand, FindName(names.operands, *name, "operand", where));
    return MLValue(std::move(operand));
  }
  if (const JsonValue* list = json.Find("operands")) return NamedList(names.operands, *list, "operand", where);
  if (const JsonValue* list = json.Find("activations")) return ReadActivations(*list, builder, where);
  if (const JsonValue* list = json.Find("activationRefs")) {
    return NamedList(names.activations, *list, "activation", where);
  }
  return Malformed(where,
                   "expected {\"value\": ...}, {\"operand\": NAME}, {\"operands\": [NAME, ...]} or "
                   "{\"activations\": [...]}");
}

// The files of weights that a graph names, each opened once.
class WeightFiles {
 public:
  WeightFiles(std::string folder, const ResourceContext* resources)
      : folder_(std::move(folder)), resources_(resources) {}

  absl::StatusOr<Literal> Read(const std::string& file, const std::string& name, const Shape& shape,
                               absl::string_view where) {
    RETURN_IF_ERROR(CheckWeightsFile(file, where));
    const std::string path = absl::StrCat(folder_, file);
    if (IsNpz(file)) {
      return Read(npz_, path, name, where, [&](const NpzReader& reader, int position) {
        return reader.ReadAs(position, shape, nullptr, resources_);
      });
    }
    return Read(safetensors_, path, name, where,
                [&](const SafetensorsReader& reader, int position) { return reader.ReadAs(position, shape); });
  }

 private:
  template <typename Reader, typename ReadAs>
  static absl::StatusOr<Literal> Read(std::map<std::string, Reader>& files, const std::string& path,
                                      const std::string& name, absl::string_view where, const ReadAs& read_as) {
    auto it = files.find(path);
    if (it == files.end()) {
      absl::StatusOr<Reader> opened = Reader::Open(path);
      if (!opened.ok()) return AtPlace(where, opened.status());
      it = files.emplace(path, *std::move(opened)).first;
    }
    const int position = it->second.Find(name);
    if (position >= 0) {
      absl::StatusOr<Literal> array = read_as(it->second, position);
      if (!array.ok()) return AtPlace(where, array.status());
      return array;
    }
    std::vector<absl::string_view> known;
    for (int i = 0; i < it->second.size(); ++i) known.push_back(it->second.array_name(i));
    return Malformed(where, absl::StrCat(path, " has no array '", name, "'", DidYouMean(name, known)));
  }

  const std::string folder_;
  const ResourceContext* const resources_;
  std::map<std::string, NpzReader> npz_;
  std::map<std::string, SafetensorsReader> safetensors_;
};

class GraphReader {
 public:
  GraphReader(const JsonValue& json, const std::string& name, MLGraphBuilder& builder, int64_t max_array_bytes,
              const ResourceContext* resources)
      : json_(json),
        name_(name),
        builder_(builder),
        resources_(resources),
        max_array_bytes_(max_array_bytes),
        files_(FolderOf(name), resources) {
    if (resources == nullptr) return;
    max_array_bytes_ = std::min(max_array_bytes, resources->memory().limit() - resources->memory().used());
    if (max_array_bytes_ < max_array_bytes) end_of_error_ = InPhase(resources->phase());
  }

  absl::StatusOr<JsonGraph> Read() {
    RETURN_IF_ERROR(CheckForm());
    RETURN_IF_ERROR(ReadInputs());
    RETURN_IF_ERROR(ReadOperators());
    RETURN_IF_ERROR(ReadOutputs());
    return std::move(graph_);
  }

 private:
  absl::Status CheckForm() {
    if (json_.AsObject() == nullptr) return Malformed(name_, "expected a graph, which is a JSON object");
    if (const JsonValue* format = json_.Find("format")) {
      if (format->AsString() == nullptr || *format->AsString() != kGraphJsonFormat) {
        return Malformed(name_, absl::StrCat("expected \"format\" to be \"", kGraphJsonFormat, "\""));
      }
    }
    if (json_.Find("cases") != nullptr && json_.Find("operators") == nullptr) {
      return Malformed(name_,
                       "this is a file of conformance cases; expected one graph with \"inputs\", \"operators\" "
                       "and \"outputs\"");
    }
    if (const JsonValue* weights = json_.Find("weights")) {
      ASSIGN_OR_RETURN(weights_, TextOf(*weights, "\"weights\"", name_));
      RETURN_IF_ERROR(CheckWeightsFile(weights_, absl::StrCat(name_, ": weights")));
    }
    return absl::OkStatus();
  }

  absl::Status ReadInputs() {
    ASSIGN_OR_RETURN(const JsonValue::Object* const inputs, ObjectMember(json_, "inputs", name_));
    for (const auto& [name, json] : *inputs) {
      RETURN_IF_ERROR(CheckResources(resources_));
      const std::string where = absl::StrCat(name_, ": inputs: '", name, "'");
      ASSIGN_OR_RETURN(MLOperand operand, ReadInput(name, json, where));
      names_.operands.emplace(name, std::move(operand));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<MLOperand> ReadInput(const std::string& name, const JsonValue& json, const std::string& where) {
    ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, ReadDescriptor(json, where));
    const JsonValue* const constant = json.Find("constant");
    if (constant != nullptr && constant->AsBool().value_or(false)) {
      ASSIGN_OR_RETURN(Literal value, ReadConstant(name, descriptor, json, where));
      return Placed(where, builder_.constant(std::move(value)));
    }
    if (json.Find("data") != nullptr || json.Find("fill") != nullptr) {
      RETURN_IF_ERROR(CountBytes(descriptor, where));
      ASSIGN_OR_RETURN(Literal value, ReadConstantElements(descriptor, json, where, builder_.edition()));
      graph_.input_values.emplace_back(name, std::move(value));
    }
    return Placed(where, builder_.input(name, descriptor));
  }

  absl::StatusOr<Literal> ReadConstant(const std::string& name, const MLOperandDescriptor& descriptor,
                                       const JsonValue& json, const std::string& where) {
    RETURN_IF_ERROR(CountBytes(descriptor, where));
    absl::StatusOr<Literal> value;
    if (json.Find("data") != nullptr || json.Find("fill") != nullptr) {
      value = ReadConstantElements(descriptor, json, where, builder_.edition());
    } else {
      std::string file = weights_, array = name;
      if (const JsonValue* member = json.Find("file")) {
        ASSIGN_OR_RETURN(file, TextOf(*member, "\"file\"", where));
      }
      if (const JsonValue* member = json.Find("name")) {
        ASSIGN_OR_RETURN(array, TextOf(*member, "\"name\"", where));
      }
      if (file.empty()) {
        return Malformed(where,
                         "expected the elements of a constant: \"data\", \"fill\", or a \"file\" beside this "
                         "one (or \"weights\" for all)");
      }
      value = files_.Read(file, array, HloShapeOf(descriptor), where);
    }
    return value;
  }

  // A few characters can fill any amount of memory.
  absl::Status CountBytes(const MLOperandDescriptor& descriptor, absl::string_view where) {
    RETURN_IF_ERROR(AtPlace(where, CheckDimensions(descriptor, builder_.edition())));
    bytes_ += HloShapeOf(descriptor).ByteSize();
    if (bytes_ <= max_array_bytes_) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(where, ": the arrays of this file take more than ",
                                                     max_array_bytes_, " bytes together", end_of_error_));
  }

  absl::Status ReadOperators() {
    ASSIGN_OR_RETURN(const JsonValue::Array* const operators, ArrayMember(json_, "operators", name_));
    for (size_t i = 0; i < operators->size(); ++i) {
      RETURN_IF_ERROR(CheckResources(resources_));
      const JsonValue& json = (*operators)[i];
      const std::string where = absl::StrCat(name_, ": operators[", i, "]");
      ASSIGN_OR_RETURN(const std::vector<MLOperand> results, CallOperator(json, names_, builder_, where));
      ASSIGN_OR_RETURN(const JsonValue::Array* const outputs, ArrayMember(json, "outputs", where));
      if (outputs->size() > results.size()) {
        return Malformed(where, absl::StrCat("names ", outputs->size(), " outputs, the operator has ", results.size()));
      }
      for (size_t k = 0; k < outputs->size(); ++k) {
        ASSIGN_OR_RETURN(std::string output, TextOf((*outputs)[k], "the name of an output", where));
        if (names_.operands.emplace(std::move(output), results[k]).second) continue;
        return Malformed(where, absl::StrCat("there is an operand '", *(*outputs)[k].AsString(), "' before this"));
      }
    }
    return absl::OkStatus();
  }

  // A list of operands; or a record of names and operands; or, in a conformance case, what it expects of operands.
  absl::Status ReadOutputs() {
    const JsonValue* const outputs = json_.Find("outputs");
    const std::string where = absl::StrCat(name_, ": outputs");
    if (outputs != nullptr && outputs->AsArray() != nullptr) {
      for (const JsonValue& name : *outputs->AsArray()) RETURN_IF_ERROR(AddOutput(name, name, where));
      return absl::OkStatus();
    }
    if (outputs != nullptr && outputs->AsObject() != nullptr) {
      for (const auto& [name, json] : *outputs->AsObject()) {
        RETURN_IF_ERROR(AddOutput(JsonValue(name), json, where));
      }
      return absl::OkStatus();
    }
    const JsonValue* const expected = json_.Find("expected");
    if (outputs != nullptr || expected == nullptr || expected->AsObject() == nullptr) {
      return Malformed(name_, "expected \"outputs\": [NAME, ...] or {NAME: OPERAND, ...}");
    }
    for (const auto& member : *expected->AsObject()) {
      RETURN_IF_ERROR(AddOutput(JsonValue(member.first), JsonValue(member.first), where));
    }
    return absl::OkStatus();
  }

  absl::Status AddOutput(const JsonValue& name, const JsonValue& operand_name, absl::string_view where) {
    ASSIGN_OR_RETURN(MLOperand operand, FindName(names_.operands, operand_name, "operand", where));
    ASSIGN_OR_RETURN(std::string output, TextOf(name, "the name of an output", where));
    graph_.outputs.emplace_back(std::move(output), std::move(operand));
    return absl::OkStatus();
  }

  static absl::StatusOr<MLOperand> Placed(absl::string_view where, absl::StatusOr<MLOperand> operand) {
    if (!operand.ok()) return AtPlace(where, operand.status());
    return operand;
  }

  const JsonValue& json_;
  const std::string name_;
  MLGraphBuilder& builder_;
  const ResourceContext* const resources_;
  int64_t max_array_bytes_;
  std::string end_of_error_;  // if that is the limit of the resources
  WeightFiles files_;
  std::string weights_;
  int64_t bytes_ = 0;
  JsonNames names_;
  JsonGraph graph_;
};

}  // namespace

bool LooksLikeGraphJson(absl::string_view contents) {
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(contents), "{");
}

absl::StatusOr<JsonGraph> ReadGraphJson(const JsonValue& json, const std::string& name, MLGraphBuilder& builder,
                                        int64_t max_array_bytes, const ResourceContext* resources) {
  return GraphReader(json, name, builder, max_array_bytes, resources).Read();
}

absl::StatusOr<MLEdition> EditionOfJson(const JsonValue& json, absl::string_view where) {
  const JsonValue* const spec = json.Find("spec");
  if (spec == nullptr) return MLEdition::kDraft;
  if (spec->AsString() != nullptr && *spec->AsString() == "draft") return MLEdition::kDraft;
  if (spec->AsString() != nullptr && *spec->AsString() == "later") return MLEdition::kLater;
  return Malformed(where, "expected \"spec\" to be \"draft\" or \"later\"");
}

absl::StatusOr<MLOperandDescriptor> ReadDescriptor(const JsonValue& json, absl::string_view where) {
  const JsonValue* const type = json.Find("dtype");
  const JsonValue* const shape = json.Find("shape");
  if (type == nullptr || shape == nullptr) {
    return Malformed(where, "expected a descriptor like {\"dtype\": \"float32\", \"shape\": [2, 3]}");
  }
  MLOperandDescriptor descriptor;
  absl::StatusOr<MLOperandDataType> data_type = ToEnum<MLOperandDataType>(ToMLValue(*type), "dataType");
  if (!data_type.ok()) return AtPlace(where, data_type.status());
  absl::StatusOr<UnsignedList> dimensions = ToUnsignedList(ToMLValue(*shape), "shape");
  if (!dimensions.ok()) return AtPlace(where, dimensions.status());
  descriptor.dataType = *data_type;
  descriptor.dimensions = *std::move(dimensions);
  return descriptor;
}

absl::StatusOr<Literal> ReadConstantElements(const MLOperandDescriptor& descriptor, const JsonValue& json,
                                             absl::string_view where, MLEdition edition) {
  RETURN_IF_ERROR(AtPlace(where, CheckDimensions(descriptor, edition)));
  return ReadJsonElements(json, HloShapeOf(descriptor), where);
}

// ParseJson has limited how deep this goes.
MLValue ToMLValue(const JsonValue& json) {
  if (const auto boolean = json.AsBool()) return MLValue(*boolean);
  if (const std::string* text = json.AsString()) return MLValue(*text);
  if (const auto integer = json.AsInt64()) return MLValue(*integer);
  if (const auto natural = json.AsUint64()) return MLValue(*natural);
  if (const auto real = json.AsDouble()) return MLValue(*real);
  if (const JsonValue::Array* list = json.AsArray()) {
    MLValueList values;
    values.reserve(list->size());
    for (const JsonValue& element : *list) values.push_back(ToMLValue(element));
    return values;
  }
  return MLValue();
}

absl::StatusOr<Named<MLValue>> ReadArguments(const JsonValue* json, const JsonNames& names, MLGraphBuilder& builder,
                                             absl::string_view where) {
  Named<MLValue> arguments;
  if (json == nullptr) return arguments;
  if (json->AsObject() == nullptr) {
    return Malformed(where, absl::StrCat("expected a record of arguments, got ", json->KindName()));
  }
  for (const auto& [name, argument] : *json->AsObject()) {
    ASSIGN_OR_RETURN(MLValue value, ReadArgument(argument, names, builder, absl::StrCat(where, ": ", name)));
    arguments.emplace_back(name, std::move(value));
  }
  return arguments;
}

absl::StatusOr<std::vector<MLOperand>> CallOperator(const JsonValue& json, const JsonNames& names,
                                                    MLGraphBuilder& builder, absl::string_view where) {
  const JsonValue* const name = json.Find("op");
  if (name == nullptr) return Malformed(where, "expected an operator like {\"op\": \"relu\", \"args\": {...}}");
  ASSIGN_OR_RETURN(const std::string op, TextOf(*name, "the name of an operator", where));
  ASSIGN_OR_RETURN(const Named<MLValue> arguments, ReadArguments(json.Find("args"), names, builder, where));
  ASSIGN_OR_RETURN(const Named<MLValue> options, ReadArguments(json.Find("options"), names, builder, where));
  absl::StatusOr<std::vector<MLOperand>> results = builder.call(op, arguments, options);
  if (!results.ok()) return AtPlace(where, results.status());
  return results;
}

absl::Status AtPlace(absl::string_view where, const absl::Status& status) {
  if (status.ok() || where.empty()) return status;
  absl::Status placed(status.code(), absl::StrCat(where, ": ", status.message()));
  status.ForEachPayload(
      [&placed](absl::string_view type, const absl::Cord& payload) { placed.SetPayload(type, payload); });
  return placed;
}

}  // namespace webnn
}  // namespace xla
