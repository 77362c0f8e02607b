#include "builders/nnef1/language/parse_declaration.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/language/parse_type.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr absl::string_view kRule = "3.2.2";

bool TooManyParameters(TokenReader& in) {
  return in.Error(in.Next().span, absl::StrCat("a fragment has at most ", kMaxParameters, " parameters and results"),
                  "");
}

// From the position after `<`.
bool ParseGeneric(TokenReader& in, Declaration* declaration) {
  declaration->is_generic = true;
  if (!in.Expect("?", "in a generic declaration", kRule)) return false;
  if (in.Accept("=")) {
    declaration->generic_default = PrimitiveOf(in.Next());
    if (!declaration->generic_default.has_value()) return in.Unexpected("a primitive type", kRule);
    in.Skip();
  }
  return in.Expect(">", "after the generic declaration", kRule);
}

bool ParseParameter(TokenReader& in, Parameter* parameter) {
  Name name;
  if (!in.ExpectName("the name of a parameter", kRule, &name)) return false;
  parameter->name = std::string(name.text);
  parameter->position = in.PositionOf(name.span);
  if (!in.Expect(":", "and a type after the name of a parameter", kRule)) return false;
  if (!ParseType(in, &parameter->type)) return false;
  if (!in.Accept("=")) return true;
  parameter->default_value.emplace();
  return ParseDefaultValue(in, &*parameter->default_value);
}

bool ParseResult(TokenReader& in, Result* result) {
  Name name;
  if (!in.ExpectName("the name of a result", kRule, &name)) return false;
  result->name = std::string(name.text);
  result->position = in.PositionOf(name.span);
  return in.Expect(":", "and a type after the name of a result", kRule) && ParseType(in, &result->type);
}

}  // namespace

// `name<? = type>( parameters ) -> ( results )`.
bool ParseDeclaration(TokenReader& in, Declaration* declaration) {
  Name name;
  if (!in.ExpectName("the name of the fragment", kRule, &name)) return false;
  declaration->name = std::string(name.text);
  declaration->position = in.PositionOf(name.span);
  if (in.Accept("<") && !ParseGeneric(in, declaration)) return false;
  if (!in.Expect("(", "before the parameters", kRule)) return false;
  do {
    if (declaration->parameters.size() == kMaxParameters) return TooManyParameters(in);
    declaration->parameters.emplace_back();
    if (!ParseParameter(in, &declaration->parameters.back())) return false;
  } while (in.Accept(","));
  if (!in.Expect(")", "after the parameters", kRule) || !in.Expect("->", "between parameters and results", kRule) ||
      !in.Expect("(", "before the results", kRule)) {
    return false;
  }
  do {
    if (declaration->results.size() == kMaxParameters) return TooManyParameters(in);
    declaration->results.emplace_back();
    if (!ParseResult(in, &declaration->results.back())) return false;
  } while (in.Accept(","));
  return in.Expect(")", "after the results", kRule);
}

}  // namespace nnef1
}  // namespace xla
