// Lexer: the text of a SkriptND module as tokens (NNEF 2.0 section 2.4, 2.16).
#ifndef BUILDERS_NNEF2_LANGUAGE_LEXER_H_
#define BUILDERS_NNEF2_LANGUAGE_LEXER_H_

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

enum class TokenKind {
  kIdentifier,
  kKeyword,
  kBlock,    // "@attrib"
  kInteger,  // digits
  kReal,     // with a point or an exponent
  kString,   // with its quotes
  kSymbol,   // an operator or punctuation
  kInvalid,  // reported already
  kEnd,
};

// A piece of the text with its place. Valid as long as the source.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;  // a piece of the source
  Span span;

  bool Is(absl::string_view word) const {
    return text == word && (kind == TokenKind::kSymbol || kind == TokenKind::kKeyword || kind == TokenKind::kBlock);
  }
};

// A piece of the source: all of it, or an expression inside a string.
struct LexerRange {
  size_t begin = 0;
  size_t end = 0;
  int line = 1;
  int column = 1;
};

// All tokens of `range`, the last one kEnd. What is not a token is reported and stands as one kInvalid. Comments are
// added to `comments`, unless that is nullptr.
std::vector<Token> Tokenize(const std::shared_ptr<const Source>& source, const LexerRange& range,
                            std::vector<Comment>* comments, Diagnostics* diagnostics);

bool IsKeyword(absl::string_view word);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_LEXER_H_
