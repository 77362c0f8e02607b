#include "builders/nnef1/language/parse_body.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/language/parse_expression.h"

namespace xla {
namespace nnef1 {
namespace {

// The left side of an assignment: a name, or arrays and tuples of targets. Nesting is bounded, as in all parsers
// here.
bool ParseTarget(TokenReader& in, Target* target) {
  constexpr absl::string_view kRule = "3.2.1";
  const TokenReader::Level level(&in);
  if (level.is_too_deep()) return in.TooDeep();
  target->span = in.Next().span;
  const bool is_array = in.At("[");
  if (!is_array && !in.At("(")) {
    Name name;
    if (!in.ExpectName("an identifier to assign to", kRule, &name)) return false;
    target->name = name.text;
    return true;
  }
  in.Skip();
  target->kind = is_array ? Target::Kind::kArray : Target::Kind::kTuple;
  if (is_array && in.Accept("]")) return true;
  do {
    target->items.emplace_back();
    if (!ParseTarget(in, &target->items.back())) return false;
  } while (in.Accept(","));
  if (!is_array && target->items.size() < 2) return in.Unexpected("',' and a second item of the tuple", kRule);
  return in.Expect(is_array ? "]" : ")", "after the left side of an assignment", kRule);
}

// lvalue ("," lvalue)*
bool ParseTargetTuple(TokenReader& in, Target* target) {
  const Token first = in.Next();
  if (!ParseTarget(in, target)) return false;
  if (!in.At(",")) return true;
  Target tuple;
  tuple.kind = Target::Kind::kTuple;
  tuple.span = first.span;
  tuple.items.push_back(std::move(*target));
  while (in.Accept(",")) {
    tuple.items.emplace_back();
    if (!ParseTarget(in, &tuple.items.back())) return false;
  }
  *target = std::move(tuple);
  return true;
}

// An invocation alone needs no extension of the language, anything more needs operators; which of both it is shows
// only after the invocation, so that the parser may go back.
bool ParseAssignment(TokenReader& in, Assignment* assignment) {
  if (!ParseTargetTuple(in, &assignment->target) || !in.Expect("=", "after the left side of an assignment", "3.2.1")) {
    return false;
  }
  const Token first = in.Next();
  if (AtInvocation(in)) {
    // An invocation as a whole needs no extension; if more follows, it was the beginning of an expression.
    const size_t begin = in.place();
    if (!ParseInvocation(in, /*is_nested=*/false, &assignment->value)) return false;
    if (in.Accept(";")) return true;
    if (!AtOperator(in)) return in.Expect(";", "after the assignment", "3.2.1");
    in.NeedOperators(in.Next().span, in.At("if") ? "if-else" : "operators");
    in.GoBackTo(begin);
    assignment->value = Expression();
  }
  if (!ParseExpression(in, &assignment->value)) return false;
  if (!in.Expect(";", "after the assignment", "3.2.1")) return false;
  if (in.LacksOperators() &&
      (assignment->value.kind != Expression::Kind::kInvocation || assignment->value.is_parenthesised)) {
    in.Error(first.span, "the right side of an assignment must be an invocation", "3.2.1",
             absl::StrCat("the extension ", kOperatorExtension, " allows other expressions"));
  }
  return true;
}

}  // namespace

bool ParseBody(TokenReader& in, std::vector<Assignment>* body) {
  constexpr absl::string_view kRule = "3.2.1";
  if (!in.Expect("{", "before the body", kRule)) return false;
  if (in.At("}")) in.Unexpected("an assignment", kRule, "a body has at least one");
  while (!in.At("}")) {
    if (in.AtEnd() || in.At("graph") || in.At("fragment")) return in.Unexpected("'}' after the body", kRule);
    body->emplace_back();
    if (!ParseAssignment(in, &body->back())) in.SkipStatement();
  }
  in.Skip();
  return true;
}

}  // namespace nnef1
}  // namespace xla
