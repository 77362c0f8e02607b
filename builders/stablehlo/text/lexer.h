// Cuts MLIR text into tokens, which are views into the text.
#ifndef BUILDERS_STABLEHLO_TEXT_LEXER_H_
#define BUILDERS_STABLEHLO_TEXT_LEXER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace xla {
namespace stablehlo {

enum class TokenKind : uint8_t {
  kEnd,
  kError,  // Token::error says why
  kWord,   // stablehlo.add, f32, bb0
  kInteger,
  kFloat,
  kString,       // with its quotes
  kValue,        // %0, %0#1: without the number
  kSymbol,       // @main, @"odd name"
  kBlock,        // ^bb0
  kHashName,     // #loc3, #stablehlo.gather
  kExclaimName,  // !stablehlo.token
  kArrow,        // ->
  kDoubleColon,  // ::
  kOpenFile,     // {-#
  kCloseFile,    // #-}
  kPunctuation,  // Token::character
};

// `text` is the whole token as it is written.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  char character = 0;
  absl::string_view text;
  const char* error = nullptr;

  const char* begin() const { return text.data(); }
  const char* end() const { return text.data() + text.size(); }
  bool Is(char c) const { return kind == TokenKind::kPunctuation && character == c; }
  bool Is(TokenKind other) const { return kind == other; }
  bool IsWord(absl::string_view word) const { return kind == TokenKind::kWord && text == word; }
};

// A position in a text, which outlives it.
class Lexer {
 public:
  explicit Lexer(absl::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  Token Next();
  // Where the next token is looked for.
  const char* position() const { return at_; }
  void set_position(const char* position) { at_ = position; }
  const char* end() const { return end_; }

 private:
  void SkipBlanks();
  Token Finish(TokenKind kind, const char* begin, const char* end);
  Token Error(const char* begin, const char* message);
  Token LexNumber();
  Token LexString(TokenKind kind, const char* begin);
  Token LexPrefixed(TokenKind kind);

  const char* at_;
  const char* end_;
};

// The bytes that a string token, with its quotes, stands for: \n, \t, \", \\ and \HH are replaced. False: an escape is
// none of these; *error_at is where it stands.
bool UnescapeString(absl::string_view quoted, std::string* out, const char** error_at);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_LEXER_H_
