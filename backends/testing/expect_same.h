// Compares results of a backend with those that are right, leaf by leaf.
#ifndef BACKENDS_TESTING_EXPECT_SAME_H_
#define BACKENDS_TESTING_EXPECT_SAME_H_

#include <string>

#include "xla_core/types/literal.h"

namespace xla {

// How alike the elements of arrays must be.
enum class Alike {
  kBits,
  kValues,           // the same numbers, zeros with their signs; one NaN is as good as another
  kWithinTolerance,  // the default tolerance of the element type
};

// A failure of the test for each array in `got` that is not alike, with `where` and its place in the tuple. Tokens are
// all the same.
void ExpectSame(const Literal& got, const Literal& want, Alike alike, const std::string& where = "result ");

}  // namespace xla

#endif  // BACKENDS_TESTING_EXPECT_SAME_H_
