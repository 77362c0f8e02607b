#include "backends/kernel_ir/index_form.h"

#include <algorithm>

#include "xla_core/support/checked_math.h"

namespace xla {

IndexRange IndexRange::OfType(PrimitiveType type) {
  if (type == PRED) return {0, 1};
  if (!IsInt(type)) return {};
  const int bits = BitWidth(type);
  if (IsUnsignedInt(type)) return {0, bits < 64 ? (int64_t{1} << bits) - 1 : kUnknownHigh};
  if (bits == 64) return {};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

IndexRange IndexRange::Intersect(const IndexRange& other) const {
  return {std::max(low, other.low), std::min(high, other.high)};
}

IndexRange IndexRange::Union(const IndexRange& other) const {
  return {std::min(low, other.low), std::max(high, other.high)};
}

IndexRange operator+(const IndexRange& a, const IndexRange& b) {
  IndexRange sum;
  if (!a.has_low() || !b.has_low() || !CheckedAdd(a.low, b.low, &sum.low)) sum.low = IndexRange::kUnknownLow;
  if (!a.has_high() || !b.has_high() || !CheckedAdd(a.high, b.high, &sum.high)) sum.high = IndexRange::kUnknownHigh;
  return sum;
}

// Bounds times a factor; a negative factor exchanges them. A bound that is unknown, or overflows, is unknown
// afterwards.
IndexRange operator*(int64_t factor, const IndexRange& range) {
  if (factor == 0) return IndexRange::Point(0);
  const bool swap = factor < 0;
  const bool low_known = swap ? range.has_high() : range.has_low();
  const bool high_known = swap ? range.has_low() : range.has_high();
  IndexRange product;
  if (!low_known || !CheckedMul(factor, swap ? range.high : range.low, &product.low)) {
    product.low = IndexRange::kUnknownLow;
  }
  if (!high_known || !CheckedMul(factor, swap ? range.low : range.high, &product.high)) {
    product.high = IndexRange::kUnknownHigh;
  }
  return product;
}

KernelValue IndexForm::AsValue() const {
  return terms.size() == 1 && terms[0].second == 1 && constant == 0 ? terms[0].first : kNoValue;
}

// Adds factor * other by merging both sorted lists of terms. False, with the form unchanged, if a number overflows.
bool IndexForm::Add(int64_t factor, const IndexForm& other) {
  IndexForm sum;
  int64_t product;
  if (!CheckedMul(factor, other.constant, &product) || !CheckedAdd(constant, product, &sum.constant)) return false;
  sum.terms.reserve(terms.size() + other.terms.size());
  auto mine = terms.begin();
  for (const auto& [value, coefficient] : other.terms) {
    for (; mine != terms.end() && mine->first < value; ++mine) sum.terms.push_back(*mine);
    if (!CheckedMul(factor, coefficient, &product)) return false;
    if (mine != terms.end() && mine->first == value && !CheckedAdd(mine++->second, product, &product)) return false;
    if (product != 0) sum.terms.emplace_back(value, product);
  }
  sum.terms.insert(sum.terms.end(), mine, terms.end());
  *this = std::move(sum);
  return true;
}

}  // namespace xla
