// Whether a result is the expected one, and if not, what a person needs to know about the difference.
#ifndef XLA_CORE_LITERAL_IO_COMPARE_LITERALS_H_
#define XLA_CORE_LITERAL_IO_COMPARE_LITERALS_H_

#include <array>
#include <cstdint>
#include <string>

#include "xla_core/types/literal.h"

namespace xla {

// An element passes if |got - want| <= atol * scale + rtol * |want|, or if it is within `ulp` units in the last place.
// Complex numbers are measured by modulus, their units in the last place part by part. NaN matches NaN; infinities must
// be equal.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  double ulp = 0;
  // The scale is the largest finite |want| of the array, else 1.
  bool atol_is_relative = false;
  // Zeros must have the right sign too.
  bool zero_sign = false;
};

// The tolerance where nothing gives another one: by element type; exact for pred and integers.
Tolerance DefaultTolerance(PrimitiveType type);

// What CompareArrays counts. Counts are of elements; a complex number is one element.
struct Comparison {
  // Error decades of the histogram: the first for errors below 1e-12, the last for those of 10 and more.
  static constexpr int kBuckets = 14;
  static constexpr int kFirstDecade = -12;

  // Not empty if the shapes differ, so that no elements were compared.
  std::string shape_mismatch;
  int64_t elements = 0;
  int64_t differing = 0;  // beyond the tolerance
  int64_t inexact = 0;    // not equal, whether within the tolerance or not
  // The element with the largest error in terms of its tolerance; -1 if all are equal.
  int64_t worst_position = -1;
  double worst_error = 0;  // |got - want|
  double worst_allowed = 0;
  double worst_ulp = 0;
  int64_t got_nan = 0, want_nan = 0;
  int64_t got_infinite = 0, want_infinite = 0;
  // Inexact elements by the decade of |got - want|; those with a NaN or an infinity are in `incomparable`.
  std::array<int64_t, kBuckets> histogram = {};
  int64_t incomparable = 0;

  bool matches() const { return shape_mismatch.empty() && differing == 0; }
};

// Compares two arrays. A dynamic dimension counts with its run-time size.
Comparison CompareArrays(const Literal& got, const Literal& want, const Tolerance& tolerance);

// One line if the arrays match ("out0 f32[8,4]: 32 elements match, largest error 1e-07 at {3,1} (1 ulp)"), a report of
// several lines if not. `got` and `want` are those that were compared.
std::string DescribeComparison(const std::string& name, const Comparison& comparison, const Literal& got,
                               const Literal& want);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_COMPARE_LITERALS_H_
