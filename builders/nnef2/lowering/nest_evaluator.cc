#include "builders/nnef2/lowering/nest_evaluator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

}  // namespace

NestEvaluator::NestEvaluator(const ComposedGraph& graph, const Definition& definition, const Scope* scope,
                             NestNodes* nodes)
    : graph_(graph),
      workspace_(*graph.workspace),
      definition_(definition),
      scope_(scope),
      evaluator_(&workspace_, definition.source, scope, /*in_lowering=*/true),
      nodes_(nodes, &workspace_.symbols()) {}

void NestEvaluator::Declare(absl::string_view name, NestValue value) {
  names_.insert_or_assign(name, std::move(value));
  depends_.clear();
}

NestValue NestEvaluator::Fail(ErrorClass error_class, const Span& span, std::string message, std::string suggestion) {
  workspace_.Error(error_class, definition_.At(span), std::move(message), "2.12", std::move(suggestion));
  return Error();
}

NestValue NestEvaluator::Of(const Expression& e, const NestNode* node, const std::string& error) {
  if (node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
  NestValue value;
  value.type = node->type;
  value.items = {NestItem{node}};
  return value;
}

bool NestEvaluator::CheckUnguarded(const Expression& e, const NestValue& value) {
  const bool is_good = std::none_of(value.items.begin(), value.items.end(),
                                    [](const NestItem& item) { return item.is_guarded || item.below != nullptr; });
  if (!is_good) {
    Fail(ErrorClass::kLower, e.span, "a guarded index can only be an index of a tensor",
         "guard the whole index: |i + 1|");
  }
  return is_good;
}

const NestNode* NestEvaluator::EvaluateScalar(const Expression& e) {
  const NestValue value = Evaluate(e);
  if (value.is_error || !CheckUnguarded(e, value)) return nullptr;
  if (value.is_null || value.is_pack || value.is_tensor) {
    Fail(ErrorClass::kType, e.span, value.is_null ? "a value is null" : "expected one value");
    return nullptr;
  }
  return value.items[0].node;
}

bool NestEvaluator::EvaluateCount(const Expression& e, int64_t* count) {
  const NestValue value = Evaluate(e);
  *count = 0;
  if (value.is_error || value.is_null) return !value.is_error;
  if (!EvaluateKnownInt(e, "a count", count)) return false;
  if (*count >= 0 && *count <= kMaxPackLength) return true;
  Fail(ErrorClass::kValue, e.span, absl::StrCat("a count must lie between 0 and ", kMaxPackLength, ", got ", *count));
  return false;
}

bool NestEvaluator::EvaluateKnownInt(const Expression& e, absl::string_view what, int64_t* value) {
  const NestNode* const node = EvaluateScalar(e);
  if (node == nullptr) return false;
  if (node->is_known()) {
    *value = node->scalar.integer;
    return true;
  }
  Fail(ErrorClass::kType, e.span, absl::StrCat(what, " must be known when the model is composed"));
  return false;
}

// Whether anything in it is not a compile-time value.
bool NestEvaluator::DependsOnIndices(const Expression& e) {
  const auto found = depends_.find(&e);
  if (found != depends_.end()) return found->second;
  bool depends = e.kind == Kind::kAccess || e.kind == Kind::kBounded;
  if (e.kind == Kind::kIdentifier) {
    // Which tensor an index chooses is for this class to say, also if the index is a dynamic extent.
    const Value* const value = scope_->Find(e.name);
    depends = names_.count(e.name) > 0 || (value != nullptr && value->type.is_tensor);
  }
  for (const ExpressionPtr& item : e.items) depends = depends || (item != nullptr && DependsOnIndices(*item));
  depends_.emplace(&e, depends);
  return depends;
}

NestValue NestEvaluator::FromValue(const Value& value) {
  NestValue result;
  result.is_error = value.is_error;
  result.is_null = value.is_null;
  result.is_pack = value.type.is_pack;
  result.type = value.type.element.base;
  result.is_tensor = value.type.is_tensor;
  result.has_dynamic_length = value.length != nullptr;
  if (value.is_error || value.is_null) return result;
  for (const Scalar& item : value.items) {
    if (result.is_tensor) {
      result.tensors.push_back(static_cast<int>(item.integer));
    } else {
      result.items.push_back(NestItem{nodes_.Known(item, result.type)});
    }
  }
  return result;
}

NestValue NestEvaluator::Evaluate(const Expression& e) {
  if (workspace_.diagnostics().IsOver()) return Error();
  if (!DependsOnIndices(e)) {
    const Value value = evaluator_.Evaluate(e);
    // Reals that dynamic extents are converted to are not known.
    const bool is_open = std::any_of(value.items.begin(), value.items.end(),
                                     [](const Scalar& item) { return item.kind == Scalar::Kind::kUnknown; });
    if (value.is_error || value.is_null || (value.has_items && !is_open)) return FromValue(value);
  }
  NestValue value = EvaluateKind(e);
  if (workspace_.Spend(value.items.size())) return value;
  return Fail(ErrorClass::kValue, e.span,
              absl::StrCat("the packs of the model have more than ", Workspace::kMaxItems, " items"));
}

NestValue NestEvaluator::EvaluateKind(const Expression& e) {
  switch (e.kind) {
    case Kind::kIdentifier: {
      const auto found = names_.find(e.name);
      return found != names_.end() ? found->second : FromValue(evaluator_.Evaluate(e));
    }
    case Kind::kCast:
      return EvaluateCast(e);
    case Kind::kBuiltin:
      return Map(e, Evaluate(*e.items[0]));
    case Kind::kList:
      return EvaluateList(e);
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
    case Kind::kCoalesce: {
      const NestValue value = Evaluate(*e.items[0]);
      return value.is_null && !value.is_error ? Evaluate(*e.items[1]) : value;
    }
    case Kind::kBounded:
      return EvaluateBounded(e);
    case Kind::kInteger:
    case Kind::kReal:
    case Kind::kBool:
    case Kind::kString:
    case Kind::kFormat:
    case Kind::kMember:
    case Kind::kExpand:
    case Kind::kRange:
    case Kind::kZip:
    case Kind::kOmitted:
      break;
  }
  return Fail(ErrorClass::kType, e.span,
              "the value depends on an index or on a tensor, and must be known when the model is composed");
}

}  // namespace nnef2
}  // namespace xla
