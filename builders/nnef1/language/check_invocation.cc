// ExpressionChecker: invocations of operations. Checks that the operation exists, that every parameter has an
// argument, and that types fit (NNEF 1.0.4, sections 3.3.1 and 3.3.2), and finds the type of the result. One mistake
// gives one error: an argument of unknown type fits everything.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/language/arguments.h"
#include "builders/nnef1/language/expression_checker.h"
#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/type_rules.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr absl::string_view kTypes = "3.3.1";
constexpr absl::string_view kInvocations = "3.3.2";

}  // namespace

std::string SuggestedArgument(const Expression& argument, const Type& expected, const Type& got) {
  const bool wants_scalar = (expected.kind == Type::Kind::kPrimitive || expected.kind == Type::Kind::kTensor) &&
                            expected.primitive == Primitive::kScalar;
  if (wants_scalar && IsPrimitive(got, Primitive::kInteger)) {
    if (argument.kind == Expression::Kind::kLiteral) return absl::StrCat("write ", argument.literal.ToString(), ".0");
    return "integers become scalars by scalar(...)";
  }
  if (expected.kind == Type::Kind::kArray && IsCastable(got, expected.items[0])) return "put it into brackets: [...]";
  if (expected.IsAttribute() && !got.IsAttribute()) return "attributes must be known at compile time";
  return "";
}

Type ResultType(const Declaration& declaration, Primitive generic) {
  std::vector<Type> types;
  for (const Result& result : declaration.results) types.push_back(Substitute(result.type, generic));
  return types.size() == 1 ? types[0] : Type::Tuple(std::move(types));
}

void ExpressionChecker::UnknownOperation(const Expression& invocation) {
  // The document's own first, which win over others that are as near.
  std::vector<absl::string_view> known;
  if (place_.document != nullptr && !diagnostics_.is_full()) {
    for (const auto& fragment : place_.document->fragments) known.push_back(fragment->declaration.name);
  }
  for (const absl::string_view name : StandardOperationNames()) known.push_back(name);
  const absl::string_view nearest = NearestWord(invocation.name, known);
  Error(ErrorClass::kInvocation, invocation.span, absl::StrCat("there is no operation '", invocation.name, "'"),
        kInvocations, nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
}

// The type that an invocation gives: arguments are bound to parameters, the generic type is deduced from them, and
// each is checked. nullopt after an error.
absl::optional<Type> ExpressionChecker::TypeOfInvocation(const Expression& expression) {
  const Fragment* const fragment = place_.document != nullptr ? FindFragment(*place_.document, expression.name)
                                                              : FindStandardFragment(expression.name);
  std::vector<absl::optional<Type>> types;
  for (const Expression& argument : expression.items) types.push_back(TypeOf(argument));
  if (fragment == nullptr) {
    UnknownOperation(expression);
    return absl::nullopt;
  }
  const Declaration& declaration = fragment->declaration;
  std::vector<ArgumentError> errors;
  const std::vector<int> places = BindArguments(declaration, expression, 0, &errors);
  for (ArgumentError& error : errors) {
    Error(ErrorClass::kInvocation, error.span, std::move(error.message), kInvocations, std::move(error.suggestion));
  }
  if (place_.check_use) place_.check_use(expression, places);
  const absl::optional<Primitive> generic = GenericOf(expression, declaration, places, types);
  if (!generic.has_value()) return absl::nullopt;
  CheckArgumentTypes(expression, declaration, places, types, *generic);
  return ResultType(declaration, *generic);
}

// What `?` stands for; kGeneric for operations without it.
absl::optional<Primitive> ExpressionChecker::GenericOf(const Expression& invocation, const Declaration& declaration,
                                                       const std::vector<int>& places,
                                                       const std::vector<absl::optional<Type>>& arguments) {
  const absl::optional<Primitive>& given = invocation.details->generic;
  if (given.has_value() && !declaration.is_generic) {
    Error(ErrorClass::kInvocation, invocation.span,
          absl::StrCat(declaration.name, " is not generic, so it takes no type in <>"), kTypes);
    return Primitive::kGeneric;
  }
  if (given == Primitive::kGeneric && !place_.is_generic) {
    Error(ErrorClass::kInvocation, invocation.span,
          absl::StrCat(declaration.name, "<?> passes on the type of a generic fragment, but there is none around"),
          kTypes);
    return absl::nullopt;
  }
  if (!declaration.is_generic) return Primitive::kGeneric;
  if (given.has_value()) return given;
  if (declaration.generic_default.has_value()) return declaration.generic_default;
  std::vector<Primitive> candidates;
  bool is_known = true;
  for (size_t i = 0; i < places.size(); ++i) {
    const Parameter& parameter = declaration.parameters[i];
    if (!ContainsGeneric(parameter.type)) continue;
    const absl::optional<Type> type = places[i] >= 0                        ? arguments[places[i]]
                                      : parameter.default_value.has_value() ? TypeOfValue(*parameter.default_value)
                                                                            : absl::nullopt;
    if (!type.has_value()) {
      is_known = false;
    } else if (places[i] >= 0 && !IsCastable(*type, parameter.type)) {
      // Whatever `?` is.
      ArgumentMismatch(invocation.items[places[i]], declaration, parameter.name, parameter.type, *type);
      return absl::nullopt;
    } else {
      CollectGeneric(parameter.type, *type, &candidates);
    }
  }
  if (candidates.size() == 1) return candidates[0];
  if (candidates.empty() && !is_known) return absl::nullopt;
  const std::string found = absl::StrJoin(candidates, " and ", [](std::string* out, Primitive primitive) {
    absl::StrAppend(out, PrimitiveName(primitive));
  });
  Error(ErrorClass::kInvocation, invocation.span,
        candidates.empty()
            ? absl::StrCat("the generic type of ", declaration.name, " cannot be deduced from its arguments")
            : absl::StrCat("the arguments of ", declaration.name, " must agree on the generic type, got ", found),
        kInvocations,
        candidates.empty() ? absl::StrCat("write ", declaration.name, "<scalar>(...) or another type") : "");
  return absl::nullopt;
}

void ExpressionChecker::CheckArgumentTypes(const Expression& invocation, const Declaration& declaration,
                                           const std::vector<int>& places,
                                           const std::vector<absl::optional<Type>>& arguments, Primitive generic) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || !arguments[places[i]].has_value()) continue;
    const Parameter& parameter = declaration.parameters[i];
    const Type expected = Substitute(parameter.type, generic);
    const Type& got = *arguments[places[i]];
    if (IsCastable(got, expected)) continue;
    ArgumentMismatch(invocation.items[places[i]], declaration, parameter.name, expected, got);
  }
}

void ExpressionChecker::ArgumentMismatch(const Expression& argument, const Declaration& declaration,
                                         absl::string_view parameter, const Type& expected, const Type& got) {
  TypeError(argument.span,
            absl::StrCat("argument '", parameter, "' of ", declaration.name, ": expected ", expected.ToString(),
                         ", got ", got.ToString()),
            kTypes, SuggestedArgument(argument, expected, got));
}

}  // namespace nnef1
}  // namespace xla
