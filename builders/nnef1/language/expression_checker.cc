#include "builders/nnef1/language/expression_checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/language/operators.h"
#include "builders/nnef1/language/type_rules.h"
#include "xla_core/support/check.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef1 {
namespace {

using Kind = Expression::Kind;

constexpr absl::string_view kFragments = "3.3.2";
constexpr absl::string_view kExpressions = "3.3.3";

bool IsOrdering(Operator op) {
  return op == Operator::kLess || op == Operator::kLessEqual || op == Operator::kGreater ||
         op == Operator::kGreaterEqual;
}
bool IsEquality(Operator op) { return op == Operator::kEqual || op == Operator::kNotEqual; }
bool IsLogicalOperator(Operator op) { return op == Operator::kAnd || op == Operator::kOr; }

bool IsNumber(const Type& type) {
  return IsPrimitive(type, Primitive::kInteger) || IsPrimitive(type, Primitive::kScalar);
}
bool IsArray(const Type& type) { return type.kind == Type::Kind::kArray || type.kind == Type::Kind::kEmptyArray; }
bool IsString(const Type& type) { return IsPrimitive(type, Primitive::kString); }

}  // namespace

ExpressionChecker::ExpressionChecker(Place place, Diagnostics* diagnostics)
    : place_(std::move(place)), diagnostics_(*diagnostics) {}

void ExpressionChecker::Error(ErrorClass error_class, const Span& span, std::string message, absl::string_view rule,
                              std::string suggestion) {
  diagnostics_.Error(place_.only_class.value_or(error_class), At(place_.source, span), std::move(message), rule,
                     std::move(suggestion));
}

absl::nullopt_t ExpressionChecker::TypeError(const Span& span, std::string message, absl::string_view rule,
                                             std::string suggestion) {
  Error(ErrorClass::kType, span, std::move(message), rule, std::move(suggestion));
  return absl::nullopt;
}

absl::optional<Type> ExpressionChecker::Bounded(const Span& span, Type type) {
  if (TypeSize(type) <= kMaxTypeSize && TypeDepth(type) <= kMaxTypeDepth) return type;
  return TypeError(span,
                   absl::StrCat("the type has more than ", kMaxTypeSize, " parts or is nested deeper than ",
                                kMaxTypeDepth, " levels"),
                   "");
}

// The type of an expression by its kind; nullopt after an error, which is reported once.
absl::optional<Type> ExpressionChecker::TypeOf(const Expression& expression) {
  if (diagnostics_.IsOver()) return absl::nullopt;
  switch (expression.kind) {
    case Kind::kLiteral:
      return TypeOfValue(expression.literal);
    case Kind::kIdentifier:
      return TypeOfIdentifier(expression);
    case Kind::kArray:
      return TypeOfArray(expression);
    case Kind::kTuple:
      return TypeOfTuple(expression);
    case Kind::kInvocation:
      return TypeOfInvocation(expression);
    case Kind::kBuiltin:
      return TypeOfBuiltin(expression);
    case Kind::kUnary:
      return TypeOfUnary(expression);
    case Kind::kBinary:
      return TypeOfBinary(expression);
    case Kind::kSubscript:
      return TypeOfSubscript(expression);
    case Kind::kRange:
      return TypeOfRange(expression);
    case Kind::kIfElse:
      return TypeOfIfElse(expression);
    case Kind::kComprehension:
      return TypeOfComprehension(expression);
    case Kind::kMissing:
      break;
  }
  return absl::nullopt;
}

// A name's type. Names that are unknown, or assigned only later, are different errors.
absl::optional<Type> ExpressionChecker::TypeOfIdentifier(const Expression& expression) {
  const auto found = names_.find(expression.name);
  if (found != names_.end()) return found->second;
  if (announced_.contains(expression.name)) {
    Error(ErrorClass::kIdentifier, expression.span,
          absl::StrCat("'", expression.name, "' is used before it is assigned"), kFragments);
    return absl::nullopt;
  }
  std::vector<absl::string_view> known;
  if (!diagnostics_.is_full()) {
    for (const auto& entry : names_) known.push_back(entry.first);
  }
  std::sort(known.begin(), known.end());
  const absl::string_view nearest = NearestWord(expression.name, known);
  Error(ErrorClass::kIdentifier, expression.span, absl::StrCat("'", expression.name, "' is not assigned anywhere"),
        kFragments, nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
  return absl::nullopt;
}

// The common type of all items; the empty array has a type of its own, which fits every array.
absl::optional<Type> ExpressionChecker::TypeOfArray(const Expression& expression) {
  if (expression.items.empty()) return Type::EmptyArray();
  absl::optional<Type> common;
  bool is_known = true;
  for (const Expression& item : expression.items) {
    absl::optional<Type> type = TypeOf(item);
    if (!type.has_value()) is_known = false;
    if (!is_known) continue;
    if (!common.has_value()) {
      common = std::move(type);
      continue;
    }
    absl::optional<Type> wider = CommonType(*common, *type);
    if (!wider.has_value()) {
      TypeError(item.span,
                absl::StrCat("the items of an array share a type, got ", common->ToString(), " and ", type->ToString()),
                kExpressions);
      is_known = false;
    } else {
      common = std::move(wider);
    }
  }
  if (!is_known) return absl::nullopt;
  return Bounded(expression.span, Type::Array(*std::move(common)));
}

absl::optional<Type> ExpressionChecker::TypeOfTuple(const Expression& expression) {
  std::vector<Type> items;
  for (const Expression& item : expression.items) {
    absl::optional<Type> type = TypeOf(item);
    if (type.has_value()) items.push_back(*std::move(type));
  }
  if (items.size() != expression.items.size()) return absl::nullopt;
  return Bounded(expression.span, Type::Tuple(std::move(items)));
}

// --- operators ---

absl::optional<Type> ExpressionChecker::TypeOfUnary(const Expression& expression) {
  const Expression::UsedOperator& used = expression.details->operators[0];
  absl::optional<Type> type = TypeOf(expression.items[0]);
  if (!type.has_value()) return absl::nullopt;
  if (IsTensor(*type)) return TypeOfTensorOperator(used, OperationOfUnary(used.op), {*type});
  if (used.op == Operator::kNot ? IsPrimitive(*type, Primitive::kLogical) : IsNumber(*type)) return type;
  return TypeError(used.span,
                   absl::StrCat("operator ", OperatorSymbol(used.op), " does not apply to ", type->ToString()),
                   kExpressions);
}

absl::optional<Type> ExpressionChecker::TypeOfBinary(const Expression& expression) {
  absl::optional<Type> left = TypeOf(expression.items[0]);
  for (size_t i = 1; i < expression.items.size(); ++i) {
    const absl::optional<Type> right = TypeOf(expression.items[i]);
    if (!left.has_value() || !right.has_value()) {
      left = absl::nullopt;
      continue;
    }
    left = TypeOfOperator(expression.details->operators[i - 1], *left, *right);
  }
  return left;
}

// Types of operators on attributes: both operands have the same type, except for `in`, joins, and repetitions. With a
// tensor, operators are operations of the standard.
absl::optional<Type> ExpressionChecker::TypeOfOperator(const Expression::UsedOperator& used, const Type& a,
                                                       const Type& b) {
  const Operator op = used.op;
  if (op == Operator::kIn) {
    const bool is_attribute = a.IsAttribute() && b.IsAttribute();
    const bool is_right =
        b.kind == Type::Kind::kEmptyArray || (b.kind == Type::Kind::kArray && CommonType(a, b.items[0]).has_value());
    if (is_attribute && is_right) return Type::Of(Primitive::kLogical);
  } else if (IsTensor(a) || IsTensor(b)) {
    return TypeOfTensorOperator(used, OperationOfBinary(op), {a, b});
  } else if (IsOrdering(op)) {
    if (IsNumber(a) && a == b) return Type::Of(Primitive::kLogical);
  } else if (IsEquality(op)) {
    if (a.kind == Type::Kind::kPrimitive && a == b) return Type::Of(Primitive::kLogical);
  } else if (IsLogicalOperator(op)) {
    if (IsPrimitive(a, Primitive::kLogical) && a == b) return a;
  } else if (IsNumber(a) && a == b) {
    return a;
  } else if (IsArray(a) || IsString(a)) {
    return TypeOfJoin(used, a, b);
  }
  const bool mixes_numbers = IsNumber(a) && IsNumber(b) && a != b;
  return TypeError(
      used.span,
      absl::StrCat("operator ", OperatorSymbol(op), " does not apply to ", a.ToString(), " and ", b.ToString()),
      kExpressions, mixes_numbers ? "integers become scalars by scalar(...)" : "");
}

// + joins strings or arrays, * repeats them.
absl::optional<Type> ExpressionChecker::TypeOfJoin(const Expression::UsedOperator& used, const Type& a, const Type& b) {
  if (used.op == Operator::kAdd) {
    if (IsString(a) && IsString(b)) return a;
    if (IsArray(a) && IsArray(b)) {
      absl::optional<Type> common = CommonType(a, b);
      if (common.has_value()) return common;
    }
  }
  if (used.op == Operator::kMultiply && IsPrimitive(b, Primitive::kInteger)) return a;
  return TypeError(
      used.span,
      absl::StrCat("operator ", OperatorSymbol(used.op), " does not apply to ", a.ToString(), " and ", b.ToString()),
      kExpressions);
}

// The type of an operator on tensors: that of the standard operation that it stands for, with operands cast as
// arguments are.
absl::optional<Type> ExpressionChecker::TypeOfTensorOperator(const Expression::UsedOperator& used,
                                                             absl::string_view operation,
                                                             const std::vector<Type>& operands) {
  const Declaration* const declaration = FindStandardDeclaration(operation);
  CHECK(declaration != nullptr && declaration->parameters.size() == operands.size());
  // `copy` is the only generic one of them.
  const Primitive generic = operands[0].primitive;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Type expected = Substitute(declaration->parameters[i].type, generic);
    if (!IsCastable(operands[i], expected)) {
      return TypeError(used.span,
                       absl::StrCat("operator ", OperatorSymbol(used.op), " is ", operation, " on tensors: expected ",
                                    expected.ToString(), ", got ", operands[i].ToString()),
                       kExpressions,
                       IsPrimitive(operands[i], Primitive::kInteger) ? "integers become scalars by scalar(...)" : "");
    }
  }
  return ResultType(*declaration, generic);
}

// --- parts of arrays, tuples and strings ---

// Items of arrays, characters of strings, and items of tuples, for which the index must be known.
absl::optional<Type> ExpressionChecker::TypeOfSubscript(const Expression& expression) {
  const absl::optional<Type> subject = TypeOf(expression.items[0]);
  if (subject.has_value() && subject->kind == Type::Kind::kTuple) return TypeOfTupleItem(expression, *subject);
  const absl::optional<Type> index = TypeOf(expression.items[1]);
  if (!subject.has_value() || !index.has_value()) return absl::nullopt;
  if (!IsArray(*subject) && !IsString(*subject)) {
    return TypeError(expression.span,
                     absl::StrCat("only arrays, tuples and strings have subscripts, got ", subject->ToString()),
                     kExpressions);
  }
  if (!IsPrimitive(*index, Primitive::kInteger)) {
    return TypeError(expression.items[1].span,
                     absl::StrCat("expected an integer as subscript, got ", index->ToString()), kExpressions);
  }
  if (subject->kind == Type::Kind::kEmptyArray) {
    return TypeError(expression.span, "the empty array has no items", kExpressions);
  }
  return IsString(*subject) ? subject : subject->items[0];
}

absl::optional<Type> ExpressionChecker::TypeOfTupleItem(const Expression& expression, const Type& tuple) {
  const Expression& index = expression.items[1];
  if (index.kind != Kind::kLiteral || index.is_parenthesised || !index.literal.is_integer()) {
    return TypeError(index.span, "the subscript of a tuple must be an integer literal", kExpressions);
  }
  const int64_t place = index.literal.integer();
  if (place < 0 || place >= static_cast<int64_t>(tuple.items.size())) {
    return TypeError(index.span,
                     absl::StrCat("expected a subscript from 0 to ", tuple.items.size() - 1, " for a tuple of type ",
                                  tuple.ToString(), ", got ", place),
                     kExpressions);
  }
  return tuple.items[place];
}

// A range of an array or string has its type; bounds are integers and may be left out.
absl::optional<Type> ExpressionChecker::TypeOfRange(const Expression& expression) {
  absl::optional<Type> subject = TypeOf(expression.items[0]);
  for (const int i : {1, 2}) {
    const Expression& bound = expression.items[i];
    if (bound.kind == Kind::kMissing) continue;
    const absl::optional<Type> type = TypeOf(bound);
    if (type.has_value() && !IsPrimitive(*type, Primitive::kInteger)) {
      TypeError(bound.span, absl::StrCat("expected an integer as the bound of a range, got ", type->ToString()),
                kExpressions);
    }
  }
  if (!subject.has_value() || IsArray(*subject) || IsString(*subject)) return subject;
  return TypeError(expression.span, absl::StrCat("only arrays and strings have ranges, got ", subject->ToString()),
                   kExpressions);
}

// --- branches and loops ---

void ExpressionChecker::ExpectLogical(const Expression& condition) {
  const absl::optional<Type> type = TypeOf(condition);
  if (!type.has_value() || IsPrimitive(*type, Primitive::kLogical)) return;
  TypeError(condition.span, absl::StrCat("expected a condition of type logical, got ", type->ToString()), kExpressions,
            IsTensor(*type) ? "conditions are known at compile time; select chooses between tensors" : "");
}

// All branches have a common type. Items are branch, condition, branch, condition, ..., branch.
absl::optional<Type> ExpressionChecker::TypeOfIfElse(const Expression& expression) {
  absl::optional<Type> common = TypeOf(expression.items[0]);
  bool is_known = common.has_value();
  for (size_t i = 1; i < expression.items.size(); i += 2) {
    ExpectLogical(expression.items[i]);
    const Expression& branch = expression.items[i + 1];
    const absl::optional<Type> type = TypeOf(branch);
    if (!type.has_value()) is_known = false;
    if (!is_known) continue;
    absl::optional<Type> wider = CommonType(*common, *type);
    if (!wider.has_value()) {
      TypeError(
          branch.span,
          absl::StrCat("the branches of if-else share a type, got ", common->ToString(), " and ", type->ToString()),
          kExpressions);
      is_known = false;
    } else {
      common = std::move(wider);
    }
  }
  return is_known ? common : absl::nullopt;
}

// The type of a comprehension: an array of what it yields, with the loop variables defined as items of their arrays.
absl::optional<Type> ExpressionChecker::TypeOfComprehension(const Expression& expression) {
  const std::vector<Name>& loop_names = expression.details->loop_names;
  const size_t loops = loop_names.size();
  // All arrays are outside of the scope of the loop variables.
  std::vector<absl::optional<Type>> item_types(loops);
  bool is_empty = false;
  for (size_t i = 0; i < loops; ++i) {
    const Expression& array = expression.items[i];
    const absl::optional<Type> type = TypeOf(array);
    if (!type.has_value()) continue;
    if (type->kind == Type::Kind::kArray) {
      item_types[i] = type->items[0];
    } else if (type->kind == Type::Kind::kEmptyArray) {
      is_empty = true;
    } else {
      TypeError(array.span, absl::StrCat("only arrays are iterated, got ", type->ToString()), kExpressions,
                IsString(*type) ? "iterate range_of(...) and take subscripts" : "");
    }
  }
  struct Hidden {
    absl::string_view name;
    bool is_defined;
    absl::optional<Type> type;
  };
  std::vector<Hidden> hidden;
  absl::flat_hash_set<absl::string_view> seen;
  for (size_t i = 0; i < loops; ++i) {
    const Name& name = loop_names[i];
    if (!seen.insert(name.text).second) {
      Error(ErrorClass::kIdentifier, name.span, absl::StrCat("the loop variable '", name.text, "' occurs twice"),
            kFragments);
      continue;
    }
    const auto found = names_.find(name.text);
    const bool is_defined = found != names_.end();
    hidden.push_back(Hidden{name.text, is_defined, is_defined ? found->second : absl::nullopt});
    names_[name.text] = item_types[i];
  }
  const Expression& condition = expression.items[loops];
  if (condition.kind != Kind::kMissing) ExpectLogical(condition);
  absl::optional<Type> item = TypeOf(expression.items[loops + 1]);
  for (Hidden& entry : hidden) {
    if (entry.is_defined) {
      names_[entry.name] = std::move(entry.type);
    } else {
      names_.erase(entry.name);
    }
  }
  if (!item.has_value()) return is_empty ? absl::optional<Type>(Type::EmptyArray()) : absl::nullopt;
  return Bounded(expression.span, Type::Array(*std::move(item)));
}

// Types of functions of the language: shape_of is deprecated in NNEF and refused.
absl::optional<Type> ExpressionChecker::TypeOfBuiltin(const Expression& expression) {
  const Builtin builtin = expression.builtin;
  const absl::optional<Type> type = TypeOf(expression.items[0]);
  if (builtin == Builtin::kShapeOf) {
    Error(ErrorClass::kInvocation, expression.span, "shape_of is deprecated and not supported", kExpressions,
          "give shapes as attributes");
    return absl::nullopt;
  }
  const bool is_length = builtin == Builtin::kLengthOf || builtin == Builtin::kRangeOf;
  if (type.has_value() && (is_length ? !IsArray(*type) && !IsString(*type) : type->kind != Type::Kind::kPrimitive)) {
    return TypeError(
        expression.items[0].span,
        absl::StrCat(BuiltinName(builtin),
                     is_length ? ": expected an array or a string, got " : ": expected a primitive type, got ",
                     type->ToString()),
        kExpressions);
  }
  switch (builtin) {
    case Builtin::kShapeOf:
      break;
    case Builtin::kLengthOf:
    case Builtin::kInteger:
      return Type::Of(Primitive::kInteger);
    case Builtin::kRangeOf:
      return Type::Array(Type::Of(Primitive::kInteger));
    case Builtin::kScalar:
      return Type::Of(Primitive::kScalar);
    case Builtin::kLogical:
      return Type::Of(Primitive::kLogical);
    case Builtin::kString:
      return Type::Of(Primitive::kString);
  }
  return absl::nullopt;
}

}  // namespace nnef1
}  // namespace xla
