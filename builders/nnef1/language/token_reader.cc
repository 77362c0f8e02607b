#include "builders/nnef1/language/token_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef1 {
namespace {

std::string Described(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  if (token.kind == TokenKind::kKeyword) return absl::StrCat("the keyword '", token.text, "'");
  return absl::StrCat("'", token.text.substr(0, 40), "'");
}

}  // namespace

bool TokenReader::Error(const Span& span, std::string message, absl::string_view rule, std::string suggestion) {
  diagnostics_.Error(error_class_, PositionOf(span), std::move(message), rule, std::move(suggestion));
  return false;
}

bool TokenReader::Unexpected(absl::string_view what, absl::string_view rule, std::string suggestion) {
  if (Next().kind == TokenKind::kInvalid) return false;
  return Error(Next().span, absl::StrCat("expected ", what, ", got ", Described(Next())), rule, std::move(suggestion));
}

bool TokenReader::Expect(absl::string_view symbol, absl::string_view where, absl::string_view rule) {
  if (Accept(symbol)) return true;
  if (Next().kind == TokenKind::kInvalid) return false;
  const std::string message = absl::StrCat("expected '", symbol, "' ", where, ", got ", Described(Next()));
  // What is missing at the end of a line is missing there, not where the next line begins.
  Span span = Next().span;
  if (place_ > 0 && Last().span.line < span.line) {
    span = Last().span;
    span.column += span.length;
    span.length = 1;
  }
  return Error(span, message, rule);
}

bool TokenReader::ExpectName(absl::string_view what, absl::string_view rule, Name* name) {
  if (Next().kind != TokenKind::kIdentifier) {
    return Unexpected(what, rule, Next().kind == TokenKind::kKeyword ? "keywords are not identifiers" : "");
  }
  *name = Name{Next().text, Next().span};
  Skip();
  return true;
}

bool TokenReader::TooDeep() {
  return Error(Next().span, absl::StrCat("the nesting is deeper than ", kMaxNesting, " levels"), "",
               "split the expression into several assignments");
}

// Each extension is asked for once, because one line mends all of it.
void TokenReader::NeedOperators(const Span& span, absl::string_view what) {
  if (!LacksOperators()) return;
  reported_operators_ = true;
  if (is_quantization()) {
    Error(span, absl::StrCat("expected a literal, got ", what), "5.3",
          absl::StrCat("values here may be expressions if the description enables ", kOperatorExtension));
    return;
  }
  Error(span, absl::StrCat(what, " must be enabled by the extension ", kOperatorExtension), "3.2.3",
        absl::StrCat("add 'extension ", kOperatorExtension, ";' after the version"));
}

void TokenReader::NeedFragments(const Span& span) {
  if (has_fragments_ || reported_fragments_) return;
  reported_fragments_ = true;
  Error(span, absl::StrCat("fragments must be enabled by the extension ", kFragmentExtension), "3.2.2",
        absl::StrCat("add 'extension ", kFragmentExtension, ";' after the version"));
}

void TokenReader::SkipStatement() {
  while (!AtEnd() && !At("}") && !At("fragment") && !At("graph")) {
    if (Accept(";")) return;
    Skip();
  }
}

void TokenReader::SkipToDefinition() {
  while (!AtEnd() && !At("fragment") && !At("graph")) Skip();
}

}  // namespace nnef1
}  // namespace xla
