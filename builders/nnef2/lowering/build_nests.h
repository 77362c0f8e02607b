// Brings the statements of a bound @lower block into their normal form.
#ifndef BUILDERS_NNEF2_LOWERING_BUILD_NESTS_H_
#define BUILDERS_NNEF2_LOWERING_BUILD_NESTS_H_

#include <vector>

#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// The statements of `operation`, a primitive one, in their order; those that run for no index at all are left out. A
// statement becomes several where an index is unrolled, and where it chooses an item of a pack and so can be taken
// apart without a change of what is computed: then each has its own tensors. False after an error, which is reported
// with the invocations around the operation.
bool BuildNests(const ComposedGraph& graph, const ComposedOperation& operation, std::vector<StatementNest>* nests);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_BUILD_NESTS_H_
