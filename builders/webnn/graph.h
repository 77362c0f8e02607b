// MLGraph: a compiled graph.
#ifndef BUILDERS_WEBNN_GRAPH_H_
#define BUILDERS_WEBNN_GRAPH_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/backend.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/graph_nodes.h"
#include "builders/webnn/value.h"

namespace xla {
namespace webnn {

class MLContext;

// What goes into a graph or comes out of it, by name. Parameter i of the program is input i; its result is a tuple with
// the outputs in this order.
class NamedDescriptors {
 public:
  explicit NamedDescriptors(Named<MLOperandDescriptor> descriptors);

  const Named<MLOperandDescriptor>& all() const { return descriptors_; }
  int size() const { return static_cast<int>(descriptors_.size()); }
  const std::string& name(int i) const { return descriptors_[i].first; }
  const MLOperandDescriptor& descriptor(int i) const { return descriptors_[i].second; }
  // -1 if there is none of that name.
  int IndexOf(absl::string_view name) const;

 private:
  Named<MLOperandDescriptor> descriptors_;
  absl::flat_hash_map<std::string, int> index_;
};

// Immutable; may be run any number of times, from several threads at once. Lives as long as its executions need it.
class MLGraph {
 public:
  // Made by MLGraphBuilder::build.
  MLGraph(std::shared_ptr<MLContext> context, GraphDefinition definition, std::shared_ptr<Executable> executable);

  const std::shared_ptr<MLContext>& context() const { return context_; }
  const NamedDescriptors& inputDescriptors() const { return inputs_; }
  const NamedDescriptors& outputDescriptors() const { return outputs_; }
  // The nodes it was built from.
  const GraphDefinition& definition() const { return definition_; }
  const std::shared_ptr<Executable>& executable() const { return executable_; }
  // Of the inputs, as arrays of HLO.
  const std::vector<Shape>& input_shapes() const { return input_shapes_; }

  // Later editions: the graph cannot be dispatched any more.
  void destroy() { destroyed_.store(true); }
  bool is_destroyed() const { return destroyed_.load(); }

 private:
  const std::shared_ptr<MLContext> context_;
  const GraphDefinition definition_;
  const NamedDescriptors inputs_;
  const NamedDescriptors outputs_;
  const std::vector<Shape> input_shapes_;
  const std::shared_ptr<Executable> executable_;
  std::atomic<bool> destroyed_{false};
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_GRAPH_H_
