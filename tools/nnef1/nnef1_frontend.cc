// The frontend of NNEF 1 models: their flags, their cycles, what the tools read and write of them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/writing/write_model.h"
#include "tools/frontends/registry.h"
#include "tools/nnef1/program.h"
#include "tools/nnef_common/activations.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What is fed, but for images, comes from --input.
struct Flags {
  Nnef1Flags program;
  std::string statistics;  // "": none are written
  std::string dump_all;    // "": nothing is written
};

FrontendDescription Description() {
  FrontendDescription description;
  description.name = "nnef";
  description.program = "an NNEF model";
  description.file = "the folder or archive of an NNEF 1 model";
  description.has_weights = true;
  description.output_forms = {{"nnef", "the folder of an NNEF 1 model, or, without -o, its description"}};
  description.array_suffix = std::string(nnef1::kTensorFileSuffix);
  description.input_help = "An NNEF model also takes NAME=FILE, and .dat files";
  description.output_help =
      "to tensor files of NNEF if PATH ends in .dat: one, several separated by commas, or DIR/*.dat, where * stands "
      "for the names";
  return description;
}

// ---- Flags

void AddReadFlags(Nnef1ReadFlags* flags, FlagTable* table) {
  table->List("shape", "NAME=EXTENTS", &flags->shapes,
              "replace the declared extents of an input, as input=4,3,224,224; may be repeated");
  table->Choice("scalars", {"f32", "f64", "f16", "bf16"}, &flags->scalars,
                "compute scalars in this type (default: f32)");
  table->Switch("simulate-quantization", &flags->simulate_quantization, "round tensors as graph.quant specifies");
}

void AddCycleFlags(Flags* flags, FlagTable* table) {
  table->Number("cycles", "N", &flags->program.inputs.cycles, 1,
                "run N times and keep the variables between runs (default: as often as there are inputs)");
  table->Text("statistics", "FILE", &flags->statistics,
              "write minimum, maximum, mean, deviation and number of NaN of each named tensor as JSON");
  table->Text("dump-all", "DIR", &flags->dump_all, "write each named tensor to DIR/NAME.dat");
  table->Note(
      "--weights constant (the default) compiles variables into the program, --weights parameter passes them as "
      "arguments. An --input without NAME is the next input of the graph; after the last input comes the "
      "first of the next cycle. "
      "An input with one value has it in all cycles; its extents replace the declared ones. Results of several cycles "
      "are called NAME.0, NAME.1, ...");
}

void AddImageFlags(FedInputFlags* flags, FlagTable* table) {
  table->Topic("images", "PNG and JPEG images as inputs of NNEF models");
  table->List("image", "NAME=FILE", &flags->images,
              "use an image as the next value of an input, scaled to its height and width; may be repeated");
  table->Text("mean", "LIST", &flags->image.mean,
              "subtract this from pixels, which are from 0 to 255: a number, or one for each channel (default: 0)");
  table->Text("std", "LIST", &flags->image.deviation, "then divide pixels by this (default: 255)");
  table->Choice("layout", {"nchw", "nhwc"}, &flags->image.layout,
                "set the dimension order of the input (default: nchw)");
  table->Choice("channel-order", {"rgb", "bgr"}, &flags->image.channel_order,
                "set the order of its channels (default: rgb)");
}

// ---- Running

// All cycles of a model, one after the other, as one run.
class CycleRunner : public ProgramRunner {
 public:
  CycleRunner(std::unique_ptr<Nnef1Program> program, const Flags& flags)
      : program_(std::move(program)), statistics_(flags.statistics), dump_all_(flags.dump_all) {}

  int64_t input_count() const override {
    return program_->needs_inputs() ? static_cast<int64_t>(program_->input_names().size()) : 0;
  }

  absl::StatusOr<Literal> Run(const std::vector<Literal>& inputs, const Launch& launch) override {
    ASSIGN_OR_RETURN(activations_, program_->RunCycles(inputs, launch));
    std::vector<Literal> outputs;
    for (const std::vector<Literal>& cycle : activations_) {
      outputs.insert(outputs.end(), cycle.begin(), cycle.begin() + program_->output_names().size());
    }
    return Literal::Tuple(std::move(outputs));
  }

  absl::Status WriteReports() const override {
    const std::vector<std::string>& names = program_->all_names();
    if (!statistics_.empty()) {
      ASSIGN_OR_RETURN(const std::string statistics, StatisticsJson(names, activations_));
      RETURN_IF_ERROR(WriteFile(statistics_, statistics));
    }
    return dump_all_.empty() ? absl::OkStatus() : DumpActivations(names, activations_, dump_all_, nnef1::Nnef1Format());
  }

  bool reports_to_standard_output() const override { return statistics_ == "-"; }

 private:
  const std::unique_ptr<Nnef1Program> program_;
  const std::string statistics_;
  const std::string dump_all_;
  ActivationCycles activations_;  // of the last run
};

// ---- Writing

// Written to a path it is a folder; its text is the description.
ConvertedProgram Written(nnef1::Model model) {
  ConvertedProgram converted;
  converted.text = nnef1::WriteFlatDocument(model.graph);
  converted.warnings = model.warnings;
  const auto shared = std::make_shared<const nnef1::Model>(std::move(model));
  converted.write = [shared](const std::string& folder) { return nnef1::WriteModel(*shared, folder); };
  return converted;
}

// A name that no other programs have. What else such a file holds is a mistake that is told in the terms of NNEF.
bool IsNamedAsModel(absl::string_view path) {
  for (const absl::string_view suffix : {".nnef", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"}) {
    if (absl::EndsWithIgnoreCase(path, suffix)) return true;
  }
  return false;
}

class Nnef1Frontend : public Frontend {
 public:
  Nnef1Frontend() : Frontend(Description()) {}

  void AddFlags(Tool tool, FlagTable* table) override {
    if (tool == Tool::kHloRun) table->Topic("nnef", "NNEF 1 models: shapes, cycles, intermediate tensors");
    AddReadFlags(&flags_.program.read, table);
    if (tool != Tool::kHloRun) return;
    AddCycleFlags(&flags_, table);
    AddImageFlags(&flags_.program.inputs, table);
  }

  absl::Status CheckFlags() const override {
    const FedInputFlags& inputs = flags_.program.inputs;
    if (!inputs.images.empty() || inputs.image.IsDefault()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--mean, --std, --layout and --channel-order are for images; give one with --image NAME=FILE");
  }

  Recognition Recognize(const ProgramSource& source) const override {
    if (source.is_standard_input()) {
      const absl::StatusOr<absl::string_view> contents = source.Contents();
      const bool is_model = contents.ok() && nnef1::LooksLikeNnef1InMemory(*contents);
      return is_model ? Recognition::kByContent : Recognition::kNot;
    }
    if (nnef1::LooksLikeNnef1(source.path())) return Recognition::kByContent;
    // A folder that lacks its description is a damaged model.
    return source.is_folder() || IsNamedAsModel(source.path()) ? Recognition::kByName : Recognition::kNot;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) override {
    Nnef1Flags flags = flags_.program;
    flags.inputs.files = request.inputs;
    flags.variables_are_parameters = request.weights_are_parameters;
    flags.all_activations = !flags_.statistics.empty() || !flags_.dump_all.empty();
    ASSIGN_OR_RETURN(std::unique_ptr<Nnef1Program> program, Nnef1Program::Load(source, flags, request.resources));
    LoadedProgram loaded;
    loaded.file.format = "NNEF 1 model";
    loaded.file.modules.push_back(program->TakeModule());
    loaded.file.warnings = program->warnings();
    loaded.file.input_names = program->input_names();
    loaded.file.output_names = CycleNames(program->output_names(), program->cycles());
    loaded.details = absl::StrFormat("%d cycles", program->cycles());
    if (request.weights_are_parameters) loaded.weights = program->weights();
    loaded.runner = std::make_unique<CycleRunner>(std::move(program), flags_);
    return loaded;
  }

  absl::StatusOr<ConvertedProgram> Convert(const HloModule& module, absl::string_view /*form*/) const override {
    ASSIGN_OR_RETURN(nnef1::Model model, nnef1::ModelFromHlo(module));
    return Written(std::move(model));
  }

  absl::StatusOr<absl::optional<ConvertedProgram>> ConvertDirectly(const ProgramSource& source,
                                                                   absl::string_view /*form*/,
                                                                   const ResourceContext* resources) const override {
    ASSIGN_OR_RETURN(nnef1::Model model, LoadNnef1Model(source, flags_.program.read, resources));
    return absl::optional<ConvertedProgram>(Written(std::move(model)));
  }

  absl::Status WriteArrays(const std::vector<NamedArray>& arrays, const std::string& path,
                           const ResourceContext* resources) const override {
    return WriteTensorFiles(arrays, path, nnef1::Nnef1Format(), resources);
  }

 private:
  Flags flags_;
};

const bool kRegistered = [] {
  RegisterFrontend([] { return std::make_unique<Nnef1Frontend>(); });
  return true;
}();

}  // namespace
}  // namespace xla
