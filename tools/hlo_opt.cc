// hlo-opt: reads a program in HLO, checks it, and writes it in the same or another form.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tools/exit_codes.h"
#include "tools/flag_table.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/files.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

struct Flags {
  std::string file;
  std::string module;
  std::string passes;
  std::string to = "text";
  std::string output = "-";
  bool verify_only = false;
  bool elide_constants = false;
  bool without_metadata = false;
  bool ids = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("hlo-opt FILE [FLAGS]",
                  "Reads a program in HLO, checks it and prints it in the form asked for. FILE is HLO text, or "
                  "a HloModuleProto, HloProto or HloSnapshot in binary or text form, told apart by content; "
                  "- is standard input.\n\n"
                  "  hlo-opt model.hlo.pb                       protobuf to text\n"
                  "  hlo-opt model.hlo --to proto -o model.hlo.pb\n"
                  "  hlo-opt model.hlo --verify-only\n\n"
                  "Exit status: 0 fine, 2 bad usage, 3 bad input, 4 the result could not be written.");
  table.Topic("input", "what is read and checked");
  table.Text("module", "NAME|K", &flags.module,
             "only this module of a file with several: by name, or by number from 0");
  table.Switch("verify-only", &flags.verify_only, "check, and print nothing if all is well");
  table.Text("passes", "", &flags.passes,
             "passes to run, in order; this build has none, so only an empty list is accepted");
  table.Topic("output", "what is printed");
  table.Choice(
      "to", {"text", "short", "canonical", "proto", "pbtxt"}, &flags.to,
      "HLO text in full, short, or with names of its own; HloModuleProto in binary or text form (default: text)");
  table.Text("output", "FILE", &flags.output, "where to (default: standard output)");
  table.Alias("-o");
  table.Switch("elide-constants", &flags.elide_constants,
               "print large constants as {...}; such text can be read but not run");
  table.Switch("without-metadata", &flags.without_metadata, "leave out metadata and stack frames");
  table.Switch("ids", &flags.ids, "print the ids of instructions");
  return table;
}

struct PrintForm {
  const char* name;
  PrintOptions (*options)();
};
constexpr PrintForm kTextForms[] = {
    {"text", PrintOptions::Long}, {"short", PrintOptions::Short}, {"canonical", PrintOptions::Canonical}};

// The module in the form that --to names.
absl::StatusOr<std::string> Convert(const HloModule& module, const Flags& flags) {
  for (const PrintForm& form : kTextForms) {
    if (flags.to != form.name) continue;
    PrintOptions options = form.options();
    options.elide_large_constants = flags.elide_constants;
    options.ids = flags.ids;
    if (flags.without_metadata) options.metadata = false;
    return ModuleToString(module, options);
  }
  return WriteHloProto(module, flags.to == "proto" ? ProtoEncoding::kBinary : ProtoEncoding::kText);
}

bool IsTextForm(const Flags& flags) { return flags.to != "proto" && flags.to != "pbtxt"; }

// All modules of the file, or the one chosen.
absl::StatusOr<std::vector<HloModule*>> ModulesToPrint(const ProgramFile& file, const Flags& flags) {
  std::vector<HloModule*> modules;
  if (flags.module.empty() && (IsTextForm(flags) || flags.verify_only)) {
    for (const auto& module : file.modules) modules.push_back(module.get());
    return modules;
  }
  ASSIGN_OR_RETURN(HloModule* const module, ChooseModule(file, flags.module, "--module"));
  modules.push_back(module);
  return modules;
}

int Fail(ExitCode code, const absl::Status& status) {
  std::fprintf(stderr, "hlo-opt: %s\n", std::string(status.message()).c_str());
  return code;
}

int RunOpt(const Flags& flags) {
  const absl::StatusOr<FileContents> contents = ReadFile(flags.file);
  if (!contents.ok()) return Fail(kExitBadInput, contents.status());
  const absl::StatusOr<ProgramFile> file =
      ParseProgram(contents->data(), flags.file == "-" ? "<standard input>" : flags.file);
  if (!file.ok()) return Fail(kExitBadInput, file.status());
  for (const std::string& warning : file->warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const absl::StatusOr<std::vector<HloModule*>> modules = ModulesToPrint(*file, flags);
  if (!modules.ok()) return Fail(kExitBadUsage, modules.status());

  std::string output;
  for (const HloModule* module : *modules) {
    const absl::Status verified = VerifyModule(*module);
    if (!verified.ok()) return Fail(kExitBadInput, verified);
    if (flags.verify_only) continue;
    const absl::StatusOr<std::string> converted = Convert(*module, flags);
    if (!converted.ok()) return Fail(kExitBadInput, converted.status());
    absl::StrAppend(&output, module == modules->front() ? "" : "// -----\n", *converted);
  }
  if (flags.verify_only) return kExitFine;
  const absl::Status written = WriteFile(flags.output, output);
  return written.ok() ? kExitFine : Fail(kExitRunFailed, written);
}

int BadUsage(absl::string_view message) { return Fail(kExitBadUsage, absl::InvalidArgumentError(message)); }

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::StatusOr<std::vector<std::string>> others = table.Parse(absl::MakeConstSpan(argv + 1, argc - 1));
  if (!others.ok()) return BadUsage(others.status().message());
  if (table.help_topic().has_value()) {
    const absl::StatusOr<std::string> help = table.Help(*table.help_topic());
    if (!help.ok()) return BadUsage(help.status().message());
    std::printf("%s", help->c_str());
    return kExitFine;
  }
  if (others->size() != 1) return BadUsage("expected one program; usage: hlo-opt FILE [FLAGS]; --help says more");
  if (!flags.passes.empty()) {
    return BadUsage(absl::StrCat("--passes: unknown pass '", flags.passes, "'; this build has no passes"));
  }
  flags.file = (*others)[0];
  return RunOpt(flags);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
