// Suggestions for misspelt words: "unknown opcode 'trnspose'; did you mean 'transpose'?".
#ifndef XLA_CORE_SUPPORT_EDIT_DISTANCE_H_
#define XLA_CORE_SUPPORT_EDIT_DISTANCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn `a` into `b`, capital
// and small letters being the same (optimal string alignment). Time and memory grow with |a| * |b|.
int EditDistance(absl::string_view a, absl::string_view b);

// The known word nearest to `word`, the first of several; empty if all are so far away that nothing would have meant
// them. Fast for a `word` of any length.
absl::string_view NearestWord(absl::string_view word, absl::Span<const absl::string_view> known);

// "; did you mean 'x'?" for the nearest word, or nothing: to be appended to a message.
std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> known);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_EDIT_DISTANCE_H_
