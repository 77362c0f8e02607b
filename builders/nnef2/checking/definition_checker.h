// DefinitionChecker: an operator with its attributes and extents as symbols.
//
// Names get values in the order in which an invocation would bind them; of most values only type and length are known
// (Value). What an operator computes is then evaluated with them.
#ifndef BUILDERS_NNEF2_CHECKING_DEFINITION_CHECKER_H_
#define BUILDERS_NNEF2_CHECKING_DEFINITION_CHECKER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef2/checking/program.h"
#include "builders/nnef2/checking/resolve_invocation.h"
#include "builders/nnef2/checking/signature.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

class DefinitionChecker {
 public:
  DefinitionChecker(const Program& program, const Definition& definition, const Signature& signature,
                    Diagnostics* diagnostics)
      : program_(program),
        definition_(definition),
        signature_(signature),
        workspace_(/*is_definition=*/true, diagnostics),
        evaluator_(&workspace_, definition.source, &scope_) {}

  void Run();

 private:
  // A sequence of components in a scope of its own.
  struct Block {
    Scope scope;
    bool is_region = false;
    bool is_update = false;
    absl::flat_hash_set<absl::string_view> labels;
    // The outputs, variables and intermediates that it has assigned.
    absl::flat_hash_set<absl::string_view> assigned;
  };

  bool Fail(ErrorClass error_class, const Span& span, std::string message, absl::string_view rule,
            std::string suggestion = "") {
    return workspace_.Error(error_class, definition_.At(span), std::move(message), rule, std::move(suggestion));
  }

  // --- declarations (declare_parameters.cc) ---
  void CheckBlocks();
  void DeclareTypes();
  void DeclareAttributes();
  void DeclareAttributeLength(const Parameter& attribute);
  void CheckDefault(const Parameter& parameter);
  void DeclareInput(const Parameter& input);
  bool DeclareExtent(const Parameter& parameter, const Extent& extent, const Symbolic* pack_length,
                     std::vector<Scalar>* extents, const Symbolic** rank);
  bool DeclareExtentPack(const Parameter& parameter, const Extent& extent, const Symbolic** length);
  const Symbolic* DeclareLength(const ExpressionPtr& length, absl::string_view name);
  void DeclareTensor(const Parameter& parameter, absl::string_view rule);
  void DeclareHelper(const Using& helper);
  void CheckConstant(const Parameter& constant);
  void CheckAssertion(const Assertion& assertion);
  // A type that a value can have.
  bool FindElement(const Parameter& parameter, ElementType* element);
  bool Declare(const Name& name, Value value);
  const Symbolic* NewLength(absl::string_view name);

  // --- @lower (check_lowerings.cc) ---
  void CheckLowerings();
  void CheckLowering(const Lowering& lowering);
  bool CheckTarget(const Lowering& lowering);
  // An index or a local value of a statement; false, and an error, if its name is taken.
  bool DeclareIn(Scope* scope, const Name& name, Value value);
  bool DeclareIndices(const Lowering& lowering, Scope* scope);
  bool CheckAssigned(const Lowering& lowering, const Value& target, const Value& value);

  // --- @compose, @update (check_components.cc) ---
  void CheckComposition();
  void CheckComponents(const std::vector<Component>& components, Block* block);
  void CheckComponent(const Component& component, Block* block);
  // What runs, in the scope of `block`; false after an error.
  bool CheckCallable(const Callable& callable, Block* block, std::vector<Value>* results);
  bool CheckInvocation(const Invocation& invocation, Block* block, std::vector<Value>* results);
  bool CheckRegion(const Region& region, const Scope& outer, std::vector<Value>* results);
  bool CheckBranch(const Component& component, Block* block, std::vector<Value>* results);
  bool CheckConsequent(const Branch& branch, size_t i, bool is_certain, Block* block,
                       absl::optional<std::vector<Value>>* results);
  bool CheckLoop(const Component& component, Block* block, std::vector<Value>* results);
  bool DeclareLoop(const Loop& loop, Block* inner);
  bool CheckCount(const Loop& loop, const Block& outer, bool* is_dynamic);
  // *decided: what it is, if that is known.
  bool CheckCondition(const Callable& condition, Block* block, absl::optional<bool>* decided);
  void AssignResults(const Component& component, std::vector<Value> values, bool is_dynamic_pack, Block* block);
  void AssignItem(const Component& component, const ResultItem& item, Value value, bool is_dynamic_pack, Block* block);
  bool MayAssign(const Name& name, Block* block);
  // A tensor of which only the type is known.
  Value UnknownTensor(const ElementType& element, bool is_pack, const Symbolic* length);

  // --- @quantize ---
  void CheckQuantizations();

  const Program& program_;
  const Definition& definition_;
  const Signature& signature_;
  Workspace workspace_;
  Scope scope_;
  Evaluator evaluator_;
  absl::flat_hash_map<absl::string_view, const Parameter*> outputs_;
  absl::flat_hash_set<absl::string_view> variables_;
  // By what the statements of @lower assign: their number, and whether one of them is an update.
  absl::flat_hash_map<std::string, std::pair<int, bool>> lowerings_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_DEFINITION_CHECKER_H_
