// TargetPlan: which elements of its target a statement assigns, as an array of the loops' values.
#ifndef BUILDERS_NNEF2_RECOGNITION_TARGET_PLAN_H_
#define BUILDERS_NNEF2_RECOGNITION_TARGET_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/recognition/affine_index.h"

namespace xla {
namespace nnef2 {

struct TargetPlan {
  std::vector<int64_t> extents;          // of the target; of dynamic ones the bounds
  std::vector<CountingIndex> countings;  // by dimension
  std::vector<int> loops;                // all that count, in the order of dimensions

  // Whether all elements are assigned.
  bool is_whole() const;
  // Whether the index of each dimension is that of one loop, which counts through all of it.
  bool is_plain() const;
};

// None: it is not known that indices are in range, an element is assigned several times by loops of the target, or
// where the assigned elements end depends on an extent that only running shows.
absl::optional<TargetPlan> PlanTarget(const NestLowering& lowering, const StatementNest& nest);

// Whether each loop that may run several times is one of the target's.
bool CountsOnlyTarget(const StatementNest& nest, const TargetPlan& plan);

// The loops of the target, then the others: the usual order of dimensions.
std::vector<int> TargetFirst(const StatementNest& nest, const TargetPlan& plan);

// `values` has the dimensions of plan.loops: as elements of the target, in its order.
XlaOp ElementsOfTarget(const TargetPlan& plan, XlaOp values);
// The target, in which all that is not assigned has the value of the scalar `rest`.
XlaOp PlaceOver(const TargetPlan& plan, XlaOp elements, XlaOp rest);
// `target` with the elements that are assigned.
XlaOp PlaceInto(const TargetPlan& plan, XlaOp elements, XlaOp target);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_TARGET_PLAN_H_
