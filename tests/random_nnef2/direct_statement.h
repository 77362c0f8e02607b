// Runs one statement of @lower as nested loops (NNEF 2.0 section 2.12).
#ifndef TESTS_RANDOM_NNEF2_DIRECT_STATEMENT_H_
#define TESTS_RANDOM_NNEF2_DIRECT_STATEMENT_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "tests/random_nnef2/direct_expression.h"

namespace xla {
namespace nnef2 {

// `assigned`: the tensors that statements have assigned so far, which an accumulation does not begin again.
// `iterations`: how many more there may be; an error when they are used up.
absl::Status RunStatement(DirectFrame* frame, const Lowering& lowering, absl::flat_hash_set<DirectTensor*>* assigned,
                          int64_t* iterations);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_STATEMENT_H_
