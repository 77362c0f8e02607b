// A composed graph as text: its tensors with types and shapes, its operations in order.
#ifndef BUILDERS_NNEF2_COMPOSITION_PRINT_COMPOSED_GRAPH_H_
#define BUILDERS_NNEF2_COMPOSITION_PRINT_COMPOSED_GRAPH_H_

#include <string>

#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

// graph G
//   input main.G.x: real[2,n|10]
//   main.G.y: real[2,n|10] = math.neg(main.G.x)
//   output main.G.y
std::string PrintComposedGraph(const ComposedGraph& graph);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_PRINT_COMPOSED_GRAPH_H_
