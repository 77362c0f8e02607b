// Rules that give constants one form: arrays of equal elements are broadcasts of scalars, operations on such arrays
// are computed once, and the constant of an operation whose operands may change places is on the right, so that other
// rules look for it there only.
#include <vector>

#include "passes/analyses/comparison_direction.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// An array of one element stays: a broadcast would only be one instruction more.
HloInstruction* ConstantToBroadcast(HloInstruction* root, const RuleContext& context) {
  if (!root->shape().IsArray() || root->shape().rank() == 0 || root->shape().ElementCount() <= 1) return nullptr;
  absl::optional<Literal> value = SplatValue(*root);
  if (!value.has_value()) return nullptr;
  return context.build.Splat(root->shape(), *std::move(value));
}

// Folds an elementwise operation on operands that are constant throughout, by the interpreter's kernel, so that the
// result has the bits that running it would give.
HloInstruction* FoldSplats(HloInstruction* root, const RuleContext& context) {
  if (root->operand_count() == 0 || root->operand_count() > ElementwiseKernel::kMaxArity) return nullptr;
  Literal values[ElementwiseKernel::kMaxArity];
  LaneInput inputs[ElementwiseKernel::kMaxArity];
  for (int i = 0; i < root->operand_count(); ++i) {
    absl::optional<Literal> value = SplatValue(*root->operand(i));
    if (!value.has_value()) return nullptr;
    values[i] = *std::move(value);
    inputs[i] = {values[i].untyped_data(), 0};
  }
  const auto kernel = ElementwiseKernel::For(*root);
  if (!kernel.has_value()) return nullptr;
  alignas(16) char result[16];
  kernel->Run(1, inputs, result);
  return context.build.Splat(root->shape(), Literal::ScalarOf(root->shape().element_type(), result));
}

HloInstruction* ConstantToRight(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const left = root->operand(0);
  HloInstruction* const right = root->operand(1);
  if (!IsConstantLike(*left) || IsConstantLike(*right)) return nullptr;
  if (root->opcode() != HloOpcode::kCompare) return context.build.Binary(root->opcode(), right, left);
  const auto& attributes = root->attributes<CompareAttributes>();
  return context.build.CompareAs(Exchanged(attributes.direction), attributes.type, right, left);
}

// A copy is there for the sake of its memory.
std::vector<HloOpcode> FoldedOpcodes() {
  std::vector<HloOpcode> opcodes = {HloOpcode::kBitcastConvert};
  for (const HloOpcode opcode : AllOpcodes()) {
    if (IsElementwise(opcode) && opcode != HloOpcode::kCopy) opcodes.push_back(opcode);
  }
  return opcodes;
}

}  // namespace

const RuleList& ConstantRules() {
  static const auto* const rules = new RuleList{
      {"constant-to-broadcast",
       "constant({c, c, c}) => broadcast(constant(c))",
       {HloOpcode::kConstant},
       &ConstantToBroadcast},
      {"fold-splats", "op(broadcast(c), broadcast(d)) => broadcast(op(c, d))  (computed by the evaluator)",
       FoldedOpcodes(), &FoldSplats},
      {"constant-to-right",
       "add(c, x) => add(x, c)  (also multiply, maximum, minimum, and, or, xor; compare with the direction turned)",
       {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kAnd,
        HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kCompare},
       &ConstantToRight},
  };
  return *rules;
}

}  // namespace xla
