// The operation table: the groups of rows, in the order of the specification.
#include <vector>

#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {
namespace {

std::vector<OperationDefinition> AllRows() {
  std::vector<OperationDefinition> rows;
  for (const auto group : {
           IntroductionOperations,
           ElementwiseOperations,
           SlidingWindowOperations,
           ResamplingOperations,
           ReduceOperations,
           ShapeOperations,
           RegionOperations,
           LinearOperations,
           ActivationOperations,
           PoolingOperations,
           NormalizationOperations,
           QuantizationOperations,
           MiscellaneousOperations,
       }) {
    for (const OperationDefinition& row : group()) rows.push_back(row);
  }
  return rows;
}

}  // namespace

absl::Span<const OperationDefinition> OperationTable() {
  static const auto* const rows = new std::vector<OperationDefinition>(AllRows());
  return *rows;
}

}  // namespace nnef1
}  // namespace xla
