// Walks over all invocations of a definition, those inside of blocks, branches and loops included.
#ifndef BUILDERS_NNEF2_CHECKING_VISIT_INVOCATIONS_H_
#define BUILDERS_NNEF2_CHECKING_VISIT_INVOCATIONS_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

using InvocationVisitor = absl::FunctionRef<void(const Invocation& invocation)>;

void VisitInvocations(const std::vector<Component>& components, InvocationVisitor visit);
// Those of @compose and @update.
void VisitInvocations(const Definition& definition, InvocationVisitor visit);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_VISIT_INVOCATIONS_H_
