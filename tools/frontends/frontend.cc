#include "tools/frontends/frontend.h"

#include "absl/strings/str_cat.h"

namespace xla {

absl::StatusOr<ConvertedProgram> Frontend::Convert(const HloModule& /*module*/, absl::string_view form) const {
  return absl::InternalError(absl::StrCat("frontend ", description_.name, " does not write ", form));
}

absl::StatusOr<absl::optional<ConvertedProgram>> Frontend::ConvertDirectly(const ProgramSource& /*source*/,
                                                                           absl::string_view /*form*/,
                                                                           const ResourceContext* /*resources*/) const {
  return absl::optional<ConvertedProgram>();
}

absl::Status Frontend::WriteArrays(const std::vector<NamedArray>& /*arrays*/, const std::string& path,
                                   const ResourceContext* /*resources*/) const {
  return absl::InternalError(absl::StrCat("frontend ", description_.name, " does not write ", path));
}

}  // namespace xla
