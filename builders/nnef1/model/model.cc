// LoadModel: container, description, quantisation file and tensor files, with the errors of all of them.
#include "builders/nnef1/model/model.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/model/quantization_graph.h"
#include "builders/nnef1/model/stored_variables.h"
#include "builders/nnef_common/containers/model_texts.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

bool SameQuantization(const Quantization& a, const Quantization& b) {
  return a.definition == b.definition && a.custom_name == b.custom_name && a.names == b.names && a.values == b.values;
}

// Reads the data of variables.
class VariableReader {
 public:
  VariableReader(const Container& container, const NumberTypes& types, Diagnostics* diagnostics, Model* model)
      : container_(container), types_(types), diagnostics_(*diagnostics), model_(*model) {
    for (const auto& line : model->quantization) lines_[line.first] = &line.second;
  }

  void Read(const StoredVariable& variable);

 private:
  // The line of graph.quant that says what stored codes mean; nullptr if there is none.
  const Quantization* LineFor(const StoredVariable& variable);

  const Container& container_;
  const NumberTypes types_;
  Diagnostics& diagnostics_;
  Model& model_;
  std::map<absl::string_view, const Quantization*> lines_;
};

const Quantization* VariableReader::LineFor(const StoredVariable& variable) {
  const Quantization* line = nullptr;
  for (int id : variable.tensors) {
    const auto found = lines_.find(model_.graph.tensors[id].name);
    if (found == lines_.end()) continue;
    if (line == nullptr) line = found->second;
    if (SameQuantization(*line, *found->second)) continue;
    diagnostics_.Error(ErrorClass::kQuantization, found->second->position,
                       absl::StrCat("expected the same as for the other variables of the label '", variable.label,
                                    "', which share their data"),
                       "5.3");
  }
  return line;
}

// Reads the data of a variable. Labels that differ by case only are one variable, whose file may have any of these
// spellings.
void VariableReader::Read(const StoredVariable& variable) {
  const Tensor& tensor = model_.graph.tensors[variable.tensors[0]];
  // Labels do not differ by case, names of files do: any spelling of the document will do.
  std::string member = absl::StrCat(variable.label, kTensorFileSuffix);
  for (auto other = variable.spellings.begin(); other != variable.spellings.end() && !container_.Has(member); ++other) {
    const std::string candidate = absl::StrCat(*other, kTensorFileSuffix);
    if (container_.Has(candidate)) member = candidate;
  }
  const Quantization* const line = LineFor(variable);
  absl::StatusOr<Literal> literal =
      ReadTensor(container_, member, tensor.primitive, &*tensor.extents, types_, line, &diagnostics_);
  if (!literal.ok()) {
    const bool is_quantization = ErrorClassOf(literal.status()) == ErrorClass::kQuantization;
    diagnostics_.Error(
        is_quantization ? ErrorClass::kQuantization : ErrorClass::kTensorData,
        is_quantization && line != nullptr ? line->position : model_.graph.nodes[tensor.producer].position,
        std::string(MessageWithoutClass(literal.status())), is_quantization ? "5.3" : "5.2");
    return;
  }
  const auto shared = std::make_shared<const Literal>(*std::move(literal));
  for (const std::string& spelling : variable.spellings) model_.variables[spelling] = shared;
}

}  // namespace

absl::StatusOr<Model> LoadModel(const std::string& path, const LoadOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Container> container,
                   OpenContainer(path, DefaultMaxContainerBytes(), options.resources));
  return LoadModel(*container, options);
}

// Loads a model in the order of the standard: description, its rules, expansion, quantization file, data of
// variables. Each step needs the one before without errors.
absl::StatusOr<Model> LoadModel(const Container& container, const LoadOptions& options) {
  if (!container.Has(kDescriptionMember)) return nnef::NoDescription(container);
  const auto check_limits = [&] { return CheckResources(options.resources); };
  ASSIGN_OR_RETURN(const std::shared_ptr<const Source> source, nnef::ReadSource(container, kDescriptionMember));
  Diagnostics diagnostics(options.resources);
  const std::shared_ptr<const Document> document = ParseDocument(source, &diagnostics);
  if (diagnostics.has_errors() || document == nullptr) return diagnostics.ToStatus();
  CheckDocument(*document, &diagnostics);
  if (diagnostics.has_errors()) return diagnostics.ToStatus();
  ExpandOptions expand = options.expand;
  expand.resources = options.resources;
  absl::optional<Graph> graph = ExpandDocument(*document, expand, &diagnostics);
  RETURN_IF_ERROR(check_limits());
  if (!graph.has_value()) return diagnostics.ToStatus();

  Model model;
  model.graph = *std::move(graph);
  model.types = options.types;
  const std::vector<StoredVariable> variables = StoredVariables(model.graph);
  if (container.Has(kQuantizationMember)) {
    ASSIGN_OR_RETURN(std::shared_ptr<const Source> lines, nnef::ReadSource(container, kQuantizationMember));
    model.quantization = ParseQuantization(std::move(lines), *document, model.graph, &diagnostics);
  }
  if (diagnostics.has_errors()) return diagnostics.ToStatus();
  model.quantization_graph = ExpandQuantization(*document, model.graph, model.quantization, &diagnostics);
  RETURN_IF_ERROR(check_limits());
  if (diagnostics.has_errors()) return diagnostics.ToStatus();
  if (options.load_data && !container.is_bare_description()) {
    VariableReader reader(container, options.types, &diagnostics, &model);
    for (const StoredVariable& variable : variables) {
      RETURN_IF_ERROR(check_limits());
      reader.Read(variable);
    }
  }
  if (diagnostics.has_errors()) return diagnostics.ToStatus();
  model.warnings = diagnostics.warnings();
  return model;
}

}  // namespace nnef1
}  // namespace xla
