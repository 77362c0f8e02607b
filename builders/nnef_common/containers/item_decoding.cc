#include "builders/nnef_common/containers/item_decoding.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace nnef {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensor files are little endian, and read as they are");

bool IsQuantized(ItemType type) { return type == ItemType::kQuantizedUnsigned || type == ItemType::kQuantizedSigned; }

bool HasNativeWidth(int64_t bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

PrimitiveType NativeInteger(int64_t bits, bool is_signed) {
  switch (bits) {
    case 8:
      return is_signed ? S8 : U8;
    case 16:
      return is_signed ? S16 : U16;
    case 32:
      return is_signed ? S32 : U32;
    default:
      return is_signed ? S64 : U64;
  }
}

// Integers of a width that processors do not have, as 64-bit ones: whole bytes little endian, others as a stream of
// bits whose first is the most significant one of the first byte.
absl::StatusOr<Literal> UnpackIntegers(const char* bytes, int64_t bits, bool is_signed, int64_t count) {
  ASSIGN_OR_RETURN(Literal integers, Literal::Allocate(Shape::Array(is_signed ? S64 : U64, {count})));
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes);
  auto* const result = integers.mutable_data<uint64_t>();
  int64_t position = 0;  // of the next bit
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    if (bits % 8 == 0) {
      std::memcpy(&value, data + i * (bits / 8), static_cast<size_t>(bits / 8));
    } else {
      for (int64_t left = bits; left > 0;) {
        const int64_t in_byte = 8 - position % 8;
        const int64_t taken = std::min(in_byte, left);
        const uint64_t piece = (data[position / 8] >> (in_byte - taken)) & ((1u << taken) - 1);
        value = value << taken | piece;
        position += taken;
        left -= taken;
      }
    }
    const int unused = static_cast<int>(64 - bits);
    const uint64_t at_top = value << unused;
    result[i] = is_signed ? static_cast<uint64_t>(static_cast<int64_t>(at_top) >> unused) : value;
  }
  return integers;
}

absl::StatusOr<Literal> Integers(const char* bytes, int64_t bits, bool is_signed, int64_t count) {
  if (!HasNativeWidth(bits)) return UnpackIntegers(bytes, bits, is_signed, count);
  return Literal::Borrow(Shape::Array(NativeInteger(bits, is_signed), {count}), bytes);
}

// Converting would keep the low bits of what does not fit.
absl::Status CheckFits(const Literal& integers, PrimitiveType type, int64_t first) {
  const int bits = BitWidth(type);
  const int64_t least = IsSignedInt(type) ? std::numeric_limits<int64_t>::min() >> (64 - bits) : 0;
  const uint64_t greatest = std::numeric_limits<uint64_t>::max() >> (64 - bits + (IsSignedInt(type) ? 1 : 0));
  return DispatchInt(integers.shape().element_type(), [&](auto tag) {
    const auto values = integers.span<TagType<decltype(tag)>>();
    for (size_t i = 0; i < values.size(); ++i) {
      const auto value = values[i];
      if (value < 0 ? static_cast<int64_t>(value) >= least : static_cast<uint64_t>(value) <= greatest) continue;
      return absl::InvalidArgumentError(absl::StrCat("item ", first + static_cast<int64_t>(i), " is ", value,
                                                     ", which does not fit the element type ",
                                                     PrimitiveTypeName(type)));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<Literal> DecodeBools(const char* bytes, int64_t bits, int64_t count) {
  ASSIGN_OR_RETURN(Literal bools, Literal::Allocate(Shape::Array(PRED, {count})));
  bool* const result = bools.mutable_data<bool>();
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes);
  for (int64_t i = 0; i < count; ++i) {
    result[i] = bits == 1 ? (data[i / 8] >> (7 - i % 8) & 1) != 0 : data[i] != 0;
  }
  return bools;
}

// Each code's number in the wanted type.
absl::StatusOr<Literal> Meanings(const Literal& codes, const CodeMeaning& meaning, PrimitiveType type) {
  ASSIGN_OR_RETURN(Literal numbers, LiteralUtil::Convert(codes, F64));
  RETURN_IF_ERROR(numbers.MakeWritable(nullptr));
  double* const values = numbers.mutable_data<double>();
  std::transform(values, values + numbers.element_count(), values, meaning);
  return LiteralUtil::Convert(numbers, type);
}

}  // namespace

// Whether items are stored as elements of the type have them in memory, so that reading is copying.
bool IsStoredAsElements(const TensorHeader& header, PrimitiveType type) {
  switch (header.item_type) {
    case ItemType::kFloat:
      return type != BF16 && BitWidth(type) == header.bits_per_item;
    case ItemType::kUnsigned:
    case ItemType::kSigned:
      return HasNativeWidth(header.bits_per_item) &&
             type == NativeInteger(header.bits_per_item, header.item_type == ItemType::kSigned);
    case ItemType::kQuantizedUnsigned:
    case ItemType::kQuantizedSigned:
    case ItemType::kBool:  // of 8 bits: any number but 0 is true
      return false;
  }
  return false;
}

ItemDecoder::ItemDecoder(const TensorHeader& header, PrimitiveType type, CodeMeaning meaning)
    : header_(header), type_(type), meaning_(std::move(meaning)) {
  constexpr int64_t kCodes = 256;
  if (!IsQuantized(header.item_type) || header.bits_per_item != 8 || header.item_count() < kCodes) return;
  uint8_t codes[kCodes];
  for (int64_t i = 0; i < kCodes; ++i) codes[i] = static_cast<uint8_t>(i);
  absl::StatusOr<Literal> elements = DecodeCodes(reinterpret_cast<const char*>(codes), kCodes);
  if (elements.ok()) elements_of_codes_ = *std::move(elements);
}

absl::StatusOr<Literal> ItemDecoder::DecodeCodes(const char* bytes, int64_t count) const {
  ASSIGN_OR_RETURN(const Literal codes,
                   Integers(bytes, header_.bits_per_item, header_.item_type == ItemType::kQuantizedSigned, count));
  return Meanings(codes, meaning_, type_);
}

// Converts `count` items that are stored at `bytes`; `first` is the position of the first in the tensor, for errors.
absl::StatusOr<Literal> ItemDecoder::Decode(const char* bytes, int64_t count, int64_t first) const {
  const int64_t bits = header_.bits_per_item;
  switch (header_.item_type) {
    case ItemType::kFloat: {
      const PrimitiveType stored = bits == 16 ? F16 : bits == 32 ? F32 : F64;
      return LiteralUtil::Convert(Literal::Borrow(Shape::Array(stored, {count}), bytes), type_);
    }
    case ItemType::kUnsigned:
    case ItemType::kSigned: {
      ASSIGN_OR_RETURN(const Literal integers, Integers(bytes, bits, header_.item_type == ItemType::kSigned, count));
      RETURN_IF_ERROR(CheckFits(integers, type_, first));
      return LiteralUtil::Convert(integers, type_);
    }
    case ItemType::kBool:
      return DecodeBools(bytes, bits, count);
    case ItemType::kQuantizedUnsigned:
    case ItemType::kQuantizedSigned:
      break;
  }
  if (elements_of_codes_.element_count() == 0) return DecodeCodes(bytes, count);
  ASSIGN_OR_RETURN(Literal elements, Literal::Allocate(Shape::Array(type_, {count})));
  DispatchByWidth(type_, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    const T* const of_codes = elements_of_codes_.data<T>();
    T* const result = elements.mutable_data<T>();
    for (int64_t i = 0; i < count; ++i) result[i] = of_codes[static_cast<uint8_t>(bytes[i])];
  });
  return elements;
}

}  // namespace nnef
}  // namespace xla
