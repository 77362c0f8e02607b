// pad: surrounds an array with a value, puts the value between its elements, or cuts its edges.
//
//   padding=1_0_2 of {5,6}: {v, 5, v, v, 6}         padding=-1_1 of {5,6}: {6, v}
//
//   operands: the array, the value v (a scalar of the same type)
//   padding  low, high and interior counts per dimension. Interior elements come first, n' = n + max(n-1, 0) *
//   interior;
//            then the size is low + n' + high, where a negative low or high cuts. A size below zero is an error.
// Along a dynamic dimension the padding surrounds the valid elements.
// Source: StableHLO spec, section `pad`.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Any sum or product of a few counts below 2^63 fits; counts come from the program and may be hostile.
using WideInt = __int128;

WideInt PaddedSize(int64_t size, const PaddingDimension& padding) {
  const WideInt inner = size + WideInt{std::max<int64_t>(size - 1, 0)} * padding.interior;
  return padding.low + inner + padding.high;
}

absl::StatusOr<int64_t> CheckedPaddedSize(const HloInstruction& instruction, int d) {
  const Shape& operand = instruction.operand(0)->shape();
  const PaddingDimension& padding = instruction.attributes<PadAttributes>().padding[d];
  const auto error = [&](absl::string_view problem) {
    return absl::InvalidArgumentError(absl::StrCat("padding ", padding.low, "_", padding.high, "_", padding.interior,
                                                   " of dimension ", d, " of the operand ", operand.ToString(), ": ",
                                                   problem));
  };
  if (padding.interior < 0) return error("interior padding must not be negative");
  const WideInt size = PaddedSize(operand.dimension(d), padding);
  if (size < 0) return error("the padded size is below zero; cut fewer elements");
  if (size > std::numeric_limits<int64_t>::max()) return error("the padded size does not fit in 63 bits");
  return static_cast<int64_t>(size);
}

// Each size is checked for overflow; negative padding may leave 0 elements, not fewer.
absl::StatusOr<Shape> InferShapeOfPad(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& value = instruction.operand(1)->shape();
  if (!value.IsScalarOf(operand.element_type())) {
    return absl::InvalidArgumentError(absl::StrCat("the padding value must be a scalar of the operand's type: operand ",
                                                   operand.ToString(), ", padding value ", value.ToString()));
  }
  const PaddingConfig& padding = instruction.attributes<PadAttributes>().padding;
  if (static_cast<int>(padding.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("padding must have an entry for each of ", operand.rank(),
                                                   " dimensions of the operand ", operand.ToString(), ", got ",
                                                   padding.size()));
  }
  Shape result = Shape::Scalar(operand.element_type());
  for (int d = 0; d < operand.rank(); ++d) {
    ASSIGN_OR_RETURN(const int64_t size, CheckedPaddedSize(instruction, d));
    result.AddDimension(size, operand.is_dynamic_dimension(d));
  }
  RETURN_IF_ERROR(ValidateShape(result));
  return result;
}

// What of one dimension of the operand is within the result, and where: operand elements [first, first + count) go to
// positions start, start + step ...
struct Visible {
  int64_t first = 0;
  int64_t count = 0;
  int64_t start = 0;
  int64_t step = 0;
};

// Element i lies at low + i * (interior + 1), for i in [0, size) and positions in [0, padded_size).
Visible VisiblePart(int64_t size, const PaddingDimension& padding, int64_t padded_size) {
  const WideInt step = WideInt{padding.interior} + 1;
  const WideInt low = padding.low;
  const WideInt first = low >= 0 ? 0 : (-low + step - 1) / step;
  const WideInt past_last = padded_size <= low ? 0 : std::min<WideInt>(size, (padded_size - 1 - low) / step + 1);
  if (past_last <= first) return {};
  Visible visible;
  visible.first = static_cast<int64_t>(first);
  visible.count = static_cast<int64_t>(past_last - first);
  visible.start = static_cast<int64_t>(low + first * step);
  visible.step = visible.count > 1 ? static_cast<int64_t>(step) : 0;  // if larger than the array, it is never taken
  return visible;
}

absl::Status FillWith(const Literal& value, Literal& array, EvalContext& context) {
  const CopyDimension all = {array.element_count(), 0, 1};
  return StridedCopy(array.shape().element_type(), {all})
      .Run(value.untyped_data(), array.untyped_mutable_data(), context);
}

// Fills the result with the padding value, then copies the part of the operand that is left after cutting, spread by
// the interior padding.
absl::StatusOr<Literal> EvaluatePad(const HloInstruction& instruction, OperandValues& operands, EvalContext& context) {
  const Shape& shape = instruction.shape();
  const PrimitiveType type = shape.element_type();
  const Literal& operand = operands[0];
  const PaddingConfig& padding = instruction.attributes<PadAttributes>().padding;
  const DimensionVector operand_strides = RowMajorStrides(operand.shape());
  const DimensionVector result_strides = RowMajorStrides(shape);
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  RETURN_IF_ERROR(FillWith(operands[1], result, context));
  CopyDimensions copy(shape.rank());
  int64_t from = 0;
  int64_t to = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t size = operand.dynamic_size(d);
    // A run-time size may leave less than nothing where the bound did not.
    const int64_t padded_size = static_cast<int64_t>(std::max<WideInt>(0, PaddedSize(size, padding[d])));
    const Visible visible = VisiblePart(size, padding[d], padded_size);
    copy[d] = {visible.count, operand_strides[d], visible.step * result_strides[d]};
    from += visible.first * operand_strides[d];
    to += visible.start * result_strides[d];
    result.SetDynamicSize(d, padded_size);
  }
  RETURN_IF_ERROR(StridedCopy(type, copy)
                      .Run(ElementAt(operand.untyped_data(), from, type),
                           ElementAt(result.untyped_mutable_data(), to, type), context));
  return result;
}

}  // namespace

OpDefinition Define_kPad() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<PadAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfPad;
  op.evaluate = &EvaluatePad;
  return op;
}

}  // namespace xla
