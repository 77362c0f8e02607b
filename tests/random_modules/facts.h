// Facts: what is known of every element of a value in a random module, whatever the inputs are. They decide which
// instructions may use it.
#ifndef TESTS_RANDOM_MODULES_FACTS_H_
#define TESTS_RANDOM_MODULES_FACTS_H_

#include "absl/types/span.h"
#include "tests/random_modules/data_class.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

struct Facts {
  // No legal rewrite of the program changes a bit of it (NaN aside).
  bool exact = true;
  // Nor of its NaNs, if it has any: they come from the inputs, not from arithmetic. Then even the bits may be looked
  // at.
  bool nan_bits = true;
  // Neither NaN nor infinite; all elements (parts of complex ones) lie in [low, high].
  bool bounded = false;
  double low = 0;
  double high = 0;
  // Bounded, and all elements are whole numbers.
  bool integral = false;
  // If not exact: steps since that enlarge the relative error.
  int roundings = 0;

  double magnitude() const { return high > -low ? high : -low; }
  // Bits may be looked at and order be total.
  bool HasCertainBits() const { return exact && (bounded || nan_bits); }
  bool IsPositive() const { return bounded && low > 0; }

  static Facts Of(DataClass data_class, PrimitiveType type);
  // Exact, of any value.
  static Facts Exact() {
    Facts facts;
    facts.nan_bits = false;
    return facts;
  }
  static Facts Rounded(int roundings = 1) {
    Facts facts = Exact();
    facts.exact = false;
    facts.roundings = roundings;
    return facts;
  }
  static Facts Whole(double low, double high) {
    Facts facts = Exact();
    facts.bounded = facts.integral = true;
    facts.low = low;
    facts.high = high;
    return facts;
  }
};

// Of a value whose elements come from one or the other.
Facts Either(const Facts& a, const Facts& b);

// Up to which magnitude the type holds all whole numbers.
double WholeNumberLimit(PrimitiveType type);
// The largest finite magnitude of floats and integers.
double LargestMagnitude(PrimitiveType type);

// Of an operation of elementwise.def on operands of `type`.
Facts ElementwiseFacts(HloOpcode opcode, PrimitiveType type, absl::Span<const Facts> operands);
Facts ConvertFacts(PrimitiveType from, PrimitiveType to, const Facts& operand);

// Of sums of at most `terms` elements with bounded `term`, in `type`.
Facts SumFacts(PrimitiveType type, double terms, const Facts& term);
// True if SumFacts says something useful: the sum is exact, or lies within the tolerance in any order.
bool MaySum(PrimitiveType type, double terms, const Facts& term);
Facts ProductFacts(const Facts& a, const Facts& b, PrimitiveType type);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_FACTS_H_
