// Recognises comparators of sort that order elements by keys.
//
// A comparator that ends in  e(a_i) < e(b_i)  or  e(a_i) > e(b_i), where e is any expression of one element, sorts by
// the key e, ascending or descending; jnp.sort's maps NaN to one NaN and -0 to 0 and compares by total order, say. One
// of the form
//     k < or (k equal and rest)      or      select(k equal, rest, k <)
// sorts by several keys, the first one deciding. Everything else has to be called for every comparison.
//
// Comparing floats by IEEE's < is no order if there are NaN. The keys put NaN last, which is as good as any
// permutation.
#ifndef XLA_CORE_OPS_COMPARATOR_KEYS_H_
#define XLA_CORE_OPS_COMPARATOR_KEYS_H_

#include <memory>
#include <vector>

#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/order_key.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {

// One key of a sort: an element's key is `function` of the element of `operand`; elements are ordered by `order` of
// the keys, reversed if `descending`.
struct SortKey {
  int operand = 0;
  // The key of an element of that operand, a scalar of `type`; nullptr: the element itself. `expression` is what
  // `function` was compiled from.
  std::unique_ptr<HloComputation> expression;
  std::unique_ptr<ScalarFunction> function;
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  KeyOrder order = KeyOrder::kNumeric;
  bool descending = false;
};

// The keys that a verified comparator of sort compares, most important first; empty if it is not recognised.
std::vector<SortKey> KeysOfComparator(const HloComputation& comparator);

}  // namespace xla

#endif  // XLA_CORE_OPS_COMPARATOR_KEYS_H_
