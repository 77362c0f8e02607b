#include "builders/nnef1/language/parse_expression.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/language/parse_type.h"

namespace xla {
namespace nnef1 {
namespace {

// Of binary operators, from the weakest level to the strongest (3.3.3).
struct OperatorRow {
  absl::string_view symbol;
  Operator op;
  int level;
};
constexpr OperatorRow kOperators[] = {
    {"in", Operator::kIn, 0},           {"&&", Operator::kAnd, 1},       {"||", Operator::kOr, 1},
    {"<", Operator::kLess, 2},          {"<=", Operator::kLessEqual, 2}, {">", Operator::kGreater, 2},
    {">=", Operator::kGreaterEqual, 2}, {"==", Operator::kEqual, 2},     {"!=", Operator::kNotEqual, 2},
    {"+", Operator::kAdd, 3},           {"-", Operator::kSubtract, 3},   {"*", Operator::kMultiply, 4},
    {"/", Operator::kDivide, 4},        {"^", Operator::kPower, 5},
};
constexpr int kLevels = 6;

struct BuiltinRow {
  absl::string_view name;
  Builtin builtin;
};
constexpr BuiltinRow kBuiltins[] = {
    {"shape_of", Builtin::kShapeOf}, {"length_of", Builtin::kLengthOf}, {"range_of", Builtin::kRangeOf},
    {"integer", Builtin::kInteger},  {"scalar", Builtin::kScalar},      {"logical", Builtin::kLogical},
    {"string", Builtin::kString},
};

bool TouchesNext(const Token& token, const Token& next) {
  return token.text.data() + token.text.size() == next.text.data();
}

// The piece of the first line that the expression covers.
void Finish(const TokenReader& in, const Token& first, Expression* expression) {
  expression->span = first.span;
  if (in.Last().span.line == first.span.line) {
    expression->span.length = in.Last().span.column + in.Last().span.length - first.span.column;
  }
}

bool ParseArgument(TokenReader& in, Expression* invocation) {
  Name name;
  if (in.Next().kind == TokenKind::kIdentifier && in.Next(1).Is("=")) {
    name = Name{in.Next().text, in.Next().span};
    in.Skip();
    in.Skip();
  }
  invocation->details->argument_names.push_back(name);
  invocation->items.emplace_back();
  return ParseExpression(in, &invocation->items.back());
}

// A function of the language, such as length_of(x), with one argument that has no name.
bool ParseBuiltin(TokenReader& in, Builtin builtin, Expression* expression) {
  const Token first = in.Next();
  in.NeedOperators(first.span, absl::StrCat("the function ", first.text));
  in.Skip();
  in.Skip();
  expression->kind = Expression::Kind::kBuiltin;
  expression->builtin = builtin;
  expression->items.emplace_back();
  if (in.Next().kind == TokenKind::kIdentifier && in.Next(1).Is("=")) {
    return in.Error(in.Next().span, absl::StrCat(first.text, " takes its argument without a name"), "3.2.3");
  }
  if (!ParseExpression(in, &expression->items[0])) return false;
  if (!in.Expect(")", absl::StrCat("after the one argument of ", first.text), "3.2.3")) return false;
  Finish(in, first, expression);
  return true;
}

// The inside of a comprehension: items are the arrays, the condition or a missing expression, and what is yielded.
bool ParseComprehension(TokenReader& in, Expression* expression) {
  constexpr absl::string_view kRule = "3.2.3";
  in.Skip();
  expression->kind = Expression::Kind::kComprehension;
  expression->details = std::make_unique<Expression::Details>();
  do {
    Name name;
    if (!in.ExpectName("the name of a loop variable", kRule, &name) ||
        !in.Expect("in", "after a loop variable", kRule)) {
      return false;
    }
    expression->details->loop_names.push_back(name);
    expression->items.emplace_back();
    if (!ParseExpression(in, &expression->items.back(), /*allow_if_else=*/false)) return false;
  } while (in.Accept(","));
  expression->items.emplace_back();
  if (in.Accept("if") && !ParseExpression(in, &expression->items.back())) return false;
  expression->items.emplace_back();
  return in.Expect("yield", "and an item in a comprehension", kRule) && ParseExpression(in, &expression->items.back());
}

// An array of items, or a comprehension if it begins with `for`.
bool ParseBracketed(TokenReader& in, Expression* expression) {
  const Token first = in.Next();
  in.Skip();
  if (in.At("for")) {
    in.NeedOperators(in.Next().span, "comprehensions");
    if (!ParseComprehension(in, expression)) return false;
  } else {
    expression->kind = Expression::Kind::kArray;
    if (!in.At("]")) {
      do {
        expression->items.emplace_back();
        if (!ParseExpression(in, &expression->items.back())) return false;
      } while (in.Accept(","));
    }
  }
  if (!in.Expect("]", "after the items of an array", "3.2.1")) return false;
  Finish(in, first, expression);
  return true;
}

// A tuple, or one expression in parentheses, which only the operator extension allows.
bool ParseParenthesised(TokenReader& in, Expression* expression) {
  const Token first = in.Next();
  in.Skip();
  if (!ParseExpression(in, expression)) return false;
  if (in.At(",")) {
    Expression tuple;
    tuple.kind = Expression::Kind::kTuple;
    tuple.items.push_back(std::move(*expression));
    while (in.Accept(",")) {
      tuple.items.emplace_back();
      if (!ParseExpression(in, &tuple.items.back())) return false;
    }
    *expression = std::move(tuple);
  } else {
    in.NeedOperators(first.span, "parentheses around one expression");
  }
  if (!in.Expect(")", "to match '('", "3.2.1")) return false;
  expression->is_parenthesised = true;
  Finish(in, first, expression);
  return true;
}

// A literal, a name, an invocation, or something in brackets.
bool ParsePrimary(TokenReader& in, Expression* expression) {
  const Token first = in.Next();
  switch (first.kind) {
    case TokenKind::kInteger:
    case TokenKind::kScalar:
      expression->kind = Expression::Kind::kLiteral;
      expression->span = first.span;
      return ParseNumber(in, /*is_negative=*/false, &expression->literal);
    case TokenKind::kString:
      expression->kind = Expression::Kind::kLiteral;
      expression->span = first.span;
      expression->literal = Value::String(UnquoteString(first.text));
      in.Skip();
      return true;
    case TokenKind::kIdentifier:
      if (AtInvocation(in)) return ParseInvocation(in, /*is_nested=*/true, expression);
      expression->kind = Expression::Kind::kIdentifier;
      expression->span = first.span;
      expression->name = first.text;
      in.Skip();
      return true;
    case TokenKind::kKeyword:
      if (first.Is("true") || first.Is("false")) {
        expression->kind = Expression::Kind::kLiteral;
        expression->span = first.span;
        expression->literal = Value::Logical(first.Is("true"));
        in.Skip();
        return true;
      }
      for (const BuiltinRow& row : kBuiltins) {
        if (first.Is(row.name) && in.Next(1).Is("(")) return ParseBuiltin(in, row.builtin, expression);
      }
      break;
    case TokenKind::kSymbol:
      if (first.Is("[")) return ParseBracketed(in, expression);
      if (first.Is("(")) return ParseParenthesised(in, expression);
      break;
    case TokenKind::kInvalid:
    case TokenKind::kEnd:
      break;
  }
  return in.Unexpected("an expression", "3.2.1",
                       first.kind == TokenKind::kKeyword ? "keywords are not identifiers" : "");
}

// "[" (rvalue | [rvalue] ":" [rvalue]) "]" after items[0].
bool ParseSubscript(TokenReader& in, Expression* expression) {
  constexpr absl::string_view kRule = "3.2.3";
  in.Skip();
  expression->kind = Expression::Kind::kSubscript;
  expression->items.emplace_back();
  if (!in.At(":") && !ParseExpression(in, &expression->items[1])) return false;
  if (in.Accept(":")) {
    expression->kind = Expression::Kind::kRange;
    expression->items.emplace_back();
    if (!in.At("]") && !ParseExpression(in, &expression->items[2])) return false;
  }
  return in.Expect("]", "after a subscript", kRule);
}

bool ParsePostfix(TokenReader& in, Expression* expression) {
  const Token first = in.Next();
  if (!ParsePrimary(in, expression)) return false;
  for (int subscripts = 1; in.At("["); ++subscripts) {
    if (in.nesting() + subscripts > kMaxNesting) return in.TooDeep();
    in.NeedOperators(in.Next().span, "subscripts");
    Expression subject = std::move(*expression);
    *expression = Expression();
    expression->items.push_back(std::move(subject));
    if (!ParseSubscript(in, expression)) return false;
    Finish(in, first, expression);
  }
  return true;
}

// A sign that touches a number is part of it, and needs no extension; other prefixes are operators.
bool ParseUnary(TokenReader& in, Expression* expression) {
  const Token first = in.Next();
  if (!in.At("+") && !in.At("-") && !in.At("!")) return ParsePostfix(in, expression);
  const TokenReader::Level level(&in);
  if (level.is_too_deep()) return in.TooDeep();
  in.Skip();
  const bool is_number = in.Next().kind == TokenKind::kInteger || in.Next().kind == TokenKind::kScalar;
  // A subscript would bind tighter, but nothing in a number can be subscripted.
  if (first.Is("-") && is_number) {
    if (!TouchesNext(first, in.Next())) in.NeedOperators(first.span, "operators");
    expression->kind = Expression::Kind::kLiteral;
    if (!ParseNumber(in, /*is_negative=*/true, &expression->literal)) return false;
    Finish(in, first, expression);
    return true;
  }
  in.NeedOperators(first.span, "operators");
  expression->kind = Expression::Kind::kUnary;
  expression->details = std::make_unique<Expression::Details>();
  expression->details->operators.push_back({first.Is("+")   ? Operator::kAdd
                                            : first.Is("-") ? Operator::kSubtract
                                                            : Operator::kNot,
                                            first.span});
  expression->items.emplace_back();
  if (!ParseUnary(in, &expression->items.back())) return false;
  Finish(in, first, expression);
  return true;
}

// Operators by level of precedence, each level from left to right. A chain of one level becomes one expression,
// however long it is, so that it nests no deeper.
bool ParseOperators(TokenReader& in, int level, Expression* expression) {
  if (level == kLevels) return ParseUnary(in, expression);
  const auto find = [&]() -> const OperatorRow* {
    for (const OperatorRow& row : kOperators) {
      if (row.level == level && in.At(row.symbol)) return &row;
    }
    return nullptr;
  };
  const Token first = in.Next();
  if (!ParseOperators(in, level + 1, expression)) return false;
  const OperatorRow* row = find();
  if (row == nullptr) return true;
  in.NeedOperators(in.Next().span, "operators");
  Expression chain;
  chain.kind = Expression::Kind::kBinary;
  chain.details = std::make_unique<Expression::Details>();
  chain.items.push_back(std::move(*expression));
  for (; row != nullptr; row = find()) {
    chain.details->operators.push_back({row->op, in.Next().span});
    in.Skip();
    chain.items.emplace_back();
    if (!ParseOperators(in, level + 1, &chain.items.back())) return false;
  }
  *expression = std::move(chain);
  Finish(in, first, expression);
  return true;
}

}  // namespace

// An expression with its if-else chain: `a if p else b if q else c` is a list of branches and conditions, not nested.
bool ParseExpression(TokenReader& in, Expression* expression, bool allow_if_else) {
  const TokenReader::Level level(&in);
  if (level.is_too_deep()) return in.TooDeep();
  const Token first = in.Next();
  if (!ParseOperators(in, 0, expression)) return false;
  if (!allow_if_else || !in.At("if")) return true;
  in.NeedOperators(in.Next().span, "if-else");
  Expression chain;
  chain.kind = Expression::Kind::kIfElse;
  chain.items.push_back(std::move(*expression));
  while (in.Accept("if")) {
    chain.items.emplace_back();
    if (!ParseExpression(in, &chain.items.back())) return false;
    if (!in.Expect("else", "and a second branch after 'if'", "3.2.3")) return false;
    chain.items.emplace_back();
    if (!ParseOperators(in, 0, &chain.items.back())) return false;
  }
  *expression = std::move(chain);
  Finish(in, first, expression);
  return true;
}

bool AtInvocation(const TokenReader& in) {
  if (in.Next().kind != TokenKind::kIdentifier) return false;
  if (in.Next(1).Is("(")) return true;
  return in.Next(1).Is("<") && PrimitiveOf(in.Next(2)).has_value() && in.Next(3).Is(">");
}

bool AtOperator(const TokenReader& in) {
  for (const OperatorRow& row : kOperators) {
    if (in.At(row.symbol)) return true;
  }
  return in.At("if") || (in.At("[") && in.has_operators());
}

// `name<type>(arguments)`. Within expressions, invocations need the operator extension.
bool ParseInvocation(TokenReader& in, bool is_nested, Expression* expression) {
  const Token first = in.Next();
  if (is_nested) in.NeedOperators(first.span, "invocations inside of expressions");
  expression->kind = Expression::Kind::kInvocation;
  expression->name = first.text;
  expression->details = std::make_unique<Expression::Details>();
  in.Skip();
  if (in.Accept("<")) {
    expression->details->generic = PrimitiveOf(in.Next());
    in.Skip();
    in.Skip();
  }
  if (!in.Expect("(", "before the arguments", "3.2.1")) return false;
  if (in.At(")") && !in.is_quantization()) {
    return in.Unexpected("an argument", "3.2.1", "an invocation has at least one");
  }
  if (!in.At(")")) {
    do {
      if (!ParseArgument(in, expression)) return false;
    } while (in.Accept(","));
  }
  if (!in.Expect(")", "after the arguments", "3.2.1")) return false;
  Finish(in, first, expression);
  return true;
}

}  // namespace nnef1
}  // namespace xla
