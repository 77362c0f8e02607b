// What windows that cover all dimensions compute from an input: sums, means, maxima and their places (NNEF 1.0.4,
// sections
// 4.3.2, 4.3.3 and 4.9.3). Windows have one axis for each dimension of x.
#ifndef BUILDERS_NNEF1_OPERATIONS_BOX_H_
#define BUILDERS_NNEF1_OPERATIONS_BOX_H_

#include "absl/status/statusor.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/borders.h"
#include "builders/nnef1/operations/windows.h"

namespace xla {
namespace nnef1 {

// The parameters of box-like operations.
struct BoxCall {
  Border border = Border::kConstant;
  Windows windows;
};
// Of `size`, `border`, `padding`, `stride` and `dilation`, for the extents of `input`. Errors: InvalidArgument.
absl::StatusOr<BoxCall> BasicBoxCall(const OperationCall& call, bool allow_ignore = true);
// The same with `output_shape`.
absl::StatusOr<BoxCall> ReverseBoxCall(const OperationCall& call);

// The windows of box with automatic padding, stride 1 and this size. Errors: InvalidArgument.
absl::StatusOr<Windows> CenteredWindows(absl::Span<const int64_t> sizes, absl::Span<const int64_t> extents);

// Sums and means; narrow floats are added up in SumType, which the result has.
// The mean divides by the number of items of the window, or, if the border is ignored, of those inside; NaN where there
// are none.
//   HLO: reduce-window, divide
XlaOp BoxSum(XlaOp x, Border border, const Windows& windows);
XlaOp BoxMean(XlaOp x, Border border, const Windows& windows);

// The greatest items. The zeros of a constant border take part.
//   HLO: reduce-window, after a pad where zeros take part
XlaOp BoxMax(XlaOp x, Border border, const Windows& windows);

// The greatest items, and where they are in their windows, counted in row-major order; of equal ones the first.
//   HLO: reduce-window of (item, place)
struct MaxAndPlace {
  XlaOp max;
  XlaOp place;  // of `place_type`
};
MaxAndPlace BoxArgMax(XlaOp x, Border border, const Windows& windows, PrimitiveType place_type);

// x[i*s + item*d - before] for each window i, where `item` is given by `index` as its place among the items of the
// window, counted in row-major order. Places that the window does not have give any item.
//   HLO: gather
XlaOp SampleWindows(XlaOp x, XlaOp index, Border border, const Windows& windows);

// The reverse: an array of the extents X with each item of x added at the place that `index` gives for it. What falls
// outside, and places that the window does not have, are dropped. In SumType.
//   HLO: scatter
XlaOp ScatterToWindows(XlaOp x, XlaOp index, const Windows& windows);

// What each output of debox takes: the sum of x[(i + before - j*d) / s] over the j for which that is whole, in SumType.
//   HLO: reduce-window with a dilated base; broadcast and reshape where windows lie side by side
XlaOp ReverseBoxSum(XlaOp x, Border border, const Windows& windows);

// Each item of x as often as `times` says for each dimension: {1, 2} x {2} = {1, 1, 2, 2}.
//   HLO: broadcast, reshape
XlaOp RepeatItems(XlaOp x, absl::Span<const int64_t> times);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_BOX_H_
