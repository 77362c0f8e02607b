#include "tools/nnef1/model_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/containers/code_meaning.h"
#include "builders/nnef1/containers/model_format.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace {

using nnef1::Extents;

}  // namespace

absl::StatusOr<nnef1::LoadOptions> Nnef1LoadOptions(const NnefReadFlags& flags) {
  nnef1::LoadOptions options;
  ASSIGN_OR_RETURN(const auto shapes, flags.Shapes(/*smallest=*/1));
  for (const auto& shape : shapes) options.expand.external_extents[shape.first] = shape.second;
  options.types.scalar = PrimitiveTypeFromName(flags.scalars);
  return options;
}

FedInput Nnef1Input(const std::string& name, nnef1::Primitive primitive, Extents extents,
                    const nnef1::NumberTypes& types) {
  FedInput input;
  input.name = name;
  input.type = nnef1::Type::Tensor(primitive).ToString();
  input.declared = nnef1::DeclaredAs(primitive, types);
  input.extents = std::move(extents);
  return input;
}

Nnef1ModelFile::Nnef1ModelFile(std::unique_ptr<nnef1::Container> container, nnef1::LoadOptions options,
                               nnef1::Graph graph)
    : container_(std::move(container)), options_(std::move(options)), graph_(std::move(graph)) {
  for (const int id : graph_.inputs) {
    const nnef1::Tensor& tensor = graph_.tensors[id];
    fed_model_.inputs.push_back(
        Nnef1Input(tensor.name, tensor.primitive, tensor.extents.value_or(Extents()), options_.types));
  }
  fed_model_.format = &nnef1::Nnef1Format();
  fed_model_.code_meaning = [](const nnef::TensorHeader& header) { return nnef1::MeaningOfCodes(header, nullptr); };
}

absl::StatusOr<std::unique_ptr<Nnef1ModelFile>> Nnef1ModelFile::Open(std::unique_ptr<nnef1::Container> container,
                                                                     nnef1::LoadOptions options) {
  options.load_data = false;
  ASSIGN_OR_RETURN(nnef1::Model model, nnef1::LoadModel(*container, options));
  for (const auto& shape : options.expand.external_extents) {
    bool is_input = false;
    for (const int id : model.graph.inputs) is_input = is_input || model.graph.tensors[id].name == shape.first;
    if (is_input) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--shape: ", container->name(), " has no input '", shape.first, "'"));
  }
  options.load_data = true;
  return std::unique_ptr<Nnef1ModelFile>(
      new Nnef1ModelFile(std::move(container), std::move(options), std::move(model.graph)));
}

absl::StatusOr<nnef1::Model> Nnef1ModelFile::Load() const { return nnef1::LoadModel(*container_, options_); }

absl::StatusOr<nnef1::Model> Nnef1ModelFile::Load(const std::vector<Extents>& fed) const {
  nnef1::LoadOptions options = options_;
  for (size_t i = 0; i < inputs().size(); ++i) {
    if (fed[i] != inputs()[i].extents) options.expand.external_extents[inputs()[i].name] = fed[i];
  }
  return nnef1::LoadModel(*container_, options);
}

}  // namespace xla
