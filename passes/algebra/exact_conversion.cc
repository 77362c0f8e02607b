#include "passes/algebra/exact_conversion.h"

#include <limits>

#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

struct FloatLimits {
  int mantissa_bits;  // without the hidden one
  double max;
  double smallest;  // positive
  bool has_infinity;
  bool has_nan;
};

template <typename Float>
FloatLimits NativeLimits() {
  using Limits = std::numeric_limits<Float>;
  return {Limits::digits - 1, Limits::max(), Limits::denorm_min(), true, true};
}

FloatLimits LimitsOf(PrimitiveType type) {
  if (type == F64) return NativeLimits<double>();
  if (type == F32) return NativeLimits<float>();
  const FloatFormat& format = FormatOf(NarrowFormatOf(type));
  const FloatTraits& traits = TraitsOf(NarrowFormatOf(type));
  return {format.mantissa_bits, traits.max, traits.min_denormal, format.has_infinity,
          format.nan_style != NanStyle::kNone};
}

bool FloatIsLossless(PrimitiveType from, PrimitiveType to) {
  if (from == to) return true;
  if (to == F8E8M0FNU) return false;
  const FloatLimits a = LimitsOf(from);
  const FloatLimits b = LimitsOf(to);
  if (HasNegativeZero(from) && !HasNegativeZero(to)) return false;
  return a.mantissa_bits <= b.mantissa_bits && a.max <= b.max && a.smallest >= b.smallest &&
         (b.has_infinity || !a.has_infinity) && (b.has_nan || !a.has_nan);
}

bool FloatHolds(PrimitiveType to, const IntRange& range) {
  if (to == F8E8M0FNU) return false;
  const FloatLimits limits = LimitsOf(to);
  const __int128 largest = range.high > -range.low ? range.high : -range.low;
  const __int128 exact = __int128{1} << (limits.mantissa_bits + 1);
  return largest <= exact && static_cast<double>(largest) <= limits.max;
}

PrimitiveType Component(PrimitiveType type) { return ComplexComponentType(type); }

}  // namespace

bool ConvertIsLossless(PrimitiveType from, PrimitiveType to) {
  if (IsComplex(to)) return ConvertIsLossless(Component(from), Component(to));
  if (IsComplex(from) || to == PRED) return from == to;
  if (IsFloat(from)) return IsFloat(to) && FloatIsLossless(from, to);
  const IntRange range = IntRangeOfType(from);
  return IsInt(to) ? IntRangeOfType(to).Contains(range) : FloatHolds(to, range);
}

bool CanSkipConvert(PrimitiveType from, PrimitiveType through, PrimitiveType to) {
  if (ConvertIsLossless(from, through)) {
    // Floats saturate where integers wrap.
    const bool int_by_float = IsPredOrInt(from) && IsFloat(through) && IsInt(to);
    return from == to || !int_by_float || ConvertIsLossless(from, to);
  }
  return IsInt(from) && IsInt(through) && IsInt(to) && BitWidth(to) <= BitWidth(through);
}

bool HoldsCount(PrimitiveType type, int64_t largest) {
  if (IsInt(type)) return IntRangeOfType(type).high >= largest;
  return IsFloat(type) && FloatHolds(type, {0, largest});
}

}  // namespace xla
