#include "passes/memory/array_layouts.h"

#include <utility>

namespace xla {
namespace {

// The dimensions that matter, the one whose index changes slowest first.
DimensionVector PlacesOf(const Shape& shape) {
  const DimensionVector order = OrderOf(shape);
  DimensionVector places;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    if (shape.dimension(static_cast<int>(*d)) != 1) places.push_back(*d);
  }
  return places;
}

bool HasRowMajorPlaces(const Shape& shape) {
  const DimensionVector places = PlacesOf(shape);
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] < places[i - 1]) return false;
  }
  return true;
}

// What layouts say of elements besides their order: they can only be read where it is the same.
bool StoredAlike(const Shape& a, const Shape& b) {
  const auto rest = [](const Shape& shape) {
    Layout layout = shape.has_layout() ? *shape.layout() : Layout();
    layout.minor_to_major.clear();
    return layout;
  };
  return !a.IsDynamic() && !b.IsDynamic() && rest(a) == rest(b);
}

}  // namespace

Shape WithOrder(const Shape& shape, absl::Span<const int64_t> minor_to_major) {
  if (shape.has_layout() && shape.layout()->minor_to_major == minor_to_major) return shape;
  Layout layout = shape.has_layout() ? *shape.layout() : Layout();
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  Shape result = shape;
  result.set_layout(std::move(layout));
  return result;
}

Shape WithRowMajorLayouts(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    elements.reserve(shape.tuple_size());
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(WithRowMajorLayouts(element));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return shape;
  if (shape.has_layout()) return WithOrder(shape, RowMajorLayout(shape.rank())->minor_to_major);
  Shape result = shape;
  result.set_shared_layout(RowMajorLayout(shape.rank()));
  return result;
}

Shape WithLayoutsOf(const Shape& shape, const Shape& layouts) {
  Shape result = shape;
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    elements.reserve(shape.tuple_size());
    for (int i = 0; i < shape.tuple_size(); ++i) {
      elements.push_back(WithLayoutsOf(shape.tuple_shape(i), layouts.tuple_shape(i)));
    }
    result = Shape::Tuple(std::move(elements));
  } else if (shape.IsArray()) {
    result.set_shared_layout(RowMajorLayout(shape.rank()));
    if (layouts.has_layout()) result.set_layout(*layouts.layout());
  }
  return result;
}

bool SameLayouts(const Shape& a, const Shape& b) {
  if (a.IsTuple()) {
    if (a.tuple_shapes().data() == b.tuple_shapes().data()) return true;
    for (int i = 0; i < a.tuple_size(); ++i) {
      if (!SameLayouts(a.tuple_shape(i), b.tuple_shape(i))) return false;
    }
    return true;
  }
  if (!a.IsArray() || a.layout() == b.layout()) return true;
  const auto layout = [](const Shape& shape) -> const Layout& {
    return shape.has_layout() ? *shape.layout() : *RowMajorLayout(shape.rank());
  };
  return layout(a) == layout(b);
}

DimensionVector OrderOf(const Shape& shape) {
  return shape.has_layout() ? shape.layout()->minor_to_major : RowMajorLayout(shape.rank())->minor_to_major;
}

bool HasRowMajorOrder(const Shape& shape) {
  return !shape.has_layout() || shape.layout()->minor_to_major == RowMajorLayout(shape.rank())->minor_to_major;
}

bool TransposeKeepsPlaces(const Shape& operand, absl::Span<const int64_t> permutation, const Shape& result) {
  DimensionVector places = PlacesOf(result);
  for (int64_t& d : places) d = permutation[d];
  return StoredAlike(operand, result) && places == PlacesOf(operand);
}

bool ReshapeKeepsPlaces(const Shape& operand, const Shape& result) {
  return StoredAlike(operand, result) && HasRowMajorPlaces(operand) && HasRowMajorPlaces(result);
}

bool CopyKeepsPlaces(const Shape& operand, const Shape& result) {
  return StoredAlike(operand, result) && PlacesOf(operand) == PlacesOf(result);
}

}  // namespace xla
