// TokenReader: where a parser stands in the tokens of a source, and the errors that it finds there.
//
// The grammar is functions `bool ParseX(TokenReader& in, X* x)`: they read an X from where `in` stands, and return
// false after an error, which they have reported.
#ifndef BUILDERS_NNEF1_LANGUAGE_TOKEN_READER_H_
#define BUILDERS_NNEF1_LANGUAGE_TOKEN_READER_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/lexer.h"
#include "builders/nnef1/language/parser.h"

namespace xla {
namespace nnef1 {

inline constexpr absl::string_view kFragmentExtension = "KHR_enable_fragment_definitions";
inline constexpr absl::string_view kOperatorExtension = "KHR_enable_operator_expressions";

// One pass over the tokens, with a limit on nesting so that hostile text cannot overflow the stack. Next() at the end
// stays at kEnd, so that parsers need no bounds.
class TokenReader {
 public:
  // A level of nesting, open as long as this lives.
  class Level {
   public:
    explicit Level(TokenReader* reader) : reader_(*reader) { ++reader_.nesting_; }
    ~Level() { --reader_.nesting_; }
    bool is_too_deep() const { return reader_.nesting_ > kMaxNesting; }

   private:
    TokenReader& reader_;
  };

  // Errors are of `error_class`, which tells documents from graph.quant.
  TokenReader(const std::shared_ptr<const Source>& source, ErrorClass error_class, Diagnostics* diagnostics)
      : source_(source),
        error_class_(error_class),
        diagnostics_(*diagnostics),
        errors_before_(diagnostics->error_count()) {
    tokens_ = Tokenize(source, error_class, diagnostics);
  }

  // --- tokens ---
  const Token& Next(size_t ahead = 0) const { return tokens_[std::min(place_ + ahead, tokens_.size() - 1)]; }
  const Token& Last() const { return tokens_[place_ == 0 ? 0 : place_ - 1]; }
  bool At(absl::string_view symbol) const { return Next().Is(symbol); }
  bool AtEnd() const { return Next().kind == TokenKind::kEnd; }
  void Skip() {
    if (diagnostics_.IsOver()) place_ = tokens_.size() - 1;
    if (!AtEnd()) ++place_;
  }
  bool Accept(absl::string_view symbol) {
    if (!At(symbol)) return false;
    Skip();
    return true;
  }
  bool Expect(absl::string_view symbol, absl::string_view where, absl::string_view rule);
  bool ExpectName(absl::string_view what, absl::string_view rule, Name* name);
  // To the position after the next semicolon, or before the end of a body or the next definition.
  void SkipStatement();
  void SkipToDefinition();

  // To read again from a place that was passed.
  size_t place() const { return place_; }
  void GoBackTo(size_t place) { place_ = place; }

  const std::shared_ptr<const Source>& source() const { return source_; }
  Position PositionOf(const Span& span) const { return nnef1::At(source_, span); }
  // Levels that are open.
  int nesting() const { return nesting_; }

  // --- extensions ---
  bool has_fragments() const { return has_fragments_; }
  bool has_operators() const { return has_operators_; }
  void EnableFragments() { has_fragments_ = true; }
  void EnableOperators() { has_operators_ = true; }
  // They are not enabled, and that has not been reported either.
  bool LacksOperators() const { return !has_operators_ && !reported_operators_; }
  void NeedOperators(const Span& span, absl::string_view what);
  void NeedFragments(const Span& span);
  bool is_quantization() const { return error_class_ == ErrorClass::kQuantization; }

  // --- errors; those that return something return false ---
  bool has_errors() const { return diagnostics_.error_count() > errors_before_; }
  bool Error(const Span& span, std::string message, absl::string_view rule, std::string suggestion = "");
  // "expected `what`, got ...", unless the lexer has reported what is there.
  bool Unexpected(absl::string_view what, absl::string_view rule, std::string suggestion = "");
  bool TooDeep();

 private:
  const std::shared_ptr<const Source> source_;
  const ErrorClass error_class_;
  Diagnostics& diagnostics_;
  const int errors_before_;
  std::vector<Token> tokens_;
  size_t place_ = 0;
  int nesting_ = 0;
  bool has_fragments_ = false;
  bool has_operators_ = false;
  bool reported_fragments_ = false;
  bool reported_operators_ = false;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_TOKEN_READER_H_
