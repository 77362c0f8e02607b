#include "passes/precision/upcast_integer_dots.h"

#include <algorithm>

#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

// The integer type of this signedness and at least this many bits.
PrimitiveType IntegerOfBits(bool is_signed, int64_t bits) {
  const PrimitiveType types[] = {is_signed ? S8 : U8, is_signed ? S16 : U16, is_signed ? S32 : U32};
  for (const PrimitiveType type : types) {
    if (BitWidth(type) >= bits) return type;
  }
  return is_signed ? S64 : U64;
}

// A sum of narrow integers wraps modulo 2^bits of the result, and so does the wide one after the convert back:
// results are equal bit for bit.
HloInstruction* Upcast(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  HloInstruction* const lhs = root->operand(0);
  HloInstruction* const rhs = root->operand(1);
  const PrimitiveType own = root->shape().element_type();
  if (!IsInt(own) || !IsInt(lhs->shape().element_type()) || !IsInt(rhs->shape().element_type())) return nullptr;
  const int64_t bits = std::max<int64_t>(BitWidth(own), context.pass.IntOption("min-bits"));
  const PrimitiveType type = IntegerOfBits(IsSignedInt(own), bits);
  const auto is_narrower = [&](const HloInstruction* x) {
    return BitWidth(x->shape().element_type()) < BitWidth(type);
  };
  if (!is_narrower(lhs) && !is_narrower(rhs)) return nullptr;
  const bool has_sub_byte = IsSubByte(own) || IsSubByte(lhs->shape().element_type()) ||
                            IsSubByte(rhs->shape().element_type());
  if (context.pass.BoolOption("sub-byte-only") && !has_sub_byte) return nullptr;
  // Wider operands would lose their high bits, which the sum modulo 2^bits does not need.
  Shape shape = root->shape().WithoutLayout();
  shape.set_element_type(type);
  HloInstruction* const sum = build.MakeOfShape(
      root->opcode(), shape, {build.Convert(lhs, type), build.Convert(rhs, type)}, root->raw_attributes()->Clone());
  return build.Convert(sum, own);
}

}  // namespace

absl::StatusOr<bool> UpcastIntegerDots(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"upcast-operands",
                                    "dot(x s8, y s8) -> s32 => dot(convert(x) s32, convert(y) s32)",
                                    {HloOpcode::kDot, HloOpcode::kConvolution},
                                    &Upcast};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
