#include "builders/nnef2/lowering/build_nests.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/nnef2/composition/check_bound_lowerings.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/lowering/index_violations.h"
#include "builders/nnef2/lowering/nest_evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

// An index that chooses items of packs is unrolled up to that many.
constexpr int64_t kMaxUnrolled = 4096;
constexpr size_t kMaxLoops = 64;
// The statements of an operation are taken apart into at most that many.
constexpr int kMaxNests = 1 << 16;

// Whether `symbol` is what chooses an item of a pack of tensors somewhere in e: xs[k][i,].
bool ChoosesItem(const Expression& e, absl::string_view symbol, const Scope& scope) {
  if (e.kind == Expression::Kind::kIndex && e.items[0]->kind == Expression::Kind::kIdentifier &&
      e.items[1]->kind == Expression::Kind::kIdentifier && e.items[1]->name == symbol) {
    const Value* const pack = scope.Find(e.items[0]->name);
    if (pack != nullptr && pack->type.is_tensor && pack->length == nullptr) return true;
  }
  return std::any_of(e.items.begin(), e.items.end(),
                     [&](const ExpressionPtr& item) { return item != nullptr && ChoosesItem(*item, symbol, scope); });
}

bool ChoosesItem(const Lowering& statement, absl::string_view symbol, const Scope& scope) {
  bool chooses = ChoosesItem(*statement.target, symbol, scope) || ChoosesItem(*statement.value, symbol, scope) ||
                 (statement.condition != nullptr && ChoosesItem(*statement.condition, symbol, scope));
  for (const Lowering::Local& local : statement.locals) chooses = chooses || ChoosesItem(*local.value, symbol, scope);
  return chooses;
}

// The statements of one operation.
class NestsOfOperation {
 public:
  NestsOfOperation(const ComposedGraph& graph, const ComposedOperation& operation, std::vector<StatementNest>* nests)
      : graph_(graph),
        workspace_(*graph.workspace),
        definition_(*operation.bound->definition),
        nodes_(std::make_shared<NestNodes>()),
        nests_(*nests) {
    scope_.parent = &operation.bound->scope;
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      scope_.values.emplace(definition_.inputs[i].name.text, operation.inputs[i]);
    }
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      scope_.values.emplace(definition_.outputs[i].name.text, operation.outputs[i]);
      for (const Scalar& item : operation.outputs[i].items) outputs_.push_back(static_cast<int>(item.integer));
    }
    for (const auto& tensor : operation.tensors) scope_.values.emplace(tensor.first, tensor.second);
  }

  bool Build() {
    return std::all_of(definition_.lowerings.begin(), definition_.lowerings.end(),
                       [this](const Lowering& statement) { return BuildUnrolled(statement); });
  }

 private:
  bool Fail(ErrorClass error_class, const Span& span, std::string message, std::string suggestion = "") {
    return workspace_.Error(error_class, definition_.At(span), std::move(message), "2.12", std::move(suggestion));
  }

  bool BuildUnrolled(const Lowering& statement) {
    if (statement.unroll_count == nullptr) return BuildChosen(statement, scope_, 0);
    Evaluator evaluator(&workspace_, definition_.source, &scope_);
    const Value count = evaluator.EvaluateCount(*statement.unroll_count, "the count of an unrolled index");
    if (count.is_error) return false;
    return count.is_null || BuildFor(statement, scope_, 0, statement.unroll_index.text, count.item().integer);
  }

  // The statement once for each value of an index, which is known then.
  bool BuildFor(const Lowering& statement, const Scope& outer, size_t next_bound, absl::string_view symbol,
                int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (workspace_.diagnostics().IsOver()) return false;
      Scope scope;
      scope.parent = &outer;
      scope.values.emplace(symbol, Value::Int(i));
      if (!BuildChosen(statement, scope, next_bound)) return false;
    }
    return true;
  }

  // Takes the statement apart by an index among bounds[first..] that chooses items of packs.
  bool BuildChosen(const Lowering& statement, const Scope& scope, size_t first) {
    for (size_t i = first; i < statement.bounds.size(); ++i) {
      const IndexBound& bound = statement.bounds[i];
      if (!ChoosesItem(statement, bound.symbol.text, scope) || !MayGoFirst(statement, i, scope) ||
          MentionsIndex(*bound.bound, statement, scope)) {
        continue;
      }
      absl::optional<int64_t> count;
      if (!KnownBound(*bound.bound, scope, &count)) return false;
      if (count.has_value() && *count <= kMaxUnrolled) {
        return BuildFor(statement, scope, i + 1, bound.symbol.text, *count);
      }
    }
    return BuildNest(statement, scope);
  }

  // Whether all iterations with one value of this index may run before those with the next one: it is the outermost
  // index, the order of the iterations does not matter, or each value has its own elements.
  bool MayGoFirst(const Lowering& statement, size_t bound, const Scope& scope) const {
    const absl::string_view symbol = statement.bounds[bound].symbol.text;
    if (std::all_of(statement.bounds.begin(), statement.bounds.begin() + static_cast<int64_t>(bound),
                    [&](const IndexBound& outer) { return IsFixed(outer.symbol.text, scope); })) {
      return true;
    }
    if (statement.condition != nullptr) return false;
    if (Accumulates(statement.op)) return true;
    const Expression& target = *statement.target;
    return ChoosesItem(target, symbol, scope) ||
           std::any_of(target.items.begin() + 1, target.items.end(), [&](const ExpressionPtr& index) {
             return index->kind == Expression::Kind::kIdentifier && index->name == symbol;
           });
  }

  // Whether e depends on an index that is not known.
  bool MentionsIndex(const Expression& e, const Lowering& statement, const Scope& scope) const {
    if (e.kind == Expression::Kind::kIdentifier) {
      return std::any_of(statement.bounds.begin(), statement.bounds.end(), [&](const IndexBound& bound) {
        return bound.symbol.text == e.name && !IsFixed(e.name, scope);
      });
    }
    return std::any_of(e.items.begin(), e.items.end(), [&](const ExpressionPtr& item) {
      return item != nullptr && MentionsIndex(*item, statement, scope);
    });
  }

  bool IsFixed(absl::string_view symbol, const Scope& scope) const { return scope.Find(symbol) != nullptr; }

  // The bound of an index if it is one int that is known.
  bool KnownBound(const Expression& bound, const Scope& scope, absl::optional<int64_t>* known) {
    NestEvaluator evaluator(graph_, definition_, &scope, nodes_.get());
    const NestValue value = evaluator.Evaluate(bound);
    if (value.is_error) return false;
    if (value.is_null) *known = 0;
    if (!value.is_null && !value.is_pack && value.items[0].node->is_known()) {
      *known = std::max<int64_t>(0, value.items[0].node->scalar.integer);
    }
    return true;
  }

  // Adds the loops of an index. *is_empty: there is no iteration.
  bool AddLoops(const IndexBound& bound, NestEvaluator* evaluator, StatementNest* nest, bool* is_empty) {
    const NestValue extents = evaluator->Evaluate(*bound.bound);
    if (extents.is_error || !evaluator->CheckUnguarded(*bound.bound, extents)) return false;
    if (extents.is_null) {
      *is_empty = true;
      return true;
    }
    NestValue index = extents;
    for (size_t i = 0; i < extents.items.size(); ++i) {
      const NestNode* const extent = extents.items[i].node;
      *is_empty = *is_empty || extent->upper <= 0;
      if (*is_empty) return true;
      const bool is_scalar = extent->kind == NestNode::Kind::kScalar;
      NestLoop loop;
      loop.name = std::string(bound.symbol.text);
      if (extents.is_pack) absl::StrAppend(&loop.name, ":", i + 1);
      loop.extent = is_scalar ? extent->scalar : Scalar::Int(extent->upper);
      loop.bound = extent->upper;
      evaluator->AddLoopExtent(loop.extent);
      const int number = static_cast<int>(nest->loops.size());
      nest->loops.push_back(std::move(loop));
      index.items[i].node = evaluator->nodes().Loop(number, extent->upper);
      if (!is_scalar) evaluator->AddGuard(index.items[i].node, extent);
    }
    if (nest->loops.size() > kMaxLoops) {
      return Fail(ErrorClass::kValue, bound.symbol.span,
                  absl::StrCat("a statement has more than ", kMaxLoops, " indices"));
    }
    evaluator->Declare(bound.symbol.text, std::move(index));
    return true;
  }

  bool BuildNest(const Lowering& statement, const Scope& scope) {
    if (++num_built_ > kMaxNests) {
      return Fail(ErrorClass::kValue, statement.span,
                  absl::StrCat("statements are unrolled to more than ", kMaxNests, " of them"));
    }
    if (statement.condition != nullptr && NeverRuns(&workspace_, definition_, statement, scope)) return true;
    StatementNest nest;
    nest.nodes = nodes_;
    nest.definition = &definition_;
    nest.statement = &statement;
    nest.op = statement.op;
    NestEvaluator evaluator(graph_, definition_, &scope, nodes_.get());
    evaluator.set_outputs(outputs_, &assigned_);
    bool is_empty = false;
    for (const IndexBound& bound : statement.bounds) {
      if (IsFixed(bound.symbol.text, scope)) continue;
      if (!AddLoops(bound, &evaluator, &nest, &is_empty)) return false;
      if (is_empty) return true;
    }
    for (const Lowering::Local& local : statement.locals) {
      NestValue value = evaluator.Evaluate(*local.value);
      if (value.is_error) return false;
      evaluator.Declare(local.name.text, std::move(value));
    }
    NestAccess target;
    if (!evaluator.EvaluateTarget(*statement.target, &target)) return false;
    if (target.tensors.empty()) return true;
    nest.targets = std::move(target.tensors);
    nest.target_item = target.item;
    nest.indices = std::move(target.indices);
    nest.type = graph_.tensors[nest.targets[0]].element.base;
    if (!AddValues(statement, target.is_pack, &evaluator, &nest)) return false;
    for (size_t i = 0; i < nest.targets.size(); ++i) evaluator.AddAssigned(nest.targets[i], ElementOf(nest, i));
    if (!AddConditions(statement, &evaluator, &nest, &is_empty)) return false;
    if (is_empty) return true;
    if (!CheckInts(nest.values, *statement.value) ||
        (nest.condition != nullptr && !CheckInts({nest.condition}, *statement.condition))) {
      return false;
    }
    for (const UncheckedIndex& unchecked : evaluator.unchecked()) {
      const absl::optional<int64_t> violation = FindViolation(nest, unchecked, &workspace_);
      if (!violation.has_value()) continue;
      return Fail(ErrorClass::kValue, unchecked.span,
                  absl::StrCat("index ", *violation, " is out of range: the extent of dimension ", unchecked.dimension,
                               " is ", unchecked.extent),
                  "guard the index to skip what lies outside: |i|");
    }
    for (size_t i = 0; i < nest.targets.size(); ++i) assigned_[nest.targets[i]].push_back(ElementOf(nest, i));
    nests_.push_back(std::move(nest));
    return true;
  }

  // What the statement gives to elements of the target; nullptr if that depends on what they were.
  static const NestNode* ElementOf(const StatementNest& nest, size_t target) {
    if (Accumulates(nest.op)) return nullptr;
    return nest.values[nest.values.size() == 1 ? 0 : target];
  }

  bool AddValues(const Lowering& statement, bool is_pack, NestEvaluator* evaluator, StatementNest* nest) {
    const NestValue value = evaluator->Evaluate(*statement.value);
    if (value.is_error || !evaluator->CheckUnguarded(*statement.value, value)) return false;
    if (value.is_null || value.is_tensor) {
      return Fail(ErrorClass::kType, statement.value->span,
                  value.is_null ? "the assigned value is null" : "the assigned value is a tensor",
                  value.is_null ? "give a value in place of null: b[i,] ?? 0.0" : "access an element: x[i,]");
    }
    const size_t count = is_pack ? nest->targets.size() : 1;
    if (value.is_pack && (!is_pack || value.items.size() != count)) {
      return Fail(ErrorClass::kPack, statement.value->span, "as many values as tensors must be assigned");
    }
    for (size_t i = 0; i < count; ++i) nest->values.push_back(value.items[value.is_pack ? i : 0].node);
    return true;
  }

  bool AddConditions(const Lowering& statement, NestEvaluator* evaluator, StatementNest* nest, bool* is_empty) {
    if (statement.condition != nullptr) {
      nest->condition = evaluator->EvaluateScalar(*statement.condition);
      if (nest->condition == nullptr) return false;
      if (nest->condition->is_known()) {
        *is_empty = nest->condition->scalar.integer == 0;
        nest->condition = nullptr;
      }
    }
    nest->guards = evaluator->guards();
    std::vector<const NestNode*> roots = nest->indices;
    roots.insert(roots.end(), nest->values.begin(), nest->values.end());
    if (nest->condition != nullptr) roots.push_back(nest->condition);
    if (nest->target_item != nullptr) roots.push_back(nest->target_item);
    for (const NestGuard& guard : nest->guards) {
      *is_empty = *is_empty || guard.index->upper < 0 || guard.index->lower >= guard.extent->upper;
      roots.push_back(guard.index);
      roots.push_back(guard.extent);
    }
    nest->reads_output = ReadsTargets(*nest, std::move(roots));
    return true;
  }

  // Whether the ints that a statement computes with fit the type of ints. Those of indices do if the indices are in
  // range.
  bool CheckInts(std::vector<const NestNode*> pending, const Expression& e) {
    while (!pending.empty()) {
      const NestNode* const node = pending.back();
      pending.pop_back();
      if (node->kind == NestNode::Kind::kLoad || !checked_.insert(node->id).second) continue;
      if (node->is_known() && node->scalar.kind == Scalar::Kind::kInt && !FitsRunTime(node->scalar.integer)) {
        return Fail(ErrorClass::kValue, e.span, RunTimeMisfit(node->scalar.integer));
      }
      pending.insert(pending.end(), node->operands.begin(), node->operands.end());
    }
    return true;
  }

  // Whether one of the nodes, or what they are computed from, loads from a target.
  static bool ReadsTargets(const StatementNest& nest, std::vector<const NestNode*> pending) {
    absl::flat_hash_set<int> seen;
    while (!pending.empty()) {
      const NestNode* const node = pending.back();
      pending.pop_back();
      if (!node->reads_output || !seen.insert(node->id).second) continue;
      for (const int tensor : node->tensors) {
        if (std::find(nest.targets.begin(), nest.targets.end(), tensor) != nest.targets.end()) return true;
      }
      for (const NestNode* const input : node->inputs()) pending.push_back(input);
    }
    return false;
  }

  const ComposedGraph& graph_;
  Workspace& workspace_;
  const Definition& definition_;
  std::shared_ptr<NestNodes> nodes_;
  std::vector<StatementNest>& nests_;
  Scope scope_;
  std::vector<int> outputs_;
  AssignedValues assigned_;  // to outputs so far
  absl::flat_hash_set<int> checked_;  // nodes by number: CheckInts
  int num_built_ = 0;
};

}  // namespace

bool BuildNests(const ComposedGraph& graph, const ComposedOperation& operation, std::vector<StatementNest>* nests) {
  std::vector<std::unique_ptr<Workspace::Call>> calls;
  for (const Diagnostic::Call& call : operation.calls) {
    calls.push_back(std::make_unique<Workspace::Call>(graph.workspace.get(), call.position, call.name));
  }
  const bool is_good = NestsOfOperation(graph, operation, nests).Build();
  while (!calls.empty()) calls.pop_back();
  return is_good;
}

}  // namespace nnef2
}  // namespace xla
