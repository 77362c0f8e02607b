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

// Where the character at `offset` of `token` stands.
LexerRange RangeInside(const TokenReader& in, const Token& token, size_t offset, size_t size) {
  LexerRange range;
  range.begin = static_cast<size_t>(token.text.data() - in.source()->text.data()) + offset;
  range.end = range.begin + size;
  range.line = token.span.line;
  range.column = token.span.column;
  for (const char c : token.text.substr(0, offset)) {
    ++range.column;
    if (c == '\n') {
      ++range.line;
      range.column = 1;
    }
  }
  return range;
}

// The expression between the braces that begin at `begin` of `token`.
bool ParseInside(TokenReader& in, const Token& token, size_t begin, size_t end, ExpressionPtr* expression) {
  const LexerRange range = RangeInside(in, token, begin, end - begin);
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
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      string->pieces.back() += text[++i];
    } else if (c == '{') {
      const size_t end = text.find('}', i);
      const LexerRange place = RangeInside(in, token, i, 1);
      if (end == absl::string_view::npos) {
        return in.Error(Span{place.line, place.column, 1}, "expected '}' after '{' in a string", kFormatRule,
                        "write \\{ for a brace");
      }
      ExpressionPtr expression;
      if (!ParseInside(in, token, i + 1, end, &expression)) return false;
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
