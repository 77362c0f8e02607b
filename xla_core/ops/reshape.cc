// reshape: the same elements, in row-major order of their indices, under other dimensions.
//
//   f32[2,3] -> f32[3,2]: result[i,j] = operand[k,l] where 2 * i + j = 3 * k + l
//
//   inferred_dimension  the result dimension that takes up what is dynamic (optional)
// The result shape must be written, with the operand's type and element count.
//
// An operand with dynamic dimensions: its valid elements, in row-major order, become the valid elements of the result.
// Dimensions are matched in the smallest groups of equal element counts, [<=4,6] -> [<=4,2,3] for example as {4} -> {4}
// and {6} -> {2,3}; within a group with run-time sizes below the bounds one result dimension shrinks:
// inferred_dimension if it is in the group, else the first that is marked dynamic, else the first that is larger
// than 1. A run-time element count that the other dimensions of the group do not divide is an error. Source:
// StableHLO spec, section `reshape`; the dynamic part is our reading of XLA's dynamic padder.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// -1 is how protobuf spells "none".
int64_t InferredDimension(const HloInstruction& instruction) {
  return instruction.attributes<ReshapeAttributes>().inferred_dimension.value_or(-1);
}

// The written shape decides; element type and number of elements stay.
absl::StatusOr<Shape> InferShapeOfReshape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  RETURN_IF_ERROR(CheckWrittenArray(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& written = instruction.shape();
  if (operand.element_type() != written.element_type()) {
    return absl::InvalidArgumentError(absl::StrCat("reshape keeps the element type: operand ", operand.ToString(),
                                                   ", result ", written.ToString(),
                                                   "; use convert or bitcast-convert to change it"));
  }
  ASSIGN_OR_RETURN(const int64_t operand_count, CheckedElementCount(operand));
  ASSIGN_OR_RETURN(const int64_t result_count, CheckedElementCount(written));
  if (operand_count != result_count) {
    return absl::InvalidArgumentError(absl::StrCat("reshape keeps the number of elements: operand ", operand.ToString(),
                                                   " has ", operand_count, ", result ", written.ToString(), " has ",
                                                   result_count));
  }
  if (InferredDimension(instruction) != -1) {
    RETURN_IF_ERROR(CheckDimension("inferred_dimension", InferredDimension(instruction), written));
  }
  return written.WithoutLayout();
}

// Dimensions [begin, end) of a shape.
struct DimensionRange {
  int begin;
  int end;
};

// Extends both ranges from their beginnings to the smallest ones of equal element count. No dimension is 0.
void ExtendToEqualCounts(const Shape& a, DimensionRange* in_a, const Shape& b, DimensionRange* in_b) {
  int64_t count_a = in_a->end < a.rank() ? a.dimension(in_a->end++) : 1;
  int64_t count_b = in_b->end < b.rank() ? b.dimension(in_b->end++) : 1;
  while (count_a != count_b) {
    if (count_a < count_b) {
      count_a *= a.dimension(in_a->end++);
    } else {
      count_b *= b.dimension(in_b->end++);
    }
  }
}

int ShrinkingDimension(const Shape& result, DimensionRange group, int64_t inferred) {
  if (inferred >= group.begin && inferred < group.end) return static_cast<int>(inferred);
  for (int d = group.begin; d < group.end; ++d) {
    if (result.is_dynamic_dimension(d)) return d;
  }
  for (int d = group.begin; d < group.end; ++d) {
    if (result.dimension(d) > 1) return d;
  }
  return group.begin;
}

// For one group of dimensions: if the operand is not full there, one result dimension gets a smaller run-time size.
// Errors if that is not a whole number.
absl::Status ShrinkGroup(const Literal& operand, DimensionRange from, const Shape& result, DimensionRange to,
                         int64_t inferred, DimensionVector* sizes) {
  int64_t count = 1;
  bool full = true;
  for (int d = from.begin; d < from.end; ++d) {
    count *= operand.dynamic_size(d);
    full &= operand.dynamic_size(d) == operand.shape().dimension(d);
  }
  // A scalar has no size that could shrink.
  if (full || to.begin == to.end) return absl::OkStatus();
  const int shrinking = ShrinkingDimension(result, to, inferred);
  int64_t others = 1;
  for (int d = to.begin; d < to.end; ++d) {
    if (d != shrinking) others *= result.dimension(d);
  }
  if (count % others != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot reshape ", operand.shape().ToString(), " to ", result.ToString(), " here: dimension ",
                     shrinking, " of the result would have ", count, " / ", others, " elements at run time"));
  }
  (*sizes)[shrinking] = count / others;
  return absl::OkStatus();
}

// The run-time sizes of the result for an operand with dynamic sizes.
absl::StatusOr<DimensionVector> ResultSizes(const Literal& operand, const Shape& result, int64_t inferred) {
  DimensionVector sizes(result.dimensions().begin(), result.dimensions().end());
  if (result.ElementCount() == 0) return sizes;
  DimensionRange from = {0, 0};
  DimensionRange to = {0, 0};
  while (from.end < operand.shape().rank() || to.end < result.rank()) {
    from.begin = from.end;
    to.begin = to.end;
    ExtendToEqualCounts(operand.shape(), &from, result, &to);
    // Dimensions of size 1 at the end belong to the group before them if the result has no more.
    while (to.end == result.rank() && from.end < operand.shape().rank() && operand.shape().dimension(from.end) == 1) {
      ++from.end;
    }
    RETURN_IF_ERROR(ShrinkGroup(operand, from, result, to, inferred, &sizes));
  }
  return sizes;
}

absl::StatusOr<Literal> EvaluateReshape(const HloInstruction& instruction, OperandValues& operands,
                                        EvalContext& context) {
  if (!operands[0].has_dynamic_sizes()) return TakeStorage(instruction, operands, 0);
  ASSIGN_OR_RETURN(const DimensionVector sizes,
                   ResultSizes(operands[0], instruction.shape(), InferredDimension(instruction)));
  ASSIGN_OR_RETURN(Literal result, context.AllocateZeros(instruction.shape()));
  SetRuntimeSizes(sizes, result);
  RETURN_IF_ERROR(CopyValidElements(operands[0], result, context));
  return result;
}

}  // namespace

OpDefinition Define_kReshape() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<ReshapeAttributes>;
  op.infer_shape = &InferShapeOfReshape;
  op.evaluate = &EvaluateReshape;
  return op;
}

}  // namespace xla
