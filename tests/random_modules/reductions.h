// Functions that reduce, windows and scatters combine elements by, with the facts that follow.
#ifndef TESTS_RANDOM_MODULES_REDUCTIONS_H_
#define TESTS_RANDOM_MODULES_REDUCTIONS_H_

#include "absl/types/optional.h"
#include "tests/random_modules/scope.h"

namespace xla {

// A reducer for values of `x` with what it starts from, and the facts of results of up to `terms` elements.
struct Reduction {
  HloComputation* reducer = nullptr;
  Value init;
  Facts facts;
};

// nullopt: no function gives results that can be compared.
absl::optional<Reduction> ChooseReduction(Scope& scope, const Value& x, double terms);

// (a, b) and (c, d) -> (a + c, max(b, d))
HloComputation* SumAndMaximum(Scope& scope, PrimitiveType type);

// (value, index) of the largest element, or of the smallest; the lower index wins where values are equal, so that the
// order does not matter.
struct ArgReduction {
  HloComputation* reducer = nullptr;
  Value init;              // of values; that of indices is 0
  bool takes_nans = false;  // the first NaN wins
};
ArgReduction ChooseArgReduction(Scope& scope, PrimitiveType type);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_REDUCTIONS_H_
