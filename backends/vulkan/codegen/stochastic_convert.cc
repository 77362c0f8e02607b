// A number between two neighbours of the result type is a whole number of steps from one to the other and a rest, which
// are the upper and the lower bits of its mantissa. It is rounded away from zero if the rest, as a fraction of a step,
// is more than the random bits as a fraction of one, both cut off to as many bits. What is not between two neighbours
// is converted. All of it is integer arithmetic: in words of an f32, which a narrower float is exactly, in i64 of an
// f64.
#include "backends/vulkan/codegen/stochastic_convert.h"

#include <algorithm>
#include <limits>

#include "backends/scalar_code/elementwise_emitter.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace vulkan {
namespace {

using codegen::Element;
using codegen::FromBits;
using codegen::MakeElement;
using codegen::Select;
using codegen::ToBits;

int64_t OnesOf(int bits) { return (int64_t{1} << bits) - 1; }

// Of f32 or f64: magnitude = mantissa 2^(field - bias - mantissa_bits), in integers of as many bits as the number has.
struct Taken {
  explicit Taken(V x) : is_single(x.kind == Kind::kF32) {
    const V bits = ToBits(x);
    is_negative = bits < 0;
    magnitude = bits & (is_single ? int64_t{0x7FFFFFFF} : std::numeric_limits<int64_t>::max());
    const V own_field = magnitude >> mantissa_bits();
    is_denormal = own_field == 0;
    field = Select(is_denormal, own_field.LikeInt(1), own_field);
    fraction = magnitude & OnesOf(mantissa_bits());
    mantissa = Select(is_denormal, fraction, fraction | (int64_t{1} << mantissa_bits()));
  }
  int mantissa_bits() const { return is_single ? 23 : 52; }
  int bias() const { return is_single ? 127 : 1023; }
  int bits() const { return is_single ? 32 : 64; }
  V infinity() const { return magnitude.LikeInt(is_single ? 0x7F800000 : 0x7FF0000000000000); }

  bool is_single;
  V is_negative;
  V is_denormal;
  V magnitude;
  V field;
  V fraction;
  V mantissa;
};

V Bounded(V amount, int most) { return Select(amount < most, amount, amount.LikeInt(most)); }

// Steps, and what is left of one, `rest` / 2^shift. The shift is not negative; from as many bits on as the mantissa
// has, all of it is left.
struct Divided {
  V steps;
  V rest;
  V shift;
};
Divided DivideBy(V mantissa, V shift, int bits) {
  const V bounded = Bounded(shift, bits - 1);
  const V steps = mantissa >> bounded;
  return {steps, mantissa - (steps << bounded), shift};
}

// Whether the random bits are below the rest as a fraction of as many bits, rounded down.
V IsRoundedAway(const Divided& divided, const Element& random, int bits) {
  const V up = divided.shift.LikeInt(BitWidth(random.type)) - divided.shift;
  const V zero = up.LikeInt(0);
  const V is_up = up > 0;
  const V down = Bounded(Select(is_up, zero, -up), bits - 1);
  const V threshold = Select(is_up, divided.rest << Bounded(Select(is_up, up, zero), bits - 1), divided.rest >> down);
  codegen::Ir& ir = *threshold.ir;
  return ir.Compare(codegen::Ir::Relation::kUnsignedLt, ir.ZeroExtend(random.value, threshold.kind), threshold);
}

V OneIf(V condition, V like) { return condition.ir->ZeroExtend(condition, like.kind); }

// Of a number with a fraction. Beyond the limits of the type it is the limit.
Element ToInteger(PrimitiveType to, const Element& x, const Element& random) {
  const Taken taken(x.value);
  const V shift = taken.field.LikeInt(taken.bias() + taken.mantissa_bits()) - taken.field;
  const V is_whole = shift <= 0;
  const Divided divided = DivideBy(taken.mantissa, Select(is_whole, shift.LikeInt(1), shift), taken.bits());
  // A number with a fraction is less than what the mantissa's bits count to, so limits above that do not matter.
  const int value_bits = std::min(BitWidth(to) - (IsSignedInt(to) ? 1 : 0), taken.mantissa_bits() + 1);
  const V highest = shift.LikeInt(OnesOf(value_bits));
  const V lowest = shift.LikeInt(IsSignedInt(to) ? int64_t{1} << value_bits : 0);
  const V limit = Select(taken.is_negative, lowest, highest);
  const V rounded = divided.steps + OneIf(IsRoundedAway(divided, random, taken.bits()), limit);
  const V magnitude = Select(divided.steps < limit, rounded, limit);
  const Kind kind = codegen::ValueKind(to);
  const V value = x.value.ir->SignExtend(Select(taken.is_negative, -magnitude, magnitude), kind);
  return MakeElement(to, Select(is_whole, codegen::EmitConvert(to, x).value, value));
}

struct Format {
  int mantissa_bits;
  int bias;
  int64_t max_bits;
  int64_t sign_mask;
};
Format FormatOf(PrimitiveType type) {
  if (type == F32) return {23, 127, 0x7F7FFFFF, int64_t{1} << 31};
  const FloatFormat& format = xla::FormatOf(NarrowFormatOf(type));
  const FloatTraits& traits = TraitsOf(NarrowFormatOf(type));
  return {format.mantissa_bits, format.bias, traits.max_bits, traits.sign_mask};
}

// The element of bits that hold those of the type.
Element FromPattern(PrimitiveType to, V bits) {
  codegen::Ir& ir = *bits.ir;
  if (to == F32) return MakeElement(to, FromBits(ir.ZeroExtend(bits, Kind::kI32)));
  return codegen::ElementOfBits(to, ir.ZeroExtend(bits, codegen::StoredKind(to)));
}

// Patterns of floats that are not negative count upwards with their values, across exponents too. Denormal numbers have
// steps like those of the least normal ones.
Element ToFloat(PrimitiveType to, const Element& x, const Element& random) {
  const Format format = FormatOf(to);
  const Taken taken(x.value);
  const V own_field = taken.field + (format.bias - taken.bias());
  const V one = own_field.LikeInt(1);
  const V field = Select(own_field < 1, one, own_field);
  const Divided divided =
      DivideBy(taken.mantissa, field - own_field + (taken.mantissa_bits() - format.mantissa_bits), taken.bits());
  const V floor = divided.steps + ((field - 1) << format.mantissa_bits);
  const V pattern = floor + OneIf(IsRoundedAway(divided, random, taken.bits()), floor);
  V sign = Select(taken.is_negative, floor.LikeInt(format.sign_mask), floor.LikeInt(0));
  if (to != F32 && xla::FormatOf(NarrowFormatOf(to)).nan_style == NanStyle::kNegativeZero) {
    sign = Select(pattern == 0, pattern, sign);
  }
  const V is_between = floor < format.max_bits;
  return codegen::SelectElement(is_between, FromPattern(to, pattern | sign), codegen::EmitConvert(to, x));
}

// f8e8m0fnu has powers of two only. Its least one is a denormal f32, half of the least normal one, and what is less, or
// not positive, has no neighbours.
Element ToPower(const Element& x, const Element& random) {
  const Format format = FormatOf(F8E8M0FNU);
  const Taken taken(x.value);
  V pattern = taken.field + (format.bias - taken.bias());
  Divided divided = {pattern, taken.fraction, pattern.LikeInt(taken.mantissa_bits())};
  V is_between = codegen::Not(taken.is_negative | taken.is_denormal) & (pattern >= 0) & (pattern < format.max_bits);
  if (taken.is_single) {
    const int64_t half = int64_t{1} << (taken.mantissa_bits() - 1);
    pattern = Select(taken.is_denormal, pattern.LikeInt(0), pattern);
    divided.rest = Select(taken.is_denormal, taken.fraction & (half - 1), divided.rest);
    divided.shift = Select(taken.is_denormal, divided.shift - 1, divided.shift);
    is_between = codegen::Not(taken.is_negative) & (taken.magnitude >= half) & (pattern < format.max_bits);
  }
  const V rounded = pattern + OneIf(IsRoundedAway(divided, random, taken.bits()), pattern);
  return codegen::SelectElement(is_between, FromPattern(F8E8M0FNU, rounded), codegen::EmitConvert(F8E8M0FNU, x));
}

}  // namespace

Element EmitStochasticConvert(PrimitiveType to, const Element& x, const Element& random) {
  if (IsInt(to)) return ToInteger(to, x, random);
  if (to == F64 || to == x.type || (to == F32 && x.value.kind == Kind::kF32)) return codegen::EmitConvert(to, x);
  return to == F8E8M0FNU ? ToPower(x, random) : ToFloat(to, x, random);
}

}  // namespace vulkan
}  // namespace xla
