#include "xla_core/text/element_text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/text/diagnostics.h"
#include "xla_core/text/number_text.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// The values of an integer type, as 64-bit numbers: min is 0 for unsigned types.
struct IntRange {
  int64_t min;
  uint64_t max;
};

IntRange RangeOf(PrimitiveType type) {
  const int bits = BitWidth(type);
  if (IsSignedInt(type)) {
    const auto max = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return {-max - 1, static_cast<uint64_t>(max)};
  }
  return {0, bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1};
}

std::string OutOfRange(absl::string_view value, PrimitiveType type, absl::string_view min, absl::string_view max) {
  return absl::StrCat("value ", value, " is out of range for ", PrimitiveTypeName(type), ", which holds ", min, " to ",
                      max);
}

// Stores an integer of the given type. Values that do not fit are errors, with XLA's exception of u64, which accepts
// negative numbers.
bool StoreInteger(PrimitiveType type, const Token& token, void* out, std::string* error) {
  if (token.kind != TokenKind::kInteger) {
    *error = absl::StrCat("expected an integer for ", PrimitiveTypeName(type), ", found ", Quoted(token.text));
    return false;
  }
  const IntRange range = RangeOf(type);
  const bool is_negative = token.integer < 0 && token.negative;
  // Negative numbers wrap in u64, as XLA has it.
  const bool fits =
      !token.overflow &&
      (type == U64 || (is_negative ? token.integer >= range.min : static_cast<uint64_t>(token.integer) <= range.max));
  if (!fits) {
    *error = OutOfRange(token.text, type, absl::StrCat(range.min), absl::StrCat(range.max));
    return false;
  }
  std::memcpy(out, &token.integer, ByteWidth(type));  // little-endian: the low bytes come first
  return true;
}

bool StorePred(const Token& token, void* out, std::string* error) {
  bool value;
  if (token.Is(Keyword::kTrue) || token.Is(Keyword::kFalse)) {
    value = token.Is(Keyword::kTrue);
  } else if (token.kind == TokenKind::kInteger) {
    value = token.integer != 0 || token.overflow;
  } else {
    *error = absl::StrCat("expected true, false or an integer for pred, found ", Quoted(token.text));
    return false;
  }
  std::memcpy(out, &value, 1);
  return true;
}

// The bits of a written NaN in a narrow format. False if it cannot carry the payload.
bool NarrowNan(NarrowFormat format, absl::string_view text, uint32_t* bits) {
  const FloatTraits& traits = TraitsOf(format);
  const bool negative = text[0] == '-' && FormatOf(format).nan_style != NanStyle::kNegativeZero;
  const uint64_t payload = NanPayload(text);
  if (payload >> traits.nan_payload_bits != 0) return false;
  if (FormatOf(format).nan_style == NanStyle::kNone) {
    *bits = EncodeNarrow(format, std::numeric_limits<double>::quiet_NaN());
    return true;
  }
  *bits = payload == 0 ? traits.nan_bits : traits.infinity_bits | static_cast<uint32_t>(payload);
  if (negative) *bits |= traits.sign_mask;
  return true;
}

// The narrow number nearest to a finite `value`. False if that is an infinity or NaN, or if the format (f8e8m0fnu) has
// positive numbers only.
bool NarrowFinite(NarrowFormat format, double value, uint32_t* bits) {
  const FloatTraits& traits = TraitsOf(format);
  if (!FormatOf(format).has_sign && !(value > 0)) return false;
  *bits = EncodeNarrow(format, value);
  if (IsNan(format, *bits)) return false;
  return !FormatOf(format).has_infinity || (*bits & traits.magnitude_mask) != traits.infinity_bits;
}

bool NarrowFromText(NarrowFormat format, absl::string_view text, uint32_t* bits) {
  double value;
  if (!TextToDouble(text, &value)) return false;
  if (std::isnan(value)) return NarrowNan(format, text, bits);
  if (std::isinf(value)) {
    *bits = EncodeNarrow(format, value);
    return true;
  }
  return NarrowFinite(format, value, bits);
}

void StoreBits(uint32_t bits, PrimitiveType type, void* out) { std::memcpy(out, &bits, ByteWidth(type)); }

// Reads the text straight into the type, so that it is rounded once and not by way of double.
bool FloatFromText(PrimitiveType type, absl::string_view text, void* out) {
  if (type == F32) {
    float value;
    if (!TextToFloat(text, &value)) return false;
    std::memcpy(out, &value, sizeof(value));
    return true;
  }
  if (type == F64) {
    double value;
    if (!TextToDouble(text, &value)) return false;
    std::memcpy(out, &value, sizeof(value));
    return true;
  }
  uint32_t bits;
  if (!NarrowFromText(NarrowFormatOf(type), text, &bits)) return false;
  StoreBits(bits, type, out);
  return true;
}

std::string FloatRangeError(PrimitiveType type, const Token& token) {
  if (NanPayload(token.text) != 0) {
    return absl::StrCat(PrimitiveTypeName(type), " has no NaN with the payload of ", token.text);
  }
  const auto limit = [](double value) { return absl::StrCat(value); };
  if (type == F32) {
    constexpr double kMax = std::numeric_limits<float>::max();
    return OutOfRange(token.text, type, limit(-kMax), limit(kMax));
  }
  if (type == F64) {
    constexpr double kMax = std::numeric_limits<double>::max();
    return OutOfRange(token.text, type, limit(-kMax), limit(kMax));
  }
  const FloatTraits& traits = TraitsOf(NarrowFormatOf(type));
  return OutOfRange(token.text, type, limit(traits.lowest), limit(traits.max));
}

bool StoreFloat(PrimitiveType type, const Token& token, void* out, std::string* error) {
  if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kDecimal && token.kind != TokenKind::kInfinity) {
    *error = absl::StrCat("expected a number for ", PrimitiveTypeName(type), ", found ", Quoted(token.text));
    return false;
  }
  if (FloatFromText(type, token.text, out)) return true;
  *error = FloatRangeError(type, token);
  return false;
}

bool IsSeparator(char c) { return c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

const char* SkipSeparators(const char* p, const char* end) {
  while (p < end && IsSeparator(*p)) ++p;
  return p;
}

// End of the run of characters that plain numbers are made of.
const char* EndOfNumber(const char* p, const char* end) {
  while (p < end && ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '+' || *p == 'e' || *p == 'E')) ++p;
  return p;
}

// Runs `store(number, index)` over the numbers of [p, end).
template <typename Store>
int64_t ForEachNumber(const char* p, const char* end, int64_t count, const char** stopped_at, Store store) {
  int64_t n = 0;
  *stopped_at = p;
  for (; n < count; ++n) {
    if (p == end || !((*p >= '0' && *p <= '9') || *p == '-')) break;
    const char* const after = EndOfNumber(p, end);
    if (after < end && !IsSeparator(*after) && *after != '}') break;
    if (!store(absl::string_view(p, after - p), n)) break;
    *stopped_at = p = SkipSeparators(after, end);
  }
  return n;
}

// A whole number of few enough digits that nothing can overflow.
bool ShortInteger(absl::string_view text, int64_t* value) {
  constexpr size_t kSafeDigits = 18;
  const bool negative = text[0] == '-';
  const absl::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > kSafeDigits) return false;
  int64_t result = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return false;
    result = result * 10 + (c - '0');
  }
  *value = negative ? -result : result;
  return true;
}

template <typename T>
struct Appender {
  std::string* out;
  // Appends one element: predicates as 0 and 1, complex numbers as `(re, im)`, floats with as many digits as reading
  // them back needs.
  void operator()(T value) const {
    if constexpr (std::is_same_v<T, float>) {
      AppendFloat(value, out);
    } else if constexpr (std::is_same_v<T, double>) {
      AppendDouble(value, out);
    } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
      const Appender<typename T::value_type> part{out};
      out->push_back('(');
      part(value.real());
      absl::StrAppend(out, ", ");
      part(value.imag());
      out->push_back(')');
    } else if constexpr (std::is_same_v<T, bool>) {
      out->push_back(value ? '1' : '0');
    } else {
      char buffer[24];
      out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr - buffer);
    }
  }
};

void AppendNarrowElements(PrimitiveType type, const void* data, int64_t count, std::string* out) {
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) out->append(", ", 2);
    uint32_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(data) + i * ByteWidth(type), ByteWidth(type));
    AppendNarrow(type, bits, out);
  }
}

}  // namespace

bool StoreElement(PrimitiveType type, const Token& token, void* out, std::string* error) {
  if (type == PRED) return StorePred(token, out, error);
  if (IsInt(type)) return StoreInteger(type, token, out, error);
  return StoreFloat(type, token, out, error);
}

// The fast path for lists of plain numbers: stores up to `count` of them and says where it stopped. It stops at
// anything unusual, for which the caller parses one element in the general way, errors included.
int64_t StoreElements(PrimitiveType type, const char* begin, const char* end, void* out, int64_t count,
                      const char** stopped_at) {
  if (IsFloat(type)) {
    const int width = ByteWidth(type);
    return ForEachNumber(begin, end, count, stopped_at, [&](absl::string_view text, int64_t i) {
      return FloatFromText(type, text, static_cast<char*>(out) + i * width);
    });
  }
  if (type == PRED) {
    return ForEachNumber(begin, end, count, stopped_at, [&](absl::string_view text, int64_t i) {
      int64_t value;
      if (!ShortInteger(text, &value)) return false;
      static_cast<bool*>(out)[i] = value != 0;
      return true;
    });
  }
  const IntRange range = RangeOf(type);
  return DispatchInt(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    return ForEachNumber(begin, end, count, stopped_at, [&](absl::string_view text, int64_t i) {
      int64_t value;
      if (!ShortInteger(text, &value)) return false;
      if (value < range.min || (value > 0 && static_cast<uint64_t>(value) > range.max)) return false;
      static_cast<T*>(out)[i] = static_cast<T>(value);
      return true;
    });
  });
}

void AppendElements(PrimitiveType type, const void* data, int64_t count, std::string* out) {
  if (IsNarrowFloatType(type)) return AppendNarrowElements(type, data, count, out);
  DispatchNative(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    const Appender<T> append{out};
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) out->append(", ", 2);
      append(static_cast<const T*>(data)[i]);
    }
  });
}

void AppendScalar(PrimitiveType type, const void* data, std::string* out) {
  if (type == PRED) {
    absl::StrAppend(out, *static_cast<const bool*>(data) ? "true" : "false");
  } else {
    AppendElements(type, data, 1, out);
  }
}

}  // namespace xla
