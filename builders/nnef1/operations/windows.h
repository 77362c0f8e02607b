// Window arithmetic: the extents and the padding of sliding windows (NNEF 1.0.4, section 4.3).
//
// A window of f items, d apart, covers (f-1)*d + 1 places of the *up-scaled* extent X, and moves by s from one place of
// the *down-scaled* extent x to the next. Basic operations (conv, box) go from X to x, reverse ones (deconv, debox)
// from x to X. Padding lies before and after X, whatever the direction.
#ifndef BUILDERS_NNEF1_OPERATIONS_WINDOWS_H_
#define BUILDERS_NNEF1_OPERATIONS_WINDOWS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/borders.h"

namespace xla {
namespace nnef1 {

// A window along one dimension, with everything filled in.
struct WindowAxis {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding; negative: cropped
  int64_t after = 0;
  int64_t up = 1;    // X
  int64_t down = 1;  // x

  int64_t covered() const { return (size - 1) * dilation + 1; }
  bool is_trivial() const { return size == 1 && stride == 1 && before == 0 && after == 0; }
};
using Windows = std::vector<WindowAxis>;

// A declaration in NNEF with the parameters that all windows have, `border`, `padding`, `stride` and `dilation`, in
// place of $0.
std::string WithWindowParameters(absl::string_view declaration);

// The lists as they were given: one item for each dimension that the windows have, or none.
struct WindowLists {
  std::vector<std::pair<int64_t, int64_t>> padding;  // none: automatic
  std::vector<int64_t> stride;                       // none: 1
  std::vector<int64_t> dilation;                     // none: 1
  int64_t first_dimension = 0;                       // of the input that item 0 is about, for messages
};
// Those of the parameters `padding`, `stride` and `dilation`.
WindowLists WindowListsOf(const OperationCall& call, int64_t first_dimension = 0);

// Basic operations: for the extents X. `sizes` has as many items; automatic padding makes x = ceil(X / s), with the odd
// item after.
// Errors: InvalidArgument for lists of another length, sizes, strides and dilations < 1, windows that the padded input
//   does not cover, and numbers that 64 bits do not hold.
absl::StatusOr<Windows> BasicWindows(const WindowLists& lists, absl::Span<const int64_t> sizes,
                                     absl::Span<const int64_t> up);

// Reverse operations: for the extents x. `output` is X, or empty: then X is what x comes from with this padding, and
// x * s with automatic padding.
// Errors: the same; an `output` that the basic operation would not make x of; no output left.
absl::StatusOr<Windows> ReverseWindows(const WindowLists& lists, absl::Span<const int64_t> sizes,
                                       absl::Span<const int64_t> down, absl::Span<const int64_t> output);

Extents UpExtents(const Windows& windows);
Extents DownExtents(const Windows& windows);

// The number of items of a window of all dimensions.
int64_t WindowVolume(const Windows& windows);

// What the windows read beyond the edges of their input: of basic operations negative where they leave items out, of
// reverse ones never negative.
std::vector<Reach> BasicReach(const Windows& windows);
std::vector<Reach> ReverseReach(const Windows& windows);

// The windows of a reverse operation after its input has got `reach` more items.
Windows AfterPaddingOfReverse(const Windows& windows, absl::Span<const Reach> reach);

// The padding of a convolution or reduce-window of stride 1 that makes X of an input which has s-1 zeros between its
// items, with the window reversed.
std::vector<std::pair<int64_t, int64_t>> ReversePadding(const Windows& windows);

// One field of all axes: Field(windows, &WindowAxis::stride).
std::vector<int64_t> Field(const Windows& windows, int64_t WindowAxis::*field);
// (before, after) of all axes.
std::vector<std::pair<int64_t, int64_t>> PaddingOf(const Windows& windows);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_WINDOWS_H_
