// Nests of cumulative reduce-windows: sums, products, maxima ... of everything before each element of a dimension, or
// after it. One value runs along the dimension instead of a window for each element.
//
// The array is `rows` x length x `inner` in memory. Many columns (`inner`) are taken a block at a time, one row after
// the other, with what runs in scratch:
//
//   for tile { for i { for j in lanes { run[j] = run[j] + x[row, i, j]  out[row, i, j] = run[j] } } }
//
// Otherwise several *strands* run side by side, each waiting for its own last addition only:
//
//   for tile { for i { a = a + x[r, i]  out[r, i] = a  b = b + x[r + 1, i]  out[r + 1, i] = b ... } }
//
// Where these are few, and the elements may be combined in another order, the dimension is cut into chunks: first what
// each adds up to, then what comes before each, and then all elements. Sums that round restart every few elements,
// and join what came before, which is added up in a wider type.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SCAN_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_SCAN_NEST_H_

#include <cstdint>
#include <vector>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "passes/analyses/cumulative_window.h"

namespace xla {

// How the array is walked. The three ways differ in `column_block` (> 0: columns; 0: strands) and `chunk` (< steps:
// the dimension is cut). Counts are of elements.
struct ScanPlan {
  CumulativeWindow window;
  int64_t steps = 0;  // elements along the dimension that a result needs
  int64_t rows = 1;
  int64_t inner = 1;
  int64_t column_block = 0;  // 0: strands
  int64_t chunk = 0;         // steps of a chunk; `steps`: there are none
  int carries = -1;          // of chunks: the buffer of what comes before each, and one value more for each row

  bool is_chunked() const { return chunk < steps; }
  int64_t chunks() const { return chunk == 0 ? 0 : steps / chunk; }
  int64_t tail() const { return chunk == 0 ? 0 : steps % chunk; }
  int64_t carry_elements() const { return rows * (chunks() + 1) * inner; }
};

// Whether a reduce-window with that function is computed by such a nest.
bool IsScan(const HloInstruction& reduce_window, const KernelReducer& reducer);

// For results in memory of this shape, in the parts of `order`. Chunks want a buffer of carry_elements() of CarryType.
ScanPlan PlanScan(const HloInstruction& reduce_window, const Shape& shape, const KernelReducer& reducer,
                  const SumOrder& order);
PrimitiveType CarryType(const KernelReducer& reducer);

// Writes all results of the reduce-window, each into its buffer, in the layout of its shape.
void WriteScan(const ScanPlan& plan, const ArrayNode& reduce_window, const std::vector<Shape>& shapes,
               const std::vector<int>& buffers, const LoweringTarget& target, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SCAN_NEST_H_
