// WideFloat: the interpreter's arithmetic of complex numbers, on integers. It computes c64 in f64, which a device may
// lack, and c128 in long double, which all devices do.
//
//   const WideFloat product = Rounded(Multiply(WideFloatOf(x), WideFloatOf(y)), precision);
//
// A number is sign * mantissa * 2^(exponent - 127) with a mantissa of 128 bits, of which the first one is set. That is
// enough for a product of two f64; a sum may lose bits beyond the last one, of which any that is set sets that one, so
// that it is rounded right. Exponents have no limits that matter: infinities and NaN are the caller's, zero is a
// mantissa of zero and has a sign.
#ifndef BACKENDS_VULKAN_CODEGEN_WIDE_FLOAT_H_
#define BACKENDS_VULKAN_CODEGEN_WIDE_FLOAT_H_

#include "backends/vulkan/codegen/spirv_ir.h"

namespace xla {
namespace vulkan {

// Bits of a mantissa.
inline constexpr int kDoublePrecision = 53;
inline constexpr int kLongDoublePrecision = 64;

struct WideFloat {
  V is_negative;  // i1
  V exponent;     // i32, of the mantissa's first bit
  V high;         // i64
  V low;          // i64
};

// Of a finite f32 or f64, exactly.
WideFloat WideFloatOf(V x);
// The f32 or f64 next to x, which Rounded has made: to nearest, ties to even; from half a unit beyond the largest
// number on, infinity.
V FloatOf(const WideFloat& x, Kind kind);

WideFloat Negate(const WideFloat& x);
// Exact for numbers of up to 64 bits, whose product is.
WideFloat Multiply(const WideFloat& x, const WideFloat& y);
// Exact except for the last bit, see above.
WideFloat Add(const WideFloat& x, const WideFloat& y);
// To 64 bits and one that tells more from less, of numbers that Rounded has made. y is not zero. A loop.
WideFloat Divide(const WideFloat& x, const WideFloat& y);
// The same, of a number that is not negative. A loop, and a division of i64.
WideFloat Root(const WideFloat& x);
// To nearest, ties to even.
WideFloat Rounded(const WideFloat& x, int precision);

// Iterations of their loops, the division of i64 not among them.
inline constexpr int kIterationsOfDivide = 64;
inline constexpr int kIterationsOfRoot = 32;

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_WIDE_FLOAT_H_
