#include "backends/scalar_code/elementwise_emitter.h"

#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/check.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace codegen {
namespace {

// Operations whose result is an operand, except for the sign, or a whole number next to it: all of that is a bf16 or
// f16 as it is.
bool NeedsNoRounding(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kChoosesOperand | opcode_trait::kRoundsToInteger) || opcode == HloOpcode::kSign;
}

// The result of an operation on narrow floats, computed in f32. Operations that cannot round take a shortcut: a
// changed sign bit, or for bf16 the upper half of the f32.
Element EmitNarrowResult(HloOpcode opcode, PrimitiveType type, const Element& x, V value) {
  const bool is_half = type == F16;
  if (x.type != type || (!is_half && type != BF16) || !NeedsNoRounding(opcode)) return RoundToElement(type, value);
  constexpr int64_t kSign = 0x8000;
  V bits;
  if (opcode == HloOpcode::kNegate) {
    bits = x.bits ^ kSign;
  } else if (opcode == HloOpcode::kAbs) {
    bits = x.bits & ~kSign;
  } else if (is_half) {
    return RoundToElement(type, value);
  } else {
    bits = value.ir->ZeroExtend(ToBits(value) >> 16, Kind::kI16);
  }
  return {type, value, {}, bits, 0};
}

// Rounding an f32 sum, product or quotient of two f16 gives what one rounding would: f32 has more than twice their
// bits. So where a processor computes f16 itself, it is the same.
constexpr OpcodeMap<absl::optional<Ir::Op>> kHalfOperations(/*otherwise=*/absl::nullopt,
                                                            {{HloOpcode::kAdd, Ir::Op::kAdd},
                                                             {HloOpcode::kSubtract, Ir::Op::kSubtract},
                                                             {HloOpcode::kMultiply, Ir::Op::kMultiply},
                                                             {HloOpcode::kDivide, Ir::Op::kDivide}});

// One row of the table of elementwise operations, by type: complex numbers, halves with native arithmetic, floats
// (narrow ones in f32, rounded after each operation), integers. What has no code of its own is evaluated lane by lane
// by a call.
Element EmitRow(HloOpcode opcode, PrimitiveType result_type, absl::Span<const Element> operands) {
  const Element& x = operands[0];
  const Element& y = operands.back();
  const PrimitiveType type = x.type;
  if (IsComplex(type) || opcode == HloOpcode::kComplex) {
    const absl::optional<Element> result = EmitComplexRow(opcode, result_type, x, y);
    return result.has_value() ? *result : x.value.ir->rare().Evaluate(opcode, type, result_type, operands);
  }
  if (type == F16 && result_type == F16 && x.value.ir->has_half_arithmetic()) {
    const absl::optional<Ir::Op> op = kHalfOperations[opcode];
    if (op.has_value()) return ElementOfBits(F16, x.value.ir->HalfBinary(*op, x.bits, y.bits));
  }
  if (IsFloat(type)) {
    absl::optional<V> value = EmitFloatRow(opcode, x.value, y.value);
    if (!value.has_value()) {
      const PrimitiveType computed = type == F64 ? F64 : F32;
      const Element wide[] = {MakeElement(computed, x.value), MakeElement(computed, y.value)};
      value = x.value.ir->rare().Evaluate(opcode, computed, computed, absl::MakeConstSpan(wide, operands.size())).value;
    }
    return IsNarrowFloatType(result_type) ? EmitNarrowResult(opcode, result_type, x, *value)
                                          : MakeElement(result_type, *value);
  }
  if (opcode == HloOpcode::kPower) {
    const PrimitiveType stored = !IsSubByte(type) ? type : IsSignedInt(type) ? S8 : U8;
    const Element wide[] = {MakeElement(stored, x.value), MakeElement(stored, y.value)};
    return MakeElement(type, WrapInteger(type, x.value.ir->rare().Evaluate(opcode, stored, stored, wide).value));
  }
  return MakeElement(result_type, WrapInteger(type, EmitIntegerRow(opcode, type, x.value, y.value)));
}

// pred, integers, floats.
V Maximum(const Element& x, V a, V b) {
  if (IsFloat(x.type)) return EmitMaximum(a, b);
  return EmitIntegerRow(HloOpcode::kMaximum, x.type, a, b);
}
V Minimum(const Element& x, V a, V b) {
  if (IsFloat(x.type)) return EmitMinimum(a, b);
  return EmitIntegerRow(HloOpcode::kMinimum, x.type, a, b);
}

Element EmitClamp(const Element& low, const Element& x, const Element& high) {
  const V value = Minimum(x, Maximum(x, low.value, x.value), high.value);
  return IsNarrowFloatType(x.type) ? EmitNarrowResult(HloOpcode::kMaximum, x.type, x, value)
                                   : MakeElement(x.type, value);
}

Element EmitBitcast(PrimitiveType to, const Element& x) {
  if (IsComplex(to)) return MakeComplex(to, x.value, x.imaginary);
  V bits = ToStored(x);
  if (IsFloatKind(bits.kind)) bits = ToBits(bits);
  if (IsSubByte(to) && IsFloat(to)) bits = bits & ((1 << BitWidth(to)) - 1);
  if (IsInt(to)) return MakeElement(to, WrapInteger(to, bits));
  if (to == F32 || to == F64) return MakeElement(to, FromBits(bits));
  return FromStored(to, bits);
}

}  // namespace

// Operations that LLVM has for integers and floats alike.
absl::optional<V> EmitRingRow(HloOpcode opcode, V x, V y) {
  if (opcode == HloOpcode::kAdd) return x + y;
  if (opcode == HloOpcode::kSubtract) return x - y;
  if (opcode == HloOpcode::kMultiply) return x * y;
  if (opcode == HloOpcode::kNegate) return -x;
  return absl::nullopt;
}

// Compares in the direction given. Total order compares integers made from the bits, in which negative numbers have
// all bits but the sign exchanged, so that -NaN < -inf < ... < +inf < +NaN.
V EmitCompare(ComparisonDirection direction, bool total_order, const Element& x, const Element& y) {
  using Relation = Ir::Relation;
  static constexpr Relation kRelations[] = {Relation::kEq, Relation::kNe, Relation::kGe,
                                            Relation::kGt, Relation::kLe, Relation::kLt};
  const Relation relation = kRelations[static_cast<int>(direction)];
  Ir& ir = *x.value.ir;
  if (IsComplex(x.type)) {
    const V real = ir.Compare(relation, x.value, y.value);
    const V imaginary = ir.Compare(relation, x.imaginary, y.imaginary);
    return relation == Relation::kEq ? real & imaginary : real | imaginary;
  }
  if (IsFloat(x.type) && total_order) {
    const auto key = [&](const Element& element) {
      V bits = ToStored(element);
      if (IsFloatKind(bits.kind)) bits = ToBits(bits);
      if (BitsOf(bits.kind) < 32) bits = ir.ZeroExtend(bits, Kind::kI32);
      // The sign to the top, so that a shift spreads it.
      bits =
          bits << (BitsOf(bits.kind) - (IsNarrowFloatType(element.type) ? BitWidth(element.type) : BitsOf(bits.kind)));
      if (IsNarrowFloatType(element.type) && !FormatOf(NarrowFormatOf(element.type)).has_sign) return bits >> 1;
      const V sign = ir.Binary(Ir::Op::kShiftRightArithmetic, bits, bits.LikeInt(BitsOf(bits.kind) - 1));
      return bits ^ (sign >> 1);
    };
    return ir.Compare(relation, key(x), key(y));
  }
  if (IsUnsignedInt(x.type) || x.type == PRED) {
    // Unsigned order is signed order with the top bit exchanged.
    const V a = x.type == PRED ? ir.ZeroExtend(x.value, Kind::kI8) : x.value;
    const V b = x.type == PRED ? ir.ZeroExtend(y.value, Kind::kI8) : y.value;
    const int64_t top = int64_t{1} << (BitsOf(a.kind) - 1);
    return relation == Relation::kEq || relation == Relation::kNe ? ir.Compare(relation, a, b)
                                                                  : ir.Compare(relation, a ^ top, b ^ top);
  }
  return ir.Compare(relation, x.value, y.value);
}

// Emits one elementwise instruction on values in lanes: rows of the table first, then operations with attributes or
// with operands of different types.
Element EmitElementwise(const KernelInstruction& instruction, PrimitiveType result_type,
                        absl::Span<const Element> operands) {
  const HloOpcode opcode = instruction.opcode;
  const Element& x = operands[0];
  if (FindElementwiseRow(opcode) != nullptr) return EmitRow(opcode, result_type, operands);
  if (opcode == HloOpcode::kCompare) {
    return MakeElement(PRED, EmitCompare(instruction.direction, instruction.total_order, x, operands[1]));
  }
  if (opcode == HloOpcode::kSelect) return SelectElement(x.value, operands[1], operands[2]);
  if (opcode == HloOpcode::kClamp) return EmitClamp(x, operands[1], operands[2]);
  if (opcode == HloOpcode::kConvert) return EmitConvert(result_type, x);
  if (opcode == HloOpcode::kReducePrecision) {
    return EmitReducePrecision(x, instruction.exponent_bits, instruction.mantissa_bits);
  }
  if (opcode == HloOpcode::kStochasticConvert)
    return x.value.ir->rare().Evaluate(opcode, x.type, result_type, operands);
  if (opcode == HloOpcode::kBitcastConvert) return EmitBitcast(result_type, x);
  CHECK(opcode == HloOpcode::kCopy);
  return x;
}

}  // namespace codegen
}  // namespace xla
