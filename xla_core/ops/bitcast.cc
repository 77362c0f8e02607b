// bitcast: the physical bytes of an array, read as an array of another shape and layout.
//
//   s32[2,3]{0,1} {{1,2,3},{4,5,6}} lies in memory as 1 4 2 5 3 6; as s32[3,2]{1,0} that is {{1,4},{2,5},{3,6}}
//
// Operand and result take the same number of bytes in memory; element types may differ (little-endian, as memory is).
// An array lies in memory in the order of its layout's minor_to_major (row-major if it has no layout); tiles and
// padding are ignored. Elements narrower than a byte take one byte each, of which the upper bits are ignored on
// reading, unless the layout's element size E(bits) says that they are packed; then the first element is in the lowest
// bits. The result shape must be written. A result of the operand's dimensions keeps its run-time sizes; any other is
// static. Source: XLA's hlo_verifier.cc, HandleBitcast.
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_storage.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool IsPacked(const Shape& shape) {
  if (!IsSubByte(shape.element_type()) || shape.layout() == nullptr) return false;
  const int bits = BitWidth(shape.element_type());
  return 8 % bits == 0 && shape.layout()->element_size_in_bits == bits;
}

// Bytes in memory; -1 if they do not fit in 63 bits.
int64_t PhysicalBytes(const Shape& shape) {
  const absl::StatusOr<int64_t> count = CheckedElementCount(shape);
  int64_t bytes;
  if (!count.ok() || !CheckedMul(*count, ByteWidth(shape.element_type()), &bytes)) return -1;
  return IsPacked(shape) ? CeilDiv(bytes, 8 / BitWidth(shape.element_type())) : bytes;
}

// Nothing follows from the operand but the number of bytes: a bitcast gives any shape that takes the same memory.
absl::StatusOr<Shape> InferShapeOfBitcast(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  RETURN_IF_ERROR(CheckWrittenArray(instruction));
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& written = instruction.shape();
  const int64_t operand_bytes = PhysicalBytes(operand);
  const int64_t result_bytes = PhysicalBytes(written);
  if (operand_bytes != result_bytes || operand_bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("operand and result of a bitcast must take the same number of bytes: operand ",
                     operand.ToString(Shape::LayoutPrinting::kWith), " takes ", operand_bytes, ", result ",
                     written.ToString(Shape::LayoutPrinting::kWith), " takes ", result_bytes));
  }
  return written.WithoutLayout();
}

absl::Span<const int64_t> MinorToMajor(const Shape& shape) {
  return shape.layout() == nullptr ? RowMajorLayout(shape.rank())->minor_to_major : shape.layout()->minor_to_major;
}

// Strides of the elements as they lie in memory.
DimensionVector PhysicalStrides(const Shape& shape) {
  DimensionVector strides(shape.rank(), 0);
  if (shape.ElementCount() == 0) return strides;
  int64_t stride = 1;
  for (int64_t d : MinorToMajor(shape)) {
    strides[d] = stride;
    stride *= shape.dimension(static_cast<int>(d));
  }
  return strides;
}

enum class Direction { kToMemoryOrder, kToRowMajor };

absl::Status Reorder(const Shape& shape, Direction direction, const void* from, void* to, EvalContext& context) {
  const DimensionVector logical = RowMajorStrides(shape);
  const DimensionVector physical = PhysicalStrides(shape);
  const bool to_memory = direction == Direction::kToMemoryOrder;
  CopyDimensions copy(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) {
    copy[d] = {shape.dimension(d), to_memory ? logical[d] : physical[d], to_memory ? physical[d] : logical[d]};
  }
  return StridedCopy(shape.element_type(), copy).Run(from, to, context);
}

// The operand's elements in memory order, still one byte each where they are narrower.
absl::StatusOr<Literal> InMemoryOrder(const Shape& shape, Literal value, EvalContext& context) {
  if (shape.IsRowMajor()) return value;
  ASSIGN_OR_RETURN(Literal ordered, context.Allocate(value.shape()));
  RETURN_IF_ERROR(
      Reorder(shape, Direction::kToMemoryOrder, value.untyped_data(), ordered.untyped_mutable_data(), context));
  return ordered;
}

// Converts bytes to stored elements of `type`: values of narrower types are what their low bits say, pred
// is 0 or 1.
void NormalizeBytes(PrimitiveType type, uint8_t* bytes, int64_t n) {
  const int unused = 8 - BitWidth(type);
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t raised = static_cast<uint8_t>(bytes[i] << unused);
    bytes[i] = type == PRED        ? bytes[i] != 0
               : IsSignedInt(type) ? static_cast<uint8_t>(static_cast<int8_t>(raised) >> unused)
                                   : static_cast<uint8_t>(raised >> unused);
  }
}

bool NeedsNormalizing(PrimitiveType type) { return type == PRED || IsSubByte(type); }

// From the operand's elements to the result's, both in memory order.
absl::StatusOr<Literal> Repack(const Shape& from, const Shape& to, Literal value, EvalContext& context) {
  const bool packing_changes = IsPacked(from) != IsPacked(to) ||
                               (IsPacked(from) && BitWidth(from.element_type()) != BitWidth(to.element_type()));
  const bool normalize = NeedsNormalizing(to.element_type()) && to.element_type() != from.element_type();
  if (!packing_changes && !normalize) {
    value.ResetShape(to);
    return value;
  }
  std::vector<uint8_t> bytes(value.data<uint8_t>(), value.data<uint8_t>() + value.size_bytes());
  if (packing_changes && IsPacked(from)) bytes = PackSubByteElements(bytes, BitWidth(from.element_type()));
  if (packing_changes && IsPacked(to)) {
    ASSIGN_OR_RETURN(bytes, UnpackSubByteElements(bytes, BitWidth(to.element_type()), IsSignedInt(to.element_type()),
                                                  to.ElementCount()));
  }
  ASSIGN_OR_RETURN(Literal result, context.Allocate(to));
  if (!bytes.empty()) std::memcpy(result.untyped_mutable_data(), bytes.data(), bytes.size());
  if (normalize) NormalizeBytes(to.element_type(), result.mutable_data<uint8_t>(), result.size_bytes());
  return result;
}

// Literals are row-major whatever their layout, while a bitcast is about memory: so elements go to the order of the
// operand's layout, are read as the result's type, and come back from the order of the result's layout.
absl::StatusOr<Literal> EvaluateBitcast(const HloInstruction& instruction, OperandValues& operands,
                                        EvalContext& context) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  const bool same_order = from.SameDimensions(to) && MinorToMajor(from) == MinorToMajor(to);
  const bool keeps_sizes = from.SameDimensions(to) && operands[0].has_dynamic_sizes();
  const DimensionVector sizes = RuntimeSizes(operands[0]);
  Literal value = operands.Take(0);
  value.ClearDynamicSizes();
  if (!same_order) {
    ASSIGN_OR_RETURN(value, InMemoryOrder(from, std::move(value), context));
  }
  ASSIGN_OR_RETURN(value, Repack(from, to, std::move(value), context));
  if (!same_order && !to.IsRowMajor()) {
    ASSIGN_OR_RETURN(Literal ordered, context.Allocate(to));
    RETURN_IF_ERROR(Reorder(to, Direction::kToRowMajor, value.untyped_data(), ordered.untyped_mutable_data(), context));
    value = std::move(ordered);
  }
  if (keeps_sizes) SetRuntimeSizes(sizes, value);
  return value;
}

}  // namespace

OpDefinition Define_kBitcast() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.infer_shape = &InferShapeOfBitcast;
  op.evaluate = &EvaluateBitcast;
  return op;
}

}  // namespace xla
