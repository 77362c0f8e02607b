// Cuts HLO text into tokens, as XLA's hlo_lexer.cc does. Tokens are views into the text: nothing is copied.
#ifndef XLA_CORE_TEXT_LEXER_H_
#define XLA_CORE_TEXT_LEXER_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Kinds are those of XLA's lexer; each word that has its own syntax (a shape's type, dim_labels, 3x3, 0_1x2_3) is one
// token, so that parsers need not look at characters.
enum class TokenKind : uint8_t {
  kEnd,
  kError,  // Token::error says why
  kEqual,
  kComma,
  kColon,
  kAsterisk,
  kPound,
  kPlus,
  kTilde,
  kQuestion,
  kLessEqual,  // <=
  kArrow,      // ->
  kDots,       // ...
  kLeftSquare,
  kRightSquare,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kName,           // %name, or name: with its colon
  kIdentifier,     // opcode, enumerator, name without percent sign
  kAttributeName,  // dimensions= with its equals sign
  kType,           // f32
  kKeyword,
  kInteger,
  kDecimal,   // 1.5, 1e3, nan, -nan, nan(0x1)
  kInfinity,  // inf, -inf
  kDimLabels,
  kDxD,
  kPad,
  kString,
};

// The words that are tokens of their own in XLA's lexer; each is spelled as its name says: kEntry is ENTRY.
enum class Keyword : uint8_t {
  kNone,
  kTrue,
  kFalse,
  kHloModule,
  kEntry,
  kRoot,
  kMaximal,
  kReplicated,
  kManual,
  kLastTileDimReplicate,
  kShardAs,
  kShardLike,
  kUnknown,
  kUnreduced,
  kFileNames,
  kFunctionNames,
  kFileLocations,
  kStackFrames,
};

// A token by value. `begin` points to its first character in the text, for the line and column of messages; `text` is
// set for words and strings.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword = Keyword::kNone;
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  // Of an integer: written with a minus sign; does not fit in 64 bits (then `integer` means nothing).
  bool negative = false;
  bool overflow = false;
  // Of an integer: its value. One from 2^63 to 2^64-1 stands as its bits.
  int64_t integer = 0;
  const char* begin = nullptr;
  // The word without %, colon or equals sign; the inside of a string as it is written.
  absl::string_view text;
  const char* error = nullptr;

  bool Is(Keyword k) const { return keyword == k; }
};

// A position in a text, which outlives it. Copies are cheap: a copy looks ahead.
class Lexer {
 public:
  Lexer() = default;
  explicit Lexer(absl::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  Token Next();
  // Where the next token is looked for, and how to move that.
  const char* position() const { return at_; }
  const char* end() const { return end_; }
  void set_position(const char* position) { at_ = position; }

 private:
  // False if a comment does not end, or a lone slash stands there; *error is then the token for it.
  bool SkipBlanks(Token* error);
  Token Finish(TokenKind kind, const char* begin, const char* end);
  Token Error(const char* begin, const char* message);
  Token LexWord();
  Token LexPercentName();
  Token LexNumber();
  Token LexNan(const char* begin, const char* after_nan);
  Token LexString();

  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

// For messages: "')'", "'abc'", "the end of the text".
const char* Spelling(TokenKind kind);

// First letter or underscore, then letters, digits, and `_.-`.
bool IsNameStart(char c);
bool IsNameChar(char c);

}  // namespace xla

#endif  // XLA_CORE_TEXT_LEXER_H_
