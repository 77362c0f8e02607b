// GraphWriter: makes a Graph operation by operation, with names that a document can have.
#ifndef BUILDERS_NNEF1_WRITING_GRAPH_WRITER_H_
#define BUILDERS_NNEF1_WRITING_GRAPH_WRITER_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// The graph that it makes is valid as a document: names are unique and spelled as NNEF allows, and nodes come in the
// order of the calls. Tensors are named by their place in Graph::tensors.
class GraphWriter {
 public:
  // Arguments by the names of parameters; those left out take their defaults.
  using Arguments = std::vector<std::pair<absl::string_view, Value>>;

  explicit GraphWriter(absl::string_view name);

  // An operation of the standard with one result, which is a tensor of `primitive` and `extents`; for a generic one,
  // `primitive` is also what `?` stands for. `name`, spelled as NNEF can, is that of the result. Returns the tensor.
  int Add(absl::string_view operation, const Arguments& arguments, Primitive primitive, const Extents& extents,
          absl::string_view name);
  // A tensor of rank 0 that is written where it is used.
  int AddLiteral(const Value& value);

  // A graph's parameter, given by `external`.
  int AddInput(Primitive primitive, const Extents& extents, absl::string_view name);
  void AddOutput(int tensor) { graph_.outputs.push_back(tensor); }

  const Tensor& tensor(int id) const { return graph_.tensors[id]; }
  Graph TakeGraph() { return std::move(graph_); }

 private:
  std::string UniqueName(absl::string_view wanted);
  Value DefaultFor(const Parameter& parameter);

  Graph graph_;
  std::set<std::string> names_;
};

// Arrays of integers, and of pairs of them.
Value IntegerArray(absl::Span<const int64_t> integers);
Value PairArray(const std::vector<std::pair<int64_t, int64_t>>& pairs);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_WRITING_GRAPH_WRITER_H_
