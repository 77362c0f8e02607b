#include "xla_core/program_file/program_file.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {

// Reads a program in any of its formats, which the contents tell. Only protobuf snapshots have arguments and results.
absl::StatusOr<ProgramFile> ParseProgram(absl::string_view contents, const std::string& name,
                                         const ResourceContext* resources) {
  ProgramFile file;
  const HloFileFormat format = DetectHloFormat(contents);
  if (format == HloFileFormat::kHloText) {
    file.format = "HLO text";
    ParseOptions options;
    options.file_name = name;
    options.resources = resources;
    ASSIGN_OR_RETURN(file.modules, ParseHloModules(contents, options));
    return file;
  }
  file.format = format == HloFileFormat::kProtoBinary ? "binary protobuf" : "text protobuf";
  absl::StatusOr<HloProtoContents> read = ReadHloProto(contents, resources);
  if (!read.ok() && resources != nullptr && resources->IsOver()) return read.status();
  if (!read.ok()) return absl::Status(read.status().code(), absl::StrCat(name, ": ", read.status().message()));
  file.modules.push_back(std::move(read->module));
  file.warnings = std::move(read->warnings);
  file.arguments = std::move(read->arguments);
  file.result = std::move(read->result);
  return file;
}

// A module by name, or by number from 0; a file of one module needs no choice.
absl::StatusOr<HloModule*> ChooseModule(const ProgramFile& file, const std::string& choice, absl::string_view option) {
  std::vector<absl::string_view> names;
  for (const auto& module : file.modules) names.push_back(module->name());
  if (choice.empty()) {
    if (file.modules.size() == 1) return file.modules[0].get();
    return absl::InvalidArgumentError(absl::StrCat(option, ": the file has ", names.size(), " modules (",
                                                   absl::StrJoin(names, ", "),
                                                   "); choose one by its name or its number from 0"));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == choice) return file.modules[i].get();
  }
  size_t place;
  if (absl::SimpleAtoi(choice, &place) && place < names.size()) return file.modules[place].get();
  return absl::InvalidArgumentError(absl::StrCat(option, ": there is no module '", choice, "'",
                                                 DidYouMean(choice, names), "; the file has ",
                                                 absl::StrJoin(names, ", ")));
}

}  // namespace xla
