// The rules of the op table, asked for each instruction.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// The written shape must be the inferred one; layouts and which dimensions are dynamic may differ. False if no shape
// could be inferred, so that the operands or attributes are wrong.
bool CheckResultShape(const HloInstruction& instruction, const OpDefinition& op, Verification& verification) {
  if (op.infer_shape == nullptr) return true;
  const absl::StatusOr<Shape> expected = op.infer_shape(instruction);
  if (!expected.ok()) {
    verification.Add(instruction, expected.status().message());
    return false;
  }
  if (!expected->Compatible(instruction.shape())) {
    verification.Add(instruction, absl::StrCat("expected the result shape ", expected->ToString(), ", got ",
                                               instruction.shape().ToString()));
  }
  return true;
}

void CheckInstruction(const HloInstruction& instruction, Verification& verification) {
  const OpDefinition& op = GetOp(instruction.opcode());
  if (!CheckResultShape(instruction, op, verification) || op.verify == nullptr) return;
  Violations violations;
  op.verify(instruction, violations);
  for (const std::string& message : violations.messages()) verification.Add(instruction, message);
}

}  // namespace

void VerifyInstructions(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (verification.IsSoundWithNeighbours(*instruction)) CheckInstruction(*instruction, verification);
    }
  }
}

}  // namespace xla
