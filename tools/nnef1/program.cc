#include "tools/nnef1/program.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "builders/nnef1/containers/model_format.h"
#include "tools/nnef_common/model_source.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<nnef1::Model> LoadNnef1Model(const ProgramSource& source, const NnefReadFlags& flags,
                                            const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef1::LoadOptions options, Nnef1LoadOptions(flags));
  options.resources = resources;
  options.expand.keep_custom_operations = true;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container,
                   OpenModelSource(source, nnef1::Nnef1Format(), resources));
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file,
                   Nnef1ModelFile::Open(std::move(container), std::move(options)));
  return file->Load();
}

absl::StatusOr<std::unique_ptr<NnefProgram>> LoadNnef1Program(const ProgramSource& source, const Nnef1Flags& flags,
                                                              const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef1::LoadOptions options, Nnef1LoadOptions(flags.read));
  options.resources = resources;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container,
                   OpenModelSource(source, nnef1::Nnef1Format(), resources));
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file,
                   Nnef1ModelFile::Open(std::move(container), std::move(options)));
  int64_t cycles = std::max<int64_t>(flags.inputs.cycles, 1);
  FedCycles fed;
  const bool is_fed = !flags.inputs.files.empty() || !flags.inputs.images.empty() || file->inputs().empty();
  absl::StatusOr<nnef1::Model> model = absl::UnknownError("");
  if (is_fed) {
    ASSIGN_OR_RETURN(fed, ReadFedCycles(file->fed_model(), flags.inputs, resources));
    RETURN_IF_ERROR(CheckSameExtents(file->fed_model(), fed));
    cycles = static_cast<int64_t>(fed.size());
    model = file->Load(ExtentsOf(fed[0]));
  } else {
    model = file->Load();
  }
  RETURN_IF_ERROR(model.status());
  nnef1::LoweringOptions lowering;
  lowering.variables_are_parameters = flags.variables_are_parameters;
  lowering.simulate_quantization = flags.read.simulate_quantization;
  lowering.all_activations = flags.all_activations;
  lowering.resources = resources;
  ASSIGN_OR_RETURN(nnef1::LoweredModel lowered, nnef1::LowerToHlo(*model, lowering));
  return std::make_unique<NnefProgram>(std::move(lowered), model->graph.outputs.size(), std::move(fed), cycles,
                                       model->warnings);
}

}  // namespace xla
