// hlo-opt: reads a program by way of a frontend, checks it, and writes it in the same or another form.
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
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "passes/all_analyses.h"
#include "passes/partitioning/partition_report.h"
#include "tools/frontends/frontend.h"
#include "tools/frontends/frontend_set.h"
#include "tools/frontends/program_source.h"
#include "tools/optimizing/check_arguments.h"
#include "tools/optimizing/optimize_module.h"
#include "tools/optimizing/pass_flags.h"
#include "tools/optimizing/pass_listing.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/process_limits.h"
#include "tools/shared/run_arguments.h"
#include "tools/shared/version_text.h"
#include "tools/views/cost_table.h"
#include "tools/views/instruction_cost.h"
#include "tools/views/mesh_cost_view.h"
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

constexpr char kProgram[] = "hlo-opt";

struct Flags {
  const FrontendSet* frontends = nullptr;
  std::vector<FlagTable::OwnedFlag> of_frontends;  // those that were given
  std::string weights;                             // "": constant, where a frontend knows weights
  std::string module;
  std::string to = "text";
  std::string output = "-";
  bool verify_only = false;
  bool verbose = false;
  bool strict = false;
  absl::Duration timeout = absl::InfiniteDuration();
  int64_t max_memory = 0;  // no limit
  ProcessLimits* limits = nullptr;
  bool elide_constants = false;
  bool without_metadata = false;
  bool ids = false;
  ViewFlags views;
  PassFlags passes;
  Optimizer* optimizer = nullptr;  // that does what `passes` says
};

// How many instructions --cost shows.
constexpr int64_t kTopInstructions = 20;

std::vector<std::string> OutputForms(const FrontendSet& frontends) {
  std::vector<std::string> forms = {"text", "short", "canonical", "proto", "pbtxt"};
  for (const auto& frontend : frontends.all()) {
    for (const OutputForm& form : frontend->description().output_forms) forms.push_back(form.name);
  }
  forms.insert(forms.end(), ViewForms().begin(), ViewForms().end());
  return forms;
}

std::string OutputFormsHelp(const FrontendSet& frontends) {
  std::string help =
      "print HLO text in full, short, or with canonical names; HloModuleProto in binary or text form; a graph for "
      "Graphviz; a page for a browser; JSON (default: text)";
  for (const auto& frontend : frontends.all()) {
    for (const OutputForm& form : frontend->description().output_forms) {
      absl::StrAppend(&help, "; ", form.name, ": ", form.help);
    }
  }
  return help;
}

std::string Summary(const FrontendSet& frontends) {
  return absl::StrCat("Verifies a program, optimizes it if asked to, and prints it. FILE is ", frontends.Files(),
                      ", recognized by its content; - is standard input.\n\n"
                      "  hlo-opt model.hlo --to proto -o model.hlo.pb\n"
                      "  hlo-opt model.hlo --pipeline simplify --stats -o smaller.hlo\n\n"
                      "Exit status: 0 fine, 1 differences found, 2 bad usage, 3 bad input, 4 failure.");
}

void AddWeightsFlag(const FrontendSet& frontends, Flags& flags, FlagTable* table) {
  std::vector<std::string> programs;
  for (const Frontend* frontend : frontends.with_weights()) programs.push_back(frontend->description().program);
  std::string help =
      "with --check-each-pass, give these parameters, 3-160 or 0,2,5-7, or those with \"role\": \"weight\" in the file "
      "of --inputs-json, the same values in all sets of arguments: your own";
  if (!programs.empty()) {
    absl::StrAppend(&help, ". Of ", JoinedByOr(programs),
                    ": convert the weights to constant (the default) or parameter");
  }
  const auto set = [&flags](absl::string_view value) {
    std::string& target =
        value == kConstantWeights || value == kParameterWeights ? flags.weights : flags.passes.same_weights;
    target = std::string(value);
    return absl::OkStatus();
  };
  table->Value("weights", "RANGE|role", set, std::move(help));
}

FlagTable MakeFlagTable(Flags& flags, FrontendSet& frontends) {
  FlagTable table("hlo-opt FILE [FLAGS]", Summary(frontends));
  table.Topic("input", "what is read and checked");
  frontends.AddFrontendFlag(&table);
  table.Text("module", "NAME|K", &flags.module,
             "choose one module of a file with several: by name, or by number from 0");
  table.Switch("verify-only", &flags.verify_only,
               "verify the program and print only errors, and warnings about what is odd but has a meaning");
  table.Switch("verbose", &flags.verbose, "warn of what looks like a mistake in the program, too");
  table.Switch("strict", &flags.strict, "refuse a program that is odd");
  table.Duration("timeout", "TIME", &flags.timeout,
                 "stop this long after the start: 10, 1.5s, 2m, ... (default: never)");
  table.Bytes("max-memory", "SIZE", &flags.max_memory,
              "stop rather than hold more than this: 512M, 2G, ... (default: no limit)");
  AddWeightsFlag(frontends, flags, &table);
  frontends.AddFlags(Tool::kHloOpt, &table);
  table.Topic("output", "what is printed");
  table.Choice("to", OutputForms(frontends), &flags.to, OutputFormsHelp(frontends));
  table.Text("output", "FILE", &flags.output, "write to FILE (default: standard output)");
  table.Alias("-o");
  table.Switch("elide-constants", &flags.elide_constants,
               "print large constants as {...}; such text can be read but not run");
  table.Switch("without-metadata", &flags.without_metadata, "leave out metadata and stack frames");
  table.Switch("ids", &flags.ids, "print the ids of instructions");
  AddPassFlags(&table, &flags.passes);
  AddViewFlags(&table, &flags.views);
  table.Version(VersionText(kProgram, {}), "print the version of Halo and the linked backends");
  return table;
}

struct PrintForm {
  const char* name;
  PrintOptions (*options)();
};
constexpr PrintForm kTextForms[] = {
    {"text", PrintOptions::Long}, {"short", PrintOptions::Short}, {"canonical", PrintOptions::Canonical}};

// The frontend whose form --to names; nullptr: it is one of hlo-opt itself.
const Frontend* Writer(const Flags& flags) { return flags.frontends->WriterOf(flags.to); }

// The module in the form that --to names, unless that is a frontend's.
absl::StatusOr<std::string> ConvertToText(const HloModule& module, const Flags& flags) {
  for (const PrintForm& form : kTextForms) {
    if (flags.to != form.name) continue;
    PrintOptions options = form.options();
    options.elide_large_constants = flags.elide_constants;
    options.ids = flags.ids;
    if (flags.without_metadata) options.metadata = false;
    return PrintModule(module, options, &flags.limits->resources());
  }
  if (IsViewForm(flags.to)) {
    return ModuleAsView(module, flags.to, {flags.elide_constants, !flags.without_metadata, &flags.limits->resources()});
  }
  return WriteHloProto(module, flags.to == "proto" ? ProtoEncoding::kBinary : ProtoEncoding::kText,
                       HloProtoKind::kModule, &flags.limits->resources());
}

// Whether several modules can stand one after the other.
bool IsTextForm(const Flags& flags) {
  if (flags.views.cost) return flags.views.mesh_cost.topology.empty() || flags.to != "json";
  return flags.to != "proto" && flags.to != "pbtxt" && Writer(flags) == nullptr &&
         (flags.to == "dot" || !IsViewForm(flags.to));
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

// A program of the command line, and what reads it.
struct Input {
  ProgramSource source;
  Frontend* reader;
};

absl::StatusOr<LoadedProgram> Load(const Input& input, const Flags& flags) {
  LoadRequest request;
  request.inputs = flags.passes.inputs;
  request.weights_are_parameters = flags.weights == kParameterWeights;
  request.only_checks = flags.verify_only;
  request.warns_of_oddities = flags.verbose;
  request.resources = &flags.limits->resources();
  flags.limits->EnterPhase("reading the program");
  return input.reader->Load(input.source, request);
}

void PrintWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

ExitCode Fail(ExitCode code, const absl::Status& status) {
  std::fprintf(stderr, "%s: %s\n", kProgram, std::string(status.message()).c_str());
  return code;
}

// Finds what reads the programs in `files`, which have to be programs that the given flags of frontends are for. Prints
// what is wrong and returns the exit code for it.
ExitCode FindReaders(const std::vector<std::string>& files, const Flags& flags, std::vector<Input>* inputs) {
  std::vector<const Frontend*> readers;
  for (const std::string& file : files) {
    ProgramSource source(file);
    const absl::StatusOr<Frontend*> reader = flags.frontends->ReaderOf(source);
    if (!reader.ok()) return Fail(kExitBadInput, reader.status());
    inputs->push_back({std::move(source), *reader});
    readers.push_back(*reader);
  }
  absl::Status usage = flags.frontends->CheckFlags(flags.of_frontends, flags.weights, readers);
  for (const Frontend* reader : readers) usage.Update(reader->CheckFlags());
  return usage.ok() ? kExitFine : Fail(kExitBadUsage, usage);
}

// An error in what came in, unless a limit that the user set was reached.
int FailReading(const absl::Status& status, const Flags& flags) {
  const bool is_limit =
      flags.limits->resources().IsOver() || (flags.max_memory > 0 && absl::IsResourceExhausted(status));
  return Fail(is_limit ? kExitRunFailed : kExitBadInput, status);
}

// The same, unless a pass failed.
int FailProcessing(const absl::Status& status, const Flags& flags) {
  return flags.optimizer->failed() ? Fail(kExitRunFailed, status) : FailReading(status, flags);
}

// Whether the program is checked and written in another form, and nothing else looks at it.
bool OnlyConverts(const Flags& flags) {
  return flags.passes.passes.empty() && flags.passes.pipeline.empty() && flags.passes.print_analysis.empty() &&
         flags.passes.explain_sharding.empty() && !flags.views.cost && !flags.views.diff &&
         !flags.views.reduce.reduce && flags.views.extract.empty() && !IsViewForm(flags.to) && Writer(flags) == nullptr;
}

// Checks what was read; prints warnings where checking is all that is asked for.
absl::Status Verify(const HloModule& module, const Flags& flags) {
  std::vector<std::string> warnings;
  VerifierOptions options;
  options.strict = flags.strict;
  if (flags.verify_only) options.warnings = &warnings;
  options.allow_unbounded_dimensions = OnlyConverts(flags);
  options.resources = &flags.limits->resources();
  flags.limits->EnterPhase("verifying the program");
  const absl::Status status = VerifyModule(module, options);
  PrintWarnings(warnings);
  return status;
}

absl::StatusOr<ConvertedProgram> OnlyText(absl::StatusOr<std::string> text) {
  ConvertedProgram converted;
  ASSIGN_OR_RETURN(converted.text, std::move(text));
  return converted;
}

absl::StatusOr<ConvertedProgram> CostOnMesh(const HloModule& module, const Flags& flags) {
  flags.limits->EnterPhase("predicting the cost of the program");
  ASSIGN_OR_RETURN(MeshCostView view,
                   ViewMeshCost(module, flags.views.mesh_cost, flags.to == "json", &flags.limits->resources()));
  ConvertedProgram converted;
  converted.text = std::move(view.text);
  converted.warnings = std::move(view.warnings);
  return converted;
}

// The arguments that a program with a runner launches its module with first.
absl::StatusOr<DeviceArguments> ArgumentsOfRunner(ProgramRunner& runner, const DeviceArguments& given) {
  DeviceArguments arguments;
  const auto launch = [&](const std::vector<Literal>& launched) -> absl::StatusOr<Literal> {
    arguments.push_back(launched);
    return absl::CancelledError("the arguments are all that is asked for");
  };
  const absl::Status status = runner.Run(given.empty() ? std::vector<Literal>() : given[0], launch).status();
  if (arguments.empty()) RETURN_IF_ERROR(status);
  return arguments;
}

ProgramData DataOf(const LoadedProgram& program, const std::string& file) {
  ProgramData data;
  data.file = file;
  data.input_names = program.file.input_names;
  if (program.runner != nullptr) {
    data.given_count = program.runner->input_count();
    data.complete = [runner = program.runner.get()](const DeviceArguments& given) {
      return ArgumentsOfRunner(*runner, given);
    };
  } else if (!program.file.arguments.empty()) {
    data.complete = [&arguments = program.file.arguments](const DeviceArguments&) -> absl::StatusOr<DeviceArguments> {
      return arguments;
    };
  }
  return data;
}

// What is to be written for one module; nothing with --verify-only.
absl::StatusOr<ConvertedProgram> Process(HloModule& module, const ProgramData& data, const Flags& flags) {
  RETURN_IF_ERROR(Verify(module, flags));
  if (!flags.views.extract.empty()) {
    ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> extracted, Extracted(module, flags.views));
    Flags rest = flags;
    rest.views.extract.clear();
    ProgramData of_part;
    of_part.file = data.file;
    return Process(*extracted, of_part, rest);
  }
  flags.limits->EnterPhase("running passes");
  RETURN_IF_ERROR(flags.optimizer->Optimize(module, data));
  flags.limits->EnterPhase("printing the program");
  if (flags.verify_only) return ConvertedProgram();
  if (!flags.passes.print_analysis.empty()) {
    return OnlyText(FindAnalysis(flags.passes.print_analysis)->Print(module, &flags.limits->resources()));
  }
  if (!flags.passes.explain_sharding.empty()) {
    return OnlyText(ExplainShardingIn(module, flags.passes.explain_sharding, &flags.limits->resources()));
  }
  if (flags.views.cost && !flags.views.mesh_cost.topology.empty()) return CostOnMesh(module, flags);
  if (flags.views.cost) {
    ASSIGN_OR_RETURN(const CostFunction costs, CostsOf(module, &flags.limits->resources()));
    return OnlyText(CostTable(module, costs, kTopInstructions, &flags.limits->resources()));
  }
  const Frontend* const writer = Writer(flags);
  return writer == nullptr ? OnlyText(ConvertToText(module, flags)) : writer->Convert(module, flags.to);
}

// Adds the next module to what is written.
void Append(ConvertedProgram part, ConvertedProgram* output) {
  absl::StrAppend(&output->text, output->text.empty() || part.text.empty() ? "" : "// -----\n", part.text);
  output->write = std::move(part.write);
  PrintWarnings(part.warnings);
}

int Finish(const ConvertedProgram& output, const Flags& flags) {
  if (!flags.verify_only) {
    const bool is_text = output.write == nullptr || flags.output == "-";
    const absl::Status written = is_text ? WriteFile(flags.output, output.text) : output.write(flags.output);
    if (!written.ok()) return Fail(kExitRunFailed, written);
  }
  return flags.optimizer->found_difference() ? kExitResultsDiffer : kExitFine;
}

// All that can be wrong with one module of a file is this one's problem.
int RunOnParts(const Input& input, const Flags& flags) {
  ConvertedProgram output;
  int status = kExitFine;
  const absl::string_view contents = *input.source.Contents();
  std::vector<std::string> parts = SplitInput(contents);
  // An empty file is as wrong as without the flag.
  if (parts.empty()) parts.emplace_back(contents);
  for (const std::string& part : parts) {
    const Input part_input = {ProgramSource::PartOf(input.source, part), input.reader};
    const absl::StatusOr<LoadedProgram> program = Load(part_input, flags);
    absl::StatusOr<ConvertedProgram> processed =
        program.ok() ? Process(*program->file.modules[0], DataOf(*program, part_input.source.name()), flags)
                     : absl::StatusOr<ConvertedProgram>(program.status());
    if (processed.ok()) {
      Append(*std::move(processed), &output);
    } else {
      status = FailProcessing(processed.status(), flags);
    }
  }
  const int finished = Finish(output, flags);
  return status == kExitFine ? finished : status;
}

int RunOnProgram(const LoadedProgram& program, const std::string& name, const Flags& flags) {
  const ProgramFile& file = program.file;
  const ProgramData data = DataOf(program, name);
  PrintWarnings(file.warnings);
  const absl::StatusOr<std::vector<HloModule*>> modules = ModulesToPrint(file, flags);
  if (!modules.ok()) return Fail(kExitBadUsage, modules.status());

  ConvertedProgram output;
  for (HloModule* module : *modules) {
    absl::StatusOr<ConvertedProgram> processed = Process(*module, data, flags);
    if (!processed.ok()) return FailProcessing(processed.status(), flags);
    Append(*std::move(processed), &output);
  }
  return Finish(output, flags);
}

// Writes a program of a frontend in a form of the same one, if it can be without HLO and nothing is to be done to that;
// nullopt if it has to become HLO.
absl::optional<int> ConvertDirectly(const Input& input, const Flags& flags) {
  if (Writer(flags) != input.reader || !flags.passes.passes.empty() || !flags.passes.pipeline.empty()) {
    return absl::nullopt;
  }
  flags.limits->EnterPhase("reading the program");
  const absl::StatusOr<absl::optional<ConvertedProgram>> converted =
      input.reader->ConvertDirectly(input.source, flags.to, &flags.limits->resources());
  if (!converted.ok()) return FailReading(converted.status(), flags);
  if (!converted->has_value()) return absl::nullopt;
  PrintWarnings((*converted)->warnings);
  return Finish(**converted, flags);
}

int RunOpt(const std::string& file, const Flags& flags) {
  std::vector<Input> inputs;
  const ExitCode code = FindReaders({file}, flags, &inputs);
  if (code != kExitFine) return code;
  const Input& input = inputs[0];
  const absl::optional<int> converted = ConvertDirectly(input, flags);
  if (converted.has_value()) return *converted;
  if (flags.views.split_input_file && input.reader->IsSplittable(input.source)) return RunOnParts(input, flags);
  const absl::StatusOr<LoadedProgram> program = Load(input, flags);
  return program.ok() ? RunOnProgram(*program, input.source.name(), flags) : FailReading(program.status(), flags);
}

// A file that holds one module, verified.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const Input& input, const Flags& flags) {
  ASSIGN_OR_RETURN(LoadedProgram program, Load(input, flags));
  ASSIGN_OR_RETURN(HloModule* const chosen, ChooseModule(program.file, flags.module, "--module"));
  RETURN_IF_ERROR(Verify(*chosen, flags));
  for (auto& module : program.file.modules) {
    if (module.get() == chosen) return std::move(module);
  }
  return absl::InternalError("the chosen module is not in the file");
}

int RunDiff(const std::vector<std::string>& files, const Flags& flags) {
  std::vector<Input> inputs;
  const ExitCode code = FindReaders(files, flags, &inputs);
  if (code != kExitFine) return code;
  const absl::StatusOr<std::unique_ptr<HloModule>> before = ReadModule(inputs[0], flags);
  if (!before.ok()) return FailReading(before.status(), flags);
  const absl::StatusOr<std::unique_ptr<HloModule>> after = ReadModule(inputs[1], flags);
  if (!after.ok()) return FailReading(after.status(), flags);
  DiffOptions options;
  flags.limits->EnterPhase("comparing the programs");
  options.color = flags.output == "-" && isatty(STDOUT_FILENO) != 0;
  options.resources = &flags.limits->resources();
  const absl::StatusOr<ModuleDiff> diff = DiffModules(**before, **after, options);
  if (!diff.ok()) return Fail(kExitRunFailed, diff.status());
  const absl::Status written = WriteFile(flags.output, diff->text);
  if (!written.ok()) return Fail(kExitRunFailed, written);
  return diff->same ? kExitFine : kExitResultsDiffer;
}

int RunReduce(const std::string& file, const Flags& flags) {
  std::vector<Input> inputs;
  const ExitCode code = FindReaders({file}, flags, &inputs);
  if (code != kExitFine) return code;
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ReadModule(inputs[0], flags);
  if (!module.ok()) return FailReading(module.status(), flags);
  flags.limits->EnterPhase("reducing the program");
  const absl::Status status = RunReduction(**module, flags.views.reduce, flags.output, flags.limits->resources());
  if (status.ok()) return kExitFine;
  return Fail(absl::IsInvalidArgument(status) ? kExitBadUsage : kExitRunFailed, status);
}

int BadUsage(absl::string_view message) { return xla::BadUsage(kProgram, message); }

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
  const absl::StatusOr<std::unique_ptr<Optimizer>> optimizer =
      Optimizer::Create(flags.passes, flags.limits->resources());
  if (!optimizer.ok()) return BadUsage(optimizer.status().message());
  if (files.size() != 1) return BadUsage("expected one program; usage: hlo-opt FILE [FLAGS]; --help says more");
  flags.optimizer = optimizer->get();
  return RunOpt(files[0], flags);
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  FrontendSet frontends;
  Flags flags;
  flags.frontends = &frontends;
  FlagTable table = MakeFlagTable(flags, frontends);
  std::vector<std::string> others;
  const absl::optional<int> ended = ReadCommandLine(kProgram, argc, argv, table, &others);
  if (ended.has_value()) return *ended;
  flags.of_frontends = table.given_flags();
  ProcessLimits limits(kProgram, flags.timeout, flags.max_memory);
  flags.limits = &limits;
  const absl::Status spellings = ApplyXlaSpellings(flags.views, &flags.to);
  if (!spellings.ok()) return BadUsage(spellings.message());
  const absl::Status mesh_cost = CheckMeshCostFlags(flags.views.mesh_cost, flags.views.cost);
  if (!mesh_cost.ok()) return BadUsage(mesh_cost.message());
  const absl::Status pass_spellings = ApplyXlaPassSpellings(&flags.passes);
  if (!pass_spellings.ok()) return BadUsage(pass_spellings.message());
  if (flags.passes.list_passes) return PrintListing(ListPasses(others));
  if (flags.passes.list_pipelines) return PrintListing(ListPipelines(others));
  if (flags.passes.print_analysis == "list") return PrintListing(ListAnalyses());
  if (flags.views.list_stages) {
    std::printf("hlo\nhtml\n");
    return kExitFine;
  }
  if (flags.views.diff) {
    if (others.size() != 2) return BadUsage("--diff expects two programs; usage: hlo-opt --diff A B");
    return RunDiff(others, flags);
  }
  if (flags.views.reduce.reduce) {
    if (others.size() != 1) return BadUsage("--reduce expects one program");
    return RunReduce(others[0], flags);
  }
  return OptimizeFile(others, flags);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
