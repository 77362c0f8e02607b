// Shape: element type and dimensions of an array with its layout, or a tuple of shapes, a token, an opaque value or a
// buffer.
//
// Shapes are values and cheap to copy: dimensions are stored inline, layouts and tuple elements are shared and
// immutable.
#ifndef XLA_CORE_TYPES_SHAPE_H_
#define XLA_CORE_TYPES_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

using DimensionVector = absl::InlinedVector<int64_t, 6>;

// One level of tiling: T(8,128). A dimension of kCombineDimension prints as `*` and joins with the next one.
struct Tile {
  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> dimensions;
  bool operator==(const Tile& other) const { return dimensions == other.dimensions; }
};

// Where a dimension is split over memories: SC(dimension:index,index).
struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> split_indices;
  bool operator==(const SplitConfig& other) const {
    return dimension == other.dimension && split_indices == other.split_indices;
  }
};

// How an array lies in memory. Only `minor_to_major` matters to Halo's evaluator (bitcast); the rest survives a round
// trip.
struct Layout {
  static constexpr int64_t kHostMemorySpace = 5;

  DimensionVector minor_to_major;  // minor_to_major[0] is the dimension whose index changes fastest
  std::vector<Tile> tiles;
  int64_t tail_padding_alignment_in_elements = 1;
  PrimitiveType index_primitive_type = PRIMITIVE_TYPE_INVALID;
  PrimitiveType pointer_primitive_type = PRIMITIVE_TYPE_INVALID;
  int64_t element_size_in_bits = 0;  // 0: the type's own width
  int64_t memory_space = 0;
  std::vector<SplitConfig> split_configs;
  int64_t dynamic_shape_metadata_prefix_bytes = 0;

  bool operator==(const Layout& other) const;
  bool operator!=(const Layout& other) const { return !(*this == other); }
  // "{1,0:T(8,128)S(1)}"
  std::string ToString() const;
};

// Says nothing about validity: sizes may be negative or too large until ValidateShape has passed. Copies share layout
// and tuple elements, which are replaced and never changed, so shapes may be used from several threads like integers.
class Shape {
 public:
  // Stored size of an unbounded dynamic dimension (`?` in text).
  static constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();
  // Tuples nest at most this deep: parsing, printing and destroying a shape recurse.
  static constexpr int kMaxNestingDepth = 1000;
  // Arrays have at most this many dimensions: printing a value recurses over them.
  static constexpr int kMaxRank = 1000;

  Shape() = default;  // PRIMITIVE_TYPE_INVALID
  Shape(const Shape&) = default;
  Shape(Shape&&) = default;
  Shape& operator=(const Shape&) = default;
  Shape& operator=(Shape&&) = default;
  // Without a layout. `dynamic` is empty (all static) or has one flag per dimension.
  static Shape Array(PrimitiveType type, absl::Span<const int64_t> dimensions, absl::Span<const bool> dynamic = {});
  static Shape Array(PrimitiveType type, std::initializer_list<int64_t> dimensions) {
    return Array(type, absl::MakeConstSpan(dimensions.begin(), dimensions.size()));
  }
  static Shape Scalar(PrimitiveType type) { return Array(type, absl::Span<const int64_t>()); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token() { return OfType(TOKEN); }
  static Shape Opaque() { return OfType(OPAQUE_TYPE); }
  static Shape Buffer(Shape array);

  PrimitiveType element_type() const { return type_; }
  bool IsArray() const { return IsArrayType(type_); }
  bool IsTuple() const { return type_ == TUPLE; }
  bool IsToken() const { return type_ == TOKEN; }
  bool IsOpaque() const { return type_ == OPAQUE_TYPE; }
  bool IsBuffer() const { return type_ == BUFFER; }
  bool IsScalar() const { return IsArray() && dimensions_.empty(); }
  bool IsScalarOf(PrimitiveType type) const { return type_ == type && dimensions_.empty(); }

  int rank() const { return static_cast<int>(dimensions_.size()); }
  int64_t dimension(int i) const { return dimensions_[i]; }
  // A bounded dynamic dimension has its bound here, an unbounded one kUnboundedSize.
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  bool is_dynamic_dimension(int i) const { return !dynamic_.empty() && dynamic_[i]; }
  // True if any dimension of this array, or of any array within this tuple, is dynamic.
  bool IsDynamic() const;
  bool IsUnboundedDynamic() const;
  void set_element_type(PrimitiveType type) { type_ = type; }
  void set_dimension(int i, int64_t size) { dimensions_[i] = size; }
  void set_dynamic_dimension(int i, bool dynamic);
  // Drops the layout if there is one: it would no longer fit.
  void AddDimension(int64_t size, bool dynamic = false);
  void DeleteDimension(int i);

  bool has_layout() const { return layout_ != nullptr; }
  // nullptr if none was given.
  const Layout* layout() const { return layout_.get(); }
  void set_layout(Layout layout);
  void set_shared_layout(std::shared_ptr<const Layout> layout) { layout_ = std::move(layout); }
  void clear_layout() { layout_ = nullptr; }
  // Whether the elements of this array lie in memory in the order of their indices. Dimensions of size 1 do not matter;
  // without a layout it is true.
  bool IsRowMajor() const;
  // Gives every array within this shape that has no layout the row-major one.
  void SetMissingLayoutsToDefault();
  // The same shape with all layouts removed, recursively.
  Shape WithoutLayout() const;

  int tuple_size() const { return tuple_ == nullptr ? 0 : static_cast<int>(tuple_->size()); }
  const Shape& tuple_shape(int i) const { return (*tuple_)[i]; }
  absl::Span<const Shape> tuple_shapes() const {
    return tuple_ == nullptr ? absl::Span<const Shape>() : absl::MakeConstSpan(*tuple_);
  }
  void SetTupleShape(int i, Shape shape);
  // The array shape that a buffer shape refers to.
  const Shape& buffer_shape() const { return (*tuple_)[0]; }

  // Product of the dimensions; valid only for shapes that passed ValidateShape and have no unbounded dimension.
  int64_t ElementCount() const;
  // Bytes of a Literal of this shape, tuples included; same precondition.
  int64_t ByteSize() const;

  // Same type and dimensions; layouts and dynamic flags ignored.
  bool Compatible(const Shape& other) const { return Equal(other, kIgnoreLayout | kIgnoreDynamic); }
  // Same, ignoring the element type of floats: for rules that allow mixed precision.
  bool SameDimensions(const Shape& other) const { return dimensions_ == other.dimensions_; }
  enum Ignore { kIgnoreNothing = 0, kIgnoreLayout = 1, kIgnoreDynamic = 2, kIgnoreElementType = 4 };
  bool Equal(const Shape& other, int ignore = kIgnoreNothing) const;
  bool operator==(const Shape& other) const { return Equal(other); }
  bool operator!=(const Shape& other) const { return !Equal(other); }

  enum class LayoutPrinting { kWithout, kWith };
  // HLO text: "f32[2,<=3]{1,0}"; tuples of more than five elements carry /*index=5*/ comments if `index_comments`.
  std::string ToString(LayoutPrinting layout = LayoutPrinting::kWithout, bool index_comments = true) const;
  void AppendTo(std::string* out, LayoutPrinting layout, bool index_comments) const;

 private:
  static Shape OfType(PrimitiveType type) {
    Shape shape;
    shape.type_ = type;
    return shape;
  }

  PrimitiveType type_ = PRIMITIVE_TYPE_INVALID;
  absl::InlinedVector<bool, 7> dynamic_;  // empty: all static
  DimensionVector dimensions_;
  std::shared_ptr<const Layout> layout_;
  std::shared_ptr<const std::vector<Shape>> tuple_;  // tuple elements; for a buffer its one array
};

// The shared row-major layout {rank-1, ..., 1, 0}.
std::shared_ptr<const Layout> RowMajorLayout(int rank);

// Refuses, at any depth: an invalid element type, a negative dimension, sizes whose byte count does not fit in 63 bits,
// a layout whose minor_to_major is no permutation of the dimensions, more than Shape::kMaxRank dimensions, nesting
// beyond Shape::kMaxNestingDepth.
absl::Status ValidateShape(const Shape& shape);

// Path to a leaf of a tuple shape: {1,0}.
using ShapeIndex = absl::InlinedVector<int64_t, 4>;
std::string ShapeIndexToString(absl::Span<const int64_t> index);
// nullptr if the path leads nowhere.
const Shape* SubshapeAt(const Shape& shape, absl::Span<const int64_t> index);
// Number of array, token, opaque and buffer leaves.
int64_t LeafCount(const Shape& shape);

}  // namespace xla

#endif  // XLA_CORE_TYPES_SHAPE_H_
