// ShapeBinder: binds the names in the shape of an input to the extents of a tensor, or compares them.
#ifndef BUILDERS_NNEF2_COMPOSITION_SHAPE_BINDER_H_
#define BUILDERS_NNEF2_COMPOSITION_SHAPE_BINDER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "builders/nnef2/checking/signature.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/evaluation/evaluator.h"

namespace xla {
namespace nnef2 {

// An invocation: of which operator, and where.
struct InvocationPlace {
  Workspace* workspace;
  const Signature* signature;
  const Definition* definition;
  Position position;
  std::vector<RunTimeCheck>* checks;
  BoundOperator* bound;                                   // to which defaults of inputs are added
  const absl::flat_hash_set<const Parameter*>* replaced;  // as in ResolvedInvocation
};

class ShapeBinder {
 public:
  ShapeBinder(const InvocationPlace& place, Scope* scope)
      : place_(place),
        workspace_(*place.workspace),
        scope_(*scope),
        evaluator_(place.workspace, place.definition->source, scope) {}

  // Binds `value`, tensors or scalars, to `input`, and the names of its shape; without a value, those become null, or
  // the default is taken. False after an error.
  bool BindInput(const Parameter& input, const absl::optional<Value>& value, const ElementType& element);

 private:
  bool Fail(ErrorClass error_class, std::string message, std::string suggestion = "");
  bool BindNull(const Parameter& input);
  bool BindDefault(const Parameter& input, const ElementType& element);
  bool BindPackLength(const Parameter& input, const Value& value);
  bool BindShape(const Parameter& input, int item, const Shape& shape);
  // How many dimensions each component of the shape covers.
  bool FindCounts(const Parameter& input, size_t rank, std::vector<size_t>* counts);
  // How many extents a pack has, as an expression of what is known says; at the invocation it is an error if that is
  // negative.
  bool EvaluateLength(const Parameter& input, const Expression& length, int64_t* count);
  bool BindComponent(const Parameter& input, const Extent& extent, int item, const Shape& extents);
  bool BindExtent(const Parameter& input, const Extent& extent, const Scalar& expected, const Scalar& got);
  bool CheckBound(const Parameter& input, const Extent& extent, const Shape& extents);
  bool Solve(const Parameter& input, const AffineForm& form, const Scalar& value, Scalar* solution);
  bool IsKnown(const Expression& expression) const;

  const InvocationPlace& place_;
  Workspace& workspace_;
  Scope& scope_;
  Evaluator evaluator_;
};

// Whether two extents are the same; false with *is_open if that turns out at run time.
bool SameExtent(SymbolTable& symbols, const Scalar& a, const Scalar& b, bool* is_open);

// The x of scale * x + offset = extent, if that has a solution, which only a run tells where the scale is not 1. Not
// known where the scale is negative.
Scalar SolveDynamicExtent(SymbolTable& symbols, const AffineForm& form, const Symbolic* extent);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_SHAPE_BINDER_H_
