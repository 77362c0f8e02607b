// Moves elements between literals of any type and the wide types in which sums run: double for reals, complex128 for
// complex numbers, 64-bit integers that wrap. Dots, convolutions, transforms and factorisations read their operands
// through this file, compute wide, and round once when they store.
#ifndef XLA_CORE_OPS_WIDE_ELEMENTS_H_
#define XLA_CORE_OPS_WIDE_ELEMENTS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// The types that sums run in: wrapping uint64_t, double, complex128.
enum class WideType { kInteger, kFloat, kComplex };

// Where products of elements of these two types are summed: complex if one is complex, else double if one is a float,
// else integers (pred counts as 0 and 1).
WideType WideTypeFor(PrimitiveType a, PrimitiveType b);

// Calls `fn` with a TypeTag of uint64_t, double or complex128.
template <typename Fn>
auto DispatchWide(WideType type, Fn&& fn);

// dst[o * inner_pitch + i] = element at outer[o] + inner[i] of the array `data`. Integers are extended to 64 bits by
// their own signedness. double takes real types of any kind, complex128 all types, uint64_t integers and pred.
template <typename Wide>
void GatherWide(PrimitiveType type, const void* data, absl::Span<const int64_t> outer, absl::Span<const int64_t> inner,
                int64_t inner_pitch, Wide* dst);

// `count` consecutive elements from element `begin` on.
template <typename Wide>
void ReadWide(PrimitiveType type, const void* data, int64_t begin, int64_t count, Wide* dst);

// How wide values become elements of a result.
struct WideStore {
  PrimitiveType type;
  void* data;
  // Says how an integer becomes a float: whether its 64 bits are signed.
  bool integers_are_signed = true;
  // The doubles to be stored are exact integers: integer results wrap instead of saturating.
  bool doubles_are_integers = false;
};

// True if sums of `count` products of integers of these types (or pred) are exact in double, which is several times
// faster than 64-bit integers.
bool IntegerSumsFitDouble(PrimitiveType a, PrimitiveType b, int64_t count);

// Element at offsets[i] = values[i], rounded once to nearest even. Integers wrap to integer types; floats that become
// integers truncate and saturate, NaN giving 0; anything but 0 is true; a complex value becomes complex only.
template <typename Wide>
void ScatterWide(const WideStore& store, const Wide* values, absl::Span<const int64_t> offsets);

// `count` consecutive elements from element `begin` on.
template <typename Wide>
void WriteWide(const WideStore& store, const Wide* values, int64_t begin, int64_t count);

// ---- Implementation of the dispatch

// What DispatchWide passes to its lambda, as TypeTag does elsewhere.
template <typename Wide>
struct WideTag {
  using type = Wide;
};

template <typename Fn>
auto DispatchWide(WideType type, Fn&& fn) {
  switch (type) {
    case WideType::kInteger:
      return fn(WideTag<uint64_t>());
    case WideType::kFloat:
      return fn(WideTag<double>());
    case WideType::kComplex:
      break;
  }
  return fn(WideTag<complex128>());
}

}  // namespace xla

#endif  // XLA_CORE_OPS_WIDE_ELEMENTS_H_
