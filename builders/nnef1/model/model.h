// Model: a whole NNEF 1 model, read and checked, and the HLO that it becomes.
//
//   absl::StatusOr<Model> model = LoadModel("resnet50.nnef.tgz", LoadOptions());
//   absl::StatusOr<LoweredModel> lowered = LowerToHlo(*model, LoweringOptions());
//   absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(client, *std::move(lowered));   // session.h
//   absl::StatusOr<std::vector<Literal>> outputs = (*session)->Run(inputs);
#ifndef BUILDERS_NNEF1_MODEL_MODEL_H_
#define BUILDERS_NNEF1_MODEL_MODEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef_common/lowered_model.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

// What to read of a model, and as which element types.
struct LoadOptions {
  ExpandOptions expand;
  NumberTypes types;
  // Read the data of variables. Without it only the structure is there, and the model cannot run.
  bool load_data = true;
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// A model in memory, checked. Copies share the data of variables.
struct Model {
  Graph graph;
  // By label. Variables with one label share one; where spellings of a label differ by case, each has it.
  absl::flat_hash_map<std::string, std::shared_ptr<const Literal>> variables;
  // By identifier of the graph, in the order of graph.quant.
  std::vector<std::pair<std::string, Quantization>> quantization;
  // What those lines compute, as one graph: its input i is the tensor of line i, its output i what becomes of it; nodes
  // are in the order of the lines, after the inputs. Without nodes if the extents of some tensor are unknown.
  Graph quantization_graph;
  NumberTypes types;
  std::vector<std::string> warnings;
};

// Errors: all that the document and its data break, in one status (diagnostics.h).
// A bare description has no data, and is no error. Reaching a limit of the options is one.
absl::StatusOr<Model> LoadModel(const std::string& path, const LoadOptions& options);
absl::StatusOr<Model> LoadModel(const Container& container, const LoadOptions& options);

// What the HLO module should compute beyond the graph's outputs, and what it takes as parameters.
struct LoweringOptions {
  // Variables that no `update` names become parameters instead of constants.
  bool variables_are_parameters = false;
  // Round as graph.quant says after the producer of each tensor that it names (NNEF 1.0.4, chapter 7).
  bool simulate_quantization = false;
  // Further tensors of the graph, by name, that become outputs after the graph's own; or all declared ones but the
  // variables.
  std::vector<std::string> extra_outputs;
  bool all_activations = false;
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

using nnef::LoweredModel;

// Errors: Unimplemented for custom operations, InvalidArgument where a constant's data is missing (a bare description),
// or for a name that no tensor has.
absl::StatusOr<LoweredModel> LowerToHlo(const Model& model, const LoweringOptions& options);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_MODEL_MODEL_H_
