// Converting s4 to s8 extends the sign, converting back keeps the low bits, so whatever is right modulo 2^bits may be
// computed in bytes: sums, products, and, or. What looks at the width or the sign is looked at one by one:
//   divide, remainder, maximum, ... of extended values are extended or wrap as they should (x / 0 = -1, -8 / -1 = 8)
//   shift amounts that are negative are huge in a byte too; shift-left and the shift that suits the sign come out right
//   the other shifts, population-count and count-leading-zeros read the pattern as of the other signedness first
//   mulhi: products of extended values fit in a byte
#include "passes/precision/widen_sub_byte.h"

#include <vector>

#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

PrimitiveType ByteType(bool is_signed) { return is_signed ? S8 : U8; }

// The type of the same width and the other signedness.
PrimitiveType OfSign(PrimitiveType type, bool is_signed) {
  switch (BitWidth(type)) {
    case 1:
      return is_signed ? S1 : U1;
    case 2:
      return is_signed ? S2 : U2;
    default:
      return is_signed ? S4 : U4;
  }
}

// Extended to a byte as a number of this signedness.
HloInstruction* Extend(HloInstruction* x, bool is_signed, InstructionBuilder& build) {
  const PrimitiveType type = x->shape().element_type();
  if (!IsInt(type)) return x;  // the predicate of a select
  return build.Convert(build.Convert(x, OfSign(type, is_signed)), ByteType(is_signed));
}

// Extends the operands to s8 or u8, computes there, and truncates: the low bits of sums, products and left shifts do
// not depend on the high ones. Shifts right and bit counts are told by is_signed how the high bits are to be filled.
HloInstruction* InBytes(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const HloOpcode opcode = root->opcode();
  const HloInstruction* const first = root->operand(root->operand_count() - 1);
  const PrimitiveType own = first->shape().element_type();
  if (!IsSubByte(own) || !IsInt(own)) return nullptr;
  bool is_signed = IsSignedInt(own);
  if (opcode == HloOpcode::kShiftRightArithmetic) is_signed = true;
  const bool reads_pattern = opcode == HloOpcode::kShiftRightLogical || opcode == HloOpcode::kPopulationCount ||
                             opcode == HloOpcode::kCountLeadingZeros;
  if (reads_pattern) is_signed = false;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : root->operands()) operands.push_back(Extend(operand, is_signed, build));
  // The amount of a shift is an unsigned number of its own width, whatever is shifted.
  if (opcode == HloOpcode::kShiftRightArithmetic) {
    operands[1] = build.Convert(Extend(root->operand(1), /*is_signed=*/false, build), ByteType(is_signed));
  }
  HloInstruction* wide;
  if (opcode == HloOpcode::kMulhi) {
    HloInstruction* const product = build.Mul(operands[0], operands[1]);
    const HloOpcode shift = is_signed ? HloOpcode::kShiftRightArithmetic : HloOpcode::kShiftRightLogical;
    wide = build.Binary(shift, product, build.Splat(product->shape(), BitWidth(own)));
  } else {
    wide = build.MakeLike(*root, operands);
    if (opcode == HloOpcode::kCountLeadingZeros) {
      wide = build.Sub(wide, build.Splat(wide->shape(), 8 - BitWidth(own)));
    }
  }
  if (!IsInt(wide->shape().element_type())) return wide;  // compare
  return build.Convert(build.Convert(wide, OfSign(own, is_signed)), root->shape().element_type());
}

std::vector<HloOpcode> ArithmeticOpcodes() {
  std::vector<HloOpcode> opcodes = {HloOpcode::kCompare, HloOpcode::kClamp};
  for (const HloOpcode opcode : AllOpcodes()) {
    if (FindElementwiseRow(opcode) != nullptr) opcodes.push_back(opcode);
  }
  return opcodes;
}

}  // namespace

absl::StatusOr<bool> WidenSubByte(HloModule& module, PassContext& context) {
  static const auto* const rule = new RewriteRule{"compute-in-bytes",
                                                  "op(x s4, y s4) => convert(op(convert(x) s8, convert(y) s8)) s4",
                                                  ArithmeticOpcodes(),
                                                  &InBytes,
                                                  kExact,
                                                  /*dynamic_dimensions=*/true};
  return ApplyRules({rule}, module, context);
}

}  // namespace xla
