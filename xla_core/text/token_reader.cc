#include "xla_core/text/token_reader.h"

#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/text/number_text.h"

namespace xla {

void TokenReader::CheckLimits() {
  until_check_ = kTokensPerCheck;
  if (!diagnostics_->MustStop()) return;
  lexer_.set_position(lexer_.end());
  token_ = lexer_.Next();
}

std::string TokenReader::Found() const {
  switch (token_.kind) {
    case TokenKind::kEnd:
      return Spelling(token_.kind);
    case TokenKind::kString:
      return absl::StrCat("the string ", Quoted(token_.text));
    case TokenKind::kAttributeName:
      return Quoted(absl::string_view(token_.begin, token_.text.size() + 1));
    default:
      return Quoted(token_.text);
  }
}

bool TokenReader::ErrorAt(const char* at, std::string message) {
  if (token_.kind == TokenKind::kError) return diagnostics_->Error(token_.begin, token_.error);
  return diagnostics_->Error(at, std::move(message));
}

bool TokenReader::ErrorExpected(absl::string_view what) {
  return Error(absl::StrCat("expected ", what, ", found ", Found()));
}

bool TokenReader::ErrorUnknown(absl::string_view what, absl::Span<const absl::string_view> known) {
  return Error(absl::StrCat("unknown ", what, " ", Found(), DidYouMean(token_.text, known)));
}

bool TokenReader::Expect(TokenKind kind, const char* context) {
  if (Accept(kind)) return true;
  return ErrorExpected(absl::StrCat(Spelling(kind), " ", context));
}

bool TokenReader::ParseInt(int64_t* value) {
  if (!Is(TokenKind::kInteger)) return ErrorExpected("an integer");
  // From 2^63 on only the values of u64 can be, and they are read elsewhere.
  if (token_.overflow || (token_.integer < 0 && !token_.negative)) {
    return Error(absl::StrCat("integer ", Found(), " does not fit in 64 bits with a sign"));
  }
  *value = token_.integer;
  Next();
  return true;
}

bool TokenReader::ParseNonNegative(int64_t* value, absl::string_view what) {
  const char* const begin = token_.begin;
  const bool negative = token_.negative;
  if (!ParseInt(value)) return false;
  if (!negative && *value >= 0) return true;
  return diagnostics_->Error(begin, absl::StrCat(what, " must be between 0 and 2^63 - 1"));
}

bool TokenReader::ParseInt32(int32_t* value) {
  const char* const begin = token_.begin;
  int64_t wide;
  if (!ParseInt(&wide)) return false;
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return diagnostics_->Error(begin, absl::StrCat("integer ", wide, " does not fit in 32 bits"));
  }
  *value = static_cast<int32_t>(wide);
  return true;
}

bool TokenReader::ParseBool(bool* value) {
  if (Accept(Keyword::kTrue)) {
    *value = true;
  } else if (Accept(Keyword::kFalse)) {
    *value = false;
  } else {
    return ErrorExpected("true or false");
  }
  return true;
}

bool TokenReader::ParseDouble(double* value) {
  if (!Is(TokenKind::kInteger) && !Is(TokenKind::kDecimal) && !Is(TokenKind::kInfinity)) {
    return ErrorExpected("a number");
  }
  if (!TextToDouble(token_.text, value)) return Error(absl::StrCat("number ", Found(), " is out of range"));
  Next();
  return true;
}

bool TokenReader::ParseFloat(float* value) {
  if (!Is(TokenKind::kInteger) && !Is(TokenKind::kDecimal) && !Is(TokenKind::kInfinity)) {
    return ErrorExpected("a number");
  }
  if (!TextToFloat(token_.text, value)) return Error(absl::StrCat("number ", Found(), " is out of range for f32"));
  Next();
  return true;
}

bool TokenReader::ParseString(std::string* value) {
  if (!Is(TokenKind::kString)) return ErrorExpected("a string in quotes");
  if (!UnescapeString(token_.text, value))
    return Error("this string has an escape that does not exist; write \\\\ for a backslash");
  Next();
  return true;
}

bool TokenReader::ParseString(SharedString* value) {
  if (Is(TokenKind::kString) && token_.text.find('\\') == absl::string_view::npos) {
    *value = strings_->Get(token_.text);
    Next();
    return true;
  }
  std::string unescaped;
  if (!ParseString(&unescaped)) return false;
  *value = strings_->Get(unescaped);
  return true;
}

bool TokenReader::ParseName(absl::string_view* name, const char* what) {
  if (!Is(TokenKind::kName) && !Is(TokenKind::kIdentifier)) return ErrorExpected(what);
  *name = token_.text;
  Next();
  return true;
}

// Takes text from `{` to the brace that closes it, such as JSON, without looking at tokens. Braces within strings do
// not count.
bool TokenReader::ParseBracedText(absl::string_view* text) {
  if (!Is(TokenKind::kLeftBrace)) return ErrorExpected("'{'");
  const char* const begin = token_.begin;
  const char* const end = lexer_.end();
  int64_t depth = 0;
  bool quoted = false;
  for (const char* p = begin; p < end; ++p) {
    if (quoted) {
      if (*p == '\\') {
        ++p;
      } else if (*p == '"') {
        quoted = false;
      }
    } else if (*p == '"') {
      quoted = true;
    } else if (*p == '{') {
      ++depth;
    } else if (*p == '}' && --depth == 0) {
      *text = absl::string_view(begin, p + 1 - begin);
      ContinueAt(p + 1);
      return true;
    }
  }
  return Error("this '{' is not closed");
}

bool TokenReader::ParseStringOrJson(std::string* value) {
  if (Is(TokenKind::kString)) return ParseString(value);
  if (!Is(TokenKind::kLeftBrace)) return ErrorExpected("a string in quotes or a JSON dictionary");
  absl::string_view text;
  if (!ParseBracedText(&text)) return false;
  value->assign(text.data(), text.size());
  return true;
}

bool UnescapeString(absl::string_view escaped, std::string* out) {
  if (escaped.empty() || std::memchr(escaped.data(), '\\', escaped.size()) == nullptr) {
    out->assign(escaped.data(), escaped.size());
    return true;
  }
  return absl::CUnescape(escaped, out);
}

}  // namespace xla
