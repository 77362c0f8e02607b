#include "builders/nnef2/evaluation/evaluator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

std::vector<absl::string_view> NamesOf(const Scope* scope) {
  std::vector<absl::string_view> names;
  for (; scope != nullptr; scope = scope->parent) {
    for (const auto& entry : scope->values) names.push_back(entry.first);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string SuggestionFor(absl::string_view word, absl::Span<const absl::string_view> known) {
  const absl::string_view nearest = NearestWord(word, known);
  return nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?");
}

bool IsArithmeticType(const ElementType& element) {
  return element.is_number() || element.is_bool() || element.base == BaseType::kArith;
}

}  // namespace

Value Evaluator::Fail(ErrorClass error_class, const Span& span, std::string message, absl::string_view rule,
                      std::string suggestion) {
  workspace_.Error(error_class, At(span), std::move(message), rule, std::move(suggestion));
  return Value::Error();
}

Value Evaluator::Evaluate(const Expression& e) {
  if (workspace_.diagnostics().IsOver()) return Value::Error();
  Value value = EvaluateKind(e);
  if (!value.type.is_pack || workspace_.Spend(value.items.size())) return value;
  return Fail(ErrorClass::kValue, e.span,
              absl::StrCat("the packs of the model have more than ", Workspace::kMaxItems, " items"));
}

Value Evaluator::EvaluateKind(const Expression& e) {
  switch (e.kind) {
    case Kind::kInteger:
      return Value::Int(e.integer);
    case Kind::kReal:
      return Value::Of({BaseType::kReal, {}}, Scalar::Real(e.real));
    case Kind::kBool:
      return Value::Bool(e.integer != 0);
    case Kind::kString:
      return Value::Of({BaseType::kStr, {}}, Scalar::String(e.text));
    case Kind::kFormat:
      return EvaluateFormat(e);
    case Kind::kIdentifier:
      return EvaluateIdentifier(e);
    case Kind::kMember:
      return EvaluateMember(e);
    case Kind::kCast:
      return EvaluateCast(e);
    case Kind::kBuiltin:
      return EvaluateBuiltin(e);
    case Kind::kList:
      return EvaluateList(e);
    case Kind::kExpand:
    case Kind::kRange:
    case Kind::kZip:
      return Fail(ErrorClass::kSyntax, e.span, "an expansion, a range and a zip stand in a list only", "2.4",
                  "put it in brackets");
    case Kind::kIndex:
      return EvaluateIndex(e);
    case Kind::kAccess:
      return EvaluateAccess(e);
    case Kind::kSubstitute:
      return EvaluateSubstitute(e);
    case Kind::kUnary:
      return EvaluateUnary(e);
    case Kind::kBinary:
      return EvaluateBinary(e);
    case Kind::kFold:
      return EvaluateFold(e);
    case Kind::kSelect:
      return EvaluateSelect(e);
    case Kind::kCoalesce:
      return EvaluateCoalesce(e);
    case Kind::kBounded:
      return EvaluateBounded(e);
    case Kind::kOmitted:
      return Fail(ErrorClass::kSyntax, e.span, "'~' stands for an argument or a result only", "2.10");
  }
  return Value::Error();
}

Value Evaluator::EvaluateStatic(const Expression& expression, absl::string_view what) {
  Value value = Evaluate(expression);
  if (value.is_error || !value.type.is_tensor) return value;
  return Fail(ErrorClass::kType, expression.span,
              absl::StrCat(what, " must be a compile-time value, got a tensor of type ", value.type.ToString()), "2.3");
}

Value Evaluator::EvaluateInt(const Expression& expression, absl::string_view what) {
  Value value = EvaluateStatic(expression, what);
  if (value.is_error) return value;
  if (value.type.is_pack || !value.type.element.is_int()) {
    return Fail(value.type.is_pack && value.type.element.is_int() ? ErrorClass::kPack : ErrorClass::kType,
                expression.span, absl::StrCat(what, " must be an int, got ", value.type.ToString()), "2.3",
                value.type.is_pack ? "expand a pack by '..'" : "");
  }
  return value;
}

Value Evaluator::EvaluateCount(const Expression& expression, absl::string_view what) {
  Value value = EvaluateStatic(expression, what);
  if (value.is_error) return value;
  if (value.type.is_pack || !(value.type.element.is_int() || value.type.element.is_bool())) {
    return Fail(ErrorClass::kType, expression.span,
                absl::StrCat(what, " must be an int or a bool, got ", value.type.ToString()), "2.4");
  }
  if (value.is_null) return value;
  Scalar& item = value.items.front();
  if (item.kind == Scalar::Kind::kBool) item.kind = Scalar::Kind::kInt;
  value.type.element = {BaseType::kInt, {}};
  if (item.kind == Scalar::Kind::kSymbolic && !workspace_.is_definition()) {
    return Fail(ErrorClass::kType, expression.span,
                absl::StrCat(what, " depends on the dynamic extent ", item.symbolic->ToString()), "3.1",
                "lengths are known when the model is composed");
  }
  if (item.kind == Scalar::Kind::kInt && (item.integer < 0 || item.integer > kMaxPackLength)) {
    return Fail(ErrorClass::kValue, expression.span,
                absl::StrCat(what, " must lie between 0 and ", kMaxPackLength, ", got ", item.integer), "2.4");
  }
  return value;
}

bool Evaluator::FindType(const TypeReference& type, ElementType* element) {
  if (type.base.has_value()) {
    *element = {*type.base, {}};
    return true;
  }
  const ElementType* const found = scope_->FindType(type.name.text);
  if (found == nullptr) {
    return workspace_.Error(ErrorClass::kName, At(type.name.span), absl::StrCat("unknown type '", type.name.text, "'"),
                            "2.13", "the types are int, real, bool, str and those of @dtype");
  }
  *element = *found;
  return true;
}

const Symbolic* Evaluator::LengthOf(const Value& pack) {
  if (pack.length != nullptr || !pack.has_items) return pack.length;
  return workspace_.symbols().Constant(static_cast<int64_t>(pack.items.size()));
}

bool Evaluator::LengthsAgree(const Symbolic* a, const Symbolic* b) {
  if (a == nullptr || b == nullptr || a == b) return true;
  const Symbolic* const difference = workspace_.symbols().Subtract(a, b);
  return difference == nullptr || !difference->constant().has_value();
}

Value Evaluator::EvaluateIdentifier(const Expression& e) {
  const Value* const value = scope_->Find(e.name);
  if (value != nullptr) return *value;
  return Fail(ErrorClass::kName, e.span, absl::StrCat("'", e.name, "' is not declared"), "2.4",
              workspace_.diagnostics().is_full() ? "" : SuggestionFor(e.name, NamesOf(scope_)));
}

Value Evaluator::EvaluateMember(const Expression& e) {
  const Value tensor = EvaluateIdentifier(e);
  if (tensor.is_error) return tensor;
  if (e.member == Member::kSize) {
    if (!tensor.type.is_pack) {
      return Fail(ErrorClass::kName, e.span, absl::StrCat("'", e.name, "' is not a pack and has no size"), "2.4");
    }
    if (tensor.is_null) return Value::Null({{BaseType::kInt, {}}});
    Value size = Value::Of({BaseType::kInt, {}}, Scalar::Of(LengthOf(tensor)));
    size.type.is_optional = tensor.type.is_optional;
    return size;
  }
  if (!tensor.type.is_tensor || tensor.type.is_pack) {
    return Fail(
        ErrorClass::kName, e.span,
        absl::StrCat("'", e.name, "' is not a tensor and has no ", e.member == Member::kShape ? "shape" : "rank"),
        "2.4", tensor.type.is_pack ? "items of a pack may have different shapes" : "");
  }
  const ElementType element{BaseType::kInt, {}};
  if (tensor.is_null) return Value::Null({element, true, e.member == Member::kShape, false});
  const TensorFacts& facts = workspace_.tensor(static_cast<int>(tensor.item().integer));
  Value value;
  if (e.member == Member::kRank) {
    value = facts.has_extents ? Value::Int(static_cast<int64_t>(facts.extents.size()))
                              : Value::Of(element, Scalar::Of(facts.rank));
  } else {
    value = facts.has_extents ? Value::Pack(element, facts.extents) : Value::UnknownPack(element, facts.rank);
  }
  value.type.is_optional = tensor.type.is_optional;
  return value;
}

Value Evaluator::EvaluateFormat(const Expression& e) {
  std::string text = e.pieces[0];
  bool is_known = true;
  for (size_t i = 0; i < e.items.size(); ++i) {
    const Value value = EvaluateStatic(*e.items[i], "a value in a string");
    if (value.is_error) return value;
    // A string is shown without quotes only if it stands alone in the text.
    absl::StrAppend(&text, value.ToString(), e.pieces[i + 1]);
    if (text.size() > kMaxStringSize) {
      return Fail(ErrorClass::kValue, e.span, absl::StrCat("a string has more than ", kMaxStringSize, " bytes"));
    }
    if (value.is_null) continue;
    is_known = is_known && value.has_items && !(!value.type.is_pack && value.item().kind == Scalar::Kind::kUnknown);
  }
  return Value::Of({BaseType::kStr, {}}, is_known ? Scalar::String(std::move(text)) : Scalar());
}

// The name before the parentheses is not a type: that of an invocation, whose argument is a tensor, or of a function.
Value Evaluator::FailUnknownType(const Expression& e) {
  if (FindRealFunction(e.name) != nullptr) {
    return Fail(
        ErrorClass::kName, e.span, absl::StrCat("'", e.name, "' is not a type"), "2.4",
        absl::StrCat("write a function between back-ticks: `", e.name,
                     "`(x); without them the document is written in a later language than draft 6 of NNEF 2.0"));
  }
  const Value argument = e.items.empty() || in_lowering_ ? Value() : Evaluate(*e.items[0]);
  if (argument.is_error) return argument;
  if (argument.type.is_tensor) {
    return Fail(ErrorClass::kSyntax, e.span, absl::StrCat("'", e.name, "' is invoked in an expression"), "2.10",
                "invocations do not nest: assign their results to names");
  }
  return Fail(ErrorClass::kName, e.span, absl::StrCat("'", e.name, "' is not a type"), "2.4",
              "the types are int, real, bool, str and those of @dtype");
}

Value Evaluator::EvaluateCast(const Expression& e) {
  ElementType to;
  for (int i = 0; i <= static_cast<int>(BaseType::kStr); ++i) {
    if (e.name == BaseTypeName(static_cast<BaseType>(i))) to.base = static_cast<BaseType>(i);
  }
  if (e.name != BaseTypeName(to.base)) {
    const ElementType* const found = scope_->FindType(e.name);
    if (found == nullptr) return FailUnknownType(e);
    to = *found;
  }
  if (e.items.empty()) {
    if (!to.generic.empty()) return Value::Of(to, Scalar());
    return Value::Of(to, to.base == BaseType::kReal  ? Scalar::Real(0)
                         : to.base == BaseType::kStr ? Scalar::String("")
                         : to.is_bool()              ? Scalar::Bool(false)
                                                     : Scalar::Int(0));
  }
  const Value value = Operand(*e.items[0]);
  if (value.is_error) return value;
  const ElementType& from = value.type.element;
  if (!IsArithmeticType(from) || !IsArithmeticType(to)) {
    return Fail(ErrorClass::kType, e.span,
                absl::StrCat("a value of type ", from.ToString(), " cannot be converted to ", to.ToString()), "2.4",
                "conversions are between int, real and bool");
  }
  Value result = value;
  result.type.element = to;
  for (Scalar& item : result.items) {
    const bool is_bound = to.generic.empty() && from.generic.empty();
    item = is_bound ? Convert(workspace_.symbols(), item, from.base, to.base) : Scalar();
  }
  return result;
}

Value Evaluator::EvaluateBuiltin(const Expression& e) {
  const auto names = BuiltinNames();
  if (std::find(names.begin(), names.end(), e.name) == names.end()) {
    return Fail(ErrorClass::kName, e.span, absl::StrCat("unknown function '", e.name, "'"), "2.4",
                SuggestionFor(e.name, names));
  }
  Value value = Operand(*e.items[0]);
  if (value.is_error) return value;
  const bool takes_ints = e.name == "abs" || e.name == "sign";
  const ElementType& element = value.type.element;
  if (takes_ints ? !element.is_number() : element.base != BaseType::kReal) {
    return Fail(ErrorClass::kType, e.span,
                absl::StrCat("function '", e.name, "' takes ", takes_ints ? "an int or a real" : "a real", ", got ",
                             value.type.ToString()),
                "2.4", element.is_int() ? "convert it: real(x)" : "");
  }
  for (Scalar& item : value.items) item = ApplyBuiltin(workspace_.symbols(), e.name, item);
  return value;
}

Value Evaluator::Operand(const Expression& e) {
  Value value = Evaluate(e);
  if (value.is_error || !value.type.is_tensor) return value;
  return Fail(ErrorClass::kType, e.span, absl::StrCat("expected a value, got a tensor of type ", value.type.ToString()),
              "2.4",
              in_lowering_ ? "access an element: x[i,j], x[i,] of one dimension, x[] of none"
                           : "there is no arithmetic of tensors: invoke an operator, math.add for +");
}

void PromotedNames(const Expression& condition, std::vector<absl::string_view>* names) {
  if (condition.kind == Kind::kUnary && condition.op == Operator::kIsGiven) {
    names->push_back(condition.items[0]->name);
  }
  if (condition.kind == Kind::kBinary && condition.op == Operator::kAnd) {
    PromotedNames(*condition.items[0], names);
    PromotedNames(*condition.items[1], names);
  }
}

void PromoteNames(const std::vector<absl::string_view>& names, const Scope& scope, Scope* promoted) {
  for (const absl::string_view name : names) {
    const Value* const value = scope.Find(name);
    if (value == nullptr || value->is_null) continue;
    Value given = *value;
    given.type.is_optional = false;
    promoted->values.insert_or_assign(name, std::move(given));
  }
}

Value Evaluator::EvaluateWithPromoted(const Expression& condition, const Expression& e) {
  std::vector<absl::string_view> names;
  PromotedNames(condition, &names);
  if (names.empty()) return Evaluate(e);
  Scope promoted;
  promoted.parent = scope_;
  PromoteNames(names, *scope_, &promoted);
  const Scope* const outer = scope_;
  scope_ = &promoted;
  Value value = Evaluate(e);
  scope_ = outer;
  return value;
}

}  // namespace nnef2
}  // namespace xla
