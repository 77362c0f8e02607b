#include "xla_core/types/shape.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/mix_hash.h"
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

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return CheckedAdd(a, b, &sum) ? sum : std::numeric_limits<int64_t>::max();
}

// Bytes of an array that may be invalid; INT64_MAX if there are more.
int64_t SaturatingByteSize(const Shape& array) {
  int64_t bytes = ByteWidth(array.element_type());
  bool overflow = false;
  for (const int64_t d : array.dimensions()) {
    if (d == 0) return 0;
    overflow |= d < 0 || !CheckedMul(bytes, d, &bytes);
  }
  return overflow ? std::numeric_limits<int64_t>::max() : bytes;
}

}  // namespace

// Checks a shape and the shapes that it holds. Elements that were found valid are not looked at again.
class ShapeValidator {
 public:
  static absl::Status Validate(const Shape& shape) {
    if (shape.IsArray()) return ValidateArray(shape);
    if (GetPrimitiveTypeInfo(shape.element_type()).type_class == TypeClass::kInvalid) {
      return absl::InvalidArgumentError("shape without an element type");
    }
    if (shape.rank() > 0) {
      return absl::InvalidArgumentError(absl::StrCat("only arrays have dimensions, but a ",
                                                     PrimitiveTypeName(shape.element_type()), " was given ",
                                                     shape.rank(), " of them"));
    }
    if (shape.IsBuffer() && (shape.tuple_size() != 1 || !shape.buffer_shape().IsArray())) {
      return absl::InvalidArgumentError("a buffer shape must hold one array shape");
    }
    if (shape.tuple_ == nullptr || shape.tuple_->is_valid.load(std::memory_order_relaxed)) return absl::OkStatus();
    RETURN_IF_ERROR(ValidateElements(*shape.tuple_));
    shape.tuple_->is_valid.store(true, std::memory_order_relaxed);
    return absl::OkStatus();
  }

 private:
  // The depth, which bounds the recursion of everything that walks shapes, comes before the first step down.
  static absl::Status ValidateElements(const Shape::Elements& elements) {
    if (elements.totals.depth > Shape::kMaxNestingDepth) {
      return absl::InvalidArgumentError(absl::StrCat("tuple nested deeper than ", Shape::kMaxNestingDepth));
    }
    if (elements.totals.part_count > Shape::kMaxPartCount) {
      const int64_t parts = elements.totals.part_count;
      return absl::InvalidArgumentError(absl::StrCat(
          "tuple is too large: it has ", parts == std::numeric_limits<int64_t>::max() ? "over 2^63" : absl::StrCat(parts),
          " parts (leaves and tuples at any depth, counted wherever they appear), expected at most ",
          Shape::kMaxPartCount));
    }
    int64_t bytes = 0;
    for (const Shape& element : elements.shapes) {
      RETURN_IF_ERROR(Validate(element));
      if (!element.IsDynamic() && !CheckedAdd(bytes, element.ByteSize(), &bytes)) {
        return absl::InvalidArgumentError("tuple is too large: its size in bytes does not fit in 63 bits");
      }
    }
    return absl::OkStatus();
  }
};

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

void Shape::DynamicFlags::Set(int i, bool dynamic, int rank) {
  if (flags_ == nullptr) {
    if (!dynamic) return;
    flags_ = std::make_unique<std::vector<bool>>(rank, false);
  }
  (*flags_)[i] = dynamic;
  DropIfAllFalse();
}

void Shape::DynamicFlags::Add() {
  if (flags_ != nullptr) flags_->push_back(false);
}

void Shape::DynamicFlags::Delete(int i) {
  if (flags_ == nullptr) return;
  flags_->erase(flags_->begin() + i);
  DropIfAllFalse();
}

void Shape::DynamicFlags::DropIfAllFalse() {
  if (std::find(flags_->begin(), flags_->end(), true) == flags_->end()) flags_ = nullptr;
}

Shape::Elements::Elements(std::vector<Shape> elements) : shapes(std::move(elements)) {
  for (const Shape& shape : shapes) {
    const Totals added = shape.TotalsAsElement();
    totals.leaf_count = SaturatingAdd(totals.leaf_count, added.leaf_count);
    totals.part_count = SaturatingAdd(totals.part_count, added.part_count);
    totals.byte_size = SaturatingAdd(totals.byte_size, added.byte_size);
    totals.structure_hash = MixHash(totals.structure_hash, added.structure_hash);
    totals.depth = std::max(totals.depth, added.depth + 1);
    totals.is_dynamic |= added.is_dynamic;
    totals.is_unbounded |= added.is_unbounded;
    totals.has_layouts |= added.has_layouts;
    totals.misses_layouts |= added.misses_layouts;
  }
}

Shape::Totals Shape::TotalsAsElement() const {
  Totals totals;
  if (tuple_ != nullptr) totals = tuple_->totals;
  if (tuple_ == nullptr) totals.depth = 0;
  totals.leaf_count = leaf_count();
  totals.structure_hash = StructureHash();
  if (!IsArray()) return totals;
  totals.byte_size = SaturatingByteSize(*this);
  totals.is_dynamic = IsDynamic();
  totals.is_unbounded = IsUnboundedDynamic();
  totals.has_layouts = has_layout();
  totals.misses_layouts = !has_layout();
  return totals;
}

uint64_t Shape::StructureHash() const {
  uint64_t hash = MixHash(0, static_cast<uint64_t>(type_));
  for (const int64_t size : dimensions_) hash = MixHash(hash, static_cast<uint64_t>(size));
  return tuple_ == nullptr ? hash : MixHash(hash, tuple_->totals.structure_hash);
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape = OfType(TUPLE);
  shape.tuple_ = std::make_shared<const Elements>(std::move(elements));
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape = OfType(BUFFER);
  std::vector<Shape> elements;
  elements.push_back(std::move(array));
  shape.tuple_ = std::make_shared<const Elements>(std::move(elements));
  return shape;
}

bool Shape::IsUnboundedDynamic() const {
  if (tuple_ != nullptr) return tuple_->totals.is_unbounded;
  return std::find(dimensions_.begin(), dimensions_.end(), kUnboundedSize) != dimensions_.end();
}

void Shape::set_dynamic_dimension(int i, bool dynamic) { dynamic_.Set(i, dynamic, rank()); }

void Shape::AddDimension(int64_t size, bool dynamic) {
  dimensions_.push_back(size);
  dynamic_.Add();
  if (dynamic) set_dynamic_dimension(rank() - 1, true);
  layout_ = nullptr;
}

void Shape::DeleteDimension(int i) {
  dimensions_.erase(dimensions_.begin() + i);
  dynamic_.Delete(i);
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

// Copies a tuple with other arrays, once for each Elements object.
class ArrayMapper {
 public:
  explicit ArrayMapper(absl::FunctionRef<Shape(const Shape&)> f) : f_(f) {}

  Shape Map(const Shape& shape) {
    if (shape.IsArray()) return f_(shape);
    Shape result = shape;
    if (shape.tuple_ != nullptr) result.tuple_ = MapElements(shape.tuple_);
    return result;
  }

 private:
  std::shared_ptr<const Shape::Elements> MapElements(const std::shared_ptr<const Shape::Elements>& elements) {
    const auto known = done_.find(elements.get());
    if (known != done_.end()) return known->second;
    std::vector<Shape> mapped;
    mapped.reserve(elements->shapes.size());
    for (const Shape& element : elements->shapes) mapped.push_back(Map(element));
    auto result = std::make_shared<const Shape::Elements>(std::move(mapped));
    done_.emplace(elements.get(), result);
    return result;
  }

  const absl::FunctionRef<Shape(const Shape&)> f_;
  absl::flat_hash_map<const Shape::Elements*, std::shared_ptr<const Shape::Elements>> done_;
};

Shape MapArrays(const Shape& shape, absl::FunctionRef<Shape(const Shape&)> f) { return ArrayMapper(f).Map(shape); }

void Shape::SetMissingLayoutsToDefault() {
  if (IsArray()) {
    if (layout_ == nullptr) layout_ = RowMajorLayout(rank());
    return;
  }
  if (tuple_ == nullptr || !tuple_->totals.misses_layouts) return;
  *this = MapArrays(*this, [](const Shape& array) {
    Shape result = array;
    result.SetMissingLayoutsToDefault();
    return result;
  });
}

Shape Shape::WithoutLayout() const {
  Shape shape = *this;
  shape.layout_ = nullptr;
  if (tuple_ == nullptr || !tuple_->totals.has_layouts) return shape;
  return MapArrays(shape, [](const Shape& array) { return array.WithoutLayout(); });
}

void Shape::SetTupleShape(int i, Shape shape) {
  std::vector<Shape> elements(tuple_->shapes);
  elements[i] = std::move(shape);
  tuple_ = std::make_shared<const Elements>(std::move(elements));
}

int64_t Shape::ElementCount() const {
  int64_t count = 1;
  for (int64_t d : dimensions_) {
    if (d == 0) return 0;
  }
  for (int64_t d : dimensions_) count *= d;
  return count;
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
  if (tuple_size() == 0) return true;
  const Totals& totals = tuple_->totals;
  const Totals& others = other.tuple_->totals;
  if (totals.part_count != others.part_count || totals.depth != others.depth) return false;
  if ((ignore & kIgnoreElementType) == 0 && totals.structure_hash != others.structure_hash) return false;
  for (int i = 0; i < tuple_size(); ++i) {
    const Shape& mine = tuple_shape(i);
    const Shape& theirs = other.tuple_shape(i);
    // Neighbours that share their elements with the pair before, on both sides, need no second look.
    const bool is_known = i > 0 && mine.IsTuple() && theirs.IsTuple() && mine.tuple_ == tuple_shape(i - 1).tuple_ &&
                          theirs.tuple_ == other.tuple_shape(i - 1).tuple_;
    if (!is_known && !mine.Equal(theirs, ignore)) return false;
  }
  return true;
}

std::string Shape::ToString(LayoutPrinting layout, bool index_comments) const {
  std::string out;
  if (!AppendUpTo(kMaxTextInMessages, &out, layout, index_comments)) absl::StrAppend(&out, "...");
  return out;
}

std::string Shape::ToFullString(LayoutPrinting layout, bool index_comments) const {
  std::string out;
  AppendTo(&out, layout, index_comments);
  return out;
}

void Shape::AppendTo(std::string* out, LayoutPrinting layout, bool index_comments) const {
  AppendUpTo(std::string::npos, out, layout, index_comments);
}

// Appends HLO text: `f32[2,<=3]{1,0}`, tuples in parentheses, buffers as `b(...)`, `?` for unbounded dimensions.
// Layouts of scalars are printed only if they say something. Stops between two parts and returns false where the text
// has reached this many characters.
bool Shape::AppendUpTo(size_t stop_at, std::string* out, LayoutPrinting layout, bool index_comments) const {
  if (IsTuple()) {
    out->push_back('(');
    for (int i = 0; i < tuple_size(); ++i) {
      if (i > 0) absl::StrAppend(out, ", ");
      if (out->size() >= stop_at) return false;
      if (index_comments && i > 0 && i % 5 == 0) absl::StrAppend(out, "/*index=", i, "*/");
      if (!tuple_shape(i).AppendUpTo(stop_at, out, layout, index_comments)) return false;
    }
    out->push_back(')');
    return true;
  }
  if (IsBuffer() && tuple_ != nullptr) {
    absl::StrAppend(out, "b(");
    buffer_shape().AppendTo(out, layout, index_comments);
    out->push_back(')');
    return true;
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
  return true;
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

absl::Status ValidateShape(const Shape& shape) { return ShapeValidator::Validate(shape); }

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

}  // namespace xla
