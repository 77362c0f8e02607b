#include "tools/shared/program_contents.h"

#include <utility>

#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<std::shared_ptr<const FileContents>> ReadProgramContents(const std::string& path) {
  static auto* const standard_input = new std::shared_ptr<const FileContents>;
  const bool is_standard_input = path == "-";
  if (is_standard_input && *standard_input != nullptr) return *standard_input;
  ASSIGN_OR_RETURN(FileContents read, ReadFile(path));
  auto contents = std::make_shared<const FileContents>(std::move(read));
  if (is_standard_input) *standard_input = contents;
  return contents;
}

}  // namespace xla
