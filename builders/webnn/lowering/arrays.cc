#include "builders/webnn/lowering/arrays.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/take.h"
#include "builders/computation_builder/scalar_computations.h"

namespace xla {
namespace webnn {

PrimitiveType TypeOf(XlaOp x) {
  return x.valid() ? x.builder()->ShapeOrInvalid(x).element_type() : PRIMITIVE_TYPE_INVALID;
}

std::vector<int64_t> DimensionsOf(XlaOp x) {
  if (!x.valid()) return {};
  const Shape shape = x.builder()->ShapeOrInvalid(x);
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

XlaOp ConvertTo(XlaOp x, PrimitiveType type) {
  if (!x.valid() || TypeOf(x) == type) return x;
  return x.builder()->ConvertElementType(x, type);
}

XlaOp Widen(XlaOp x) { return ConvertTo(x, SumType(TypeOf(x))); }

XlaOp BroadcastTo(XlaOp x, absl::Span<const int64_t> dimensions) {
  if (!x.valid()) return x;
  const std::vector<int64_t> from = DimensionsOf(x);
  if (absl::MakeConstSpan(from) == dimensions) return x;
  if (from.size() > dimensions.size()) {
    return x.builder()->ReportError(absl::InvalidArgumentError("cannot broadcast to fewer dimensions"));
  }
  std::vector<int64_t> mapping(from.size());
  std::iota(mapping.begin(), mapping.end(), static_cast<int64_t>(dimensions.size() - from.size()));
  return x.builder()->BroadcastInDim(x, dimensions, mapping);
}

XlaOp BroadcastAlong(XlaOp x, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> mapping) {
  if (!x.valid()) return x;
  std::vector<int64_t> order(mapping.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return mapping[a] < mapping[b]; });
  if (!std::is_sorted(order.begin(), order.end())) x = x.builder()->Transpose(x, order);
  std::vector<int64_t> sorted(mapping.begin(), mapping.end());
  std::sort(sorted.begin(), sorted.end());
  return x.builder()->BroadcastInDim(x, dimensions, sorted);
}

XlaOp NumberLike(XlaOp like, double value) { return ScalarLike(like, value); }

XlaOp Sum(XlaOp x, absl::Span<const int64_t> dimensions) {
  if (!x.valid()) return x;
  ComputationBuilder& b = *x.builder();
  const PrimitiveType type = TypeOf(x);
  return b.Reduce(x, Zero(&b, type), CreateScalarAddComputation(type), dimensions);
}

XlaOp TakePositions(XlaOp x, int64_t axis, absl::Span<const int64_t> positions) {
  if (!x.valid()) return x;
  const XlaOp indices = DimensionsOf(x)[axis] <= std::numeric_limits<int32_t>::max()
                            ? x.builder()->ConstantR1<int32_t>(std::vector<int32_t>(positions.begin(), positions.end()))
                            : x.builder()->ConstantR1<int64_t>(positions);
  return Take(x, indices, axis);
}

}  // namespace webnn
}  // namespace xla
