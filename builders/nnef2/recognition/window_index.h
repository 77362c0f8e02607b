// WindowIndex: an index that moves a window over a dimension.
#ifndef BUILDERS_NNEF2_RECOGNITION_WINDOW_INDEX_H_
#define BUILDERS_NNEF2_RECOGNITION_WINDOW_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/recognition/affine_index.h"

namespace xla {
namespace nnef2 {

// stride * place + dilation * item + first, and what moves it.
struct WindowIndex {
  int place = -1;  // the loop over places; -1: there is one place
  int item = -1;   // the loop over the items of the window; -1: there is one item
  int64_t places = 1;
  int64_t items = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t first = 0;
  // Where windows are is known at run time only if there is something in move.by.
  MovedIndex move;

  // How many elements from the first one on are covered, by one window and by all of them.
  int64_t covered() const { return (items - 1) * dilation + 1; }
  int64_t reach() const { return (places - 1) * stride + covered(); }
  bool moves() const { return move.by != nullptr; }
  // What HLO pads a dimension of `extent` elements with; negative ones crop. Up to stride - 1 elements at the end may
  // be more than windows reach: as many as at the beginning if that can be, else none.
  std::pair<int64_t, int64_t> Padding(int64_t extent) const {
    const int64_t low = -first, least = first + reach() - extent;
    const int64_t greatest = least + stride - 1;
    if (low >= least && low <= greatest) return {low, low};
    return {low, std::min(std::max<int64_t>(least, 0), greatest)};
  }
  bool IsTrivial(int64_t extent) const {
    return items == 1 && stride == 1 && first == 0 && places == extent && !moves();
  }
};

// None: there are further loops, `is_place` says which are over places, or one of them has no positive step. The number
// of places may be dynamic; then it is the most.
template <typename IsPlace>
absl::optional<WindowIndex> WindowOf(const MovedIndex& moved, const std::vector<NestLoop>& loops, IsPlace is_place) {
  const AffineIndex& index = moved.affine;
  WindowIndex window;
  window.move = moved;
  window.first = index.offset;
  for (const int loop : index.loops()) {
    const bool is_of_place = is_place(loop);
    int& kind = is_of_place ? window.place : window.item;
    if (kind != -1) return absl::nullopt;
    kind = loop;
    (is_of_place ? window.places : window.items) = loops[loop].bound;
    // The step of a single iteration does not matter.
    const int64_t step =
        RunsOnce(loops[loop]) ? std::max<int64_t>(index.coefficients[loop], 1) : index.coefficients[loop];
    if (step <= 0) return absl::nullopt;
    (is_of_place ? window.stride : window.dilation) = step;
    if (!IsStatic(loops[loop]) && !is_of_place) return absl::nullopt;
  }
  return window;
}

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_WINDOW_INDEX_H_
