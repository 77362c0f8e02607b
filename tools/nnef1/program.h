// A model of NNEF 1 as a program that hlo-run runs (tools/nnef_common/nnef_program.h).
#ifndef TOOLS_NNEF1_PROGRAM_H_
#define TOOLS_NNEF1_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "builders/nnef1/model/model.h"
#include "tools/frontends/program_source.h"
#include "tools/nnef1/model_file.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/nnef_common/model_source.h"
#include "tools/nnef_common/nnef_program.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct Nnef1Flags {
  NnefReadFlags read;
  FedInputFlags inputs;
  // Variables are parameters of the module, also those that are never updated.
  bool variables_are_parameters = false;
  // All named tensors come out as well.
  bool all_activations = false;
};

// A whole model, for inputs as declared or as `flags` say; without data if there are none (a bare description).
// Operations that are declared without a body are kept, so it may be one that cannot run. Reaching a limit of
// `resources`, here and below, is an error; nullptr: there are none.
absl::StatusOr<nnef1::Model> LoadNnef1Model(const ProgramSource& source, const NnefReadFlags& flags,
                                            const ResourceContext* resources);

// Reads what is fed, then the model, and lowers it. Errors: those of all this.
absl::StatusOr<std::unique_ptr<NnefProgram>> LoadNnef1Program(const ProgramSource& source, const Nnef1Flags& flags,
                                                              const ResourceContext* resources);

}  // namespace xla

#endif  // TOOLS_NNEF1_PROGRAM_H_
