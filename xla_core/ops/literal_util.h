// Literals from C++ values: nested initialiser lists, and the numbers that every element type has.
#ifndef XLA_CORE_OPS_LITERAL_UTIL_H_
#define XLA_CORE_OPS_LITERAL_UTIL_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// {{1, 2}, {3, 4}}, by rows.
template <typename T>
using NestedList2 = std::initializer_list<std::initializer_list<T>>;
template <typename T>
using NestedList3 = std::initializer_list<NestedList2<T>>;
template <typename T>
using NestedList4 = std::initializer_list<NestedList3<T>>;

// Under the name that the document of 2017 uses: builder.ConstantLiteral(LiteralUtil::MinValue(F32)).
struct LiteralUtil {
  // ---- From values; T is one of the C++ types that PrimitiveTypeOf knows.

  template <typename T>
  static Literal CreateR0(T value) {
    return Literal::Scalar<T>(value);
  }
  // ResourceExhausted if the machine refuses the memory, which can happen to all that follow.
  template <typename T>
  static absl::StatusOr<Literal> CreateR1(absl::Span<const T> values) {
    return FromValues<T>({static_cast<int64_t>(values.size())}, values);
  }
  // InvalidArgument if rows (planes, ...) are not equally long.
  template <typename T>
  static absl::StatusOr<Literal> CreateR2(NestedList2<T> values) {
    return FromNested<T>(2, values);
  }
  template <typename T>
  static absl::StatusOr<Literal> CreateR3(NestedList3<T> values) {
    return FromNested<T>(3, values);
  }
  template <typename T>
  static absl::StatusOr<Literal> CreateR4(NestedList4<T> values) {
    return FromNested<T>(4, values);
  }
  // An array of any rank from its elements in row-major order. InvalidArgument if there are more or fewer of them.
  template <typename T>
  static absl::StatusOr<Literal> FromValues(absl::Span<const int64_t> dimensions, absl::Span<const T> values) {
    absl::StatusOr<Literal> literal = AllocateFor(PrimitiveTypeOf<T>::value, dimensions, values.size());
    if (literal.ok()) std::copy(values.begin(), values.end(), literal->template mutable_data<T>());
    return literal;
  }
  // An array whose elements are all the same.
  template <typename T>
  static absl::StatusOr<Literal> Filled(absl::Span<const int64_t> dimensions, T value) {
    absl::StatusOr<Literal> literal = Allocate(PrimitiveTypeOf<T>::value, dimensions);
    if (literal.ok()) std::fill_n(literal->template mutable_data<T>(), literal->element_count(), value);
    return literal;
  }

  // ---- Numbers of any element type, as scalars. InvalidArgument for types without elements.

  // `value` as HLO's convert would have it, except that integers out of the range of `type` are errors.
  static absl::StatusOr<Literal> Number(PrimitiveType type, int64_t value);
  static absl::StatusOr<Literal> Number(PrimitiveType type, uint64_t value);
  // The nearest number of `type`; InvalidArgument if that is an integer type and the value is none of it.
  static absl::StatusOr<Literal> Number(PrimitiveType type, double value);
  static absl::StatusOr<Literal> Number(PrimitiveType type, complex128 value);

  static absl::StatusOr<Literal> Zero(PrimitiveType type);
  static absl::StatusOr<Literal> One(PrimitiveType type);
  // What every value of the type is >= and <=: infinities where the type has them. InvalidArgument for complex types.
  static absl::StatusOr<Literal> MinValue(PrimitiveType type);
  static absl::StatusOr<Literal> MaxValue(PrimitiveType type);
  // The same without infinities.
  static absl::StatusOr<Literal> MinFiniteValue(PrimitiveType type);
  static absl::StatusOr<Literal> MaxFiniteValue(PrimitiveType type);
  // Distance from 1 to the next greater number of a float type. InvalidArgument for others.
  static absl::StatusOr<Literal> Epsilon(PrimitiveType type);

  // An array of these dimensions whose elements all have the value of `scalar`.
  static absl::StatusOr<Literal> Broadcast(const Literal& scalar, absl::Span<const int64_t> dimensions);
  // The elements converted as by HLO's convert. InvalidArgument for tuples and from complex to real.
  static absl::StatusOr<Literal> Convert(const Literal& array, PrimitiveType type);

 private:
  static absl::StatusOr<Literal> Allocate(PrimitiveType type, absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Literal> AllocateFor(PrimitiveType type, absl::Span<const int64_t> dimensions,
                                             size_t value_count);
  static absl::Status UnequalLengths(size_t dimension, int64_t expected, size_t found);

  // Appends the values, and notes in `dimensions` how long the lists of each level are.
  template <typename T>
  struct Flattener {
    std::vector<T> values;
    std::vector<int64_t> dimensions;
    absl::Status status;

    void Add(size_t /*level*/, const T& value) { values.push_back(value); }
    template <typename U>
    void Add(size_t level, std::initializer_list<U> list) {
      if (level == dimensions.size()) dimensions.push_back(static_cast<int64_t>(list.size()));
      if (dimensions[level] != static_cast<int64_t>(list.size()) && status.ok()) {
        status = UnequalLengths(level, dimensions[level], list.size());
      }
      for (const U& element : list) Add(level + 1, element);
    }
  };
  template <typename T, typename List>
  static absl::StatusOr<Literal> FromNested(size_t rank, const List& list) {
    Flattener<T> flat;
    flat.Add(0, list);
    if (!flat.status.ok()) return flat.status;
    flat.dimensions.resize(rank, 0);  // an empty list does not say how long the lists in it would be
    return FromValuesOf(flat.dimensions, flat.values);
  }
  // Not as a span: std::vector<bool> has none.
  template <typename T>
  static absl::StatusOr<Literal> FromValuesOf(const std::vector<int64_t>& dimensions, const std::vector<T>& values) {
    absl::StatusOr<Literal> literal = AllocateFor(PrimitiveTypeOf<T>::value, dimensions, values.size());
    if (literal.ok()) std::copy(values.begin(), values.end(), literal->template mutable_data<T>());
    return literal;
  }
};

}  // namespace xla

#endif  // XLA_CORE_OPS_LITERAL_UTIL_H_
