#include "builders/webnn/lowering/movement.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/cumulative.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// Padding by more images than this is a gather, whose indices are listed in the program.
constexpr int64_t kMaxImages = 4;
constexpr int64_t kMaxGatheredSize = int64_t{1} << 24;

XlaOp RepeatEdge(XlaOp x, int64_t axis, int64_t position, int64_t times) {
  ComputationBuilder& b = *x.builder();
  std::vector<int64_t> sizes = DimensionsOf(x);
  sizes[axis] = times;
  return BroadcastTo(b.SliceInDim(x, position, position + 1, 1, axis), sizes);
}

XlaOp PadEdge(XlaOp x, int64_t axis, int64_t begin, int64_t end) {
  const int64_t size = DimensionsOf(x)[axis];
  std::vector<XlaOp> parts;
  if (begin > 0) parts.push_back(RepeatEdge(x, axis, 0, begin));
  parts.push_back(x);
  if (end > 0) parts.push_back(RepeatEdge(x, axis, size - 1, end));
  return x.builder()->Concatenate(parts, axis);
}

// Of mirrors at both ends of an axis: where the element comes from that lies at `position`, which may be outside.
int64_t Reflect(int64_t position, int64_t size, bool repeats_edge) {
  if (size == 1) return 0;
  const int64_t period = repeats_edge ? 2 * size : 2 * (size - 1);
  const int64_t within = ((position % period) + period) % period;
  if (within < size) return within;
  return repeats_edge ? period - 1 - within : period - within;
}

XlaOp PadMirroredByGather(XlaOp x, int64_t axis, int64_t begin, int64_t end, bool repeats_edge) {
  const int64_t size = DimensionsOf(x)[axis];
  const int64_t padded = begin + size + end;
  if (padded > kMaxGatheredSize) {
    return x.builder()->ReportError(absl::UnimplementedError(
        absl::StrCat("padding ", size, " elements by so many images of themselves that there are more than ",
                     kMaxGatheredSize, " is not supported; pad with a constant")));
  }
  std::vector<int64_t> positions(padded);
  for (int64_t i = 0; i < padded; ++i) positions[i] = Reflect(i - begin, size, repeats_edge);
  return TakePositions(x, axis, positions);
}

// Elements [first, last] of the axis that mirrors extend, which lie between two mirrors or on them, in their order.
XlaOp Image(XlaOp x, int64_t axis, int64_t first, int64_t last, bool repeats_edge) {
  ComputationBuilder& b = *x.builder();
  const int64_t size = DimensionsOf(x)[axis];
  const int64_t from = Reflect(first, size, repeats_edge), to = Reflect(last, size, repeats_edge);
  const XlaOp part = b.SliceInDim(x, std::min(from, to), std::max(from, to) + 1, 1, axis);
  return from > to ? b.Rev(part, {axis}) : part;
}

XlaOp PadMirrored(XlaOp x, int64_t axis, int64_t begin, int64_t end, bool repeats_edge) {
  const int64_t size = DimensionsOf(x)[axis];
  if (size == 1) return PadEdge(x, axis, begin, end);
  const int64_t image = repeats_edge ? size : size - 1;  // new elements of one image
  if (begin > kMaxImages * image || end > kMaxImages * image) {
    return PadMirroredByGather(x, axis, begin, end, repeats_edge);
  }
  std::vector<XlaOp> parts;
  for (int64_t last = -1; last >= -begin; last -= image) {
    parts.insert(parts.begin(), Image(x, axis, std::max(last - image + 1, -begin), last, repeats_edge));
  }
  parts.push_back(x);
  const int64_t limit = size + end;
  for (int64_t first = size; first < limit; first += image) {
    parts.push_back(Image(x, axis, first, std::min(first + image, limit) - 1, repeats_edge));
  }
  return x.builder()->Concatenate(parts, axis);
}

// Of two (element, place) pairs the better one, whichever comes first: reductions may combine in any order.
XlaComputation BetterOfTwo(const OpMetadata& metadata, PrimitiveType type, PrimitiveType place_type, bool is_max,
                           bool select_last) {
  ComputationBuilder b(is_max ? "arg_max" : "arg_min");
  b.set_keep_source_locations(false);
  b.SetOpMetadata(metadata);
  const XlaOp x = b.Parameter(0, Shape::Scalar(type), "x");
  const XlaOp x_place = b.Parameter(1, Shape::Scalar(place_type), "x_place");
  const XlaOp y = b.Parameter(2, Shape::Scalar(type), "y");
  const XlaOp y_place = b.Parameter(3, Shape::Scalar(place_type), "y_place");
  XlaOp better = is_max ? b.Gt(x, y) : b.Lt(x, y);
  XlaOp equal = b.Eq(x, y);
  if (IsFloat(type)) {
    const XlaOp x_is_nan = b.Ne(x, x);
    const XlaOp y_is_nan = b.Ne(y, y);
    better = b.Or(better, b.And(x_is_nan, b.Not(y_is_nan)));
    equal = b.Or(equal, b.And(x_is_nan, y_is_nan));
  }
  const XlaOp in_front = select_last ? b.Gt(x_place, y_place) : b.Lt(x_place, y_place);
  const XlaOp take_x = b.Or(better, b.And(equal, in_front));
  return b.BuildOrError(b.Tuple({b.Select(take_x, x, y), b.Select(take_x, x_place, y_place)}));
}

}  // namespace

XlaOp LowerPadConstant(XlaOp input, XlaOp value, absl::Span<const int64_t> begin, absl::Span<const int64_t> end) {
  if (!input.valid() || !value.valid()) return XlaOp();
  PaddingConfig config;
  for (size_t d = 0; d < begin.size(); ++d) {
    PaddingDimension dimension;
    dimension.low = begin[d];
    dimension.high = end[d];
    config.push_back(dimension);
  }
  return input.builder()->Pad(input, value, config);
}

XlaOp LowerPadMirrored(PadMode mode, XlaOp input, absl::Span<const int64_t> begin, absl::Span<const int64_t> end) {
  XlaOp x = input;
  for (int64_t axis = 0; axis < static_cast<int64_t>(begin.size()) && x.valid(); ++axis) {
    if (begin[axis] == 0 && end[axis] == 0) continue;
    x = mode == PadMode::kEdge ? PadEdge(x, axis, begin[axis], end[axis])
                               : PadMirrored(x, axis, begin[axis], end[axis], mode == PadMode::kSymmetric);
  }
  return x;
}

XlaOp LowerTriangular(XlaOp input, bool upper, int64_t diagonal) {
  if (!input.valid()) return input;
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  if (rank < 2) return XlaOp();
  const int64_t rows = sizes[rank - 2], columns = sizes[rank - 1];
  // Diagonals further away than any element mean the same as the next one, and 32 bits are enough for that.
  diagonal = std::min(std::max(diagonal, -rows), columns);
  const PrimitiveType type = std::max(rows, columns) <= std::numeric_limits<int32_t>::max() / 2 ? S32 : S64;
  const Shape matrix = Shape::Array(type, {rows, columns});
  const XlaOp row = b.Iota(matrix, 0), column = b.Iota(matrix, 1);
  const XlaOp limit = b.Add(row, FullLike(row, diagonal));
  const XlaOp keeps = upper ? b.Ge(column, limit) : b.Le(column, limit);
  return b.Select(BroadcastAlong(keeps, sizes, {rank - 2, rank - 1}), input, ZerosLike(input));
}

XlaOp LowerWhere(XlaOp condition, XlaOp true_value, XlaOp false_value, absl::Span<const int64_t> dimensions) {
  if (!condition.valid() || !true_value.valid() || !false_value.valid()) return XlaOp();
  ComputationBuilder& b = *condition.builder();
  return b.Select(BroadcastTo(b.Ne(condition, ZerosLike(condition)), dimensions), BroadcastTo(true_value, dimensions),
                  BroadcastTo(false_value, dimensions));
}

XlaOp LowerCumulativeSum(XlaOp input, int64_t axis, bool exclusive, bool reversed) {
  return ConvertTo(CumSum(Widen(input), axis, exclusive, reversed), TypeOf(input));
}

XlaOp LowerArgMinMax(XlaOp input, bool is_max, absl::Span<const int64_t> axes, bool select_last,
                     PrimitiveType result_type) {
  if (!input.valid()) return input;
  ComputationBuilder& b = *input.builder();
  if (axes.empty()) return Zeros(&b, Shape::Array(result_type, DimensionsOf(input)));
  const std::vector<int64_t> sizes = DimensionsOf(input);
  // Several axes become one, the last.
  XlaOp x = input;
  int64_t axis = axes[0];
  if (axes.size() > 1) {
    std::vector<int64_t> order, merged;
    int64_t count = 1;
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      if (std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
      order.push_back(d);
      merged.push_back(sizes[d]);
    }
    for (const int64_t reduced : axes) {
      order.push_back(reduced);
      count *= sizes[reduced];
    }
    axis = static_cast<int64_t>(merged.size());
    merged.push_back(count);
    x = b.Reshape(b.Transpose(x, order), merged);
  }
  const std::vector<int64_t> dimensions = DimensionsOf(x);
  if (!x.valid()) return x;
  const PrimitiveType type = TypeOf(x);
  const PrimitiveType place_type = dimensions[axis] <= std::numeric_limits<int32_t>::max() ? S32 : S64;
  const XlaOp worst = is_max ? MinValue(&b, type) : MaxValue(&b, type);
  // Elements that are equal to the worst win nevertheless: they are before, or after, this place.
  const XlaOp worst_place = Scalar(&b, place_type, select_last ? int64_t{-1} : dimensions[axis]);
  const XlaOp places = b.Iota(Shape::Array(place_type, dimensions), axis);
  const XlaOp found = b.Reduce({x, places}, {worst, worst_place},
                               BetterOfTwo(b.op_metadata(), type, place_type, is_max, select_last), {axis});
  return ConvertTo(b.GetTupleElement(found, 1), result_type);
}

}  // namespace webnn
}  // namespace xla
