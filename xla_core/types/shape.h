// Shape: element type and dimensions of an array with its layout, or a tuple of shapes, a token, an opaque value or a
// buffer.
//
// Shapes are values and cheap to copy: dimensions are stored inline, layouts and tuple elements are shared and
// immutable. A tuple knows what its elements add up to (leaves, bytes, depth, hash), because twenty lines of text,
// `t1 = tuple(t0, t0)`, `t2 = tuple(t1, t1)` and so on, describe a million leaves that no file could hold.
#ifndef XLA_CORE_TYPES_SHAPE_H_
#define XLA_CORE_TYPES_SHAPE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
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
  // Parts of a shape: the shape itself and all that it holds at any depth, counted wherever they appear. What looks at
  // leaves takes time and memory for each, so there is a limit, far above any real program.
  static constexpr int64_t kMaxPartCount = 500000;
  // ToString stops after about this many characters.
  static constexpr size_t kMaxTextInMessages = 2000;

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
  bool is_dynamic_dimension(int i) const { return !dynamic_.empty() && dynamic_.flag(i); }
  // True if any dimension of this array, or of any array within this tuple, is dynamic.
  bool IsDynamic() const { return !dynamic_.empty() || (tuple_ != nullptr && tuple_->totals.is_dynamic); }
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

  int tuple_size() const { return tuple_ == nullptr ? 0 : static_cast<int>(tuple_->shapes.size()); }
  const Shape& tuple_shape(int i) const { return tuple_->shapes[i]; }
  absl::Span<const Shape> tuple_shapes() const {
    return tuple_ == nullptr ? absl::Span<const Shape>() : absl::MakeConstSpan(tuple_->shapes);
  }
  // Copies all elements; to set many, make a new tuple.
  void SetTupleShape(int i, Shape shape);
  // The array shape that a buffer shape refers to.
  const Shape& buffer_shape() const { return tuple_->shapes[0]; }

  // Number of array, token, opaque and buffer leaves; 1 unless this is a tuple. At most INT64_MAX, as if more.
  int64_t leaf_count() const {
    if (!IsTuple()) return 1;
    return tuple_ == nullptr ? 0 : tuple_->totals.leaf_count;
  }
  // See kMaxPartCount. At most INT64_MAX, as if more.
  int64_t part_count() const { return tuple_ == nullptr ? 1 : tuple_->totals.part_count; }
  // Element types and dimensions at any depth, the same in every run of the program; layouts do not count.
  uint64_t StructureHash() const;

  // Product of the dimensions; valid only for shapes that passed ValidateShape and have no unbounded dimension.
  int64_t ElementCount() const;
  // Bytes of a Literal of this shape, tuples included; same precondition.
  int64_t ByteSize() const { return tuple_ != nullptr ? tuple_->totals.byte_size : IsArray() ? ArrayByteSize() : 0; }

  // Same type and dimensions; layouts and dynamic flags ignored.
  bool Compatible(const Shape& other) const { return Equal(other, kIgnoreLayout | kIgnoreDynamic); }
  // Same, ignoring the element type of floats: for rules that allow mixed precision.
  bool SameDimensions(const Shape& other) const { return dimensions_ == other.dimensions_; }
  enum Ignore { kIgnoreNothing = 0, kIgnoreLayout = 1, kIgnoreDynamic = 2, kIgnoreElementType = 4 };
  bool Equal(const Shape& other, int ignore = kIgnoreNothing) const;
  bool operator==(const Shape& other) const { return Equal(other); }
  bool operator!=(const Shape& other) const { return !Equal(other); }

  enum class LayoutPrinting { kWithout, kWith };
  // For messages: HLO text, "f32[2,<=3]{1,0}", that ends in "..." where it is longer than kMaxTextInMessages. Tuples of
  // more than five elements carry /*index=5*/ comments if `index_comments`.
  std::string ToString(LayoutPrinting layout = LayoutPrinting::kWithout, bool index_comments = true) const;
  // All of it, for what is read again.
  std::string ToFullString(LayoutPrinting layout = LayoutPrinting::kWithout, bool index_comments = true) const;
  void AppendTo(std::string* out, LayoutPrinting layout, bool index_comments) const;

 private:
  // One flag per dimension, or none: nearly all arrays are static, so it is small rather than fast.
  class DynamicFlags {
   public:
    DynamicFlags() = default;
    DynamicFlags(const DynamicFlags& other) { *this = other; }
    DynamicFlags(DynamicFlags&&) = default;
    DynamicFlags& operator=(const DynamicFlags& other) {
      flags_ = other.empty() ? nullptr : std::make_unique<std::vector<bool>>(*other.flags_);
      return *this;
    }
    DynamicFlags& operator=(DynamicFlags&&) = default;
    bool operator==(const DynamicFlags& other) const {
      return empty() || other.empty() ? empty() == other.empty() : *flags_ == *other.flags_;
    }
    bool operator!=(const DynamicFlags& other) const { return !(*this == other); }

    bool empty() const { return flags_ == nullptr; }
    bool flag(int i) const { return (*flags_)[i]; }
    // Makes `rank` flags if there are none; none again once all are false.
    void Set(int i, bool dynamic, int rank);
    void Add();
    void Delete(int i);

   private:
    void DropIfAllFalse();

    std::unique_ptr<std::vector<bool>> flags_;
  };

  // What the elements of a tuple add up to, the tuple itself among the parts. Sums that do not fit in 63 bits are
  // INT64_MAX: a shape is made before it is validated.
  struct Totals {
    int64_t leaf_count = 0;
    int64_t part_count = 1;
    int64_t byte_size = 0;
    uint64_t structure_hash = 0;
    int depth = 1;  // of tuples within tuples; 1: the elements hold nothing
    bool is_dynamic = false;
    bool is_unbounded = false;
    bool has_layouts = false;     // of some array
    bool misses_layouts = false;  // of some array
  };

  // The elements of a tuple, or the array of a buffer. Shared by all copies of the shape and never changed.
  struct Elements {
    explicit Elements(std::vector<Shape> elements);
    const std::vector<Shape> shapes;
    Totals totals;
    mutable std::atomic<bool> is_valid{false};  // ValidateShape has passed
  };
  friend class ShapeValidator;
  friend class ArrayMapper;

  // What this shape adds to the totals of a tuple that holds it.
  Totals TotalsAsElement() const;
  int64_t ArrayByteSize() const { return ElementCount() * ByteWidth(type_); }
  bool AppendUpTo(size_t stop_at, std::string* out, LayoutPrinting layout, bool index_comments) const;

  static Shape OfType(PrimitiveType type) {
    Shape shape;
    shape.type_ = type;
    return shape;
  }

  PrimitiveType type_ = PRIMITIVE_TYPE_INVALID;
  DynamicFlags dynamic_;  // empty: all static
  absl::InlinedVector<int64_t, 4> dimensions_;
  std::shared_ptr<const Layout> layout_;
  std::shared_ptr<const Elements> tuple_;  // tuple elements; for a buffer its one array
};

// `shape` with f(array) in place of every array within it. Elements that share their storage do so afterwards, too,
// and f sees their arrays once.
Shape MapArrays(const Shape& shape, absl::FunctionRef<Shape(const Shape& array)> f);

// The shared row-major layout {rank-1, ..., 1, 0}.
std::shared_ptr<const Layout> RowMajorLayout(int rank);

// Refuses, at any depth: an invalid element type, a negative dimension, sizes whose byte count does not fit in 63 bits,
// a layout whose minor_to_major is no permutation of the dimensions, more than Shape::kMaxRank dimensions, nesting
// beyond Shape::kMaxNestingDepth, more parts than Shape::kMaxPartCount.
absl::Status ValidateShape(const Shape& shape);

// Path to a leaf of a tuple shape: {1,0}.
using ShapeIndex = absl::InlinedVector<int64_t, 4>;
std::string ShapeIndexToString(absl::Span<const int64_t> index);
// nullptr if the path leads nowhere.
const Shape* SubshapeAt(const Shape& shape, absl::Span<const int64_t> index);
// Number of array, token, opaque and buffer leaves.
inline int64_t LeafCount(const Shape& shape) { return shape.leaf_count(); }

}  // namespace xla

#endif  // XLA_CORE_TYPES_SHAPE_H_
