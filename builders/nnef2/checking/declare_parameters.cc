#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/definition_checker.h"
#include "builders/nnef2/evaluation/possible_errors.h"
#include "builders/nnef2/evaluation/scalar_operations.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr int64_t kMinInt = std::numeric_limits<int64_t>::min();
constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();

bool IsAbstract(BaseType type) { return type == BaseType::kType || type == BaseType::kArith || type == BaseType::kNum; }

}  // namespace

bool DefinitionChecker::Declare(const Name& name, Value value) {
  if (name.text == "_") return Fail(ErrorClass::kName, name.span, "the name '_' is reserved", "2.4");
  if (scope_.types.count(name.text) == 0 && scope_.values.emplace(name.text, std::move(value)).second) return true;
  return Fail(ErrorClass::kName, name.span, absl::StrCat("'", name.text, "' is declared twice"), "2.2",
              "all names of an operator are different");
}

const Symbolic* DefinitionChecker::NewLength(absl::string_view name) {
  return workspace_.symbols().NewSymbol(name, 0, kMaxPackLength);
}

void DefinitionChecker::DeclareTypes() {
  for (const TypeParameter& type : definition_.types) {
    const bool is_bound = type.bound.base.has_value() && IsAbstract(*type.bound.base);
    if (!is_bound) {
      Fail(ErrorClass::kType, type.bound.name.span,
           absl::StrCat("the bound of type '", type.name.text, "' must be type, arith or num, got ",
                        type.bound.name.text),
           "2.13");
    }
    const BaseType bound = is_bound ? *type.bound.base : BaseType::kType;
    if (type.default_type.has_value()) {
      const bool is_concrete = type.default_type->base.has_value() && !IsAbstract(*type.default_type->base);
      if (!is_concrete || !IsInside({*type.default_type->base, {}}, bound)) {
        Fail(ErrorClass::kType, type.default_type->name.span,
             absl::StrCat("the default of type '", type.name.text, "' must be int, real, bool or str, of kind ",
                          BaseTypeName(bound)),
             "2.13");
      }
    }
    if (!scope_.types.emplace(type.name.text, ElementType{bound, type.name.text}).second) {
      Fail(ErrorClass::kName, type.name.span, absl::StrCat("type '", type.name.text, "' is declared twice"), "2.13");
    }
  }
}

bool DefinitionChecker::FindElement(const Parameter& parameter, ElementType* element) {
  if (parameter.type.base == BaseType::kStr && parameter.has_shape) {
    return Fail(ErrorClass::kType, parameter.type.name.span, "a tensor cannot hold strings", "2.3",
                "strings are known when the model is composed: declare an attribute");
  }
  if (!evaluator_.FindType(parameter.type, element)) return false;
  if (!parameter.type.base.has_value() || !IsAbstract(*parameter.type.base)) return true;
  return Fail(ErrorClass::kType, parameter.type.name.span,
              absl::StrCat("'", parameter.type.name.text, "' is a bound of types, not a type"), "2.13",
              absl::StrCat("declare @dtype { T: ", parameter.type.name.text, "; } and use T"));
}

void DefinitionChecker::DeclareAttributes() {
  for (const Parameter& attribute : definition_.attributes) {
    ElementType element;
    if (!FindElement(attribute, &element)) element = ElementType::Any();
    if (attribute.has_shape) {
      Fail(ErrorClass::kType, attribute.name.span,
           absl::StrCat("attribute '", attribute.name.text, "' must not be a tensor"), "2.5",
           "declare an input, or a pack: int..(n)");
    }
    if (attribute.is_optional && attribute.value != nullptr) {
      Fail(ErrorClass::kAttrib, attribute.name.span,
           absl::StrCat("optional attribute '", attribute.name.text, "' must not have a default"), "2.5",
           "its default is null");
    }
    Value value;
    if (attribute.pack.is_pack) {
      value = Value::UnknownPack(element, nullptr);
    } else {
      const bool is_symbol = element.is_int() && element.generic.empty();
      value = Value::Of(element, is_symbol
                                     ? Scalar::Of(workspace_.symbols().NewSymbol(attribute.name.text, kMinInt, kMaxInt))
                                     : Scalar());
    }
    value.type.is_optional = attribute.is_optional;
    Declare(attribute.name, std::move(value));
  }
  // A length that is a name of its own is known from here on.
  for (const Parameter& attribute : definition_.attributes) {
    const AffineForm* const form = signature_.FindAffine(attribute.pack.length);
    if (form == nullptr || scope_.Find(form->name) != nullptr) continue;
    scope_.values.emplace(form->name, Value::Of({BaseType::kInt, {}}, Scalar::Of(NewLength(form->name))));
  }
}

// After the inputs, whose extents it may mention.
void DefinitionChecker::DeclareAttributeLength(const Parameter& attribute) {
  if (!attribute.pack.is_pack) return;
  Value& value = scope_.values[attribute.name.text];
  if (attribute.pack.length == nullptr) {
    value.length = NewLength(absl::StrCat("|", attribute.name.text, "|"));
    return;
  }
  const Value length = evaluator_.EvaluateCount(*attribute.pack.length, "the length of an attribute");
  if (!length.is_error && !length.is_null) value.length = AsSymbolic(workspace_.symbols(), length.item());
}

void DefinitionChecker::CheckDefault(const Parameter& parameter) {
  if (parameter.value == nullptr) return;
  const Value* const declared = scope_.Find(parameter.name.text);
  // An invocation that gives a value does not evaluate the default.
  PossibleErrors errors(&workspace_);
  const Value value = evaluator_.EvaluateStatic(*parameter.value, "a default");
  errors.End();
  if (value.is_error || declared == nullptr) return;
  const ElementType& expected = declared->type.element;
  if (!value.type.element.Fits(expected)) {
    Fail(ErrorClass::kType, parameter.value->span,
         absl::StrCat("the default of '", parameter.name.text, "' must be ", expected.ToString(), ", got ",
                      value.type.ToString()),
         "2.5", expected.base == BaseType::kReal && value.type.element.is_int() ? "write 1.0 for 1" : "");
  } else if (value.type.is_pack && !parameter.pack.is_pack) {
    Fail(ErrorClass::kType, parameter.value->span,
         absl::StrCat("the default of '", parameter.name.text, "' must be one value, got a pack"), "2.5");
  } else if (value.type.is_pack && !value.is_null && !declared->type.is_tensor &&
             !evaluator_.LengthsAgree(evaluator_.LengthOf(*declared), evaluator_.LengthOf(value))) {
    Fail(ErrorClass::kPack, parameter.value->span,
         absl::StrCat("the default of '", parameter.name.text, "' has a length other than the declared one"), "2.5");
  }
}

// A length that may be a name of its own, which it then declares.
const Symbolic* DefinitionChecker::DeclareLength(const ExpressionPtr& length, absl::string_view name) {
  if (length == nullptr) return NewLength(absl::StrCat("|", name, "|"));
  const AffineForm* const form = signature_.FindAffine(length);
  if (form != nullptr && scope_.Find(form->name) == nullptr) {
    scope_.values.emplace(form->name, Value::Of({BaseType::kInt, {}}, Scalar::Of(NewLength(form->name))));
  }
  const Value value = evaluator_.EvaluateCount(*length, "a length");
  return value.is_error || value.is_null ? nullptr : AsSymbolic(workspace_.symbols(), value.item());
}

// "s..(d)": false after an error. *length: as far as it is known.
bool DefinitionChecker::DeclareExtentPack(const Parameter& parameter, const Extent& extent, const Symbolic** length) {
  const AffineForm* const form = signature_.FindAffine(extent.value);
  const Value* const bound = form == nullptr ? nullptr : scope_.Find(form->name);
  const bool is_new = form != nullptr && bound == nullptr;
  const ElementType element{BaseType::kInt, {}};
  if (is_new || extent.value == nullptr) {
    if (is_new && extent.length != nullptr && signature_.FindAffine(extent.length) == nullptr) {
      // A condition instead of a length: one extent or none.
      const Value condition = evaluator_.EvaluateStatic(*extent.length, "a length");
      if (condition.is_error) return false;
      if (condition.type.element.is_bool()) {
        Value one = Value::Of(element, Scalar::Of(workspace_.symbols().NewSymbol(form->name, 0, kMaxInt)));
        one.type.is_optional = true;
        scope_.values.emplace(form->name, std::move(one));
        *length = nullptr;
        return true;
      }
    }
    if (is_new && signature_.FindAffine(extent.length) != nullptr) {
      const Value* const known = scope_.Find(signature_.FindAffine(extent.length)->name);
      if (known != nullptr && known->type.element.is_bool()) {
        Value one = Value::Of(element, Scalar::Of(workspace_.symbols().NewSymbol(form->name, 0, kMaxInt)));
        one.type.is_optional = true;
        scope_.values.emplace(form->name, std::move(one));
        *length = nullptr;
        return true;
      }
    }
    *length = DeclareLength(extent.length, form == nullptr ? parameter.name.text : form->name);
    if (is_new) {
      Value pack = Value::UnknownPack(element, *length);
      pack.type.is_optional = parameter.is_optional;
      scope_.values.emplace(form->name, std::move(pack));
    }
    return true;
  }
  const Value value = evaluator_.EvaluateStatic(*extent.value, "an extent");
  if (value.is_error) return false;
  if (!value.type.element.Fits(element)) {
    return Fail(ErrorClass::kType, extent.span, absl::StrCat("an extent must be an int, got ", value.type.ToString()),
                "2.6");
  }
  if (!value.type.is_pack && extent.length == nullptr) {
    const bool is_attribute = form != nullptr && parameter.value == nullptr && outputs_.count(parameter.name.text) == 0;
    return Fail(is_attribute ? ErrorClass::kName : ErrorClass::kPack, extent.span,
                "only a pack of extents can be expanded, got a single value", "2.6",
                is_attribute ? absl::StrCat("'", form->name, "' is declared already") : "");
  }
  const Symbolic* const declared = extent.length == nullptr ? nullptr : DeclareLength(extent.length, "");
  *length = value.type.is_pack ? (value.is_null ? nullptr : evaluator_.LengthOf(value)) : declared;
  if (!evaluator_.LengthsAgree(*length, declared)) {
    return Fail(ErrorClass::kPack, extent.span, "the length of a pack of extents differs from the declared one", "2.6");
  }
  return true;
}

// A component of a shape; its dimensions are added to *rank, and to *extents as long as each is one.
bool DefinitionChecker::DeclareExtent(const Parameter& parameter, const Extent& extent, const Symbolic* pack_length,
                                      std::vector<Scalar>* extents, const Symbolic** rank) {
  SymbolTable& symbols = workspace_.symbols();
  if (extent.bound != nullptr && evaluator_.EvaluateInt(*extent.bound, "the bound of an extent").is_error) return false;
  if (extent.is_pack) {
    const Symbolic* length = nullptr;
    if (!DeclareExtentPack(parameter, extent, &length)) return false;
    *rank = length == nullptr ? nullptr : symbols.Add(*rank, length);
    extents->clear();
    return true;
  }
  *rank = symbols.Add(*rank, symbols.Constant(1));
  if (extent.value == nullptr) {
    extents->push_back(Scalar());
    return true;
  }
  const AffineForm* const form = signature_.FindAffine(extent.value);
  const bool is_input = outputs_.count(parameter.name.text) == 0 && variables_.count(parameter.name.text) == 0 &&
                        parameter.value == nullptr;
  if (form != nullptr && scope_.Find(form->name) == nullptr && (is_input || extent.bound != nullptr)) {
    const ElementType element{BaseType::kInt, {}};
    Value value = extent.is_spread ? Value::UnknownPack(element, pack_length)
                                   : Value::Of(element, Scalar::Of(symbols.NewSymbol(form->name, 0, kMaxInt)));
    value.type.is_optional = parameter.is_optional;
    scope_.values.emplace(form->name, std::move(value));
  }
  if (extent.is_spread) {
    const Value value = evaluator_.EvaluateStatic(*extent.value, "an extent");
    extents->push_back(Scalar());
    return !value.is_error;
  }
  const Value value = evaluator_.EvaluateInt(*extent.value, "an extent");
  if (value.is_error) return false;
  // One that may be null may be left out.
  if (value.type.is_optional) *rank = nullptr;
  extents->push_back(value.item());
  return true;
}

void DefinitionChecker::DeclareInput(const Parameter& input) {
  if (!definition_.is_graph && !input.has_shape) {
    Fail(ErrorClass::kGraph, input.name.span,
         absl::StrCat("input '", input.name.text, "' of an operator must have a shape"), "2.6", "write real[s..]");
  }
  ElementType element;
  if (!FindElement(input, &element)) element = ElementType::Any();
  const Symbolic* pack_length = nullptr;
  if (input.pack.is_pack) pack_length = DeclareLength(input.pack.length, input.name.text);
  TensorFacts facts;
  facts.element = element;
  const Symbolic* named_rank = nullptr;
  if (!input.rank.empty()) {
    named_rank = NewLength(input.rank.text);
    scope_.values.emplace(input.rank.text, Value::Of({BaseType::kInt, {}}, Scalar::Of(named_rank)));
  }
  const Symbolic* rank = workspace_.symbols().Constant(0);
  for (const Extent& extent : input.shape) {
    if (!definition_.is_graph && extent.value == nullptr) {
      Fail(ErrorClass::kGraph, extent.span, "an extent of an input of an operator must have a name", "2.6");
    }
    DeclareExtent(input, extent, pack_length, &facts.extents, &rank);
  }
  facts.has_extents = input.has_shape && facts.extents.size() == input.shape.size() && rank != nullptr;
  facts.rank = input.has_shape ? rank : nullptr;
  if (!facts.has_extents) facts.extents.clear();
  Value value = Value::Of(element, Scalar::Tensor(workspace_.AddTensor(std::move(facts))));
  value.type.is_pack = input.pack.is_pack;
  value.has_items = !input.pack.is_pack;
  value.length = pack_length;
  value.type.is_optional = input.is_optional;
  Declare(input.name, std::move(value));
}

// An output, a constant or a variable: its extents are expressions of what is known.
void DefinitionChecker::DeclareTensor(const Parameter& parameter, absl::string_view rule) {
  const bool is_output = outputs_.count(parameter.name.text) > 0;
  if (parameter.is_optional) {
    Fail(ErrorClass::kType, parameter.name.span, absl::StrCat("'", parameter.name.text, "' must not be optional"),
         rule);
  }
  if (!parameter.has_shape && !(definition_.is_graph && is_output)) {
    Fail(is_output ? ErrorClass::kGraph : ErrorClass::kVariable, parameter.name.span,
         absl::StrCat("'", parameter.name.text, "' must have a shape"), rule);
  }
  if (is_output && parameter.value != nullptr) {
    Fail(ErrorClass::kType, parameter.value->span,
         absl::StrCat("output '", parameter.name.text, "' must not have a value"), rule);
  }
  ElementType element;
  if (!FindElement(parameter, &element)) element = ElementType::Any();
  const Symbolic* pack_length = nullptr;
  if (parameter.pack.is_pack && parameter.pack.length != nullptr) {
    const Value length = evaluator_.EvaluateCount(*parameter.pack.length, "the length of a pack of tensors");
    if (!length.is_error && !length.is_null) pack_length = AsSymbolic(workspace_.symbols(), length.item());
  }
  TensorFacts facts;
  facts.element = element;
  const Symbolic* rank = workspace_.symbols().Constant(0);
  for (const Extent& extent : parameter.shape) {
    if (!definition_.is_graph && extent.value == nullptr && extent.bound == nullptr) {
      Fail(ErrorClass::kShape, extent.span, "an extent '~' of an operator must have a bound", "2.6", "write ~|n");
    }
    DeclareExtent(parameter, extent, pack_length, &facts.extents, &rank);
  }
  facts.has_extents = parameter.has_shape && facts.extents.size() == parameter.shape.size() && rank != nullptr;
  facts.rank = parameter.has_shape ? rank : nullptr;
  if (!facts.has_extents) facts.extents.clear();
  Value value = Value::Of(element, Scalar::Tensor(workspace_.AddTensor(std::move(facts))));
  value.type.is_pack = parameter.pack.is_pack;
  value.has_items = !parameter.pack.is_pack;
  value.length = pack_length;
  Declare(parameter.name, std::move(value));
}

void DefinitionChecker::CheckConstant(const Parameter& constant) {
  if (constant.value == nullptr) {
    Fail(ErrorClass::kVariable, constant.name.span,
         absl::StrCat("constant '", constant.name.text, "' must have a value"), "2.7");
    return;
  }
  const Value* const declared = scope_.Find(constant.name.text);
  if (declared == nullptr) return;
  Scope inner;
  inner.parent = &scope_;
  for (const IndexBound& bound : constant.bounds) {
    const Value limit = evaluator_.EvaluateStatic(*bound.bound, "the bound of an index");
    if (limit.is_error) return;
    const ElementType element{BaseType::kInt, {}};
    if (!limit.type.element.Fits(element) || limit.type.is_optional) {
      Fail(ErrorClass::kType, bound.bound->span,
           absl::StrCat("the bound of an index must be an int, got ", limit.type.ToString()), "2.7");
      return;
    }
    inner.values.emplace(bound.symbol.text, limit.type.is_pack ? Value::UnknownPack(element, evaluator_.LengthOf(limit))
                                                               : Value::Of(element, Scalar()));
  }
  const Value value = Evaluator(&workspace_, definition_.source, &inner).EvaluateStatic(*constant.value, "a constant");
  if (value.is_error) return;
  if (!value.type.element.Fits(declared->type.element)) {
    Fail(ErrorClass::kType, constant.value->span,
         absl::StrCat("the value of constant '", constant.name.text, "' must be ", declared->type.element.ToString(),
                      ", got ", value.type.ToString()),
         "2.7");
  } else if (value.type.is_optional) {
    Fail(ErrorClass::kType, constant.value->span, "the value of a constant must not be null", "2.7");
  } else if (constant.pack.is_pack && !value.type.is_pack) {
    Fail(ErrorClass::kPack, constant.value->span, "a pack of constants takes a list of values, one for each", "2.7");
  } else if (!constant.bounds.empty() && value.type.is_pack) {
    Fail(ErrorClass::kPack, constant.value->span, "a formula yields one value for each element", "2.7");
  }
}

void DefinitionChecker::CheckAssertion(const Assertion& assertion) {
  const Value condition = evaluator_.EvaluateStatic(*assertion.condition, "an assertion");
  if (!condition.is_error && !condition.type.element.is_bool()) {
    Fail(ErrorClass::kType, assertion.condition->span,
         absl::StrCat("an assertion must be a bool, got ", condition.type.ToString()), "2.8");
  }
  // What it tells is evaluated if it fails.
  const PossibleErrors errors(&workspace_);
  if (assertion.message != nullptr) evaluator_.Evaluate(*assertion.message);
  for (const Assertion::Argument& argument : assertion.arguments) evaluator_.EvaluateStatic(*argument.value, "a value");
}

// "h = e;" "[a, b..] = e;" "[(e, f)..] = e;"
void DefinitionChecker::DeclareHelper(const Using& helper) {
  const Value value = evaluator_.EvaluateStatic(*helper.value, "a helper");
  SymbolTable& symbols = workspace_.symbols();
  const bool fails = value.is_error;
  if (!fails && helper.is_list && !value.type.is_pack) {
    Fail(ErrorClass::kPack, helper.span, "only a pack can be taken apart", "2.9");
  }
  // What a helper after an error is cannot be known; it is declared nevertheless, so that its uses are not reported.
  const Symbolic* rest = fails || !value.type.is_pack || value.is_null ? nullptr : evaluator_.LengthOf(value);
  const Symbolic* const whole = rest;
  std::vector<const Symbolic*> lengths;
  int open = 0;
  for (const UsingItem& item : helper.items) {
    const Symbolic* length = symbols.Constant(1);
    if (item.is_pack) {
      length = nullptr;
      if (item.length != nullptr) {
        const Value count = evaluator_.EvaluateCount(*item.length, "a length");
        if (!count.is_error && !count.is_null) length = AsSymbolic(symbols, count.item());
      }
      if (item.length == nullptr) ++open;
    }
    lengths.push_back(length);
    const int64_t parts = static_cast<int64_t>(item.names.size());
    if (length != nullptr) rest = symbols.Subtract(rest, symbols.Multiply(length, symbols.Constant(parts)));
  }
  if (helper.is_list && open > 1) {
    Fail(ErrorClass::kPack, helper.span, "at most one part of a list may have no length", "2.9");
  }
  for (size_t i = 0; i < helper.items.size(); ++i) {
    const UsingItem& item = helper.items[i];
    for (const Name& name : item.names) {
      Value part = fails ? Value::Error() : value;
      if (helper.is_list && !fails) {
        const bool is_zip = item.names.size() > 1;
        const Symbolic* const length = lengths[i] != nullptr ? lengths[i] : is_zip ? nullptr : rest;
        part = item.is_pack ? Value::UnknownPack(value.type.element, length) : Value::Of(value.type.element, Scalar());
        part.type.is_optional = value.type.is_optional;
      } else if (!fails && item.is_pack) {
        if (!value.type.is_pack) {
          Fail(ErrorClass::kPack, name.span, absl::StrCat("helper '", name.text, "' is not a pack"), "2.9");
        } else if (!evaluator_.LengthsAgree(whole, lengths[i])) {
          Fail(ErrorClass::kPack, name.span,
               absl::StrCat("helper '", name.text, "' has a length other than the one declared"), "2.9");
        } else if (part.length == nullptr && !part.has_items) {
          part.length = lengths[i];
        }
      }
      Declare(name, std::move(part));
    }
  }
}

}  // namespace nnef2
}  // namespace xla
