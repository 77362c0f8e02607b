#include "xla_core/types/shape.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

std::string TileToString(const Tile& tile) {
  return absl::StrCat("(",
                      absl::StrJoin(tile.dimensions, ",",
                                    [](std::string* out, int64_t d) {
                                      if (d == Tile::kCombineDimension) {
                                        out->push_back('*');
                                      } else {
                                        absl::StrAppend(out, d);
                                      }
                                    }),
                      ")");
}

// A layout is a permutation of the dimensions.
absl::Status ValidateLayout(const Layout& layout, int rank) {
  const int entries = static_cast<int>(layout.minor_to_major.size());
  if (entries != rank) {
    return absl::InvalidArgumentError(absl::StrCat("layout ", layout.ToString(), " has ", entries,
                                                   " entries, expected one for each of ", rank, " dimensions"));
  }
  absl::InlinedVector<bool, 8> seen(rank, false);
  for (int64_t d : layout.minor_to_major) {
    if (d < 0 || d >= rank || seen[d]) {
      return absl::InvalidArgumentError(
          absl::StrCat("layout ", layout.ToString(), " is no permutation of the dimensions 0 to ", rank - 1));
    }
    seen[d] = true;
  }
  return absl::OkStatus();
}

// Checks sizes and that the bytes of the whole array fit in 63 bits. A dimension of 0 makes the array empty whatever
// the others are; unbounded ones have no size yet.
absl::Status ValidateArray(const Shape& shape) {
  if (shape.rank() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("array has ", shape.rank(), " dimensions, expected at most ", Shape::kMaxRank));
  }
  int64_t elements = 1;
  bool overflow = false;
  bool zero = false;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t d = shape.dimension(i);
    if (d == Shape::kUnboundedSize) continue;
    if (d < 0) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", i, " of an array has the negative size ", d));
    }
    zero |= d == 0;
    overflow |= !overflow && !CheckedMul(elements, d, &elements);
  }
  int64_t bytes;
  if (!zero && (overflow || !CheckedMul(elements, ByteWidth(shape.element_type()), &bytes))) {
    return absl::InvalidArgumentError(
        absl::StrCat("array ", shape.ToString(), " is too large: its size in bytes does not fit in 63 bits"));
  }
  return shape.has_layout() ? ValidateLayout(*shape.layout(), shape.rank()) : absl::OkStatus();
}

// Checks a shape and the shapes that it holds, down to a fixed depth, which also bounds the recursion of everything
// that walks shapes later.
absl::Status ValidateShapeAt(const Shape& shape, int depth) {
  if (depth > Shape::kMaxNestingDepth) {
    return absl::InvalidArgumentError(absl::StrCat("tuple nested deeper than ", Shape::kMaxNestingDepth));
  }
  if (shape.IsArray()) return ValidateArray(shape);
  if (GetPrimitiveTypeInfo(shape.element_type()).type_class == TypeClass::kInvalid) {
    return absl::InvalidArgumentError("shape without an element type");
  }
  if (shape.rank() > 0) {
    return absl::InvalidArgumentError(absl::StrCat("only arrays have dimensions, but a ",
                                                   PrimitiveTypeName(shape.element_type()), " was given ", shape.rank(),
                                                   " of them"));
  }
  if (shape.IsBuffer() && (shape.tuple_size() != 1 || !shape.buffer_shape().IsArray())) {
    return absl::InvalidArgumentError("a buffer shape must hold one array shape");
  }
  int64_t bytes = 0;
  for (const Shape& element : shape.tuple_shapes()) {
    RETURN_IF_ERROR(ValidateShapeAt(element, depth + 1));
    if (!element.IsDynamic() && !CheckedAdd(bytes, element.ByteSize(), &bytes)) {
      return absl::InvalidArgumentError("tuple is too large: its size in bytes does not fit in 63 bits");
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool Layout::operator==(const Layout& other) const {
  return minor_to_major == other.minor_to_major && tiles == other.tiles &&
         tail_padding_alignment_in_elements == other.tail_padding_alignment_in_elements &&
         index_primitive_type == other.index_primitive_type && pointer_primitive_type == other.pointer_primitive_type &&
         element_size_in_bits == other.element_size_in_bits && memory_space == other.memory_space &&
         split_configs == other.split_configs &&
         dynamic_shape_metadata_prefix_bytes == other.dynamic_shape_metadata_prefix_bytes;
}

// Properties have the letters of XLA's text: T tiles, L alignment of the tail, # and * types of indices and pointers,
// E bits of an element, S memory space, SC splits, M metadata bytes.
std::string Layout::ToString() const {
  std::string props;
  if (!tiles.empty()) {
    absl::StrAppend(&props, "T");
    for (const Tile& tile : tiles) absl::StrAppend(&props, TileToString(tile));
  }
  if (tail_padding_alignment_in_elements != 1) absl::StrAppend(&props, "L(", tail_padding_alignment_in_elements, ")");
  if (index_primitive_type != PRIMITIVE_TYPE_INVALID) {
    absl::StrAppend(&props, "#(", PrimitiveTypeName(index_primitive_type), ")");
  }
  if (pointer_primitive_type != PRIMITIVE_TYPE_INVALID) {
    absl::StrAppend(&props, "*(", PrimitiveTypeName(pointer_primitive_type), ")");
  }
  if (element_size_in_bits != 0) absl::StrAppend(&props, "E(", element_size_in_bits, ")");
  if (memory_space != 0) absl::StrAppend(&props, "S(", memory_space, ")");
  if (!split_configs.empty()) {
    absl::StrAppend(&props, "SC");
    for (const SplitConfig& split : split_configs) {
      absl::StrAppend(&props, "(", split.dimension, ":", absl::StrJoin(split.split_indices, ","), ")");
    }
  }
  if (dynamic_shape_metadata_prefix_bytes != 0) absl::StrAppend(&props, "M(", dynamic_shape_metadata_prefix_bytes, ")");
  return absl::StrCat("{", absl::StrJoin(minor_to_major, ","), props.empty() ? "" : ":", props, "}");
}

Shape Shape::Array(PrimitiveType type, absl::Span<const int64_t> dimensions, absl::Span<const bool> dynamic) {
  Shape shape = OfType(type);
  shape.dimensions_.assign(dimensions.begin(), dimensions.end());
  for (size_t i = 0; i < dynamic.size(); ++i) {
    if (dynamic[i]) shape.set_dynamic_dimension(static_cast<int>(i), true);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dimensions_[i] == kUnboundedSize) shape.set_dynamic_dimension(i, true);
  }
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape = OfType(TUPLE);
  shape.tuple_ = std::make_shared<const std::vector<Shape>>(std::move(elements));
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape = OfType(BUFFER);
  std::vector<Shape> elements;
  elements.push_back(std::move(array));
  shape.tuple_ = std::make_shared<const std::vector<Shape>>(std::move(elements));
  return shape;
}

bool Shape::IsDynamic() const {
  for (bool dynamic : dynamic_) {
    if (dynamic) return true;
  }
  for (const Shape& element : tuple_shapes()) {
    if (element.IsDynamic()) return true;
  }
  return false;
}

bool Shape::IsUnboundedDynamic() const {
  for (int64_t d : dimensions_) {
    if (d == kUnboundedSize) return true;
  }
  for (const Shape& element : tuple_shapes()) {
    if (element.IsUnboundedDynamic()) return true;
  }
  return false;
}

void Shape::set_dynamic_dimension(int i, bool dynamic) {
  if (dynamic_.empty()) {
    if (!dynamic) return;
    dynamic_.resize(dimensions_.size(), false);
  }
  dynamic_[i] = dynamic;
  if (dynamic) return;
  for (bool flag : dynamic_) {
    if (flag) return;
  }
  dynamic_.clear();
}

void Shape::AddDimension(int64_t size, bool dynamic) {
  dimensions_.push_back(size);
  if (!dynamic_.empty()) dynamic_.push_back(false);
  if (dynamic) set_dynamic_dimension(rank() - 1, true);
  layout_ = nullptr;
}

void Shape::DeleteDimension(int i) {
  dimensions_.erase(dimensions_.begin() + i);
  if (!dynamic_.empty()) dynamic_.erase(dynamic_.begin() + i);
  layout_ = nullptr;
}

void Shape::set_layout(Layout layout) { layout_ = std::make_shared<const Layout>(std::move(layout)); }

bool Shape::IsRowMajor() const {
  if (layout_ == nullptr) return true;
  int64_t previous = rank();
  for (const int64_t d : layout_->minor_to_major) {
    if (dimension(static_cast<int>(d)) == 1) continue;
    if (d > previous) return false;
    previous = d;
  }
  return true;
}

void Shape::SetMissingLayoutsToDefault() {
  if (IsArray()) {
    if (layout_ == nullptr) layout_ = RowMajorLayout(rank());
    return;
  }
  if (tuple_ == nullptr) return;
  std::vector<Shape> elements(*tuple_);
  for (Shape& element : elements) element.SetMissingLayoutsToDefault();
  tuple_ = std::make_shared<const std::vector<Shape>>(std::move(elements));
}

Shape Shape::WithoutLayout() const {
  Shape shape = *this;
  shape.layout_ = nullptr;
  if (tuple_ != nullptr) {
    std::vector<Shape> elements;
    elements.reserve(tuple_->size());
    for (const Shape& element : *tuple_) elements.push_back(element.WithoutLayout());
    shape.tuple_ = std::make_shared<const std::vector<Shape>>(std::move(elements));
  }
  return shape;
}

void Shape::SetTupleShape(int i, Shape shape) {
  std::vector<Shape> elements(*tuple_);
  elements[i] = std::move(shape);
  tuple_ = std::make_shared<const std::vector<Shape>>(std::move(elements));
}

int64_t Shape::ElementCount() const {
  int64_t count = 1;
  for (int64_t d : dimensions_) {
    if (d == 0) return 0;
  }
  for (int64_t d : dimensions_) count *= d;
  return count;
}

int64_t Shape::ByteSize() const {
  if (IsArray()) return ElementCount() * ByteWidth(type_);
  int64_t bytes = 0;
  for (const Shape& element : tuple_shapes()) bytes += element.ByteSize();
  return bytes;
}

bool Shape::Equal(const Shape& other, int ignore) const {
  if (type_ != other.type_ && !((ignore & kIgnoreElementType) != 0 && IsArray() && other.IsArray())) return false;
  if (dimensions_ != other.dimensions_) return false;
  if ((ignore & kIgnoreDynamic) == 0 && dynamic_ != other.dynamic_) return false;
  if ((ignore & kIgnoreLayout) == 0 && layout_ != other.layout_) {
    if (layout_ == nullptr || other.layout_ == nullptr || *layout_ != *other.layout_) return false;
  }
  if (tuple_ == other.tuple_) return true;
  if (tuple_size() != other.tuple_size()) return false;
  for (int i = 0; i < tuple_size(); ++i) {
    if (!tuple_shape(i).Equal(other.tuple_shape(i), ignore)) return false;
  }
  return true;
}

std::string Shape::ToString(LayoutPrinting layout, bool index_comments) const {
  std::string out;
  AppendTo(&out, layout, index_comments);
  return out;
}

// Appends HLO text: `f32[2,<=3]{1,0}`, tuples in parentheses, buffers as `b(...)`, `?` for unbounded dimensions.
// Layouts of scalars are printed only if they say something.
void Shape::AppendTo(std::string* out, LayoutPrinting layout, bool index_comments) const {
  if (IsTuple()) {
    out->push_back('(');
    for (int i = 0; i < tuple_size(); ++i) {
      if (i > 0) absl::StrAppend(out, ", ");
      if (index_comments && i > 0 && i % 5 == 0) absl::StrAppend(out, "/*index=", i, "*/");
      tuple_shape(i).AppendTo(out, layout, index_comments);
    }
    out->push_back(')');
    return;
  }
  if (IsBuffer() && tuple_ != nullptr) {
    absl::StrAppend(out, "b(");
    buffer_shape().AppendTo(out, layout, index_comments);
    out->push_back(')');
    return;
  }
  absl::StrAppend(out, PrimitiveTypeName(type_), "[");
  for (int i = 0; i < rank(); ++i) {
    if (i > 0) out->push_back(',');
    if (dimensions_[i] == kUnboundedSize) {
      out->push_back('?');
    } else {
      absl::StrAppend(out, is_dynamic_dimension(i) ? "<=" : "", dimensions_[i]);
    }
  }
  out->push_back(']');
  if (layout == LayoutPrinting::kWith && layout_ != nullptr && (rank() > 0 || *layout_ != *RowMajorLayout(0))) {
    absl::StrAppend(out, layout_->ToString());
  }
}

std::shared_ptr<const Layout> RowMajorLayout(int rank) {
  const auto make = [](int n) {
    auto layout = std::make_shared<Layout>();
    for (int d = n - 1; d >= 0; --d) layout->minor_to_major.push_back(d);
    return layout;
  };
  constexpr int kShared = 9;
  static const auto* const shared = [&make] {
    auto* layouts = new std::vector<std::shared_ptr<const Layout>>;
    for (int n = 0; n < kShared; ++n) layouts->push_back(make(n));
    return layouts;
  }();
  return rank < kShared ? (*shared)[rank] : make(rank);
}

absl::Status ValidateShape(const Shape& shape) { return ValidateShapeAt(shape, 0); }

std::string ShapeIndexToString(absl::Span<const int64_t> index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

const Shape* SubshapeAt(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->IsTuple() || i < 0 || i >= at->tuple_size()) return nullptr;
    at = &at->tuple_shape(static_cast<int>(i));
  }
  return at;
}

int64_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t leaves = 0;
  for (const Shape& element : shape.tuple_shapes()) leaves += LeafCount(element);
  return leaves;
}

}  // namespace xla
