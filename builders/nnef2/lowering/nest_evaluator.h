// NestEvaluator: expressions of @lower as nodes.
//
// What mentions neither an index nor an element of a tensor is left to the Evaluator of compile-time values. The rest
// is evaluated here by the same rules, on nodes in place of known items: types and lengths have been checked by then.
#ifndef BUILDERS_NNEF2_LOWERING_NEST_EVALUATOR_H_
#define BUILDERS_NNEF2_LOWERING_NEST_EVALUATOR_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/lowering/index_violations.h"
#include "builders/nnef2/lowering/node_builder.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// An item: a node, and whether it is an index that may be out of range. What that means is known where the index ends
// up in an access.
struct NestItem {
  const NestNode* node = nullptr;
  bool is_guarded = false;  // |e|
  // |e <> below : beyond|; both are nullptr without.
  const NestNode* below = nullptr;
  const NestNode* beyond = nullptr;
};

struct NestValue {
  bool is_error = false;  // reported already
  bool is_null = false;
  bool is_pack = false;
  BaseType type = BaseType::kInt;
  std::vector<NestItem> items;  // one, unless it is a pack
  // Of tensors, which have no items: one, or those of a pack, of which `item` may choose one.
  bool is_tensor = false;
  std::vector<int> tensors;
  const NestNode* item = nullptr;
  // A pack whose length is a dynamic extent: only items of it can be accessed.
  bool has_dynamic_length = false;
};

// The access of a tensor: its indices, and the tensors, all of them for a whole pack without `item`.
struct NestAccess {
  std::vector<int> tensors;
  const NestNode* item = nullptr;
  bool is_pack = false;
  std::vector<const NestNode*> indices;
};

// Values of elements, by tensor; nullptr: one that is not known, as that of a sum.
using AssignedValues = absl::flat_hash_map<int, std::vector<const NestNode*>>;

// Evaluates the expressions of one statement.
class NestEvaluator {
 public:
  // `scope` has the values of all names but those of indices and locals, which Declare adds.
  NestEvaluator(const ComposedGraph& graph, const Definition& definition, const Scope* scope, NestNodes* nodes);

  // A name that stands for `value` in the expressions to come.
  void Declare(absl::string_view name, NestValue value);
  // The extent of the next loop of the statement.
  void AddLoopExtent(const Scalar& extent) { loop_extents_.push_back(extent); }
  // Marks the tensors that loads of read what the statement may have assigned. `assigned` are the values that the
  // statements before have given to elements of each of them.
  void set_outputs(std::vector<int> outputs, const AssignedValues* assigned) {
    outputs_ = std::move(outputs);
    assigned_ = assigned;
  }
  // What the statement assigns to elements of outputs.
  void AddAssigned(int output, const NestNode* value) { own_values_[output].push_back(value); }

  NestValue Evaluate(const Expression& e);
  // One item, without a guard. nullptr after an error.
  const NestNode* EvaluateScalar(const Expression& e);
  // The access of the target; its guards are added to guards(). False after an error.
  bool EvaluateTarget(const Expression& target, NestAccess* access);

  // Indices without a guard that their bounds do not prove to be in range, and that are not in a choice between values.
  const std::vector<UncheckedIndex>& unchecked() const { return unchecked_; }

  const std::vector<NestGuard>& guards() const { return guards_; }
  void AddGuard(const NestNode* index, const NestNode* extent);
  NodeBuilder& nodes() { return nodes_; }
  // Reports; returns an error.
  NestValue Fail(ErrorClass error_class, const Span& span, std::string message, std::string suggestion = "");
  // False, and an error, where an item of `value` has a guard.
  bool CheckUnguarded(const Expression& e, const NestValue& value);

 private:
  bool DependsOnIndices(const Expression& e);
  NestValue EvaluateKind(const Expression& e);
  NestValue FromValue(const Value& value);
  // --- operators (nest_operators.cc) ---
  NestValue Map(const Expression& e, const NestValue& value);
  NestValue EvaluateUnary(const Expression& e);
  NestValue EvaluateBinary(const Expression& e);
  NestValue Combine(const Expression& e, Operator op, const NestValue& a, const NestValue& b);
  NestValue EvaluateIn(const Expression& e, const NestValue& item, const NestValue& pack);
  NestValue EvaluateSelect(const Expression& e);
  NestValue EvaluateCast(const Expression& e);
  NestValue EvaluateFold(const Expression& e);
  NestValue Cumulate(const Expression& e, const NestValue& pack);
  NestValue FoldPairs(const Expression& e, const NestValue& pack);
  // --- packs (nest_packs.cc) ---
  NestValue EvaluateList(const Expression& e);
  bool AppendItem(const Expression& item, NestValue* list);
  NestValue EvaluateIndex(const Expression& e);
  NestValue IndexByRange(const Expression& range, const NestValue& pack);
  NestValue EvaluateSubstitute(const Expression& e);
  NestValue EvaluateBounded(const Expression& e);
  // --- elements of tensors (nest_accesses.cc) ---
  NestValue EvaluateAccess(const Expression& e);
  NestValue EvaluateBase(const Expression& access);
  // The indices of an access; *variants: several where a pack stands for one of them.
  bool EvaluateIndices(const Expression& access, std::vector<std::vector<NestItem>>* variants);
  const NestNode* BindIndex(const Expression& access, const NestItem& item, const NestValue& base, size_t dimension);
  void NoteUnchecked(const Expression& access, const NestNode* index, const NestValue& base, size_t dimension);
  const NestNode* ExtentOf(const Expression& access, const NestValue& base, size_t dimension);
  const Symbolic* Extreme(const NestNode& node, bool is_greatest, int* steps);
  const Symbolic* RoomBeyond(const NestNode& index, const NestNode& extent);
  bool EndsOutside(const NestNode& index, const NestNode& extent);
  bool HoldsPlaces(const NestNode& index, const NestNode& extent);
  const NestNode* MovedInside(const Expression& access, const NestNode* index, const NestValue& base, size_t dimension);
  bool BindIndices(const Expression& access, const std::vector<NestItem>& items, const NestValue& base,
                   std::vector<const NestNode*>* indices);
  NestValue LoadOf(const Expression& access, const std::vector<NestItem>& items, const NestValue& base);
  bool ReadsOutput(const std::vector<int>& tensors) const;

  // The number of items that a count stands for; false after an error.
  bool EvaluateCount(const Expression& e, int64_t* count);
  // One known int; false after an error.
  bool EvaluateKnownInt(const Expression& e, absl::string_view what, int64_t* value);
  bool AppendRange(const Expression& range, NestValue* list);
  // A node, or an error where there is none.
  NestValue Of(const Expression& e, const NestNode* node, const std::string& error);
  static NestValue Null() {
    NestValue value;
    value.is_null = true;
    return value;
  }
  static NestValue Error() {
    NestValue value;
    value.is_error = true;
    return value;
  }
  static const NestItem& ItemOf(const NestValue& value, size_t i) { return value.items[value.is_pack ? i : 0]; }

  const ComposedGraph& graph_;
  Workspace& workspace_;
  const Definition& definition_;
  const Scope* scope_;
  Evaluator evaluator_;
  NodeBuilder nodes_;
  absl::flat_hash_map<absl::string_view, NestValue> names_;
  absl::flat_hash_map<const Expression*, bool> depends_;
  std::vector<NestGuard> guards_;
  int num_choices_ = 0;  // that are open around what is evaluated
  std::vector<UncheckedIndex> unchecked_;
  std::vector<int> outputs_;
  const AssignedValues* assigned_ = nullptr;  // by statements before
  AssignedValues own_values_;
  std::vector<Scalar> loop_extents_;  // by loop
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_NEST_EVALUATOR_H_
