// Sort, by merging: runs of one element, then of two, of four ..., each size a phase that makes all blocks of the
// result at once, from two sorted runs each.
//
//   phase { for block {
//     %l, %r = for %level ... state ...     where in the two runs the block's elements begin and end
//     for %i in 0..block state (%l, %r) {   the lesser of the two next elements
//       store to[block * %block + %i], load from[...]
//     }
//   } }
//
// Where a block begins is found from the whole of both runs by halving the result: how many elements of its first half
// come from the left run tells a bisection, which looks only at what the half before has. So what blocks merge never
// overlaps, and the result has each element once even if the comparator contradicts itself. An element of the left run
// comes before equal ones of the right run, so the sort is stable.
//
// Results and workspaces of their sizes take turns.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SORT_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_SORT_NEST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/kernel_ir/lowering/sort_order.h"

namespace xla {

struct SortPlan {
  int64_t size = 1;   // of the dimension that is sorted
  int64_t inner = 1;  // elements between neighbours along it
  int64_t total = 1;
  int passes = 0;
  std::vector<int> workspaces;  // by operand, if there are passes
  std::shared_ptr<const SortOrder> order;
};

// Whether it is sorted so: results lie row-major and are not too large.
bool CanMergeSort(const HloInstruction& sort);

SortPlan PlanSort(const HloInstruction& sort);

// Writes all results of the sort, each into its buffer.
void WriteSort(const SortPlan& plan, const ArrayNode& sort, const std::vector<int>& buffers,
               const LoweringTarget& target, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SORT_NEST_H_
