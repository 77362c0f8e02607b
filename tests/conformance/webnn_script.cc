#include "tests/conformance/webnn_script.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/registry.h"
#include "builders/webnn/context.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/idl_conversions.h"
#include "builders/webnn/read_graph_json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using webnn::ArrayBufferView;
using webnn::MLContext;
using webnn::MLEdition;
using webnn::MLGraph;
using webnn::MLGraphBuilder;
using webnn::MLNamedArrayBufferViews;
using webnn::MLOperand;
using webnn::MLOperandDescriptor;

// What a number in a script is at most: arrays in it are small.
constexpr int64_t kMaxLength = 1 << 20;

absl::Status Malformed(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::StatusOr<std::string> Text(const JsonValue& json, absl::string_view key) {
  const JsonValue* const member = json.Find(key);
  if (member != nullptr && member->AsString() != nullptr) return *member->AsString();
  return Malformed(absl::StrCat("expected a string \"", key, "\""));
}

// {"dtype", "length"}: that many zeros.
absl::StatusOr<ArrayBufferView> ReadBuffer(const JsonValue& json) {
  ASSIGN_OR_RETURN(const std::string dtype, Text(json, "dtype"));
  const auto type = webnn::ParseEnum<webnn::MLOperandDataType>(dtype);
  const JsonValue* const length = json.Find("length");
  const absl::optional<int64_t> count = length == nullptr ? absl::nullopt : length->AsInt64();
  if (!type.has_value() || !count.has_value() || *count < 0 || *count > kMaxLength) {
    return Malformed("expected a buffer like {\"dtype\": \"float32\", \"length\": 4}");
  }
  ArrayBufferView view;
  view.type = webnn::ViewTypeOf(*type);
  view.length_in_bytes = (*count * webnn::BitsOf(*type) + 7) / 8;
  ASSIGN_OR_RETURN(view.buffer, webnn::ArrayBuffer::Allocate(view.length_in_bytes));
  return view;
}

absl::StatusOr<MLNamedArrayBufferViews> ReadBuffers(const JsonValue* json) {
  if (json == nullptr || json->AsObject() == nullptr) return Malformed("expected a record of buffers");
  MLNamedArrayBufferViews views;
  for (const auto& [name, buffer] : *json->AsObject()) {
    ASSIGN_OR_RETURN(ArrayBufferView view, ReadBuffer(buffer));
    views.emplace_back(name, std::move(view));
  }
  return views;
}

class Script {
 public:
  Script(MLEdition edition, std::string backend, ClientOptions client_options)
      : edition_(edition), backend_(std::move(backend)), client_options_(std::move(client_options)) {}

  absl::Status Run(const JsonValue& step) {
    ASSIGN_OR_RETURN(const std::string name, Text(step, "do"));
    struct Step {
      const char* name;
      absl::Status (Script::*run)(const JsonValue& step);
    };
    constexpr Step kSteps[] = {
        {"newContext", &Script::NewContext},
        {"newBuilder", &Script::NewBuilder},
        {"input", &Script::Input},
        {"constant", &Script::Constant},
        {"constantScalar", &Script::ConstantScalar},
        {"op", &Script::Operator},
        {"activation", &Script::Activation},
        {"build", &Script::Build},
        {"compute", &Script::Compute},
    };
    for (const Step& known : kSteps) {
      if (name == known.name) return (this->*known.run)(step);
    }
    return Malformed(absl::StrCat("there is no step '", name, "'"));
  }

 private:
  absl::StatusOr<std::shared_ptr<MLContext>> MakeContext(const std::string& kind) const {
    if (kind == "webgpu") {
      webnn::GPUDevice device;
      ASSIGN_OR_RETURN(device.client, GetClient(backend_, client_options_));
      return webnn::ML().createContext(device, edition_);
    }
    webnn::MLContextOptions options;
    options.edition = edition_;
    options.backend = backend_;
    options.client_options = client_options_;
    return webnn::ML().createContext(options);
  }

  // The context that the step names, or the one made last, or one that is made now.
  absl::StatusOr<std::shared_ptr<MLContext>> ContextOf(const JsonValue& step) {
    const JsonValue* const name = step.Find("context");
    if (name != nullptr && name->AsString() != nullptr && contexts_.count(*name->AsString()) > 0) {
      return contexts_.at(*name->AsString());
    }
    if (context_ == nullptr) {
      ASSIGN_OR_RETURN(context_, MakeContext("default"));
    }
    return context_;
  }

  absl::Status NewContext(const JsonValue& step) {
    const JsonValue* const kind = step.Find("kind");
    const std::string text = kind != nullptr && kind->AsString() != nullptr ? *kind->AsString() : "default";
    ASSIGN_OR_RETURN(context_, MakeContext(text));
    const JsonValue* const name = step.Find("as");
    if (name != nullptr && name->AsString() != nullptr) contexts_[*name->AsString()] = context_;
    return absl::OkStatus();
  }

  absl::Status NewBuilder(const JsonValue& step) {
    ASSIGN_OR_RETURN(const std::string name, Text(step, "as"));
    ASSIGN_OR_RETURN(std::shared_ptr<MLContext> context, ContextOf(step));
    builders_[name] = std::make_unique<MLGraphBuilder>(std::move(context));
    return absl::OkStatus();
  }

  absl::StatusOr<MLGraphBuilder*> BuilderOf(const JsonValue& step) {
    ASSIGN_OR_RETURN(const std::string name, Text(step, "builder"));
    const auto it = builders_.find(name);
    if (it == builders_.end()) return Malformed(absl::StrCat("there is no builder '", name, "'"));
    return it->second.get();
  }

  absl::Status Keep(const JsonValue& step, absl::StatusOr<MLOperand> operand) {
    RETURN_IF_ERROR(operand.status());
    ASSIGN_OR_RETURN(const std::string name, Text(step, "as"));
    names_.operands[name] = *std::move(operand);
    return absl::OkStatus();
  }

  absl::Status Input(const JsonValue& step) {
    ASSIGN_OR_RETURN(MLGraphBuilder* const builder, BuilderOf(step));
    ASSIGN_OR_RETURN(const std::string name, Text(step, "name"));
    ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, webnn::ReadDescriptor(step, ""));
    return Keep(step, builder->input(name, descriptor));
  }

  absl::Status Constant(const JsonValue& step) {
    ASSIGN_OR_RETURN(MLGraphBuilder* const builder, BuilderOf(step));
    ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, webnn::ReadDescriptor(step, ""));
    const JsonValue* const buffer = step.Find("buffer");
    if (buffer == nullptr) return Malformed("expected a \"buffer\"");
    ASSIGN_OR_RETURN(const ArrayBufferView view, ReadBuffer(*buffer));
    return Keep(step, builder->constant(descriptor, view));
  }

  absl::Status ConstantScalar(const JsonValue& step) {
    ASSIGN_OR_RETURN(MLGraphBuilder* const builder, BuilderOf(step));
    ASSIGN_OR_RETURN(const std::string dtype, Text(step, "dtype"));
    ASSIGN_OR_RETURN(const auto type, webnn::ToEnum<webnn::MLOperandDataType>(webnn::MLValue(dtype), "dataType"));
    const JsonValue* const json = step.Find("value");
    if (json == nullptr) return Malformed("expected a \"value\"");
    ASSIGN_OR_RETURN(const webnn::MLNumber value, webnn::ToMLNumber(webnn::ToMLValue(*json), "value", edition_));
    return Keep(step, builder->constant(type, value));
  }

  absl::Status Activation(const JsonValue& step) {
    ASSIGN_OR_RETURN(MLGraphBuilder* const builder, BuilderOf(step));
    ASSIGN_OR_RETURN(const std::string function, Text(step, "name"));
    ASSIGN_OR_RETURN(const std::string name, Text(step, "as"));
    ASSIGN_OR_RETURN(const webnn::Named<webnn::MLValue> options,
                     webnn::ReadArguments(step.Find("options"), names_, *builder, ""));
    ASSIGN_OR_RETURN(names_.activations[name], builder->activation(function, options));
    return absl::OkStatus();
  }

  absl::Status Operator(const JsonValue& step) {
    ASSIGN_OR_RETURN(MLGraphBuilder* const builder, BuilderOf(step));
    ASSIGN_OR_RETURN(const std::vector<MLOperand> results, webnn::CallOperator(step, names_, *builder, ""));
    const JsonValue* const as = step.Find("as");
    if (as == nullptr || as->AsArray() == nullptr || as->AsArray()->size() > results.size()) {
      return Malformed(absl::StrCat("expected names for at most ", results.size(), " results as \"as\""));
    }
    for (size_t i = 0; i < as->AsArray()->size(); ++i) {
      const std::string* const name = (*as->AsArray())[i].AsString();
      if (name == nullptr) return Malformed("expected strings in \"as\"");
      names_.operands[*name] = results[i];
    }
    return absl::OkStatus();
  }

  absl::Status Build(const JsonValue& step) {
    ASSIGN_OR_RETURN(MLGraphBuilder* const builder, BuilderOf(step));
    ASSIGN_OR_RETURN(const std::string as, Text(step, "as"));
    const JsonValue* const json = step.Find("outputs");
    if (json == nullptr || json->AsObject() == nullptr) return Malformed("expected a record \"outputs\"");
    webnn::MLNamedOperands outputs;
    for (const auto& [name, operand] : *json->AsObject()) {
      const auto it = operand.AsString() == nullptr ? names_.operands.end() : names_.operands.find(*operand.AsString());
      if (it == names_.operands.end())
        return Malformed(absl::StrCat("outputs: '", name, "': there is no such operand"));
      outputs.emplace_back(name, it->second);
    }
    ASSIGN_OR_RETURN(graphs_[as], builder->build(outputs));
    return absl::OkStatus();
  }

  absl::Status Compute(const JsonValue& step) {
    ASSIGN_OR_RETURN(const std::string name, Text(step, "graph"));
    if (graphs_.count(name) == 0) return Malformed(absl::StrCat("there is no graph '", name, "'"));
    const std::shared_ptr<MLGraph>& graph = graphs_.at(name);
    std::shared_ptr<MLContext> context = graph->context();
    const JsonValue* const other = step.Find("otherContext");
    if (other != nullptr && other->AsBool().value_or(false)) {
      ASSIGN_OR_RETURN(context, MakeContext("default"));
    }
    ASSIGN_OR_RETURN(const MLNamedArrayBufferViews inputs, ReadBuffers(step.Find("inputs")));
    ASSIGN_OR_RETURN(const MLNamedArrayBufferViews outputs, ReadBuffers(step.Find("outputs")));
    ASSIGN_OR_RETURN(const webnn::MLComputeResult result, context->compute(graph, inputs, outputs));
    if (result.outputs.size() == outputs.size()) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("compute gave ", result.outputs.size(), " outputs, was asked for ", outputs.size()));
  }

  const MLEdition edition_;
  const std::string backend_;
  const ClientOptions client_options_;
  std::shared_ptr<MLContext> context_;
  std::map<std::string, std::shared_ptr<MLContext>> contexts_;
  std::map<std::string, std::unique_ptr<MLGraphBuilder>> builders_;
  std::map<std::string, std::shared_ptr<MLGraph>> graphs_;
  webnn::JsonNames names_;
};

}  // namespace

absl::Status CheckThrown(const JsonValue& json, const absl::Status& status) {
  ASSIGN_OR_RETURN(const std::string want, Text(json, "throws"));
  if (status.ok()) return absl::DataLossError(absl::StrCat("accepted, but it must be refused with ", want));
  const absl::string_view got = webnn::ErrorKindName(webnn::ErrorKindOf(status));
  if (got != want) return absl::DataLossError(absl::StrCat("expected ", want, ", got ", got, ": ", status.message()));
  if (!webnn::RuleOf(status).empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the error names no rule: ", status.message()));
}

absl::Status RunWebnnScript(const JsonValue& json, const std::string& backend, const BackendSettings& client_settings) {
  ASSIGN_OR_RETURN(const MLEdition edition, webnn::EditionOfJson(json, "spec"));
  const JsonValue* const steps = json.Find("steps");
  if (steps == nullptr || steps->AsArray() == nullptr) return Malformed("expected an array \"steps\"");
  const JsonValue* const at_step = json.Find("at_step");
  const int64_t failing = at_step == nullptr ? -1 : at_step->AsInt64().value_or(-1);
  ClientOptions client_options;
  client_options.settings = client_settings;
  Script script(edition, backend, client_options);
  for (size_t i = 0; i < steps->AsArray()->size(); ++i) {
    const absl::Status status = script.Run((*steps->AsArray())[i]);
    const std::string where = absl::StrCat("step ", i);
    if (json.Find("throws") != nullptr && static_cast<int64_t>(i) == failing) {
      return webnn::AtPlace(where, CheckThrown(json, status));
    }
    RETURN_IF_ERROR(webnn::AtPlace(where, status));
  }
  if (json.Find("throws") == nullptr) return absl::OkStatus();
  return Malformed("expected \"at_step\" to be one of the steps");
}

}  // namespace xla
