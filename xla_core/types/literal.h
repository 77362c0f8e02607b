// Literal: a value of any shape in memory.
//
// Arrays are dense and row-major by *logical* index, whatever layout their shape carries: the layout is an annotation
// that the few operations which read physical bytes (bitcast, protobuf) apply themselves. Types narrower than a byte
// take one byte per element. Copies share storage; the first write to shared storage copies it (copy on write), so
// tuples and loop states cost nothing to pass around. Values of up to 16 bytes live inside the object.
#ifndef XLA_CORE_TYPES_LITERAL_H_
#define XLA_CORE_TYPES_LITERAL_H_

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/types/shape.h"

namespace xla {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// The element type whose storage is T, for the types that C++ or narrow_float.h has as types of their own.
template <typename T>
struct PrimitiveTypeOf;
// The base of the specialisations below and in narrow_types.h: one row for each C++ type.
template <PrimitiveType kType>
struct PrimitiveTypeConstant {
  static constexpr PrimitiveType value = kType;
};
template <>
struct PrimitiveTypeOf<bool> : PrimitiveTypeConstant<PRED> {};
template <>
struct PrimitiveTypeOf<int8_t> : PrimitiveTypeConstant<S8> {};
template <>
struct PrimitiveTypeOf<int16_t> : PrimitiveTypeConstant<S16> {};
template <>
struct PrimitiveTypeOf<int32_t> : PrimitiveTypeConstant<S32> {};
template <>
struct PrimitiveTypeOf<int64_t> : PrimitiveTypeConstant<S64> {};
template <>
struct PrimitiveTypeOf<uint8_t> : PrimitiveTypeConstant<U8> {};
template <>
struct PrimitiveTypeOf<uint16_t> : PrimitiveTypeConstant<U16> {};
template <>
struct PrimitiveTypeOf<uint32_t> : PrimitiveTypeConstant<U32> {};
template <>
struct PrimitiveTypeOf<uint64_t> : PrimitiveTypeConstant<U64> {};
template <>
struct PrimitiveTypeOf<float> : PrimitiveTypeConstant<F32> {};
template <>
struct PrimitiveTypeOf<double> : PrimitiveTypeConstant<F64> {};
template <>
struct PrimitiveTypeOf<complex64> : PrimitiveTypeConstant<C64> {};
template <>
struct PrimitiveTypeOf<complex128> : PrimitiveTypeConstant<C128> {};

// An owner of memory with value semantics. Different literals may be used from different threads even if they share
// storage: references are counted atomically, and shared storage is never written to.
class Literal {
 public:
  // An invalid value, to be assigned to.
  Literal() = default;
  Literal(const Literal& other);
  Literal(Literal&& other) noexcept;
  Literal& operator=(const Literal& other);
  Literal& operator=(Literal&& other) noexcept;
  ~Literal() { ReleaseStorage(); }

  // A value of a valid, bounded `shape` whose elements are not set yet (Allocate) or zero (Zeros). Tuples are made
  // recursively; tokens and opaque values have no contents. `budget`, if given, outlives the literal and all its
  // copies. ResourceExhausted: the budget or the machine refuses the memory. InvalidArgument: the shape has unbounded
  // dimensions.
  static absl::StatusOr<Literal> Allocate(const Shape& shape, MemoryBudget* budget = nullptr);
  static absl::StatusOr<Literal> Zeros(const Shape& shape, MemoryBudget* budget = nullptr);
  // Refers to `data` (row-major, one element per ByteWidth), which must outlive the literal and all its copies.
  static Literal Borrow(const Shape& shape, const void* data);
  static Literal Tuple(std::vector<Literal> elements);
  static Literal Token() { return OfShape(Shape::Token()); }

  template <typename T>
  static Literal Scalar(T value) {
    return ScalarOf(PrimitiveTypeOf<T>::value, &value);
  }
  // A scalar of `type` from its stored bytes.
  static Literal ScalarOf(PrimitiveType type, const void* bytes);
  // For tests and small tables; ends the process if memory is exhausted.
  template <typename T>
  static Literal FromValues(absl::Span<const int64_t> dimensions, absl::Span<const T> values) {
    Literal literal = AllocateOrDie(Shape::Array(PrimitiveTypeOf<T>::value, dimensions));
    std::copy(values.begin(), values.end(), literal.template mutable_data<T>());
    return literal;
  }
  template <typename T>
  static Literal Vector(std::initializer_list<T> values) {
    return FromValues<T>({static_cast<int64_t>(values.size())}, absl::MakeConstSpan(values.begin(), values.size()));
  }

  const Shape& shape() const { return shape_; }
  // Replaces the shape by one of the same byte size: reshape, or a change of layout or of the element type's name.
  void ResetShape(Shape shape) { shape_ = std::move(shape); }
  bool IsTuple() const { return shape_.IsTuple(); }

  // Bytes and elements of the array (0 for tuples and tokens).
  int64_t size_bytes() const { return size_bytes_; }
  int64_t element_count() const { return shape_.IsArray() ? shape_.ElementCount() : 0; }

  const void* untyped_data() const { return storage_ == nullptr ? static_cast<const void*>(inline_) : storage_->data; }
  // Copies first if the storage is shared or borrowed, and ends the process if there is no memory for that: call
  // MakeWritable before on anything that was not just allocated.
  void* untyped_mutable_data() {
    if (storage_ == nullptr) return inline_;
    if (!storage_->writable()) Detach();
    return storage_->data;
  }
  // T must be as wide as one stored element; sub-byte types are int8_t or uint8_t, narrow floats their own types or raw
  // bits.
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(untyped_data());
  }
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(untyped_mutable_data());
  }
  template <typename T>
  absl::Span<const T> span() const {
    return absl::MakeConstSpan(data<T>(), size_bytes_ / static_cast<int64_t>(sizeof(T)));
  }
  // Makes the array writable without sharing, so that mutable_data cannot run out of memory half way. Operations call
  // this before they write into an operand that they took over. Not recursive for tuples.
  absl::Status MakeWritable(MemoryBudget* budget);
  // Stops counting against the budget it was allocated from, which may then be destroyed before this literal: for the
  // results of a run. Recursive. Nothing may use the storage from another thread meanwhile.
  void LeaveBudget();
  // True if writing would not copy: a consumer may then reuse the memory.
  bool IsUnique() const { return storage_ == nullptr || storage_->writable(); }

  int tuple_size() const { return static_cast<int>(elements_.size()); }
  const Literal& element(int i) const { return elements_[i]; }
  Literal& mutable_element(int i) { return elements_[i]; }
  // Takes the elements out; the literal is an empty tuple afterwards.
  std::vector<Literal> TakeElements();

  // Run-time size of dimension i: its dynamic size where set, else the size in the shape.
  int64_t dynamic_size(int i) const { return dynamic_sizes_ == nullptr ? shape_.dimension(i) : (*dynamic_sizes_)[i]; }
  bool has_dynamic_sizes() const { return dynamic_sizes_ != nullptr; }
  // 0 <= size <= bound. Elements at or beyond the dynamic size stay in memory (at the bounded strides) and mean
  // nothing.
  void SetDynamicSize(int i, int64_t size);
  void ClearDynamicSizes() { dynamic_sizes_ = nullptr; }
  // Takes over the dynamic sizes of `other`, which has the same rank.
  void CopyDynamicSizesFrom(const Literal& other);

  // Same shape (layouts ignored), same dynamic sizes, same bits in every valid element.
  bool BitwiseEquals(const Literal& other) const;

 private:
  static constexpr int64_t kInlineBytes = 16;

  struct Storage {
    std::atomic<int32_t> references;
    bool borrowed;
    MemoryBudget* budget;
    int64_t bytes;
    void* data;
    bool writable() const { return !borrowed && references.load(std::memory_order_acquire) == 1; }
  };

  static Literal OfShape(Shape shape) {
    Literal literal;
    literal.shape_ = std::move(shape);
    return literal;
  }
  static Literal AllocateOrDie(const Shape& shape);
  static absl::StatusOr<Storage*> NewStorage(int64_t bytes, bool zeroed, MemoryBudget* budget);
  static absl::StatusOr<Literal> Make(const Shape& shape, bool zeroed, MemoryBudget* budget);
  void ReleaseStorage();
  void Detach();

  Shape shape_;
  int64_t size_bytes_ = 0;
  Storage* storage_ = nullptr;  // nullptr: the bytes are in inline_
  alignas(16) unsigned char inline_[kInlineBytes] = {};
  std::vector<Literal> elements_;
  std::unique_ptr<DimensionVector> dynamic_sizes_;  // nullptr: all as in the shape
};

// Sub-byte elements packed into bytes, lowest bits first (two s4 per byte ...), as LiteralProto stores them, and back.
// Unpacking sign-extends signed types. `bits` is 1, 2 or 4.
std::vector<uint8_t> PackSubByteElements(absl::Span<const uint8_t> elements, int bits);
// InvalidArgument if `packed` does not have exactly the bytes for `count` elements.
absl::StatusOr<std::vector<uint8_t>> UnpackSubByteElements(absl::Span<const uint8_t> packed, int bits, bool is_signed,
                                                           int64_t count);

}  // namespace xla

#endif  // XLA_CORE_TYPES_LITERAL_H_
