// Turns the rows of elementwise.def into tables of loops; included by the three files that do so, for integers, floats
// and complex numbers.
#ifndef XLA_CORE_OPS_ELEMENTWISE_EXPANSION_H_
#define XLA_CORE_OPS_ELEMENTWISE_EXPANSION_H_

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "xla_core/ops/elementwise_loops.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace elementwise_expansion {

// The type of a complex type's parts; any other type itself.
template <typename T>
struct ComponentOf {
  using type = T;
};
template <typename T>
struct ComponentOf<std::complex<T>> {
  using type = T;
};

// Whether T is a std::complex.
template <typename T>
struct IsComplexType : std::false_type {};
template <typename T>
struct IsComplexType<std::complex<T>> : std::true_type {};

// How a value of type Value, computed from elements stored as Stored, is stored itself.
template <typename Stored, typename Value>
struct StoredValue {
  using type = typename ComponentOf<Stored>::type;
};
template <typename Stored>
struct StoredValue<Stored, bool> {
  using type = bool;
};
template <typename Stored, typename T>
struct StoredValue<Stored, std::complex<T>> {
  using type = std::complex<typename ComponentOf<Stored>::type>;
};

// The result may be one of the inputs, element by element, which is not a dependency between iterations: hence ivdep.
template <typename Row, typename Stored, typename Computed>
void UnaryLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  using Value = decltype(Row::Of(Computed(), 0));
  using Result = typename StoredValue<Stored, Value>::type;
  const Stored* const x = static_cast<const Stored*>(inputs[0]);
  Result* const r = static_cast<Result*>(result);
  const int bits = parameters.bits;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) r[i] = static_cast<Result>(Row::Of(static_cast<Computed>(x[i]), bits));
}

template <typename Row, typename Stored, typename Computed>
void BinaryLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  using Value = decltype(Row::Of(Computed(), Computed(), 0));
  using Result = typename StoredValue<Stored, Value>::type;
  const Stored* const x = static_cast<const Stored*>(inputs[0]);
  const Stored* const y = static_cast<const Stored*>(inputs[1]);
  Result* const r = static_cast<Result*>(result);
  const int bits = parameters.bits;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    r[i] = static_cast<Result>(Row::Of(static_cast<Computed>(x[i]), static_cast<Computed>(y[i]), bits));
  }
}

// One loop per opcode and element type.
using LoopTable = std::array<std::array<ElementwiseLoop, kNumPrimitiveTypes>, 256>;

inline ElementwiseLoop& LoopAt(LoopTable& table, HloOpcode opcode, PrimitiveType type) {
  return table[static_cast<uint8_t>(opcode)][type];
}

template <typename Row, int arity, typename Stored, typename Computed>
constexpr ElementwiseLoop LoopOver() {
  if constexpr (arity == 1) {
    return &UnaryLoop<Row, Stored, Computed>;
  } else {
    return &BinaryLoop<Row, Stored, Computed>;
  }
}

// The value of a row of elementwise.def as a type. Expanded in each file after a `using namespace element_value`, so
// that the functions a row names are those the file includes.
#define HALO_UNARY_ROW(opcode, classes, result, arithmetic, max_ulp, value) \
  struct opcode##Row {                                                      \
    template <typename T>                                                   \
    static auto Of(T x, [[maybe_unused]] int bits) {                        \
      return value;                                                         \
    }                                                                       \
  };
#define HALO_BINARY_ROW(opcode, classes, result, arithmetic, max_ulp, value) \
  struct opcode##Row {                                                       \
    template <typename T>                                                    \
    static auto Of(T x, T y, [[maybe_unused]] int bits) {                    \
      return value;                                                          \
    }                                                                        \
  };

}  // namespace elementwise_expansion
}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENTWISE_EXPANSION_H_
