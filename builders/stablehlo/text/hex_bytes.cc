#include "builders/stablehlo/text/hex_bytes.h"

#include <array>
#include <cstdint>

namespace xla {
namespace stablehlo {
namespace {

constexpr int8_t kNotADigit = -1;

constexpr std::array<int8_t, 256> MakeDigitValues() {
  std::array<int8_t, 256> values = {};
  for (int8_t& value : values) value = kNotADigit;
  for (int i = 0; i < 10; ++i) values['0' + i] = static_cast<int8_t>(i);
  for (int i = 0; i < 6; ++i) values['a' + i] = values['A' + i] = static_cast<int8_t>(10 + i);
  return values;
}
constexpr std::array<int8_t, 256> kDigitValues = MakeDigitValues();

}  // namespace

const char* DecodeHex(absl::string_view digits, char* bytes) {
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = kDigitValues[static_cast<uint8_t>(digits[i])];
    const int low = kDigitValues[static_cast<uint8_t>(digits[i + 1])];
    if (high < 0) return digits.data() + i;
    if (low < 0) return digits.data() + i + 1;
    bytes[i / 2] = static_cast<char>(high * 16 + low);
  }
  return nullptr;
}

void AppendHex(absl::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out->reserve(out->size() + 2 * bytes.size());
  for (const char byte : bytes) {
    out->push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    out->push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
}

}  // namespace stablehlo
}  // namespace xla
