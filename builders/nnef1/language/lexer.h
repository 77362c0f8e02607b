// Lexer: the text of a description as tokens (NNEF 1.0.4 section 3.1).
#ifndef BUILDERS_NNEF1_LANGUAGE_LEXER_H_
#define BUILDERS_NNEF1_LANGUAGE_LEXER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// How the grammar distinguishes tokens. A sign is a symbol of its own, so numbers are never negative here.
enum class TokenKind {
  kIdentifier,
  kKeyword,  // also true and false
  kInteger,  // digits
  kScalar,   // with a point or an exponent
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

  bool Is(absl::string_view symbol_or_keyword) const {
    return (kind == TokenKind::kSymbol || kind == TokenKind::kKeyword) && text == symbol_or_keyword;
  }
};

// All tokens of `source`, the last one kEnd. What is not a token is reported as `error_class` and stands as one
// kInvalid.
std::vector<Token> Tokenize(const std::shared_ptr<const Source>& source, ErrorClass error_class,
                            Diagnostics* diagnostics);

// The characters that a string token stands for, escapes replaced.
std::string UnquoteString(absl::string_view token);

bool IsKeyword(absl::string_view word);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_LEXER_H_
