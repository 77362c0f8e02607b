// EvaluateConstant: the value of an expression without identifiers.
#ifndef BUILDERS_NNEF1_LANGUAGE_EVALUATE_CONSTANT_H_
#define BUILDERS_NNEF1_LANGUAGE_EVALUATE_CONSTANT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// `expression` stands in `source`, and its type has been found right. Errors: InvalidArgument, as in documents (E3).
absl::StatusOr<Value> EvaluateConstant(const Expression& expression, const std::shared_ptr<const Source>& source);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_EVALUATE_CONSTANT_H_
