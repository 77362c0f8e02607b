#include "passes/base/identity_element.h"

#include "absl/strings/str_cat.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// A complex product with 1 makes NaN of an infinite part and loses the sign of a zero. f8e8m0fnu has no zero.
bool HasIdentity(HloOpcode op, PrimitiveType type) {
  if (op == HloOpcode::kMultiply) return !IsComplex(type);
  return op != HloOpcode::kAdd || type != F8E8M0FNU;
}

}  // namespace

HloOpcode OnPredicates(HloOpcode op) {
  if (op == HloOpcode::kAdd || op == HloOpcode::kMaximum) return HloOpcode::kOr;
  return op == HloOpcode::kMultiply || op == HloOpcode::kMinimum ? HloOpcode::kAnd : op;
}

absl::StatusOr<Literal> IdentityElement(HloOpcode op, PrimitiveType type) {
  if (type == PRED) op = OnPredicates(op);
  if (!HasIdentity(op, type)) {
    return absl::InvalidArgumentError(absl::StrCat("no element of ", PrimitiveTypeName(type), " leaves every other as ",
                                                   "it is in the operation ", HloOpcodeName(op)));
  }
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
