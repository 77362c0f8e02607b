// ML and MLContext for JavaScript. Each function is one of the addon's (functions.h); the comment above it lists its
// arguments. Values are converted by the rules of WebIDL (builders/webnn), and errors become exceptions in Entry.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/registry.h"
#include "bindings/node/environment.h"
#include "bindings/node/functions.h"
#include "bindings/node/handles.h"
#include "bindings/node/js_values.h"
#include "builders/webnn/context.h"
#include "builders/webnn/idl_conversions.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {
namespace {

using webnn::ArrayBufferView;
using webnn::MLContext;
using webnn::MLContextOptions;
using webnn::MLDeviceType;
using webnn::MLEdition;
using webnn::MLGraph;
using webnn::MLTensorLimits;
using webnn::MLValue;

absl::StatusOr<MLEdition> ToEdition(const MLValue& value) {
  static constexpr absl::string_view kNames[] = {"draft", "later"};
  static const webnn::EnumNames names = {"MLEdition", kNames};
  ASSIGN_OR_RETURN(const int index, webnn::ToEnumIndex(value, names, "edition"));
  return static_cast<MLEdition>(index);
}

// Members as WebNN names them, and those that only Halo has: edition, backend, device, threads. Undefined members keep
// their defaults.
absl::StatusOr<MLContextOptions> ToContextOptions(const webnn::Named<MLValue>& members) {
  MLContextOptions options;
  for (const auto& [name, value] : members) {
    if (value.IsUndefined()) continue;
    if (name == "deviceType") {
      ASSIGN_OR_RETURN(options.deviceType, webnn::ToEnum<MLDeviceType>(value, name));
    } else if (name == "powerPreference") {
      ASSIGN_OR_RETURN(options.powerPreference, webnn::ToEnum<webnn::MLPowerPreference>(value, name));
    } else if (name == "accelerated") {
      options.accelerated = webnn::ToBoolean(value);
    } else if (name == "edition") {
      ASSIGN_OR_RETURN(options.edition, ToEdition(value));
    } else if (name == "backend") {
      const auto* text = value.As<std::string>();
      options.backend = text == nullptr ? "" : *text;
    } else if (name == "device") {
      const auto* text = value.As<std::string>();
      if (text != nullptr) options.client_options.settings["device"] = *text;
    } else if (name == "threads") {
      ASSIGN_OR_RETURN(const uint32_t threads, webnn::ToEnforcedUnsignedLong(value, name));
      options.client_options.threads = static_cast<int>(std::min(threads, 1024u));
    }
  }
  return options;
}

// (names, values of MLContextOptions, and edition, backend, device, threads): a context.
absl::StatusOr<napi_value> CreateContext(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto members, ToNamedValues(env, arguments[0], arguments[1]));
  ASSIGN_OR_RETURN(MLContextOptions options, ToContextOptions(members));
  const webnn::ML ml;
  absl::StatusOr<std::shared_ptr<MLContext>> context = ml.createContext(options);
  const bool names_device = !options.client_options.settings.empty();
  if (!context.ok() && !names_device && options.edition == MLEdition::kLater &&
      options.deviceType != MLDeviceType::kCpu) {
    // The draft's deviceType is not a member any more, and those who still give it are not to fail.
    options.deviceType = MLDeviceType::kCpu;
    context = ml.createContext(options);
  }
  if (!context.ok()) return context.status();
  return NewHandle(env, *std::move(context));
}

// (edition, backend): a context as from a GPUDevice.
absl::StatusOr<napi_value> CreateWebgpuContext(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const MLValue edition_value, ToMLValue(env, arguments[0]));
  ASSIGN_OR_RETURN(const MLEdition edition, ToEdition(edition_value));
  ASSIGN_OR_RETURN(const std::string backend, ToStdString(env, arguments[1]));
  absl::StatusOr<std::shared_ptr<Client>> client = GetClient(backend);
  if (!client.ok()) {
    return webnn::MakeError(webnn::MLErrorKind::kNotSupportedError, "device not supported", client.status().message());
  }
  ASSIGN_OR_RETURN(auto context, webnn::ML().createContext(webnn::GPUDevice{*std::move(client)}, edition));
  return NewHandle(env, std::move(context));
}

// (context): what does not change about it.
absl::StatusOr<napi_value> ContextInfo(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  return JsObject(env)
      .Set("later", NewBool(env, context->edition() == MLEdition::kLater))
      .Set("accelerated", NewBool(env, context->accelerated()))
      .Finish();
}

// (context): a promise of why it was lost.
absl::StatusOr<napi_value> Lost(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  const Future<webnn::MLContextLostInfo> lost = context->lost();
  PromiseOptions options;
  options.keeps_loop_alive = false;
  options.ignores_errors = true;  // a context that is collected was not lost
  return Environment::Of(env)->PromiseFor(
      lost.event(),
      [lost](napi_env env, napi_value) -> absl::StatusOr<napi_value> {
        ASSIGN_OR_RETURN(const webnn::MLContextLostInfo info, lost.Await());
        return JsObject(env).Set("message", NewString(env, info.message)).Finish();
      },
      options);
}

absl::StatusOr<napi_value> DestroyContext(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  context->destroy();
  return Undefined(env);
}

absl::StatusOr<napi_value> FromLimits(napi_env env, const MLTensorLimits& limits) {
  std::vector<absl::string_view> types;
  for (webnn::MLOperandDataType type : limits.dataTypes) types.push_back(webnn::ToString(type));
  const auto range =
      JsObject(env).Set("min", NewNumber(env, limits.rank_min)).Set("max", NewNumber(env, limits.rank_max)).Finish();
  return JsObject(env).Set("dataTypes", NewStrings(env, types)).Set("rankRange", range).Finish();
}

absl::StatusOr<napi_value> OpSupportLimits(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  const webnn::MLOpSupportLimits limits = context->opSupportLimits();
  JsObject object(env);
  object.Set("preferredInputLayout", NewString(env, webnn::ToString(limits.preferredInputLayout)))
      .Set("maxTensorByteLength", NewNumber(env, static_cast<double>(limits.maxTensorByteLength)))
      .Set("input", FromLimits(env, limits.input))
      .Set("constant", FromLimits(env, limits.constant))
      .Set("output", FromLimits(env, limits.output));
  for (const auto& [op, operands] : limits.operators) {
    JsObject of_operator(env);
    for (const auto& [operand, operand_limits] : operands) of_operator.Set(operand, FromLimits(env, operand_limits));
    object.Set(op, of_operator.Finish());
  }
  return object.Finish();
}

// ---- compute

absl::StatusOr<webnn::MLNamedArrayBufferViews> ToNamedViews(napi_env env, napi_value names, napi_value views) {
  return ToNamed<webnn::ArrayBufferView>(env, names, views,
                                         [](napi_env env, napi_value value) { return ToView(env, value); });
}

// Detaches the buffers of the views, which are the second elements of `described`; `buffers` gets new ones with the
// same memory, and the result has the views on those. No one else has the new buffers.
absl::StatusOr<webnn::MLNamedArrayBufferViews> Transfer(napi_env env, napi_value described,
                                                        webnn::MLNamedArrayBufferViews views,
                                                        std::vector<napi_value>& buffers) {
  ASSIGN_OR_RETURN(napi_value transfer_buffer, Environment::Of(env)->transfer_buffer());
  ASSIGN_OR_RETURN(const std::vector<napi_value> elements, ToListOfLength(env, described, views.size()));
  for (size_t i = 0; i < views.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<napi_value> parts, ToListOfLength(env, elements[i], 4));
    ASSIGN_OR_RETURN(napi_value moved, CallJs(env, transfer_buffer, {parts[1]}));
    bool is_detached = false;
    RETURN_IF_ERROR(Napi(napi_is_detached_arraybuffer(env, parts[1], &is_detached)));
    if (!is_detached) {
      return webnn::TypeError("buffer cannot be transferred",
                              absl::StrCat("the buffer of '", views[i].first, "' cannot be detached"));
    }
    ASSIGN_OR_RETURN(ArrayBufferView view, ViewOf(env, views[i].second.type, moved, views[i].second.byteOffset,
                                                  views[i].second.length_in_bytes));
    views[i].second = std::move(view);
    buffers.push_back(moved);
  }
  return views;
}

// (context, graph, input names, input views, output names, output views): a promise for the list of the buffers that
// the views have now, inputs before outputs.
absl::StatusOr<napi_value> Compute(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  ASSIGN_OR_RETURN(const auto graph, FromHandle<MLGraph>(env, arguments[1]));
  ASSIGN_OR_RETURN(auto inputs, ToNamedViews(env, arguments[2], arguments[3]));
  ASSIGN_OR_RETURN(auto outputs, ToNamedViews(env, arguments[4], arguments[5]));
  RETURN_IF_ERROR(context->CheckCompute(graph, inputs, outputs));

  std::vector<napi_value> buffers;
  ASSIGN_OR_RETURN(inputs, Transfer(env, arguments[3], std::move(inputs), buffers));
  ASSIGN_OR_RETURN(outputs, Transfer(env, arguments[5], std::move(outputs), buffers));
  PromiseOptions options;
  ASSIGN_OR_RETURN(options.kept, NewList(env, buffers));
  options.holds_environment = true;
  const Future<webnn::MLComputeResult> result = context->computeAsync(graph, inputs, outputs);
  return Environment::Of(env)->PromiseFor(
      result.event(), [result](napi_env, napi_value kept) -> absl::StatusOr<napi_value> { return kept; }, options);
}

absl::StatusOr<napi_value> DestroyGraph(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto graph, FromHandle<MLGraph>(env, arguments[0]));
  graph->destroy();
  return Undefined(env);
}

}  // namespace

std::vector<Function> ContextFunctions() {
  return {
      {"createContext", Entry<CreateContext>},     {"createWebgpuContext", Entry<CreateWebgpuContext>},
      {"contextInfo", Entry<ContextInfo>},         {"lost", Entry<Lost>},
      {"destroyContext", Entry<DestroyContext>},   {"destroyGraph", Entry<DestroyGraph>},
      {"opSupportLimits", Entry<OpSupportLimits>}, {"compute", Entry<Compute>},
  };
}

}  // namespace node_addon
}  // namespace xla
