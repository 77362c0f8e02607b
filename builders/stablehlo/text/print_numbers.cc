#include "builders/stablehlo/text/print_numbers.h"

#include <charconv>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace xla {
namespace stablehlo {
namespace {

// Enough for a double with 17 digits.
using Digits = char[64];

absl::string_view Format(double value, std::chars_format format, int precision, Digits digits) {
  const std::to_chars_result result = std::to_chars(digits, digits + sizeof(Digits), value, format, precision);
  return absl::string_view(digits, result.ptr - digits);
}

double Parse(absl::string_view digits) {
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace

void AppendDecimal(double value, FloatKind kind, std::string* out) {
  Digits buffer;
  const uint64_t bits = FloatToBits(kind, value);
  absl::string_view digits = Format(value, std::chars_format::scientific, 6, buffer);
  for (int precision = 9; FloatToBits(kind, Parse(digits)) != bits && precision <= 17; precision += 4) {
    digits = Format(value, std::chars_format::general, precision, buffer);
  }
  // A float needs a dot, and MLIR reads an exponent only after it.
  const size_t exponent = digits.find('e');
  const absl::string_view mantissa = digits.substr(0, exponent);
  out->append(mantissa.data(), mantissa.size());
  if (mantissa.find('.') == absl::string_view::npos) out->append(".0");
  if (exponent != absl::string_view::npos) out->append(digits.data() + exponent, digits.size() - exponent);
}

void AppendFloat(uint64_t bits, FloatKind kind, std::string* out) {
  const double value = FloatFromBits(kind, bits);
  if (std::isfinite(value)) return AppendDecimal(value, kind, out);
  const int digits = (GetFloatKindInfo(kind).bits + 3) / 4;
  out->append(absl::StrFormat("0x%0*X", digits, bits));
}

void AppendString(absl::string_view text, std::string* out) {
  constexpr char kHexDigits[] = "0123456789ABCDEF";
  out->push_back('"');
  for (const char c : text) {
    if (c == '\\') {
      out->append("\\\\");
    } else if (absl::ascii_isprint(static_cast<unsigned char>(c)) && c != '"') {
      out->push_back(c);
    } else {
      out->push_back('\\');
      out->push_back(kHexDigits[static_cast<unsigned char>(c) >> 4]);
      out->push_back(kHexDigits[static_cast<unsigned char>(c) & 15]);
    }
  }
  out->push_back('"');
}

bool IsWord(absl::string_view text) {
  const auto is_start = [](char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  if (text.empty() || !is_start(text[0])) return false;
  for (const char c : text) {
    if (!is_start(c) && !absl::ascii_isdigit(static_cast<unsigned char>(c)) && c != '$' && c != '.') return false;
  }
  return true;
}

void AppendSymbol(absl::string_view name, std::string* out) {
  out->push_back('@');
  if (IsWord(name)) {
    out->append(name.data(), name.size());
  } else {
    AppendString(name, out);
  }
}

}  // namespace stablehlo
}  // namespace xla
