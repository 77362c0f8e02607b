// The frontend of NNEF 2 models: their flags, their cycles, what the tools read and write of them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "builders/nnef2/composition/print_composed_graph.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/language/parser.h"
#include "builders/nnef2/language/printer.h"
#include "builders/nnef_common/containers/model_texts.h"
#include "tools/frontends/registry.h"
#include "tools/nnef2/program.h"
#include "tools/nnef_common/activations.h"
#include "tools/nnef_common/cycle_runner.h"
#include "tools/nnef_common/model_source.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kTextForm[] = "sknd";
constexpr char kFlatForm[] = "sknd-flat";

FrontendDescription Describe() {
  FrontendDescription description;
  description.name = "nnef2";
  description.program = "an NNEF 2 model";
  description.file = "an NNEF 2 model";
  description.help_topic = kNnefTopic;
  description.has_weights = true;
  description.output_forms = {{kTextForm, "the main module of an NNEF 2 model, formatted"},
                              {kFlatForm, "its graph as primitive operators with shapes"}};
  description.array_suffix = std::string(nnef2::kTensorFileSuffix);
  return description;
}

// The text of the main module, whether it is right or not.
absl::StatusOr<ConvertedProgram> Formatted(const ProgramSource& source, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container,
                   OpenModelSource(source, nnef2::Nnef2Format(), resources));
  if (!container->Has(nnef2::kMainModuleMember)) return nnef::NoDescription(*container);
  ASSIGN_OR_RETURN(const std::shared_ptr<const nnef2::Source> text,
                   nnef::ReadSource(*container, nnef2::kMainModuleMember, "main"));
  nnef2::Diagnostics diagnostics(resources);
  const std::shared_ptr<const nnef2::Module> module = nnef2::ParseModule(text, &diagnostics);
  if (module == nullptr) return diagnostics.ToStatus();
  ConvertedProgram converted;
  converted.text = nnef2::PrintModule(*module);
  return converted;
}

absl::StatusOr<ConvertedProgram> Flattened(const ProgramSource& source, const Nnef2Flags& flags,
                                           const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef2::LoadOptions options, Nnef2LoadOptions(flags, resources));
  options.load_data = false;
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container,
                   OpenModelSource(source, nnef2::Nnef2Format(), resources));
  ASSIGN_OR_RETURN(const nnef2::Model model, nnef2::LoadModel(*container, options));
  ConvertedProgram converted;
  converted.text = nnef2::PrintComposedGraph(model.graph);
  converted.warnings = model.warnings;
  return converted;
}

class Nnef2Frontend : public Frontend {
 public:
  Nnef2Frontend() : Frontend(Describe()) {}

  void AddFlags(Tool tool, FlagTable* table) override {
    BeginNnefTopic(tool, table);
    table->Text("graph", "NAME", &flags_.graph, "choose a graph of the main module (default: the first)");
    table->List("attribute", "NAME=VALUE", &flags_.attributes,
                "give an attribute of the graph a value, written as in SkriptND; may be repeated");
    AddNnefReadFlags(&flags_.read, table);
    if (tool != Tool::kHloRun) return;
    AddNnefCycleFlags(&run_, table);
    AddNnefImageFlags(&run_.inputs, table);
  }

  absl::Status CheckFlags() const override { return CheckNnefImageFlags(run_.inputs); }

  Recognition Recognize(const ProgramSource& source) const override {
    if (LooksLikeModelSource(source, nnef2::Nnef2Format())) return Recognition::kByContent;
    return absl::EndsWith(source.path(), nnef2::kModuleSuffix) ? Recognition::kByName : Recognition::kNot;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) override {
    Nnef2Flags flags = flags_;
    flags.inputs = run_.inputs;
    flags.inputs.files = request.inputs;
    flags.variables_are_parameters = request.weights_are_parameters;
    flags.all_activations = run_.all_activations();
    flags.only_checks = request.only_checks;
    flags.warns_of_oddities = request.warns_of_oddities;
    ASSIGN_OR_RETURN(std::unique_ptr<NnefProgram> program, LoadNnef2Program(source, flags, request.resources));
    std::vector<int64_t> weights = program->weights();
    LoadedProgram loaded = LoadedNnefProgram(std::move(program), run_, "NNEF 2 model");
    if (request.weights_are_parameters) loaded.weights = std::move(weights);
    return loaded;
  }

  absl::StatusOr<ConvertedProgram> Convert(const HloModule& /*module*/, absl::string_view form) const override {
    return absl::UnimplementedError(absl::StrCat(
        "--to ", form, " writes programs that were read from SkriptND, before passes; for HLO there is --to nnef"));
  }

  absl::StatusOr<absl::optional<ConvertedProgram>> ConvertDirectly(const ProgramSource& source, absl::string_view form,
                                                                   const ResourceContext* resources) const override {
    ASSIGN_OR_RETURN(ConvertedProgram converted,
                     form == kFlatForm ? Flattened(source, flags_, resources) : Formatted(source, resources));
    return absl::optional<ConvertedProgram>(std::move(converted));
  }

  absl::Status WriteArrays(const std::vector<NamedArray>& arrays, const std::string& path,
                           const ResourceContext* resources) const override {
    return WriteTensorFiles(arrays, path, nnef2::Nnef2Format(), resources);
  }

 private:
  Nnef2Flags flags_;
  NnefRunFlags run_;
};

const bool kRegistered = [] {
  RegisterFrontend([] { return std::make_unique<Nnef2Frontend>(); });
  return true;
}();

}  // namespace
}  // namespace xla
