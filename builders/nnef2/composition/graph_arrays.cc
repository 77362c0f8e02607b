#include "builders/nnef2/composition/graph_arrays.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef2 {
namespace {

void AppendArrays(const ComposedGraph& graph, const Parameter& declared, const Value& value,
                  std::vector<GraphArray>* arrays) {
  const std::string name(declared.name.text);
  std::vector<int> tensors;
  for (const Scalar& item : value.items) tensors.push_back(static_cast<int>(item.integer));
  if (value.length != nullptr && !tensors.empty()) {
    GraphArray array{&declared, name, std::move(tensors), /*is_pack=*/true, {Scalar::Of(value.length)}};
    const Shape& shape = graph.tensors[array.tensors[0]].shape;
    array.shape.insert(array.shape.end(), shape.begin(), shape.end());
    arrays->push_back(std::move(array));
    return;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string item = value.type.is_pack ? absl::StrCat(name, ":", i + 1) : name;
    arrays->push_back({&declared, std::move(item), {tensors[i]}, /*is_pack=*/false, graph.tensors[tensors[i]].shape});
  }
}

std::vector<GraphArray> ArraysOf(const ComposedGraph& graph, const std::vector<Parameter>& declared,
                                 const std::vector<Value>& values) {
  std::vector<GraphArray> arrays;
  for (size_t i = 0; i < values.size(); ++i) AppendArrays(graph, declared[i], values[i], &arrays);
  return arrays;
}

}  // namespace

std::vector<GraphArray> InputArrays(const ComposedGraph& graph) {
  return ArraysOf(graph, graph.definition->inputs, graph.inputs);
}

std::vector<GraphArray> OutputArrays(const ComposedGraph& graph) {
  return ArraysOf(graph, graph.definition->outputs, graph.outputs);
}

bool HasOneShape(const ComposedGraph& graph, const GraphArray& array) {
  return std::all_of(array.tensors.begin(), array.tensors.end(),
                     [&](int tensor) { return graph.tensors[tensor].shape == graph.tensors[array.tensors[0]].shape; });
}

}  // namespace nnef2
}  // namespace xla
