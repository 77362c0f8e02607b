// GraphArray: what a run takes or returns as one array.
//
// That is a tensor, an item of a pack by itself, or a pack whose length varies as a whole: the tensors of xs:
// real[4]..(n|3) lie one after the other along a first dimension of n.
#ifndef BUILDERS_NNEF2_COMPOSITION_GRAPH_ARRAYS_H_
#define BUILDERS_NNEF2_COMPOSITION_GRAPH_ARRAYS_H_

#include <string>
#include <vector>

#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

struct GraphArray {
  const Parameter* declared = nullptr;
  std::string name;          // "x", "xs:1" of an item, "xs" of a pack whose length varies
  std::vector<int> tensors;  // one, or all of such a pack
  bool is_pack = false;
  // That of the tensor, or of the first tensor behind the length of the pack. The tensors of a pack may have other
  // ones: HasOneShape.
  Shape shape;
};

std::vector<GraphArray> InputArrays(const ComposedGraph& graph);
std::vector<GraphArray> OutputArrays(const ComposedGraph& graph);

// Whether all tensors of an array have the same extents.
bool HasOneShape(const ComposedGraph& graph, const GraphArray& array);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_GRAPH_ARRAYS_H_
