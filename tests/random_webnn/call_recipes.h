// How to call each operator so that its operands and options fit together.
#ifndef TESTS_RANDOM_WEBNN_CALL_RECIPES_H_
#define TESTS_RANDOM_WEBNN_CALL_RECIPES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "builders/webnn/operator_definition.h"
#include "builders/webnn/value.h"
#include "xla_core/support/random_source.h"
#include "xla_core/types/literal.h"

namespace xla {

// A call as MLGraphBuilder::call takes it.
struct RandomGraphCall {
  std::string op;
  webnn::Named<webnn::MLValue> args;
  webnn::Named<webnn::MLValue> options;

  // "add(a: float32[2,3], b: float32[3])", options after a semicolon.
  std::string ToString() const;
};

// What recipes take operands from.
class OperandSource {
 public:
  virtual ~OperandSource() = default;
  // One with this descriptor, which may have been there before.
  virtual webnn::MLOperand Like(const webnn::MLOperandDescriptor& descriptor) = 0;
  // One of those that there are, of these types and ranks; an invalid one if there is none.
  virtual webnn::MLOperand Any(webnn::DataTypeSet types, int min_rank, int max_rank) = 0;
  virtual webnn::MLActivation Activation(const std::string& name) = 0;
  // Of gates, with this descriptor.
  virtual webnn::MLOperand Weights(const webnn::MLOperandDescriptor& descriptor) = 0;
  // What is written twice holds one of the two values, unspecified which: whether recipes may do that.
  virtual bool MayWriteTwice() const = 0;
  virtual webnn::MLOperand Constant(Literal value) = 0;
};

// A call of the operator with operands from the source.
RandomGraphCall FittingCallOf(const webnn::OperatorDefinition& definition, webnn::MLEdition edition,
                              OperandSource& operands, RandomSource& random);

}  // namespace xla

#endif  // TESTS_RANDOM_WEBNN_CALL_RECIPES_H_
