// The inference of operators whose result is of the type and shape of their first operand.
#ifndef BUILDERS_WEBNN_OPS_SAME_AS_INPUT_H_
#define BUILDERS_WEBNN_OPS_SAME_AS_INPUT_H_

#include "builders/webnn/operator_definition.h"

namespace xla {
namespace webnn {

inline absl::StatusOr<MLOperandDescriptor> SameAsInput(const OperatorCall& call) {
  return call.operand(0).descriptor();
}

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_SAME_AS_INPUT_H_
