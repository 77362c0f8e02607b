// Rules for convert, bitcast-convert and reduce-precision: conversions that do nothing, or that another one makes
// superfluous.
//
// A conversion may be skipped if what it loses would be lost anyway and what it keeps is the same: f32 -> f64 -> bf16
// is f32 -> bf16, but f64 -> f32 -> bf16 rounds twice and is not f64 -> bf16 (exact_conversion.h).
#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/exact_conversion.h"
#include "passes/algebra/splat_number.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {


HloInstruction* ConvertSame(HloInstruction* root, const RuleContext&) {
  return TypeOf(*root) == TypeOf(*root->operand(0)) ? root->operand(0) : nullptr;
}

HloInstruction* ConvertTwice(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.opcode() != HloOpcode::kConvert) return nullptr;
  HloInstruction* const x = inner.operand(0);
  return CanSkipConvert(TypeOf(*x), TypeOf(inner), TypeOf(*root)) ? context.build.Convert(x, TypeOf(*root)) : nullptr;
}

HloInstruction* ConvertIota(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& iota = *root->operand(0);
  if (iota.opcode() != HloOpcode::kIota) return nullptr;
  const int64_t dimension = iota.attributes<IotaAttributes>().iota_dimension;
  const int64_t largest = iota.shape().dimension(static_cast<int>(dimension)) - 1;
  if (!HoldsCount(TypeOf(iota), largest) || !HoldsCount(TypeOf(*root), largest)) return nullptr;
  return context.build.Iota(root->shape(), dimension);
}

HloInstruction* BitcastConvertSame(HloInstruction* root, const RuleContext&) {
  return TypeOf(*root) == TypeOf(*root->operand(0)) ? root->operand(0) : nullptr;
}

// Through pred bits are lost: what is not 0 becomes 1.
HloInstruction* BitcastConvertTwice(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (inner.opcode() != HloOpcode::kBitcastConvert || TypeOf(inner) == PRED) return nullptr;
  HloInstruction* const x = inner.operand(0);
  if (x->shape().Compatible(root->shape())) return x;
  if (!x->shape().SameDimensions(inner.shape()) || !inner.shape().SameDimensions(root->shape())) return nullptr;
  return context.build.BitcastConvert(x, root->shape());
}

struct Precision {
  int64_t exponent_bits;
  int64_t mantissa_bits;
};
Precision PrecisionOf(PrimitiveType type) {
  if (type == F64) return {11, 52};
  if (type == F32) return {8, 23};
  const FloatFormat& format = FormatOf(NarrowFormatOf(type));
  return {format.exponent_bits, format.mantissa_bits};
}

HloInstruction* ReducePrecisionToAll(HloInstruction* root, const RuleContext&) {
  const auto& attributes = root->attributes<ReducePrecisionAttributes>();
  const Precision own = PrecisionOf(TypeOf(*root));
  if (attributes.exponent_bits < own.exponent_bits || attributes.mantissa_bits < own.mantissa_bits) return nullptr;
  return root->operand(0);
}

// Numbers that come from a type with no more digits have nothing to lose, if their exponents may stay as they are: a
// smaller range of exponents flushes denormals.
HloInstruction* ReducePrecisionOfNarrow(HloInstruction* root, const RuleContext&) {
  HloInstruction* const x = root->operand(0);
  if (x->opcode() != HloOpcode::kConvert || !IsFloat(TypeOf(*x->operand(0)))) return nullptr;
  const auto& attributes = root->attributes<ReducePrecisionAttributes>();
  const PrimitiveType from = TypeOf(*x->operand(0));
  if (!ConvertIsLossless(from, TypeOf(*x)) || attributes.exponent_bits < PrecisionOf(TypeOf(*x)).exponent_bits ||
      attributes.mantissa_bits < PrecisionOf(from).mantissa_bits || attributes.mantissa_bits == 0) {
    return nullptr;
  }
  return x;
}

HloInstruction* ReducePrecisionTwice(HloInstruction* root, const RuleContext&) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kReducePrecision || !IsIeeeFloat(TypeOf(*root))) return nullptr;
  const auto& a = inner->attributes<ReducePrecisionAttributes>();
  const auto& b = root->attributes<ReducePrecisionAttributes>();
  return a.exponent_bits == b.exponent_bits && a.mantissa_bits == b.mantissa_bits ? inner : nullptr;
}

}  // namespace

const RuleList& ConversionRules() {
  static const std::vector<HloOpcode> convert = {HloOpcode::kConvert};
  static const std::vector<HloOpcode> bitcast = {HloOpcode::kBitcastConvert};
  static const std::vector<HloOpcode> reduce = {HloOpcode::kReducePrecision};
  static const auto* const rules = new RuleList{
      {"convert-same", "convert(x) => x  (to the type of x)", convert, &ConvertSame},
      {"convert-twice", "convert(convert(x)) => convert(x)  (the first loses nothing that the second would keep)",
       convert, &ConvertTwice},
      {"convert-iota", "convert(iota()) => iota()  (both types hold all its numbers)", convert, &ConvertIota},
      {"bitcast-convert-same", "bitcast-convert(x) => x  (to the type of x)", bitcast, &BitcastConvertSame},
      {"bitcast-convert-twice", "bitcast-convert(bitcast-convert(x)) => bitcast-convert(x), or x", bitcast,
       &BitcastConvertTwice},
      {"reduce-precision-to-all", "reduce-precision(x) => x  (to as many bits as x has)", reduce,
       &ReducePrecisionToAll},
      {"reduce-precision-of-narrow", "reduce-precision(convert(x)) => convert(x)  (x has no more bits to begin with)",
       reduce, &ReducePrecisionOfNarrow},
      {"reduce-precision-twice", "reduce-precision(reduce-precision(x)) => reduce-precision(x)  (same bits)", reduce,
       &ReducePrecisionTwice},
  };
  return *rules;
}

}  // namespace xla
