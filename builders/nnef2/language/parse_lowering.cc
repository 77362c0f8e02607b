#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/language/parse_computation.h"
#include "builders/nnef2/language/parse_declaration.h"
#include "builders/nnef2/language/parse_expression.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kLoweringRule = "2.12";

// How an assignment is written, and what it does.
struct AssignmentRow {
  absl::string_view symbol;
  Operator op;
};
constexpr AssignmentRow kAssignments[] = {
    {"=", Operator::kEqual}, {":=", Operator::kUniform}, {"+=", Operator::kAdd},     {"*=", Operator::kMultiply},
    {"&=", Operator::kAnd},  {"|=", Operator::kOr},      {"<=", Operator::kMinimum}, {">=", Operator::kMaximum}};

bool ParseUnroll(TokenReader& in, Lowering* lowering) {
  if (!in.Accept("unroll")) return true;
  if (!in.Expect("..", "after 'unroll'", kLoweringRule) || !in.Expect("(", "after 'unroll..'", kLoweringRule)) {
    return false;
  }
  if (!in.ExpectName("an index after 'unroll..('", kLoweringRule, &lowering->unroll_index) ||
      !in.Expect("->", "after an unrolled index", kLoweringRule)) {
    return false;
  }
  return ParseExpression(in, &lowering->unroll_count) && in.Expect(")", "after the count of an index", kLoweringRule);
}

bool NotAnAccess(TokenReader& in, const Span& span) {
  return in.Error(span, "the left side of an assignment must be the access of an output", kLoweringRule,
                  "index it: y[i,j], y[i..], y[i,] of one dimension, y[] of none", ErrorClass::kLower);
}

bool ParseAssignment(TokenReader& in, Lowering* lowering) {
  for (const AssignmentRow& row : kAssignments) {
    if (!in.Accept(row.symbol)) continue;
    lowering->op = row.op;
    return ParseExpression(in, &lowering->value);
  }
  static constexpr absl::string_view kOthers[] = {"&&", "||", "<<", ">>", "-",  "/", "\\",
                                                  "%",  "^",  "**", "==", "!=", "=>"};
  if (std::any_of(std::begin(kOthers), std::end(kOthers), [&](absl::string_view other) { return in.At(other); })) {
    return in.Error(in.Next().span, absl::StrCat("'", in.Next().text, "' does not assign"), kLoweringRule,
                    "assignments are = := += *= &= |= <= >=", ErrorClass::kLower);
  }
  return in.Unexpected("one of = := += *= &= |= <= >= after the access of an output", kLoweringRule);
}

// Locals, up to the access.
bool ParseLocals(TokenReader& in, Lowering* lowering) {
  const Span begin = in.Next().span;
  while (in.At(TokenKind::kIdentifier) && in.Next(1).Is("=")) {
    Lowering::Local local;
    if (!in.ExpectName("the name of a local value", kLoweringRule, &local.name)) return false;
    in.Skip();
    if (!ParseExpression(in, &local.value)) return false;
    lowering->locals.push_back(std::move(local));
    if (!in.At(",")) return NotAnAccess(in, begin);
    in.Skip();
  }
  if (!lowering->locals.empty() && in.At(TokenKind::kIdentifier) && in.Next(1).Is("<")) return NotAnAccess(in, begin);
  return true;
}

}  // namespace

bool ParseLowering(TokenReader& in, Lowering* lowering) {
  lowering->range.begin = in.begin();
  lowering->span = in.Next().span;
  if (in.At("with")) {
    return in.Unexpected("an assignment", kLoweringRule,
                         "the document is written in a later language than draft 6 of NNEF 2.0; here local values "
                         "precede the access: t = e, y[i,] = t");
  }
  if (!ParseUnroll(in, lowering) || !ParseLocals(in, lowering)) return false;
  const Span access = in.Next().span;
  if (!in.At(TokenKind::kIdentifier)) return in.Unexpected("the access of an output", kLoweringRule);
  if (!ParsePrimary(in, &lowering->target)) return false;
  const Expression::Kind kind = lowering->target->kind;
  if (kind != Expression::Kind::kAccess && kind != Expression::Kind::kIndex) return NotAnAccess(in, access);
  if (!ParseAssignment(in, lowering) || !ParseIndexBounds(in, &lowering->bounds)) return false;
  if (in.Accept("|") && !ParseExpression(in, &lowering->condition)) return false;
  if (!in.Expect(";", "after an assignment", kLoweringRule)) return false;
  lowering->range.end = in.end();
  return true;
}

}  // namespace nnef2
}  // namespace xla
