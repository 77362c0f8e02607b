#include "tools/nnef1/program.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<nnef1::Container>> OpenSource(const ProgramSource& source,
                                                             const ResourceContext* resources) {
  const int64_t max_bytes = nnef1::DefaultMaxContainerBytes();
  if (!source.is_standard_input()) return nnef1::OpenContainer(source.path(), max_bytes, resources);
  ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
  return nnef1::OpenContainerInMemory(contents, source.name(), max_bytes, resources);
}

}  // namespace

absl::StatusOr<nnef1::Model> LoadNnef1Model(const ProgramSource& source, const Nnef1ReadFlags& flags,
                                            const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef1::LoadOptions options, flags.LoadOptions());
  options.resources = resources;
  options.expand.keep_custom_operations = true;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container, OpenSource(source, resources));
  ASSIGN_OR_RETURN(const std::unique_ptr<Nnef1ModelFile> file,
                   Nnef1ModelFile::Open(std::move(container), std::move(options)));
  return file->Load();
}

absl::StatusOr<std::unique_ptr<NnefProgram>> LoadNnef1Program(const ProgramSource& source, const Nnef1Flags& flags,
                                                              const ResourceContext* resources) {
  ASSIGN_OR_RETURN(nnef1::LoadOptions options, flags.read.LoadOptions());
  options.resources = resources;
  ASSIGN_OR_RETURN(std::unique_ptr<nnef1::Container> container, OpenSource(source, resources));
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
