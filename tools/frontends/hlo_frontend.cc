// The frontend of HLO itself, in text and in Protobuf. It reads whatever may be either and no other frontend
// recognizes.
#include "absl/strings/str_format.h"
#include "tools/frontends/registry.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

FrontendDescription Description() {
  FrontendDescription description;
  description.name = "hlo";
  description.program = "a program in HLO";
  description.file = "HLO as text or protobuf";
  return description;
}

class HloFrontend : public Frontend {
 public:
  HloFrontend() : Frontend(Description()) {}

  Recognition Recognize(const ProgramSource& source) const override {
    if (source.is_folder()) return Recognition::kNot;
    // What cannot be read, loading explains.
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    const bool is_known = !contents.ok() || DetectHloFormat(*contents) != HloFileFormat::kUnknown;
    return is_known ? Recognition::kByDefault : Recognition::kNot;
  }

  bool IsSplittable(const ProgramSource& source) const override {
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    return contents.ok() && DetectHloFormat(*contents) == HloFileFormat::kHloText;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) override {
    ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
    LoadedProgram program;
    ASSIGN_OR_RETURN(program.file, ParseProgram(contents, source.name(), request.resources));
    program.details = absl::StrFormat("%d bytes, %d modules", contents.size(), program.file.modules.size());
    return program;
  }
};

const bool kRegistered = [] {
  RegisterFrontend([] { return std::make_unique<HloFrontend>(); });
  return true;
}();

}  // namespace
}  // namespace xla
