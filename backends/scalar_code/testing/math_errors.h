// The table of errors of mathematical functions: the largest distance, in units in the last place, of code from the
// value computed in a wider type, by function, and where it is. Each function is printed, and expected to be within the
// error that the op table allows.
#ifndef BACKENDS_SCALAR_CODE_TESTING_MATH_ERRORS_H_
#define BACKENDS_SCALAR_CODE_TESTING_MATH_ERRORS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Elements that code computes at a time.
constexpr int64_t kMathChunk = 1 << 14;

// z[i] = function(x[i], y[i]) for a chunk. y may be x.
using MathRun = std::function<void(const void* x, const void* y, void* z)>;
// Of a kernel with the buffers x, y, z, one phase and one tile. Empty: there is no code for it.
using MathCompile = std::function<MathRun(const Kernel&)>;

struct MathErrorOptions {
  int64_t every = 4099;         // one in so many of all f32
  int64_t double_rounds = 12;   // chunks of f64, of which there are too many to take every one
  std::string only;             // a function's name; "": all
  bool keeps_denormals = true;  // or what has one is left out
};

void CheckMathOfSingles(const MathCompile& compile, const MathErrorOptions& options);
void CheckMathOfDoubles(const MathCompile& compile, const MathErrorOptions& options);
void CheckMathOfPairs(const MathCompile& compile, const MathErrorOptions& options);

}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_TESTING_MATH_ERRORS_H_
