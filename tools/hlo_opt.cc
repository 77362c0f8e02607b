// hlo-opt: reads a program in HLO, checks it, and writes it in the same or another form.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/writing/write_model.h"
#include "passes/all_analyses.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/nnef1/program.h"
#include "tools/optimizing/optimize_module.h"
#include "tools/optimizing/pass_flags.h"
#include "tools/optimizing/pass_listing.h"
#include "tools/shared/program_contents.h"
#include "tools/read_program.h"
#include "tools/shared/version_text.h"
#include "tools/views/cost_table.h"
#include "tools/views/instruction_cost.h"
#include "tools/views/module_diff.h"
#include "tools/views/reduce_command.h"
#include "tools/views/split_input.h"
#include "tools/views/view_flags.h"
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

// Of --weights: what the variables of an NNEF model become.
constexpr char kConstant[] = "constant";
constexpr char kParameter[] = "parameter";
// Of --to: a model, which is not one text but a folder.
constexpr char kNnef[] = "nnef";

struct Flags {
  std::string file;
  std::string frontend = "auto";
  Nnef1ReadFlags nnef1;
  std::string weights = kConstant;
  std::string module;
  std::string to = "text";
  std::string output = "-";
  bool verify_only = false;
  bool strict = false;
  bool elide_constants = false;
  bool without_metadata = false;
  bool ids = false;
  ViewFlags views;
  PassFlags passes;
  Optimizer* optimizer = nullptr;  // that does what `passes` says
};

// How many instructions --cost shows.
constexpr int64_t kTopInstructions = 20;

std::vector<std::string> OutputForms() {
  std::vector<std::string> forms = {"text", "short", "canonical", "proto", "pbtxt", kNnef};
  forms.insert(forms.end(), ViewForms().begin(), ViewForms().end());
  return forms;
}

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "hlo-opt FILE [FLAGS]",
      "Verifies a program, optimizes it if asked to, and prints it. FILE is HLO text, a HloModuleProto, "
      "HloProto or HloSnapshot in binary or text form, a WebNN graph in JSON or an NNEF 1 model, recognized by its "
      "content; - is standard input.\n\n"
      "  hlo-opt model.hlo.pb                       protobuf to text\n"
      "  hlo-opt model.hlo --to proto -o model.hlo.pb\n"
      "  hlo-opt model.hlo --pipeline simplify --stats -o smaller.hlo\n\n"
      "Exit status: 0 fine, 1 differences found, 2 bad usage, 3 bad input, 4 failure.");
  table.Topic("input", "what is read and checked");
  AddFrontendFlag(&flags.frontend, &table);
  table.Text("module", "NAME|K", &flags.module,
             "choose one module of a file with several: by name, or by number from 0");
  table.Switch("verify-only", &flags.verify_only,
               "verify the program and print only errors, and warnings about what is odd but has a meaning");
  table.Switch("strict", &flags.strict, "refuse a program that is odd");
  table.Choice("weights", {kConstant, kParameter}, &flags.weights,
               "convert the variables of an NNEF model to these (default: constant)");
  AddNnef1ReadFlags(&flags.nnef1, &table);
  table.Topic("output", "what is printed");
  table.Choice("to", OutputForms(), &flags.to,
               "print HLO text in full, short, or with canonical names; HloModuleProto in binary or text form; a graph "
               "for Graphviz; a page for a browser; JSON (default: text); nnef: the folder of an NNEF 1 model, or, "
               "without -o, its description");
  table.Text("output", "FILE", &flags.output, "write to FILE (default: standard output)");
  table.Alias("-o");
  table.Switch("elide-constants", &flags.elide_constants,
               "print large constants as {...}; such text can be read but not run");
  table.Switch("without-metadata", &flags.without_metadata, "leave out metadata and stack frames");
  table.Switch("ids", &flags.ids, "print the ids of instructions");
  AddPassFlags(&table, &flags.passes);
  AddViewFlags(&table, &flags.views);
  table.Version("print the version of Halo and the linked backends");
  return table;
}

struct PrintForm {
  const char* name;
  PrintOptions (*options)();
};
constexpr PrintForm kTextForms[] = {
    {"text", PrintOptions::Long}, {"short", PrintOptions::Short}, {"canonical", PrintOptions::Canonical}};

// Whether what comes out is a folder, which is written before the end.
bool WritesFolder(const Flags& flags) { return flags.to == kNnef && flags.output != "-"; }

// The description of a model that computes what the module does; nothing if the whole model is to be written, which is
// done here.
absl::StatusOr<std::string> ConvertToNnef(const HloModule& module, const Flags& flags) {
  ASSIGN_OR_RETURN(const nnef1::Model model, nnef1::ModelFromHlo(module));
  if (!WritesFolder(flags)) return nnef1::WriteFlatDocument(model.graph);
  RETURN_IF_ERROR(nnef1::WriteModel(model, flags.output));
  return std::string();
}

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
  if (flags.to == kNnef) return ConvertToNnef(module, flags);
  if (IsViewForm(flags.to)) return ModuleAsView(module, flags.to, {flags.elide_constants, !flags.without_metadata});
  return WriteHloProto(module, flags.to == "proto" ? ProtoEncoding::kBinary : ProtoEncoding::kText);
}

// Whether several modules can stand one after the other.
bool IsTextForm(const Flags& flags) {
  return flags.views.cost || (flags.to != "proto" && flags.to != "pbtxt" && flags.to != kNnef &&
                              (flags.to == "dot" || !IsViewForm(flags.to)));
}

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

Nnef1Flags Nnef1FlagsOf(const Flags& flags) {
  Nnef1Flags nnef1;
  nnef1.read = flags.nnef1;
  nnef1.variables_are_parameters = flags.weights == kParameter;
  return nnef1;
}

// A program of any format.
absl::StatusOr<ProgramFile> ReadProgramAt(const std::string& path, const Flags& flags) {
  if (IsNnef1(path, flags.frontend)) return ReadNnef1Program(path, Nnef1FlagsOf(flags));
  ASSIGN_OR_RETURN(const std::shared_ptr<const FileContents> contents, ReadProgramContents(path));
  return ReadProgram(contents->data(), path == "-" ? "<standard input>" : path, flags.frontend);
}

int Fail(ExitCode code, const absl::Status& status) {
  std::fprintf(stderr, "hlo-opt: %s\n", std::string(status.message()).c_str());
  return code;
}

// Whether an NNEF model is to be written as NNEF, and nothing is to be done to its HLO before.
bool IsNnefToNnef(const Flags& flags) {
  return flags.to == kNnef && IsNnef1(flags.file, flags.frontend) && flags.passes.passes.empty() &&
         flags.passes.pipeline.empty();
}

int ConvertNnef(const Flags& flags) {
  const absl::StatusOr<nnef1::Model> model = LoadNnef1Model(flags.file, flags.nnef1);
  if (!model.ok()) return Fail(kExitBadInput, model.status());
  for (const std::string& warning : model->warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  absl::Status written;
  if (!flags.verify_only) {
    written = WritesFolder(flags) ? nnef1::WriteModel(*model, flags.output)
                                  : WriteFile(flags.output, nnef1::WriteFlatDocument(model->graph));
  }
  return written.ok() ? kExitFine : Fail(kExitRunFailed, written);
}

// An error in what came in, unless a pass failed.
int FailProcessing(const absl::Status& status, const Flags& flags) {
  return Fail(flags.optimizer->failed() ? kExitRunFailed : kExitBadInput, status);
}

// Whether the program is checked and written in another form, and nothing else looks at it.
bool OnlyConverts(const Flags& flags) {
  return flags.passes.passes.empty() && flags.passes.pipeline.empty() && flags.passes.print_analysis.empty() &&
         !flags.views.cost && !flags.views.diff && !flags.views.reduce.reduce && flags.views.extract.empty() &&
         !IsViewForm(flags.to) && flags.to != kNnef;
}

// Checks what was read; prints warnings where checking is all that is asked for.
absl::Status Verify(const HloModule& module, const Flags& flags) {
  std::vector<std::string> warnings;
  VerifierOptions options;
  options.strict = flags.strict;
  if (flags.verify_only) options.warnings = &warnings;
  options.allow_unbounded_dimensions = OnlyConverts(flags);
  const absl::Status status = VerifyModule(module, options);
  for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return status;
}

// What is to be written for one module; empty with --verify-only.
absl::StatusOr<std::string> Process(HloModule& module, const Flags& flags) {
  RETURN_IF_ERROR(Verify(module, flags));
  if (!flags.views.extract.empty()) {
    ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> extracted, Extracted(module, flags.views));
    Flags rest = flags;
    rest.views.extract.clear();
    return Process(*extracted, rest);
  }
  RETURN_IF_ERROR(flags.optimizer->Optimize(module));
  if (flags.verify_only) return std::string();
  if (!flags.passes.print_analysis.empty()) return FindAnalysis(flags.passes.print_analysis)->print(module);
  if (flags.views.cost) return CostTable(module, CostsOf(module), kTopInstructions);
  return Convert(module, flags);
}

void AppendPart(absl::string_view part, std::string* output) {
  absl::StrAppend(output, output->empty() || part.empty() ? "" : "// -----\n", part);
}

int Finish(const std::string& output, const Flags& flags) {
  const bool is_written = flags.verify_only || WritesFolder(flags);
  const absl::Status written = is_written ? absl::OkStatus() : WriteFile(flags.output, output);
  if (!written.ok()) return Fail(kExitRunFailed, written);
  return flags.optimizer->found_difference() ? kExitResultsDiffer : kExitFine;
}

// All that can be wrong with one module of a file is this one's problem.
int RunOnParts(absl::string_view contents, const std::string& name, const Flags& flags) {
  std::string output;
  int status = kExitFine;
  std::vector<std::string> parts = SplitInput(contents);
  // An empty file is as wrong as without the flag.
  if (parts.empty()) parts.emplace_back(contents);
  for (const std::string& part : parts) {
    const absl::StatusOr<ProgramFile> file = ReadProgram(part, name, flags.frontend);
    const absl::StatusOr<std::string> processed =
        file.ok() ? Process(*file->modules[0], flags) : absl::StatusOr<std::string>(file.status());
    if (processed.ok()) {
      AppendPart(*processed, &output);
    } else {
      status = FailProcessing(processed.status(), flags);
    }
  }
  const int finished = Finish(output, flags);
  return status == kExitFine ? finished : status;
}

int RunOnProgram(const absl::StatusOr<ProgramFile>& file, const Flags& flags) {
  if (!file.ok()) return Fail(kExitBadInput, file.status());
  for (const std::string& warning : file->warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const absl::StatusOr<std::vector<HloModule*>> modules = ModulesToPrint(*file, flags);
  if (!modules.ok()) return Fail(kExitBadUsage, modules.status());

  std::string output;
  for (HloModule* module : *modules) {
    const absl::StatusOr<std::string> processed = Process(*module, flags);
    if (!processed.ok()) return FailProcessing(processed.status(), flags);
    AppendPart(*processed, &output);
  }
  return Finish(output, flags);
}

int RunOpt(const Flags& flags) {
  if (IsNnefToNnef(flags)) return ConvertNnef(flags);
  if (IsNnef1(flags.file, flags.frontend))
    return RunOnProgram(ReadNnef1Program(flags.file, Nnef1FlagsOf(flags)), flags);
  const absl::StatusOr<std::shared_ptr<const FileContents>> read = ReadProgramContents(flags.file);
  if (!read.ok()) return Fail(kExitBadInput, read.status());
  const absl::string_view contents = (*read)->data();
  const std::string name = flags.file == "-" ? "<standard input>" : flags.file;
  if (flags.views.split_input_file && FrontendFor(contents, flags.frontend) == "hlo" &&
      DetectHloFormat(contents) == HloFileFormat::kHloText) {
    return RunOnParts(contents, name, flags);
  }
  return RunOnProgram(ReadProgram(contents, name, flags.frontend), flags);
}

// A file that holds one module, verified.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path, const Flags& flags) {
  ASSIGN_OR_RETURN(ProgramFile file, ReadProgramAt(path, flags));
  ASSIGN_OR_RETURN(HloModule* const chosen, ChooseModule(file, flags.module, "--module"));
  RETURN_IF_ERROR(Verify(*chosen, flags));
  for (auto& module : file.modules) {
    if (module.get() == chosen) return std::move(module);
  }
  return absl::InternalError("the chosen module is not in the file");
}

int RunDiff(const std::vector<std::string>& files, const Flags& flags) {
  const absl::StatusOr<std::unique_ptr<HloModule>> before = ReadModule(files[0], flags);
  if (!before.ok()) return Fail(kExitBadInput, before.status());
  const absl::StatusOr<std::unique_ptr<HloModule>> after = ReadModule(files[1], flags);
  if (!after.ok()) return Fail(kExitBadInput, after.status());
  DiffOptions options;
  options.color = flags.output == "-" && isatty(STDOUT_FILENO) != 0;
  const ModuleDiff diff = DiffModules(**before, **after, options);
  const absl::Status written = WriteFile(flags.output, diff.text);
  if (!written.ok()) return Fail(kExitRunFailed, written);
  return diff.same ? kExitFine : kExitResultsDiffer;
}

int RunReduce(const std::string& file, const Flags& flags) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(file, flags);
  if (!module.ok()) return Fail(kExitBadInput, module.status());
  const absl::Status status = RunReduction(**module, flags.views.reduce, flags.output);
  if (status.ok()) return kExitFine;
  return Fail(absl::IsInvalidArgument(status) ? kExitBadUsage : kExitRunFailed, status);
}

int BadUsage(absl::string_view message) { return Fail(kExitBadUsage, absl::InvalidArgumentError(message)); }

int PrintListing(const absl::StatusOr<std::string>& listing) {
  if (!listing.ok()) return BadUsage(listing.status().message());
  std::printf("%s", listing->c_str());
  return kExitFine;
}

// The flags are checked before the program is read.
int OptimizeFile(const std::vector<std::string>& files, Flags& flags) {
  const std::string& analysis = flags.passes.print_analysis;
  if (!analysis.empty() && FindAnalysis(analysis) == nullptr) {
    return BadUsage(absl::StrCat("unknown analysis '", analysis, "'; expected one of\n", ListAnalyses()));
  }
  const absl::StatusOr<std::unique_ptr<Optimizer>> optimizer = Optimizer::Create(flags.passes);
  if (!optimizer.ok()) return BadUsage(optimizer.status().message());
  if (files.size() != 1) return BadUsage("expected one program; usage: hlo-opt FILE [FLAGS]; --help says more");
  flags.optimizer = optimizer->get();
  flags.file = files[0];
  return RunOpt(flags);
}

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
  if (table.version_asked()) {
    std::printf("%s", VersionText("hlo-opt", {}).c_str());
    return kExitFine;
  }
  const absl::Status spellings = ApplyXlaSpellings(flags.views, &flags.to);
  if (!spellings.ok()) return BadUsage(spellings.message());
  const absl::Status pass_spellings = ApplyXlaPassSpellings(&flags.passes);
  if (!pass_spellings.ok()) return BadUsage(pass_spellings.message());
  if (flags.passes.list_passes) return PrintListing(ListPasses(*others));
  if (flags.passes.list_pipelines) return PrintListing(ListPipelines(*others));
  if (flags.passes.print_analysis == "list") return PrintListing(ListAnalyses());
  if (flags.views.list_stages) {
    std::printf("hlo\nhtml\n");
    return kExitFine;
  }
  if (flags.views.diff) {
    if (others->size() != 2) return BadUsage("--diff expects two programs; usage: hlo-opt --diff A B");
    return RunDiff(*others, flags);
  }
  if (flags.views.reduce.reduce) {
    if (others->size() != 1) return BadUsage("--reduce expects one program");
    return RunReduce((*others)[0], flags);
  }
  return OptimizeFile(*others, flags);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
