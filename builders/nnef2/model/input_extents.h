// InputExtents: which extents of the inputs of a graph must agree when it runs (NNEF 2.0 section 2.6).
#ifndef BUILDERS_NNEF2_MODEL_INPUT_EXTENTS_H_
#define BUILDERS_NNEF2_MODEL_INPUT_EXTENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

class InputExtents {
 public:
  explicit InputExtents(const ComposedGraph& graph);

  // Whether there is anything to check: some extent varies.
  bool has_symbols() const { return has_symbols_; }

  // `extents` of the arrays of InputArrays, each of the declared rank and within its bounds. Errors: class
  // runtime-shape, where extents that the document declares alike, or one from the other, differ.
  absl::Status Check(const std::vector<std::vector<int64_t>>& extents) const;

 private:
  // What keeps the expressions alive.
  std::shared_ptr<const Program> program_;
  std::shared_ptr<const Workspace> workspace_;
  std::vector<std::string> names_;
  std::vector<Shape> shapes_;
  bool has_symbols_ = false;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_MODEL_INPUT_EXTENTS_H_
