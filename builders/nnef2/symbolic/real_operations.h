// Functions of reals, and how reals become ints, while a model is composed: in double (NNEF 2.0 section 2.4).
#ifndef BUILDERS_NNEF2_SYMBOLIC_REAL_OPERATIONS_H_
#define BUILDERS_NNEF2_SYMBOLIC_REAL_OPERATIONS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {
namespace nnef2 {

struct RealFunction {
  absl::string_view name;
  double (*apply)(double);
  bool rises = false;  // wherever it is defined
};

// The 22 functions of the language.
absl::Span<const RealFunction> RealFunctions();
// nullptr: there is none of that name.
const RealFunction* FindRealFunction(absl::string_view name);

// Cuts off the fraction. inf and -inf are the extreme values of the run-time type; NaN is 0.
int64_t TruncateToInt(double x);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_SYMBOLIC_REAL_OPERATIONS_H_
