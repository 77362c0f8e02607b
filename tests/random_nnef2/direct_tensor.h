// DirectTensor: the elements of a tensor as plain numbers, for the direct evaluation of NNEF 2.
#ifndef TESTS_RANDOM_NNEF2_DIRECT_TENSOR_H_
#define TESTS_RANDOM_NNEF2_DIRECT_TENSOR_H_

#include <cstdint>
#include <vector>

#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// Ints have 32 bits and bools are 0 or 1, so that a double holds all of them. Reals are computed in double; an operator
// rounds them to float when it is done.
struct DirectTensor {
  BaseType base = BaseType::kReal;
  std::vector<int64_t> extents;
  std::vector<double> elements;  // row-major
};

// The tensors of a pack, or the one of what is not a pack.
using DirectTensors = std::vector<DirectTensor>;

inline int64_t VolumeOf(const std::vector<int64_t>& extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) volume *= extent;
  return volume;
}

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_TENSOR_H_
