#include "passes/algebra/reducer.h"

#include <cstring>

#include "absl/status/statusor.h"
#include "passes/base/identity_element.h"
#include "passes/base/splat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

bool IsExact(PrimitiveType type) { return type == PRED || IsInt(type); }

bool HasBits(const HloInstruction& scalar, const absl::StatusOr<Literal>& value) {
  const Literal* const constant = ConstantValue(scalar);
  return value.ok() && constant != nullptr && constant->size_bytes() == value->size_bytes() &&
         std::memcmp(constant->untyped_data(), value->untyped_data(), value->size_bytes()) == 0;
}

}  // namespace

bool Reducer::MayReorder() const { return IsExact(type) || op != HloOpcode::kMultiply; }

bool Reducer::MayRegroup() const {
  if (IsExact(type) || op == HloOpcode::kMaximum || op == HloOpcode::kMinimum) return true;
  return op == HloOpcode::kAdd && (type == F32 || type == F64 || IsComplex(type));
}

bool Reducer::IsIdempotent() const {
  const HloOpcode meaning = type == PRED ? OnPredicates(op) : op;
  return HasTrait(meaning, opcode_trait::kIdempotent);
}

bool Reducer::IsIdentity(const HloInstruction& value) const { return HasBits(value, IdentityElement(op, type)); }

bool Reducer::IsIdentityBeside(const HloInstruction& value, const HloInstruction& first) const {
  if (IsIdentity(value)) return true;
  return op == HloOpcode::kAdd && IsFloat(type) && IsSplatOf(value, 0) && ConstantValue(first) != nullptr &&
         !IsSplatOfNegativeZero(first);
}

HloInstruction* Reducer::MakeIdentity(InstructionBuilder& build) const {
  absl::StatusOr<Literal> identity = IdentityElement(op, type);
  return identity.ok() ? build.Constant(*std::move(identity)) : nullptr;
}

// The function as one of the binary operations that rules know, applied to its two parameters; nullopt for any other.
absl::optional<Reducer> ReducerOf(const HloComputation& computation) {
  const HloInstruction* const root = computation.root();
  const HloOpcode op = root->opcode();
  if (!HasTrait(op, opcode_trait::kAssociative) || root->shape().rank() != 0 || root->operand(0) == root->operand(1) ||
      computation.instruction_count() != 3) {
    return absl::nullopt;
  }
  // Numbers without a zero have no sums that begin with one.
  if (root->shape().element_type() == F8E8M0FNU) return absl::nullopt;
  for (const HloInstruction* operand : root->operands()) {
    if (operand->opcode() != HloOpcode::kParameter || operand->shape().rank() != 0) return absl::nullopt;
  }
  return Reducer{op, root->shape().element_type()};
}

}  // namespace xla
