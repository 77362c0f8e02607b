// Sort, by merging: runs of one element, then of two, of four ..., each size a phase in which all elements move at
// once.
//
//   phase { for element e {
//     %x = load from[e]                          in the left or the right one of two sorted runs
//     %n = for %step in 0..log2(run) state ...   how many elements of the other run come before it, by bisection
//     store to[begin of both + place in its run + %n], %x
//   } }
//
// An element of the left run comes before equal ones of the right run, so the sort is stable, whatever the comparator.
// Results and workspaces of their sizes take turns. A comparator that contradicts itself may leave elements out and
// others in twice, within the row: which, is not defined.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SORT_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_SORT_NEST_H_

#include <cstdint>
#include <vector>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

struct SortPlan {
  int64_t size = 1;   // of the dimension that is sorted
  int64_t inner = 1;  // elements between neighbours along it
  int64_t total = 1;
  int passes = 0;
  std::vector<int> workspaces;  // by operand, if there are passes
};

// Whether it is sorted so: results lie row-major.
bool CanMergeSort(const HloInstruction& sort);

SortPlan PlanSort(const HloInstruction& sort);

// Writes all results of the sort, each into its buffer.
void WriteSort(const SortPlan& plan, const ArrayNode& sort, const std::vector<int>& buffers,
               const LoweringTarget& target, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SORT_NEST_H_
