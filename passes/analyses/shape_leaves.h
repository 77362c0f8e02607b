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

// The leaves of many shapes, one after the other. Tuples within tuples that several of them have in common are walked
// once: each step of a way down into a deep tuple has a shape of its own, and all of them are parts of the first.
// Shapes must not change while this is in use.
class LeafShapes {
 public:
  // Appends the leaves of `shape` in order. They are part of it, or of one before that shares its elements.
  void Append(const Shape& shape);
  int64_t size() const { return static_cast<int64_t>(leaves_.size()); }
  const Shape& operator[](int64_t leaf) const { return *leaves_[leaf]; }

 private:
  std::vector<const Shape*> leaves_;
  absl::flat_hash_map<const Shape*, int64_t> first_leaf_;  // of tuples, by the address of their elements
};

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
