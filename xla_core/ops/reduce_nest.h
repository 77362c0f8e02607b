// The loops of a reduction: which dimensions of the operand a result element is picked by, and which are run through
// for it, with neighbours of a kind merged into one where their memory allows it.
//
// reduce f32[4,8,16,32] over {2,3}: kept one dimension of 32 with stride 512, reduced one of 512 with stride 1.
#ifndef XLA_CORE_OPS_REDUCE_NEST_H_
#define XLA_CORE_OPS_REDUCE_NEST_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla_core/ops/box_walk.h"
#include "xla_core/types/shape.h"

namespace xla {

// Outermost first; strides count elements. Neither list is ever empty: a dimension of one element stands for none.
struct ReduceNest {
  // `sizes` are the run-time sizes of dimensions whose memory is laid out for the bounds `dimensions`.
  ReduceNest(absl::Span<const int64_t> dimensions, const DimensionVector& sizes, const std::vector<bool>& reduced);

  DimensionVector kept_sizes, kept_strides, result_strides;
  DimensionVector reduced_sizes, reduced_strides;
  int64_t kept_count = 1;     // results
  int64_t reduced_count = 1;  // elements per result
};

}  // namespace xla

#endif  // XLA_CORE_OPS_REDUCE_NEST_H_
