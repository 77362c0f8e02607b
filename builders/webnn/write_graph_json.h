// Writes graphs in their JSON form, which docs/webnn_json.md describes.
#ifndef BUILDERS_WEBNN_WRITE_GRAPH_JSON_H_
#define BUILDERS_WEBNN_WRITE_GRAPH_JSON_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "builders/webnn/graph_nodes.h"

namespace xla {
namespace webnn {

// The graph with the elements of its constants in place. Inputs and outputs keep their names; constants and what lies
// between get names that say where they come from. ReadGraphJson of the text gives a graph that computes the same, and
// of which this gives the same text.
std::string WriteWebnn(const GraphDefinition& graph);

// Writes the file `path`, with constants of more than a few elements in the file `weights` beside it: the name of an
// .npz or .safetensors file, or "" for none. Errors: InvalidArgument for another name; those of writing files.
absl::Status WriteWebnnFile(const GraphDefinition& graph, const std::string& path, const std::string& weights);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_WRITE_GRAPH_JSON_H_
