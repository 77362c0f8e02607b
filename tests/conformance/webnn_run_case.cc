#include "tests/conformance/webnn_run_case.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/packed_elements.h"
#include "builders/webnn/read_graph_json.h"
#include "builders/webnn/write_graph_json.h"
#include "tests/conformance/exact_results.h"
#include "tests/conformance/webnn_metric.h"
#include "tests/conformance/webnn_script.h"
#include "tools/shared/check_results.h"
#include "tools/shared/run_module.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

using webnn::ArrayBuffer;
using webnn::ArrayBufferView;
using webnn::GraphDefinition;
using webnn::JsonGraph;
using webnn::MLContext;
using webnn::MLEdition;
using webnn::MLGraph;
using webnn::MLGraphBuilder;
using webnn::MLOperand;
using webnn::MLOperandDescriptor;
using webnn::Named;

constexpr int64_t kMostWrittenElements = 1 << 20;

absl::Status Wrong(absl::string_view what) { return absl::DataLossError(what); }

// Contexts are made once in a process.
absl::StatusOr<std::shared_ptr<MLContext>> ContextFor(const WebnnRun& run, MLEdition edition) {
  static auto* const contexts = new std::map<MLEdition, std::shared_ptr<MLContext>>;
  std::shared_ptr<MLContext>& context = (*contexts)[edition];
  if (context != nullptr) return context;
  webnn::MLContextOptions options;
  options.edition = edition;
  options.backend = run.backend;
  options.client_options.threads = run.variants[0].threads;
  options.client_options.settings = run.variants[0].client_settings;
  ASSIGN_OR_RETURN(context, webnn::ML().createContext(options));
  return context;
}

// ---- Numeric cases

absl::StatusOr<ArrayBufferView> ViewOf(const MLOperandDescriptor& descriptor, const Literal& value) {
  ASSIGN_OR_RETURN(ArrayBufferView view, ArrayBufferView::For(descriptor));
  webnn::WriteElements(value, descriptor, view.data());
  return view;
}

absl::StatusOr<Named<Literal>> RunWithCompute(const std::shared_ptr<MLGraph>& graph, const Named<Literal>& values) {
  webnn::MLNamedArrayBufferViews inputs, outputs;
  for (const auto& [name, value] : values) {
    const int position = graph->inputDescriptors().IndexOf(name);
    if (position < 0) continue;
    ASSIGN_OR_RETURN(ArrayBufferView view, ViewOf(graph->inputDescriptors().descriptor(position), value));
    inputs.emplace_back(name, std::move(view));
  }
  for (const auto& [name, descriptor] : graph->outputDescriptors().all()) {
    ASSIGN_OR_RETURN(ArrayBufferView view, ArrayBufferView::For(descriptor));
    outputs.emplace_back(name, std::move(view));
  }
  ASSIGN_OR_RETURN(const webnn::MLComputeResult result, graph->context()->compute(graph, inputs, outputs));
  Named<Literal> results;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    ASSIGN_OR_RETURN(Literal value, webnn::CopyElements(graph->outputDescriptors().descriptor(static_cast<int>(i)),
                                                        result.outputs[i].second.data()));
    results.emplace_back(result.outputs[i].first, std::move(value));
  }
  return results;
}

absl::StatusOr<Named<Literal>> RunWithTensors(const std::shared_ptr<MLGraph>& graph, const Named<Literal>& values) {
  MLContext& context = *graph->context();
  webnn::MLNamedTensors inputs, outputs;
  for (const auto& [name, value] : values) {
    const int position = graph->inputDescriptors().IndexOf(name);
    if (position < 0) continue;
    const MLOperandDescriptor& descriptor = graph->inputDescriptors().descriptor(position);
    ASSIGN_OR_RETURN(std::shared_ptr<webnn::MLTensor> tensor,
                     context.createTensor(webnn::MLTensorDescriptor(descriptor, false, /*is_writable=*/true)));
    ASSIGN_OR_RETURN(const ArrayBufferView view, ViewOf(descriptor, value));
    RETURN_IF_ERROR(context.writeTensor(tensor, view));
    inputs.emplace_back(name, std::move(tensor));
  }
  for (const auto& [name, descriptor] : graph->outputDescriptors().all()) {
    ASSIGN_OR_RETURN(std::shared_ptr<webnn::MLTensor> tensor,
                     context.createTensor(webnn::MLTensorDescriptor(descriptor, /*is_readable=*/true)));
    outputs.emplace_back(name, std::move(tensor));
  }
  RETURN_IF_ERROR(context.dispatch(graph, inputs, outputs));
  Named<Literal> results;
  for (const auto& [name, tensor] : outputs) {
    ASSIGN_OR_RETURN(const ArrayBuffer buffer, context.readTensor(tensor));
    ASSIGN_OR_RETURN(Literal value, webnn::CopyElements(tensor->descriptor(), buffer.data()));
    results.emplace_back(name, std::move(value));
  }
  return results;
}

// What is written must read back as a graph that is written the same.
absl::Status CheckRoundTrip(const GraphDefinition& graph) {
  for (const webnn::OperandNode* constant : graph.constants) {
    // Text of this many numbers takes minutes.
    if (constant->value.element_count() > kMostWrittenElements) return absl::OkStatus();
  }
  const std::string text = webnn::WriteWebnn(graph);
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text, "written graph"));
  MLGraphBuilder builder(MLContext::WithoutDevice(graph.nodes->edition()));
  ASSIGN_OR_RETURN(const JsonGraph again, webnn::ReadGraphJson(json, "written graph", builder));
  ASSIGN_OR_RETURN(const GraphDefinition definition, builder.Define(again.outputs));
  if (webnn::WriteWebnn(definition) == text) return absl::OkStatus();
  return Wrong(absl::StrCat("the graph as JSON comes back as another one: ", text));
}

// The results of the graph's program, by the names of `results`, without the context, on this variant.
absl::StatusOr<Named<Literal>> RunProgram(const GraphDefinition& graph, const Named<Literal>& values,
                                          const Named<Literal>& results, const std::string& backend,
                                          const BackendVariant& variant) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, webnn::LowerToHlo(graph));
  RunSettings settings;
  settings.backend = backend;
  settings.threads = variant.threads;
  settings.optimization_level = variant.optimization_level;
  settings.compile_settings = variant.settings;
  settings.client_settings = variant.client_settings;
  ASSIGN_OR_RETURN(const std::unique_ptr<RunnableModule> runnable, RunnableModule::Create(*module, settings));
  const std::map<std::string, Literal> by_name(values.begin(), values.end());
  std::vector<Literal> arguments;
  for (const webnn::OperandNode* input : graph.inputs) arguments.push_back(by_name.at(input->name));
  ASSIGN_OR_RETURN(const std::vector<Literal> tuples, runnable->Run({std::move(arguments)}, nullptr));
  Named<Literal> named;
  for (size_t k = 0; k < results.size(); ++k) {
    named.push_back({results[k].first, tuples[0].element(static_cast<int>(k))});
  }
  return named;
}

absl::StatusOr<WebnnTolerance> ReadTolerance(const JsonValue& json) {
  const JsonValue* const tolerance = json.Find("tolerance");
  const JsonValue* const metric = tolerance == nullptr ? nullptr : tolerance->Find("metric");
  const JsonValue* const value = tolerance == nullptr ? nullptr : tolerance->Find("value");
  if (metric != nullptr && metric->AsString() != nullptr && value != nullptr && value->is_number()) {
    if (*metric->AsString() == "ULP") return WebnnTolerance{WebnnTolerance::Metric::kUlp, *value->AsDouble()};
    if (*metric->AsString() == "ATOL") return WebnnTolerance{WebnnTolerance::Metric::kAtol, *value->AsDouble()};
  }
  return absl::InvalidArgumentError("expected \"tolerance\": {\"metric\": \"ULP\" or \"ATOL\", \"value\": number}");
}

absl::Status CheckResults(const JsonValue& json, const Named<Literal>& results, MLEdition edition) {
  ASSIGN_OR_RETURN(const WebnnTolerance tolerance, ReadTolerance(json));
  for (const auto& [name, got] : results) {
    const JsonValue& expected = *json.Find("expected")->Find(name);
    const std::string where = absl::StrCat("expected: '", name, "'");
    ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, webnn::ReadDescriptor(expected, where));
    ASSIGN_OR_RETURN(const Literal want, webnn::ReadConstantElements(descriptor, expected, where, edition));
    RETURN_IF_ERROR(CheckWebnnResult(name, got, want, tolerance));
  }
  return absl::OkStatus();
}

// The context compiles without settings.
absl::Status CheckExactOutputs(const GraphDefinition& graph, const Named<Literal>& values,
                               const Named<Literal>& results, const WebnnRun& run) {
  if (run.backend == "interpreter") return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, webnn::LowerToHlo(graph));
  ASSIGN_OR_RETURN(const std::vector<bool> exact, ExactArrays(*module, /*resources=*/nullptr));
  if (!AnyIsExact(exact)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Named<Literal> of_interpreter,
                   RunProgram(graph, values, results, "interpreter", BackendVariant()));
  return CheckExactResults(exact, results, of_interpreter);
}

// The graph's context has run it on as many threads as the first variant has, at the usual level and without settings.
// With settings, which a context does not take, bits may be others, but not from variant to variant.
absl::Status CheckVariants(const JsonValue& json, MLEdition edition, const GraphDefinition& graph,
                           const Named<Literal>& values, Named<Literal> results, const WebnnRun& run) {
  BackendVariant usual;
  usual.threads = run.variants[0].threads;
  if (!run.variants[0].settings.empty()) {
    usual = run.variants[0];
    ASSIGN_OR_RETURN(results, RunProgram(graph, values, results, run.backend, usual));
    RETURN_IF_ERROR(CheckResults(json, results, edition));
  }
  for (const BackendVariant& variant : run.variants) {
    if (variant.Text() == usual.Text()) continue;
    ASSIGN_OR_RETURN(const Named<Literal> again, RunProgram(graph, values, results, run.backend, variant));
    for (size_t k = 0; k < results.size(); ++k) {
      if (again[k].second.BitwiseEquals(results[k].second)) continue;
      return Wrong(
          absl::StrCat("on ", variant.Text(), " '", results[k].first, "' has other bits than on ", usual.Text()));
    }
  }
  return absl::OkStatus();
}

absl::Status RunNumeric(const JsonValue& json, const WebnnRun& run, CompileReport* report) {
  ASSIGN_OR_RETURN(const MLEdition edition, webnn::EditionOfJson(json, "spec"));
  ASSIGN_OR_RETURN(const std::shared_ptr<MLContext> context, ContextFor(run, edition));
  MLGraphBuilder builder(context);
  ASSIGN_OR_RETURN(const JsonGraph read, webnn::ReadGraphJson(json, "case", builder));
  ASSIGN_OR_RETURN(const std::shared_ptr<MLGraph> graph, builder.build(read.outputs));
  *report = graph->executable()->report();
  RETURN_IF_ERROR(CheckRoundTrip(graph->definition()));
  ASSIGN_OR_RETURN(const Named<Literal> results, edition == MLEdition::kLater
                                                     ? RunWithTensors(graph, read.input_values)
                                                     : RunWithCompute(graph, read.input_values));
  RETURN_IF_ERROR(CheckResults(json, results, edition));
  RETURN_IF_ERROR(CheckExactOutputs(graph->definition(), read.input_values, results, run));
  return CheckVariants(json, edition, graph->definition(), read.input_values, results, run);
}

// ---- Validation cases

absl::Status CheckDescriptors(const JsonValue& json, const std::vector<MLOperand>& results) {
  const JsonValue* const outputs = json.Find("outputs");
  if (outputs == nullptr || outputs->AsArray() == nullptr) {
    return absl::InvalidArgumentError("expected \"throws\" or an array \"outputs\"");
  }
  if (outputs->AsArray()->size() != results.size()) {
    return Wrong(absl::StrCat("got ", results.size(), " results, expected ", outputs->AsArray()->size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(const MLOperandDescriptor want, webnn::ReadDescriptor((*outputs->AsArray())[i], "outputs"));
    if (results[i].descriptor() == want) continue;
    return Wrong(
        absl::StrCat("result ", i, " is ", results[i].descriptor().ToString(), ", expected ", want.ToString()));
  }
  return absl::OkStatus();
}

absl::Status RunValidation(const JsonValue& json) {
  ASSIGN_OR_RETURN(const MLEdition edition, webnn::EditionOfJson(json, "spec"));
  MLGraphBuilder builder(MLContext::WithoutDevice(edition));
  webnn::JsonNames names;
  const JsonValue* const inputs = json.Find("inputs");
  const JsonValue* const operators = json.Find("operators");
  if (inputs == nullptr || inputs->AsObject() == nullptr || operators == nullptr || operators->AsArray() == nullptr ||
      operators->AsArray()->size() != 1) {
    return absl::InvalidArgumentError("expected \"inputs\": {...} and \"operators\": [one]");
  }
  for (const auto& [name, input] : *inputs->AsObject()) {
    ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, webnn::ReadDescriptor(input, name));
    ASSIGN_OR_RETURN(names.operands[name], builder.input(name, descriptor));
  }
  const absl::StatusOr<std::vector<MLOperand>> results =
      webnn::CallOperator((*operators->AsArray())[0], names, builder, "");
  if (json.Find("throws") != nullptr) return CheckThrown(json, results.status());
  RETURN_IF_ERROR(results.status());
  return CheckDescriptors(json, *results);
}

absl::Status Run(const WebnnCase& webnn_case, const WebnnRun& run, CompileReport* report) {
  switch (webnn_case.kind) {
    case WebnnCase::Kind::kNumeric:
      return RunNumeric(*webnn_case.json, run, report);
    case WebnnCase::Kind::kValidation:
      return RunValidation(*webnn_case.json);
    case WebnnCase::Kind::kScript:
      return RunWebnnScript(*webnn_case.json, run.backend, run.variants[0].client_settings);
  }
  return absl::InternalError("no such kind of case");
}

}  // namespace

CaseResult RunWebnnCase(const WebnnCase& webnn_case, const WebnnRun& run) {
  CaseResult result;
  const absl::Status status = Run(webnn_case, run, &result.compile_report);
  if (status.ok()) return result;
  result.verdict = Verdict::kFailed;
  result.message = std::string(status.message());
  return result;
}

}  // namespace xla
