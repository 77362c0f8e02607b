// Declaration: the name, the parameters and the results of an operation, of the standard's or of a fragment.
#ifndef BUILDERS_NNEF1_DECLARATION_H_
#define BUILDERS_NNEF1_DECLARATION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

struct OperationDefinition;

// A parameter as it is declared. Without a default value the invocation must give an argument.
struct Parameter {
  std::string name;
  Type type;
  absl::optional<Value> default_value;
  Position position;
};
// A result as it is declared. An operation with several results gives a tuple of them, in this order.
struct Result {
  std::string name;
  Type type;
  Position position;
};
// The signature that invocations are checked against. `generic_default` is the type that `?` stands for where an
// invocation names none; unset without a default.
struct Declaration {
  std::string name;
  bool is_generic = false;
  absl::optional<Primitive> generic_default;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  Position position;  // of the name
  // nullptr for a fragment of the document.
  const OperationDefinition* definition = nullptr;

  int ParameterIndex(absl::string_view parameter_name) const;  // -1 if there is none
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_DECLARATION_H_
