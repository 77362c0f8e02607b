// What is known of an integer while a kernel is being built: the range it is in, and the affine sum that it is.
#ifndef BACKENDS_KERNEL_IR_INDEX_FORM_H_
#define BACKENDS_KERNEL_IR_INDEX_FORM_H_

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "backends/kernel_ir/kernel.h"
#include "xla_core/support/checked_math.h"

namespace xla {

// low <= value <= high. The least and the greatest s64 stand for "not known": arithmetic that overflows gives these.
struct IndexRange {
  static constexpr int64_t kUnknownLow = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kUnknownHigh = std::numeric_limits<int64_t>::max();

  int64_t low = kUnknownLow;
  int64_t high = kUnknownHigh;

  static IndexRange Point(int64_t value) { return {value, value}; }
  // Of the numbers of an integer type, or of pred as numbers.
  static IndexRange OfType(PrimitiveType type);
  bool has_low() const { return low != kUnknownLow; }
  bool has_high() const { return high != kUnknownHigh; }
  bool IsPoint() const { return low == high; }
  bool IsWithin(const IndexRange& other) const { return low >= other.low && high <= other.high; }
  IndexRange Intersect(const IndexRange& other) const;
  IndexRange Union(const IndexRange& other) const;
};

IndexRange operator+(const IndexRange& a, const IndexRange& b);
IndexRange operator*(int64_t factor, const IndexRange& range);

// constant + the sum of coefficient * value, over values in ascending order without coefficients of zero.
struct IndexForm {
  std::vector<std::pair<KernelValue, int64_t>> terms;
  int64_t constant = 0;

  static IndexForm Constant(int64_t constant) { return {{}, constant}; }
  static IndexForm Of(KernelValue value) { return {{{value, 1}}, 0}; }
  // The value that it is, without a coefficient or constant; kNoValue if it is not one.
  KernelValue AsValue() const;
  // *this += factor * other. False, with *this as it was, if a coefficient or the constant would overflow.
  bool Add(int64_t factor, const IndexForm& other);
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_INDEX_FORM_H_
