// Indices without a guard that leave their tensor in some iteration that takes place.
//
// Where data or dynamic extents decide, an index that is out of range is moved inside when the program runs. What can
// be known is an error while a model is composed: iterations are tried one by one, first those in which each loop is at
// its beginning or its end, where an affine index has its extremes, then all of them if they are not too many.
#ifndef BUILDERS_NNEF2_LOWERING_INDEX_VIOLATIONS_H_
#define BUILDERS_NNEF2_LOWERING_INDEX_VIOLATIONS_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// An index of an access that its bounds do not prove to be in range.
struct UncheckedIndex {
  const NestNode* index = nullptr;
  int64_t extent = 0;  // of a dynamic one the greatest
  size_t dimension = 0;
  Span span;
};

// What the index is in an iteration of `nest` whose guards and condition hold, outside of 0 to extent - 1; none if
// there is no such iteration, or if that is not known.
absl::optional<int64_t> FindViolation(const StatementNest& nest, const UncheckedIndex& unchecked, Workspace* workspace);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_INDEX_VIOLATIONS_H_
