// Writes the generated pages of docs/ again: bazel run //docs/generator:refresh
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "docs/generator/pass_pages.h"
#include "docs/generator/reference_pages.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status Refresh(const std::string& root) {
  ASSIGN_OR_RETURN(const std::vector<ReferencePage> pages, GenerateReferencePages(root));
  for (const ReferencePage& page : pages) {
    RETURN_IF_ERROR(WriteFile(root + "/" + page.path, page.text));
    std::cout << "wrote " << page.path << "\n";
  }
  for (const std::string& path : StalePassPages(root, pages)) {
    std::remove((root + "/" + path).c_str());
    std::cout << "removed " << path << "\n";
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main() {
  const char* root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const absl::Status status = root == nullptr
                                  ? absl::FailedPreconditionError("start this with: bazel run //docs/generator:refresh")
                                  : xla::Refresh(root);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
