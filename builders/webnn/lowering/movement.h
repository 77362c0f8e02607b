// pad, split, tile, triangular and where; cumulativeSum, argMin and argMax.
#ifndef BUILDERS_WEBNN_LOWERING_MOVEMENT_H_
#define BUILDERS_WEBNN_LOWERING_MOVEMENT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// The modes of pad that copy elements of the input; see LowerPadMirrored.
enum class PadMode { kEdge, kReflection, kSymmetric };

// `value`, a scalar, around the input.
//   HLO: pad
XlaOp LowerPadConstant(XlaOp input, XlaOp value, absl::Span<const int64_t> begin, absl::Span<const int64_t> end);
// Elements of the input around it, one dimension after the other: those at the edges; or a mirror image, without the
// element at the edge or with it, and where that is not long enough the image of the image.
//   HLO: slice, reverse, broadcast, concatenate; gather for images of images of ...
XlaOp LowerPadMirrored(PadMode mode, XlaOp input, absl::Span<const int64_t> begin, absl::Span<const int64_t> end);

// What lies on diagonal `diagonal` of the last two dimensions, or above (`upper`) or below it; elsewhere 0.
//   HLO: iota, compare, select
XlaOp LowerTriangular(XlaOp input, bool upper, int64_t diagonal);

// Where the condition is not 0 the first value, else the second one; all are broadcast to `dimensions`.
//   HLO: compare, select
XlaOp LowerWhere(XlaOp condition, XlaOp true_value, XlaOp false_value, absl::Span<const int64_t> dimensions);

// The sums of the elements up to each one along an axis; of f16 in f32.
//   HLO: reduce-window
XlaOp LowerCumulativeSum(XlaOp input, int64_t axis, bool exclusive, bool reversed);

// The place of the greatest or least element along `axes`, of equal ones the first or the last. With several axes, it
// is that in row-major order of the reduced dimensions, in the order in which the axes are given; the dimensions of the
// result are those that are left. NaN is before anything.
//   HLO: reduce of elements and places
XlaOp LowerArgMinMax(XlaOp input, bool is_max, absl::Span<const int64_t> axes, bool select_last,
                     PrimitiveType result_type);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_MOVEMENT_H_
