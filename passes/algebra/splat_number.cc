#include "passes/algebra/splat_number.h"

#include <cmath>
#include <cstring>

#include "absl/status/statusor.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

absl::optional<complex128> SplatComplex(const HloInstruction& instruction) {
  if (!instruction.shape().IsArray() || !IsComplex(instruction.shape().element_type())) return absl::nullopt;
  const absl::optional<Literal> value = SplatValue(instruction);
  if (!value.has_value()) return absl::nullopt;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*value, C128);
  if (!wide.ok()) return absl::nullopt;
  return *wide->data<complex128>();
}

bool SameBits(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

}  // namespace

absl::optional<double> SplatFloat(const HloInstruction& instruction) {
  if (!IsFloat(instruction.shape().element_type())) return absl::nullopt;
  const absl::optional<Literal> value = SplatValue(instruction);
  if (!value.has_value()) return absl::nullopt;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*value, F64);
  if (!wide.ok()) return absl::nullopt;
  return *wide->data<double>();
}

absl::optional<uint64_t> SplatBits(const HloInstruction& instruction) {
  const PrimitiveType type = instruction.shape().element_type();
  if (!IsPredOrInt(type)) return absl::nullopt;
  const absl::optional<Literal> value = SplatValue(instruction);
  if (!value.has_value()) return absl::nullopt;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*value, U64);
  if (!wide.ok()) return absl::nullopt;
  return *wide->data<uint64_t>();
}

bool IsNumber(const HloInstruction& instruction, double number) {
  if (const auto value = SplatFloat(instruction)) return SameBits(*value, number);
  if (const auto bits = SplatBits(instruction)) {
    return number < 0 ? IsSignedInt(instruction.shape().element_type()) &&
                            *bits == static_cast<uint64_t>(static_cast<int64_t>(number))
                      : !std::signbit(number) && *bits == static_cast<uint64_t>(number);
  }
  const auto value = SplatComplex(instruction);
  return value.has_value() && SameBits(value->real(), number) && SameBits(value->imag(), 0);
}

bool IsAnyZero(const HloInstruction& instruction) {
  if (const auto value = SplatFloat(instruction)) return *value == 0;
  if (const auto bits = SplatBits(instruction)) return *bits == 0;
  const auto value = SplatComplex(instruction);
  return value.has_value() && *value == complex128(0);
}

bool IsNeutralZero(const HloInstruction& instruction) {
  if (const auto value = SplatFloat(instruction)) {
    return *value == 0 && (std::signbit(*value) || !HasNegativeZero(instruction.shape().element_type()));
  }
  if (const auto bits = SplatBits(instruction)) return *bits == 0;
  return IsSplatOfNegativeZero(instruction);
}

bool IsAllOnes(const HloInstruction& instruction) {
  const auto bits = SplatBits(instruction);
  if (!bits.has_value()) return false;
  const PrimitiveType type = instruction.shape().element_type();
  return type == PRED ? *bits == 1 : (~*bits << (64 - BitWidth(type))) == 0;
}

HloInstruction* SplatOfBits(InstructionBuilder& build, const Shape& shape, uint64_t bits) {
  absl::StatusOr<Literal> scalar = LiteralUtil::Convert(Literal::Scalar<uint64_t>(bits), shape.element_type());
  // Never fails for the types that this is for.
  return scalar.ok() ? build.Splat(shape, *std::move(scalar)) : build.Splat(shape, static_cast<int64_t>(bits));
}

bool IsConstantLike(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kConstant) return true;
  return instruction.opcode() == HloOpcode::kBroadcast && instruction.operand(0)->opcode() == HloOpcode::kConstant;
}

bool HasNegativeZero(PrimitiveType type) {
  if (!IsFloat(type) || !IsSignedFloat(type)) return false;
  return !IsNarrowFloatType(type) || FormatOf(NarrowFormatOf(type)).nan_style != NanStyle::kNegativeZero;
}

bool IsIeeeFloat(PrimitiveType type) { return type == F16 || type == BF16 || type == F32 || type == F64; }

bool IsSignedFloat(PrimitiveType type) { return IsFloat(type) && type != F8E8M0FNU; }

}  // namespace xla
