// reduce-precision: rounds each element to a float with fewer exponent and mantissa bits, and keeps its type.
//
//   operand, result T[d0..dn], T a float; exponent_bits >= 1, mantissa_bits >= 0
// The mantissa is rounded to nearest even. Then what is too large for the exponent becomes infinite, and what the
// smaller format could hold only as a denormal becomes zero, both with their sign. A width that is at least the type's
// own changes nothing. NaN stays NaN, but a format without mantissa has no NaN and takes infinity.
//
// It works on the bits of any IEEE-like format, sign, exponent, mantissa: for the formats without infinity or without
// -0 (fn, fnuz, f4, f6), a result beyond the largest value is their NaN, or the largest value if they have none.
// Source: StableHLO spec, section `reduce_precision`.
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// The bits of a float type, as reduce-precision needs them.
struct BitFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  uint64_t sign_mask;
  uint64_t magnitude_mask;
  uint64_t max_bits;  // the largest finite value
  bool has_infinity;
  NanStyle nan_style;
};

BitFormat IeeeFormat(int exponent_bits, int mantissa_bits) {
  const uint64_t sign_mask = uint64_t{1} << (exponent_bits + mantissa_bits);
  const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  return {exponent_bits, mantissa_bits, bias, sign_mask, sign_mask - 1, infinity - 1, true, NanStyle::kIeee};
}

BitFormat BitFormatOf(PrimitiveType type) {
  if (type == F32) return IeeeFormat(8, 23);
  if (type == F64) return IeeeFormat(11, 52);
  const FloatFormat& format = FormatOf(NarrowFormatOf(type));
  const FloatTraits& traits = TraitsOf(NarrowFormatOf(type));
  return {format.exponent_bits,  format.mantissa_bits, format.bias,         traits.sign_mask,
          traits.magnitude_mask, traits.max_bits,      format.has_infinity, format.nan_style};
}

// What a value beyond the largest one becomes.
uint64_t Overflowed(const BitFormat& format, uint64_t sign) {
  if (format.nan_style == NanStyle::kNegativeZero) return format.sign_mask;
  if (format.nan_style == NanStyle::kNone) return sign | format.max_bits;
  return sign | (format.max_bits + 1);  // infinity, or the NaN that stands in its place
}

bool IsNanPattern(const BitFormat& format, uint64_t bits) {
  if (format.nan_style == NanStyle::kNegativeZero) return bits == format.sign_mask;
  return (bits & format.magnitude_mask) > format.max_bits + (format.has_infinity ? 1 : 0);
}

uint64_t RoundMantissa(const BitFormat& format, int64_t mantissa_bits, uint64_t magnitude) {
  const int64_t dropped = format.mantissa_bits - mantissa_bits;
  if (dropped <= 0) return magnitude;
  const uint64_t last_kept = (magnitude >> dropped) & 1;
  const uint64_t half_less_one = (uint64_t{1} << (dropped - 1)) - 1;
  return (magnitude + half_less_one + last_kept) >> dropped << dropped;
}

// Rounds the mantissa first; what then exceeds the reduced exponent range overflows, what falls below flushes to
// zero.
uint64_t Reduce(const BitFormat& format, int64_t exponent_bits, int64_t mantissa_bits, uint64_t bits) {
  const bool is_identity = exponent_bits >= format.exponent_bits && mantissa_bits >= format.mantissa_bits;
  if (is_identity) return bits;
  const uint64_t sign = bits & format.sign_mask;
  if (IsNanPattern(format, bits)) return mantissa_bits > 0 ? bits : Overflowed(format, sign);

  const uint64_t magnitude = RoundMantissa(format, mantissa_bits, bits & format.magnitude_mask);
  if (magnitude > format.max_bits) return Overflowed(format, sign);
  if (exponent_bits >= format.exponent_bits) return sign | magnitude;
  const int64_t exponent = static_cast<int64_t>(magnitude >> format.mantissa_bits) - format.bias;
  const int64_t reduced_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
  if (exponent > reduced_bias) return Overflowed(format, sign);
  if (exponent <= -reduced_bias) return format.nan_style == NanStyle::kNegativeZero ? 0 : sign;
  return sign | magnitude;
}

absl::StatusOr<Shape> InferShapeOfReducePrecision(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckOperandClasses(instruction, element_class::kFloat));
  return instruction.operand(0)->shape().WithoutLayout();
}

void VerifyReducePrecision(const HloInstruction& instruction, Violations& violations) {
  const auto& attributes = instruction.attributes<ReducePrecisionAttributes>();
  if (attributes.exponent_bits < 1) {
    violations.Add(absl::StrCat("exponent_bits must be at least 1, got ", attributes.exponent_bits));
  }
  if (attributes.mantissa_bits < 0) {
    violations.Add(absl::StrCat("mantissa_bits must not be negative, got ", attributes.mantissa_bits));
  }
}

}  // namespace

void ReducePrecisionLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  const BitFormat format = BitFormatOf(parameters.from);
  DispatchByWidth(parameters.from, [&](auto tag) {
    using Bits = TagType<decltype(tag)>;
    if constexpr (std::is_integral_v<Bits>) {
      const Bits* const x = static_cast<const Bits*>(inputs[0]);
      Bits* const r = static_cast<Bits*>(result);
      for (int64_t i = 0; i < n; ++i) {
        r[i] = static_cast<Bits>(Reduce(format, parameters.exponent_bits, parameters.mantissa_bits, x[i]));
      }
    }
  });
}

OpDefinition Define_kReducePrecision() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<ReducePrecisionAttributes>;
  op.infer_shape = &InferShapeOfReducePrecision;
  op.verify = &VerifyReducePrecision;
  op.evaluate = &EvaluateElementwise;
  return op;
}

}  // namespace xla
