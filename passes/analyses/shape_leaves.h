// The leaves of tuple shapes as one list, and where the leaves of each element begin in it.
#ifndef PASSES_ANALYSES_SHAPE_LEAVES_H_
#define PASSES_ANALYSES_SHAPE_LEAVES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/types/shape.h"

namespace xla {

// Appends the leaves of `shape` in order. They are part of it.
void AppendLeafShapes(const Shape& shape, std::vector<const Shape*>* leaves);

// Counts the leaves of a tuple when first asked about it, so that a program that takes a large tuple apart costs no
// more than its size. Shapes are known by the address of their elements: they must not change while this is in use.
class LeafOffsets {
 public:
  // The number of leaves before each element, and of all.
  const std::vector<int64_t>& Of(const Shape& tuple);

 private:
  absl::flat_hash_map<const Shape*, std::vector<int64_t>> known_;
};

}  // namespace xla

#endif  // PASSES_ANALYSES_SHAPE_LEAVES_H_
