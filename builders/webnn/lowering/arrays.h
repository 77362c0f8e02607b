// What the lowerings of several operators need: the type that sums are made in, and broadcasting as WebNN has it.
//
// Functions of an invalid XlaOp return an invalid one; errors stick to the builder, as everywhere in
// ComputationBuilder.
#ifndef BUILDERS_WEBNN_LOWERING_ARRAYS_H_
#define BUILDERS_WEBNN_LOWERING_ARRAYS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// The element type and the dimensions of a value; none of an invalid one.
PrimitiveType TypeOf(XlaOp x);
std::vector<int64_t> DimensionsOf(XlaOp x);

// The type that sums, and what is done with them, are computed in: f32 for f16, otherwise the type itself.
inline PrimitiveType SumType(PrimitiveType type) { return type == F16 ? F32 : type; }
// x in another type; x itself if it has it.
XlaOp ConvertTo(XlaOp x, PrimitiveType type);
// x in its SumType.
XlaOp Widen(XlaOp x);
// f(x), computed in the SumType of x and rounded once to its type.
template <typename F>
XlaOp InSumType(XlaOp x, F f) {
  return ConvertTo(f(Widen(x)), TypeOf(x));
}

// x within `dimensions`: its last dimension is the last one there and so on; those of size 1 are repeated.
XlaOp BroadcastTo(XlaOp x, absl::Span<const int64_t> dimensions);
// x, whose dimension k becomes dimension `mapping[k]` of `dimensions`, in any order.
XlaOp BroadcastAlong(XlaOp x, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> mapping);

// A number as a scalar of the type of `like`.
XlaOp NumberLike(XlaOp like, double value);

// The sum of x over dimensions, which disappear.
XlaOp Sum(XlaOp x, absl::Span<const int64_t> dimensions);

// The elements of x at `positions` along an axis, known while building and in range.
XlaOp TakePositions(XlaOp x, int64_t axis, absl::Span<const int64_t> positions);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_ARRAYS_H_
