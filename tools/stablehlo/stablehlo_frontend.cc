// The frontend of StableHLO.
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "builders/stablehlo/writing/from_hlo.h"
#include "tools/frontends/registry.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

FrontendDescription Description() {
  FrontendDescription description;
  description.name = "stablehlo";
  description.program = "a StableHLO program";
  description.file = "StableHLO";
  description.output_forms = {{"stablehlo", "StableHLO as text, with locations"}};
  return description;
}

class StableHloFrontend : public Frontend {
 public:
  StableHloFrontend() : Frontend(Description()) {}

  Recognition Recognize(const ProgramSource& source) const override {
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    if (contents.ok() && LooksLikeStableHlo(*contents)) return Recognition::kByContent;
    const bool is_named = absl::EndsWith(source.path(), ".mlir") || absl::EndsWith(source.path(), ".mlirbc");
    return is_named && !source.is_folder() ? Recognition::kByName : Recognition::kNot;
  }

  bool IsSplittable(const ProgramSource& source) const override {
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    return contents.ok() && LooksLikeStableHlo(*contents) && !IsStableHloBytecode(*contents);
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) override {
    ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
    StableHloOptions options;
    options.file_name = source.name();
    options.resources = request.resources;
    options.on_copied = [&source](absl::string_view part) { source.Release(part); };
    LoadedProgram program;
    ASSIGN_OR_RETURN(program.file.modules, ParseStableHlo(contents, options));
    program.file.format = IsStableHloBytecode(contents) ? "StableHLO bytecode" : "StableHLO text";
    program.details = absl::StrFormat("%d bytes, %d modules", contents.size(), program.file.modules.size());
    return program;
  }

  absl::StatusOr<ConvertedProgram> Convert(const HloModule& module, absl::string_view /*form*/) const override {
    ConvertedProgram converted;
    ASSIGN_OR_RETURN(converted.text, stablehlo::StableHloText(module));
    return converted;
  }
};

const bool kRegistered = [] {
  RegisterFrontend([] { return std::make_unique<StableHloFrontend>(); });
  return true;
}();

}  // namespace
}  // namespace xla
