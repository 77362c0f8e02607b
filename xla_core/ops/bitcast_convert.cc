// bitcast-convert: the bits of the operand, read as another type.
//
//   operand T[d0..dn] -> U[..]: equal widths keep the dimensions; a narrower U appends one of size width(T) / width(U);
//   a wider U drops the last one, which must have size width(U) / width(T). Widths must divide each other. pred counts
//   as 8 bits.
// Element 0 of the minor dimension has the low bits; of a complex number those are the real part. Sub-byte types,
// stored one per byte, are packed and unpacked as if they were adjacent. Source: StableHLO spec, section
// `bitcast_convert`.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

int PhysicalBits(PrimitiveType type) { return type == PRED ? 8 : BitWidth(type); }

absl::StatusOr<Shape> Widen(const Shape& operand, PrimitiveType to) {
  const int64_t ratio = PhysicalBits(to) / PhysicalBits(operand.element_type());
  const int last = operand.rank() - 1;
  if (last < 0 || operand.dimension(last) != ratio || operand.is_dynamic_dimension(last)) {
    return absl::InvalidArgumentError(absl::StrCat("the last dimension of ", operand.ToString(), " must be static and ",
                                                   ratio, ", the number of elements that make one ",
                                                   PrimitiveTypeName(to)));
  }
  Shape shape = operand;
  shape.DeleteDimension(last);
  shape.set_element_type(to);
  return shape;
}

// Towards a narrower type a dimension of wide / narrow elements is added at the end, towards a wider one it is
// removed.
absl::StatusOr<Shape> InferShapeOfBitcastConvert(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckOperandClasses(instruction, element_class::kAny));
  Shape shape = instruction.operand(0)->shape().WithoutLayout();
  const PrimitiveType from = shape.element_type();
  const PrimitiveType to = instruction.shape().element_type();
  if (!IsArrayType(to)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot reinterpret ", shape.ToString(), " as ",
                                                   PrimitiveTypeName(to), ": the result must be an array"));
  }
  const int wide = std::max(PhysicalBits(from), PhysicalBits(to));
  const int narrow = std::min(PhysicalBits(from), PhysicalBits(to));
  if (wide % narrow != 0) {
    return absl::InvalidArgumentError(absl::StrCat("the widths of ", PrimitiveTypeName(from), " and ",
                                                   PrimitiveTypeName(to), " must divide each other, got ",
                                                   PhysicalBits(from), " and ", PhysicalBits(to), " bits"));
  }
  if (PhysicalBits(from) < PhysicalBits(to)) return Widen(shape, to);
  if (PhysicalBits(from) > PhysicalBits(to)) shape.AddDimension(wide / narrow);
  shape.set_element_type(to);
  return shape;
}

// The n elements that are adjacent in memory, as bits of a word; n * bits <= 128, one byte each if sub-byte.
void PackGroup(const uint8_t* elements, int64_t n, int bits, uint8_t* word) {
  std::fill_n(word, (n * bits + 7) / 8, uint8_t{0});
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = i * bits;
    const uint8_t own = static_cast<uint8_t>(elements[i] & ((1 << bits) - 1));
    word[at / 8] = static_cast<uint8_t>(word[at / 8] | own << (at % 8));
  }
}
void UnpackGroup(const uint8_t* word, int64_t n, int bits, uint8_t* elements) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = i * bits;
    elements[i] = static_cast<uint8_t>((word[at / 8] >> (at % 8)) & ((1 << bits) - 1));
  }
}

bool IsPackedBelowByte(PrimitiveType type) { return PhysicalBits(type) < 8; }

// One group is what one element of the wider type holds. Sub-byte widths divide 8, or are those of one f6, so no
// element straddles two bytes.
void CastGroups(PrimitiveType from, PrimitiveType to, int64_t groups, const uint8_t* src, uint8_t* dst) {
  const int group_bits = std::max(PhysicalBits(from), PhysicalBits(to));
  const int64_t from_count = group_bits / PhysicalBits(from);
  const int64_t to_count = group_bits / PhysicalBits(to);
  for (int64_t g = 0; g < groups; ++g) {
    uint8_t word[16];
    const int64_t from_bytes = from_count * ByteWidth(from);
    const int64_t to_bytes = to_count * ByteWidth(to);
    if (IsPackedBelowByte(from)) {
      PackGroup(src, from_count, PhysicalBits(from), word);
    } else {
      std::memcpy(word, src, from_bytes);
    }
    if (IsPackedBelowByte(to)) {
      UnpackGroup(word, to_count, PhysicalBits(to), dst);
    } else {
      std::memcpy(dst, word, to_bytes);
    }
    src += from_bytes;
    dst += to_bytes;
  }
}

// Memory is reinterpreted as it is, little-endian, unless a type is packed below a byte; such elements take a byte
// each in literals and are taken apart or put together in groups.
absl::StatusOr<Literal> EvaluateBitcastConvert(const HloInstruction& instruction, OperandValues& operands,
                                               EvalContext& context) {
  const Shape& shape = instruction.shape();
  const Literal& operand = operands[0];
  const PrimitiveType from = operand.shape().element_type();
  const PrimitiveType to = shape.element_type();
  if (from == to) return EvaluateIdentity(instruction, operands, context);
  if (PhysicalBits(from) == PhysicalBits(to)) return EvaluateElementwise(instruction, operands, context);

  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  const bool same_bytes = !IsPackedBelowByte(from) && !IsPackedBelowByte(to);
  if (same_bytes) {
    std::memcpy(result.mutable_data<uint8_t>(), operand.data<uint8_t>(), result.size_bytes());
  } else {
    const int64_t groups = std::min(operand.element_count(), result.element_count());
    CastGroups(from, to, groups, operand.data<uint8_t>(), result.mutable_data<uint8_t>());
  }
  if (to == PRED) {
    for (uint8_t* p = result.mutable_data<uint8_t>(); p != result.mutable_data<uint8_t>() + result.size_bytes(); ++p) {
      *p = *p != 0;
    }
  }
  if (IsSubByte(to) && IsInt(to)) WrapSubByteElements(to, result.element_count(), result.mutable_data<uint8_t>());
  for (int d = 0; operand.has_dynamic_sizes() && d < std::min(shape.rank(), operand.shape().rank()); ++d) {
    result.SetDynamicSize(d, operand.dynamic_size(d));
  }
  return result;
}

}  // namespace

OpDefinition Define_kBitcastConvert() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.infer_shape = &InferShapeOfBitcastConvert;
  op.evaluate = &EvaluateBitcastConvert;
  return op;
}

}  // namespace xla
