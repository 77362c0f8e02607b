#include "builders/nnef2/language/parse_declaration.h"

#include <utility>

#include "builders/nnef2/language/parse_expression.h"

namespace xla {
namespace nnef2 {
namespace {

// Words of the later language in front of a type or a name.
bool RefuseModifier(TokenReader& in) {
  const bool is_modifier = in.Next().text == "static" || in.Next().text == "dynamic";
  const TokenKind next = in.Next(1).kind;
  if (!is_modifier || (next != TokenKind::kIdentifier && next != TokenKind::kKeyword)) return true;
  return in.Unexpected(
      "a name or a type", "2.5",
      "the document is written in a later language than draft 6 of NNEF 2.0; here an extent that varies "
      "has a bound, n|10, and attributes do not vary");
}

bool ParseExtent(TokenReader& in, Extent* extent) {
  extent->span = in.Next().span;
  extent->is_spread = in.Accept("..");
  if (!RefuseModifier(in)) return false;
  if (!in.Accept("~") && !ParseExpression(in, &extent->value)) return false;
  if (in.Accept("|") && !ParseExpression(in, &extent->bound)) return false;
  extent->is_pack = in.Accept("..");
  return !extent->is_pack || ParseCount(in, &extent->length);
}

bool ParsePackSpec(TokenReader& in, PackSpec* pack) {
  pack->is_pack = in.Accept("..");
  if (!pack->is_pack || !in.Accept("(")) return true;
  pack->is_omitted = in.Accept("~");
  if (!pack->is_omitted && !ParseExpression(in, &pack->length)) return false;
  if (in.Accept("|") && !ParseExpression(in, &pack->bound)) return false;
  return in.Expect(")", "after the length of a pack", "2.3");
}

bool ParseUsingItem(TokenReader& in, UsingItem* item) {
  if (in.Accept("(")) {
    do {
      Name name;
      if (!in.ExpectName("the name of a helper", "2.9", &name)) return false;
      item->names.push_back(name);
    } while (in.Accept(","));
    item->is_pack = true;
    return in.Expect(")", "after the parts of a zip", "2.9") && in.Expect("..", "after a zip", "2.9") &&
           ParseCount(in, &item->length);
  }
  Name name;
  if (!in.ExpectName("the name of a helper", "2.9", &name)) return false;
  item->names.push_back(name);
  item->is_pack = in.Accept("..");
  return !item->is_pack || ParseCount(in, &item->length);
}

bool ParseArgument(TokenReader& in, Assertion::Argument* argument) {
  const size_t begin = in.begin();
  if (!ParseExpression(in, &argument->value)) return false;
  if (argument->value->kind == Expression::Kind::kString && in.Accept(":")) {
    argument->label = std::move(argument->value);
    return ParseExpression(in, &argument->value);
  }
  argument->text = in.TextFrom(begin);
  return true;
}

}  // namespace

bool ParseTypeParameter(TokenReader& in, TypeParameter* type) {
  type->range.begin = in.begin();
  if (!in.ExpectName("the name of a type", "2.13", &type->name) ||
      !in.Expect(":", "after the name of a type", "2.13") || !ParseTypeReference(in, &type->bound)) {
    return false;
  }
  if (in.Accept("=")) {
    type->default_type.emplace();
    if (!ParseTypeReference(in, &*type->default_type)) return false;
  }
  if (!in.Expect(";", "after a type", "2.13")) return false;
  type->range.end = in.end();
  return true;
}

bool ParseShape(TokenReader& in, std::vector<Extent>* shape) {
  if (!in.Expect("[", "before a shape", "2.6")) return false;
  if (in.Accept("]")) return true;
  do {
    shape->emplace_back();
    if (!ParseExtent(in, &shape->back())) return false;
  } while (in.Accept(","));
  return in.Expect("]", "after a shape", "2.6");
}

bool ParseIndexBounds(TokenReader& in, std::vector<IndexBound>* bounds) {
  while (in.Accept(",")) {
    IndexBound bound;
    if (!in.ExpectName("an index symbol", "2.12", &bound.symbol)) return false;
    if (!in.Expect("<", "after an index symbol: an index counts from 0 up to a bound", "2.12")) return false;
    if (!ParseExpression(in, &bound.bound)) return false;
    bounds->push_back(std::move(bound));
  }
  return true;
}

bool ParseParameter(TokenReader& in, Parameter* parameter) {
  parameter->range.begin = in.begin();
  if (!RefuseModifier(in)) return false;
  if (!in.ExpectName("the name of a declaration", "2.5", &parameter->name) ||
      !in.Expect(":", "after the name of a declaration", "2.5")) {
    return false;
  }
  if (!RefuseModifier(in)) return false;
  parameter->is_optional = in.Accept("optional");
  if (!ParseTypeReference(in, &parameter->type)) return false;
  if (in.Accept("^")) {
    if (!in.Expect("(", "before the name of a rank", "2.6") ||
        !in.ExpectName("the name of a rank", "2.6", &parameter->rank) ||
        !in.Expect(")", "after the name of a rank", "2.6")) {
      return false;
    }
  }
  parameter->has_shape = in.At("[");
  if (parameter->has_shape && !ParseShape(in, &parameter->shape)) return false;
  if (!ParsePackSpec(in, &parameter->pack)) return false;
  if (parameter->pack.is_pack && in.At("..")) return in.Unexpected("one '..'", "2.3", "packs do not nest");
  if (in.Accept("=") && (!ParseExpression(in, &parameter->value) || !ParseIndexBounds(in, &parameter->bounds))) {
    return false;
  }
  if (!in.Expect(";", "after a declaration", "2.5")) return false;
  parameter->range.end = in.end();
  return true;
}

bool ParseUsing(TokenReader& in, Using* helper) {
  helper->range.begin = in.begin();
  helper->span = in.Next().span;
  helper->is_list = in.Accept("[");
  do {
    helper->items.emplace_back();
    if (!ParseUsingItem(in, &helper->items.back())) return false;
  } while (helper->is_list && in.Accept(","));
  if (helper->is_list && !in.Expect("]", "after the parts of a list", "2.9")) return false;
  if (!helper->is_list && helper->items[0].names.size() > 1) {
    return in.Error(helper->span, "a zip stands in a list", "2.9", "write [(a, b)..] = c");
  }
  if (!in.Expect("=", "after the name of a helper", "2.9") || !ParseExpression(in, &helper->value) ||
      !in.Expect(";", "after a helper", "2.9")) {
    return false;
  }
  helper->range.end = in.end();
  return true;
}

bool ParseAssertion(TokenReader& in, Assertion* assertion) {
  assertion->range.begin = in.begin();
  assertion->span = in.Next().span;
  if (!ParseExpression(in, &assertion->condition)) return false;
  if (in.Accept(":")) {
    if (!in.At(TokenKind::kString)) return in.Unexpected("the message of an assertion", "2.8");
    if (!ParseStrings(in, &assertion->message)) return false;
    while (in.Accept(",")) {
      assertion->arguments.emplace_back();
      if (!ParseArgument(in, &assertion->arguments.back())) return false;
    }
  }
  if (!in.Expect(";", "after an assertion", "2.8")) return false;
  assertion->range.end = in.end();
  return true;
}

}  // namespace nnef2
}  // namespace xla
