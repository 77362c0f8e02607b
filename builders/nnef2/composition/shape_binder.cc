#include "builders/nnef2/composition/shape_binder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/composition/bind_operator.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "builders/nnef2/language/print_expression.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kBindingRule = "2.6.1";

std::string TextOf(const Scalar& extent) {
  return extent.kind == Scalar::Kind::kInt ? absl::StrCat(extent.integer) : extent.symbolic->ToString();
}

}  // namespace

bool SameExtent(SymbolTable& symbols, const Scalar& a, const Scalar& b, bool* is_open) {
  *is_open = false;
  if (a == b) return true;
  if (a.kind == Scalar::Kind::kInt && b.kind == Scalar::Kind::kInt) return false;
  const Symbolic* const difference = symbols.Subtract(AsSymbolic(symbols, a), AsSymbolic(symbols, b));
  *is_open = difference == nullptr || (difference->lower <= 0 && difference->upper >= 0);
  return false;
}

Scalar SolveDynamicExtent(SymbolTable& symbols, const AffineForm& form, const Symbolic* extent) {
  if (form.scale < 1) return Scalar();
  const Symbolic* const rest = symbols.Subtract(extent, symbols.Constant(form.offset));
  if (form.scale == 1) return Scalar::Of(rest);
  return Scalar::Of(symbols.Operation(SymbolicOp::kFloorDivide, {rest, symbols.Constant(form.scale)}));
}

bool ShapeBinder::Fail(ErrorClass error_class, std::string message, std::string suggestion) {
  return workspace_.Error(error_class, place_.position,
                          absl::StrCat("operator '", place_.definition->QualifiedName(), "': ", message), kBindingRule,
                          std::move(suggestion));
}

bool ShapeBinder::IsKnown(const Expression& expression) const {
  std::vector<absl::string_view> names;
  CollectNames(expression, &names);
  return std::all_of(names.begin(), names.end(), [&](absl::string_view name) { return scope_.Find(name) != nullptr; });
}

bool ShapeBinder::BindInput(const Parameter& input, const absl::optional<Value>& value, const ElementType& element) {
  if (!value.has_value()) {
    if (input.value != nullptr) return BindDefault(input, element);
    Value null = Value::Null({element, true, input.pack.is_pack, true});
    scope_.values.insert_or_assign(input.name.text, std::move(null));
    return BindNull(input);
  }
  if (input.pack.is_pack && !BindPackLength(input, *value)) return false;
  size_t rank = 0;
  for (size_t i = 0; i < value->items.size(); ++i) {
    Shape shape;
    if (value->type.is_tensor) shape = workspace_.tensor(static_cast<int>(value->items[i].integer)).extents;
    if (i > 0 && shape.size() != rank) {
      return Fail(ErrorClass::kShape, absl::StrCat("the tensors of input '", input.name.text,
                                                   "' must have the same rank, got ", rank, " and ", shape.size()));
    }
    rank = shape.size();
    if (input.has_shape && !BindShape(input, static_cast<int>(i), shape)) return false;
  }
  if (input.pack.is_pack && value->items.empty() && !BindNull(input)) return false;
  Value bound = *value;
  bound.type.is_optional = input.is_optional;
  scope_.values.insert_or_assign(input.name.text, std::move(bound));
  return true;
}

// The names that only a missing input would bind.
bool ShapeBinder::BindNull(const Parameter& input) {
  const auto bind = [&](const ExpressionPtr& expression, bool is_pack) {
    const AffineForm* const form = place_.signature->FindAffine(expression);
    if (form == nullptr) return;
    scope_.values.emplace(form->name, Value::Null({{BaseType::kInt, {}}, true, is_pack, false}));
  };
  bind(input.pack.length, false);
  if (!input.rank.empty()) {
    scope_.values.emplace(input.rank.text, Value::Null({{BaseType::kInt, {}}, true, false, false}));
  }
  for (const Extent& extent : input.shape) {
    bind(extent.length, false);
    bind(extent.value, extent.is_pack || extent.is_spread);
  }
  return true;
}

// One value for all elements of the declared shape, which other inputs have bound.
bool ShapeBinder::BindDefault(const Parameter& input, const ElementType& element) {
  Value value = evaluator_.EvaluateStatic(*input.value, "a default");
  if (value.is_error) return false;
  if (value.type.is_pack != input.pack.is_pack) {
    return Fail(ErrorClass::kPack, absl::StrCat("the default of input '", input.name.text,
                                                "' must be a list of one value for each tensor"));
  }
  if (input.pack.is_pack && !BindPackLength(input, value)) return false;
  Shape shape;
  if (!EvaluateShape(&workspace_, *place_.signature, *place_.definition, input.shape, 0, &scope_, &shape)) return false;
  TensorFacts facts;
  facts.element = element;
  facts.has_extents = true;
  facts.extents = shape;
  value.type.element = element;
  place_.bound->defaults.emplace(input.name.text, BoundOperator::Default{value, std::move(shape)});
  value.type.is_tensor = true;
  for (Scalar& item : value.items) item = Scalar::Tensor(workspace_.AddTensor(facts));
  scope_.values.insert_or_assign(input.name.text, std::move(value));
  return true;
}

bool ShapeBinder::BindPackLength(const Parameter& input, const Value& value) {
  const Scalar size =
      value.length != nullptr ? Scalar::Of(value.length) : Scalar::Int(static_cast<int64_t>(value.items.size()));
  const ExpressionPtr& length = input.pack.length;
  if (length == nullptr) return true;
  const AffineForm* const form = place_.signature->FindAffine(length);
  if (form != nullptr && scope_.Find(form->name) == nullptr) {
    Scalar solution;
    if (!Solve(input, *form, size, &solution)) return false;
    scope_.values.emplace(form->name, Value::Of({BaseType::kInt, {}}, std::move(solution)));
    return true;
  }
  const Value expected = evaluator_.EvaluateInt(*length, "the length of an input");
  if (expected.is_error) return false;
  if (expected.is_null || expected.item() == size) return true;
  return Fail(ErrorClass::kPack, absl::StrCat("input '", input.name.text, "' must have ", expected.ToString(),
                                              " tensors, got ", TextOf(size)));
}

// scale * x + offset = value.
bool ShapeBinder::Solve(const Parameter& input, const AffineForm& form, const Scalar& value, Scalar* solution) {
  SymbolTable& symbols = workspace_.symbols();
  if (value.kind == Scalar::Kind::kInt) {
    int64_t rest = 0;
    const bool overflows = __builtin_sub_overflow(value.integer, form.offset, &rest);
    if (overflows || (form.scale == -1 ? false : rest % form.scale != 0) || (form.scale > 0 ? rest < 0 : rest > 0)) {
      return Fail(ErrorClass::kShape,
                  absl::StrCat("input '", input.name.text, "': ", form.scale, " * ", form.name, " + ", form.offset,
                               " = ", value.integer, " has no solution ", form.name, " that is 0 or more"));
    }
    *solution = Scalar::Int(form.scale == -1 ? -rest : rest / form.scale);
    return true;
  }
  *solution = SolveDynamicExtent(symbols, form, value.symbolic);
  if (form.scale > 1) {
    const Symbolic* const rest = symbols.Subtract(value.symbolic, symbols.Constant(form.offset));
    const Symbolic* const remainder = symbols.Operation(SymbolicOp::kModulo, {rest, symbols.Constant(form.scale)});
    const Symbolic* const fits = symbols.Operation(SymbolicOp::kEqual, {remainder, symbols.Constant(0)});
    if (fits != nullptr && fits->constant() != 1) {
      place_.checks->push_back(
          RunTimeCheck{fits, ErrorClass::kRuntimeShape,
                       absl::StrCat("input '", input.name.text, "': extent ", TextOf(value), " must be divisible"),
                       place_.position});
    }
  }
  if (solution->kind != Scalar::Kind::kUnknown) return true;
  return Fail(ErrorClass::kShape,
              absl::StrCat("input '", input.name.text, "': '", form.name, "' cannot be found from a dynamic extent"));
}

bool ShapeBinder::EvaluateLength(const Parameter& input, const Expression& length, int64_t* count) {
  const Value value = evaluator_.EvaluateStatic(length, "the number of extents");
  if (value.is_error) return false;
  if (!value.is_null && value.item().kind == Scalar::Kind::kInt && value.item().integer < 0) {
    return Fail(ErrorClass::kShape, absl::StrCat("input '", input.name.text, "' must have ", value.item().integer,
                                                 " extents ", PrintExpression(length)));
  }
  const Value checked = evaluator_.EvaluateCount(length, "the number of extents");
  if (checked.is_error) return false;
  *count = checked.is_null ? 0 : checked.item().integer;
  return true;
}

bool ShapeBinder::FindCounts(const Parameter& input, size_t rank, std::vector<size_t>* counts) {
  size_t sum = 0;
  int open = -1;
  for (size_t i = 0; i < input.shape.size(); ++i) {
    const Extent& extent = input.shape[i];
    int64_t count = 1;
    if (extent.is_pack) {
      const AffineForm* const value = place_.signature->FindAffine(extent.value);
      const Value* const known = value == nullptr ? nullptr : scope_.Find(value->name);
      if (extent.length != nullptr && IsKnown(*extent.length)) {
        if (!EvaluateLength(input, *extent.length, &count)) return false;
      } else if (known != nullptr && known->type.is_pack && !known->is_null) {
        count = static_cast<int64_t>(known->items.size());
      } else {
        open = static_cast<int>(i);
        count = 0;
      }
    } else if (extent.value != nullptr && IsKnown(*extent.value)) {
      const Value value = evaluator_.EvaluateStatic(*extent.value, "an extent");
      if (value.is_error) return false;
      count = value.is_null ? 0 : 1;
    }
    counts->push_back(static_cast<size_t>(count));
    sum += static_cast<size_t>(count);
  }
  if (open >= 0 && sum <= rank) {
    const ExpressionPtr& length = input.shape[open].length;
    (*counts)[open] = rank - sum;
    sum = rank;
    const AffineForm* const form = place_.signature->FindAffine(length);
    if (form != nullptr) {
      Scalar solution;
      if (!Solve(input, *form, Scalar::Int(static_cast<int64_t>((*counts)[open])), &solution)) return false;
      scope_.values.emplace(form->name, Value::Of({BaseType::kInt, {}}, std::move(solution)));
    }
  }
  if (sum == rank) return true;
  return Fail(ErrorClass::kShape, absl::StrCat("input '", input.name.text, "' is declared as ", PrintShape(input.shape),
                                               ", got a tensor of rank ", rank));
}

bool ShapeBinder::BindShape(const Parameter& input, int item, const Shape& shape) {
  if (!input.rank.empty()) {
    const auto inserted = scope_.values.emplace(input.rank.text, Value::Int(static_cast<int64_t>(shape.size())));
    const Value& rank = inserted.first->second;
    if (!rank.is_null && rank.item().integer != static_cast<int64_t>(shape.size())) {
      return Fail(ErrorClass::kShape, absl::StrCat("input '", input.name.text, "' must have rank ", rank.ToString(),
                                                   ", got ", shape.size()));
    }
  }
  std::vector<size_t> counts;
  if (!FindCounts(input, shape.size(), &counts)) return false;
  size_t begin = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const Shape part(shape.begin() + begin, shape.begin() + begin + counts[i]);
    if (!BindComponent(input, input.shape[i], item, part)) return false;
    begin += counts[i];
  }
  return true;
}

bool ShapeBinder::BindComponent(const Parameter& input, const Extent& extent, int item, const Shape& extents) {
  const bool is_replaced = place_.replaced->count(&input) != 0;
  if (is_replaced && extent.bound != nullptr && !CheckBound(input, extent, extents)) return false;
  if (extent.value == nullptr) return true;
  const ElementType element{BaseType::kInt, {}};
  const AffineForm* const form = place_.signature->FindAffine(extent.value);
  const auto solve = [&](const Scalar& value, Scalar* solution) { return Solve(input, *form, value, solution); };
  if (extent.is_spread && form != nullptr) {
    // One extent of each tensor of the pack, in the order of the tensors.
    const auto inserted = scope_.values.emplace(form->name, Value::Pack(element, {}));
    Value& pack = inserted.first->second;
    Scalar solution;
    if (!solve(extents.front(), &solution)) return false;
    if (static_cast<size_t>(item) == pack.items.size()) {
      pack.items.push_back(std::move(solution));
      return true;
    }
    if (static_cast<size_t>(item) < pack.items.size()) {
      return BindExtent(input, extent, pack.items[item], solution);
    }
    return Fail(ErrorClass::kPack, absl::StrCat("input '", input.name.text, "' has more tensors than extents"));
  }
  if (form != nullptr && scope_.Find(form->name) == nullptr) {
    Shape solutions(extents.size());
    for (size_t i = 0; i < extents.size(); ++i) {
      if (!solve(extents[i], &solutions[i])) return false;
    }
    bool is_conditional = false;
    if (extent.is_pack && extent.length != nullptr) {
      const Value length = evaluator_.EvaluateStatic(*extent.length, "a length");
      if (length.is_error) return false;
      is_conditional = length.type.element.is_bool();
    }
    Value value = extent.is_pack && !is_conditional ? Value::Pack(element, solutions)
                  : solutions.empty()               ? Value::Null({element, true, false, false})
                                                    : Value::Of(element, solutions.front());
    value.type.is_optional = is_conditional || input.is_optional;
    scope_.values.emplace(form->name, std::move(value));
    return true;
  }
  std::vector<absl::string_view> names;
  CollectNames(*extent.value, &names);
  if (is_replaced && names.empty()) return true;
  const Value expected = evaluator_.EvaluateStatic(*extent.value, "an extent");
  if (expected.is_error) return false;
  if (expected.is_null) return true;
  if (expected.type.is_pack && expected.items.size() != extents.size()) {
    return Fail(ErrorClass::kShape, absl::StrCat("input '", input.name.text, "' has ", extents.size(),
                                                 " extents where ", expected.items.size(), " are expected"));
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    if (!BindExtent(input, extent, expected.type.is_pack ? expected.items[i] : expected.item(), extents[i]))
      return false;
  }
  return true;
}

// Extents that a user gives.
bool ShapeBinder::CheckBound(const Parameter& input, const Extent& extent, const Shape& extents) {
  const Value bound = evaluator_.EvaluateInt(*extent.bound, "the bound of an extent");
  if (bound.is_error) return false;
  for (const Scalar& given : extents) {
    if (bound.is_null || given.integer <= bound.item().integer) continue;
    return Fail(ErrorClass::kShape, absl::StrCat("input '", input.name.text, "' has an extent of at most ",
                                                 bound.item().integer, ", got ", given.integer));
  }
  return true;
}

// An extent that is known already.
bool ShapeBinder::BindExtent(const Parameter& input, const Extent& extent, const Scalar& expected, const Scalar& got) {
  bool is_open = false;
  if (SameExtent(workspace_.symbols(), expected, got, &is_open)) return true;
  std::string message = absl::StrCat(
      "input '", input.name.text, "' must have extent ", extent.value == nullptr ? "" : PrintExpression(*extent.value),
      " = ", expected.kind == Scalar::Kind::kUnknown ? "?" : TextOf(expected), ", got ", TextOf(got));
  if (!is_open) return Fail(ErrorClass::kShape, std::move(message));
  SymbolTable& symbols = workspace_.symbols();
  const Symbolic* const agrees =
      symbols.Operation(SymbolicOp::kEqual, {AsSymbolic(symbols, expected), AsSymbolic(symbols, got)});
  if (agrees == nullptr) return Fail(ErrorClass::kShape, std::move(message));
  place_.checks->push_back(RunTimeCheck{agrees, ErrorClass::kRuntimeShape, std::move(message), place_.position});
  return true;
}

}  // namespace nnef2
}  // namespace xla
