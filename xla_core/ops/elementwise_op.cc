#include "xla_core/ops/elementwise_op.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Elements per block of a parallel run: some ten microseconds of the cheapest operation.
constexpr int64_t kParallelGrain = 32768;
// Smaller results are not worth taking an operand's memory for.
constexpr int64_t kSmallestReusedBytes = 4096;

// The sizes up to which all operands are valid; empty if none has dynamic sizes.
DimensionVector CommonDynamicSizes(const OperandValues& operands, int rank) {
  DimensionVector sizes;
  for (int i = 0; i < operands.size(); ++i) {
    const Literal& operand = operands[i];
    if (!operand.has_dynamic_sizes() || operand.shape().rank() != rank) continue;
    for (int d = 0; d < rank; ++d) {
      if (static_cast<int>(sizes.size()) == d) sizes.push_back(operand.dynamic_size(d));
      sizes[d] = std::min(sizes[d], operand.dynamic_size(d));
    }
  }
  return sizes;
}

// Memory for the result: that of an operand nothing else needs, or new.
absl::StatusOr<Literal> ResultMemory(const Shape& shape, OperandValues& operands, EvalContext& context) {
  const int64_t bytes = shape.ByteSize();
  if (bytes >= kSmallestReusedBytes) {
    for (int i = 0; i < operands.size(); ++i) {
      const Literal& operand = operands[i];
      const bool fits =
          operand.size_bytes() == bytes && ByteWidth(operand.shape().element_type()) == ByteWidth(shape.element_type());
      if (!fits || !operands.owned(i) || !operand.IsUnique()) continue;
      Literal memory = operands.Take(i);
      memory.ClearDynamicSizes();
      memory.ResetShape(shape);
      return memory;
    }
  }
  return context.Allocate(shape);
}

// Small arrays run on the calling thread: waking others takes longer than the work.
absl::Status RunKernel(const ElementwiseKernel& kernel, int64_t n, const LaneInput* inputs, char* result,
                       EvalContext& context) {
  if (n <= kParallelGrain) {
    kernel.Run(n, inputs, result);
    return absl::OkStatus();
  }
  const int64_t result_width = ByteWidth(kernel.result_type());
  return context.ParallelFor(n, kParallelGrain, [&](int64_t begin, int64_t end) {
    LaneInput block[ElementwiseKernel::kMaxArity];
    for (int i = 0; i < kernel.arity(); ++i) {
      block[i] = {static_cast<const char*>(inputs[i].data) + begin * inputs[i].stride, inputs[i].stride};
    }
    kernel.Run(end - begin, block, result + begin * result_width);
  });
}

void ResetShapes(const Shape& shape, Literal& value) {
  if (!shape.IsTuple()) {
    value.ResetShape(shape);
    return;
  }
  for (int i = 0; i < shape.tuple_size(); ++i) ResetShapes(shape.tuple_shape(i), value.mutable_element(i));
  value.ResetShape(shape);
}

}  // namespace

absl::Status CheckOperandClasses(const HloInstruction& instruction, unsigned classes) {
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if ((ElementClassOf(shape.element_type()) & classes) != 0) continue;
    const std::string elements =
        classes == element_class::kAny ? "" : absl::StrCat(" of ", DescribeElementClasses(classes), " elements");
    return absl::InvalidArgumentError(
        absl::StrCat("operand ", i, " must be an array", elements, ", got ", shape.ToString()));
  }
  return absl::OkStatus();
}

absl::Status CheckSameElementType(const HloInstruction& instruction, int first, int second) {
  const Shape& a = instruction.operand(first)->shape();
  const Shape& b = instruction.operand(second)->shape();
  if (a.element_type() == b.element_type()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("operands ", first, " and ", second,
                                                 " must have the same element type, got ", a.ToString(), " and ",
                                                 b.ToString(), "; convert one of them"));
}

// The dimensions of both, where an unbounded one takes the size of the other. HLO has no implicit broadcasting, so
// other differences are errors.
absl::StatusOr<Shape> MergeDimensions(const Shape& a, const Shape& b, absl::string_view what) {
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(absl::StrCat(what, " must have the same dimensions, got ", a.ToString(), " and ",
                                                   b.ToString(), "; HLO broadcasts only by an explicit broadcast"));
  };
  if (a.rank() != b.rank()) return mismatch();
  Shape merged = Shape::Array(a.element_type(), a.dimensions());
  for (int d = 0; d < a.rank(); ++d) {
    const bool a_unbounded = a.dimension(d) == Shape::kUnboundedSize;
    const bool b_unbounded = b.dimension(d) == Shape::kUnboundedSize;
    if (!a_unbounded && !b_unbounded && a.dimension(d) != b.dimension(d)) return mismatch();
    if (a_unbounded) merged.set_dimension(d, b.dimension(d));
    const bool dynamic = a_unbounded   ? b.is_dynamic_dimension(d)
                         : b_unbounded ? a.is_dynamic_dimension(d)
                                       : a.is_dynamic_dimension(d) || b.is_dynamic_dimension(d);
    merged.set_dynamic_dimension(d, dynamic);
  }
  return merged;
}

// The result takes the memory of an operand if one is used for the last time and has the right width.
absl::StatusOr<Literal> EvaluateElementwise(const HloInstruction& instruction, OperandValues& operands,
                                            EvalContext& context) {
  const absl::optional<ElementwiseKernel> kernel = ElementwiseKernel::For(instruction);
  CHECK(kernel.has_value());
  const Shape& shape = instruction.shape();
  const int64_t n = shape.ElementCount();
  LaneInput inputs[ElementwiseKernel::kMaxArity];
  for (int i = 0; i < operands.size(); ++i) {
    const Shape& operand = operands[i].shape();
    inputs[i] = {operands[i].untyped_data(), operand.IsScalar() ? 0 : ByteWidth(operand.element_type())};
  }
  const DimensionVector dynamic_sizes = CommonDynamicSizes(operands, shape.rank());
  // Storage, and with it the pointers above, stays where it is when a literal is moved.
  ASSIGN_OR_RETURN(Literal result, ResultMemory(shape, operands, context));
  RETURN_IF_ERROR(RunKernel(*kernel, n, inputs, result.mutable_data<char>(), context));
  for (size_t d = 0; d < dynamic_sizes.size(); ++d) result.SetDynamicSize(static_cast<int>(d), dynamic_sizes[d]);
  return result;
}

absl::StatusOr<Literal> EvaluateIdentity(const HloInstruction& instruction, OperandValues& operands, EvalContext&) {
  Literal value = operands.Take(0);
  ResetShapes(instruction.shape(), value);
  return value;
}

}  // namespace xla
