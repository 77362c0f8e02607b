// bitcast-convert between types of different widths: element 0 of the narrow ones has the low bits of the wide one.
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// pred counts as the byte that it is stored in.
int PhysicalBits(PrimitiveType type) { return type == PRED ? 8 : BitWidth(type); }

PrimitiveType WordOf(int bits) {
  for (const PrimitiveType type : {U1, U2, U4, U8, U16, U32, U64}) {
    if (BitWidth(type) == bits) return type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

// The bits of an element that is not a complex number as a word, and back. A byte that becomes a pred is true if any
// bit is set.
KernelValue ToWord(KernelBuilder& b, KernelValue value) {
  const PrimitiveType type = b.TypeOf(value);
  if (type == PRED) return b.Convert(value, U8);
  return b.BitcastConvert(value, WordOf(BitWidth(type)));
}
KernelValue FromWord(KernelBuilder& b, KernelValue word, PrimitiveType type) {
  if (type == PRED) return b.Convert(word, PRED);
  return b.BitcastConvert(word, type);
}

// Bits [part * width, (part + 1) * width) of a word; `part` may be a value.
KernelValue PartOf(KernelBuilder& b, KernelValue word, KernelValue part, int bits) {
  const PrimitiveType type = b.TypeOf(word);
  const KernelValue shift = b.Convert(b.Affine({{bits, part}}), type);
  return b.Convert(b.Binary(HloOpcode::kShiftRightLogical, word, shift), WordOf(bits));
}

}  // namespace

// Reinterprets bits. To narrower elements, the last dimension of the result selects a part of the operand's element;
// to wider ones, elements of the operand's last dimension are put together, the lowest bits first.
ElementEmitter::Values ElementEmitter::RunBitcastConvert(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const PrimitiveType to = instruction.shape().element_type();
  const PrimitiveType from = instruction.operand(0)->shape().element_type();
  const auto& sizes = instruction.shape().dimensions();
  const auto& operand_sizes = instruction.operand(0)->shape().dimensions();
  if (IsComplex(from) != IsComplex(to)) {
    Fail(instruction, "bits of complex numbers become those of real ones, or the other way round");
    return {};
  }
  const int to_bits = PhysicalBits(to);
  const int from_bits = PhysicalBits(from);
  const int rank = instruction.shape().rank();
  if (to_bits == from_bits) {
    const KernelValue value = GetOperand(request, 0, request.index);
    if (value == kNoValue) return {};
    if (from == to) return {value};
    if (from == PRED || to == PRED) return {FromWord(b_, ToWord(b_, value), to)};
    return {b_.BitcastConvert(value, to)};
  }

  const bool has_words = IsComplex(from) || IsComplex(to) ||
                         (WordOf(from_bits) != PRIMITIVE_TYPE_INVALID && WordOf(to_bits) != PRIMITIVE_TYPE_INVALID);
  if (!has_words) {
    Fail(instruction, "there are no integers of as many bits");
    return {};
  }

  if (to_bits < from_bits) {
    std::vector<int> outer(rank - 1);
    for (int d = 0; d < rank - 1; ++d) outer[d] = d;
    const KernelValue value =
        GetOperand(request, 0, indices_.Rearrange(sizes, request.index, operand_sizes, outer, {}));
    if (value == kNoValue) return {};
    const KernelValue part = indices_.At(sizes, request.index, rank - 1);
    if (!IsComplex(from)) return {FromWord(b_, PartOf(b_, ToWord(b_, value), part, to_bits), to)};
    // c128 to c64: the words of one component each.
    const KernelValue component = b_.Select(b_.Compare(ComparisonDirection::kEq, part, b_.Index(0)),
                                            b_.Unary(HloOpcode::kReal, value), b_.Unary(HloOpcode::kImag, value));
    const KernelValue word = ToWord(b_, component);
    return {b_.Binary(HloOpcode::kComplex, FromWord(b_, PartOf(b_, word, b_.Index(0), 32), F32),
                      FromWord(b_, PartOf(b_, word, b_.Index(1), 32), F32))};
  }

  std::vector<int> from_dimension(rank + 1, -1);
  for (int d = 0; d < rank; ++d) from_dimension[d] = d;
  std::vector<KernelValue> own(rank + 1, kNoValue);
  const int count = to_bits / from_bits;
  Values parts;
  bool complete = true;
  for (int k = 0; k < count; ++k) {
    own[rank] = b_.Index(k);
    parts.push_back(
        GetOperand(request, 0, indices_.Rearrange(sizes, request.index, operand_sizes, from_dimension, own)));
    complete = complete && parts.back() != kNoValue;
  }
  if (!complete) return {};
  const auto join = [&](absl::Span<const KernelValue> words, PrimitiveType type) {
    KernelValue joined = kNoValue;
    int64_t shift = 0;
    for (const KernelValue word : words) {
      const PrimitiveType word_type = b_.TypeOf(word);
      KernelValue wide = b_.Convert(word, type);
      if (joined != kNoValue) {
        wide = b_.Binary(HloOpcode::kShiftLeft, wide, b_.Constant(*LiteralUtil::Number(type, shift)));
        wide = b_.Binary(HloOpcode::kOr, joined, wide);
      }
      joined = wide;
      shift += BitWidth(word_type);
    }
    return joined;
  };
  if (IsComplex(from)) {
    Values components;
    for (const KernelValue part : parts) {
      const Values words = {ToWord(b_, b_.Unary(HloOpcode::kReal, part)), ToWord(b_, b_.Unary(HloOpcode::kImag, part))};
      components.push_back(FromWord(b_, join(words, U64), F64));
    }
    return {b_.Binary(HloOpcode::kComplex, components[0], components[1])};
  }
  Values words;
  for (const KernelValue part : parts) words.push_back(ToWord(b_, part));
  return {FromWord(b_, join(words, WordOf(to_bits)), to)};
}

}  // namespace xla
