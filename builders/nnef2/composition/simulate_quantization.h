// Rounds tensors as @quantize says, each after the operation that makes it (NNEF 2.0 section 2.14).
#ifndef BUILDERS_NNEF2_COMPOSITION_SIMULATE_QUANTIZATION_H_
#define BUILDERS_NNEF2_COMPOSITION_SIMULATE_QUANTIZATION_H_

#include <vector>

#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

// Operations that make `rounded` of `tensor`.
struct QuantizationSteps {
  int tensor = 0;
  int rounded = 0;
  std::vector<ComposedOperation> operations;
};

// All that uses one of the tensors uses what it is rounded to instead.
void InsertQuantization(std::vector<QuantizationSteps> steps, ComposedGraph* graph);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_SIMULATE_QUANTIZATION_H_
