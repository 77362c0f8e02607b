#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/language/parse_computation.h"
#include "builders/nnef2/language/parse_declaration.h"
#include "builders/nnef2/language/parse_expression.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kComposeRule = "2.10";
constexpr absl::string_view kControlRule = "2.10.1";

bool ParseCallable(TokenReader& in, Callable* callable);

bool ParseGenerics(TokenReader& in, std::vector<TypeReference>* types) {
  if (!in.Accept("<")) return true;
  do {
    types->emplace_back();
    if (!ParseTypeReference(in, &types->back())) return false;
  } while (in.Accept(","));
  return in.Expect(">", "after the types of an invocation", "2.13");
}

bool ParseAttributes(TokenReader& in, std::vector<AttributeValue>* attributes) {
  if (!in.Accept("{") || in.Accept("}")) return true;
  do {
    attributes->emplace_back();
    AttributeValue& attribute = attributes->back();
    if (!in.ExpectName("the name of an attribute", kComposeRule, &attribute.name)) return false;
    if (in.At(":")) return in.Unexpected("'=' after the name of an attribute", kComposeRule, "write {name=value}");
    if (!in.Expect("=", "after the name of an attribute", kComposeRule)) return false;
    if (!ParseExpression(in, &attribute.value)) return false;
  } while (in.Accept(","));
  return in.Expect("}", "after the attributes of an invocation", kComposeRule);
}

bool ParseArguments(TokenReader& in, std::vector<ExpressionPtr>* arguments) {
  if (!in.Expect("(", "before the arguments of an invocation", kComposeRule)) return false;
  if (in.Accept(")")) return true;
  do {
    ExpressionPtr argument;
    if (in.At("~")) {
      argument = std::make_unique<Expression>();
      argument->span = in.Next().span;
      in.Skip();
    } else if (!ParseExpression(in, &argument)) {
      return false;
    }
    arguments->push_back(std::move(argument));
  } while (in.Accept(","));
  return in.Expect(")", "after the arguments of an invocation", kComposeRule);
}

bool ParseInvocation(TokenReader& in, Invocation* invocation) {
  invocation->span = in.Next().span;
  return in.ExpectQualifiedName("the name of an operator", kComposeRule, &invocation->target) &&
         ParseGenerics(in, &invocation->types) && ParseAttributes(in, &invocation->attributes) &&
         ParseArguments(in, &invocation->arguments);
}

// Whether "<" begins the types of an invocation: "op<real, T>(", "op<int>{".
bool AtGenerics(const TokenReader& in, size_t ahead) {
  if (!in.Next(ahead).Is("<")) return false;
  while (true) {
    const TokenKind kind = in.Next(++ahead).kind;
    if (kind != TokenKind::kIdentifier && kind != TokenKind::kKeyword) return false;
    ++ahead;
    if (in.Next(ahead).Is(">")) break;
    if (!in.Next(ahead).Is(",")) return false;
  }
  return in.Next(ahead + 1).Is("(") || in.Next(ahead + 1).Is("{");
}

bool AtInvocation(const TokenReader& in) {
  if (!in.At(TokenKind::kIdentifier)) return false;
  size_t ahead = 1;
  while (in.Next(ahead).Is(".") && in.Next(ahead + 1).kind == TokenKind::kIdentifier) ahead += 2;
  return in.Next(ahead).Is("(") || in.Next(ahead).Is("{") || AtGenerics(in, ahead);
}

bool ParseYield(TokenReader& in, Region* region) {
  region->yield_range.begin = in.begin();
  in.Skip();
  do {
    ExpressionPtr value;
    if (!ParseExpression(in, &value)) return false;
    region->yields.push_back(std::move(value));
  } while (in.Accept(","));
  if (!in.Expect(";", "after 'yield'", kControlRule)) return false;
  region->yield_range.end = in.end();
  return in.At("}") || in.Unexpected("'}' after 'yield', which ends a block", kControlRule);
}

bool ParseRegion(TokenReader& in, Region* region) {
  const Span span = in.Next().span;
  const TokenReader::Level level(in.region_level());
  if (*in.region_level() > kMaxRegionDepth) {
    return in.Error(span, absl::StrCat("blocks are nested more than ", kMaxRegionDepth, " deep"), kControlRule,
                    "define an operator for a part", ErrorClass::kValue);
  }
  in.Skip();
  while (!in.At("yield")) {
    if (in.At("}") || in.AtEnd()) return in.Unexpected("'yield' at the end of a block", kControlRule);
    region->components.emplace_back();
    if (!ParseComponent(in, &region->components.back())) return false;
  }
  if (!ParseYield(in, region)) return false;
  return in.Expect("}", "after a block", kControlRule);
}

bool ParseCallable(TokenReader& in, Callable* callable) {
  callable->span = in.Next().span;
  if (in.At(TokenKind::kIdentifier) && in.Next(1).Is(":")) {
    if (!in.ExpectName("a label", kComposeRule, &callable->label)) return false;
    in.Skip();
    if (!in.At("{") && !AtInvocation(in)) return in.Unexpected("an invocation or a block after a label", kComposeRule);
  }
  if (in.At("{")) {
    callable->kind = Callable::Kind::kRegion;
    callable->region = std::make_unique<Region>();
    return ParseRegion(in, callable->region.get());
  }
  if (AtInvocation(in)) {
    callable->kind = Callable::Kind::kInvocation;
    return ParseInvocation(in, &callable->invocation);
  }
  return ParseExpression(in, &callable->expression);
}

bool ParseBranch(TokenReader& in, Branch* branch) {
  do {
    in.Skip();
    branch->conditions.emplace_back();
    branch->consequents.emplace_back();
    if (!ParseCallable(in, &branch->conditions.back()) || !in.Expect("then", "after a condition", kControlRule) ||
        !ParseCallable(in, &branch->consequents.back())) {
      return false;
    }
  } while (in.At("elif"));
  if (!in.Expect("else", "after a branch", kControlRule)) return false;
  branch->consequents.emplace_back();
  return ParseCallable(in, &branch->consequents.back());
}

bool ParseCarried(TokenReader& in, Carried* carried) {
  if (!in.ExpectName("the name of a loop variable", kControlRule, &carried->name)) return false;
  carried->has_type = in.Accept(":");
  if (carried->has_type && (!ParseTypeReference(in, &carried->type) || !ParseShape(in, &carried->shape))) return false;
  return in.Expect("=", "after the name of a loop variable", kControlRule) && ParseExpression(in, &carried->value);
}

// "..(i -> n)".
bool ParseLoopCount(TokenReader& in, Loop* loop) {
  if (!in.Accept("..")) return true;
  if (!in.Expect("(", "before the count of a loop", kControlRule)) return false;
  if (in.At(TokenKind::kIdentifier) && in.Next(1).Is("->")) {
    if (!in.ExpectName("the index of a loop", kControlRule, &loop->index)) return false;
    in.Skip();
  }
  const bool has_count = !in.At(")") || loop->index.empty();
  if (has_count && !ParseExpression(in, &loop->count)) return false;
  return in.Expect(")", "after the count of a loop", kControlRule);
}

bool ParseWhile(TokenReader& in, bool tests_after, Loop* loop) {
  if (!in.At("while")) return true;
  if (loop->condition.has_value()) return in.Unexpected("one 'while' of a loop", kControlRule);
  in.Skip();
  loop->tests_after = tests_after;
  loop->condition.emplace();
  return ParseCallable(in, &*loop->condition);
}

bool ParseLoop(TokenReader& in, Loop* loop) {
  if (in.Accept("with")) {
    do {
      loop->carried.emplace_back();
      if (!ParseCarried(in, &loop->carried.back())) return false;
    } while (in.Accept(","));
  }
  if (in.Accept("for")) {
    do {
      loop->scans.emplace_back();
      Scan& scan = loop->scans.back();
      if (!in.ExpectName("the name of an item", kControlRule, &scan.name) ||
          !in.Expect(":", "after the name of an item", kControlRule) || !ParseExpression(in, &scan.value)) {
        return false;
      }
    } while (in.Accept(","));
  }
  if (in.At("with")) return in.Unexpected("'with' before 'for'", kControlRule);
  if (!ParseWhile(in, /*tests_after=*/false, loop)) return false;
  loop->is_unrolled = in.At("unroll");
  if (!in.At("do") && !in.At("unroll"))
    return in.Unexpected("'do' or 'unroll' before the body of a loop", kControlRule);
  in.Skip();
  return ParseLoopCount(in, loop) && ParseCallable(in, &loop->body) && ParseWhile(in, /*tests_after=*/true, loop);
}

bool ParseResultItem(TokenReader& in, ResultItem* item) {
  if (!in.ExpectName("the name of a result", kComposeRule, &item->name)) return false;
  item->has_type = in.Accept(":");
  if (item->has_type && (!ParseTypeReference(in, &item->type) || !ParseShape(in, &item->shape))) return false;
  item->is_pack = in.Accept("..");
  return !item->is_pack || ParseCount(in, &item->length);
}

bool ParseResult(TokenReader& in, Result* result) {
  result->span = in.Next().span;
  result->is_dropped = in.Accept("~");
  if (result->is_dropped) return true;
  result->is_list = in.Accept("[");
  if (result->is_list && in.Accept("]")) return true;
  do {
    result->items.emplace_back();
    if (!ParseResultItem(in, &result->items.back())) return false;
  } while (result->is_list && in.Accept(","));
  return !result->is_list || in.Expect("]", "after the items of a result", kComposeRule);
}

}  // namespace

bool ParseComponent(TokenReader& in, Component* component) {
  component->range.begin = in.begin();
  component->span = in.Next().span;
  do {
    component->results.emplace_back();
    if (!ParseResult(in, &component->results.back())) return false;
  } while (in.Accept(","));
  if (!in.Expect("=", "after the results", kComposeRule)) return false;
  bool is_good = false;
  if (in.At("if")) {
    component->kind = Component::Kind::kBranch;
    is_good = ParseBranch(in, &component->branch);
  } else if (in.At("with") || in.At("for") || in.At("while") || in.At("do") || in.At("unroll")) {
    component->kind = Component::Kind::kLoop;
    is_good = ParseLoop(in, &component->loop);
  } else {
    is_good = ParseCallable(in, &component->callable);
  }
  if (!is_good || !in.Expect(";", "after a component", kComposeRule)) return false;
  component->range.end = in.end();
  return true;
}

bool ParseQuantization(TokenReader& in, Quantization* quantization) {
  quantization->range.begin = in.begin();
  Invocation& algorithm = quantization->algorithm;
  if (!in.ExpectQualifiedName("the name of a tensor", "2.14", &quantization->tensor) ||
      !in.Expect(":", "after the name of a tensor", "2.14")) {
    return false;
  }
  algorithm.span = in.Next().span;
  if (!in.ExpectQualifiedName("the name of an operator", "2.14", &algorithm.target) ||
      !ParseGenerics(in, &algorithm.types) || !ParseAttributes(in, &algorithm.attributes) ||
      !in.Expect(";", "after a quantization", "2.14")) {
    return false;
  }
  quantization->range.end = in.end();
  return true;
}

}  // namespace nnef2
}  // namespace xla
