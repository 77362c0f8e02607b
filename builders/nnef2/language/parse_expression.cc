// Precedence climbing: an operator binds the operands beside it if its level is high enough (OperatorLevel). A fold
// takes all to the left at the level of its operator, and ends the expression, unless the same operator follows.
#include "builders/nnef2/language/parse_expression.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/language/string_literal.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

constexpr absl::string_view kExpressionRule = "2.4";

ExpressionPtr NewExpression(Kind kind, const Span& span) {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->span = span;
  return expression;
}

// Makes `item`, which may be nullptr, the next item of `expression`.
void Attach(ExpressionPtr item, Expression* expression) {
  if (item != nullptr) expression->depth = std::max(expression->depth, item->depth + 1);
  expression->items.push_back(std::move(item));
}

bool CheckDepth(TokenReader& in, const Expression& expression) {
  if (expression.depth <= kMaxExpressionDepth) return true;
  return in.Error(expression.span, absl::StrCat("the expression is nested more than ", kMaxExpressionDepth, " deep"),
                  kExpressionRule, "name a part of it in @using", ErrorClass::kValue);
}

// The binary operator of the next token; it may also be the one of a fold.
bool NextOperator(const TokenReader& in, Operator* op) {
  static constexpr Operator kBinary[] = {
      Operator::kPower,   Operator::kMultiply,  Operator::kDivide,  Operator::kCeilDivide, Operator::kModulo,
      Operator::kAdd,     Operator::kSubtract,  Operator::kMinimum, Operator::kMaximum,    Operator::kLess,
      Operator::kGreater, Operator::kLessEqual, Operator::kEqual,   Operator::kNotEqual,   Operator::kGreaterEqual,
      Operator::kIs,      Operator::kUniform,   Operator::kIn,      Operator::kAnd,        Operator::kOr,
      Operator::kXor,     Operator::kImply};
  for (const Operator candidate : kBinary) {
    if (!in.At(OperatorSymbol(candidate))) continue;
    *op = candidate;
    return true;
  }
  return false;
}

bool ParseBinary(TokenReader& in, int level, ExpressionPtr* expression, bool* ends);

bool ParseOperand(TokenReader& in, ExpressionPtr* expression) {
  const Span span = in.Next().span;
  Operator op = Operator::kAdd;
  if (in.At("?")) {
    in.Skip();
    if (!in.At(TokenKind::kIdentifier)) return in.Unexpected("a name after '?'", kExpressionRule);
    *expression = NewExpression(Kind::kUnary, span);
    (*expression)->op = Operator::kIsGiven;
    ExpressionPtr name = NewExpression(Kind::kIdentifier, in.Next().span);
    name->name = in.Next().text;
    in.Skip();
    Attach(std::move(name), expression->get());
    return true;
  }
  if (in.At("-")) {
    op = Operator::kSubtract;
  } else if (in.At("!")) {
    op = Operator::kNot;
  } else if (!in.At("+")) {
    return ParsePrimary(in, expression);
  }
  in.Skip();
  const TokenReader::Level level(in.expression_level());
  if (*in.expression_level() > kMaxExpressionDepth) {
    return in.Error(span, absl::StrCat("more than ", kMaxExpressionDepth, " signs or nested expressions"),
                    kExpressionRule, "", ErrorClass::kValue);
  }
  ExpressionPtr operand;
  bool ends = false;
  if (!ParseBinary(in, OperatorLevel(Operator::kPower), &operand, &ends)) return false;
  *expression = NewExpression(Kind::kUnary, span);
  (*expression)->op = op;
  Attach(std::move(operand), expression->get());
  return CheckDepth(in, **expression);
}

// A fold of what has been read, or an operator and its right side. `*fold`: the operator of the fold before.
bool ParseOperator(TokenReader& in, Operator op, ExpressionPtr* expression, bool* ends) {
  const Span span = in.Next().span;
  in.Skip();
  const bool is_fold = in.At("..") || in.At("...");
  if (!is_fold && op == Operator::kUniform) return in.Unexpected("'..' after ':=' in an expression", kExpressionRule);
  ExpressionPtr result = NewExpression(is_fold ? Kind::kFold : Kind::kBinary, span);
  result->op = op;
  Attach(std::move(*expression), result.get());
  if (is_fold) {
    result->is_cumulative = in.At("...");
    in.Skip();
    *ends = true;
  } else {
    ExpressionPtr right;
    if (!ParseBinary(in, OperatorLevel(op) + 1, &right, ends)) return false;
    Attach(std::move(right), result.get());
  }
  *expression = std::move(result);
  return CheckDepth(in, **expression);
}

// Operators of `level` and above. `*ends`: a fold ends the expression.
bool ParseBinary(TokenReader& in, int level, ExpressionPtr* expression, bool* ends) {
  if (!ParseOperand(in, expression)) return false;
  Operator op = Operator::kAdd;
  while (NextOperator(in, &op) && OperatorLevel(op) >= level) {
    const Expression& left = **expression;
    if (*ends) {
      const bool continues = left.kind == Kind::kFold && !left.is_parenthesized && left.op == op;
      if (!continues) {
        return in.Unexpected("the end of the expression after a fold", kExpressionRule,
                             "put the fold in parentheses: (x + ..)");
      }
      *ends = false;
    }
    if (!ParseOperator(in, op, expression, ends)) return false;
  }
  return true;
}

// The part of an expression after its operators: c ? a : b, a ?? b.
bool ParseSelect(TokenReader& in, ExpressionPtr* expression) {
  ExpressionPtr select = NewExpression(Kind::kSelect, in.Next().span);
  in.Skip();
  Attach(std::move(*expression), select.get());
  ExpressionPtr side;
  if (!ParseExpression(in, &side)) return false;
  Attach(std::move(side), select.get());
  if (in.Accept(":")) {
    if (!ParseExpression(in, &side)) return false;
    Attach(std::move(side), select.get());
  }
  *expression = std::move(select);
  return CheckDepth(in, **expression);
}

bool ParseCoalesce(TokenReader& in, ExpressionPtr* expression) {
  ExpressionPtr coalesce = NewExpression(Kind::kCoalesce, in.Next().span);
  in.Skip();
  Attach(std::move(*expression), coalesce.get());
  ExpressionPtr right;
  if (!ParseExpression(in, &right)) return false;
  Attach(std::move(right), coalesce.get());
  *expression = std::move(coalesce);
  return CheckDepth(in, **expression);
}

// --- primaries ---

bool ParseNumber(TokenReader& in, ExpressionPtr* expression) {
  const Token token = in.Next();
  in.Skip();
  const bool is_integer = token.kind == TokenKind::kInteger;
  *expression = NewExpression(is_integer ? Kind::kInteger : Kind::kReal, token.span);
  (*expression)->text = std::string(token.text);
  const bool fits = is_integer ? absl::SimpleAtoi(token.text, &(*expression)->integer)
                               : absl::SimpleAtod(token.text, &(*expression)->real);
  if (fits && std::isfinite((*expression)->real)) return true;
  return in.Error(token.span, is_integer ? "the number does not fit 64 bits" : "the number is not finite",
                  kExpressionRule, "", ErrorClass::kValue);
}

bool ParseConstant(TokenReader& in, ExpressionPtr* expression) {
  const Token token = in.Next();
  in.Skip();
  const bool is_bool = token.Is("true") || token.Is("false");
  *expression = NewExpression(is_bool ? Kind::kBool : Kind::kReal, token.span);
  (*expression)->integer = token.Is("true") ? 1 : 0;
  (*expression)->text = std::string(token.text);
  if (!is_bool) (*expression)->real = token.Is("pi") ? 3.14159265358979323846 : HUGE_VAL;
  return true;
}

// "real(x)", "T()".
bool ParseCast(TokenReader& in, ExpressionPtr* expression) {
  *expression = NewExpression(Kind::kCast, in.Next().span);
  (*expression)->name = in.Next().text;
  in.Skip();
  if (!in.Expect("(", "after the type of a conversion", kExpressionRule)) return false;
  if (in.Accept(")")) return true;
  ExpressionPtr item;
  if (!ParseExpression(in, &item)) return false;
  Attach(std::move(item), expression->get());
  return in.Expect(")", "after the value of a conversion", kExpressionRule);
}

bool ParseBuiltin(TokenReader& in, ExpressionPtr* expression) {
  in.Skip();
  Name name;
  if (!in.ExpectName("the name of a function after '`'", kExpressionRule, &name)) return false;
  *expression = NewExpression(Kind::kBuiltin, name.span);
  (*expression)->name = name.text;
  if (!in.Expect("`", "after the name of a function", kExpressionRule) ||
      !in.Expect("(", "after a function", kExpressionRule)) {
    return false;
  }
  ExpressionPtr item;
  if (!ParseExpression(in, &item)) return false;
  Attach(std::move(item), expression->get());
  return in.Expect(")", "after the argument of a function", kExpressionRule);
}

// "(a, b)..", after its first part.
bool ParseZip(TokenReader& in, ExpressionPtr first, ExpressionPtr* expression) {
  *expression = NewExpression(Kind::kZip, first->span);
  Attach(std::move(first), expression->get());
  while (in.Accept(",")) {
    ExpressionPtr item;
    if (!ParseExpression(in, &item)) return false;
    Attach(std::move(item), expression->get());
  }
  return in.Expect(")", "after the packs of a zip", kExpressionRule);
}

// "(a)"; in lists also "(a, b)..".
bool ParseParentheses(TokenReader& in, bool is_item, ExpressionPtr* expression) {
  in.Skip();
  ExpressionPtr inner;
  if (!ParseExpression(in, &inner)) return false;
  if (in.At(",")) {
    if (!is_item) return in.Unexpected("')'", kExpressionRule, "a zip stands in a list and is expanded: [(a, b)..]");
    if (!ParseZip(in, std::move(inner), expression)) return false;
    return in.Expect("..", "after a zip", kExpressionRule);
  }
  if (!in.Expect(")", "after an expression in parentheses", kExpressionRule)) return false;
  inner->is_parenthesized = true;
  *expression = std::move(inner);
  return true;
}

bool ParsePostfixes(TokenReader& in, ExpressionPtr* expression);

// Operators after an operand that has been read already.
bool ParseBehindOperand(TokenReader& in, ExpressionPtr* expression);

// "b:e:s", of which `first` has been read or is missing.
bool ParseRange(TokenReader& in, ExpressionPtr first, bool may_omit, ExpressionPtr* expression) {
  ExpressionPtr range = NewExpression(Kind::kRange, in.Next().span);
  if (first == nullptr && !may_omit) return in.Unexpected("the begin of a range", kExpressionRule);
  in.Skip();
  Attach(std::move(first), range.get());
  ExpressionPtr end;
  const bool has_end = !in.At(":") && !in.At("]") && !in.At(",");
  if ((has_end || !may_omit) && !ParseExpression(in, &end)) return false;
  Attach(std::move(end), range.get());
  ExpressionPtr step;
  if (in.Accept(":") && !ParseExpression(in, &step)) return false;
  Attach(std::move(step), range.get());
  *expression = std::move(range);
  return CheckDepth(in, **expression);
}

// What may stand in a list.
bool ParseItem(TokenReader& in, ExpressionPtr* expression) {
  ExpressionPtr item;
  if (in.At("(")) {
    if (!ParseParentheses(in, /*is_item=*/true, &item)) return false;
    if (item->kind == Kind::kZip && !item->is_parenthesized) {
      *expression = std::move(item);
      return true;
    }
    if (!ParsePostfixes(in, &item) || !ParseBehindOperand(in, &item)) return false;
  } else if (!ParseExpression(in, &item)) {
    return false;
  }
  if (in.At(":")) return ParseRange(in, std::move(item), /*may_omit=*/false, expression);
  if (in.At("..")) {
    ExpressionPtr expand = NewExpression(Kind::kExpand, in.Next().span);
    in.Skip();
    Attach(std::move(item), expand.get());
    ExpressionPtr count;
    if (!ParseCount(in, &count)) return false;
    if (count != nullptr) Attach(std::move(count), expand.get());
    item = std::move(expand);
  }
  *expression = std::move(item);
  return true;
}

bool ParseList(TokenReader& in, ExpressionPtr* expression) {
  *expression = NewExpression(Kind::kList, in.Next().span);
  in.Skip();
  if (in.Accept("]")) return true;
  do {
    ExpressionPtr item;
    if (!ParseItem(in, &item)) return false;
    Attach(std::move(item), expression->get());
  } while (in.Accept(","));
  return in.Expect("]", "after the items of a list", kExpressionRule);
}

bool ParseName(TokenReader& in, ExpressionPtr* expression) {
  if (in.Next(1).Is("(")) return ParseCast(in, expression);
  *expression = NewExpression(Kind::kIdentifier, in.Next().span);
  (*expression)->name = in.Next().text;
  in.Skip();
  if (!in.At(".")) return true;
  const absl::string_view member = in.Next(1).text;
  if (member != "shape" && member != "rank" && member != "size") {
    // Whether a whole name of another scope is followed by what only an invocation has.
    size_t ahead = 0;
    while (in.Next(ahead).Is(".") && in.Next(ahead + 1).kind == TokenKind::kIdentifier) ahead += 2;
    const Token& next = in.Next(ahead);
    const bool is_scoped = ahead > 0 && next.kind == TokenKind::kSymbol && !next.Is("(") && !next.Is("{");
    in.Skip();
    if (is_scoped) {
      return in.Error(in.Next().span, absl::StrCat("'", member, "' of another scope cannot be used in an expression"),
                      "2.10", "a name has .shape, .rank and .size", ErrorClass::kName);
    }
    return in.Unexpected("'shape', 'rank' or 'size' after '.'", kExpressionRule,
                         "invocations do not nest: assign their results to names");
  }
  in.Skip();
  in.Skip();
  (*expression)->kind = Kind::kMember;
  (*expression)->member = member == "shape" ? Member::kShape : member == "rank" ? Member::kRank : Member::kSize;
  return true;
}

// "|e|", "|e <> a : b|".
bool ParseBounded(TokenReader& in, ExpressionPtr* expression) {
  *expression = NewExpression(Kind::kBounded, in.Next().span);
  in.Skip();
  ExpressionPtr item;
  if (!ParseExpression(in, &item)) return false;
  Attach(std::move(item), expression->get());
  if (in.Accept("<>")) {
    if (!ParseExpression(in, &item)) return false;
    Attach(std::move(item), expression->get());
    if (!in.Expect(":", "between the indices that replace one out of range", "2.12")) return false;
    if (!ParseExpression(in, &item)) return false;
    Attach(std::move(item), expression->get());
  }
  return in.Expect("|", "after an index with a guard", "2.12");
}

bool ParseBareOperand(TokenReader& in, ExpressionPtr* expression) {
  switch (in.Next().kind) {
    case TokenKind::kInteger:
    case TokenKind::kReal:
      return ParseNumber(in, expression);
    case TokenKind::kString:
      return ParseStrings(in, expression);
    case TokenKind::kIdentifier:
      return ParseName(in, expression);
    case TokenKind::kKeyword:
      if (in.At("true") || in.At("false") || in.At("inf") || in.At("pi")) return ParseConstant(in, expression);
      if (in.At("int") || in.At("real") || in.At("bool") || in.At("str")) return ParseCast(in, expression);
      return in.Unexpected("an expression", kExpressionRule);
    case TokenKind::kSymbol:
      if (in.At("|")) return ParseBounded(in, expression);
      if (in.At("`")) return ParseBuiltin(in, expression);
      if (in.At("[")) return ParseList(in, expression);
      if (in.At("(")) return ParseParentheses(in, /*is_item=*/false, expression);
      return in.Unexpected("an expression", kExpressionRule);
    case TokenKind::kBlock:
    case TokenKind::kInvalid:
    case TokenKind::kEnd:
      return in.Unexpected("an expression", kExpressionRule);
  }
  return false;
}

// --- indices ---

bool ParseIndex(TokenReader& in, ExpressionPtr* index) {
  ExpressionPtr item;
  if (in.At(":")) {
    return ParseRange(in, nullptr, /*may_omit=*/true, index);
  }
  if (!ParseExpression(in, &item)) return false;
  if (in.At(":")) return ParseRange(in, std::move(item), /*may_omit=*/true, index);
  if (in.At("..")) {
    ExpressionPtr expand = NewExpression(Kind::kExpand, in.Next().span);
    in.Skip();
    Attach(std::move(item), expand.get());
    ExpressionPtr count;
    if (!ParseCount(in, &count)) return false;
    if (count != nullptr) Attach(std::move(count), expand.get());
    item = std::move(expand);
  }
  *index = std::move(item);
  return true;
}

// An index of a pack, or the access of a tensor: that has a comma, no index, or one that is expanded.
bool ParseIndices(TokenReader& in, ExpressionPtr* expression) {
  ExpressionPtr result = NewExpression(Kind::kAccess, in.Next().span);
  in.Skip();
  Attach(std::move(*expression), result.get());
  bool has_comma = false;
  while (!in.At("]")) {
    ExpressionPtr index;
    if (!ParseIndex(in, &index)) return false;
    Attach(std::move(index), result.get());
    if (!in.Accept(",")) break;
    has_comma = true;
  }
  if (!in.Expect("]", "after an index", kExpressionRule)) return false;
  if (has_comma) {
    for (size_t i = 1; i < result->items.size(); ++i) {
      if (result->items[i]->kind == Kind::kRange) {
        return in.Error(result->items[i]->span, "a range cannot be an index of a tensor", "2.12",
                        "the document may be written in a later language than draft 6 of NNEF 2.0; introduce an "
                        "index symbol");
      }
    }
  } else if (result->items.size() == 2) {
    const Kind kind = result->items[1]->kind;
    if (kind == Kind::kBounded) {
      result->lacks_comma = true;
    } else if (kind != Kind::kExpand) {
      result->kind = Kind::kIndex;
    }
  }
  *expression = std::move(result);
  return CheckDepth(in, **expression);
}

bool ParsePostfixes(TokenReader& in, ExpressionPtr* expression) {
  while (in.At("[")) {
    if (!ParseIndices(in, expression)) return false;
    if ((*expression)->kind != Kind::kIndex || !in.At("<-")) continue;
    in.Skip();
    ExpressionPtr value;
    if (!ParseExpression(in, &value)) return false;
    (*expression)->kind = Kind::kSubstitute;
    Attach(std::move(value), expression->get());
    return CheckDepth(in, **expression);
  }
  return true;
}

bool ParseTail(TokenReader& in, ExpressionPtr* expression) {
  if (in.At("?") && !ParseSelect(in, expression)) return false;
  return !in.At("??") || ParseCoalesce(in, expression);
}

// All operators are allowed here: what has been read is the first operand.
bool ParseBehindOperand(TokenReader& in, ExpressionPtr* expression) {
  bool ends = false;
  // Operators of falling levels, each with all of its own level and above to the right.
  for (int level = OperatorLevel(Operator::kPower); level >= OperatorLevel(Operator::kImply); --level) {
    Operator op = Operator::kAdd;
    while (NextOperator(in, &op) && OperatorLevel(op) >= level) {
      if (ends) {
        const Expression& left = **expression;
        if (left.kind != Kind::kFold || left.op != op) {
          return in.Unexpected("the end of the expression after a fold", kExpressionRule,
                               "put the fold in parentheses: (x + ..)");
        }
        ends = false;
      }
      if (!ParseOperator(in, op, expression, &ends)) return false;
    }
  }
  return ParseTail(in, expression);
}

}  // namespace

bool ParsePrimary(TokenReader& in, ExpressionPtr* expression) {
  return ParseBareOperand(in, expression) && ParsePostfixes(in, expression) && CheckDepth(in, **expression);
}

bool ParseExpression(TokenReader& in, ExpressionPtr* expression) {
  const TokenReader::Level level(in.expression_level());
  if (*in.expression_level() > kMaxExpressionDepth) {
    return in.Error(in.Next().span, absl::StrCat("expressions are nested more than ", kMaxExpressionDepth, " deep"),
                    kExpressionRule, "", ErrorClass::kValue);
  }
  bool ends = false;
  return ParseBinary(in, OperatorLevel(Operator::kImply), expression, &ends) && ParseTail(in, expression);
}

bool ParseStrings(TokenReader& in, ExpressionPtr* expression) {
  ExpressionPtr string = NewExpression(Kind::kString, in.Next().span);
  while (in.At(TokenKind::kString)) {
    string->tokens.push_back(in.Next().text);
    if (!AppendString(in, in.Next(), string.get())) return false;
    in.Skip();
  }
  if (string->kind == Kind::kString) string->text = string->pieces.front();
  *expression = std::move(string);
  return true;
}

bool ParseCount(TokenReader& in, ExpressionPtr* expression) {
  if (!in.Accept("(")) return true;
  return ParseExpression(in, expression) && in.Expect(")", "after a length", kExpressionRule);
}

bool ParseTypeReference(TokenReader& in, TypeReference* type) {
  type->name = Name{in.Next().text, in.Next().span};
  if (in.At(TokenKind::kKeyword)) {
    for (int i = 0; i <= static_cast<int>(BaseType::kStr); ++i) {
      if (in.At(BaseTypeName(static_cast<BaseType>(i)))) type->base = static_cast<BaseType>(i);
    }
  }
  if (!type->base.has_value() && !in.At(TokenKind::kIdentifier)) {
    return in.Unexpected("a type", "2.3", "the types are int, real, bool, str and those of @dtype");
  }
  in.Skip();
  return true;
}

}  // namespace nnef2
}  // namespace xla
