// A model of NNEF 2 as the tools load it (tools/nnef_common/nnef_program.h).
#ifndef TOOLS_NNEF2_PROGRAM_H_
#define TOOLS_NNEF2_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "builders/nnef2/model/model.h"
#include "tools/frontends/program_source.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/nnef_common/model_source.h"
#include "tools/nnef_common/nnef_program.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct Nnef2Flags {
  NnefReadFlags read;
  std::string graph;                    // "": the first one
  std::vector<std::string> attributes;  // "batch=4"
  FedInputFlags inputs;
  // Variables are parameters of the module, also those that are never updated.
  bool variables_are_parameters = false;
  // All named tensors come out as well.
  bool all_activations = false;
  // Only its structure is looked at: data of variables may be missing.
  bool only_checks = false;
  // Warn of what looks like a mistake in the modules.
  bool warns_of_oddities = false;
};

// Errors: InvalidArgument for shapes and attributes that cannot be understood.
absl::StatusOr<nnef2::LoadOptions> Nnef2LoadOptions(const Nnef2Flags& flags, const ResourceContext* resources);

// What the model takes.
FedModel Nnef2FedModel(const nnef2::Model& model);

// Reads the model, then what is fed, and lowers it. Errors: those of all this; a limit of `resources`, which may be
// nullptr, was reached.
absl::StatusOr<std::unique_ptr<NnefProgram>> LoadNnef2Program(const ProgramSource& source, const Nnef2Flags& flags,
                                                              const ResourceContext* resources);

}  // namespace xla

#endif  // TOOLS_NNEF2_PROGRAM_H_
