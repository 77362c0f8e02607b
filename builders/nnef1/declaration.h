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

struct Parameter {
  std::string name;
  Type type;
  absl::optional<Value> default_value;
  Position position;
};
struct Result {
  std::string name;
  Type type;
  Position position;
};
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
