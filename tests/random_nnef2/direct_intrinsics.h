// The operators without a body, as the guide describes them: layout.nonzero, algo.top_k, algo.nonmax_suppress and
// image.cubic_resize.
#ifndef TESTS_RANDOM_NNEF2_DIRECT_INTRINSICS_H_
#define TESTS_RANDOM_NNEF2_DIRECT_INTRINSICS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/syntax_tree.h"
#include "tests/random_nnef2/direct_tensor.h"

namespace xla {
namespace nnef2 {

// `scope`: the values of the attributes. One tensor for each output. Errors: Unimplemented for others.
absl::StatusOr<std::vector<DirectTensor>> RunIntrinsic(const Definition& definition, const Scope& scope,
                                                       const std::vector<const DirectTensor*>& inputs);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_INTRINSICS_H_
