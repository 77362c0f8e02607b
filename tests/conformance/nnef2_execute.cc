#include "tests/conformance/nnef2_execute.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/model/session.h"
#include "passes/pass_runner.h"
#include "tests/conformance/exact_results.h"
#include "tests/conformance/nnef_session.h"
#include "tools/shared/check_results.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/dynamic_sizes.h"

namespace xla {
namespace {

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the case is malformed: ", what));
}

// Numbers, true and false, or "inf", "-inf" and "nan".
absl::StatusOr<double> ItemOf(const JsonValue& json) {
  if (json.AsBool().has_value()) return *json.AsBool() ? 1 : 0;
  if (json.AsDouble().has_value()) return *json.AsDouble();
  const std::string* const text = json.AsString();
  if (text != nullptr && *text == "inf") return std::numeric_limits<double>::infinity();
  if (text != nullptr && *text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text != nullptr && *text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return Malformed("an item is not a number");
}

absl::StatusOr<PrimitiveType> TypeOf(const std::string& dtype) {
  if (dtype == "real") return F32;
  if (dtype == "int") return S32;
  if (dtype == "bool") return PRED;
  return Malformed(absl::StrCat("\"dtype\" is '", dtype, "'"));
}

absl::StatusOr<Literal> ReadTensor(const JsonValue& json) {
  const JsonValue* const shape = json.Find("shape");
  const JsonValue* const data = json.Find("data");
  if (shape == nullptr || shape->AsArray() == nullptr || data == nullptr || data->AsArray() == nullptr) {
    return Malformed("a tensor has no \"shape\" or no \"data\"");
  }
  std::vector<int64_t> extents;
  for (const JsonValue& extent : *shape->AsArray()) extents.push_back(extent.AsInt64().value_or(-1));
  std::vector<double> items;
  for (const JsonValue& element : *data->AsArray()) {
    ASSIGN_OR_RETURN(const double item, ItemOf(element));
    items.push_back(item);
  }
  int64_t volume = 1;
  for (const int64_t extent : extents) volume *= extent;
  if (volume != static_cast<int64_t>(items.size())) return Malformed("a tensor has more or fewer items than its shape");
  ASSIGN_OR_RETURN(const PrimitiveType type, TypeOf(TextMember(json, "dtype")));
  ASSIGN_OR_RETURN(const Literal numbers, LiteralUtil::FromValues<double>(extents, items));
  return LiteralUtil::Convert(numbers, type);
}

// A tensor, or those of {"pack": [...]}.
absl::StatusOr<std::vector<Literal>> ReadTensors(const JsonValue& json) {
  const JsonValue* const pack = json.Find("pack");
  std::vector<Literal> tensors;
  if (pack == nullptr) {
    ASSIGN_OR_RETURN(Literal tensor, ReadTensor(json));
    tensors.push_back(std::move(tensor));
    return tensors;
  }
  if (pack->AsArray() == nullptr) return Malformed("\"pack\" is not an array");
  for (const JsonValue& item : *pack->AsArray()) {
    ASSIGN_OR_RETURN(Literal tensor, ReadTensor(item));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// Tensors of one shape, one after the other along a new first dimension: what a run takes and returns for a pack whose
// length varies. `empty`: the shape of none.
absl::StatusOr<Literal> Stacked(const std::vector<Literal>& tensors, const Shape& empty) {
  if (tensors.empty()) return Literal::Zeros(empty);
  std::vector<int64_t> extents = {static_cast<int64_t>(tensors.size())};
  const Shape& shape = tensors[0].shape();
  extents.insert(extents.end(), shape.dimensions().begin(), shape.dimensions().end());
  ASSIGN_OR_RETURN(Literal stacked, Literal::Zeros(Shape::Array(shape.element_type(), extents)));
  char* next = static_cast<char*>(stacked.untyped_mutable_data());
  for (const Literal& tensor : tensors) {
    if (!tensor.shape().Compatible(shape))
      return Malformed("the tensors of a pack whose length varies differ in shape");
    next = std::copy_n(static_cast<const char*>(tensor.untyped_data()), tensor.size_bytes(), next);
  }
  return stacked;
}

Tolerance ToleranceOf(const JsonValue& json, PrimitiveType type) {
  Tolerance tolerance;
  const JsonValue* const stated = json.Find("tolerance");
  if (stated == nullptr || type != F32) return tolerance;  // ints and bools are exact
  if (const JsonValue* const atol = stated->Find("atol")) tolerance.atol = atol->AsDouble().value_or(0);
  if (const JsonValue* const rtol = stated->Find("rtol")) tolerance.rtol = rtol->AsDouble().value_or(0);
  return tolerance;
}

absl::Status CheckArray(const std::string& name, const Literal& got, const Literal& want, const JsonValue& json) {
  if (got.shape().element_type() != want.shape().element_type()) {
    return absl::DataLossError(
        absl::StrCat(name, ": got ", got.shape().ToString(), ", expected ", want.shape().ToString()));
  }
  const Comparison comparison = CompareArrays(got, want, ToleranceOf(json, want.shape().element_type()));
  if (comparison.matches()) return absl::OkStatus();
  return absl::DataLossError(DescribeComparison(name, comparison, got, want));
}

// An output of the case against its tensors, which begin at results.outputs[*next].
absl::Status CheckOutput(const std::string& name, const nnef2::Value& output, const JsonValue& expected,
                         const JsonValue& json, const Nnef2Results& results, size_t* next) {
  ASSIGN_OR_RETURN(const std::vector<Literal> wanted, ReadTensors(expected));
  if (output.length != nullptr && *next < results.outputs.size()) {
    const Literal& got = results.outputs[(*next)++];
    ASSIGN_OR_RETURN(const Literal stacked, Stacked(wanted, got.shape()));
    if (wanted.empty() && got.shape().dimension(0) != 0)
      return absl::DataLossError(absl::StrCat(name, ": is not empty"));
    return CheckArray(name, got, stacked, json);
  }
  const size_t count = output.items.size();
  if (wanted.size() != count || *next + count > results.outputs.size()) {
    return absl::DataLossError(absl::StrCat(name, ": got ", count, " tensors, expected ", wanted.size()));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string item = output.type.is_pack ? absl::StrCat(name, ":", i + 1) : name;
    RETURN_IF_ERROR(CheckArray(item, results.outputs[*next + i], wanted[i], json));
  }
  *next += count;
  return absl::OkStatus();
}

// `outputs`: with or without names.
absl::Status CheckOutputs(const nnef2::Model& model, const JsonValue::Array& outputs, const JsonValue& json,
                          const Nnef2Results& results) {
  if (outputs.size() != model.graph.outputs.size()) {
    return absl::DataLossError(absl::StrCat("got ", model.graph.outputs.size(), " outputs, expected ", outputs.size()));
  }
  size_t next = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string name(model.graph.definition->outputs[i].name.text);
    const std::string expected_name = TextMember(outputs[i], "name");
    if (!expected_name.empty() && name != expected_name) {
      return absl::DataLossError(absl::StrCat("output ", i, " is '", name, "', expected '", expected_name, "'"));
    }
    const JsonValue* const value = outputs[i].Find("value");
    RETURN_IF_ERROR(
        CheckOutput(name, model.graph.outputs[i], value == nullptr ? outputs[i] : *value, json, results, &next));
  }
  return absl::OkStatus();
}

absl::Status CheckVariables(const JsonValue& json, const Nnef2Results& results) {
  const JsonValue* const expected = json.Find("variables_after");
  if (expected == nullptr || expected->AsArray() == nullptr) return absl::OkStatus();
  for (const JsonValue& variable : *expected->AsArray()) {
    const std::string name = TextMember(variable, "name");
    const JsonValue* const value = variable.Find("value");
    if (value == nullptr) return Malformed("a variable has no \"value\"");
    ASSIGN_OR_RETURN(const Literal want, ReadTensor(*value));
    const Literal* got = nullptr;
    for (const auto& updated : results.variables) got = updated.first == name ? &updated.second : got;
    if (got == nullptr) return absl::DataLossError(absl::StrCat("variable '", name, "' is not updated"));
    RETURN_IF_ERROR(CheckArray(name, *got, want, json));
  }
  return absl::OkStatus();
}

std::vector<NamedArray> NamedOutputs(const Nnef2Results& results) {
  std::vector<NamedArray> named;
  for (size_t i = 0; i < results.outputs.size(); ++i) {
    named.emplace_back(absl::StrCat("output ", i), results.outputs[i]);
  }
  return named;
}

absl::StatusOr<nnef2::LoweredModel> LowerFor(const Nnef2Run& run, const nnef2::Model& model) {
  nnef2::LoweringOptions options;
  options.general_form = run.general_form;
  return nnef2::LowerToHlo(model, options);
}

}  // namespace

absl::StatusOr<std::vector<Literal>> ReadNnef2Inputs(const nnef2::Model& model, const Nnef2Description& description) {
  std::vector<Literal> inputs;
  const JsonValue* const stated = description.json.Find("inputs");
  if (stated == nullptr || stated->AsArray() == nullptr) return inputs;
  for (const JsonValue& input : *stated->AsArray()) {
    const JsonValue* const value = input.Find("value");
    if (value == nullptr) return Malformed("an input has no \"value\"");
    ASSIGN_OR_RETURN(std::vector<Literal> tensors, ReadTensors(*value));
    const size_t place = static_cast<size_t>(&input - stated->AsArray()->data());
    if (place < model.graph.inputs.size() && model.graph.inputs[place].length != nullptr) {
      const nnef2::ComposedTensor& first = model.graph.tensors[model.graph.inputs[place].item().integer];
      std::vector<int64_t> empty = {0};
      for (const nnef2::Scalar& extent : first.shape) empty.push_back(extent.integer);
      ASSIGN_OR_RETURN(const PrimitiveType type, TypeOf(first.element.ToString()));
      ASSIGN_OR_RETURN(Literal stacked, Stacked(tensors, Shape::Array(type, empty)));
      inputs.push_back(std::move(stacked));
      continue;
    }
    for (Literal& tensor : tensors) inputs.push_back(std::move(tensor));
  }
  return inputs;
}

absl::StatusOr<Nnef2Results> ExecuteNnef2(const nnef2::Model& model, const std::vector<Literal>& inputs,
                                          const Nnef2Run& run, const BackendVariant& variant) {
  ASSIGN_OR_RETURN(nnef2::LoweredModel lowered, LowerFor(run, model));
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef2::Session> session,
                   NnefSession(std::move(lowered), run.backend, variant));
  Nnef2Results results;
  ASSIGN_OR_RETURN(std::vector<Literal> outputs, session->Run(inputs));
  for (const Literal& output : outputs) {
    ASSIGN_OR_RETURN(Literal cut, CutToDynamicSizes(output));
    results.outputs.push_back(std::move(cut));
  }
  for (const nnef2::LoweredModel::Variable& variable : session->model().variables) {
    if (!variable.result.has_value()) continue;
    ASSIGN_OR_RETURN(Literal value, session->VariableValue(variable.label));
    results.variables.emplace_back(variable.label, std::move(value));
  }
  return results;
}

absl::Status CheckNnef2Results(const nnef2::Model& model, const Nnef2Description& description,
                               const Nnef2Results& results) {
  const JsonValue* const outputs = description.json.Find("outputs");
  if (outputs == nullptr || outputs->AsArray() == nullptr) return Malformed("it has no \"outputs\"");
  absl::Status status = CheckOutputs(model, *outputs->AsArray(), description.json, results);
  const JsonValue* const alternatives = description.json.Find("alternative_outputs");
  if (!status.ok() && alternatives != nullptr && alternatives->AsArray() != nullptr) {
    for (const JsonValue& alternative : *alternatives->AsArray()) {
      if (alternative.AsArray() == nullptr || status.ok()) continue;
      if (CheckOutputs(model, *alternative.AsArray(), description.json, results).ok()) status = absl::OkStatus();
    }
  }
  RETURN_IF_ERROR(status);
  return CheckVariables(description.json, results);
}

absl::Status CheckSameNnef2Results(const Nnef2Results& got, const Nnef2Results& want, absl::string_view what) {
  bool is_same = got.outputs.size() == want.outputs.size() && got.variables.size() == want.variables.size();
  for (size_t i = 0; is_same && i < want.outputs.size(); ++i) {
    is_same = got.outputs[i].BitwiseEquals(want.outputs[i]);
  }
  for (size_t i = 0; is_same && i < want.variables.size(); ++i) {
    is_same = got.variables[i].second.BitwiseEquals(want.variables[i].second);
  }
  return is_same ? absl::OkStatus() : absl::DataLossError(absl::StrCat("results have other bits ", what));
}

absl::Status CheckExactNnef2Results(const nnef2::Model& model, const std::vector<Literal>& inputs,
                                    const Nnef2Results& results, const Nnef2Run& run) {
  if (run.backend == "interpreter" || !run.variants[0].settings.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const nnef2::LoweredModel lowered, LowerFor(run, model));
  ASSIGN_OR_RETURN(std::vector<bool> exact, ExactArrays(*lowered.module, /*resources=*/nullptr));
  exact.resize(lowered.output_names.size());
  if (!AnyIsExact(exact)) return absl::OkStatus();
  Nnef2Run interpreted = run;
  interpreted.backend = "interpreter";
  ASSIGN_OR_RETURN(const Nnef2Results wanted, ExecuteNnef2(model, inputs, interpreted, BackendVariant()));
  return CheckExactResults(exact, NamedOutputs(results), NamedOutputs(wanted));
}

absl::Status CheckNnef2Expands(const nnef2::Model& model, const Nnef2Run& run) {
  ASSIGN_OR_RETURN(const nnef2::LoweredModel lowered, LowerFor(run, model));
  PipelineStep step;
  step.pass = "expand-dynamic-dimensions";
  step.options["unknown"] = "fail";
  PassContext context;
  const absl::Status status = RunPasses({step}, PassRunnerOptions(), context, *lowered.module).status();
  return status.ok() ? status : absl::DataLossError(status.message());
}

}  // namespace xla
