#include "xla_core/ops/operand_checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::Status CheckArrayOperands(const HloInstruction& instruction, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (!shape.IsArray()) {
      return absl::InvalidArgumentError(absl::StrCat("operand ", i, " must be an array, got ", shape.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckEqualDimensions(const HloInstruction& instruction, int count) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, 0, count));
  const Shape& first = instruction.operand(0)->shape();
  for (int i = 1; i < count; ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (!shape.SameDimensions(first)) {
      return absl::InvalidArgumentError(absl::StrCat("operands must have equal dimensions: operand 0 is ",
                                                     first.ToString(), ", operand ", i, " is ", shape.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDimension(absl::string_view what, int64_t dimension, const Shape& shape) {
  if (dimension >= 0 && dimension < shape.rank()) return absl::OkStatus();
  const std::string range = shape.rank() == 0   ? "which has no dimensions"
                            : shape.rank() == 1 ? "which has only dimension 0"
                                                : absl::StrCat("which has dimensions 0 to ", shape.rank() - 1);
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is out of range: ", dimension, " of ", shape.ToString(), ", ", range));
}

}  // namespace xla
