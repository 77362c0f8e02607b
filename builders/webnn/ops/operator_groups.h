// The groups that the operator table is made of: each function gives the rows that its file defines.
#ifndef BUILDERS_WEBNN_OPS_OPERATOR_GROUPS_H_
#define BUILDERS_WEBNN_OPS_OPERATOR_GROUPS_H_

#include <vector>

#include "builders/webnn/operator_definition.h"

namespace xla {
namespace webnn {

std::vector<OperatorDefinition> BinaryOperators();         // binary_ops.cc
std::vector<OperatorDefinition> UnaryOperators();          // unary_ops.cc
std::vector<OperatorDefinition> ActivationOperators();     // activation_ops.cc
std::vector<OperatorDefinition> DataMovementOperators();   // data_movement_ops.cc
std::vector<OperatorDefinition> ReductionOperators();      // reduction_ops.cc
std::vector<OperatorDefinition> ConvolutionOperators();    // convolution_ops.cc
std::vector<OperatorDefinition> PoolingOperators();        // pooling_ops.cc
std::vector<OperatorDefinition> ResampleOperators();       // resample_ops.cc
std::vector<OperatorDefinition> NormalizationOperators();  // normalization_ops.cc
std::vector<OperatorDefinition> MatrixOperators();         // matrix_ops.cc
std::vector<OperatorDefinition> RecurrentOperators();      // recurrent_ops.cc
std::vector<OperatorDefinition> IndexingOperators();       // indexing_ops.cc
std::vector<OperatorDefinition> ArrangementOperators();    // arrangement_ops.cc
std::vector<OperatorDefinition> AccumulationOperators();   // accumulation_ops.cc
std::vector<OperatorDefinition> QuantizationOperators();   // quantization_ops.cc

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_OPERATOR_GROUPS_H_
