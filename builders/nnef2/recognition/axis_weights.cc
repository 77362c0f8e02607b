#include "builders/nnef2/recognition/axis_weights.h"

#include <algorithm>
#include <iterator>

#include "builders/computation_builder/lib/take.h"
#include "builders/nnef2/recognition/recognisers.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace nnef2 {
namespace {

// Matrices with more elements are not made: 4 MB.
constexpr int64_t kMaxMatrix = int64_t{1} << 20;
// Nor rows of large ones with more elements other than 0.
constexpr size_t kMaxTaps = 8;

bool HasSmallMatrix(const Weights& weights, int64_t extent) {
  return weights.empty() || extent <= kMaxMatrix / static_cast<int64_t>(weights.size());
}

// How many elements other than 0 a row has at most.
size_t MostTaps(const Weights& weights) {
  size_t taps = 0;
  for (const auto& row : weights) taps = std::max(taps, row.size());
  return taps;
}

XlaOp ConstantOf(ComputationBuilder* b, PrimitiveType type, const std::vector<int64_t>& extents,
                 const std::vector<double>& numbers) {
  return b->ConstantLiteral(LiteralUtil::Convert(Literal::FromValues<double>(extents, numbers), type));
}

// W x along a dimension, as a product.
XlaOp MultiplyAlong(XlaOp x, const Weights& weights, int64_t dimension) {
  ComputationBuilder& b = *x.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  const int64_t from = shape.dimensions()[dimension], to = static_cast<int64_t>(weights.size());
  std::vector<double> matrix(static_cast<size_t>(to * from));
  for (int64_t row = 0; row < to; ++row) {
    for (const auto& item : weights[static_cast<size_t>(row)]) matrix[row * from + item.first] = item.second;
  }
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dims = {dimension};
  numbers.rhs_contracting_dims = {1};
  const XlaOp product = b.DotGeneral(x, ConstantOf(&b, shape.element_type(), {to, from}, matrix), numbers);
  // The new dimension is the last one.
  const auto rank = static_cast<int64_t>(shape.dimensions().size());
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank - 1; ++d) {
    if (d == dimension) order.push_back(rank - 1);
    order.push_back(d);
  }
  if (dimension == rank - 1) order.push_back(rank - 1);
  return TransposeTo(product, order);
}

// The same by gathers, one for each element of a row.
XlaOp GatherAlong(XlaOp x, const Weights& weights, int64_t dimension) {
  ComputationBuilder& b = *x.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  const auto to = static_cast<int64_t>(weights.size());
  std::vector<int64_t> extents(shape.dimensions().begin(), shape.dimensions().end());
  extents[dimension] = to;
  const size_t taps = MostTaps(weights);
  XlaOp sum;
  for (size_t tap = 0; tap < taps; ++tap) {
    std::vector<int32_t> places(weights.size());
    std::vector<double> factors(weights.size());
    for (size_t row = 0; row < weights.size(); ++row) {
      if (tap >= weights[row].size()) continue;
      const auto item = std::next(weights[row].begin(), static_cast<std::ptrdiff_t>(tap));
      places[row] = static_cast<int32_t>(item->first);
      factors[row] = item->second;
    }
    const XlaOp factor = b.BroadcastInDim(ConstantOf(&b, shape.element_type(), {to}, factors), extents, {dimension});
    const XlaOp term = b.Mul(Take(x, b.ConstantR1<int32_t>(places), dimension), factor);
    sum = tap == 0 ? term : b.Add(sum, term);
  }
  return sum;
}

}  // namespace

bool CanMapAlong(const Weights& weights, int64_t extent) {
  return HasSmallMatrix(weights, extent) || MostTaps(weights) <= kMaxTaps;
}

XlaOp MapAlong(XlaOp x, const Weights& weights, int64_t dimension) {
  if (!x.valid()) return x;
  const xla::Shape shape = x.builder()->ShapeOrInvalid(x);
  if (!x.builder()->ok()) return XlaOp();
  return HasSmallMatrix(weights, shape.dimensions()[dimension]) ? MultiplyAlong(x, weights, dimension)
                                                                : GatherAlong(x, weights, dimension);
}

}  // namespace nnef2
}  // namespace xla
