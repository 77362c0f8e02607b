#include "builders/stablehlo/text/token_reader.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "builders/stablehlo/text/parser.h"
#include "xla_core/text/number_text.h"

namespace xla {
namespace stablehlo {

bool TokenReader::Nested::ok() const {
  return reader_.nesting_ <= kMaxTextNesting ||
         reader_.Error(absl::StrCat("nested deeper than ", kMaxTextNesting, " levels"));
}

bool TokenReader::ReadDigits(bool is_negative, int64_t* value) {
  const absl::string_view text = token_.text;
  uint64_t magnitude = 0;
  const bool is_hex = text.size() > 2 && text[1] == 'x';
  const bool is_read = is_hex ? absl::SimpleHexAtoi(text, &magnitude) : absl::SimpleAtoi(text, &magnitude);
  const uint64_t most = uint64_t{std::numeric_limits<int64_t>::max()} + is_negative;
  if (!is_read || magnitude > most) return Error("this integer does not fit in 64 bits");
  *value = static_cast<int64_t>(is_negative ? -magnitude : magnitude);
  Advance();
  return true;
}

bool TokenReader::ReadInteger(int64_t* value) {
  const bool is_negative = ConsumeIf('-');
  return token_.Is(TokenKind::kInteger) ? ReadDigits(is_negative, value) : ErrorExpected("an integer");
}

bool TokenReader::ReadIntegerFrom(int64_t least, int64_t* value) {
  const char* const at = token_.begin();
  if (!ReadInteger(value)) return false;
  return *value >= least || ErrorAt(at, absl::StrCat("expected at least ", least, ", found ", *value));
}

bool TokenReader::ReadNumber(double* value) {
  const bool is_negative = ConsumeIf('-');
  if (!token_.Is(TokenKind::kFloat) && !token_.Is(TokenKind::kInteger)) return ErrorExpected("a number");
  if (!TextToDouble(token_.text, value)) return Error("this number is not a finite double");
  if (is_negative) *value = -*value;
  Advance();
  return true;
}

bool TokenReader::ReadBool(bool* value) {
  *value = token_.IsWord("true");
  return *value || token_.IsWord("false") ? (Advance(), true) : ErrorExpected("'true' or 'false'");
}

bool TokenReader::ReadString(std::string* value) {
  if (!token_.Is(TokenKind::kString)) return ErrorExpected("a string");
  const char* error_at = nullptr;
  if (!UnescapeString(token_.text, value, &error_at)) {
    return ErrorAt(error_at, "expected \\n, \\t, \\\", \\\\ or two hexadecimal digits after the backslash");
  }
  Advance();
  return true;
}

bool TokenReader::ReadWord(absl::string_view what, absl::string_view* word) {
  if (!token_.Is(TokenKind::kWord)) return ErrorExpected(what);
  *word = token_.text;
  Advance();
  return true;
}

bool TokenReader::ReadSymbol(std::string* value) {
  if (!token_.Is(TokenKind::kSymbol)) return ErrorExpected("a symbol such as @main");
  const absl::string_view name = token_.text.substr(1);
  const char* error_at = nullptr;
  if (name[0] != '"') {
    *value = std::string(name);
  } else if (!UnescapeString(name, value, &error_at)) {
    return ErrorAt(error_at, "expected \\n, \\t, \\\", \\\\ or two hexadecimal digits after the backslash");
  }
  Advance();
  return true;
}

}  // namespace stablehlo
}  // namespace xla
