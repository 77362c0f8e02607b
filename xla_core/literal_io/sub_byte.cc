#include "xla_core/literal_io/sub_byte.h"

#include "absl/strings/str_cat.h"

namespace xla {

// Brings elements of less than a byte into the form that literals have: predicates 0 or 1, signed values
// sign-extended. Bytes whose upper bits are neither zero nor the sign are an error, since no such value exists.
absl::Status NormalizeSubByteElements(PrimitiveType type, uint8_t* elements, int64_t count) {
  if (type == PRED) {
    for (int64_t i = 0; i < count; ++i) elements[i] = elements[i] != 0;
    return absl::OkStatus();
  }
  if (!IsSubByte(type)) return absl::OkStatus();
  const int unused_bits = 8 - BitWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t low = static_cast<uint8_t>(elements[i] << unused_bits);
    const uint8_t zero_extended = static_cast<uint8_t>(low >> unused_bits);
    const uint8_t sign_extended = static_cast<uint8_t>(static_cast<int8_t>(low) >> unused_bits);
    const uint8_t value = IsSignedInt(type) ? sign_extended : zero_extended;
    if (elements[i] != value && elements[i] != zero_extended) {
      return absl::InvalidArgumentError(absl::StrCat("element ", i, " is the byte ", elements[i], ", which is no ",
                                                     PrimitiveTypeName(type), ": its upper ", unused_bits,
                                                     " bits must be zero"));
    }
    elements[i] = value;
  }
  return absl::OkStatus();
}

void MaskSubByteElements(PrimitiveType type, uint8_t* elements, int64_t count) {
  const uint8_t mask = static_cast<uint8_t>((1 << BitWidth(type)) - 1);
  for (int64_t i = 0; i < count; ++i) elements[i] &= mask;
}

}  // namespace xla
