// The operators of the standard library that have no body: layout.nonzero, algo.top_k, algo.nonmax_suppress,
// image.cubic_resize.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/nnef2/lowering/region_lowering.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

int64_t VolumeOf(const std::vector<int64_t>& bounds) {
  return std::accumulate(bounds.begin(), bounds.end(), int64_t{1}, std::multiplies<int64_t>());
}

// One intrinsic operation.
class IntrinsicLowering {
 public:
  IntrinsicLowering(RegionLowering* region, const ComposedOperation* operation)
      : region_(*region), b_(region->builder()), operation_(*operation) {}

  absl::Status Nonzero();
  absl::Status TopK();
  absl::Status NonmaxSuppress();
  absl::Status CubicResize();

 private:
  int Input(size_t i) const { return static_cast<int>(operation_.inputs[i].item().integer); }
  int Output(size_t i) const { return static_cast<int>(operation_.outputs[i].item().integer); }
  const Value& Attribute(absl::string_view name) const { return *operation_.bound->scope.Find(name); }
  XlaOp Int(int64_t value) { return xla::Scalar(&b_, S32, value); }
  XlaOp Real(double value) { return xla::Scalar(&b_, region_.TypeOf(BaseType::kReal), value); }

  // Where the elements of an array, whose dimensions are the first ones of the tensor's, lie within dynamic extents.
  XlaOp Within(int tensor, const std::vector<int64_t>& bounds) {
    XlaOp mask = b_.Broadcast(b_.ConstantR0<bool>(true), bounds);
    for (size_t d = 0; d < bounds.size(); ++d) {
      const Scalar& extent = region_.tensor(tensor).shape[d];
      if (extent.kind != Scalar::Kind::kSymbolic) continue;
      const XlaOp place = b_.Iota(xla::Shape::Array(S32, bounds), static_cast<int64_t>(d));
      mask = b_.And(mask, b_.Lt(place, region_.Extent(extent)));
    }
    return mask;
  }

  // The places in a row of bools, [n], of those that hold, and then of the others, in order; *count: how many hold.
  XlaOp PlacesOf(XlaOp holds, int64_t n, XlaOp* count) {
    const XlaOp is_other = EmitConvert(S32, b_.Not(holds));
    *count = b_.ReduceAll(EmitConvert(S32, holds), Int(0), CreateScalarAddComputation(S32));
    const XlaOp sorted =
        b_.Sort({is_other, b_.Iota(S32, n)}, CreateScalarLtComputation({S32, S32}), 0, /*is_stable=*/true);
    return b_.GetTupleElement(sorted, 1);
  }

  // An extent that the operation makes: the one of this dimension of an output.
  void SetExtent(size_t output, size_t dimension, XlaOp size) {
    const Scalar& extent = region_.tensor(Output(output)).shape[dimension];
    if (extent.kind == Scalar::Kind::kSymbolic) region_.SetExtent(extent.symbolic->id, size);
  }

  // The first `size` elements along a dimension, or zeros after all of them.
  XlaOp Resized(XlaOp array, int64_t dimension, int64_t size) {
    const xla::Shape shape = b_.ShapeOrInvalid(array);
    const int64_t now = shape.dimensions().empty() ? size : shape.dimensions()[dimension];
    if (now > size) return b_.SliceInDim(array, 0, size, 1, dimension);
    return now == size ? array : b_.PadInDim(array, Zero(&b_, shape.element_type()), dimension, 0, size - now);
  }

  // array[.., indices[i], ..] along a dimension.
  XlaOp Take(XlaOp array, int64_t dimension, XlaOp indices) {
    GatherDimensionNumbers numbers;
    const xla::Shape shape = b_.ShapeOrInvalid(array);
    std::vector<int64_t> slice(shape.dimensions().begin(), shape.dimensions().end());
    slice[dimension] = 1;
    for (int64_t d = 0; d < static_cast<int64_t>(slice.size()); ++d) {
      if (d != dimension) numbers.offset_dims.push_back(d);
    }
    numbers.collapsed_slice_dims = {dimension};
    numbers.start_index_map = {dimension};
    numbers.index_vector_dim = 1;
    return b_.Gather(array, indices, numbers, slice);
  }

  // --- nonmax_suppress ---
  struct Boxes {
    int64_t batch, classes, count;
    XlaOp corners[4];  // [batch, classes, count] each: least and greatest along one axis, then along the other
    XlaOp areas;
    XlaOp candidates;  // pred[batch, classes, count]
    XlaOp order;       // s32[batch, classes, count]: which box each is
  };
  Boxes SortBoxes();
  XlaOp KeepBoxes(const Boxes& boxes, int64_t most);
  XlaComputation KeepOne(const Boxes& boxes, int64_t most, const xla::Shape& state);
  // --- cubic_resize ---
  XlaOp ResizeAlong(XlaOp array, int64_t axis, const Scalar& size, double a);

  RegionLowering& region_;
  ComputationBuilder& b_;
  const ComposedOperation& operation_;
};

absl::Status IntrinsicLowering::Nonzero() {
  const XlaOp x = region_.Array(Input(0));
  const std::vector<int64_t> bounds = region_.BoundsOf(Input(0));
  const int64_t n = VolumeOf(bounds), most = region_.BoundsOf(Output(0))[1];
  const XlaOp holds = b_.And(b_.Ne(x, ZerosLike(x)), Within(Input(0), bounds));
  XlaOp count;
  const XlaOp places = Resized(PlacesOf(b_.Reshape(holds, {n}), n, &count), 0, most);
  SetExtent(0, 1, count);
  if (bounds.empty() || n == 0) {
    region_.SetArray(Output(0), Zeros(&b_, region_.ShapeOf(Output(0))));
    return absl::OkStatus();
  }
  std::vector<XlaOp> rows;
  int64_t stride = n;
  for (const int64_t bound : bounds) {
    stride /= bound;
    rows.push_back(b_.Reshape(b_.Rem(b_.Div(places, Int(stride)), Int(bound)), {1, most}));
  }
  region_.SetArray(Output(0), rows.size() == 1 ? rows[0] : b_.ConcatInDim(rows, 0));
  return absl::OkStatus();
}

absl::Status IntrinsicLowering::TopK() {
  const XlaOp x = region_.Array(Input(0));
  const std::vector<int64_t> bounds = region_.BoundsOf(Input(0));
  const int64_t rank = static_cast<int64_t>(bounds.size());
  int64_t axis = Attribute("axis").item().integer;
  if (axis < 0) axis += rank;
  const bool largest = Attribute("largest").item().integer != 0;
  const PrimitiveType type = region_.TypeOf(BaseType::kReal);
  // -0 and 0 are equal, and the sort tells them apart. What lies past a dynamic extent comes last.
  XlaOp keys = b_.Add(x, Real(0));
  if (region_.tensor(Input(0)).shape[axis].kind == Scalar::Kind::kSymbolic) {
    const XlaOp place = b_.Iota(xla::Shape::Array(S32, bounds), axis);
    const XlaOp last = largest ? MinValue(&b_, type) : MaxValue(&b_, type);
    keys =
        b_.Select(b_.Lt(place, region_.Extent(region_.tensor(Input(0)).shape[axis])), keys, b_.Broadcast(last, bounds));
  }
  const std::vector<PrimitiveType> types = {type, type, S32};
  const XlaOp sorted =
      b_.Sort({keys, x, b_.Iota(xla::Shape::Array(S32, bounds), axis)},
              largest ? CreateScalarGtComputation(types) : CreateScalarLtComputation(types), axis, /*is_stable=*/true);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = region_.BoundsOf(Output(i))[axis];
    region_.SetArray(Output(i), Resized(b_.GetTupleElement(sorted, static_cast<int64_t>(i) + 1), axis, size));
  }
  return absl::OkStatus();
}

// --- nonmax_suppress ---

// The boxes of each batch item and class, those with high scores first.
IntrinsicLowering::Boxes IntrinsicLowering::SortBoxes() {
  const XlaOp scores = region_.Array(Input(1));
  const std::vector<int64_t> bounds = region_.BoundsOf(Input(1));
  Boxes boxes{bounds[0], bounds[1], bounds[2], {}, XlaOp(), XlaOp(), XlaOp()};
  XlaOp candidates = Within(Input(1), bounds);
  const Value& threshold = Attribute("score_threshold");
  if (!threshold.is_null) candidates = b_.And(candidates, b_.Gt(scores, Real(threshold.item().real)));
  std::vector<XlaOp> sorted = {b_.Add(scores, Real(0)), b_.Iota(xla::Shape::Array(S32, bounds), 2), candidates};
  const PrimitiveType type = region_.TypeOf(BaseType::kReal);
  std::vector<PrimitiveType> types = {type, S32, PRED};
  const bool is_center = Attribute("box_format").item().text == "CENTER";
  const XlaOp given = region_.Array(Input(0));
  std::vector<XlaOp> parts;
  for (int64_t i = 0; i < 4; ++i) {
    parts.push_back(b_.Reshape(b_.SliceInDim(given, i, i + 1, 1, 2), {boxes.batch, boxes.count}));
  }
  for (int64_t i = 0; i < 2; ++i) {
    const XlaOp half = is_center ? b_.Mul(parts[i + 2], Real(0.5)) : XlaOp();
    const XlaOp low = is_center ? b_.Sub(parts[i], half) : b_.Min(parts[i], parts[i + 2]);
    const XlaOp high = is_center ? b_.Add(parts[i], half) : b_.Max(parts[i], parts[i + 2]);
    for (const XlaOp corner : {low, high}) {
      sorted.push_back(b_.BroadcastInDim(corner, bounds, {0, 2}));
      types.push_back(type);
    }
  }
  const XlaOp result = b_.Sort(sorted, CreateScalarGtComputation(types), 2, /*is_stable=*/true);
  boxes.order = b_.GetTupleElement(result, 1);
  boxes.candidates = b_.GetTupleElement(result, 2);
  for (int64_t i = 0; i < 4; ++i) boxes.corners[i] = b_.GetTupleElement(result, i + 3);
  boxes.areas = b_.Mul(b_.Sub(boxes.corners[1], boxes.corners[0]), b_.Sub(boxes.corners[3], boxes.corners[2]));
  return boxes;
}

// One step: whether the box of number `step` of each batch item and class is kept.
XlaComputation IntrinsicLowering::KeepOne(const Boxes& boxes, int64_t most, const xla::Shape& state) {
  ComputationBuilder b("keep_box");
  b.set_keep_source_locations(false);
  b.SetOpMetadata(b_.op_metadata());
  const XlaOp parameter = b.Parameter(0, state, "state");
  std::vector<XlaOp> parts;
  for (int64_t i = 0; i < static_cast<int64_t>(state.tuple_shapes().size()); ++i) {
    parts.push_back(b.GetTupleElement(parameter, i));
  }
  const XlaOp step = parts[0], kept = parts[1], candidates = parts[2], areas = parts[3];
  const XlaOp* const corners = &parts[4];
  const XlaOp zero = b.ConstantR0<int32_t>(0);
  const std::vector<int64_t> one = {boxes.batch, boxes.classes, 1};
  const std::vector<int64_t> all = {boxes.batch, boxes.classes, boxes.count};
  const auto at_step = [&](XlaOp array) { return b.DynamicSlice(array, {zero, zero, step}, one); };
  const auto spread = [&](XlaOp array) {
    return b.BroadcastInDim(b.Reshape(at_step(array), {boxes.batch, boxes.classes}), all, {0, 1});
  };
  XlaOp overlap;
  for (int i = 0; i < 4; i += 2) {
    const XlaOp low = b.Max(corners[i], spread(corners[i]));
    const XlaOp high = b.Min(corners[i + 1], spread(corners[i + 1]));
    const XlaOp length = b.Max(b.Sub(high, low), ZerosLike(low));
    overlap = overlap.valid() ? b.Mul(overlap, length) : length;
  }
  const XlaOp together = b.Sub(b.Add(areas, spread(areas)), overlap);
  const double threshold = Attribute("iou_threshold").item().real;
  const XlaOp is_near = b.Gt(b.Div(overlap, together), FullLike(overlap, threshold));
  const XlaOp suppressed =
      b.Reduce(b.And(kept, is_near), b.ConstantR0<bool>(false), CreateScalarOrComputation(PRED), {2});
  const XlaOp count = b.Reduce(EmitConvert(S32, kept), zero, CreateScalarAddComputation(S32), {2});
  const XlaOp has_room = b.Lt(count, xla::Scalar(&b, S32, std::min(most, boxes.count)));
  const XlaOp keeps = b.And(b.Reshape(b.And(b.Not(suppressed), has_room), one), at_step(candidates));
  parts[1] = b.DynamicUpdateSlice(kept, keeps, {zero, zero, step});
  parts[0] = b.Add(step, b.ConstantR0<int32_t>(1));
  return b.BuildOrError(b.Tuple(parts));
}

// pred[batch, classes, count]: which boxes are chosen, at most `most` of each batch item and class.
XlaOp IntrinsicLowering::KeepBoxes(const Boxes& boxes, int64_t most) {
  const std::vector<int64_t> all = {boxes.batch, boxes.classes, boxes.count};
  std::vector<XlaOp> parts = {Int(0), b_.Broadcast(b_.ConstantR0<bool>(false), all), boxes.candidates, boxes.areas};
  parts.insert(parts.end(), boxes.corners, boxes.corners + 4);
  const XlaOp start = b_.Tuple(parts);
  const xla::Shape state = b_.ShapeOrInvalid(start);
  ComputationBuilder condition("has_boxes");
  condition.set_keep_source_locations(false);
  condition.SetOpMetadata(b_.op_metadata());
  const XlaOp tested = condition.Parameter(0, state, "state");
  condition.Lt(condition.GetTupleElement(tested, 0), xla::Scalar(&condition, S32, boxes.count));
  return b_.GetTupleElement(b_.While(condition.BuildOrError(), KeepOne(boxes, most, state), start), 1);
}

absl::Status IntrinsicLowering::NonmaxSuppress() {
  const Scalar& most = Attribute("max_outputs_per_class").item();
  const Boxes boxes = SortBoxes();
  const int64_t n = boxes.batch * boxes.classes * boxes.count, rows = region_.BoundsOf(Output(0))[0];
  if (n == 0 || rows == 0) {
    SetExtent(0, 0, Int(0));
    region_.SetArray(Output(0), Zeros(&b_, region_.ShapeOf(Output(0))));
    return absl::OkStatus();
  }
  const int64_t limit = most.kind == Scalar::Kind::kInt ? most.integer : most.symbolic->upper;
  const XlaOp kept = KeepBoxes(boxes, limit);
  XlaOp count;
  const XlaOp places = Resized(PlacesOf(b_.Reshape(kept, {n}), n, &count), 0, rows);
  SetExtent(0, 0, count);
  const XlaOp columns[] = {b_.Div(places, Int(boxes.classes * boxes.count)),
                           b_.Rem(b_.Div(places, Int(boxes.count)), Int(boxes.classes)),
                           Take(b_.Reshape(boxes.order, {n}), 0, places)};
  std::vector<XlaOp> parts;
  for (const XlaOp column : columns) parts.push_back(b_.Reshape(column, {rows, 1}));
  region_.SetArray(Output(0), b_.ConcatInDim(parts, 1));
  return absl::OkStatus();
}

// --- cubic_resize ---

// Keys' cubic convolution with parameter a along one axis: four neighbors, those past the borders being the elements at
// the borders.
XlaOp IntrinsicLowering::ResizeAlong(XlaOp array, int64_t axis, const Scalar& size, double a) {
  const std::string& transform = Attribute("coordinate_transform").item().text;
  const XlaOp ints = region_.Extent(region_.tensor(Input(0)).shape[axis]);
  const XlaOp extent = EmitConvert(region_.TypeOf(BaseType::kReal), ints);
  const bool is_static = size.kind == Scalar::Kind::kInt;
  // Of a size that varies, the array has room for the greatest.
  const int64_t bound = region_.BoundsOf(Output(0))[axis];
  const XlaOp target =
      is_static ? Real(static_cast<double>(bound)) : EmitConvert(region_.TypeOf(BaseType::kReal), region_.Extent(size));
  const XlaOp last = is_static ? Real(static_cast<double>(bound - 1)) : b_.Sub(target, Real(1));
  XlaOp scale;
  if (transform != "ALIGNED") {
    scale = b_.Div(extent, target);
  } else {
    scale = is_static && bound == 1 ? Real(0) : b_.Div(b_.Sub(extent, Real(1)), last);
    if (!is_static) scale = b_.Select(b_.Gt(last, Real(0)), scale, Real(0));
  }
  const XlaOp offset = transform == "SYMMETRIC" ? b_.Sub(b_.Mul(scale, Real(0.5)), Real(0.5)) : Real(0);
  const XlaOp place = EmitConvert(region_.TypeOf(BaseType::kReal), b_.Iota(S32, bound));
  const XlaOp x = b_.Add(b_.Mul(place, scale), offset);
  const XlaOp whole = b_.Floor(x);
  std::vector<int64_t> bounds;
  const xla::Shape shape = b_.ShapeOrInvalid(array);
  bounds.assign(shape.dimensions().begin(), shape.dimensions().end());
  bounds[axis] = bound;
  XlaOp sum;
  for (int64_t j = -1; j <= 2; ++j) {
    const XlaOp d = b_.Abs(b_.Sub(b_.Sub(x, whole), Real(static_cast<double>(j))));
    const auto cubic = [&](double c3, double c2, double c1, double c0) {
      const XlaOp high = b_.Add(b_.Mul(d, Real(c3)), Real(c2));
      return b_.Add(b_.Mul(b_.Add(b_.Mul(high, d), Real(c1)), d), Real(c0));
    };
    const XlaOp weight =
        b_.Select(b_.Le(d, OnesLike(d)), cubic(a + 2, -(a + 3), 0, 1), cubic(a, -5 * a, 8 * a, -4 * a));
    const XlaOp neighbor = b_.Add(EmitConvert(S32, whole), Int(j));
    const XlaOp index = b_.Max(b_.Min(neighbor, b_.Sub(ints, Int(1))), Int(0));
    const XlaOp part = b_.Mul(Take(array, axis, index), b_.BroadcastInDim(weight, bounds, {axis}));
    sum = sum.valid() ? b_.Add(sum, part) : part;
  }
  return sum;
}

absl::Status IntrinsicLowering::CubicResize() {
  XlaOp array = region_.Array(Input(0));
  const int64_t rank = static_cast<int64_t>(region_.BoundsOf(Input(0)).size());
  const Value& axes = Attribute("axes");
  const Value& sizes = Attribute("size");
  if (VolumeOf(region_.BoundsOf(Input(0))) == 0) {
    region_.SetArray(Output(0), Zeros(&b_, region_.ShapeOf(Output(0))));
    return absl::OkStatus();
  }
  const double a = Attribute("coeff_a").item().real;
  for (size_t i = 0; i < axes.items.size(); ++i) {
    const int64_t axis = axes.items[i].integer < 0 ? axes.items[i].integer + rank : axes.items[i].integer;
    array = ResizeAlong(array, axis, sizes.items[i], a);
  }
  region_.SetArray(Output(0), array);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegionLowering::LowerIntrinsic(const ComposedOperation& operation) {
  struct Row {
    absl::string_view name;
    absl::Status (IntrinsicLowering::*lower)();
  };
  static constexpr Row kRows[] = {
      {"layout.nonzero", &IntrinsicLowering::Nonzero},
      {"algo.top_k", &IntrinsicLowering::TopK},
      {"algo.nonmax_suppress", &IntrinsicLowering::NonmaxSuppress},
      {"image.cubic_resize", &IntrinsicLowering::CubicResize},
  };
  const std::string name = operation.bound->definition->QualifiedName();
  IntrinsicLowering lowering(this, &operation);
  for (const Row& row : kRows) {
    if (row.name == name) return (lowering.*row.lower)();
  }
  return absl::UnimplementedError(
      "an operator without @lower and @compose, whose meaning is not defined, cannot be run; the graph can be "
      "composed");
}

}  // namespace nnef2
}  // namespace xla
