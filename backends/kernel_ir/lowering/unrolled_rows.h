// Nests whose rows are a few elements long, or had better be seen that way: rows in the lanes of vectors, and what is
// done for all elements of a row without loops.
//
//   for row independent vector { m = max(max(x[3 row], x[3 row + 1]), x[3 row + 2])   e = exp(x[3 row] - m) ... }
//
// Elements in lanes would leave most of a vector empty, or, where the end of a row falls into the middle of one, ask
// each lane which element it is: of a concatenation along such a dimension all operands are computed in all lanes.
#ifndef BACKENDS_KERNEL_IR_LOWERING_UNROLLED_ROWS_H_
#define BACKENDS_KERNEL_IR_LOWERING_UNROLLED_ROWS_H_

#include <vector>

#include "backends/kernel_ir/lowering/nest.h"

namespace xla {

// A nest and a plan with NestPlan::unrolled_dimension, which replace those of the draft.
struct UnrolledRows {
  Nest nest;
  NestPlan plan;
};

// What may be tried, of a nest whose draft this is.
std::vector<UnrolledRows> UnrolledRowsToTry(const Kernel& draft, const Nest& nest, const NestPlan& plan);

// Whether a draft of one of these, `unrolled`, came out better: without a loop in its rows or an element that is
// gathered, and not with more turning of rows into columns than there are reductions, if those had lanes enough.
bool IsWorthUnrolling(const Kernel& draft, const Kernel& unrolled);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_UNROLLED_ROWS_H_
