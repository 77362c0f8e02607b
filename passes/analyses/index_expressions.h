// Sums of variables times constants, of quotients (rounded down) and remainders of such sums: 4 * d0 + (d1 mod 3) + 2.
// Index maps are made of them.
#ifndef PASSES_ANALYSES_INDEX_EXPRESSIONS_H_
#define PASSES_ANALYSES_INDEX_EXPRESSIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace xla {

struct IndexExpression;

// coefficient * (variable, or inner / divisor rounded down, or inner mod divisor)
struct IndexTerm {
  enum class Kind { kVariable, kQuotient, kRemainder };
  int64_t coefficient = 1;
  Kind kind = Kind::kVariable;
  int64_t variable = 0;
  std::shared_ptr<const IndexExpression> inner;
  int64_t divisor = 1;
  bool SameAtom(const IndexTerm& o) const;
};

// constant + the sum of the terms. Made by IndexAlgebra in one canonical form, so that == tells equal expressions as
// far as that form does.
struct IndexExpression {
  int64_t constant = 0;
  std::vector<IndexTerm> terms;
  bool operator==(const IndexExpression& o) const;
  bool IsConstant() const { return terms.empty(); }
  // True for exactly that variable.
  bool IsVariable(int64_t variable) const;
  // The value where the variables have these values.
  int64_t ValueAt(absl::Span<const int64_t> variables) const;
  // "4 * d0 + (r0 mod 3) + 2": the first `result_rank` variables are d0, d1, ..., the others r0, r1, ...
  std::string ToString(int64_t result_rank) const;
};

// Makes expressions over variables of known sizes, in one canonical form as far as ranges tell. Once a number does not
// fit or an expression gets too large, failed() is true and results mean nothing.
class IndexAlgebra {
 public:
  explicit IndexAlgebra(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  bool failed() const { return failed_; }
  const std::vector<int64_t>& sizes() const { return sizes_; }
  int64_t AddVariable(int64_t size);

  IndexExpression Constant(int64_t value) const;
  // A variable of one value is 0.
  IndexExpression Variable(int64_t variable) const;
  IndexExpression Add(IndexExpression a, const IndexExpression& b);
  IndexExpression Add(const IndexExpression& a, int64_t constant) { return Add(a, Constant(constant)); }
  IndexExpression Multiply(IndexExpression a, int64_t factor);
  // Rounded down; the divisor is positive.
  IndexExpression Divide(const IndexExpression& a, int64_t divisor);
  IndexExpression Remainder(const IndexExpression& a, int64_t divisor);

  // `expression` with these in place of its variables. As deep as it nests, which its size bounds.
  IndexExpression Substitute(const IndexExpression& expression, absl::Span<const IndexExpression> values);

  // Whether low <= expression <= high for all values of the variables, as far as ranges tell.
  bool IsAlwaysWithin(const IndexExpression& expression, int64_t low, int64_t high) const;

 private:
  __extension__ using Wide = __int128;
  struct Range {
    Wide low = 0;
    Wide high = 0;
  };
  static Wide Clamp(Wide value);
  static Wide FloorDivide(Wide a, Wide b);
  Range RangeOf(const IndexExpression& expression) const;
  static std::pair<IndexExpression, IndexExpression> Split(const IndexExpression& a, int64_t divisor);

  std::vector<int64_t> sizes_;
  bool failed_ = false;
};

}  // namespace xla

#endif  // PASSES_ANALYSES_INDEX_EXPRESSIONS_H_
