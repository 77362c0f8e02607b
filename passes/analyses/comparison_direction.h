// Directions of comparisons as sets of the outcomes that they accept.
#ifndef PASSES_ANALYSES_COMPARISON_DIRECTION_H_
#define PASSES_ANALYSES_COMPARISON_DIRECTION_H_

#include "absl/types/optional.h"
#include "xla_core/ir/attributes.h"

namespace xla {

// How two numbers can stand to each other. Unordered are those of which one is NaN, and complex numbers that differ.
enum Outcome : unsigned { kIsLess = 1, kIsEqual = 2, kIsGreater = 4, kIsUnordered = 8 };
constexpr unsigned kOrderedOutcomes = kIsLess | kIsEqual | kIsGreater;
constexpr unsigned kAllOutcomes = kOrderedOutcomes | kIsUnordered;

// The outcomes for which a comparison is true.
unsigned AcceptedOutcomes(ComparisonDirection direction);
// The direction that accepts just these of the outcomes that are possible; nullopt if there is none.
absl::optional<ComparisonDirection> DirectionAccepting(unsigned accepted, unsigned possible);
// The direction that holds for (y, x) when `direction` holds for (x, y).
ComparisonDirection Exchanged(ComparisonDirection direction);

}  // namespace xla

#endif  // PASSES_ANALYSES_COMPARISON_DIRECTION_H_
