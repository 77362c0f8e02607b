// write_variables FOLDER [ATTRIBUTE=VALUE...]: writes the tensor files of the model's variables into its folder.
#include <iostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "examples/nnef2/variables.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status WriteVariables(const std::string& folder, int count, char** attributes) {
  nnef2::LoadOptions options;
  options.load_data = false;
  for (int i = 0; i < count; ++i) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(attributes[i], absl::MaxSplits('=', 1));
    ASSIGN_OR_RETURN(nnef2::Value value, nnef2::ParseAttributeValue(parts.second));
    options.compose.attributes.emplace(parts.first, std::move(value));
  }
  ASSIGN_OR_RETURN(const nnef2::Model model, nnef2::LoadModel(folder, options));
  ASSIGN_OR_RETURN(const auto files, VariableFiles(model));
  for (const auto& file : files) RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", file.first), file.second));
  std::cout << files.size() << " files written\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "write_variables: expected the folder of a model: write_variables FOLDER [ATTRIBUTE=VALUE...]\n";
    return 2;
  }
  const absl::Status status = xla::WriteVariables(argv[1], argc - 2, argv + 2);
  if (status.ok()) return 0;
  std::cerr << "write_variables: " << status.message() << "\n";
  return 1;
}
