// Evaluator: the value of an expression, and with it its type and all that can be wrong with it.
//
// While an operator is checked at its definition, types and lengths are what there is to find out (Value); the same
// rules then hold while a model is composed, where values are known.
#ifndef BUILDERS_NNEF2_EVALUATION_EVALUATOR_H_
#define BUILDERS_NNEF2_EVALUATION_EVALUATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef2/evaluation/value.h"
#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

class Evaluator {
 public:
  // All of them outlive it. `in_lowering`: tensors may be accessed, and index symbols are ints that are not known.
  Evaluator(Workspace* workspace, const std::shared_ptr<const Source>& source, const Scope* scope,
            bool in_lowering = false)
      : workspace_(*workspace), source_(source), scope_(scope), in_lowering_(in_lowering) {}

  // Errors are reported and yield Value::Error().
  Value Evaluate(const Expression& expression);

  // A compile-time value, which a tensor is not. `what`: "a length", for errors.
  Value EvaluateStatic(const Expression& expression, absl::string_view what);
  // The same, one int.
  Value EvaluateInt(const Expression& expression, absl::string_view what);
  // The number of items that a count stands for: an int, or a bool. Unless it is an error, the value is an int.
  Value EvaluateCount(const Expression& expression, absl::string_view what);

  // A type by its name; false after an error.
  bool FindType(const TypeReference& type, ElementType* element);

  // The length of a pack as an expression; nullptr: it is not known.
  const Symbolic* LengthOf(const Value& pack);
  // Whether two lengths can be the same: they are not if they differ by a constant.
  bool LengthsAgree(const Symbolic* a, const Symbolic* b);

  Position At(const Span& span) const { return nnef2::At(source_, span); }
  // Reports; returns Value::Error().
  Value Fail(ErrorClass error_class, const Span& span, std::string message, absl::string_view rule = "2.4",
             std::string suggestion = "");

 private:
  Value EvaluateKind(const Expression& e);
  // --- leaves ---
  Value EvaluateIdentifier(const Expression& e);
  Value EvaluateMember(const Expression& e);
  Value EvaluateFormat(const Expression& e);
  Value EvaluateCast(const Expression& e);
  Value FailUnknownType(const Expression& e);
  Value EvaluateBuiltin(const Expression& e);
  // --- lists (evaluate_list.cc) ---
  Value EvaluateList(const Expression& e);
  bool AppendValue(const Span& span, const Value& value, Value* list);
  bool ExpandItem(const Expression& item, Value* list);
  bool ZipItems(const Expression& item, Value* list);
  Value EvaluateRange(const Expression& e);
  // --- indices (evaluate_index.cc) ---
  Value EvaluateIndex(const Expression& e);
  Value EvaluateAccess(const Expression& e);
  Value EvaluateSubstitute(const Expression& e);
  Value IndexByRange(const Expression& e, const Value& pack);
  Value IndexByValue(const Expression& e, const Value& pack, const Value& index);
  Value SliceLength(const Expression& range, const Value& pack, const Value& begin, const Value& end,
                    const Value& step);
  bool ResolveIndex(const Span& span, int64_t index, int64_t length, int64_t* place);
  Value EvaluateBounded(const Expression& e);
  bool CountIndices(const Expression& access, const Symbolic** count, Value* pack);
  // --- operators (evaluate_operator.cc) ---
  Value EvaluateUnary(const Expression& e);
  Value EvaluateBinary(const Expression& e);
  Value CombineSides(const Expression& e, const Value& a, const Value& b);
  Value EvaluateIs(const Expression& e, const Value& a, const Value& b);
  Value EvaluateIn(const Expression& e, const Value& item, const Value& pack);
  Value EvaluateSelect(const Expression& e);
  Value DecideSelect(const Expression& e, bool holds);
  Value SelectSide(const Expression& e, const Value& condition);
  // `value`, which is all that a choice can be at a definition, because its other side has no value. An error that
  // reports nothing where the choice may be a pack because of that side.
  Value WithoutSide(Value value, bool may_be_null, const Expression& side);
  Value SelectItems(const Expression& e, const Value& condition, const Value& a, const Value& b);
  Value EvaluateCoalesce(const Expression& e);
  bool CheckOperands(const Expression& e, const Value& a, const Value& b, ElementType* result);
  bool CheckOperand(const Expression& e, Operator op, const ElementType& element);
  // What a condition has decided against, for its type and length. It is not asked for, so that an error of its value
  // is none; others are reported at the definition.
  Value EvaluateUnused(const Expression& e);
  // Whether an expression is a pack, or may be one.
  bool MayBePack(const Expression& e);
  // `value`, once for each item of what has been decided against, if that is a pack.
  Value LikeUnused(Value value, const Expression& unused);
  // Both sides of a select in one type.
  bool SameElement(const Expression& e, const Value& a, const Value& b);
  // --- folds (evaluate_fold.cc) ---
  Value EvaluateFold(const Expression& e);
  Value FoldPairs(const Expression& e, const Value& pack);
  Value Cumulate(const Expression& e, const Value& pack, Type type);

  // An operand of arithmetic: a tensor is an error.
  Value Operand(const Expression& e);
  Value EvaluateWithPromoted(const Expression& condition, const Expression& e);
  // item of `pack`, or the one value for all.
  static const Scalar& ItemOf(const Value& value, size_t i) {
    return value.type.is_pack ? value.items[i] : value.item();
  }

  Workspace& workspace_;
  const std::shared_ptr<const Source>& source_;
  const Scope* scope_;
  const bool in_lowering_;
};

// The names that a condition tests by ?x, so that they are given where it holds.
void PromotedNames(const Expression& condition, std::vector<absl::string_view>* names);
// The values of `names` in `scope`, no longer optional.
void PromoteNames(const std::vector<absl::string_view>& names, const Scope& scope, Scope* promoted);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_EVALUATION_EVALUATOR_H_
