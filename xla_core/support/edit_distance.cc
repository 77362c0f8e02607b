#include "xla_core/support/edit_distance.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// One slip in a short word, one in every three letters of a longer one, never more than four.
int LargestLikelyDistance(absl::string_view word) {
  return static_cast<int>(std::clamp<size_t>(word.size() / 3, 1, 4));
}

size_t LengthDifference(absl::string_view a, absl::string_view b) {
  return a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
}

}  // namespace

// Damerau-Levenshtein distance without case: insertions, deletions, replacements, and swaps of two neighbours cost 1
// each. Used to suggest names.
int EditDistance(absl::string_view a, absl::string_view b) {
  const std::string from = absl::AsciiStrToLower(a);
  const std::string to = absl::AsciiStrToLower(b);
  // row[j]: distance of the first i letters of `from` to the first j of `to`; the rows of i - 1 and i - 2 are kept.
  std::vector<int> row(to.size() + 1), above(to.size() + 1), two_above(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= from.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= to.size(); ++j) {
      const int replaced = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[to.size()];
}

absl::string_view NearestWord(absl::string_view word, absl::Span<const absl::string_view> known) {
  int smallest = LargestLikelyDistance(word) + 1;
  absl::string_view nearest;
  for (absl::string_view candidate : known) {
    if (LengthDifference(word, candidate) >= static_cast<size_t>(smallest)) continue;
    const int distance = EditDistance(word, candidate);
    if (distance < smallest && static_cast<size_t>(distance) < candidate.size()) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> known) {
  const absl::string_view nearest = NearestWord(word, known);
  return nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?");
}

}  // namespace xla
