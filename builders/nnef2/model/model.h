// Model: a whole NNEF 2 model, read and checked, and the HLO that it becomes.
//
//   absl::StatusOr<Model> model = LoadModel("resnet50", LoadOptions());   // a folder with main.sknd
//   absl::StatusOr<LoweredModel> lowered = LowerToHlo(*model, LoweringOptions());
//   absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(client, *std::move(lowered));   // session.h
//   absl::StatusOr<std::vector<Literal>> outputs = (*session)->Run(inputs);
#ifndef BUILDERS_NNEF2_MODEL_MODEL_H_
#define BUILDERS_NNEF2_MODEL_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/composition/compose_graph.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef_common/containers/container.h"
#include "builders/nnef_common/lowered_model.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace nnef2 {

// What to read of a model, and as which element types.
struct LoadOptions {
  ComposeOptions compose;
  // What reals are; ints are s32.
  PrimitiveType real_type = F32;
  // Read the data of variables. Without it only the structure is there, and the model cannot run.
  bool load_data = true;
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// A model in memory, checked. Copies share the data of variables.
struct Model {
  ComposedGraph graph;
  PrimitiveType real_type = F32;
  // By scoped name: "main.G.conv1.filter".
  absl::flat_hash_map<std::string, std::shared_ptr<const Literal>> variables;
  std::vector<std::string> warnings;
};

// A document and all modules that it imports, parsed and checked, which is what is asked of a model without its data.
// Errors as LoadModel.
struct CheckedModules {
  std::shared_ptr<const Program> program;
  Signatures signatures;
  std::vector<std::string> warnings;
};
absl::StatusOr<CheckedModules> LoadModules(const nnef::Container& container, const ResourceContext* resources);

// Errors: all that one phase finds wrong with the modules, the graph or its data, in one status (diagnostics.h); the
// phases are those of NNEF 2.0. A module alone has no data, and that is no error. Reaching a limit of the options is
// one.
absl::StatusOr<Model> LoadModel(const std::string& path, const LoadOptions& options);
absl::StatusOr<Model> LoadModel(const nnef::Container& container, const LoadOptions& options);

// What the HLO module should compute beyond the graph's outputs, and what it takes as parameters.
struct LoweringOptions {
  // Variables that are not updated become parameters instead of constants.
  bool variables_are_parameters = false;
  // Further tensors of the graph, by scoped name, that become outputs after the graph's own; or all that have a name.
  std::vector<std::string> extra_outputs;
  bool all_activations = false;
  // Lower each statement by its loops, also where HLO has an operation for it. Slow; the results are the same.
  bool general_form = false;
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

using nnef::LoweredModel;

// Errors: those of LowerGraph.
absl::StatusOr<LoweredModel> LowerToHlo(const Model& model, const LoweringOptions& options);

// The value of an attribute as a user writes it, in SkriptND: "3", "1.5", "true", "'same'", "[1, 2]".
// Errors: those of the expression, of classes lex, syntax, type, value and name.
absl::StatusOr<Value> ParseAttributeValue(absl::string_view text);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_MODEL_MODEL_H_
