// LowerToHlo: the composed graph through LowerGraph, with what a session needs to know.
#include <utility>

#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/lowering/lower_graph.h"
#include "builders/nnef2/model/input_extents.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef2/recognition/recognise.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {

absl::StatusOr<LoweredModel> LowerToHlo(const Model& model, const LoweringOptions& options) {
  LowerOptions lower;
  lower.real_type = model.real_type;
  lower.variables = model.variables;
  lower.variables_are_parameters = options.variables_are_parameters;
  lower.extra_outputs = options.extra_outputs;
  lower.all_activations = options.all_activations;
  if (!options.general_form) lower.recogniser = RecogniseStatements;
  Diagnostics diagnostics(options.resources);
  ASSIGN_OR_RETURN(LoweredModel lowered, LowerGraph(model.graph, lower, &diagnostics));
  lowered.format = &Nnef2Format();
  auto extents = std::make_shared<const InputExtents>(model.graph);
  if (extents->has_symbols()) {
    lowered.check_extents = [extents](const std::vector<std::vector<int64_t>>& fed) { return extents->Check(fed); };
  }
  return lowered;
}

}  // namespace nnef2
}  // namespace xla
