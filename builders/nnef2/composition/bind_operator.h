// Binds values to all names of an operator for one invocation (NNEF 2.0 sections 2.6.1, 2.9).
#ifndef BUILDERS_NNEF2_COMPOSITION_BIND_OPERATOR_H_
#define BUILDERS_NNEF2_COMPOSITION_BIND_OPERATOR_H_

#include <memory>
#include <vector>

#include "builders/nnef2/checking/resolve_invocation.h"
#include "builders/nnef2/checking/signature.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/evaluation/workspace.h"

namespace xla {
namespace nnef2 {

// Tensors with more elements are an error (class value).
inline constexpr int64_t kMaxVolume = int64_t{1} << 40;

// The values of `resolved`, whose inputs are tensors or scalars. Errors are reported at `position`, that of the
// invocation, those of expressions at the expression; nullptr then. What can be checked at run time only is added to
// `checks`.
std::shared_ptr<BoundOperator> BindOperator(Workspace* workspace, const Signature& signature,
                                            const ResolvedInvocation& resolved, const Position& position,
                                            std::vector<RunTimeCheck>* checks);

// The extents of a tensor that the scope determines, those that are null left out. New symbols stand for ~ and for
// names that the scope lacks; both have bounds. False after an error.
bool EvaluateShape(Workspace* workspace, const Signature& signature, const Definition& definition,
                   const std::vector<Extent>& extents, int item, Scope* scope, Shape* shape);

// "[2,n <= 10]".
std::string ShapeText(const Shape& shape);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_BIND_OPERATOR_H_
