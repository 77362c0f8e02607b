#include "tools/nnef2/program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "builders/nnef2/checking/lint_program.h"
#include "builders/nnef2/composition/bind_operator.h"
#include "builders/nnef2/composition/graph_arrays.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef_common/fed_inputs.h"
#include "tools/shared/run_arguments.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace {

using nnef2::BaseType;

absl::StatusOr<std::pair<std::string, nnef2::Value>> ParseAttribute(const std::string& text) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (parts.first.empty() || parts.first.size() == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--attribute: expected NAME=VALUE, as batch=4 or mode=\"'A'\", got '", text, "'"));
  }
  absl::StatusOr<nnef2::Value> value = nnef2::ParseAttributeValue(parts.second);
  if (value.ok()) return std::make_pair(std::string(parts.first), *std::move(value));
  return absl::InvalidArgumentError(absl::StrCat("--attribute ", parts.first, ": ", value.status().message()));
}

nnef::DeclaredTensor DeclaredAs(BaseType base, PrimitiveType real_type) {
  nnef::DeclaredTensor declared;
  declared.kind = base == BaseType::kBool  ? nnef::ItemKind::kLogical
                  : base == BaseType::kInt ? nnef::ItemKind::kInteger
                                           : nnef::ItemKind::kReal;
  declared.type = nnef2::BaseTypeName(base);
  declared.element_type = base == BaseType::kBool ? PRED : base == BaseType::kInt ? S32 : real_type;
  return declared;
}

}  // namespace

absl::StatusOr<nnef2::LoadOptions> Nnef2LoadOptions(const Nnef2Flags& flags, const ResourceContext* resources) {
  nnef2::LoadOptions options;
  options.resources = resources;
  options.real_type = PrimitiveTypeFromName(flags.read.scalars);
  options.compose.graph = flags.graph;
  options.compose.simulate_quantization = flags.read.simulate_quantization;
  ASSIGN_OR_RETURN(const auto shapes, flags.read.Shapes(/*smallest=*/0));
  for (const auto& shape : shapes) options.compose.input_extents[shape.first] = shape.second;
  for (const std::string& text : flags.attributes) {
    ASSIGN_OR_RETURN(auto attribute, ParseAttribute(text));
    options.compose.attributes.insert_or_assign(std::move(attribute.first), std::move(attribute.second));
  }
  return options;
}

FedModel Nnef2FedModel(const nnef2::Model& model) {
  FedModel fed;
  fed.format = &nnef2::Nnef2Format();
  fed.code_meaning = [](const nnef::TensorHeader&) -> absl::StatusOr<nnef::CodeMeaning> {
    return absl::InvalidArgumentError("it stores quantised codes, which nothing gives a meaning");
  };
  for (const nnef2::GraphArray& array : nnef2::InputArrays(model.graph)) {
    const nnef2::ElementType& element = model.graph.tensors[array.tensors[0]].element;
    FedInput input;
    input.name = array.name;
    input.type = absl::StrCat(element.ToString(), nnef2::ShapeText(array.shape));
    input.declared = DeclaredAs(element.base, model.real_type);
    for (const nnef2::Scalar& extent : array.shape) {
      const bool is_static = extent.kind == nnef2::Scalar::Kind::kInt;
      input.extents.push_back(is_static ? extent.integer : extent.symbolic->upper);
    }
    fed.inputs.push_back(std::move(input));
  }
  return fed;
}

absl::StatusOr<std::unique_ptr<NnefProgram>> LoadNnef2Program(const ProgramSource& source, const Nnef2Flags& flags,
                                                              const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef2::LoadOptions options, Nnef2LoadOptions(flags, resources));
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container,
                   OpenModelSource(source, nnef2::Nnef2Format(), resources));
  ASSIGN_OR_RETURN(nnef2::Model model, nnef2::LoadModel(*container, options));
  if (flags.warns_of_oddities) {
    for (std::string& warning : nnef2::LintProgram(*model.graph.program)) model.warnings.push_back(std::move(warning));
  }
  FedCycles fed;
  const FedModel fed_model = Nnef2FedModel(model);
  int64_t cycles = std::max<int64_t>(flags.inputs.cycles, 1);
  if (!flags.inputs.files.empty() || !flags.inputs.images.empty() || fed_model.inputs.empty()) {
    ASSIGN_OR_RETURN(fed, ReadFedCycles(fed_model, flags.inputs, resources));
    cycles = static_cast<int64_t>(fed.size());
  }
  nnef2::LoweringOptions lowering;
  const bool has_data = model.variables.size() == model.graph.variables.size();
  lowering.variables_are_parameters = flags.variables_are_parameters || (flags.only_checks && !has_data);
  lowering.all_activations = flags.all_activations;
  lowering.resources = resources;
  ASSIGN_OR_RETURN(nnef2::LoweredModel lowered, nnef2::LowerToHlo(model, lowering));
  // What does not fit is found before anything runs.
  const std::vector<Shape> parameters = ParameterShapes(*lowered.module);
  for (const std::vector<Literal>& cycle : fed) {
    RETURN_IF_ERROR(nnef::FitInputs(lowered, parameters, cycle).status());
  }
  const size_t output_count = nnef2::OutputArrays(model.graph).size();
  return std::make_unique<NnefProgram>(std::move(lowered), output_count, std::move(fed), cycles, model.warnings);
}

}  // namespace xla
