#include "xla_core/ir/hlo_instruction.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {

void HloInstruction::AddOperand(HloInstruction* operand) {
  // Both lists tell; the shorter one does so at once, however wide a tuple or busy a value is.
  const bool used_before =
      operands_.size() <= operand->users_.size()
          ? std::find(operands_.begin(), operands_.end(), operand) != operands_.end()
          : std::find(operand->users_.begin(), operand->users_.end(), this) != operand->users_.end();
  operands_.push_back(operand);
  if (!used_before) operand->users_.push_back(this);
}

const InstructionAnnotations& HloInstruction::annotations() const {
  static const auto& none = *new InstructionAnnotations;
  return annotations_ == nullptr ? none : *annotations_;
}

InstructionAnnotations& HloInstruction::mutable_annotations() {
  if (annotations_ == nullptr) annotations_ = std::make_unique<InstructionAnnotations>();
  return *annotations_;
}

std::string HloInstruction::ToShortString() const {
  const std::string operands = absl::StrJoin(
      operands_, ", ", [](std::string* out, const HloInstruction* operand) { absl::StrAppend(out, operand->name()); });
  return absl::StrCat(name_, " = ", shape_.ToString(), " ", opcode_name(), "(", operands, ")");
}

void HloInstruction::FailWrongAttributes(const char* wanted) const {
  std::fprintf(stderr, "internal error: %s has attributes %s, asked for %s\n", ToShortString().c_str(),
               attributes_ == nullptr ? "(none)" : attributes_->schema().name, wanted);
  std::abort();
}

}  // namespace xla
