// Weights and inputs that the corpus gives by a formula, so that large networks need no stored data.
#ifndef TESTS_CONFORMANCE_NNEF1_FORMULA_H_
#define TESTS_CONFORMANCE_NNEF1_FORMULA_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/graph.h"

namespace xla {

// Items begin, begin + 1, ... of the tensor with this key (the label of a variable, the name of an external tensor) and
// these extents.
void FillByFormula(absl::string_view key, const nnef1::Extents& extents, int64_t begin, absl::Span<float> items);

// The members of `model`, and a tensor file for each variable of `graph`, which is that of the model.
std::unique_ptr<nnef1::Container> WithFormulaWeights(std::unique_ptr<nnef1::Container> model,
                                                     const nnef1::Graph& graph);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF1_FORMULA_H_
