// Walks over the expressions that stand anywhere in a definition.
#ifndef BUILDERS_NNEF2_CHECKING_VISIT_EXPRESSIONS_H_
#define BUILDERS_NNEF2_CHECKING_VISIT_EXPRESSIONS_H_

#include "absl/functional/function_ref.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// Calls `visit` for each expression that is not part of another one, in no particular order.
void VisitExpressions(const Definition& definition, absl::FunctionRef<void(const Expression& expression)> visit);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_VISIT_EXPRESSIONS_H_
