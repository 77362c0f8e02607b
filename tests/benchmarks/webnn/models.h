// MobileNetV2 and a small transformer as one would write them with WebNN, with the weights of jax_models.py in its
// order.
#ifndef TESTS_BENCHMARKS_WEBNN_MODELS_H_
#define TESTS_BENCHMARKS_WEBNN_MODELS_H_

#include <cstdint>
#include <vector>

#include "builders/webnn/graph_builder.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

// Makes the inputs and weights of a model. Inputs of the graph are named "0", "1", ... in order. Errors of WebNN end
// the program.
class ModelInputs {
 public:
  ModelInputs(MLGraphBuilder& builder, bool weights_are_constants)
      : builder_(builder), weights_are_constants_(weights_are_constants) {}

  // Uniform numbers from `low` to `high`.
  MLOperand Input(MLOperandDataType type, std::vector<uint32_t> shape, double low, double high);
  // A float32 constant, or an input like others.
  MLOperand Weight(std::vector<uint32_t> shape, double low, double high);

  // Everything that was asked for, in order.
  const std::vector<Literal>& values() const { return values_; }

 private:
  const Literal& MakeValue(const MLOperandDescriptor& descriptor, double low, double high);

  MLGraphBuilder& builder_;
  const bool weights_are_constants_;
  std::vector<Literal> values_;
};

// -> class scores [1, 1000] of an image, [1, 224, 224, 3] or in nchw [1, 3, 224, 224].
MLNamedOperands MobileNetV2(MLGraphBuilder& builder, ModelInputs& inputs, MLInputOperandLayout layout);

struct TransformerSizes {
  uint32_t length = 128, vocabulary = 1000, dim = 256, heads = 4, layers = 4;
};
// The encoder of BERT -> [1, length, dim], and its pooled first token [1, dim].
MLNamedOperands Transformer(MLGraphBuilder& builder, ModelInputs& inputs, const TransformerSizes& sizes);

}  // namespace webnn
}  // namespace xla

#endif  // TESTS_BENCHMARKS_WEBNN_MODELS_H_
