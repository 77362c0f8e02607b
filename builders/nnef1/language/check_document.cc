// Declarations, and the use of identifiers in bodies (NNEF 1.0.4 section 3.3.2).
#include "builders/nnef1/language/check_document.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/language/expression_checker.h"
#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/type_rules.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr absl::string_view kRule = "3.3.2";

bool IsInvocationOf(const Expression& expression, absl::string_view operation) {
  return expression.kind == Expression::Kind::kInvocation && expression.name == operation;
}

// --- declarations ---

// A result is a tensor or an array of tensors.
bool IsResultType(const Type& type) {
  return type.kind == Type::Kind::kArray ? IsResultType(type.items[0]) : IsTensor(type);
}

class DeclarationChecker {
 public:
  DeclarationChecker(const Declaration& declaration, Diagnostics* diagnostics)
      : declaration_(declaration), diagnostics_(*diagnostics) {}

  void Check() {
    bool has_attribute = false;
    for (const Parameter& parameter : declaration_.parameters) {
      CheckName(parameter.name, parameter.position);
      CheckTuples(parameter.type, parameter.position);
      CheckDefault(parameter);
      if (parameter.type.IsAttribute()) has_attribute = true;
      if (!parameter.type.IsAttribute() && has_attribute) {
        Error(parameter.position,
              absl::StrCat("the tensor parameter '", parameter.name, "' must come before the attributes"));
      }
      uses_generic_ |= ContainsGeneric(parameter.type);
    }
    for (const Result& result : declaration_.results) {
      CheckName(result.name, result.position);
      if (!IsResultType(result.type)) {
        Error(result.position, absl::StrCat("the result '", result.name,
                                            "' must be a tensor or an array of tensors, got ", result.type.ToString()));
      } else if (ContainsUnboundTensor(result.type)) {
        Error(result.position, absl::StrCat("the result '", result.name, "' must not be an unbound tensor"));
      }
      uses_generic_ |= ContainsGeneric(result.type);
    }
    CheckGeneric();
  }

 private:
  void Error(const Position& position, std::string message, std::string suggestion = "") {
    diagnostics_.Error(ErrorClass::kDeclaration, position,
                       absl::StrCat("fragment '", declaration_.name, "': ", message), kRule, std::move(suggestion));
  }

  void CheckName(absl::string_view name, const Position& position) {
    if (!names_.insert(name).second) {
      Error(position, absl::StrCat("the names of parameters and results are unique, got '", name, "' twice"));
    }
  }

  void CheckTuples(const Type& type, const Position& position) {
    if (MixesTensorsAndAttributes(type)) {
      Error(position, absl::StrCat("a tuple holds tensors or attributes, not both, got ", type.ToString()));
    }
  }

  void CheckDefault(const Parameter& parameter) {
    if (!parameter.default_value.has_value()) return;
    const absl::optional<Type> type = TypeOfValue(*parameter.default_value);
    if (type.has_value() && IsCastable(*type, parameter.type)) return;
    const bool wants_scalar = type.has_value() && IsPrimitive(*type, Primitive::kInteger) &&
                              IsCastable(Type::Of(Primitive::kScalar), parameter.type);
    Error(parameter.position,
          absl::StrCat("the default value of '", parameter.name, "' must be of type ", parameter.type.ToString(),
                       ", got ", type.has_value() ? type->ToString() : "an array of mixed types"),
          wants_scalar ? absl::StrCat("write ", parameter.default_value->ToString(), ".0") : "");
  }

  void CheckGeneric() {
    if (declaration_.is_generic && !uses_generic_) {
      Error(declaration_.position, "it is declared generic, but no parameter or result has a type with ?");
    }
    if (!declaration_.is_generic && uses_generic_) {
      Error(declaration_.position, "a type with ? is used, but the fragment is not declared generic",
            absl::StrCat("write ", declaration_.name, "<?>"));
    }
    if (declaration_.generic_default == Primitive::kGeneric) {
      Error(declaration_.position, "the default of the generic type must be integer, scalar, logical or string");
    }
  }

  const Declaration& declaration_;
  Diagnostics& diagnostics_;
  absl::flat_hash_set<absl::string_view> names_;
  bool uses_generic_ = false;
};

// --- bodies ---

// Calls `visit(name)` for each identifier on the left side of an assignment.
template <typename Visit>
void ForEachName(const Target& target, const Visit& visit) {
  if (target.kind == Target::Kind::kIdentifier) visit(target);
  for (const Target& item : target.items) ForEachName(item, visit);
}

// What bodies of fragments and of the graph have in common: the left side mirrors the type of the right side.
// `Identifier` says what to do with an identifier and its type.
template <typename Identifier>
class Assigner {
 public:
  Assigner(ExpressionChecker* checker, const Identifier& identifier) : checker_(*checker), identifier_(identifier) {}

  // Assigns a value's type to the names on the left side, item by item for arrays and tuples. A wrong structure is
  // one error, after which the names are defined without a type.
  void Assign(const Target& target, const absl::optional<Type>& type, const Expression& value) {
    if (target.kind == Target::Kind::kIdentifier) {
      identifier_(target, type, value);
      return;
    }
    const bool is_array = target.kind == Target::Kind::kArray;
    bool is_known = type.has_value();
    if (is_known && is_array) {
      const bool is_empty = type->kind == Type::Kind::kEmptyArray && target.items.empty();
      if (type->kind != Type::Kind::kArray && !is_empty) is_known = Mismatch(target, *type);
    } else if (is_known) {
      const bool fits = type->kind == Type::Kind::kTuple && type->items.size() == target.items.size();
      if (!fits) is_known = Mismatch(target, *type);
    }
    for (size_t i = 0; i < target.items.size(); ++i) {
      absl::optional<Type> item;
      if (is_known) item = type->items[is_array ? 0 : i];
      Assign(target.items[i], item, value);
    }
  }

 private:
  bool Mismatch(const Target& target, const Type& type) {
    const std::string left =
        target.kind == Target::Kind::kArray ? "an array" : absl::StrCat("a tuple of ", target.items.size());
    checker_.Error(ErrorClass::kType, target.span,
                   absl::StrCat("the left side must mirror the right side: expected ", type.ToString(), ", got ", left),
                   kRule);
    return false;
  }

  ExpressionChecker& checker_;
  const Identifier& identifier_;
};

template <typename Identifier>
void AssignTypes(ExpressionChecker* checker, const Assignment& assignment, const Identifier& identifier) {
  const absl::optional<Type> type = checker->TypeOf(assignment.value);
  Assigner<Identifier>(checker, identifier).Assign(assignment.target, type, assignment.value);
}

// Checks the body of a fragment: which names it may use, types of all expressions, and that each result is assigned.
// external, variable and update belong to the graph.
void CheckFragmentBody(const Fragment& fragment, const Document* document, Diagnostics* diagnostics) {
  const Declaration& declaration = fragment.declaration;
  ExpressionChecker* use_errors = nullptr;
  ExpressionChecker::Place place;
  place.document = document;
  place.source = fragment.source();
  place.is_generic = declaration.is_generic;
  place.check_use = [&](const Expression& invocation, const std::vector<int>&) {
    for (const absl::string_view forbidden : {"external", "variable", "update"}) {
      if (invocation.name != forbidden) continue;
      use_errors->Error(ErrorClass::kIdentifier, invocation.span,
                        absl::StrCat(forbidden, " must not be used in a fragment"), kRule,
                        "use it in the graph and pass the tensor on");
    }
  };
  ExpressionChecker checker(std::move(place), diagnostics);
  use_errors = &checker;

  absl::flat_hash_set<absl::string_view> parameters;
  for (const Parameter& parameter : declaration.parameters) {
    parameters.insert(parameter.name);
    checker.Define(parameter.name, parameter.type);
  }
  absl::flat_hash_map<absl::string_view, const Result*> results;
  for (const Result& result : declaration.results) results.emplace(result.name, &result);
  for (const Assignment& assignment : fragment.body) {
    ForEachName(assignment.target, [&](const Target& target) { checker.Announce(target.name); });
  }

  const auto assign = [&](const Target& target, const absl::optional<Type>& type, const Expression& value) {
    if (parameters.contains(target.name)) {
      checker.Error(ErrorClass::kIdentifier, target.span,
                    absl::StrCat("the parameter '", target.name, "' must not be assigned"), kRule);
      return;
    }
    if (checker.IsDefined(target.name)) {
      checker.Error(ErrorClass::kIdentifier, target.span, absl::StrCat("'", target.name, "' is assigned twice"), kRule);
      return;
    }
    const auto result = results.find(target.name);
    if (result == results.end()) {
      checker.Define(target.name, type);
      return;
    }
    const Type& expected = result->second->type;
    checker.Define(target.name, expected);
    if (!type.has_value() || IsCastable(*type, expected)) return;
    checker.Error(ErrorClass::kType, value.span,
                  absl::StrCat("the result '", target.name, "' must be of type ", expected.ToString(), ", got ",
                               type->ToString()),
                  kRule, SuggestedArgument(value, expected, *type));
  };
  for (const Assignment& assignment : fragment.body) {
    if (diagnostics->IsOver()) return;
    AssignTypes(&checker, assignment, assign);
  }

  for (const Result& result : declaration.results) {
    if (checker.IsDefined(result.name)) continue;
    diagnostics->Error(
        ErrorClass::kIdentifier, result.position,
        absl::StrCat("the result '", result.name, "' of fragment '", declaration.name, "' is not assigned"), kRule);
  }
}

// --- the graph ---

class GraphChecker {
 public:
  GraphChecker(const Document& document, Diagnostics* diagnostics)
      : document_(document),
        graph_(document.graph),
        diagnostics_(*diagnostics),
        checker_(Place(document, this), diagnostics) {}

  // Names that are assigned later are announced first, so that using one too early gives an error that says so.
  void Check() {
    CheckNames();
    for (const Assignment& assignment : graph_.body) {
      ForEachName(assignment.target, [&](const Target& target) { checker_.Announce(target.name); });
    }
    const auto assign = [&](const Target& target, const absl::optional<Type>& type, const Expression& value) {
      Assign(target, type, value);
    };
    for (const Assignment& assignment : graph_.body) {
      if (diagnostics_.IsOver()) return;
      MatchIntroductions(assignment.target, assignment.value);
      AssignTypes(&checker_, assignment, assign);
    }
    CheckAssigned(graph_.parameters, "parameter");
    CheckAssigned(graph_.results, "result");
  }

 private:
  static ExpressionChecker::Place Place(const Document& document, GraphChecker* self) {
    ExpressionChecker::Place place;
    place.document = &document;
    place.source = document.source;
    place.check_use = [self](const Expression& invocation, const std::vector<int>& arguments) {
      self->CheckUse(invocation, arguments);
    };
    return place;
  }

  void Error(ErrorClass error_class, const Span& span, std::string message, std::string suggestion = "") {
    diagnostics_.Error(error_class, At(document_.source, span), std::move(message), kRule, std::move(suggestion));
  }

  // Parameters and results of the graph are distinct names.
  void CheckNames() {
    for (const Name& name : graph_.parameters) {
      if (!parameters_.insert(name.text).second) {
        Error(ErrorClass::kDeclaration, name.span, absl::StrCat("the graph has the parameter '", name.text, "' twice"));
      }
    }
    absl::flat_hash_set<absl::string_view> results;
    for (const Name& name : graph_.results) {
      if (!results.insert(name.text).second) {
        Error(ErrorClass::kDeclaration, name.span, absl::StrCat("the graph has the result '", name.text, "' twice"));
      }
      if (parameters_.contains(name.text)) {
        Error(ErrorClass::kIdentifier, name.span,
              absl::StrCat("'", name.text, "' is a parameter of the graph and a result"),
              "give the result a name of its own, by copy(...)");
      }
    }
  }

  // Which identifiers `external` and `variable` give, looking into arrays and tuples on both sides.
  void MatchIntroductions(const Target& target, const Expression& value) {
    if (target.kind != Target::Kind::kIdentifier) {
      const bool mirrors = (value.kind == Expression::Kind::kArray || value.kind == Expression::Kind::kTuple) &&
                           value.items.size() == target.items.size();
      for (size_t i = 0; mirrors && i < value.items.size(); ++i) MatchIntroductions(target.items[i], value.items[i]);
      return;
    }
    if (IsInvocationOf(value, "variable")) variables_.insert(target.name);
    if (!IsInvocationOf(value, "external")) return;
    if (parameters_.contains(target.name)) {
      externals_.insert(&value);
      defined_parameters_.insert(target.name);
    }
  }

  void CheckUse(const Expression& invocation, const std::vector<int>& arguments) {
    if (invocation.name == "external" && !externals_.contains(&invocation)) {
      Error(ErrorClass::kIdentifier, invocation.span, "the result of external must be a parameter of the graph",
            "list it in the parentheses after the name of the graph");
    }
    if (invocation.name == "update" && !arguments.empty() && arguments[0] >= 0) {
      CheckUpdated(invocation.items[arguments[0]]);
    }
  }

  void CheckUpdated(const Expression& variable) {
    if (IsInvocationOf(variable, "variable")) return;
    if (variable.kind != Expression::Kind::kIdentifier || !variables_.contains(variable.name)) {
      // An identifier that is not assigned has been reported.
      if (variable.kind == Expression::Kind::kIdentifier && !checker_.IsDefined(variable.name)) return;
      Error(ErrorClass::kIdentifier, variable.span, "only variables are updated",
            "the first argument must be the result of variable(...)");
    } else if (!updated_.insert(variable.name).second) {
      Error(ErrorClass::kIdentifier, variable.span,
            absl::StrCat("the variable '", variable.name, "' is updated twice"));
    }
  }

  void Assign(const Target& target, const absl::optional<Type>& type, const Expression& value) {
    if (checker_.IsDefined(target.name)) {
      Error(ErrorClass::kIdentifier, target.span, absl::StrCat("'", target.name, "' is assigned twice"));
      return;
    }
    checker_.Define(target.name, type);
    if (parameters_.contains(target.name) && !defined_parameters_.contains(target.name)) {
      Error(ErrorClass::kIdentifier, target.span,
            absl::StrCat("the graph's parameter '", target.name, "' must be the result of external"));
    } else if (type.has_value() && type->kind != Type::Kind::kTensor) {
      NotATensor(target, *type, value);
    }
  }

  void NotATensor(const Target& target, const Type& type, const Expression& value) {
    checker_.Define(target.name, absl::nullopt);
    // The left side of an invocation mirrors its results; anything else cannot have a name in the graph.
    const bool is_results = value.kind == Expression::Kind::kInvocation && !IsPrimitiveType(type);
    Error(is_results ? ErrorClass::kType : ErrorClass::kIdentifier, target.span,
          absl::StrCat("the identifiers of a graph are single tensors, but '", target.name, "' would be ",
                       type.ToString()),
          type.kind == Type::Kind::kArray   ? "write [a, b, ...] on the left side"
          : type.kind == Type::Kind::kTuple ? "write a, b, ... on the left side"
                                            : "");
  }

  static bool IsPrimitiveType(const Type& type) { return type.kind == Type::Kind::kPrimitive; }

  void CheckAssigned(const std::vector<Name>& names, absl::string_view what) {
    absl::flat_hash_set<absl::string_view> reported;
    for (const Name& name : names) {
      if (checker_.IsDefined(name.text) || !reported.insert(name.text).second) continue;
      Error(ErrorClass::kIdentifier, name.span,
            absl::StrCat("the graph's ", what, " '", name.text, "' is not assigned"));
    }
  }

  const Document& document_;
  const GraphDefinition& graph_;
  Diagnostics& diagnostics_;
  ExpressionChecker checker_;
  absl::flat_hash_set<absl::string_view> parameters_;
  absl::flat_hash_set<absl::string_view> defined_parameters_;
  absl::flat_hash_set<const Expression*> externals_;
  absl::flat_hash_set<absl::string_view> variables_;
  absl::flat_hash_set<absl::string_view> updated_;
};

}  // namespace

void CheckFragment(const Fragment& fragment, const Document* document, Diagnostics* diagnostics) {
  DeclarationChecker(fragment.declaration, diagnostics).Check();
  if (fragment.has_body) CheckFragmentBody(fragment, document, diagnostics);
}

// Names of fragments are unique among themselves and differ from the standard's, except for operations that Halo
// adds.
void CheckDocument(const Document& document, Diagnostics* diagnostics) {
  absl::flat_hash_set<absl::string_view> names;
  for (const auto& fragment : document.fragments) {
    const Declaration& declaration = fragment->declaration;
    const bool is_standard = FindStandardFragment(declaration.name) != nullptr && !IsExtraOperation(declaration.name);
    if (is_standard || !names.insert(declaration.name).second) {
      diagnostics->Error(ErrorClass::kDeclaration, declaration.position,
                         is_standard ? absl::StrCat("the standard has an operation '", declaration.name, "' already")
                                     : absl::StrCat("a fragment '", declaration.name, "' is there already"),
                         kRule, "give the fragment another name");
    }
  }
  for (const auto& fragment : document.fragments) {
    if (diagnostics->IsOver()) return;
    CheckFragment(*fragment, &document, diagnostics);
  }
  GraphChecker(document, diagnostics).Check();
}

}  // namespace nnef1
}  // namespace xla
