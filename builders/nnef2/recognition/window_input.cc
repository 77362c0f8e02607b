#include "builders/nnef2/recognition/window_input.h"

#include <algorithm>
#include <vector>

#include "builders/computation_builder/constants.h"

namespace xla {
namespace nnef2 {
namespace {

// What is padded so that windows can move, in what they cover and in extents.
constexpr int64_t kMaxMoveFactor = 4;

// The padding that windows need wherever they are moved to.
struct MovePadding {
  int64_t low = 0;
  int64_t high = 0;
};

MovePadding PaddingFor(const WindowIndex& window, int64_t extent) {
  MovePadding padding;
  padding.low = std::max<int64_t>(-(window.first + window.move.least()), 0);
  padding.high = std::max<int64_t>(window.first + window.reach() + window.move.greatest() - extent, 0);
  return padding;
}

}  // namespace

bool StaysInside(const StatementNest& nest, const NestNode& index, const WindowIndex& window, const Scalar& extent,
                 int64_t bound, bool* is_guarded) {
  *is_guarded = IsGuarded(nest, index, extent);
  if (window.IsTrivial(bound)) return true;
  if (window.moves()) {
    const MovePadding padding = PaddingFor(window, bound);
    const int64_t most = kMaxMoveFactor * std::max(bound, window.reach());
    if (padding.low > most || padding.high > most) return false;
  }
  if (*is_guarded) return true;
  return extent.kind == Scalar::Kind::kInt && !window.moves() && window.first >= 0 &&
         window.first + window.reach() <= bound;
}

XlaOp WithoutTheRestOf(NestLowering& lowering, XlaOp x, int tensor, int64_t dimension, XlaOp padding) {
  const Scalar& extent = lowering.tensor(tensor).shape[static_cast<size_t>(dimension)];
  if (extent.kind == Scalar::Kind::kInt || !x.valid()) return x;
  ComputationBuilder& b = lowering.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  const XlaOp places = b.Iota(S32, shape.dimensions()[dimension]);
  const XlaOp exists = b.BroadcastInDim(b.Lt(places, lowering.Extent(extent)), shape.dimensions(), {dimension});
  return b.Select(exists, x, BroadcastLike(padding, x));
}

XlaOp MoveToWindows(NestLowering& lowering, XlaOp x, int64_t dimension, WindowIndex* window, XlaOp padding) {
  if (!window->moves() || !x.valid()) return x;
  ComputationBuilder& b = lowering.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  const MovePadding needed = PaddingFor(*window, shape.dimensions()[dimension]);
  if (needed.low > 0 || needed.high > 0) x = b.PadInDim(x, padding, dimension, needed.low, needed.high);
  std::vector<XlaOp> starts(shape.dimensions().size(), b.ConstantR0<int32_t>(0));
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  starts[dimension] = StartOf(lowering, window->move, window->first + needed.low);
  sizes[dimension] = window->reach();
  window->first = 0;
  window->move.by = nullptr;
  return b.DynamicSlice(x, starts, sizes);
}

}  // namespace nnef2
}  // namespace xla
