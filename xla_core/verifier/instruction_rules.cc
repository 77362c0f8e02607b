// The rules of the op table, asked for each instruction.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// Whether both can be the shape of one value: they are compatible, or differ in dimensions of which one is `?` only.
bool MayAgree(const Shape& a, const Shape& b) {
  if (a.Compatible(b)) return true;
  if (a.element_type() != b.element_type() || a.rank() != b.rank() || a.tuple_size() != b.tuple_size()) return false;
  for (int i = 0; i < a.tuple_size(); ++i) {
    if (!MayAgree(a.tuple_shape(i), b.tuple_shape(i))) return false;
  }
  for (int d = 0; d < a.rank(); ++d) {
    const int64_t x = a.dimension(d), y = b.dimension(d);
    if (x != y && x != Shape::kUnboundedSize && y != Shape::kUnboundedSize) return false;
  }
  return true;
}

// The written shape must be the inferred one; layouts and which dimensions are dynamic may differ. False if no shape
// could be inferred, so that the operands or attributes are wrong, or cannot be judged before dimensions have sizes.
bool CheckResultShape(const HloInstruction& instruction, const OpDefinition& op, Verification& verification) {
  if (op.infer_shape == nullptr) return true;
  const absl::StatusOr<Shape> expected = op.infer_shape(instruction);
  if (!expected.ok()) {
    const bool waits =
        verification.options().allow_unbounded_dimensions && absl::IsFailedPrecondition(expected.status());
    if (!waits) verification.Add(instruction, expected.status().message());
    return false;
  }
  if (!MayAgree(*expected, instruction.shape())) {
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
  for (const std::string& message : violations.warnings()) verification.Warn(instruction, message);
}

}  // namespace

void VerifyInstructions(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (verification.MustStop()) return;
      if (verification.IsSoundWithNeighbours(*instruction)) CheckInstruction(*instruction, verification);
    }
  }
}

}  // namespace xla
