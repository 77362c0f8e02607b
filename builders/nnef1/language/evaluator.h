// Evaluator: the values of expressions (evaluate_expression.cc), and invocations, which become nodes or are replaced by
// the body of their fragment (invoke_fragment.cc).
#ifndef BUILDERS_NNEF1_LANGUAGE_EVALUATOR_H_
#define BUILDERS_NNEF1_LANGUAGE_EVALUATOR_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/expansion.h"
#include "builders/nnef1/language/node_builder.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// What returns a bool returns false after an error, or if a value is missing whose error has been reported.
class Evaluator {
 public:
  Evaluator(Expansion* expansion, NodeBuilder* nodes) : expansion_(*expansion), nodes_(*nodes) {}

  // `target`: what the value is assigned to as it is.
  bool Evaluate(const Expression& expression, Scope* scope, Value* value, const Target* target = nullptr);

  // An operation of the standard that an operator stands for.
  bool InvokeOperator(absl::string_view operation, std::vector<Value> operands, const Scope& scope, const Span& span,
                      Value* value);

  // That the array or tuple on the left side has as many items as `value`.
  bool ExpectLength(const Target& target, const Value& value, const Scope& scope);

 private:
  // --- evaluate_expression.cc ---
  bool EvaluateKind(const Expression& expression, Scope* scope, Value* value, const Target* target);
  bool EvaluateItems(const Expression& expression, Scope* scope, std::vector<Value>* items);
  bool EvaluateSequence(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateUnary(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateBinary(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateSubscript(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateRange(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateIfElse(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateComprehension(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateLoopArrays(const Expression& comprehension, Scope* scope, std::vector<Value>* arrays);
  bool EvaluateLoop(const Expression& comprehension, const std::vector<Value>& arrays, Scope* scope,
                    std::vector<Value>* items);
  bool EvaluateBuiltin(const Expression& expression, Scope* scope, Value* value);
  bool Take(const Scope& scope, const Span& span, absl::StatusOr<Value> result, Value* value);

  // --- invoke_fragment.cc ---
  bool EvaluateInvocation(const Expression& expression, Scope* scope, Value* value, const Target* target);
  bool Invoke(Call call, const absl::optional<Primitive>& generic, const Scope& scope, Value* value);
  bool DeduceGeneric(const Scope& scope, Call* call);
  bool CastArguments(const Scope& scope, Call* call);
  bool Cast(const Type& type, const Value& value, Value* result);
  bool CastToTensor(const Type& type, const Value& value, Value* result);
  bool CastItems(const Type& type, const Value& value, Value* result);
  bool IsExpanded(const Fragment& fragment) const;
  bool ExpandBody(const Call& call, const Scope& scope, Value* value);
  bool EvaluateBody(const Call& call, Scope* scope, Value* value);
  bool CastResults(const Call& call, Scope* scope, std::vector<Value>* results);
  bool BindTarget(const Target& target, const Value& value, Scope* scope);

  Expansion& expansion_;
  NodeBuilder& nodes_;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_EVALUATOR_H_
