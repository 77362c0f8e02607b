#include "builders/nnef1/language/lexer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "builders/nnef_common/number_token.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr absl::string_view kLexicalRule = "3.1";

constexpr absl::string_view kKeywords[] = {
    "version",   "extension", "graph", "fragment", "tensor", "integer", "scalar", "logical", "string", "shape_of",
    "length_of", "range_of",  "for",   "in",       "yield",  "if",      "else",   "true",    "false"};

// Longer ones before those that they begin with.
constexpr absl::string_view kSymbols[] = {"->", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "^", "<",
                                          ">",  "!",  "(",  ")",  "[",  "]",  "{",  "}", ":", "=", ",", ";", "?"};

bool StartsWord(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool ContinuesWord(char c) { return StartsWord(c) || IsDigit(c); }
bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

class Lexer {
 public:
  Lexer(const std::shared_ptr<const Source>& source, ErrorClass error_class, Diagnostics* diagnostics)
      : source_(source), text_(source->text), error_class_(error_class), diagnostics_(*diagnostics) {}

  // All tokens up to the end; errors are reported and the rest is read nevertheless.
  std::vector<Token> Run() {
    while (!diagnostics_.IsOver() && SkipBlanks()) {
      const char c = text_[position_];
      if (StartsWord(c)) {
        Word();
      } else if (IsDigit(c)) {
        Number();
      } else if (c == '\'' || c == '"') {
        String(c);
      } else {
        Symbol();
      }
    }
    Push(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char Peek(size_t offset) const { return position_ + offset < text_.size() ? text_[position_ + offset] : '\0'; }

  // False at the end of the text.
  bool SkipBlanks() {
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '\n') {
        ++line_;
        line_begin_ = position_ + 1;
        is_comment_ = false;
      } else if (c == '\f') {
        is_comment_ = false;
      } else if (c == '#') {
        is_comment_ = true;
      } else if (!is_comment_ && c != ' ' && c != '\t' && c != '\v' && c != '\r') {
        return true;
      }
    }
    return false;
  }

  Span Here(size_t size) const {
    return Span{line_, static_cast<int>(position_ - line_begin_) + 1, std::max(1, static_cast<int>(size))};
  }

  void Push(TokenKind kind, size_t size) {
    tokens_.push_back(Token{kind, text_.substr(position_, size), Here(size)});
    position_ += size;
  }

  void Invalid(size_t size, std::string message, std::string suggestion = "") {
    diagnostics_.Error(error_class_, At(source_, Here(size)), std::move(message), kLexicalRule, std::move(suggestion));
    Push(TokenKind::kInvalid, size);
  }

  void Word() {
    size_t size = 1;
    while (ContinuesWord(Peek(size))) ++size;
    Push(IsKeyword(text_.substr(position_, size)) ? TokenKind::kKeyword : TokenKind::kIdentifier, size);
  }

  // An integer, or a scalar if it has a point or an exponent. A number cannot be followed by a letter.
  void Number() {
    const NumberToken number = ReadNumberToken(text_.substr(position_));
    size_t size = number.size;
    if (number.lacks_its_exponent) return Invalid(size, "expected digits in the exponent of a number");
    if (ContinuesWord(Peek(size))) {
      while (ContinuesWord(Peek(size))) ++size;
      return Invalid(size, absl::StrCat("'", text_.substr(position_, size), "' is neither a number nor an identifier"),
                     "an identifier must not start with a digit");
    }
    Push(number.is_integer ? TokenKind::kInteger : TokenKind::kScalar, size);
  }

  // Strings have printable ASCII only, in either kind of quotes, and end on their line.
  void String(char quote) {
    size_t size = 1;
    while (position_ + size < text_.size()) {
      const char c = text_[position_ + size];
      if (c == quote) return Push(TokenKind::kString, size + 1);
      if (c == '\n' || c == '\r') break;
      if (!IsPrintable(c)) {
        return Invalid(StringEnd(size, quote),
                       absl::StrFormat("a string holds printable ASCII characters only, got byte 0x%02X",
                                       static_cast<unsigned char>(c)));
      }
      if (c == '\\') {
        const char escaped = Peek(size + 1);
        if (escaped != '\'' && escaped != '"' && escaped != '\\') {
          return Invalid(StringEnd(size, quote), "a backslash in a string escapes a quote or a backslash only",
                         "write two backslashes for one");
        }
        ++size;
      }
      ++size;
    }
    Invalid(size, absl::StrCat("the string has no closing ", absl::string_view(&quote, 1)),
            "the quotes at both ends of a string are the same character");
  }

  // One past the closing quote of a string that is wrong somewhere before it, or the end of the line.
  size_t StringEnd(size_t size, char quote) const {
    for (; position_ + size < text_.size(); ++size) {
      const char c = text_[position_ + size];
      if (c == '\n' || c == '\r') return size;
      if (c == quote) return size + 1;
      if (c == '\\' && (Peek(size + 1) == quote || Peek(size + 1) == '\\')) ++size;
    }
    return std::min(size, text_.size() - position_);
  }

  // The longest symbol that fits. Several strange bytes in sequence are one error, for they often are one character
  // of UTF-8.
  void Symbol() {
    for (const absl::string_view symbol : kSymbols) {
      if (text_.substr(position_, symbol.size()) == symbol) return Push(TokenKind::kSymbol, symbol.size());
    }
    // A run of strange bytes is one error.
    size_t size = 1;
    while (!IsPrintable(Peek(size - 1)) && position_ + size < text_.size() && !IsPrintable(Peek(size)) &&
           !absl::ascii_isspace(static_cast<unsigned char>(Peek(size)))) {
      ++size;
    }
    const char c = text_[position_];
    if (c == '.') return Invalid(size, "unexpected '.'", "a number starts with a digit: write 0.5, not .5");
    if (text_.substr(position_, 3) == "\xEF\xBB\xBF") {
      return Invalid(3, "a byte order mark is no part of the language", "save the file as plain ASCII");
    }
    Invalid(size, IsPrintable(c) ? absl::StrCat("unexpected character '", absl::string_view(&c, 1), "'")
                                 : absl::StrFormat("unexpected byte 0x%02X", static_cast<unsigned char>(c)));
  }

  const std::shared_ptr<const Source>& source_;
  const absl::string_view text_;
  const ErrorClass error_class_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  size_t line_begin_ = 0;
  int line_ = 1;
  bool is_comment_ = false;
};

}  // namespace

std::vector<Token> Tokenize(const std::shared_ptr<const Source>& source, ErrorClass error_class,
                            Diagnostics* diagnostics) {
  return Lexer(source, error_class, diagnostics).Run();
}

std::string UnquoteString(absl::string_view token) {
  std::string text;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\\') ++i;
    text += token[i];
  }
  return text;
}

bool IsKeyword(absl::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

}  // namespace nnef1
}  // namespace xla
