#include "xla_core/text/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

// XLA prints -0, but reads that as the integer 0.
constexpr const char* kNegativeZero = "-0.0";

template <typename Float>
struct Bits;
template <>
struct Bits<float> {
  using Word = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr int kFewDigits = std::numeric_limits<float>::digits10;
  static constexpr int kAllDigits = std::numeric_limits<float>::max_digits10;
  static constexpr double kFirstTooLong = 1e6;  // where %.6g turns to exponents
};
template <>
struct Bits<double> {
  using Word = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr int kFewDigits = std::numeric_limits<double>::digits10;
  static constexpr int kAllDigits = std::numeric_limits<double>::max_digits10;
  static constexpr double kFirstTooLong = 1e15;
};

template <typename Float>
typename Bits<Float>::Word ToBits(Float value) {
  typename Bits<Float>::Word bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <typename Float>
bool NanFromText(absl::string_view text, bool negative, Float* value) {
  using Word = typename Bits<Float>::Word;
  constexpr int kMantissa = Bits<Float>::kMantissa;
  uint64_t payload = NanPayload(text);
  if (payload >> kMantissa != 0) return false;
  if (payload == 0) payload = uint64_t{1} << (kMantissa - 1);
  Word bits = ToBits(std::numeric_limits<Float>::infinity()) | static_cast<Word>(payload);
  if (negative) bits |= Word{1} << (8 * sizeof(Word) - 1);
  std::memcpy(value, &bits, sizeof(bits));
  return true;
}

// Reads a float. Too small numbers become zeros with their sign; too large ones are errors, as an infinity has to be
// written as such.
template <typename Float>
bool FromText(absl::string_view text, Float* value) {
  const bool negative = !text.empty() && text[0] == '-';
  const absl::string_view magnitude = text.substr(negative ? 1 : 0);
  if (magnitude == "inf") {
    *value = negative ? -std::numeric_limits<Float>::infinity() : std::numeric_limits<Float>::infinity();
    return true;
  }
  if (!magnitude.empty() && magnitude[0] == 'n') return NanFromText(magnitude, negative, value);
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *value);
  if (result.ec == std::errc::result_out_of_range) {
    // The standard library does not say whether the number is too large or too small; Abseil does, by its value.
    absl::from_chars(text.data(), end, *value);
    if (std::abs(*value) > 1) return false;
    *value = negative ? -Float{0} : Float{0};
    return true;
  }
  return result.ec == std::errc() && result.ptr == end && !std::isinf(*value);
}

void AppendNan(bool negative, uint64_t payload, uint64_t default_payload, std::string* out) {
  absl::StrAppend(out, negative ? "-nan" : "nan");
  if (payload != default_payload) absl::StrAppend(out, "(0x", absl::Hex(payload), ")");
}

template <typename Float>
void AppendWithDigits(Float value, int digits, std::string* out) {
  char buffer[64];
  const std::to_chars_result result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits);
  out->append(buffer, result.ptr - buffer);
}

// Digits in front of the exponent.
int DigitCount(absl::string_view scientific) {
  int count = 0;
  for (char c : scientific) {
    if (c == 'e') break;
    count += c >= '0' && c <= '9' ? 1 : 0;
  }
  return count;
}

// Text that reads back as the same value: as printf's %.6g where six digits suffice, and with all digits otherwise.
// Zeros keep their sign; NaN keeps its payload unless it is the usual one.
template <typename Float>
void Append(Float value, std::string* out) {
  using B = Bits<Float>;
  if (std::isnan(value)) {
    const auto bits = ToBits(value);
    constexpr auto kOne = typename B::Word{1};
    AppendNan(std::signbit(value), bits & ((kOne << B::kMantissa) - 1), kOne << (B::kMantissa - 1), out);
    return;
  }
  if (value == 0 && std::signbit(value)) {
    out->append(kNegativeZero);
    return;
  }
  if (std::isinf(value)) {
    absl::StrAppend(out, value < 0 ? "-inf" : "inf");
    return;
  }
  // Small whole numbers, which are most constants.
  if (std::abs(value) < 100000 && value == static_cast<int32_t>(value)) {
    absl::StrAppend(out, static_cast<int32_t>(value));
    return;
  }
  char buffer[64];
  const auto view = [&buffer](std::to_chars_result result) { return absl::string_view(buffer, result.ptr - buffer); };
  const absl::string_view shortest =
      view(std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific));
  // Any decimal of this few digits survives the way to a normal float and back, so these are the digits of %.6g.
  if (std::abs(value) >= std::numeric_limits<Float>::min() && DigitCount(shortest) <= B::kFewDigits) {
    const double magnitude = std::abs(static_cast<double>(value));
    const bool fixed = magnitude >= 1e-4 && magnitude < B::kFirstTooLong;
    absl::StrAppend(
        out, fixed ? view(std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed)) : shortest);
    return;
  }
  if (std::abs(value) >= std::numeric_limits<Float>::min()) return AppendWithDigits(value, B::kAllDigits, out);
  const absl::string_view few =
      view(std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, B::kFewDigits));
  Float read_back;
  if (std::from_chars(few.data(), few.data() + few.size(), read_back).ec == std::errc() && read_back == value) {
    absl::StrAppend(out, few);
  } else {
    AppendWithDigits(value, B::kAllDigits, out);
  }
}

}  // namespace

bool TextToDouble(absl::string_view text, double* value) { return FromText(text, value); }
bool TextToFloat(absl::string_view text, float* value) { return FromText(text, value); }

uint64_t NanPayload(absl::string_view text) {
  const size_t open = text.find("(0x");
  uint64_t payload = 0;
  if (open != absl::string_view::npos) std::from_chars(text.data() + open + 3, text.data() + text.size(), payload, 16);
  return payload;
}

void AppendFloat(float value, std::string* out) { Append(value, out); }
void AppendDouble(double value, std::string* out) { Append(value, out); }

// As for f32, with the digits that the narrow format needs.
void AppendNarrow(PrimitiveType type, uint32_t bits, std::string* out) {
  const NarrowFormat format = NarrowFormatOf(type);
  const FloatTraits& traits = TraitsOf(format);
  if (IsNan(format, bits)) {
    const bool unsigned_nan = FormatOf(format).nan_style == NanStyle::kNegativeZero;
    const uint64_t payload_mask = (uint64_t{1} << traits.nan_payload_bits) - 1;
    AppendNan(!unsigned_nan && (bits & traits.sign_mask) != 0, bits & payload_mask, traits.nan_bits & payload_mask,
              out);
    return;
  }
  const double value = DecodeNarrow(format, bits);
  if (value == 0 && std::signbit(value)) {
    out->append(kNegativeZero);
    return;
  }
  if (std::abs(value) < 100 && value == static_cast<int32_t>(value)) {
    absl::StrAppend(out, static_cast<int32_t>(value));
    return;
  }
  AppendWithDigits(value, traits.max_digits10, out);
}

}  // namespace xla
