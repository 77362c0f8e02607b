#include "builders/webnn/ops/operator_groups.h"

namespace xla {
namespace webnn {

std::vector<OperatorDefinition> ReductionOperators() { return {}; }

}  // namespace webnn
}  // namespace xla
