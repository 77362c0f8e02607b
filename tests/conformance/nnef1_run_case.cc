#include "tests/conformance/nnef1_run_case.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef1/model/session.h"
#include "re2/re2.h"
#include "tests/conformance/exact_results.h"
#include "tests/conformance/nnef1_formula.h"
#include "tests/conformance/nnef_session.h"
#include "tools/nnef1/model_file.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/shared/check_results.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

using nnef1::Extents;
using TensorFile = Nnef1Case::TensorFile;
// By cycle, then in the order of the graph's lists.
using Cycles = std::vector<std::vector<Literal>>;

absl::Status Wrong(absl::string_view what) { return absl::DataLossError(what); }

absl::StatusOr<std::unique_ptr<Nnef1ModelFile>> OpenCase(const Nnef1Case& nnef1_case, bool expand_compounds) {
  nnef1::LoadOptions options;
  options.expand.expand_compounds = expand_compounds;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container, nnef1::OpenContainer(nnef1_case.model));
  ASSIGN_OR_RETURN(std::unique_ptr<Nnef1ModelFile> file, Nnef1ModelFile::Open(std::move(container), options));
  if (!nnef1_case.has_formula_weights) return file;
  const nnef1::Graph graph = file->graph();
  return Nnef1ModelFile::Open(WithFormulaWeights(file->TakeContainer(), graph), options);
}

absl::StatusOr<Cycles> ReadInputs(const Nnef1Case& nnef1_case, const Nnef1ModelFile& file) {
  Cycles cycles;
  for (const std::vector<TensorFile>& tensors : nnef1_case.inputs) {
    if (tensors.size() != file.inputs().size()) {
      return Wrong(absl::StrCat("the case feeds ", tensors.size(), " tensors, the model takes ", file.inputs().size()));
    }
    std::vector<Literal> values;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const FedInput& input = file.inputs()[i];
      if (input.name != tensors[i].name) {
        return Wrong(absl::StrCat("input ", i, " is '", input.name, "', expected '", tensors[i].name, "'"));
      }
      if (!tensors[i].path.empty()) {
        ASSIGN_OR_RETURN(Literal value, ReadFedTensor(tensors[i].path, input, file.fed_model()));
        values.push_back(std::move(value));
        continue;
      }
      ASSIGN_OR_RETURN(Literal value, Literal::Allocate(Shape::Array(F32, input.extents)));
      FillByFormula(input.name, input.extents, 0,
                    absl::MakeSpan(value.mutable_data<float>(), static_cast<size_t>(value.element_count())));
      values.push_back(std::move(value));
    }
    cycles.push_back(std::move(values));
  }
  return cycles;
}

// All cycles with one state.
absl::StatusOr<Cycles> RunModel(const nnef1::Model& model, const nnef1::LoweringOptions& lowering, const Cycles& inputs,
                                const std::string& backend, const BackendVariant& variant) {
  ASSIGN_OR_RETURN(nnef1::LoweredModel lowered, nnef1::LowerToHlo(model, lowering));
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef1::Session> session, NnefSession(std::move(lowered), backend, variant));
  Cycles results;
  for (const std::vector<Literal>& cycle : inputs) {
    ASSIGN_OR_RETURN(std::vector<Literal> outputs, session->Run(cycle));
    results.push_back(std::move(outputs));
  }
  return results;
}

absl::Status CheckOutputs(const Nnef1Case& nnef1_case, const nnef1::Model& model, const FedModel& fed_model,
                          const Cycles& results) {
  Tolerance tolerance;
  tolerance.atol = nnef1_case.atol;
  tolerance.rtol = nnef1_case.rtol;
  for (size_t cycle = 0; cycle < nnef1_case.outputs.size(); ++cycle) {
    const std::vector<TensorFile>& expected = nnef1_case.outputs[cycle];
    const size_t count = cycle < results.size() ? results[cycle].size() : 0;
    if (count != expected.size() || expected.size() != model.graph.outputs.size()) {
      return Wrong(absl::StrCat("cycle ", cycle, ": got ", count, " outputs, expected ", expected.size()));
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const nnef1::Tensor& tensor = model.graph.tensors[model.graph.outputs[i]];
      if (tensor.name != expected[i].name) {
        return Wrong(absl::StrCat("output ", i, " is '", tensor.name, "', expected '", expected[i].name, "'"));
      }
      const FedInput declared = Nnef1Input(tensor.name, tensor.primitive, {}, model.types);
      ASSIGN_OR_RETURN(const Literal want, ReadFedTensor(expected[i].path, declared, fed_model));
      const Comparison comparison = CompareArrays(results[cycle][i], want, tolerance);
      if (comparison.matches()) continue;
      return Wrong(
          absl::StrCat("cycle ", cycle, ": ", DescribeComparison(tensor.name, comparison, results[cycle][i], want)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSameBits(const Cycles& got, const Cycles& want, const BackendVariant& variant,
                           const BackendVariant& first) {
  for (size_t cycle = 0; cycle < want.size(); ++cycle) {
    for (size_t i = 0; i < want[cycle].size(); ++i) {
      if (got[cycle][i].BitwiseEquals(want[cycle][i])) continue;
      return Wrong(absl::StrCat("on ", variant.Text(), " output ", i, " has other bits than on ", first.Text()));
    }
  }
  return absl::OkStatus();
}

std::vector<NamedArray> NameOutputs(const nnef1::Model& model, const std::vector<Literal>& outputs) {
  std::vector<NamedArray> named;
  for (size_t i = 0; i < outputs.size(); ++i) {
    named.emplace_back(model.graph.tensors[model.graph.outputs[i]].name, outputs[i]);
  }
  return named;
}

// Which outputs backends must give the same bits in each cycle, variables that are updated included.
struct ExactOutputsOfModel {
  std::vector<bool> outputs;
  bool variables = true;
};

absl::StatusOr<ExactOutputsOfModel> FindExact(const nnef1::Model& model, const nnef1::LoweringOptions& lowering) {
  ASSIGN_OR_RETURN(const nnef1::LoweredModel lowered, nnef1::LowerToHlo(model, lowering));
  ExactOutputsOfModel exact;
  ASSIGN_OR_RETURN(exact.outputs, ExactArrays(*lowered.module, /*resources=*/nullptr));
  for (const nnef1::LoweredModel::Variable& variable : lowered.variables) {
    exact.variables = exact.variables && (!variable.result.has_value() || exact.outputs[*variable.result]);
  }
  exact.outputs.resize(lowered.output_names.size());
  return exact;
}

// From the second cycle on, everything may depend on variables.
absl::Status CheckExactOutputs(const nnef1::Model& model, const nnef1::LoweringOptions& lowering, const Cycles& inputs,
                               const Cycles& results, const Nnef1Run& run) {
  if (run.backend == "interpreter" || !run.variants[0].settings.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ExactOutputsOfModel exact, FindExact(model, lowering));
  if (!AnyIsExact(exact.outputs)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Cycles wanted, RunModel(model, lowering, inputs, "interpreter", BackendVariant()));
  const size_t cycles = exact.variables ? wanted.size() : std::min<size_t>(wanted.size(), 1);
  for (size_t cycle = 0; cycle < cycles; ++cycle) {
    RETURN_IF_ERROR(
        CheckExactResults(exact.outputs, NameOutputs(model, results[cycle]), NameOutputs(model, wanted[cycle])));
  }
  return absl::OkStatus();
}

// The graph as a flat document must be read as a graph that is written the same.
absl::Status CheckFlatDocument(const nnef1::Graph& graph) {
  const std::string text = nnef1::WriteFlatDocument(graph);
  const auto source = std::make_shared<const nnef1::Source>(nnef1::Source{"flattened", text});
  nnef1::Diagnostics diagnostics;
  const std::shared_ptr<const nnef1::Document> document = nnef1::ParseDocument(source, &diagnostics);
  if (document != nullptr && !diagnostics.has_errors()) nnef1::CheckDocument(*document, &diagnostics);
  absl::optional<nnef1::Graph> again;
  if (!diagnostics.has_errors()) again = nnef1::ExpandDocument(*document, nnef1::ExpandOptions(), &diagnostics);
  if (diagnostics.has_errors() || !again.has_value()) {
    return Wrong(absl::StrCat("the flattened document is refused: ", diagnostics.ToStatus().message(), "\n", text));
  }
  const std::string text_again = nnef1::WriteFlatDocument(*again);
  if (text_again == text) return absl::OkStatus();
  return Wrong(absl::StrCat("the flattened document comes back as another one:\n", text, "\nand\n", text_again));
}

absl::Status RunSuccess(const Nnef1Case& nnef1_case, const Nnef1Run& run) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file, OpenCase(nnef1_case, run.expand_compounds));
  ASSIGN_OR_RETURN(const Cycles inputs, ReadInputs(nnef1_case, *file));
  ASSIGN_OR_RETURN(const nnef1::Model model, file->Load(ExtentsOf(inputs[0])));
  nnef1::LoweringOptions lowering;
  lowering.variables_are_parameters = run.variables_are_parameters;
  ASSIGN_OR_RETURN(const Cycles results, RunModel(model, lowering, inputs, run.backend, run.variants[0]));
  RETURN_IF_ERROR(CheckOutputs(nnef1_case, model, file->fed_model(), results));
  RETURN_IF_ERROR(CheckExactOutputs(model, lowering, inputs, results, run));
  for (size_t i = 1; i < run.variants.size(); ++i) {
    ASSIGN_OR_RETURN(const Cycles again, RunModel(model, lowering, inputs, run.backend, run.variants[i]));
    RETURN_IF_ERROR(CheckSameBits(again, results, run.variants[i], run.variants[0]));
  }
  if (nnef1_case.has_quantization_file) {
    lowering.simulate_quantization = true;
    ASSIGN_OR_RETURN(const Cycles simulated, RunModel(model, lowering, inputs, run.backend, run.variants[0]));
    RETURN_IF_ERROR(CheckOutputs(nnef1_case, model, file->fed_model(), simulated));
    RETURN_IF_ERROR(CheckExactOutputs(model, lowering, inputs, simulated, run));
  }
  return CheckFlatDocument(model.graph);
}

// As far as it goes.
absl::Status Attempt(const Nnef1Case& nnef1_case, const Nnef1Run& run) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file, OpenCase(nnef1_case, run.expand_compounds));
  nnef1::LoweringOptions lowering;
  lowering.variables_are_parameters = run.variables_are_parameters;
  if (nnef1_case.inputs[0].empty() && !file->inputs().empty()) {
    ASSIGN_OR_RETURN(const nnef1::Model model, file->Load());
    return nnef1::LowerToHlo(model, lowering).status();
  }
  ASSIGN_OR_RETURN(const Cycles inputs, ReadInputs(nnef1_case, *file));
  ASSIGN_OR_RETURN(const nnef1::Model model, file->Load(ExtentsOf(inputs[0])));
  return RunModel(model, lowering, inputs, run.backend, run.variants[0]).status();
}

absl::Status CheckRefusal(const Nnef1Case& nnef1_case, const Nnef1Run& run) {
  const absl::Status status = Attempt(nnef1_case, run);
  const std::string wanted =
      absl::StrCat("refused with ", absl::StrJoin(nnef1_case.error_classes, " or "), " (", nnef1_case.rule, ")");
  if (status.ok()) return Wrong(absl::StrCat("accepted, but it must be ", wanted));
  const absl::optional<nnef1::ErrorClass> error_class = nnef1::ErrorClassOf(status);
  if (!error_class.has_value() || status.message().empty()) {
    return Wrong(absl::StrCat("refused without a class, expected to be ", wanted, ": ", status.ToString()));
  }
  const std::string code(nnef1::ErrorClassCode(*error_class));
  const std::vector<std::string>& right = nnef1_case.error_classes;
  if (std::find(right.begin(), right.end(), code) == right.end()) {
    return Wrong(absl::StrCat("refused with ", code, ", expected to be ", wanted, ": ", status.message()));
  }
  const bool is_in_text = code == "E1" || code == "E3" || code == "E5" || code.rfind("E2", 0) == 0;
  if (!is_in_text || RE2::PartialMatch(std::string(status.message()), R"(graph\.(nnef|quant):\d+:\d+: )")) {
    return absl::OkStatus();
  }
  return Wrong(absl::StrCat("the error names no place: ", status.message()));
}

absl::Status CheckStructure(const Nnef1Case& nnef1_case, const Nnef1Run& run) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file, OpenCase(nnef1_case, run.expand_compounds));
  ASSIGN_OR_RETURN(const FileContents contents, ReadFile(nnef1_case.structure));
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(contents.data(), nnef1_case.structure));
  std::map<std::string, const nnef1::Tensor*> tensors;
  for (const nnef1::Tensor& tensor : file->graph().tensors) tensors[tensor.name] = &tensor;
  const JsonValue* const expected = json.Find("tensors");
  if (expected == nullptr || expected->AsObject() == nullptr || expected->AsObject()->empty()) {
    return Wrong(absl::StrCat(nnef1_case.structure, ": expected an object \"tensors\""));
  }
  for (const auto& [name, shape] : *expected->AsObject()) {
    Extents extents;
    if (shape.AsArray() == nullptr) return Wrong(absl::StrCat(nnef1_case.structure, ": '", name, "' is not an array"));
    for (const JsonValue& extent : *shape.AsArray()) extents.push_back(extent.AsInt64().value_or(-1));
    const auto it = tensors.find(name);
    if (it == tensors.end()) return Wrong(absl::StrCat("there is no tensor '", name, "'"));
    if (it->second->extents == extents) continue;
    return Wrong(absl::StrCat("'", name, "' is [", absl::StrJoin(it->second->extents.value_or(Extents()), ","),
                              "], expected [", absl::StrJoin(extents, ","), "]"));
  }
  return CheckFlatDocument(file->graph());
}

absl::Status Run(const Nnef1Case& nnef1_case, const Nnef1Run& run) {
  switch (nnef1_case.expect) {
    case Nnef1Case::Expect::kSuccess:
      return RunSuccess(nnef1_case, run);
    case Nnef1Case::Expect::kError:
      return CheckRefusal(nnef1_case, run);
    case Nnef1Case::Expect::kStructure:
      return CheckStructure(nnef1_case, run);
  }
  return absl::InternalError("no such kind of case");
}

}  // namespace

CaseResult RunNnef1Case(const Nnef1Case& nnef1_case, const Nnef1Run& run) {
  CaseResult result;
  const absl::Status status = Run(nnef1_case, run);
  if (!status.ok()) result.message = std::string(status.message());
  if (nnef1_case.is_disputed) {
    result.verdict = Verdict::kSkipped;
  } else if (!status.ok()) {
    result.verdict = Verdict::kFailed;
  }
  return result;
}

}  // namespace xla
