#include "passes/algebra/value_facts.h"

#include <algorithm>
#include <cmath>

#include "passes/algebra/splat_number.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

constexpr int kDepth = 4;

// The result's elements are some of the operand's.
bool PicksElements(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kSlice:
    case HloOpcode::kReverse:
    case HloOpcode::kCopy:
      return true;
    default:
      return false;
  }
}

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

IntRange RangeOfRemainder(const IntRange& a, const IntRange& b) {
  if (b.low <= 0) return {std::min<__int128>(a.low, 0), std::max<__int128>(a.high, 0)};
  const __int128 most = b.high - 1;
  return {a.low < 0 ? std::max(a.low, -most) : 0, a.high > 0 ? std::min(a.high, most) : 0};
}

// Those that RangeOfBinary knows; their operands have the type of the result.
bool IsBoundedBinary(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kRemainder:
    case HloOpcode::kDivide:
    case HloOpcode::kShiftRightLogical:
      return true;
    default:
      return false;
  }
}

// May be wider than the type, which means that the operation may wrap.
IntRange RangeOfBinary(HloOpcode opcode, const IntRange& a, const IntRange& b, const IntRange& type) {
  switch (opcode) {
    case HloOpcode::kAdd:
      return {a.low + b.low, a.high + b.high};
    case HloOpcode::kSubtract:
      return {a.low - b.high, a.high - b.low};
    case HloOpcode::kMultiply:
      return IsSmall(a) && IsSmall(b) ? Product(a, b) : type;
    case HloOpcode::kMaximum:
      return MaxOf(a, b);
    case HloOpcode::kMinimum:
      return MinOf(a, b);
    case HloOpcode::kAnd:
      if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
      if (a.low >= 0) return {0, a.high};
      return b.low >= 0 ? IntRange{0, b.high} : type;
    case HloOpcode::kRemainder:
      return RangeOfRemainder(a, b);
    case HloOpcode::kDivide:
      return b.low > 0 && b.low == b.high ? IntRange{a.low / b.low, a.high / b.low} : type;
    case HloOpcode::kShiftRightLogical:
      return a.low >= 0 && b.low >= 0 && b.low == b.high && b.high < 64
                 ? IntRange{a.low >> static_cast<int>(b.low), a.high >> static_cast<int>(b.low)}
                 : type;
    default:
      return type;
  }
}

IntRange RangeOfConvert(const HloInstruction& operand, const IntRange& type, int depth) {
  return IsPredOrInt(operand.shape().element_type()) ? RangeWithin(operand, depth) : type;
}

IntRange UncheckedRange(const HloInstruction& instruction, const IntRange& type, int depth) {
  const HloOpcode opcode = instruction.opcode();
  if (PicksElements(opcode)) return RangeWithin(*instruction.operand(0), depth);
  switch (opcode) {
    case HloOpcode::kIota: {
      const int64_t size = instruction.shape().dimension(instruction.attributes<IotaAttributes>().iota_dimension);
      return {0, std::max<__int128>(size, 1) - 1};
    }
    case HloOpcode::kConvert:
      return RangeOfConvert(*instruction.operand(0), type, depth);
    case HloOpcode::kSelect: {
      const IntRange a = RangeWithin(*instruction.operand(1), depth);
      const IntRange b = RangeWithin(*instruction.operand(2), depth);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    case HloOpcode::kClamp:
      return MinOf(MaxOf(RangeWithin(*instruction.operand(0), depth), RangeWithin(*instruction.operand(1), depth)),
                   RangeWithin(*instruction.operand(2), depth));
    case HloOpcode::kSign:
      return {-1, 1};
    default:
      break;
  }
  if (instruction.operand_count() != 2 || !IsBoundedBinary(opcode)) return type;
  return RangeOfBinary(opcode, RangeWithin(*instruction.operand(0), depth), RangeWithin(*instruction.operand(1), depth),
                       type);
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
  switch (opcode) {
    case HloOpcode::kSqrt:
    case HloOpcode::kRsqrt:
    case HloOpcode::kCbrt:
    case HloOpcode::kTanh:
    case HloOpcode::kExpm1:
    case HloOpcode::kLog1p:
    case HloOpcode::kFloor:
    case HloOpcode::kCeil:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
      return true;
    default:
      return PicksElements(opcode);
  }
}

bool SignIsClearWithin(const HloInstruction& x, int depth) {
  const PrimitiveType type = x.shape().element_type();
  // What would be NaN becomes -0 in a type without NaN.
  if (!IsSignedFloat(type) || !HasNan(type)) return false;
  if (const auto value = SplatFloat(x)) return std::isnan(*value) || !std::signbit(*value);
  if (depth == 0) return false;
  const auto operand_is_clear = [&](int i) { return SignIsClearWithin(*x.operand(i), depth - 1); };
  const HloOpcode opcode = x.opcode();
  if (KeepsClearSign(opcode)) return operand_is_clear(0);
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kExp:
    case HloOpcode::kLogistic:
    case HloOpcode::kCosh:
    case HloOpcode::kIota:
      return true;
    case HloOpcode::kConvert:
      if (IsPredOrInt(x.operand(0)->shape().element_type())) return IntRangeOf(*x.operand(0)).low >= 0;
      return operand_is_clear(0);
    case HloOpcode::kMultiply:
      return x.operand(0) == x.operand(1) || (operand_is_clear(0) && operand_is_clear(1));
    case HloOpcode::kAdd:
    case HloOpcode::kDivide:
    case HloOpcode::kMinimum:
      return operand_is_clear(0) && operand_is_clear(1);
    case HloOpcode::kMaximum:
      return operand_is_clear(0) || operand_is_clear(1);
    case HloOpcode::kSelect:
      return operand_is_clear(1) && operand_is_clear(2);
    default:
      return false;
  }
}

bool NeverNegativeZeroWithin(const HloInstruction& x, int depth) {
  const PrimitiveType type = x.shape().element_type();
  if (!HasNegativeZero(type)) return IsFloat(type);
  if (!HasNan(type)) return false;
  if (const auto value = SplatFloat(x)) return *value != 0 || !std::signbit(*value);
  if (SignIsClear(x)) return true;
  if (depth == 0) return false;
  const auto operand_never = [&](int i) { return NeverNegativeZeroWithin(*x.operand(i), depth - 1); };
  if (PicksElements(x.opcode())) return operand_never(0);
  switch (x.opcode()) {
    case HloOpcode::kAdd:  // -0 is the sum of two -0 only
      return operand_never(0) || operand_never(1);
    case HloOpcode::kSubtract:  // or -0 less +0
      return operand_never(0);
    case HloOpcode::kConvert:
      return IsPredOrInt(x.operand(0)->shape().element_type());
    case HloOpcode::kSelect:
      return operand_never(1) && operand_never(2);
    default:
      return false;
  }
}

bool NeverNanWithin(const HloInstruction& x, int depth) {
  const PrimitiveType type = x.shape().element_type();
  if (!IsFloat(type)) return false;
  if (!HasNan(type)) return true;
  if (const auto value = SplatFloat(x)) return !std::isnan(*value);
  // Where there are no infinities, too large numbers become NaN.
  if (depth == 0 || !IsIeeeFloat(type)) return false;
  const auto operand_never = [&](int i) { return NeverNanWithin(*x.operand(i), depth - 1); };
  if (PicksElements(x.opcode())) return operand_never(0);
  switch (x.opcode()) {
    case HloOpcode::kIota:
      return true;
    case HloOpcode::kConvert:
      return IsPredOrInt(x.operand(0)->shape().element_type()) || operand_never(0);
    case HloOpcode::kAbs:
      return IsFloat(x.operand(0)->shape().element_type()) && operand_never(0);
    case HloOpcode::kNegate:
    case HloOpcode::kSign:
    case HloOpcode::kExp:
    case HloOpcode::kLogistic:
    case HloOpcode::kTanh:
    case HloOpcode::kFloor:
    case HloOpcode::kCeil:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
      return operand_never(0);
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      return operand_never(0) && operand_never(1);
    case HloOpcode::kSelect:
      return operand_never(1) && operand_never(2);
    default:
      return false;
  }
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
