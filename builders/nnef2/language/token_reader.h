// TokenReader: where a parser stands in the tokens of a module, and the errors that it finds there.
//
// The grammar is functions `bool ParseX(TokenReader& in, X* x)`: they read an X from where `in` stands, and return
// false after an error, which they have reported.
#ifndef BUILDERS_NNEF2_LANGUAGE_TOKEN_READER_H_
#define BUILDERS_NNEF2_LANGUAGE_TOKEN_READER_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/language/lexer.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// One pass over the tokens, with a limit on nesting so that hostile text cannot overflow the stack. At the end it stays
// at kEnd, so that parsers need no bounds.
class TokenReader {
 public:
  // A level of nesting, open as long as this lives.
  class Level {
   public:
    explicit Level(int* level) : level_(*level) { ++level_; }
    ~Level() { --level_; }

   private:
    int& level_;
  };

  TokenReader(const std::shared_ptr<const Source>& source, std::vector<Token> tokens, Diagnostics* diagnostics)
      : source_(source), diagnostics_(*diagnostics), tokens_(std::move(tokens)) {}

  // --- tokens ---
  const Token& Next(size_t ahead = 0) const { return tokens_[std::min(place_ + ahead, tokens_.size() - 1)]; }
  const Token& Last() const { return tokens_[place_ == 0 ? 0 : place_ - 1]; }
  bool At(absl::string_view symbol) const { return Next().Is(symbol); }
  bool At(TokenKind kind) const { return Next().kind == kind; }
  bool AtEnd() const { return At(TokenKind::kEnd); }
  void Skip() {
    if (diagnostics_.IsOver()) place_ = tokens_.size() - 1;
    if (!AtEnd()) ++place_;
  }
  bool Accept(absl::string_view symbol) {
    if (!At(symbol)) return false;
    Skip();
    return true;
  }
  // `where`: "after the name of an operator".
  bool Expect(absl::string_view symbol, absl::string_view where, absl::string_view rule);
  bool ExpectName(absl::string_view what, absl::string_view rule, Name* name);
  // "a.b.c"
  bool ExpectQualifiedName(absl::string_view what, absl::string_view rule, Name* name);
  // After an error: to the position after the semicolon of this statement, or before the end of the braces around it.
  void SkipStatement();

  // Offsets in the text: of the next token, and of the end of the last one.
  size_t begin() const { return OffsetOf(Next().text); }
  size_t end() const { return OffsetOf(Last().text) + Last().text.size(); }
  absl::string_view TextFrom(size_t begin) const {
    return absl::string_view(source_->text).substr(begin, std::max(begin, end()) - begin);
  }

  const std::shared_ptr<const Source>& source() const { return source_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  int* expression_level() { return &expression_level_; }
  int* region_level() { return &region_level_; }

  // --- errors; those that return something return false ---
  bool Error(const Span& span, std::string message, absl::string_view rule, std::string suggestion = "",
             ErrorClass error_class = ErrorClass::kSyntax);
  // "expected `what`, got ...", unless the lexer has reported what is there.
  bool Unexpected(absl::string_view what, absl::string_view rule, std::string suggestion = "");

 private:
  size_t OffsetOf(absl::string_view piece) const { return static_cast<size_t>(piece.data() - source_->text.data()); }

  const std::shared_ptr<const Source> source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t place_ = 0;
  int expression_level_ = 0;
  int region_level_ = 0;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_TOKEN_READER_H_
