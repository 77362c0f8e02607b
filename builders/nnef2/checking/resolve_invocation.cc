#include "builders/nnef2/checking/resolve_invocation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef2 {
namespace {

class InvocationResolver {
 public:
  InvocationResolver(const InvocationContext& context, const Invocation& invocation, ResolvedInvocation* resolved)
      : context_(context), invocation_(invocation), callee_(*resolved->callee), resolved_(*resolved) {
    resolved_.attributes.resize(callee_.attributes.size());
    resolved_.inputs.resize(callee_.inputs.size());
  }

  bool EvaluateAttributes() {
    bool is_good = true;
    for (const AttributeValue& given : invocation_.attributes) is_good = EvaluateAttribute(given) && is_good;
    return is_good;
  }

  bool EvaluateArguments() {
    const size_t count = invocation_.arguments.size();
    if (count > callee_.inputs.size()) {
      return Fail(
          ErrorClass::kArity, invocation_.span,
          absl::StrCat("operator '", Name(), "' has ", callee_.inputs.size(), " inputs, got ", count, " arguments"),
          "2.10");
    }
    bool is_good = true;
    for (size_t i = 0; i < count; ++i) is_good = EvaluateArgument(i) && is_good;
    for (size_t i = 0; i < callee_.inputs.size() && is_good; ++i) {
      const Parameter& input = callee_.inputs[i];
      if (resolved_.inputs[i].has_value() || input.is_optional || input.value != nullptr) continue;
      return Fail(ErrorClass::kArity, invocation_.span,
                  absl::StrCat("input '", input.name.text, "' of operator '", Name(), "' is missing: it has ",
                               callee_.inputs.size(), " inputs, got ", count),
                  "2.10");
    }
    return is_good;
  }

  bool ResolveTypes() {
    if (invocation_.types.size() > callee_.types.size()) {
      return Fail(ErrorClass::kType, invocation_.span,
                  absl::StrCat("operator '", Name(), "' has ", callee_.types.size(), " generic types, got ",
                               invocation_.types.size()),
                  "2.13");
    }
    for (size_t i = 0; i < invocation_.types.size(); ++i) {
      ElementType element;
      if (!context_.evaluator->FindType(invocation_.types[i], &element)) return false;
      if (!BindType(callee_.types[i].name.text, element, invocation_.span, "given")) return false;
    }
    for (size_t i = 0; i < callee_.attributes.size(); ++i) {
      if (!Deduce(callee_.attributes[i], resolved_.attributes[i])) return false;
    }
    for (size_t i = 0; i < callee_.inputs.size(); ++i) {
      if (!Deduce(callee_.inputs[i], resolved_.inputs[i])) return false;
    }
    for (const TypeParameter& type : callee_.types) {
      if (resolved_.types.count(type.name.text) > 0) continue;
      if (!type.default_type.has_value() || !type.default_type->base.has_value()) {
        return Fail(ErrorClass::kType, invocation_.span,
                    absl::StrCat("type '", type.name.text, "' of operator '", Name(), "' cannot be deduced"), "2.13",
                    absl::StrCat("give it: ", invocation_.target.text, "<real>(...)"));
      }
      resolved_.types.emplace(type.name.text, ElementType{*type.default_type->base, {}});
    }
    return true;
  }

  bool CheckValues() {
    bool is_good = true;
    for (size_t i = 0; i < callee_.attributes.size(); ++i) {
      if (resolved_.attributes[i].has_value()) is_good = CheckAttribute(i) && is_good;
    }
    for (size_t i = 0; i < callee_.inputs.size(); ++i) {
      if (resolved_.inputs[i].has_value()) is_good = CheckInput(i) && is_good;
    }
    return is_good;
  }

  // Those without a value and without a default that the callee can compute.
  bool CheckMissing() {
    bool is_good = true;
    for (size_t i = 0; i < callee_.attributes.size(); ++i) {
      const Parameter& attribute = callee_.attributes[i];
      if (resolved_.attributes[i].has_value() || attribute.is_optional || attribute.value != nullptr) continue;
      is_good = Fail(context_.attribute_class, invocation_.span,
                     absl::StrCat("attribute '", attribute.name.text, "' of operator '", Name(),
                                  "' has no default and must be given"),
                     "2.5", absl::StrCat(invocation_.target.text, "{", attribute.name.text, "=...}"));
    }
    return is_good;
  }

 private:
  bool Fail(ErrorClass error_class, const Span& span, std::string message, absl::string_view rule,
            std::string suggestion = "") {
    return context_.workspace->Error(error_class, context_.user->At(span), std::move(message), rule,
                                     std::move(suggestion));
  }
  absl::string_view Name() const { return invocation_.target.text; }

  bool EvaluateAttribute(const AttributeValue& given) {
    size_t place = 0;
    while (place < callee_.attributes.size() && callee_.attributes[place].name.text != given.name.text) ++place;
    if (place == callee_.attributes.size()) {
      std::vector<absl::string_view> known;
      for (const Parameter& attribute : callee_.attributes) known.push_back(attribute.name.text);
      const absl::string_view nearest = NearestWord(given.name.text, known);
      return Fail(context_.attribute_class, given.name.span,
                  absl::StrCat("operator '", Name(), "' has no attribute '", given.name.text, "'"), "2.5",
                  nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
    }
    if (resolved_.attributes[place].has_value()) {
      return Fail(ErrorClass::kAttrib, given.name.span,
                  absl::StrCat("attribute '", given.name.text, "' is given twice"), "2.5");
    }
    Value value = context_.evaluator->EvaluateStatic(*given.value, "an attribute");
    if (value.is_error) return false;
    resolved_.attributes[place] = std::move(value);
    return true;
  }

  bool EvaluateArgument(size_t i) {
    const Expression& argument = *invocation_.arguments[i];
    if (argument.kind == Expression::Kind::kOmitted) return true;
    Value value = context_.evaluator->Evaluate(argument);
    if (value.is_error) return false;
    // While composing, what is null is not given.
    if (value.is_null && callee_.inputs[i].is_optional) return true;
    resolved_.inputs[i] = std::move(value);
    return true;
  }

  bool BindType(absl::string_view name, const ElementType& element, const Span& span, absl::string_view how) {
    for (const TypeParameter& type : callee_.types) {
      if (type.name.text != name || !type.bound.base.has_value()) continue;
      if (!IsInside(element, *type.bound.base)) {
        return Fail(ErrorClass::kType, span,
                    absl::StrCat("type '", name, "' of operator '", Name(), "' must be a type of kind ",
                                 BaseTypeName(*type.bound.base), ", got ", element.ToString()),
                    "2.13");
      }
    }
    const auto inserted = resolved_.types.emplace(name, element);
    if (inserted.second || inserted.first->second.Fits(element)) return true;
    return Fail(ErrorClass::kType, span,
                absl::StrCat("type '", name, "' of operator '", Name(), "' is ", how, " as ",
                             inserted.first->second.ToString(), " and as ", element.ToString()),
                "2.13");
  }

  bool Deduce(const Parameter& parameter, const absl::optional<Value>& value) {
    if (parameter.type.base.has_value() || !value.has_value()) return true;
    const ElementType& element = value->type.element;
    if (value->is_null || element.is_any()) return true;
    return BindType(parameter.type.name.text, element, invocation_.span, "deduced");
  }

  bool CheckElement(const Parameter& parameter, absl::string_view what, const Value& value) {
    const ElementType expected = ElementOf(parameter, resolved_.types);
    if (value.is_null || value.type.element.Fits(expected)) return true;
    return Fail(ErrorClass::kType, invocation_.span,
                absl::StrCat(what, " '", parameter.name.text, "' of operator '", Name(), "' must be ",
                             expected.ToString(), ", got ", value.type.ToString()),
                what == "attribute" ? "2.5" : "2.10",
                expected.base == BaseType::kReal && value.type.element.is_int() && !value.type.is_tensor
                    ? "int is not converted to real: write 1.0 for 1, real(x) for x"
                    : "");
  }

  bool CheckOptional(const Parameter& parameter, absl::string_view what, const Value& value) {
    const bool may_be_null = context_.workspace->is_definition() ? value.type.is_optional : value.is_null;
    if (parameter.is_optional || !may_be_null) return true;
    return Fail(ErrorClass::kType, invocation_.span,
                absl::StrCat(what, " '", parameter.name.text, "' of operator '", Name(),
                             "' must not be null, got a value of type ", value.type.ToString()),
                "2.3", "give a value in place of null: x ?? y, or test it: if ?x then ... else ...");
  }

  bool CheckAttribute(size_t i) {
    const Parameter& attribute = callee_.attributes[i];
    const Value& value = *resolved_.attributes[i];
    if (!CheckElement(attribute, "attribute", value) || !CheckOptional(attribute, "attribute", value)) return false;
    if (attribute.pack.is_pack || !value.type.is_pack || value.is_null) return true;
    return Fail(ErrorClass::kType, invocation_.span,
                absl::StrCat("attribute '", attribute.name.text, "' of operator '", Name(),
                             "' must be one value, got a pack of type ", value.type.ToString()),
                "2.5");
  }

  bool CheckInput(size_t i) {
    const Parameter& input = callee_.inputs[i];
    const Value& value = *resolved_.inputs[i];
    if (!CheckElement(input, "input", value) || !CheckOptional(input, "input", value)) return false;
    if (value.is_null || input.pack.is_pack == value.type.is_pack) return true;
    return Fail(ErrorClass::kType, invocation_.span,
                absl::StrCat("input '", input.name.text, "' of operator '", Name(), "' must ",
                             input.pack.is_pack ? "be a pack" : "not be a pack", ", got ", value.type.ToString()),
                "2.10", input.pack.is_pack ? "write [x]" : "");
  }

  const InvocationContext& context_;
  const Invocation& invocation_;
  const Definition& callee_;
  ResolvedInvocation& resolved_;
};

}  // namespace

bool IsInside(const ElementType& element, BaseType bound) {
  switch (bound) {
    case BaseType::kType:
      return true;
    case BaseType::kArith:
      return element.base != BaseType::kStr && element.base != BaseType::kType;
    case BaseType::kNum:
      return element.is_number();
    default:
      return element.base == bound && element.generic.empty();
  }
}

ElementType ElementOf(const Parameter& parameter, const absl::flat_hash_map<absl::string_view, ElementType>& types) {
  if (parameter.type.base.has_value()) return {*parameter.type.base, {}};
  const auto found = types.find(parameter.type.name.text);
  return found == types.end() ? ElementType::Any() : found->second;
}

bool ResolveInvocation(const InvocationContext& context, const Invocation& invocation, ResolvedInvocation* resolved) {
  resolved->callee =
      context.program->Find(*context.user, invocation.target, ErrorClass::kName, &context.workspace->diagnostics());
  if (resolved->callee == nullptr) return false;
  InvocationResolver resolver(context, invocation, resolved);
  const bool has_attributes = resolver.EvaluateAttributes();
  const bool has_arguments = resolver.EvaluateArguments();
  return has_attributes && has_arguments && resolver.ResolveTypes() && resolver.CheckValues() &&
         resolver.CheckMissing();
}

bool ResolveAttributes(const InvocationContext& context, const Invocation& invocation, ResolvedInvocation* resolved) {
  InvocationResolver resolver(context, invocation, resolved);
  return resolver.EvaluateAttributes() && resolver.CheckMissing();
}

}  // namespace nnef2
}  // namespace xla
