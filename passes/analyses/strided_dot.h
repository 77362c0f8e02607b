// A dot as products of matrices whose rows and columns lie at fixed distances in memory: what libraries compute without
// that anything is transposed first.
//
//   result[b.., m, n] = sum over k of lhs[b.., m, k] * rhs[b.., k, n]
//
// All dimensions that an index stands for (for k the contracting ones, in any order) must lie in memory as one would.
// Where free dimensions do not, the longest run of them becomes m or n and the others become batch dimensions, in which
// the other operand does not move.
#ifndef PASSES_ANALYSES_STRIDED_DOT_H_
#define PASSES_ANALYSES_STRIDED_DOT_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/shape.h"

namespace xla {

// The product above as sizes and strides, in elements, never bytes. Element (m, k) of lhs in batch b lies at the sum
// of b_i * batch[i].lhs, m * lhs_m and k * lhs_k.
struct StridedDot {
  struct Batch {
    int64_t size;
    int64_t lhs, rhs, result;  // elements from one to the next
  };
  absl::InlinedVector<Batch, 2> batch;  // outermost first
  int64_t m = 1, n = 1, k = 1;
  // Elements from one index to the next; 0 where the index has one value.
  int64_t lhs_m = 0, lhs_k = 0;
  int64_t rhs_k = 0, rhs_n = 0;
  int64_t result_m = 0, result_n = 0;
  // Free dimensions became batch dimensions.
  bool has_split_rows = false;

  int64_t BatchCount() const;
  // Whether rows or columns of each array are contiguous.
  bool HasUnitStrides() const;
};

// From the layouts of the shapes; row-major where there are none. Errors: Unimplemented, with the reason, if it is not
// one.
absl::StatusOr<StridedDot> StridedDotOf(const HloInstruction& dot);
// The same with its result elsewhere: elements from one index of each of its dimensions to the next.
absl::StatusOr<StridedDot> StridedDotInto(const HloInstruction& dot, const DimensionVector& result_strides);

// The same product with its operands exchanged, so that rows become columns.
StridedDot Transposed(const StridedDot& product);

// Elements from one index of each dimension to the next, as the array lies in memory.
DimensionVector ElementStrides(const Shape& shape);

}  // namespace xla

#endif  // PASSES_ANALYSES_STRIDED_DOT_H_
