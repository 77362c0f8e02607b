// Indices that are data: NNEF has no meaning for those out of range, HLO moves them inside without a word.
#ifndef BUILDERS_NNEF1_OPERATIONS_INDICES_H_
#define BUILDERS_NNEF1_OPERATIONS_INDICES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {

// Demands 0 <= index < extent of all items of the operand `name`, tensor<integer>, if it is a constant. `limit` says
// what has that extent: "axis 0 of the input". Errors: InvalidArgument.
absl::Status CheckConstantIndices(const OperationCall& call, absl::string_view name, int64_t extent,
                                  absl::string_view limit);
// The same for each run, if it is not a constant.
void CheckIndicesInRun(const LoweringCall& call, absl::string_view name, int64_t extent, absl::string_view limit);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_INDICES_H_
