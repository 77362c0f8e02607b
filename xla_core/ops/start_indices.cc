#include "xla_core/ops/start_indices.h"

#include "absl/strings/str_cat.h"
#include "xla_core/ops/index_values.h"

namespace xla {
namespace {

bool IsVectorForm(const HloInstruction& instruction, int first) {
  return instruction.operand_count() == first + 1 && instruction.operand(first)->shape().rank() == 1;
}

absl::Status CheckIndexType(const HloInstruction& instruction, int operand) {
  const Shape& shape = instruction.operand(operand)->shape();
  if (IsInt(shape.element_type())) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("start index (operand ", operand, ") must be of an integer type, got ", shape.ToString()));
}

absl::Status CheckVector(const HloInstruction& instruction, int first, int rank) {
  const Shape& shape = instruction.operand(first)->shape();
  if (shape.dimension(0) == rank) return CheckIndexType(instruction, first);
  return absl::InvalidArgumentError(absl::StrCat("start indices ", shape.ToString(),
                                                 " must have one entry for each of ", rank, " dimensions of ",
                                                 instruction.operand(0)->shape().ToString()));
}

}  // namespace

// Two forms: one scalar for each dimension, or one vector of all (older HLO).
absl::Status CheckStartIndices(const HloInstruction& instruction, int first, int rank) {
  if (IsVectorForm(instruction, first)) return CheckVector(instruction, first, rank);
  const int count = instruction.operand_count() - first;
  if (count != rank) {
    return absl::InvalidArgumentError(absl::StrCat("expected one scalar start index for each of ", rank,
                                                   " dimensions of ", instruction.operand(0)->shape().ToString(),
                                                   ", got ", count));
  }
  for (int i = first; i < instruction.operand_count(); ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (shape.rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("start index (operand ", i, ") must be a scalar, got ", shape.ToString()));
    }
    if (absl::Status status = CheckIndexType(instruction, i); !status.ok()) return status;
    const Shape& first_shape = instruction.operand(first)->shape();
    if (shape.element_type() != first_shape.element_type()) {
      return absl::InvalidArgumentError(absl::StrCat("start indices must all have one type, got ",
                                                     first_shape.ToString(), " and ", shape.ToString(),
                                                     "; convert them to a common one"));
    }
  }
  return absl::OkStatus();
}

DimensionVector ReadStartIndices(const OperandValues& operands, int first, absl::Span<const int64_t> sizes,
                                 absl::Span<const int64_t> window) {
  const int rank = static_cast<int>(sizes.size());
  DimensionVector starts(rank);
  const bool vector_form = rank > 0 && operands[first].shape().rank() == 1;
  for (int d = 0; d < rank; ++d) {
    const int64_t start = vector_form ? ReadIndex(operands[first], d) : ReadIndex(operands[first + d], 0);
    starts[d] = ClampStart(start, sizes[d], window[d]);
  }
  return starts;
}

}  // namespace xla
