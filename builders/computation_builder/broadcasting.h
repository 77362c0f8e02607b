// Which dimensions two operands of a binary operation broadcast to, by XLA's rules (openxla.org/xla/broadcasting), in
// one place, as data. HLO has none of this; the builder turns the result into reshapes and broadcasts.
//
//   low      high       dims   result        what happens
//   []       [2,3]             [2,3]         a scalar goes with every element
//   [4,1]    [4,3]             [4,3]         equal rank: a 1 is stretched
//   [3]      [4,3]      {1}    [4,3]         dimension 0 of low is dimension 1 of high
//   [2,1]    [2,3,4]    {0,2}  [2,3,4]       both
//   [2,3]    [2,1,4]    {0,1}  [2,3,4]       high may have the 1 as well
#ifndef BUILDERS_COMPUTATION_BUILDER_BROADCASTING_H_
#define BUILDERS_COMPUTATION_BUILDER_BROADCASTING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/types/shape.h"

namespace xla {

// The shape that both operands are broadcast to, and how their dimensions are placed in it.
struct BroadcastPlan {
  // The sizes of the result: of dynamic dimensions their bounds.
  DimensionVector dimensions;
  // For each dimension of an operand, which one of the result it is. It has the same size there, or a static size of 1
  // and is stretched.
  DimensionVector lhs_mapping;
  DimensionVector rhs_mapping;
};

// InvalidArgument, naming the rule, if the shapes do not go together. Both must be arrays.
absl::StatusOr<BroadcastPlan> PlanBroadcast(const Shape& lhs, const Shape& rhs,
                                            absl::Span<const int64_t> broadcast_dimensions);

// The rules of the mapping alone: one entry for each dimension of an operand of rank `rank`, ascending, and less than
// `result_rank`.
absl::Status CheckBroadcastDimensions(absl::Span<const int64_t> broadcast_dimensions, int rank, int result_rank);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_BROADCASTING_H_
