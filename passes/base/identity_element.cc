#include "passes/base/identity_element.h"

#include "xla_core/ops/literal_util.h"

namespace xla {

HloOpcode OnPredicates(HloOpcode op) {
  if (op == HloOpcode::kAdd || op == HloOpcode::kMaximum) return HloOpcode::kOr;
  return op == HloOpcode::kMultiply || op == HloOpcode::kMinimum ? HloOpcode::kAnd : op;
}

absl::StatusOr<Literal> IdentityElement(HloOpcode op, PrimitiveType type) {
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

}  // namespace xla
