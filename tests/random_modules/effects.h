// What a computation does beside giving a result: it feeds values out and in, and draws random numbers. Which values go
// where, and how many numbers are drawn, is compared like a result.
#ifndef TESTS_RANDOM_MODULES_EFFECTS_H_
#define TESTS_RANDOM_MODULES_EFFECTS_H_

#include "absl/types/optional.h"
#include "tests/random_modules/scope.h"

namespace xla {

// Feeds an exact array out, by chance together with another.
void Outfeed(Scope& scope, const Value& x);
// The next array of the infeed queue, which holds `kInfeedLength` of them for each device, all of one shape.
Value Infeed(Scope& scope);
constexpr int kInfeedLength = 512;
// Whole numbers below 8.
Value DrawNumbers(Scope& scope, const Shape& shape);
// Advances the state from which random numbers are drawn, as RngBitGenerator's users do.
void AdvanceRandomState(Scope& scope);

// One of them, with `x`, an exact array, where a value is wanted. What it gave, if that is exact and for all to use.
absl::optional<Value> AnyEffect(Scope& scope, const Value& x);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_EFFECTS_H_
