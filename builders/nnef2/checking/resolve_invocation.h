// Which operator an invocation means, and which values its attributes and inputs get: types deduced and checked
// (NNEF 2.0 sections 2.10, 2.13). The same for the check of a definition and for the composition of a model.
#ifndef BUILDERS_NNEF2_CHECKING_RESOLVE_INVOCATION_H_
#define BUILDERS_NNEF2_CHECKING_RESOLVE_INVOCATION_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef2/checking/program.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

struct ResolvedInvocation {
  const Definition* callee = nullptr;
  // What the callee's generic types stand for.
  absl::flat_hash_map<absl::string_view, ElementType> types;
  // By attribute and by input of the callee; none: not given, or null.
  std::vector<absl::optional<Value>> attributes;
  std::vector<absl::optional<Value>> inputs;
  // Inputs whose extents the user of a graph gives: those that are numbers in its declaration do not count.
  absl::flat_hash_set<const Parameter*> replaced;
};

// What resolving needs to know of the place of the invocation.
struct InvocationContext {
  const Program* program;
  const Definition* user;  // whose block contains the invocation
  Workspace* workspace;
  Evaluator* evaluator;  // in the scope of the invocation
  // Of attributes that are unknown or missing.
  ErrorClass attribute_class = ErrorClass::kAttrib;
};

// False after an error, which is reported at the invocation.
bool ResolveInvocation(const InvocationContext& context, const Invocation& invocation, ResolvedInvocation* resolved);

// The attributes alone, for quantization: missing ones are errors unless the callee has a constant default.
bool ResolveAttributes(const InvocationContext& context, const Invocation& invocation, ResolvedInvocation* resolved);

// The type of a parameter of the callee. `types` holds all its generic types.
ElementType ElementOf(const Parameter& parameter, const absl::flat_hash_map<absl::string_view, ElementType>& types);

// Whether `element` is inside the abstract type `bound`.
bool IsInside(const ElementType& element, BaseType bound);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_RESOLVE_INVOCATION_H_
