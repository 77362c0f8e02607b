#include "passes/analyses/shape_leaves.h"

namespace xla {

// Tuples may nest deeply, so there is a stack instead of recursion.
void AppendLeafShapes(const Shape& shape, std::vector<const Shape*>* leaves) {
  std::vector<const Shape*> stack = {&shape};
  while (!stack.empty()) {
    const Shape* const next = stack.back();
    stack.pop_back();
    if (!next->IsTuple()) {
      leaves->push_back(next);
      continue;
    }
    for (int i = next->tuple_size() - 1; i >= 0; --i) stack.push_back(&next->tuple_shape(i));
  }
}

// A tuple is not within itself, so one that is met again has been walked to its end.
void LeafShapes::Append(const Shape& shape) {
  std::vector<const Shape*> stack = {&shape};
  while (!stack.empty()) {
    const Shape& next = *stack.back();
    stack.pop_back();
    if (!next.IsTuple()) {
      leaves_.push_back(&next);
      continue;
    }
    const auto [known, is_new] = first_leaf_.try_emplace(next.tuple_shapes().data(), size());
    if (is_new) {
      for (int i = next.tuple_size() - 1; i >= 0; --i) stack.push_back(&next.tuple_shape(i));
    } else {
      for (int64_t i = 0; i < LeafCount(next); ++i) leaves_.push_back(leaves_[known->second + i]);
    }
  }
}

const std::vector<int64_t>& LeafOffsets::Of(const Shape& tuple) {
  std::vector<int64_t>& offsets = known_[tuple.tuple_shapes().data()];
  if (offsets.empty()) {
    offsets.push_back(0);
    for (const Shape& shape : tuple.tuple_shapes()) offsets.push_back(offsets.back() + LeafCount(shape));
  }
  return offsets;
}

}  // namespace xla
