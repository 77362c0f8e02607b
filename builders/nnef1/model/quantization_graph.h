// What the lines of graph.quant compute, as a graph: the operations that they name may be fragments of the document.
#ifndef BUILDERS_NNEF1_MODEL_QUANTIZATION_GRAPH_H_
#define BUILDERS_NNEF1_MODEL_QUANTIZATION_GRAPH_H_

#include <string>
#include <utility>
#include <vector>

#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/graph.h"

namespace xla {
namespace nnef1 {

// A graph whose input i is the tensor that line i names, and whose output i is what becomes of it. Its nodes stand in
// the order of the lines, after the inputs. Without nodes if the extents of some tensor are unknown.
// Errors: E5 at the line where values of arguments are wrong, or the operation changes the tensor's extents.
Graph ExpandQuantization(const Document& document, const Graph& graph,
                         const std::vector<std::pair<std::string, Quantization>>& lines, Diagnostics* diagnostics);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_MODEL_QUANTIZATION_GRAPH_H_
