// Angles up to the largest number are reduced by the digits of 2/pi that matter (M. H. Payne and R. N. Hanek, 1983).
//
// x is m 2^e with an integer m of 24 or 53 bits. Of x 2/pi only the value modulo 4 counts, so those digits of 2/pi are
// left out whose product with m 2^e is a multiple of 4: what remains begins with digit e - 2 and has 192 bits, which
// leave 128 for the angle after the bits of m and some that cancel. All of it is integer arithmetic in words.
#include "backends/vulkan/codegen/spirv_rare.h"

#include <limits>

#include "backends/scalar_code/complex_in_parts.h"
#include "backends/scalar_code/double_double.h"
#include "backends/scalar_code/math_functions.h"
#include "backends/vulkan/codegen/complex_in_integers.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "backends/vulkan/codegen/stochastic_convert.h"
#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {
namespace {

using codegen::DoubleDouble;
using codegen::Element;
using codegen::ExactSum;
using codegen::FromBits;
using codegen::MakeElement;
using codegen::Multiply;
using codegen::OrderedSum;
using codegen::Select;
using codegen::ToBits;

// A word of zeros, then the binary digits of 2/pi.
constexpr uint32_t kTwoOverPi[] = {0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
                                   0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C,
                                   0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4,
                                   0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF,
                                   0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA,
                                   0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D};
constexpr int kTableWords = sizeof(kTwoOverPi) / sizeof(kTwoOverPi[0]);
constexpr int kWindowWords = 6;
constexpr int kBits = 32;

// Six words of the table from a bit on, the most significant first.
std::vector<V> WindowFrom(SpirvIr& ir, V bit) {
  SpirvBuilder& b = ir.builder();
  const Id word = b.IntType(32);
  std::vector<Id> words;
  for (const uint32_t digits : kTwoOverPi) words.push_back(b.Word(digits));
  const Id type = b.ArrayType(word, kTableWords);
  const Id table = b.FunctionVariable(type);
  b.Store(table, b.ConstantArray(type, words));
  const V first = bit >> 5;
  const V shift = bit & 31;
  std::vector<V> loaded;
  for (int i = 0; i <= kWindowWords; ++i) {
    const Id place = b.AccessChain(spv::StorageClass::Function, word, table, {ir.ToWord(first + i)});
    loaded.push_back(ir.FromWord(Kind::kI32, b.Load(word, place)));
  }
  std::vector<V> window;
  for (int i = 0; i < kWindowWords; ++i) {
    const V next = Select(shift == 0, shift.LikeInt(0), loaded[i + 1] >> ((kBits - shift) & 31));
    window.push_back((loaded[i] << shift) | next);
  }
  return window;
}

// result += factor * window * 2^(32 * shifted), modulo 2^192.
void AddProduct(V factor, const std::vector<V>& window, int shifted, std::vector<V>* result) {
  codegen::Ir& ir = *factor.ir;
  const auto wide = [&](V x) { return ir.ZeroExtend(x, Kind::kI64); };
  V carry = ir.Int(Kind::kI64, 0);
  for (int i = kWindowWords - 1; i >= shifted; --i) {
    V& word = (*result)[i - shifted];
    const V sum = wide(factor) * wide(window[i]) + wide(word) + carry;
    word = ir.ZeroExtend(sum, Kind::kI32);
    carry = sum >> kBits;
  }
}

struct ReducedAngle {
  DoubleDouble rest;  // within pi/4
  V quarters;         // an integer of as many bits
};

// A fraction of 128 bits in two's complement, from -1/2 to 1/2, times pi/2: as a pair of f64.
DoubleDouble AngleInDoubles(const std::vector<V>& fraction) {
  SpirvIr& ir = SpirvOf(fraction[0]);
  const auto scaled = [&](int i) {
    static constexpr double kScales[] = {0x1p-32, 0x1p-64, 0x1p-96, 0x1p-128};
    return ir.IntToFloat(fraction[i], Kind::kF64, /*is_signed=*/i == 0) * kScales[i];
  };
  const DoubleDouble upper = ExactSum(scaled(0), scaled(1));
  const DoubleDouble turns = OrderedSum(upper.high, upper.low + (scaled(2) + scaled(3)));
  return Multiply(turns, {upper.high.Like(0x1.921fb54442d18p+0), upper.high.Like(0x1.1a62633145c07p-54)});
}

// As a pair of f32, of the leading 48 bits among the first 64: those of f32 cancel less than 32 of these.
DoubleDouble AngleInSingles(const std::vector<V>& fraction) {
  SpirvIr& ir = SpirvOf(fraction[0]);
  const V all = (ir.ZeroExtend(fraction[0], Kind::kI64) << kBits) | ir.ZeroExtend(fraction[1], Kind::kI64);
  const V is_negative = all < 0;
  const V magnitude = Select(is_negative, -all, all);
  const V leading = ir.Intrinsic1("ctlz", magnitude);
  const V shifted = magnitude << Select(leading == 64, leading.LikeInt(0), leading);
  const auto bits = [&](int from) { return ir.ZeroExtend(shifted >> from, Kind::kI32) & 0xFFFFFF; };
  const V scale = FromBits((127 - ir.ZeroExtend(leading, Kind::kI32)) << 23);
  const V high = ir.IntToFloat(bits(40), Kind::kF32, false) * 0x1p-24 * scale;
  const V low = ir.IntToFloat(bits(16), Kind::kF32, false) * 0x1p-48 * scale;
  const DoubleDouble turns = {Select(is_negative, -high, high), Select(is_negative, -low, low)};
  return Multiply(turns, {high.Like(0x1.921fb6p+0), high.Like(-0x1.777a5cp-25)});
}

// x is finite and large.
ReducedAngle ReduceLarge(V x) {
  SpirvIr& ir = SpirvOf(x);
  const bool is_single = x.kind == Kind::kF32;
  const int mantissa_bits = is_single ? 23 : 52;
  const int bias = is_single ? 150 : 1075;  // of an exponent that belongs to an integer mantissa
  const int64_t hidden = int64_t{1} << mantissa_bits;
  const V bits = ToBits(codegen::Abs(x));
  const V exponent = ir.ZeroExtend(bits >> mantissa_bits, Kind::kI32) - bias;
  const V mantissa = (bits & (hidden - 1)) | hidden;
  const std::vector<V> window = WindowFrom(ir, exponent - 2 + kBits);
  std::vector<V> product(kWindowWords, ir.Int(Kind::kI32, 0));
  AddProduct(ir.ZeroExtend(mantissa, Kind::kI32), window, 0, &product);
  if (!is_single) AddProduct(ir.ZeroExtend(mantissa >> kBits, Kind::kI32), window, 1, &product);
  // Two bits of whole quarters, then their fraction: from a half on, it is that of the next quarter, less one.
  std::vector<V> fraction;
  for (int i = 0; i < 4; ++i) fraction.push_back((product[i] << 2) | (product[i + 1] >> 30));
  const V quarters = ir.ZeroExtend((product[0] >> 30) + (fraction[0] >> 31), is_single ? Kind::kI32 : Kind::kI64);
  const DoubleDouble angle = is_single ? AngleInSingles(fraction) : AngleInDoubles(fraction);
  const V is_negative = x < 0.0;
  return {{Select(is_negative, -angle.high, angle.high), Select(is_negative, -angle.low, angle.low)},
          Select(is_negative, -quarters, quarters)};
}

// x^y of integers, by squares: y's bits from the lowest on.
Element PowerOfIntegers(PrimitiveType type, PrimitiveType result_type, V x, V y) {
  SpirvIr& ir = SpirvOf(x);
  const SpirvIr::State result = ir.While(
      {x.LikeInt(1), x, y}, [](const SpirvIr::State& state) { return state[2] != 0; },
      [](const SpirvIr::State& state) {
        const V is_odd = (state[2] & 1) != 0;
        return SpirvIr::State{Select(is_odd, state[0] * state[1], state[0]), state[1] * state[1], state[2] >> 1};
      });
  if (!IsSignedInt(type)) return MakeElement(result_type, result[0]);
  const V of_minus_one = Select((y & 1) != 0, x.LikeInt(-1), x.LikeInt(1));
  const V inverse = Select(x == 1, x.LikeInt(1), Select(x == -1, of_minus_one, x.LikeInt(0)));
  return MakeElement(result_type, Select(y < 0, inverse, result[0]));
}

V SineOfLarge(HloOpcode opcode, V x) {
  CHECK(opcode == HloOpcode::kSin || opcode == HloOpcode::kCos || opcode == HloOpcode::kTan);
  const ReducedAngle reduced = ReduceLarge(x);
  const V value = TrigonometricOf(opcode, reduced.rest.high, reduced.rest.low, reduced.quarters);
  const V is_infinite = codegen::Abs(x) == std::numeric_limits<double>::infinity();
  return Select(is_infinite, std::numeric_limits<double>::quiet_NaN(), value);
}

// c64 in f64 where there is one, but logistic: the interpreter's overflows where f64 does.
Element EvaluateComplex(HloOpcode opcode, PrimitiveType result_type, const Element& x, const Element& y) {
  SpirvIr& ir = SpirvOf(x.value);
  if (IsComputedInIntegers(opcode)) {
    const codegen::ComplexParts result = EmitComplexInIntegers(opcode, {x.value, x.imaginary}, {y.value, y.imaginary});
    return IsComplex(result_type) ? codegen::MakeComplex(result_type, result.real, result.imaginary)
                                  : MakeElement(result_type, result.real);
  }
  const bool is_widened = x.type == C64 && ir.has_double() && opcode != HloOpcode::kLogistic;
  const auto convert = [&](V part, Kind kind) { return is_widened ? ir.FloatToFloat(part, kind) : part; };
  const auto parts_of = [&](const Element& z) {
    return codegen::ComplexParts{convert(z.value, Kind::kF64), convert(z.imaginary, Kind::kF64)};
  };
  const codegen::ComplexParts result = codegen::EmitComplexInParts(opcode, parts_of(x), parts_of(y));
  const V real = convert(result.real, Kind::kF32);
  if (!IsComplex(result_type)) return MakeElement(result_type, real);
  return codegen::MakeComplex(result_type, real, convert(result.imaginary, Kind::kF32));
}

class SpirvRare : public codegen::RareOperations {
 public:
  Element Evaluate(HloOpcode opcode, PrimitiveType from, PrimitiveType result_type,
                   absl::Span<const Element> operands) override {
    const Element& x = operands[0];
    const Element& y = operands.back();
    if (opcode == HloOpcode::kStochasticConvert) return EmitStochasticConvert(result_type, x, y);
    if (!IsComplex(from)) {
      CHECK(opcode == HloOpcode::kPower && IsInt(from));
      return PowerOfIntegers(from, result_type, x.value, y.value);
    }
    return EvaluateComplex(opcode, result_type, x, y);
  }

  Element EvaluateWhere(V where, HloOpcode opcode, absl::Span<const Element> operands, const Element& result) override {
    SpirvIr& ir = SpirvOf(where);
    const bool is_complex = IsComplex(result.type);
    const SpirvIr::State chosen = ir.IfElse(
        where,
        [&] {
          if (!is_complex) return SpirvIr::State{SineOfLarge(opcode, operands[0].value)};
          const Element value = Evaluate(opcode, operands[0].type, result.type, operands);
          return SpirvIr::State{value.value, value.imaginary};
        },
        [&] {
          return is_complex ? SpirvIr::State{result.value, result.imaginary} : SpirvIr::State{result.value};
        });
    return is_complex ? codegen::MakeComplex(result.type, chosen[0], chosen[1]) : MakeElement(result.type, chosen[0]);
  }
};

}  // namespace

std::unique_ptr<codegen::RareOperations> MakeSpirvRareOperations() { return std::make_unique<SpirvRare>(); }

}  // namespace vulkan
}  // namespace xla
