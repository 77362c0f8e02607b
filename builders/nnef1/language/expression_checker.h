// ExpressionChecker: the types of expressions (expression_checker.cc) and the structure of invocations
// (check_invocation.cc), NNEF 1.0.4 sections 3.3.1 to 3.3.3.
#ifndef BUILDERS_NNEF1_LANGUAGE_EXPRESSION_CHECKER_H_
#define BUILDERS_NNEF1_LANGUAGE_EXPRESSION_CHECKER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// Checks the expressions of one body or one line, in order: names are defined as assignments are passed. It goes on
// after an error, with an unknown type that fits everything, so that one mistake is reported once.
class ExpressionChecker {
 public:
  // Where expressions stand.
  struct Place {
    // Whose fragments can be invoked beside the standard's; nullptr: none.
    const Document* document = nullptr;
    std::shared_ptr<const Source> source;
    // `?` stands for the type of the fragment around.
    bool is_generic = false;
    // If set, errors are of this class whatever they are.
    absl::optional<ErrorClass> only_class;
    // Called for each invocation of an operation that exists, with the places of its arguments (arguments.h).
    std::function<void(const Expression& invocation, const std::vector<int>& arguments)> check_use;
  };

  ExpressionChecker(Place place, Diagnostics* diagnostics);

  // nullopt: the type is unknown, because an error has been reported here or where a name was assigned.
  absl::optional<Type> TypeOf(const Expression& expression);

  // Identifiers that have a value, with their types (nullopt: unknown after an error).
  void Define(absl::string_view name, absl::optional<Type> type) { names_[name] = std::move(type); }
  bool IsDefined(absl::string_view name) const { return names_.contains(name); }
  // An identifier that will have a value later on, for better messages.
  void Announce(absl::string_view name) { announced_.insert(name); }

  void Error(ErrorClass error_class, const Span& span, std::string message, absl::string_view rule,
             std::string suggestion = "");

 private:
  absl::nullopt_t TypeError(const Span& span, std::string message, absl::string_view rule, std::string suggestion = "");
  absl::optional<Type> Bounded(const Span& span, Type type);
  absl::optional<Type> TypeOfIdentifier(const Expression& expression);
  absl::optional<Type> TypeOfArray(const Expression& expression);
  absl::optional<Type> TypeOfTuple(const Expression& expression);
  absl::optional<Type> TypeOfUnary(const Expression& expression);
  absl::optional<Type> TypeOfBinary(const Expression& expression);
  absl::optional<Type> TypeOfOperator(const Expression::UsedOperator& used, const Type& a, const Type& b);
  absl::optional<Type> TypeOfJoin(const Expression::UsedOperator& used, const Type& a, const Type& b);
  absl::optional<Type> TypeOfTensorOperator(const Expression::UsedOperator& used, absl::string_view operation,
                                            const std::vector<Type>& operands);
  absl::optional<Type> TypeOfSubscript(const Expression& expression);
  absl::optional<Type> TypeOfTupleItem(const Expression& expression, const Type& tuple);
  absl::optional<Type> TypeOfRange(const Expression& expression);
  absl::optional<Type> TypeOfIfElse(const Expression& expression);
  absl::optional<Type> TypeOfComprehension(const Expression& expression);
  absl::optional<Type> TypeOfBuiltin(const Expression& expression);
  absl::optional<Type> TypeOfInvocation(const Expression& expression);
  absl::optional<Primitive> GenericOf(const Expression& invocation, const Declaration& declaration,
                                      const std::vector<int>& places,
                                      const std::vector<absl::optional<Type>>& arguments);
  void CheckArgumentTypes(const Expression& invocation, const Declaration& declaration, const std::vector<int>& places,
                          const std::vector<absl::optional<Type>>& arguments, Primitive generic);
  void ArgumentMismatch(const Expression& argument, const Declaration& declaration, absl::string_view parameter,
                        const Type& expected, const Type& got);
  void ExpectLogical(const Expression& condition);
  void UnknownOperation(const Expression& invocation);

  const Place place_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<absl::string_view, absl::optional<Type>> names_;
  absl::flat_hash_set<absl::string_view> announced_;
};

// What to write for an argument of type `got` where `expected` is wanted; empty if there is nothing to say.
std::string SuggestedArgument(const Expression& argument, const Type& expected, const Type& got);

// The types of the results of an operation: one type, or a tuple.
Type ResultType(const Declaration& declaration, Primitive generic);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_EXPRESSION_CHECKER_H_
