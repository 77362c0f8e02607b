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

// (value, index) of the largest element; the lower index wins where values are equal, so the order does not matter.
HloComputation* ArgMaxReducer(Scope& scope, PrimitiveType type);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_REDUCTIONS_H_
