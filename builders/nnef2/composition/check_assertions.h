// Assertions and helpers of an invocation, interleaved: before each helper all assertions whose names are known hold
// (NNEF 2.0 section 2.9).
#ifndef BUILDERS_NNEF2_COMPOSITION_CHECK_ASSERTIONS_H_
#define BUILDERS_NNEF2_COMPOSITION_CHECK_ASSERTIONS_H_

#include "builders/nnef2/composition/shape_binder.h"

namespace xla {
namespace nnef2 {

// Adds the helpers to `scope`. Stops at the first error; false then.
bool CheckAssertionsAndHelpers(const InvocationPlace& place, Scope* scope);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_COMPOSITION_CHECK_ASSERTIONS_H_
