#include "passes/algebra/value_facts.h"

#include <algorithm>
#include <cmath>

#include "passes/algebra/splat_number.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

constexpr int kDepth = 4;

// ---- Ranges of integers

bool IsSmall(const IntRange& range) {
  constexpr __int128 kLimit = __int128{1} << 62;
  return range.low >= -kLimit && range.high <= kLimit;
}

IntRange Product(const IntRange& a, const IntRange& b) {
  const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

IntRange MaxOf(const IntRange& a, const IntRange& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
IntRange MinOf(const IntRange& a, const IntRange& b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }

IntRange RangeOfNumber(PrimitiveType type, uint64_t bits) {
  const __int128 value = IsSignedInt(type) ? __int128{static_cast<int64_t>(bits)} : __int128{bits};
  return {value, value};
}

IntRange RangeWithin(const HloInstruction& instruction, int depth);

// ---- Ranges of operations on two numbers of the type of the result, which has the range `type`. They may be wider
// than that, which means that the operation may wrap.

using RangeOf = IntRange (*)(const IntRange& a, const IntRange& b, const IntRange& type);

IntRange RangeOfSum(const IntRange& a, const IntRange& b, const IntRange&) { return {a.low + b.low, a.high + b.high}; }
IntRange RangeOfDifference(const IntRange& a, const IntRange& b, const IntRange&) {
  return {a.low - b.high, a.high - b.low};
}
IntRange RangeOfProduct(const IntRange& a, const IntRange& b, const IntRange& type) {
  return IsSmall(a) && IsSmall(b) ? Product(a, b) : type;
}
IntRange RangeOfMaximum(const IntRange& a, const IntRange& b, const IntRange&) { return MaxOf(a, b); }
IntRange RangeOfMinimum(const IntRange& a, const IntRange& b, const IntRange&) { return MinOf(a, b); }
IntRange RangeOfAnd(const IntRange& a, const IntRange& b, const IntRange& type) {
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  return b.low >= 0 ? IntRange{0, b.high} : type;
}
IntRange RangeOfRemainder(const IntRange& a, const IntRange& b, const IntRange&) {
  if (b.low <= 0) return {std::min<__int128>(a.low, 0), std::max<__int128>(a.high, 0)};
  const __int128 most = b.high - 1;
  return {a.low < 0 ? std::max(a.low, -most) : 0, a.high > 0 ? std::min(a.high, most) : 0};
}
IntRange RangeOfQuotient(const IntRange& a, const IntRange& b, const IntRange& type) {
  return b.low > 0 && b.low == b.high ? IntRange{a.low / b.low, a.high / b.low} : type;
}
IntRange RangeOfShiftRight(const IntRange& a, const IntRange& b, const IntRange& type) {
  return a.low >= 0 && b.low >= 0 && b.low == b.high && b.high < 64
             ? IntRange{a.low >> static_cast<int>(b.low), a.high >> static_cast<int>(b.low)}
             : type;
}

constexpr OpcodeMap<RangeOf> kRangeOfBinary(/*otherwise=*/nullptr,
                                            {{HloOpcode::kAdd, &RangeOfSum},
                                             {HloOpcode::kSubtract, &RangeOfDifference},
                                             {HloOpcode::kMultiply, &RangeOfProduct},
                                             {HloOpcode::kMaximum, &RangeOfMaximum},
                                             {HloOpcode::kMinimum, &RangeOfMinimum},
                                             {HloOpcode::kAnd, &RangeOfAnd},
                                             {HloOpcode::kRemainder, &RangeOfRemainder},
                                             {HloOpcode::kDivide, &RangeOfQuotient},
                                             {HloOpcode::kShiftRightLogical, &RangeOfShiftRight}});

// ---- Ranges of other operations

IntRange RangeOfConvert(const HloInstruction& operand, const IntRange& type, int depth) {
  return IsPredOrInt(operand.shape().element_type()) ? RangeWithin(operand, depth) : type;
}

// The range by what the operation does, before it is cut to the type's; `depth` bounds how many operands are
// followed.
IntRange UncheckedRange(const HloInstruction& instruction, const IntRange& type, int depth) {
  const HloOpcode opcode = instruction.opcode();
  const auto range = [&](int i) { return RangeWithin(*instruction.operand(i), depth); };
  if (HasTrait(opcode, opcode_trait::kPicksElements)) return range(0);
  if (opcode == HloOpcode::kIota) {
    const int64_t size = instruction.shape().dimension(instruction.attributes<IotaAttributes>().iota_dimension);
    return {0, std::max<__int128>(size, 1) - 1};
  }
  if (opcode == HloOpcode::kConvert) return RangeOfConvert(*instruction.operand(0), type, depth);
  if (opcode == HloOpcode::kSelect) {
    const IntRange a = range(1), b = range(2);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  if (opcode == HloOpcode::kClamp) return MinOf(MaxOf(range(0), range(1)), range(2));
  if (opcode == HloOpcode::kSign) return {-1, 1};
  const RangeOf range_of = kRangeOfBinary[opcode];
  return range_of == nullptr ? type : range_of(range(0), range(1), type);
}

IntRange RangeWithin(const HloInstruction& instruction, int depth) {
  const PrimitiveType type = instruction.shape().element_type();
  const IntRange of_type = IntRangeOfType(type);
  if (const auto bits = SplatBits(instruction)) return RangeOfNumber(type, *bits);
  if (depth == 0 || type == PRED) return of_type;
  const IntRange range = UncheckedRange(instruction, of_type, depth - 1);
  return of_type.Contains(range) ? range : of_type;
}

// ---- Floats

bool HasNan(PrimitiveType type) {
  return !IsNarrowFloatType(type) || FormatOf(NarrowFormatOf(type)).nan_style != NanStyle::kNone;
}

// Their result has no sign if their operand has none.
bool KeepsClearSign(HloOpcode opcode) {
  static constexpr OpcodeSet kFunctions = {HloOpcode::kSqrt, HloOpcode::kRsqrt, HloOpcode::kCbrt,
                                           HloOpcode::kTanh, HloOpcode::kExpm1, HloOpcode::kLog1p};
  return HasTrait(opcode, opcode_trait::kPicksElements | opcode_trait::kRoundsToInteger) || kFunctions.Has(opcode);
}

// Whether every element is NaN or has a clear sign bit, which -0 does not.
bool SignIsClearWithin(const HloInstruction& x, int depth) {
  const PrimitiveType type = x.shape().element_type();
  // What would be NaN becomes -0 in a type without NaN.
  if (!IsSignedFloat(type) || !HasNan(type)) return false;
  if (const auto value = SplatFloat(x)) return std::isnan(*value) || !std::signbit(*value);
  if (depth == 0) return false;
  const auto operand_is_clear = [&](int i) { return SignIsClearWithin(*x.operand(i), depth - 1); };
  const HloOpcode opcode = x.opcode();
  if (KeepsClearSign(opcode)) return operand_is_clear(0);
  static constexpr OpcodeSet kNeverNegative = {HloOpcode::kAbs, HloOpcode::kExp, HloOpcode::kLogistic, HloOpcode::kCosh,
                                               HloOpcode::kIota};
  static constexpr OpcodeSet kClearIfBothAre = {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kDivide,
                                                HloOpcode::kMinimum};
  if (kNeverNegative.Has(opcode)) return true;
  if (opcode == HloOpcode::kMultiply && x.operand(0) == x.operand(1)) return true;
  if (kClearIfBothAre.Has(opcode)) return operand_is_clear(0) && operand_is_clear(1);
  if (opcode == HloOpcode::kMaximum) return operand_is_clear(0) || operand_is_clear(1);
  if (opcode == HloOpcode::kSelect) return operand_is_clear(1) && operand_is_clear(2);
  if (opcode != HloOpcode::kConvert) return false;
  if (IsPredOrInt(x.operand(0)->shape().element_type())) return IntRangeOf(*x.operand(0)).low >= 0;
  return operand_is_clear(0);
}

// Whether no element is -0: rules use it to drop additions of +0.
bool NeverNegativeZeroWithin(const HloInstruction& x, int depth) {
  const PrimitiveType type = x.shape().element_type();
  if (!HasNegativeZero(type)) return IsFloat(type);
  if (!HasNan(type)) return false;
  if (const auto value = SplatFloat(x)) return *value != 0 || !std::signbit(*value);
  if (SignIsClear(x)) return true;
  if (depth == 0) return false;
  const auto operand_never = [&](int i) { return NeverNegativeZeroWithin(*x.operand(i), depth - 1); };
  if (HasTrait(x.opcode(), opcode_trait::kPicksElements)) return operand_never(0);
  const HloOpcode opcode = x.opcode();
  if (opcode == HloOpcode::kAdd) return operand_never(0) || operand_never(1);  // -0 is the sum of two -0 only
  if (opcode == HloOpcode::kSubtract) return operand_never(0);                 // or -0 less +0
  if (opcode == HloOpcode::kConvert) return IsPredOrInt(x.operand(0)->shape().element_type());
  return opcode == HloOpcode::kSelect && operand_never(1) && operand_never(2);
}

// Whether no element is NaN. Operations that make NaN of infinities, such as sums and products, are left out.
bool NeverNanWithin(const HloInstruction& x, int depth) {
  const PrimitiveType type = x.shape().element_type();
  if (!IsFloat(type)) return false;
  if (!HasNan(type)) return true;
  if (const auto value = SplatFloat(x)) return !std::isnan(*value);
  // Where there are no infinities, too large numbers become NaN.
  if (depth == 0 || !IsIeeeFloat(type)) return false;
  const auto operand_never = [&](int i) { return NeverNanWithin(*x.operand(i), depth - 1); };
  static constexpr OpcodeSet kOfOne = {HloOpcode::kNegate, HloOpcode::kSign, HloOpcode::kExp, HloOpcode::kLogistic,
                                       HloOpcode::kTanh};
  const HloOpcode opcode = x.opcode();
  if (HasTrait(opcode, opcode_trait::kPicksElements | opcode_trait::kRoundsToInteger) || kOfOne.Has(opcode)) {
    return operand_never(0);
  }
  if (opcode == HloOpcode::kIota) return true;
  if (opcode == HloOpcode::kConvert) {
    return IsPredOrInt(x.operand(0)->shape().element_type()) || operand_never(0);
  }
  if (opcode == HloOpcode::kAbs) return IsFloat(x.operand(0)->shape().element_type()) && operand_never(0);
  if (opcode == HloOpcode::kMaximum || opcode == HloOpcode::kMinimum) return operand_never(0) && operand_never(1);
  return opcode == HloOpcode::kSelect && operand_never(1) && operand_never(2);
}

}  // namespace

IntRange IntRangeOfType(PrimitiveType type) {
  if (type == PRED) return {0, 1};
  const __int128 one = 1;
  const int bits = BitWidth(type);
  if (IsSignedInt(type)) return {-(one << (bits - 1)), (one << (bits - 1)) - 1};
  return {0, (one << bits) - 1};
}

IntRange IntRangeOf(const HloInstruction& instruction) { return RangeWithin(instruction, kDepth); }
bool SignIsClear(const HloInstruction& instruction) { return SignIsClearWithin(instruction, kDepth); }
bool NeverNegativeZero(const HloInstruction& instruction) { return NeverNegativeZeroWithin(instruction, kDepth); }
bool NeverNan(const HloInstruction& instruction) { return NeverNanWithin(instruction, kDepth); }

}  // namespace xla
