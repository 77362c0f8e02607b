#include "tests/random_modules/facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

// The smallest magnitude that bounds may have so that rounding does not matter to them.
Facts WithBounds(Facts facts, PrimitiveType type, double low, double high, bool integral) {
  facts.low = low;
  facts.high = high;
  const PrimitiveType real = ComplexComponentType(type);
  if (IsInt(real)) {
    const double least = IsSignedInt(real) ? -LargestMagnitude(real) : 0;
    facts.bounded = facts.integral = low >= least && high <= LargestMagnitude(real);
    return facts;
  }
  if (!IsFloat(real) || real == F8E8M0FNU) return facts;
  facts.bounded = facts.magnitude() <= LargestMagnitude(real) / 2;
  facts.integral = facts.bounded && integral && facts.magnitude() <= WholeNumberLimit(real);
  return facts;
}

// What of the operands does not depend on the operation.
Facts Combined(absl::Span<const Facts> operands) {
  Facts facts = Facts::Exact();
  for (const Facts& operand : operands) {
    facts.exact = facts.exact && operand.exact;
    facts.roundings = std::max(facts.roundings, operand.roundings);
  }
  if (!facts.exact) ++facts.roundings;
  return facts;
}

// Functions that an expansion may compute in another way, within the error of their row.
bool IsExpandable(HloOpcode opcode) { return opcode == HloOpcode::kLogistic || opcode == HloOpcode::kErf; }

Facts UnaryFacts(HloOpcode opcode, PrimitiveType type, const Facts& x) {
  Facts facts = Combined({x});
  if (IsExpandable(opcode)) {
    facts.exact = false;
    facts.roundings = std::max(facts.roundings, 1);
    return facts;
  }
  if (!x.bounded || IsComplex(type)) {
    // Of complex numbers only the sign keeps bounds.
    return x.bounded && opcode == HloOpcode::kNegate ? WithBounds(facts, type, -x.high, -x.low, x.integral) : facts;
  }
  const double least = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0;
  static constexpr OpcodeSet kUpToOne = {HloOpcode::kTanh, HloOpcode::kSin, HloOpcode::kCos};
  if (opcode == HloOpcode::kNegate) return WithBounds(facts, type, -x.high, -x.low, x.integral);
  if (opcode == HloOpcode::kAbs) return WithBounds(facts, type, least, x.magnitude(), x.integral);
  if (opcode == HloOpcode::kSign) return WithBounds(facts, type, -1, 1, true);
  if (HasTrait(opcode, opcode_trait::kRoundsToInteger)) {
    return WithBounds(facts, type, std::floor(x.low), std::ceil(x.high), true);
  }
  if (opcode == HloOpcode::kReal) return WithBounds(facts, type, x.low, x.high, x.integral);
  if (kUpToOne.Has(opcode)) return WithBounds(facts, type, -1, 1, false);
  if (opcode == HloOpcode::kSqrt && x.low >= 0) {
    return WithBounds(facts, type, std::sqrt(x.low) / 1.01, std::sqrt(x.high) * 1.01, false);
  }
  if (opcode == HloOpcode::kExp && x.high <= 4) {
    return WithBounds(facts, type, std::exp(x.low) / 1.01, std::exp(x.high) * 1.01, false);
  }
  return facts;
}

Facts BinaryFacts(HloOpcode opcode, PrimitiveType type, const Facts& x, const Facts& y) {
  const Facts facts = Combined({x, y});
  if (!x.bounded || !y.bounded) return facts;
  const bool integral = x.integral && y.integral;
  if (opcode == HloOpcode::kAdd) return WithBounds(facts, type, x.low + y.low, x.high + y.high, integral);
  if (opcode == HloOpcode::kSubtract) return WithBounds(facts, type, x.low - y.high, x.high - y.low, integral);
  if (opcode == HloOpcode::kMultiply) {
    const Facts product = ProductFacts(x, y, type);
    return WithBounds(facts, type, product.low, product.high, integral);
  }
  if (opcode == HloOpcode::kMaximum) {
    return WithBounds(facts, type, std::max(x.low, y.low), std::max(x.high, y.high), integral);
  }
  if (opcode == HloOpcode::kMinimum) {
    return WithBounds(facts, type, std::min(x.low, y.low), std::min(x.high, y.high), integral);
  }
  if (opcode == HloOpcode::kDivide && IsFloat(type) && x.IsPositive() && y.IsPositive()) {
    return WithBounds(facts, type, x.low / y.high / 1.1, x.high / y.low * 1.1, false);
  }
  if (opcode == HloOpcode::kComplex) {
    return WithBounds(facts, type == F64 ? C128 : C64, std::min(x.low, y.low), std::max(x.high, y.high), integral);
  }
  return facts;
}

}  // namespace

double WholeNumberLimit(PrimitiveType type) {
  if (type == F64) return 0x1p53;
  if (type == F32) return 0x1p24;
  if (!IsNarrowFloatType(type)) return LargestMagnitude(type);
  return std::min(std::ldexp(1.0, FormatOf(NarrowFormatOf(type)).mantissa_bits + 1), LargestMagnitude(type));
}

double LargestMagnitude(PrimitiveType type) {
  if (type == F64) return std::numeric_limits<double>::max();
  if (type == F32) return std::numeric_limits<float>::max();
  if (IsNarrowFloatType(type)) return TraitsOf(NarrowFormatOf(type)).max;
  if (type == PRED) return 1;
  // A little less than the largest 64-bit integer, which a double does not hold.
  return IsInt(type) ? std::ldexp(1.0, std::min(62, BitWidth(type) - (IsSignedInt(type) ? 1 : 0))) - 1 : 0;
}

Facts Facts::Of(DataClass data_class, PrimitiveType type) {
  const DataRange range = RangeOf(data_class, type);
  Facts facts;
  facts.bounded = range.bounded;
  facts.low = range.low;
  facts.high = range.high;
  facts.integral = range.integral;
  return facts;
}

Facts Either(const Facts& a, const Facts& b) {
  Facts facts;
  facts.exact = a.exact && b.exact;
  facts.nan_bits = a.nan_bits && b.nan_bits;
  facts.bounded = a.bounded && b.bounded;
  facts.low = std::min(a.low, b.low);
  facts.high = std::max(a.high, b.high);
  facts.integral = a.integral && b.integral;
  facts.roundings = std::max(a.roundings, b.roundings);
  return facts;
}

Facts ElementwiseFacts(HloOpcode opcode, PrimitiveType type, absl::Span<const Facts> operands) {
  return operands.size() == 1 ? UnaryFacts(opcode, type, operands[0])
                              : BinaryFacts(opcode, type, operands[0], operands[1]);
}

Facts ConvertFacts(PrimitiveType from, PrimitiveType to, const Facts& x) {
  Facts facts = x;
  if (!IsInt(from) && from != PRED) facts.nan_bits = false;
  facts.bounded = facts.integral = false;
  if (to == PRED) return Facts::Of(DataClass::kAny, PRED);
  if (!x.bounded) return facts;
  const bool integral = x.integral || IsInt(to);
  return WithBounds(facts, to, integral ? std::floor(x.low) : x.low, integral ? std::ceil(x.high) : x.high, integral);
}

Facts ProductFacts(const Facts& a, const Facts& b, PrimitiveType type) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  double low = *std::min_element(corners, corners + 4), high = *std::max_element(corners, corners + 4);
  if (IsComplex(type)) {
    high = 2 * a.magnitude() * b.magnitude();
    low = -high;
  }
  Facts facts = Combined({a, b});
  facts.bounded = a.bounded && b.bounded;
  facts.integral = a.integral && b.integral;
  facts.low = low;
  facts.high = high;
  return facts;
}

Facts SumFacts(PrimitiveType type, double terms, const Facts& term) {
  const PrimitiveType real = ComplexComponentType(type);
  Facts facts = Facts::Exact();
  facts.exact = term.exact;
  facts.roundings = term.roundings;
  const double magnitude = terms * term.magnitude();
  const double low = term.low > 0 ? (terms > 0 ? term.low : 0) : terms * term.low;
  const double high = term.high < 0 ? 0 : terms * term.high;
  const bool whole = term.bounded && term.integral && magnitude <= WholeNumberLimit(real);
  if ((IsFloat(real) && !whole) || !term.exact) {
    facts.exact = IsFloat(real) ? false : facts.exact;
    ++facts.roundings;
  }
  return term.bounded ? WithBounds(facts, type, low, high, whole) : facts;
}

bool MaySum(PrimitiveType type, double terms, const Facts& term) {
  const PrimitiveType real = ComplexComponentType(type);
  if (!IsFloat(real)) return term.exact;
  if (!term.bounded || terms * term.magnitude() > LargestMagnitude(real) / 2) return false;
  const Facts sum = SumFacts(type, terms, term);
  // Of the types narrower than f16 the tolerance is too small for sums in another order.
  return sum.exact || (BitWidth(real) >= 16 && sum.roundings <= 3 && (term.exact || term.IsPositive()));
}

}  // namespace xla
