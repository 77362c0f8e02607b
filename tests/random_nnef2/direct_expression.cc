#include "tests/random_nnef2/direct_expression.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

double NumberOf(const Scalar& scalar) {
  return scalar.kind == Scalar::Kind::kReal ? scalar.real : static_cast<double>(scalar.integer);
}

}  // namespace

DirectExpression::DirectExpression(DirectFrame* frame, const Lowering& lowering) : frame_(*frame) {
  for (const IndexBound& bound : lowering.bounds) varying_.insert(bound.symbol.text);
  for (const Lowering::Local& local : lowering.locals) varying_.insert(local.name.text);
}

DirectValue DirectExpression::Fail(const Expression& e, absl::string_view message) {
  if (status_.ok()) {
    status_ = ClassifiedError(ErrorClass::kValue, absl::StrCat(PlaceText(nnef2::At(frame_.source, e.span)), message));
  }
  return DirectValue::Null();
}

bool DirectExpression::FindWhetherVaries(const Expression& e) {
  if (e.kind == Kind::kAccess || e.kind == Kind::kBounded) return true;
  if (e.kind == Kind::kIdentifier) return varying_.count(e.name) > 0;
  return std::any_of(e.items.begin(), e.items.end(),
                     [this](const ExpressionPtr& item) { return item != nullptr && Varies(*item); });
}

bool DirectExpression::Varies(const Expression& e) {
  const auto known = varies_.find(&e);
  if (known != varies_.end()) return known->second;
  const bool varies = FindWhetherVaries(e);
  varies_.emplace(&e, varies);
  return varies;
}

DirectValue DirectExpression::FromValue(const Expression& e, const Value& value) {
  if (value.is_null) return DirectValue::Null();
  DirectValue result;
  result.base = value.type.element.base;
  result.is_pack = value.type.is_pack;
  if (result.base == BaseType::kStr || value.type.is_tensor) return Fail(e, "not a number");
  for (const Scalar& item : value.items) {
    if (!item.is_known()) return Fail(e, "a value that is not known at run time");
    DirectItem number;
    number.number = NumberOf(item);
    result.items.push_back(number);
  }
  return result;
}

DirectValue DirectExpression::Static(const Expression& e) {
  const auto known = static_.find(&e);
  if (known != static_.end()) return known->second;
  Evaluator evaluator(frame_.workspace.get(), frame_.source, &frame_.scope, /*in_lowering=*/true);
  const Value value = evaluator.Evaluate(e);
  if (value.is_error) {
    if (status_.ok()) status_ = frame_.diagnostics.ToStatus();
    return DirectValue::Null();
  }
  return static_.emplace(&e, FromValue(e, value)).first->second;
}

void DirectExpression::Probe(const Expression& e) {
  const absl::Status before = status_;
  Evaluate(e);
  status_ = before;
}

DirectValue DirectExpression::Evaluate(const Expression& e) {
  if (!Varies(e)) return Static(e);
  switch (e.kind) {
    case Kind::kIdentifier:
      return variables_[e.name];
    case Kind::kCast:
      return Convert(e);
    case Kind::kBuiltin:
      return Call(e);
    case Kind::kList:
      return List(e);
    case Kind::kRange:
      return Range(e);
    case Kind::kIndex:
      return Index(e);
    case Kind::kAccess:
      return Elements(e);
    case Kind::kSubstitute:
      return Substitute(e);
    case Kind::kUnary:
      return Unary(e);
    case Kind::kBinary:
      return Binary(e);
    case Kind::kFold:
      return Fold(e);
    case Kind::kSelect:
      return Select(e);
    case Kind::kCoalesce: {
      DirectValue value = Evaluate(*e.items[0]);
      return value.is_null ? Evaluate(*e.items[1]) : value;
    }
    case Kind::kBounded:
      return Bounded(e);
    default:
      return Fail(e, "an expression that cannot depend on an index");
  }
}

}  // namespace nnef2
}  // namespace xla
