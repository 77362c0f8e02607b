// Runs a composed graph of NNEF 2 as HLO on the interpreter, for comparison with the direct evaluator.
#ifndef TESTS_RANDOM_NNEF2_LOWERED_RUN_H_
#define TESTS_RANDOM_NNEF2_LOWERED_RUN_H_

#include "absl/status/statusor.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/lowering/lower_graph.h"
#include "tests/random_nnef2/direct_evaluator.h"

namespace xla {
namespace nnef2 {

// `options` without variables, which come from `arguments`. Errors: those of the lowering and of the run; the class of
// a check that fails.
absl::StatusOr<DirectResults> RunLowered(const ComposedGraph& graph, const DirectArguments& arguments,
                                         LowerOptions options);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_LOWERED_RUN_H_
