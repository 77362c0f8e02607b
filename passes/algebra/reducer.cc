#include "passes/algebra/reducer.h"

#include <cstring>

#include "absl/status/statusor.h"
#include "passes/base/splat.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// One that acts as another on predicates: add as or, multiply as and.
HloOpcode OnPredicates(HloOpcode op) {
  if (op == HloOpcode::kAdd || op == HloOpcode::kMaximum) return HloOpcode::kOr;
  return op == HloOpcode::kMultiply || op == HloOpcode::kMinimum ? HloOpcode::kAnd : op;
}

bool IsExact(PrimitiveType type) { return type == PRED || IsInt(type); }

// The identity as a literal; an error where there is none.
absl::StatusOr<Literal> Identity(HloOpcode op, PrimitiveType type) {
  if (type == PRED) op = OnPredicates(op);
  if (op == HloOpcode::kAdd) {
    if (IsComplex(type)) return LiteralUtil::Number(type, complex128(-0.0, -0.0));
    if (!IsFloat(type)) return LiteralUtil::Zero(type);
    return LiteralUtil::Number(type, -0.0);  // +0 in types without -0
  }
  if (op == HloOpcode::kMultiply) return LiteralUtil::One(type);
  if (op == HloOpcode::kMaximum) return LiteralUtil::MinValue(type);
  if (op == HloOpcode::kMinimum) return LiteralUtil::MaxValue(type);
  if (op != HloOpcode::kAnd) return LiteralUtil::Zero(type);
  if (!IsSignedInt(type)) return LiteralUtil::MaxValue(type);
  return LiteralUtil::Number(type, int64_t{-1});
}

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
  return meaning == HloOpcode::kMaximum || meaning == HloOpcode::kMinimum || meaning == HloOpcode::kAnd ||
         meaning == HloOpcode::kOr;
}

bool Reducer::IsIdentity(const HloInstruction& value) const { return HasBits(value, Identity(op, type)); }

bool Reducer::IsIdentityBeside(const HloInstruction& value, const HloInstruction& first) const {
  if (IsIdentity(value)) return true;
  return op == HloOpcode::kAdd && IsFloat(type) && IsSplatOf(value, 0) && ConstantValue(first) != nullptr &&
         !IsSplatOfNegativeZero(first);
}

HloInstruction* Reducer::MakeIdentity(InstructionBuilder& build) const {
  absl::StatusOr<Literal> identity = Identity(op, type);
  return identity.ok() ? build.Constant(*std::move(identity)) : nullptr;
}

absl::optional<Reducer> ReducerOf(const HloComputation& computation) {
  const HloInstruction* const root = computation.root();
  const HloOpcode op = root->opcode();
  const bool is_known = op == HloOpcode::kAdd || op == HloOpcode::kMultiply || op == HloOpcode::kMaximum ||
                        op == HloOpcode::kMinimum || op == HloOpcode::kAnd || op == HloOpcode::kOr ||
                        op == HloOpcode::kXor;
  if (!is_known || root->shape().rank() != 0 || root->operand(0) == root->operand(1) ||
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
