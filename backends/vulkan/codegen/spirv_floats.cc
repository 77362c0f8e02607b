// Floats: what Vulkan leaves loose, made exact.
//
// Of a product p = x y the rounding error e is computed by splitting factors into halves whose products are exact
// (Dekker), and of a sum that of Knuth's TwoSum. x y + z is then s + (t + e): rounded twice, but the first time at a
// 2^-24th of the result, or finer. Where halves overflow, the result is that of the plain sum.
#include <limits>

#include "backends/vulkan/codegen/spirv_ir.h"
#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {

using codegen::CopySign;
using codegen::FromBits;
using codegen::ToBits;

namespace {

// Where Fma is exact for numbers of this size: halves of the largest overflow, and parts of the smallest are denormals,
// which a device may take for zero.
V IsBelowLargest(V x) { return codegen::Abs(x) < (x.kind == Kind::kF32 ? 0x1p100 : 0x1p970); }
V IsAboveSmallest(V x) { return codegen::Abs(x) > (x.kind == Kind::kF32 ? 0x1p-76 : 0x1p-910); }

}  // namespace

V SpirvIr::BinaryFloat(Op op, V x, V y) {
  switch (op) {
    case Op::kAdd:
      return Make(x.kind, Exact(spv::Op::OpFAdd, x.kind, Get(x).id, Get(y).id));
    case Op::kSubtract:
      return Make(x.kind, Exact(spv::Op::OpFSub, x.kind, Get(x).id, Get(y).id));
    case Op::kMultiply:
      return Make(x.kind, Exact(spv::Op::OpFMul, x.kind, Get(x).id, Get(y).id));
    case Op::kDivide:
      return Divide(x, y);
    default:
      CHECK(op == Op::kRemainder);
      return RemainderOf(x, y);
  }
}

V SpirvIr::MultiplyAdd(V x, V y, V z) {
  if (!target_.fuses_multiply_add) return x * y + z;
  return Make(x.kind, b_.Extended(GLSLstd450Fma, TypeOf(x.kind), {Get(x).id, Get(y).id, Get(z).id}));
}

V SpirvIr::Fma(V x, V y, V z) {
  if (target_.fuses_multiply_add) return MultiplyAdd(x, y, z);
  // 2^(half of the bits, rounded up) + 1
  const double splitter = x.kind == Kind::kF32 ? 4097.0 : 134217729.0;
  const auto high_half = [&](V a) {
    const V scaled = a * splitter;
    return scaled - (scaled - a);
  };
  const V x_high = high_half(x);
  const V y_high = high_half(y);
  const V x_low = x - x_high;
  const V y_low = y - y_high;
  const V product = x * y;
  const V of_product = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
  const V sum = product + z;
  const V of_z = sum - product;
  const V of_sum = (product - (sum - of_z)) + (z - of_z);
  const V result = sum + (of_sum + of_product);
  return codegen::Select(result == result, result, sum);
}

V SpirvIr::Divide(V x, V y) {
  const V quotient = Make(x.kind, Exact(spv::Op::OpFDiv, x.kind, Get(x).id, Get(y).id));
  if (target_.divides_exactly) return quotient;
  const V rest = Fma(-quotient, y, x);
  const V corrected = quotient + Make(x.kind, Exact(spv::Op::OpFDiv, x.kind, Get(rest).id, Get(y).id));
  return codegen::Select(IsAboveSmallest(x) & IsBelowLargest(x) & IsBelowLargest(y) & IsBelowLargest(quotient),
                         corrected, quotient);
}

V SpirvIr::SquareRoot(V x) {
  const V root = Make(x.kind, b_.Extended(GLSLstd450Sqrt, TypeOf(x.kind), {Get(x).id}));
  if (target_.divides_exactly) return root;
  const V rest = Fma(-root, root, x);
  const V twice = root + root;
  const V corrected = root + Make(x.kind, Exact(spv::Op::OpFDiv, x.kind, Get(rest).id, Get(twice).id));
  // The square of the root of the largest number may be infinite.
  const V is_finite = codegen::Abs(corrected) < std::numeric_limits<double>::infinity();
  return codegen::Select(IsAboveSmallest(x) & is_finite, corrected, root);
}

V SpirvIr::RoundAwayFromZero(V x) {
  const V whole = Intrinsic1("trunc", x);
  const V is_half = codegen::Abs(x - whole) >= 0.5;
  return CopySign(codegen::Select(is_half, whole + CopySign(x.Like(1), x), whole), x);
}

// As C's fmod, on integers: with x = m 2^e and y = n 2^f, m 2^(e - f) modulo n, some bits at a time. All is exact, and
// denormals are numbers like others.
V SpirvIr::RemainderOf(V x, V y) {
  const bool is_single = x.kind == Kind::kF32;
  const Kind kind = is_single ? Kind::kI32 : Kind::kI64;
  const int mantissa_bits = is_single ? 23 : 52;
  const int word_bits = is_single ? 32 : 64;
  const int step = word_bits - mantissa_bits - 1;  // as many bits as the mantissa leaves free
  const int64_t hidden = int64_t{1} << mantissa_bits;
  const V a = ToBits(codegen::Abs(x));
  const V b = ToBits(codegen::Abs(y));
  const auto exponent_of = [&](V bits) {
    const V field = bits >> mantissa_bits;
    return codegen::Select(field == 0, field.LikeInt(1), field);
  };
  const auto mantissa_of = [&](V bits) { return codegen::Select(bits < hidden, bits, (bits & (hidden - 1)) | hidden); };
  const V infinity = Bitcast(Float(x.kind, std::numeric_limits<double>::infinity()), kind);
  // 0 / 0, infinity / y, and NaN, and a divisor for which there is nothing to do.
  const V is_nan = (b == 0) | (a >= infinity) | (b > infinity);
  const V is_done = (a < b) | is_nan;
  const State result = IfElse(
      is_done, [&] { return State{a}; },
      [&] {
        const V divisor = mantissa_of(b);
        const V exponent = exponent_of(b);
        const V rest = Binary(Op::kUnsignedRemainder, mantissa_of(a), divisor);
        const State divided = While(
            {rest, exponent_of(a) - exponent}, [](const State& state) { return state[1] > 0; },
            [&](const State& state) {
              const V bits = codegen::Select(state[1] < step, state[1], state[1].LikeInt(step));
              return State{Binary(Op::kUnsignedRemainder, state[0] << bits, divisor), state[1] - bits};
            });
        // divided[0] 2^(exponent - 1), in units of the smallest denormal, as a number again.
        const V leading = LeadingZeros(divided[0]) - step;
        const V shift = codegen::Select(leading < exponent - 1, leading, exponent - 1);
        const V shifted = divided[0] << shift;
        const V is_normal = shifted >= hidden;
        const V field = codegen::Select(is_normal, exponent - shift, exponent.LikeInt(0));
        const V normal = (shifted & (hidden - 1)) | (field << mantissa_bits);
        return State{codegen::Select(divided[0] == 0, divided[0].LikeInt(0), normal)};
      });
  const V magnitude =
      codegen::Select(is_nan, result[0].LikeInt(is_single ? 0x7FC00000 : 0x7FF8000000000000), result[0]);
  const V sign = ToBits(x) & (is_single ? int64_t{0x80000000} : std::numeric_limits<int64_t>::min());
  return FromBits(magnitude | sign);
}

// ---- Conversions of numbers

V SpirvIr::FloatToFloat(V x, Kind kind) {
  if (x.kind == kind) return x;
  return Make(kind, b_.Op(spv::Op::OpFConvert, TypeOf(kind), {Get(x).id}));
}

// A pair: as a word that holds its leading bits, of which the last is one if any that are cut off are; that rounds like
// the pair itself, because a word has more bits than f32 keeps. f64 takes both words as they are, which rounds once.
V SpirvIr::LongToFloat(V x, Kind kind, bool is_signed) {
  const V is_negative = is_signed ? x < 0 : Int(Kind::kI1, 0);
  const V magnitude = codegen::Select(is_negative, -x, x);
  V result;
  if (kind == Kind::kF64) {
    const Words words = ToWords(magnitude);
    const V high = IntToFloat(FromWord(Kind::kI32, words.second), kind, false);
    result = high * 4294967296.0 + IntToFloat(FromWord(Kind::kI32, words.first), kind, false);
  } else {
    const V leading = ZeroExtend(LeadingZeros(magnitude), Kind::kI32);
    const V dropped = codegen::Select(leading < 32, leading.LikeInt(32) - leading, leading.LikeInt(0));
    const V wide = ZeroExtend(dropped, Kind::kI64);
    const V kept = magnitude >> wide;
    const V is_inexact = (kept << wide) != magnitude;
    const V word = ZeroExtend(kept, Kind::kI32) | ZeroExtend(is_inexact, Kind::kI32);
    // 2^dropped
    const V scale = FromBits((dropped + 127) << 23);
    result = IntToFloat(word, kind, false) * scale;
  }
  return codegen::Select(is_negative, -result, result);
}

V SpirvIr::IntToFloat(V x, Kind kind, bool is_signed) {
  if (IsPair(x.kind)) return LongToFloat(x, kind, is_signed);
  if (x.kind == Kind::kI1) return codegen::Select(x, Float(kind, is_signed ? -1 : 1), Float(kind, 0));
  const Id id = is_signed && x.kind != Kind::kI64 ? SignExtended(Get(x).id, x.kind) : Get(x).id;
  // An index may be 0 where a loop is written out.
  return HideZero(Make(kind, b_.Op(is_signed ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF, TypeOf(kind), {id})));
}

V SpirvIr::FloatToIntInRange(V x, Kind kind, bool is_signed) {
  if (!IsPair(kind)) {
    const Id type = kind == Kind::kI64 ? b_.IntType(64) : b_.IntType(32);
    const Id id = b_.Op(is_signed ? spv::Op::OpConvertFToS : spv::Op::OpConvertFToU, type, {Get(x).id});
    return Make(kind, Masked(id, kind));
  }
  // The mantissa, shifted by the exponent; of a number below one, nothing.
  const bool is_single = x.kind == Kind::kF32;
  const int mantissa_bits = is_single ? 23 : 52;
  const V bits = ZeroExtend(ToBits(codegen::Abs(x)), Kind::kI64);
  const V exponent = (bits >> mantissa_bits) - (is_single ? 127 : 1023) - mantissa_bits;
  const int64_t hidden = int64_t{1} << mantissa_bits;
  const V mantissa = (bits & (hidden - 1)) | hidden;
  const V left = mantissa << codegen::Select(exponent < 0, exponent.LikeInt(0), exponent);
  const V right = mantissa >> codegen::Select(exponent < -63, exponent.LikeInt(63), -exponent);
  const V magnitude = codegen::Select(exponent < 0, right, left);
  return codegen::Select(ToBits(x) < 0, -magnitude, magnitude);
}

}  // namespace vulkan
}  // namespace xla
