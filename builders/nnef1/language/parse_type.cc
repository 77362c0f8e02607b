#include "builders/nnef1/language/parse_type.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef1 {
namespace {

bool ParseTensorType(TokenReader& in, Type* type) {
  constexpr absl::string_view kRule = "3.2.2";
  in.Skip();
  if (!in.Expect("<", "after 'tensor'", kRule)) return false;
  if (in.Accept(">")) {
    *type = Type::UnboundTensor();
    return true;
  }
  const absl::optional<Primitive> primitive = PrimitiveOf(in.Next());
  if (!primitive.has_value()) return in.Unexpected("a primitive type", kRule);
  *type = Type::Tensor(*primitive);
  in.Skip();
  return in.Expect(">", "after the type of a tensor", kRule);
}

// An array or a tuple.
bool ParseDefaultItems(TokenReader& in, Value* value) {
  constexpr absl::string_view kRule = "3.2.2";
  const bool is_array = in.At("[");
  in.Skip();
  std::vector<Value> items;
  if (!is_array || !in.At("]")) {
    do {
      items.emplace_back();
      if (!ParseDefaultValue(in, &items.back())) return false;
    } while (in.Accept(","));
  }
  if (!is_array && items.size() < 2) return in.Unexpected("',' and a second item of the tuple", kRule);
  *value = is_array ? Value::Array(std::move(items)) : Value::Tuple(std::move(items));
  return in.Expect(is_array ? "]" : ")", "after the items of a default value", kRule);
}

}  // namespace

absl::optional<Primitive> PrimitiveOf(const Token& token) {
  for (const Primitive primitive :
       {Primitive::kInteger, Primitive::kScalar, Primitive::kLogical, Primitive::kString, Primitive::kGeneric}) {
    if (token.Is(PrimitiveName(primitive))) return primitive;
  }
  return absl::nullopt;
}

// A primitive type, `tensor<...>`, a tuple, with any number of `[]` after it.
bool ParseType(TokenReader& in, Type* type) {
  constexpr absl::string_view kRule = "3.2.2";
  const TokenReader::Level level(&in);
  if (level.is_too_deep()) return in.TooDeep();
  if (const absl::optional<Primitive> primitive = PrimitiveOf(in.Next())) {
    *type = Type::Of(*primitive);
    in.Skip();
  } else if (in.At("tensor")) {
    if (!ParseTensorType(in, type)) return false;
  } else if (in.Accept("(")) {
    std::vector<Type> items;
    do {
      items.emplace_back();
      if (!ParseType(in, &items.back())) return false;
    } while (in.Accept(","));
    if (items.size() < 2) return in.Unexpected("',' and a second type, because a tuple has at least two items", kRule);
    if (!in.Expect(")", "after the types of a tuple", kRule)) return false;
    *type = Type::Tuple(std::move(items));
  } else {
    return in.Unexpected("a type", kRule, "types are integer, scalar, logical, string, tensor<...>, (...) and ...[]");
  }
  for (int suffixes = 0; in.Accept("["); ++suffixes) {
    if (!in.Expect("]", "in the type of an array", kRule)) return false;
    if (in.nesting() + suffixes >= kMaxNesting) return in.TooDeep();
    *type = Type::Array(std::move(*type));
  }
  return true;
}

// A literal, or arrays and tuples of literals; a sign may precede a number.
bool ParseDefaultValue(TokenReader& in, Value* value) {
  const TokenReader::Level level(&in);
  if (level.is_too_deep()) return in.TooDeep();
  const Token token = in.Next();
  if (token.Is("[") || token.Is("(")) return ParseDefaultItems(in, value);
  if (token.kind == TokenKind::kString) {
    *value = Value::String(UnquoteString(token.text));
    in.Skip();
    return true;
  }
  if (token.Is("true") || token.Is("false")) {
    *value = Value::Logical(token.Is("true"));
    in.Skip();
    return true;
  }
  const bool is_negative = token.Is("-");
  if (is_negative || token.Is("+")) in.Skip();
  if (in.Next().kind != TokenKind::kInteger && in.Next().kind != TokenKind::kScalar) {
    return in.Unexpected("a literal as default value", "3.2.2");
  }
  return ParseNumber(in, is_negative, value);
}

// Integers must fit 64 bits with their sign.
bool ParseNumber(TokenReader& in, bool is_negative, Value* value) {
  const Token token = in.Next();
  in.Skip();
  const std::string text = absl::StrCat(is_negative ? "-" : "", token.text);
  if (token.kind == TokenKind::kInteger) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number)) {
      return in.Error(token.span, absl::StrCat("the integer ", text.substr(0, 40), " does not fit 64 bits"), "3.1");
    }
    *value = Value::Integer(number);
    return true;
  }
  // Too large is infinity, too small is 0, as everywhere with floating-point numbers.
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) return in.Error(token.span, "expected a number", "3.1");
  *value = Value::Scalar(number);
  return true;
}

}  // namespace nnef1
}  // namespace xla
