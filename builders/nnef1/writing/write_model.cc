#include "builders/nnef1/writing/write_model.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

absl::Status MakeFolder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path.string(), ": cannot make the folder: ", error.message()));
}

absl::Status WriteVariable(const Model& model, const std::string& label, const std::string& folder) {
  const auto it = model.variables.find(label);
  if (it == model.variables.end()) {
    return absl::InvalidArgumentError(absl::StrCat("the model has no data for its variable '", label, "'"));
  }
  absl::StatusOr<std::string> bytes = SerializeTensor(*it->second);
  if (!bytes.ok()) {
    return absl::Status(bytes.status().code(), absl::StrCat("variable '", label, "': ", bytes.status().message()));
  }
  const std::filesystem::path path = absl::StrCat(folder, "/", label, std::string(kTensorFileSuffix));
  RETURN_IF_ERROR(MakeFolder(path.parent_path()));
  return WriteFile(path.string(), *bytes);
}

}  // namespace

absl::StatusOr<std::string> WriteQuantization(const Model& model) {
  std::string text;
  for (const auto& [identifier, quantization] : model.quantization) {
    if (quantization.definition == nullptr) {
      return absl::UnimplementedError(absl::StrCat("'", identifier, "' is quantised by the fragment '",
                                                   quantization.custom_name, "', which a flat document does not have"));
    }
    absl::StrAppend(&text, "\"", identifier, "\": ", DeclarationOf(*quantization.definition).name, "(");
    for (size_t i = 0; i < quantization.names.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", quantization.names[i], " = ", quantization.values[i].ToString());
    }
    absl::StrAppend(&text, ");\n");
  }
  return text;
}

absl::Status WriteModel(const Model& model, const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string quantization, WriteQuantization(model));
  RETURN_IF_ERROR(MakeFolder(folder));
  std::set<std::string> labels;
  for (const Node& node : model.graph.nodes) {
    if (node.definition == nullptr || node.declaration->name != "variable") continue;
    const std::string& label = FindArgument(node, "label")->string();
    if (labels.insert(label).second) RETURN_IF_ERROR(WriteVariable(model, label, folder));
  }
  if (!quantization.empty()) {
    RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", std::string(kQuantizationMember)), quantization));
  }
  return WriteFile(absl::StrCat(folder, "/", std::string(kDescriptionMember)), WriteFlatDocument(model.graph));
}

}  // namespace nnef1
}  // namespace xla
