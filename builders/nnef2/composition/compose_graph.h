// Composes a graph for given attributes (NNEF 2.0 chapter 3).
#ifndef BUILDERS_NNEF2_COMPOSITION_COMPOSE_GRAPH_H_
#define BUILDERS_NNEF2_COMPOSITION_COMPOSE_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "builders/nnef2/checking/check_program.h"
#include "builders/nnef2/checking/program.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/diagnostics.h"

namespace xla {
namespace nnef2 {

// A graph that takes more invocations, blocks and expressions of components is refused (class value).
inline constexpr int64_t kMaxOperations = 1 << 18;
// Invocations and blocks are nested at most that deep.
inline constexpr int kMaxNesting = 150;

struct ComposeOptions {
  std::string graph;  // empty: the first one
  // Values of the graph's attributes; those that are missing have their defaults, or are null.
  absl::flat_hash_map<std::string, Value> attributes;
  // Extents of inputs by name, instead of the declared ones; of a pack, those of each tensor.
  absl::flat_hash_map<std::string, std::vector<int64_t>> input_extents;
  // Round tensors as @quantize says.
  bool simulate_quantization = false;
};

// The composed graph, or nothing after an error, which is reported. The program has been checked; `signatures` are what
// CheckProgram found.
absl::optional<ComposedGraph> ComposeGraph(const std::shared_ptr<const Program>& program, const Signatures& signatures,
                                           const ComposeOptions& options, Diagnostics* diagnostics);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_COMPOSE_GRAPH_H_
