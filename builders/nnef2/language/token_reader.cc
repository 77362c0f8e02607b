#include "builders/nnef2/language/token_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef2 {
namespace {

// Of a long token, what an error shows.
constexpr size_t kShownToken = 40;

std::string Shown(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  const absl::string_view line = token.text.substr(0, token.text.find('\n'));
  const std::string text = absl::StrCat(line.substr(0, kShownToken), line.size() > kShownToken ? "..." : "");
  return absl::StrCat(token.kind == TokenKind::kKeyword ? "keyword " : "", "'", text, "'");
}

}  // namespace

bool TokenReader::Error(const Span& span, std::string message, absl::string_view rule, std::string suggestion,
                        ErrorClass error_class) {
  diagnostics_.Error(error_class, nnef2::At(source_, span), std::move(message), rule, std::move(suggestion));
  return false;
}

bool TokenReader::Unexpected(absl::string_view what, absl::string_view rule, std::string suggestion) {
  if (At(TokenKind::kInvalid) || diagnostics_.IsOver()) return false;
  return Error(Next().span, absl::StrCat("expected ", what, ", got ", Shown(Next())), rule, std::move(suggestion));
}

bool TokenReader::Expect(absl::string_view symbol, absl::string_view where, absl::string_view rule) {
  if (Accept(symbol)) return true;
  return Unexpected(absl::StrCat("'", symbol, "' ", where), rule);
}

bool TokenReader::ExpectName(absl::string_view what, absl::string_view rule, Name* name) {
  if (!At(TokenKind::kIdentifier)) {
    return Unexpected(what, rule, At(TokenKind::kKeyword) ? "a keyword cannot be a name" : "");
  }
  *name = Name{Next().text, Next().span};
  Skip();
  return true;
}

bool TokenReader::ExpectQualifiedName(absl::string_view what, absl::string_view rule, Name* name) {
  if (!ExpectName(what, rule, name)) return false;
  while (At(".") && Next(1).kind == TokenKind::kIdentifier) {
    Skip();
    const Token& word = Next();
    Skip();
    name->text = absl::string_view(name->text.data(), word.text.data() + word.text.size() - name->text.data());
  }
  name->span.length = static_cast<int>(name->text.size());
  return true;
}

void TokenReader::SkipStatement() {
  int depth = 0;
  while (!AtEnd()) {
    if (depth == 0 && (At("}") || At(TokenKind::kBlock))) return;
    if (At("{")) ++depth;
    if (At("}")) --depth;
    const bool is_end = depth == 0 && At(";");
    Skip();
    if (is_end) return;
  }
}

}  // namespace nnef2
}  // namespace xla
