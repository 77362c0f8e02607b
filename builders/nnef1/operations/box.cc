#include "builders/nnef1/operations/box.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/take.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/nnef1/operations/arrays.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// What windows move over: an input with the items of its border written out, or with padding that counts as nothing.
struct PreparedInput {
  XlaOp x;
  std::vector<std::pair<int64_t, int64_t>> padding;
};

PreparedInput PrepareInput(XlaOp x, Border border, const Windows& windows, bool zeros_count) {
  const std::vector<Reach> reach = BasicReach(windows);
  const bool leaves_edges =
      std::any_of(reach.begin(), reach.end(), [](Reach r) { return r.first > 0 || r.second > 0; });
  const bool is_nothing = border == Border::kIgnore || (border == Border::kConstant && !zeros_count);
  if (!leaves_edges || is_nothing) return {x, PaddingOf(windows)};
  return {PadBorder(x, border, reach), std::vector<std::pair<int64_t, int64_t>>(windows.size(), {0, 0})};
}

bool AreTrivial(const Windows& windows) {
  return std::all_of(windows.begin(), windows.end(), [](const WindowAxis& axis) { return axis.is_trivial(); });
}

XlaOp ReduceWindows(const PreparedInput& input, XlaOp init, const XlaComputation& computation, const Windows& windows) {
  if (!input.x.valid() || AreTrivial(windows)) return input.x;
  return input.x.builder()->ReduceWindowWithGeneralPadding(
      input.x, init, computation, Field(windows, &WindowAxis::size), Field(windows, &WindowAxis::stride), {},
      Field(windows, &WindowAxis::dilation), input.padding);
}

// How many items of each window along one axis lie inside.
XlaOp CountsInside(ComputationBuilder& b, PrimitiveType type, const WindowAxis& axis) {
  const XlaOp ones = b.Broadcast(One(&b, type), {axis.up});
  return ReduceWindows({ones, PaddingOf({axis})}, Zero(&b, type), CreateScalarAddComputation(type), {axis});
}

// Of two (item, place) pairs the better one, whichever comes first: reductions may combine in any order. NaN is
// greater than all numbers, as in HLO's maximum.
XlaComputation BetterOfTwo(const OpMetadata& metadata, PrimitiveType type, PrimitiveType place_type) {
  ComputationBuilder b("arg_max");
  b.set_keep_source_locations(false);
  b.SetOpMetadata(metadata);
  const XlaOp x = b.Parameter(0, Shape::Scalar(type), "x");
  const XlaOp x_place = b.Parameter(1, Shape::Scalar(place_type), "x_place");
  const XlaOp y = b.Parameter(2, Shape::Scalar(type), "y");
  const XlaOp y_place = b.Parameter(3, Shape::Scalar(place_type), "y_place");
  const XlaOp x_is_nan = b.Ne(x, x), y_is_nan = b.Ne(y, y);
  const XlaOp better = b.Or(b.Gt(x, y), b.And(x_is_nan, b.Not(y_is_nan)));
  const XlaOp equal = b.Or(b.Eq(x, y), b.And(x_is_nan, y_is_nan));
  const XlaOp take_x = b.Or(better, b.And(equal, b.Lt(x_place, y_place)));
  return b.BuildOrError(b.Tuple({b.Select(take_x, x, y), b.Select(take_x, x_place, y_place)}));
}

// ---- Places in arrays and windows

// The narrowest of s32 and s64 in which all places of an array are numbered.
PrimitiveType PlaceType(absl::Span<const int64_t> extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) {
    if (!CheckedMul(volume, extent, &volume) || volume > std::numeric_limits<int32_t>::max()) return S64;
  }
  return S32;
}

int64_t VolumeOf(absl::Span<const int64_t> extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) volume *= extent;
  return volume;
}

// x op number, without the operation where it changes nothing. x >= 0.
XlaOp Times(XlaOp x, int64_t number) { return number == 1 ? x : x.builder()->Mul(x, ScalarLike(x, number)); }
XlaOp DividedBy(XlaOp x, int64_t number) { return number == 1 ? x : x.builder()->Div(x, ScalarLike(x, number)); }
XlaOp Plus(XlaOp x, int64_t number) { return number == 0 ? x : x.builder()->Add(x, ScalarLike(x, number)); }
// An invalid XlaOp counts as 0.
XlaOp Sum(XlaOp a, XlaOp b) { return !a.valid() ? b : !b.valid() ? a : a.builder()->Add(a, b); }

// The coordinates where windows begin along dimension d.
XlaOp WindowStarts(ComputationBuilder& b, const Shape& shape, int64_t d, const WindowAxis& axis, int64_t before) {
  return Plus(Times(b.Iota(shape, d), axis.stride), -before);
}

// The place in its window of each of `places`, which are row-major indices into `extents`, of which windows see
// `padding` more in front.
XlaOp PlaceInWindow(XlaOp places, absl::Span<const int64_t> extents, const PreparedInput& input,
                    const Windows& windows) {
  if (!places.valid()) return places;
  ComputationBuilder& b = *places.builder();
  const Shape shape = Shape::Array(TypeOf(places), DimensionsOf(places));
  XlaOp result;
  int64_t items_behind = 1, window_behind = 1;
  for (int64_t d = static_cast<int64_t>(windows.size()) - 1; d >= 0; --d) {
    const WindowAxis& axis = windows[d];
    if (axis.size > 1) {
      XlaOp coordinate = DividedBy(places, items_behind);
      if (d > 0) coordinate = b.Rem(coordinate, ScalarLike(places, extents[d]));
      const XlaOp offset = b.Sub(coordinate, WindowStarts(b, shape, d, axis, input.padding[d].first));
      result = Sum(result, Times(DividedBy(offset, axis.dilation), window_behind));
    }
    items_behind *= extents[d];
    window_behind *= axis.size;
  }
  return result.valid() ? result : ZerosLike(places);
}

// The coordinate along each dimension of the items that `index` names, each in its window.
std::vector<XlaOp> CoordinatesOf(XlaOp index, const Windows& windows,
                                 absl::Span<const std::pair<int64_t, int64_t>> padding) {
  ComputationBuilder& b = *index.builder();
  const Shape shape = Shape::Array(TypeOf(index), DimensionsOf(index));
  const int64_t volume = WindowVolume(windows);
  std::vector<XlaOp> coordinates(windows.size());
  int64_t window_behind = 1;
  for (int64_t d = static_cast<int64_t>(windows.size()) - 1; d >= 0; --d) {
    const WindowAxis& axis = windows[d];
    coordinates[d] = WindowStarts(b, shape, d, axis, padding[d].first);
    if (axis.size == 1) continue;
    XlaOp item = DividedBy(index, window_behind);
    window_behind *= axis.size;
    if (window_behind != volume) item = b.Rem(item, ScalarLike(index, axis.size));
    coordinates[d] = b.Add(coordinates[d], Times(item, axis.dilation));
  }
  return coordinates;
}

// The row-major index of coordinates into `extents`.
XlaOp RowMajorIndex(absl::Span<const XlaOp> coordinates, absl::Span<const int64_t> extents) {
  XlaOp result;
  int64_t items_behind = 1;
  for (int64_t d = static_cast<int64_t>(extents.size()) - 1; d >= 0; --d) {
    result = Sum(result, Times(coordinates[d], items_behind));
    items_behind *= extents[d];
  }
  return result;
}

// ---- Reverse

// Whether each item becomes a block of its own, and blocks lie side by side.
bool AreSideBySide(const Windows& windows) {
  return std::all_of(windows.begin(), windows.end(), [](const WindowAxis& axis) {
    return axis.size == axis.stride && (axis.dilation == 1 || axis.size == 1) && axis.before == 0 &&
           axis.up == axis.down * axis.stride;
  });
}

}  // namespace

absl::StatusOr<BoxCall> BasicBoxCall(const OperationCall& call, bool allow_ignore) {
  BoxCall box;
  ASSIGN_OR_RETURN(box.border, BorderOf(call, allow_ignore));
  const Extents& extents = call.extents("input");
  ASSIGN_OR_RETURN(box.windows, BasicWindows(WindowListsOf(call), call.integers("size"), extents));
  RETURN_IF_ERROR(CheckReach(box.border, extents, BasicReach(box.windows)));
  return box;
}

absl::StatusOr<BoxCall> ReverseBoxCall(const OperationCall& call) {
  BoxCall box;
  ASSIGN_OR_RETURN(box.border, BorderOf(call, /*allow_ignore=*/true));
  const Extents& extents = call.extents("input");
  const std::vector<int64_t> output = call.integers("output_shape");
  if (!output.empty()) {
    RETURN_IF_ERROR(CheckCount("output_shape", output.size(), call.rank("input"), "dimension of the input"));
  }
  ASSIGN_OR_RETURN(box.windows, ReverseWindows(WindowListsOf(call), call.integers("size"), extents, output));
  RETURN_IF_ERROR(CheckReach(box.border, extents, ReverseReach(box.windows)));
  return box;
}

absl::StatusOr<Windows> CenteredWindows(absl::Span<const int64_t> sizes, absl::Span<const int64_t> extents) {
  return BasicWindows(WindowLists(), sizes, extents);
}

XlaOp BoxSum(XlaOp x, Border border, const Windows& windows) {
  if (!x.valid()) return x;
  const PreparedInput input = PrepareInput(Widen(x), border, windows, /*zeros_count=*/false);
  const PrimitiveType type = SumType(TypeOf(x));
  return ReduceWindows(input, Zero(x.builder(), type), CreateScalarAddComputation(type), windows);
}

// The mean over windows. With border `ignore`, items outside do not count, so that the divisor differs from window to
// window.
XlaOp BoxMean(XlaOp x, Border border, const Windows& windows) {
  const XlaOp sum = BoxSum(x, border, windows);
  if (!sum.valid()) return sum;
  ComputationBuilder& b = *sum.builder();
  const std::vector<Reach> reach = BasicReach(windows);
  double items = 1;
  XlaOp counts;
  for (int64_t d = 0; d < static_cast<int64_t>(windows.size()); ++d) {
    if (border != Border::kIgnore || (reach[d].first <= 0 && reach[d].second <= 0)) {
      items *= static_cast<double>(windows[d].size);
      continue;
    }
    const XlaOp along = b.BroadcastInDim(CountsInside(b, TypeOf(sum), windows[d]), DimensionsOf(sum), {d});
    counts = counts.valid() ? b.Mul(counts, along) : along;
  }
  if (!counts.valid()) return items == 1 ? sum : b.Div(sum, NumberLike(sum, items));
  return b.Div(sum, items == 1 ? counts : b.Mul(counts, NumberLike(sum, items)));
}

XlaOp BoxMax(XlaOp x, Border border, const Windows& windows) {
  if (!x.valid()) return x;
  const PreparedInput input = PrepareInput(x, border, windows, /*zeros_count=*/true);
  const PrimitiveType type = TypeOf(x);
  return ReduceWindows(input, MinValue(x.builder(), type), CreateScalarMaxComputation(type), windows);
}

// The greatest item of each window and its place in the window, by a window reduction of pairs. The first of equal
// items wins.
MaxAndPlace BoxArgMax(XlaOp x, Border border, const Windows& windows, PrimitiveType place_type) {
  if (!x.valid()) return {};
  ComputationBuilder& b = *x.builder();
  if (AreTrivial(windows)) return {x, Zeros(&b, Shape::Array(place_type, DimensionsOf(x)))};
  const PreparedInput input = PrepareInput(x, border, windows, /*zeros_count=*/true);
  if (!input.x.valid()) return {};
  const std::vector<int64_t> extents = DimensionsOf(input.x);
  const PrimitiveType type = TypeOf(x);
  const PrimitiveType counted = PlaceType(extents);
  const XlaOp places = b.Reshape(b.Iota(counted, VolumeOf(extents)), extents);
  // An item that equals the least one of the type wins over what stands for nothing, since its place is before.
  const XlaOp found = b.ReduceWindowWithGeneralPadding(
      {input.x, places}, {MinValue(&b, type), MaxValue(&b, counted)}, BetterOfTwo(b.op_metadata(), type, counted),
      Field(windows, &WindowAxis::size), Field(windows, &WindowAxis::stride), {}, Field(windows, &WindowAxis::dilation),
      input.padding);
  const XlaOp place = PlaceInWindow(b.GetTupleElement(found, 1), extents, input, windows);
  return {b.GetTupleElement(found, 0), ConvertTo(place, place_type)};
}

XlaOp SampleWindows(XlaOp x, XlaOp index, Border border, const Windows& windows) {
  if (!x.valid() || !index.valid()) return XlaOp();
  if (AreTrivial(windows)) return x;
  ComputationBuilder& b = *x.builder();
  const PreparedInput input = PrepareInput(x, border, windows, /*zeros_count=*/true);
  if (!input.x.valid()) return XlaOp();
  const std::vector<int64_t> extents = DimensionsOf(input.x);
  const std::vector<XlaOp> coordinates = CoordinatesOf(ConvertTo(index, PlaceType(extents)), windows, input.padding);
  const XlaOp flat = b.Reshape(input.x, {VolumeOf(extents)});
  return Take(flat, RowMajorIndex(coordinates, extents), 0);
}

// The inverse of BoxArgMax: adds each item of x to the place in its window that `index` names. Indices that name no
// place are dropped.
XlaOp ScatterToWindows(XlaOp x, XlaOp index, const Windows& windows) {
  if (!x.valid() || !index.valid()) return XlaOp();
  ComputationBuilder& b = *x.builder();
  const std::vector<int64_t> extents = UpExtents(windows);
  const std::vector<XlaOp> coordinates = CoordinatesOf(ConvertTo(index, S64), windows, PaddingOf(windows));
  XlaOp is_inside = b.And(b.Ge(index, ZerosLike(index)), b.Lt(index, FullLike(index, WindowVolume(windows))));
  for (size_t d = 0; d < extents.size(); ++d) {
    if (windows[d].is_trivial()) continue;
    is_inside = b.And(is_inside, b.Ge(coordinates[d], ZerosLike(coordinates[d])));
    is_inside = b.And(is_inside, b.Lt(coordinates[d], FullLike(coordinates[d], extents[d])));
  }
  if (coordinates.empty() || !is_inside.valid()) return Widen(x);
  const XlaOp place = RowMajorIndex(coordinates, extents);
  const int64_t volume = VolumeOf(extents), items = VolumeOf(DimensionsOf(x));
  const XlaOp places = b.Reshape(b.Select(is_inside, place, FullLike(place, volume)), {items});
  ScatterDimensionNumbers numbers;
  numbers.inserted_window_dims = {0};
  numbers.scatter_dims_to_operand_dims = {0};
  numbers.index_vector_dim = 1;
  const PrimitiveType type = SumType(TypeOf(x));
  const XlaOp zeros = Zeros(&b, Shape::Array(type, {volume}));
  const XlaOp sums = b.Scatter(zeros, places, b.Reshape(Widen(x), {items}), CreateScalarAddComputation(type), numbers);
  return b.Reshape(sums, extents);
}

// The transposed box: adds each item to all places of its window. Windows that lie side by side just repeat items.
XlaOp ReverseBoxSum(XlaOp x, Border border, const Windows& windows) {
  if (!x.valid()) return x;
  ComputationBuilder& b = *x.builder();
  x = Widen(x);
  if (AreSideBySide(windows)) return RepeatItems(x, Field(windows, &WindowAxis::stride));
  Windows padded = windows;
  if (border != Border::kConstant && border != Border::kIgnore) {
    const std::vector<Reach> reach = ReverseReach(windows);
    x = PadBorder(x, border, reach);
    padded = AfterPaddingOfReverse(windows, reach);
  }
  if (!x.valid()) return x;
  const PrimitiveType type = TypeOf(x);
  return b.ReduceWindowWithGeneralPadding(x, Zero(&b, type), CreateScalarAddComputation(type),
                                          Field(padded, &WindowAxis::size), std::vector<int64_t>(padded.size(), 1),
                                          Field(padded, &WindowAxis::stride), Field(padded, &WindowAxis::dilation),
                                          ReversePadding(padded));
}

XlaOp RepeatItems(XlaOp x, absl::Span<const int64_t> times) {
  if (!x.valid()) return x;
  ComputationBuilder& b = *x.builder();
  const std::vector<int64_t> extents = DimensionsOf(x);
  std::vector<int64_t> split, mapping, result;
  for (size_t d = 0; d < extents.size(); ++d) {
    mapping.push_back(static_cast<int64_t>(split.size()));
    split.push_back(extents[d]);
    if (times[d] > 1) split.push_back(times[d]);
    result.push_back(extents[d] * times[d]);
  }
  return split.size() == extents.size() ? x : b.Reshape(b.BroadcastInDim(x, split, mapping), result);
}

}  // namespace nnef1
}  // namespace xla
