// The frontend of NNEF 1 models: their flags, their cycles, what the tools read and write of them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/writing/write_model.h"
#include "tools/frontends/registry.h"
#include "tools/nnef1/program.h"
#include "tools/nnef_common/activations.h"
#include "tools/nnef_common/cycle_runner.h"
#include "tools/nnef_common/model_source.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

struct Flags {
  NnefReadFlags read;
  NnefRunFlags run;
};

FrontendDescription Description() {
  FrontendDescription description;
  description.name = "nnef";
  description.program = "an NNEF model";
  description.file = "an NNEF 1 model";
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

constexpr char kCyclesNote[] =
    "--weights constant (the default) compiles variables into the program, --weights parameter passes them as "
    "arguments. An --input without NAME is the next input of the graph; after the last input comes the "
    "first of the next cycle. "
    "An input with one value has it in all cycles; its extents replace the declared ones. Results of several cycles "
    "are called NAME.0, NAME.1, ...";

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
    BeginNnefTopic(tool, table);
    AddNnefReadFlags(&flags_.read, table);
    if (tool != Tool::kHloRun) return;
    AddNnefCycleFlags(&flags_.run, table);
    table->Note(kCyclesNote);
    table->Topic("images", "PNG and JPEG images as inputs of NNEF models");
    AddNnefImageFlags(&flags_.run.inputs, table);
  }

  absl::Status CheckFlags() const override { return CheckNnefImageFlags(flags_.run.inputs); }

  Recognition Recognize(const ProgramSource& source) const override {
    if (LooksLikeModelSource(source, nnef1::Nnef1Format())) return Recognition::kByContent;
    if (source.is_standard_input()) return Recognition::kNot;
    // A folder that lacks its description is a damaged model.
    return source.is_folder() || IsNamedAsModel(source.path()) ? Recognition::kByName : Recognition::kNot;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) override {
    Nnef1Flags flags;
    flags.read = flags_.read;
    flags.inputs = flags_.run.inputs;
    flags.inputs.files = request.inputs;
    flags.variables_are_parameters = request.weights_are_parameters;
    flags.all_activations = flags_.run.all_activations();
    ASSIGN_OR_RETURN(std::unique_ptr<NnefProgram> program, LoadNnef1Program(source, flags, request.resources));
    std::vector<int64_t> weights = program->weights();
    LoadedProgram loaded = LoadedNnefProgram(std::move(program), flags_.run, "NNEF 1 model");
    if (request.weights_are_parameters) loaded.weights = std::move(weights);
    return loaded;
  }

  absl::StatusOr<ConvertedProgram> Convert(const HloModule& module, absl::string_view /*form*/) const override {
    ASSIGN_OR_RETURN(nnef1::Model model, nnef1::ModelFromHlo(module));
    return Written(std::move(model));
  }

  absl::StatusOr<absl::optional<ConvertedProgram>> ConvertDirectly(const ProgramSource& source,
                                                                   absl::string_view /*form*/,
                                                                   const ResourceContext* resources) const override {
    ASSIGN_OR_RETURN(nnef1::Model model, LoadNnef1Model(source, flags_.read, resources));
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
