// Arithmetic of single numbers as NNEF 2 defines it at run time (2.4): ints wrap around at 32 bits, their division
// rounds down or up, their modulo has the sign of the divisor; minimum and maximum propagate NaN. Written down once
// more, apart from what the frontend computes with, so that the two can be compared.
#ifndef TESTS_RANDOM_NNEF2_DIRECT_NUMBERS_H_
#define TESTS_RANDOM_NNEF2_DIRECT_NUMBERS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// x op y, both of type `base`; of comparisons and of logic 0 or 1. *error says what is undefined: a division by zero.
double ApplyDirectly(Operator op, BaseType base, double x, double y, std::string* error);
// A function between back-ticks.
double CallDirectly(absl::string_view function, BaseType base, double x);
double ConvertDirectly(double x, BaseType from, BaseType to);
// What an accumulation of no values at all is: 0 of +, 1 of *, the extreme value of minimum and maximum.
double NeutralOf(Operator op, BaseType base);
bool IsComparison(Operator op);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_NUMBERS_H_
