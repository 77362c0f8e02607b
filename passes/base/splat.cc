#include "passes/base/splat.h"

#include <cstring>

#include "absl/status/statusor.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// Longer chains are not looked through: each of their links may ask. (Rules fold a chain from its constant on.)
constexpr int kMaxChain = 64;

bool AllElementsEqual(const Literal& array) {
  const int64_t width = ByteWidth(array.shape().element_type());
  const int64_t bytes = array.size_bytes();
  if (bytes < width) return false;
  // Each element equals the next exactly if the array equals itself one element further on.
  const char* const data = static_cast<const char*>(array.untyped_data());
  return std::memcmp(data, data + width, bytes - width) == 0;
}

bool MovesElements(HloOpcode opcode) {
  return opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kReshape || opcode == HloOpcode::kTranspose;
}

bool IsSplatOfBits(const HloInstruction& instruction, const absl::StatusOr<Literal>& scalar) {
  if (!scalar.ok()) return false;
  const absl::optional<Literal> value = SplatValue(instruction);
  return value.has_value() && value->size_bytes() == scalar->size_bytes() &&
         std::memcmp(value->untyped_data(), scalar->untyped_data(), scalar->size_bytes()) == 0;
}

}  // namespace

const Literal* ConstantValue(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant) return nullptr;
  return instruction.attributes<ConstantAttributes>().literal.get();
}

absl::optional<Literal> SplatValue(const HloInstruction& instruction) {
  const HloInstruction* source = &instruction;
  if (!source->shape().IsArray() || source->shape().IsDynamic()) return absl::nullopt;
  for (int i = 0; i < kMaxChain && MovesElements(source->opcode()); ++i) source = source->operand(0);
  const Literal* const value = ConstantValue(*source);
  if (value == nullptr || !value->shape().IsArray() || value->has_dynamic_sizes() || !AllElementsEqual(*value)) {
    return absl::nullopt;
  }
  return Literal::ScalarOf(value->shape().element_type(), value->untyped_data());
}

bool IsSplatOf(const HloInstruction& instruction, int64_t value) {
  const PrimitiveType type = instruction.shape().element_type();
  return instruction.shape().IsArray() && IsSplatOfBits(instruction, LiteralUtil::Number(type, value));
}

bool SameValue(const HloInstruction& a, const HloInstruction& b) {
  if (&a == &b) return true;
  const absl::optional<Literal> x = SplatValue(a);
  if (!x.has_value()) return false;
  const absl::optional<Literal> y = SplatValue(b);
  return y.has_value() && x->BitwiseEquals(*y);
}

bool IsSplatOfNegativeZero(const HloInstruction& instruction) {
  const PrimitiveType type = instruction.shape().element_type();
  if (IsComplex(type)) return IsSplatOfBits(instruction, LiteralUtil::Number(type, complex128(-0.0, -0.0)));
  return IsFloat(type) && IsSplatOfBits(instruction, LiteralUtil::Number(type, -0.0)) && !IsSplatOf(instruction, 0);
}

absl::optional<int64_t> SplatInteger(const HloInstruction& instruction) {
  const PrimitiveType type = instruction.shape().element_type();
  if (type != PRED && !IsInt(type)) return absl::nullopt;
  const absl::optional<Literal> value = SplatValue(instruction);
  if (!value.has_value()) return absl::nullopt;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*value, S64);
  if (!wide.ok()) return absl::nullopt;
  const int64_t number = *wide->data<int64_t>();
  if (type == U64 && number < 0) return absl::nullopt;
  return number;
}

}  // namespace xla
