// The groups that the operator table is made of: each function gives the rows that its file defines.
#ifndef BUILDERS_WEBNN_OPS_OPERATOR_GROUPS_H_
#define BUILDERS_WEBNN_OPS_OPERATOR_GROUPS_H_

#include <vector>

#include "builders/webnn/operator_definition.h"

namespace xla {
namespace webnn {

std::vector<OperatorDefinition> BinaryOperators();        // binary_ops.cc
std::vector<OperatorDefinition> UnaryOperators();         // unary_ops.cc
std::vector<OperatorDefinition> ActivationOperators();    // activation_ops.cc
std::vector<OperatorDefinition> DataMovementOperators();  // data_movement_ops.cc
std::vector<OperatorDefinition> ReductionOperators();     // reduction_ops.cc

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_OPERATOR_GROUPS_H_
