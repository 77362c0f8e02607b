// The ways in which items of a resampled extent lie among those of the original one (NNEF 1.0.4, section 4.3.4).
#ifndef BUILDERS_NNEF1_OPERATIONS_SAMPLING_METHOD_H_
#define BUILDERS_NNEF1_OPERATIONS_SAMPLING_METHOD_H_

#include "absl/status/statusor.h"
#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {

// For an extent of x items that grows by the factor f, item i of the result lies at: kSymmetric (i + 1/2) / f - 1/2;
// kAsymmetric i / f; kAligned i (x - 1) / (x f - 1), so that the first and the last items coincide.
enum class SamplingMethod { kSymmetric, kAsymmetric, kAligned };

// The parameter `method` of an operation. Errors: InvalidArgument for another word.
absl::StatusOr<SamplingMethod> SamplingMethodOf(const OperationCall& call);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_SAMPLING_METHOD_H_
