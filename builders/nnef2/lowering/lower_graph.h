// Lowers a composed graph to HLO.
#ifndef BUILDERS_NNEF2_LOWERING_LOWER_GRAPH_H_
#define BUILDERS_NNEF2_LOWERING_LOWER_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef_common/lowered_model.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef2 {

struct LowerOptions {
  // What reals are; ints are s32.
  PrimitiveType real_type = F32;
  // Data of variables, by scoped name, of the variable's type and shape. One that is missing can be a parameter only.
  absl::flat_hash_map<std::string, std::shared_ptr<const Literal>> variables;
  // Variables that are not updated become parameters, too.
  bool variables_are_parameters = false;
  // Further tensors, by scoped name, that become outputs after those of the graph; or all that have a name.
  std::vector<std::string> extra_outputs;
  bool all_activations = false;
  // Asked first for each statement; nullptr: all of them take the general form.
  Recogniser recogniser = nullptr;
};

// The module, or nothing after an error, which is reported. `graph` is composed without errors; its workspace reports
// to `diagnostics` from now on. Errors: class value, of statements whose iterations are too many; class data, of
// variables without data; Unimplemented, of intrinsics that cannot be run.
absl::StatusOr<nnef::LoweredModel> LowerGraph(const ComposedGraph& graph, const LowerOptions& options,
                                              Diagnostics* diagnostics);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_LOWER_GRAPH_H_
