// Compares the two forms that NNEF 2's statements have as HLO with their direct evaluation, on random documents.
#ifndef TESTS_RANDOM_NNEF2_CHECK_LOWERINGS_H_
#define TESTS_RANDOM_NNEF2_CHECK_LOWERINGS_H_

#include <cstdint>
#include <string>

#include "tests/random_nnef2/random_document.h"

namespace xla {
namespace nnef2 {

// The document of a seed: a call of the library for every third one; a statement for the others, some of which look for
// the place of a least element.
RandomDocument DocumentOf(uint64_t seed, int size);
inline bool IsCall(uint64_t seed) { return seed % 3 == 0; }

// The least and greatest sizes of documents.
inline constexpr int kLeastSize = 1;
inline constexpr int kGreatestSize = 4;

// What is wrong with the document of a seed; "" if all forms agree on `backend`.
std::string CheckLowerings(uint64_t seed, const std::string& backend);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_CHECK_LOWERINGS_H_
