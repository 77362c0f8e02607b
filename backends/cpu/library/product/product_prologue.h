// What a fusion does with the right operand of a product before it is multiplied: numbers of few bits become f32, and
// are scaled and shifted, where they are loaded into the cache for the product.
//
// Each step is the HLO instruction that it stands for, rounded as that is, so that the result is the same as if the
// operand had been computed first.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROLOGUE_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROLOGUE_H_

#include <cstdint>
#include <vector>

#include "backends/cpu/library/product/product_kernels.h"

namespace xla {

// One operation on all elements of the operand, as f32, and another number.
struct PrologueStep {
  // The number of element (k, n) is at k / group * stride, of k, plus the same of n.
  struct Direction {
    int64_t group = 1;
    int64_t stride = 0;
  };

  EpilogueOperation operation;
  float constant = 0;  // if argument < 0
  int argument = -1;   // which of the addresses that a run brings along
  Direction k, n;
};

class ProductPrologue {
 public:
  explicit ProductPrologue(std::vector<PrologueStep> steps);

  // Takes all steps on `count` elements, of which the first is (k, n), and which follow each other along one direction.
  void Apply(int64_t k, int64_t n, bool along_k, int64_t count, const void* const* arguments, float* elements) const;

 private:
  const std::vector<PrologueStep> steps_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROLOGUE_H_
