// Arguments: which argument of an invocation each parameter takes (NNEF 1.0.4 section 3.3.2).
#ifndef BUILDERS_NNEF1_LANGUAGE_ARGUMENTS_H_
#define BUILDERS_NNEF1_LANGUAGE_ARGUMENTS_H_

#include <string>
#include <vector>

#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// A mistake of an invocation (class E2.2), before its reader reports it with the position of its own source.
struct ArgumentError {
  Span span;
  std::string message;
  std::string suggestion;
};

// For each parameter of `declaration` the place in `invocation.items`, or -1 where there is none. `first_parameter`:
// parameters before it get no arguments (the tensor of a line of graph.quant). `errors` may be nullptr for an
// invocation that has been checked.
std::vector<int> BindArguments(const Declaration& declaration, const Expression& invocation, int first_parameter,
                               std::vector<ArgumentError>* errors);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_ARGUMENTS_H_
