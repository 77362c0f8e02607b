// What the codes of quantised tensor files mean. Source: NNEF 1.0.4, section 5.2 and chapter 7.
#ifndef BUILDERS_NNEF1_CONTAINERS_CODE_MEANING_H_
#define BUILDERS_NNEF1_CONTAINERS_CODE_MEANING_H_

#include "absl/status/statusor.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef_common/containers/tensor_file.h"

namespace xla {
namespace nnef1 {

// By a line of graph.quant, or (nullptr) by the deprecated range in the header. Errors (without class or name): no way
// to decode, an operation that is not one of the four of the standard, parameters that make no sense.
absl::StatusOr<nnef::CodeMeaning> MeaningOfCodes(const nnef::TensorHeader& header, const Quantization* quantization);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_CODE_MEANING_H_
