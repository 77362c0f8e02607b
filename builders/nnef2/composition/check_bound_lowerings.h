// Checks the statements of @lower once the ranks and lengths of an invocation are known (NNEF 2.0 section 2.12).
#ifndef BUILDERS_NNEF2_COMPOSITION_CHECK_BOUND_LOWERINGS_H_
#define BUILDERS_NNEF2_COMPOSITION_CHECK_BOUND_LOWERINGS_H_

#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// `scope` holds the values of all names, tensors included; indices are not known. False after an error.
bool CheckBoundLowerings(Workspace* workspace, const Definition& definition, const Scope& scope);

// Whether a statement runs for no indices, or its condition is known not to hold: its other parts are then not
// evaluated. `scope`: as above; it may also hold indices that are known.
bool NeverRuns(Workspace* workspace, const Definition& definition, const Lowering& lowering, const Scope& scope);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_CHECK_BOUND_LOWERINGS_H_
