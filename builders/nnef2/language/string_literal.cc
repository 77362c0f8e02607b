#include "builders/nnef2/language/string_literal.h"

#include <algorithm>
#include <string>
#include <utility>

#include "builders/nnef2/language/lexer.h"
#include "builders/nnef2/language/parse_expression.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kFormatRule = "2.4";

// Walks through a token and knows where it is.
class TokenCursor {
 public:
  TokenCursor(const TokenReader& in, const Token& token)
      : text_(token.text), line_(token.span.line), column_(token.span.column) {
    begin_ = static_cast<size_t>(text_.data() - in.source()->text.data());
  }

  // `size` characters from `offset` on, which is not before that of the last call.
  LexerRange RangeAt(size_t offset, size_t size) {
    for (; offset_ < offset; ++offset_) {
      ++column_;
      if (text_[offset_] != '\n') continue;
      ++line_;
      column_ = 1;
    }
    LexerRange range;
    range.begin = begin_ + offset;
    range.end = range.begin + size;
    range.line = line_;
    range.column = column_;
    return range;
  }

 private:
  absl::string_view text_;
  size_t begin_ = 0;   // in the source
  size_t offset_ = 0;  // in the token
  int line_;
  int column_;
};

// The expression between braces.
bool ParseInside(TokenReader& in, const LexerRange& range, ExpressionPtr* expression) {
  TokenReader inside(in.source(), Tokenize(in.source(), range, /*comments=*/nullptr, &in.diagnostics()),
                     &in.diagnostics());
  *inside.expression_level() = *in.expression_level() + 1;
  if (!ParseExpression(inside, expression)) return false;
  return inside.AtEnd() || inside.Unexpected("'}' after the expression in a string", kFormatRule);
}

}  // namespace

bool AppendString(TokenReader& in, const Token& token, Expression* string) {
  if (string->pieces.empty()) string->pieces.emplace_back();
  const absl::string_view text = token.text.substr(0, token.text.size() - 1);
  TokenCursor cursor(in, token);
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      string->pieces.back() += text[++i];
    } else if (c == '{') {
      const size_t end = text.find('}', i);
      const LexerRange place = cursor.RangeAt(i, 1);
      if (end == absl::string_view::npos) {
        return in.Error(Span{place.line, place.column, 1}, "expected '}' after '{' in a string", kFormatRule,
                        "write \\{ for a brace");
      }
      ExpressionPtr expression;
      if (!ParseInside(in, cursor.RangeAt(i + 1, end - i - 1), &expression)) return false;
      string->kind = Expression::Kind::kFormat;
      string->depth = std::max(string->depth, expression->depth + 1);
      string->items.push_back(std::move(expression));
      string->pieces.emplace_back();
      i = end;
    } else {
      string->pieces.back() += c;
    }
  }
  return true;
}

}  // namespace nnef2
}  // namespace xla
