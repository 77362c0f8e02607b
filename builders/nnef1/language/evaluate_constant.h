// ConstantEvaluator: the values of expressions without identifiers.
#ifndef BUILDERS_NNEF1_LANGUAGE_EVALUATE_CONSTANT_H_
#define BUILDERS_NNEF1_LANGUAGE_EVALUATE_CONSTANT_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// All expressions of a source share the work that a document of its length may cost.
class ConstantEvaluator {
 public:
  explicit ConstantEvaluator(std::shared_ptr<const Source> source);

  // The type of `expression` has been found right. Errors: InvalidArgument, as in documents (E3).
  absl::StatusOr<Value> Evaluate(const Expression& expression);

 private:
  Document document_;  // only a source
  int64_t work_left_;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_EVALUATE_CONSTANT_H_
