// MLGraphBuilder: collects a graph, one call for each operator, and compiles it.
//
//   MLGraphBuilder builder(context);
//   ASSIGN_OR_RETURN(MLOperand x, builder.input("x", {MLOperandDataType::kFloat32, {1, 3, 8, 8}}));
//   MLConv2dOptions options;
//   options.padding = {1, 1, 1, 1};
//   ASSIGN_OR_RETURN(MLOperand y, builder.conv2d(x, filter, options));
//   ASSIGN_OR_RETURN(std::shared_ptr<MLGraph> graph, builder.build({{"y", y}}));
//
// Methods, arguments and options have the names of the IDL, so that the specification can be read beside the code. Each
// call checks the rules of its operator and knows the shape of the result; errors (errors.h) leave the builder as it
// was. A builder belongs to one thread at a time.
#ifndef BUILDERS_WEBNN_GRAPH_BUILDER_H_
#define BUILDERS_WEBNN_GRAPH_BUILDER_H_

#include <any>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/webnn/array_buffer.h"
#include "builders/webnn/context.h"
#include "builders/webnn/graph.h"
#include "builders/webnn/graph_nodes.h"
#include "builders/webnn/operand.h"
#include "builders/webnn/options.h"
#include "builders/webnn/tensor.h"
#include "builders/webnn/value.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

using MLNamedOperands = Named<MLOperand>;

// Owns the nodes that its operands name; operands of one builder are errors in another. A call that fails adds
// nothing.
class MLGraphBuilder {
 public:
  explicit MLGraphBuilder(std::shared_ptr<MLContext> context);
  MLGraphBuilder(const MLGraphBuilder&) = delete;
  MLGraphBuilder& operator=(const MLGraphBuilder&) = delete;

  const std::shared_ptr<MLContext>& context() const { return context_; }
  MLEdition edition() const { return nodes_->edition(); }

  // ---- Inputs and constants

  // TypeError: an empty name, invalid dimensions.
  absl::StatusOr<MLOperand> input(absl::string_view name, const MLOperandDescriptor& descriptor);
  // Copies the bytes. TypeError: invalid dimensions, a view of another type or size.
  absl::StatusOr<MLOperand> constant(const MLOperandDescriptor& descriptor, const ArrayBufferView& bufferView);
  // A scalar: `value` rounded, or cut off and limited to the range of the type. TypeError: not finite (draft).
  absl::StatusOr<MLOperand> constant(MLOperandDataType type, const MLNumber& value);
  // Later editions. TypeError: a tensor of another context, destroyed, or not made by createConstantTensor.
  absl::StatusOr<MLOperand> constant(const std::shared_ptr<MLTensor>& tensor);
  // Not of the IDL: shares the memory of a literal of one of WebNN's element types.
  absl::StatusOr<MLOperand> constant(Literal value);

  // ---- Building

  // Compiles the part of the graph that reaches `outputs`. Under the draft's edition a builder may build any number of
  // times and go on afterwards, later it builds once.
  // TypeError: no outputs, an empty name, an operand of another builder, an input or constant as output, two inputs of
  //   one name; InvalidStateError: built before (later editions); OperationError: the backend cannot do it.
  absl::StatusOr<std::shared_ptr<MLGraph>> build(const MLNamedOperands& outputs);
  // The same, compiling on another thread. The builder may be used or destroyed meanwhile.
  Future<std::shared_ptr<MLGraph>> buildAsync(const MLNamedOperands& outputs);
  // What build() checks, without compiling.
  absl::StatusOr<GraphDefinition> Define(const MLNamedOperands& outputs) const;

  // ---- Operators by name, for frontends. Names are those of the draft or of later editions.

  // `args` in any order. TypeError, besides those of the operator: an unknown operator, an unknown or missing argument,
  // a value that has no conversion. Unknown options are ignored.
  absl::StatusOr<std::vector<MLOperand>> call(absl::string_view op, const Named<MLValue>& args,
                                              const Named<MLValue>& options);
  // TypeError: an operator that is not an activation.
  absl::StatusOr<MLActivation> activation(absl::string_view name, const Named<MLValue>& options);
  // The same with converted parameters, of the type that the definition makes.
  absl::StatusOr<std::vector<MLOperand>> AddOperator(const OperatorDefinition& definition,
                                                     absl::Span<const MLOperand> operands, std::any parameters);
  absl::StatusOr<MLActivation> AddActivation(const OperatorDefinition& definition, std::any parameters);

  // ---- Elementwise, two operands, which are broadcast to each other

  absl::StatusOr<MLOperand> add(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> sub(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> mul(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> div(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> max(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> min(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> pow(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  // uint8: 0 or 1.
  absl::StatusOr<MLOperand> equal(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> greater(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> greaterOrEqual(const MLOperand& a, const MLOperand& b,
                                           const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> lesser(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> lesserOrEqual(const MLOperand& a, const MLOperand& b,
                                          const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> logicalNot(const MLOperand& a, const MLOperatorOptions& options = {});
  // Later editions.
  absl::StatusOr<MLOperand> notEqual(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> logicalAnd(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> logicalOr(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> logicalXor(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});

  // ---- Elementwise, one operand

  absl::StatusOr<MLOperand> abs(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> ceil(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> cos(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> erf(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> exp(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> floor(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> identity(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> log(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> neg(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> reciprocal(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> sin(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> sqrt(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> tan(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> cast(const MLOperand& input, MLOperandDataType type, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> clamp(const MLOperand& input, const MLClampOptions& options = {});
  // Later editions.
  absl::StatusOr<MLOperand> isNaN(const MLOperand& a, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> isInfinite(const MLOperand& a, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> roundEven(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> sign(const MLOperand& input, const MLOperatorOptions& options = {});

  // ---- Activations, and their forms without an operand

  absl::StatusOr<MLOperand> elu(const MLOperand& input, const MLEluOptions& options = {});
  absl::StatusOr<MLActivation> elu(const MLEluOptions& options = {});
  absl::StatusOr<MLOperand> gelu(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> gelu();
  absl::StatusOr<MLOperand> hardSigmoid(const MLOperand& input, const MLHardSigmoidOptions& options = {});
  absl::StatusOr<MLActivation> hardSigmoid(const MLHardSigmoidOptions& options = {});
  absl::StatusOr<MLOperand> hardSwish(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> hardSwish();
  absl::StatusOr<MLOperand> leakyRelu(const MLOperand& input, const MLLeakyReluOptions& options = {});
  absl::StatusOr<MLActivation> leakyRelu(const MLLeakyReluOptions& options = {});
  absl::StatusOr<MLOperand> linear(const MLOperand& input, const MLLinearOptions& options = {});
  absl::StatusOr<MLActivation> linear(const MLLinearOptions& options = {});
  absl::StatusOr<MLOperand> relu(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> relu();
  absl::StatusOr<MLOperand> sigmoid(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> sigmoid();
  absl::StatusOr<MLOperand> softplus(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> softplus();
  absl::StatusOr<MLOperand> softsign(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> softsign();
  absl::StatusOr<MLOperand> tanh(const MLOperand& input, const MLOperatorOptions& options = {});
  absl::StatusOr<MLActivation> tanh();
  absl::StatusOr<MLOperand> prelu(const MLOperand& input, const MLOperand& slope,
                                  const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> softmax(const MLOperand& input, uint32_t axis, const MLOperatorOptions& options = {});

  // ---- Reductions

  absl::StatusOr<MLOperand> reduceL1(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceL2(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceLogSum(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceLogSumExp(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceMax(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceMean(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceMin(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceProduct(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceSum(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> reduceSumSquare(const MLOperand& input, const MLReduceOptions& options = {});
  absl::StatusOr<MLOperand> argMin(const MLOperand& input, const MLArgMinMaxOptions& options = {});
  absl::StatusOr<MLOperand> argMin(const MLOperand& input, uint32_t axis,
                                   const MLArgMinMaxOptions& options = {});  // later editions
  absl::StatusOr<MLOperand> argMax(const MLOperand& input, const MLArgMinMaxOptions& options = {});
  absl::StatusOr<MLOperand> argMax(const MLOperand& input, uint32_t axis,
                                   const MLArgMinMaxOptions& options = {});  // later editions
  absl::StatusOr<MLOperand> cumulativeSum(const MLOperand& input, uint32_t axis,
                                          const MLCumulativeSumOptions& options = {});  // later editions

  // ---- Data movement

  absl::StatusOr<MLOperand> concat(const std::vector<MLOperand>& inputs, uint32_t axis,
                                   const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> expand(const MLOperand& input, const UnsignedList& newShape,
                                   const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> gather(const MLOperand& input, const MLOperand& indices,
                                   const MLGatherOptions& options = {});
  absl::StatusOr<MLOperand> pad(const MLOperand& input, const UnsignedList& beginningPadding,
                                const UnsignedList& endingPadding, const MLPadOptions& options = {});
  absl::StatusOr<MLOperand> reshape(const MLOperand& input, const UnsignedList& newShape,
                                    const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> slice(const MLOperand& input, const UnsignedList& starts, const UnsignedList& sizes,
                                  const MLSliceOptions& options = {});
  absl::StatusOr<std::vector<MLOperand>> split(const MLOperand& input, const MLSplits& splits,
                                               const MLSplitOptions& options = {});
  absl::StatusOr<MLOperand> transpose(const MLOperand& input, const MLTransposeOptions& options = {});
  absl::StatusOr<MLOperand> triangular(const MLOperand& input, const MLTriangularOptions& options = {});
  absl::StatusOr<MLOperand> where(const MLOperand& condition, const MLOperand& input, const MLOperand& other,
                                  const MLOperatorOptions& options = {});
  // Later editions.
  absl::StatusOr<MLOperand> gatherElements(const MLOperand& input, const MLOperand& indices,
                                           const MLGatherOptions& options = {});
  absl::StatusOr<MLOperand> gatherND(const MLOperand& input, const MLOperand& indices,
                                     const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> scatterElements(const MLOperand& input, const MLOperand& indices, const MLOperand& updates,
                                            const MLScatterOptions& options = {});
  absl::StatusOr<MLOperand> scatterND(const MLOperand& input, const MLOperand& indices, const MLOperand& updates,
                                      const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> reverse(const MLOperand& input, const MLReverseOptions& options = {});
  absl::StatusOr<MLOperand> tile(const MLOperand& input, const UnsignedList& repetitions,
                                 const MLOperatorOptions& options = {});

  // ---- Convolutions, pooling, resampling

  absl::StatusOr<MLOperand> conv2d(const MLOperand& input, const MLOperand& filter,
                                   const MLConv2dOptions& options = {});
  absl::StatusOr<MLOperand> convTranspose2d(const MLOperand& input, const MLOperand& filter,
                                            const MLConvTranspose2dOptions& options = {});
  absl::StatusOr<MLOperand> averagePool2d(const MLOperand& input, const MLPool2dOptions& options = {});
  absl::StatusOr<MLOperand> l2Pool2d(const MLOperand& input, const MLPool2dOptions& options = {});
  absl::StatusOr<MLOperand> maxPool2d(const MLOperand& input, const MLPool2dOptions& options = {});
  absl::StatusOr<MLOperand> resample2d(const MLOperand& input, const MLResample2dOptions& options = {});

  // ---- Matrices

  absl::StatusOr<MLOperand> gemm(const MLOperand& a, const MLOperand& b, const MLGemmOptions& options = {});
  absl::StatusOr<MLOperand> matmul(const MLOperand& a, const MLOperand& b, const MLOperatorOptions& options = {});

  // ---- Normalisation

  absl::StatusOr<MLOperand> batchNormalization(const MLOperand& input, const MLOperand& mean, const MLOperand& variance,
                                               const MLBatchNormalizationOptions& options = {});
  absl::StatusOr<MLOperand> instanceNormalization(const MLOperand& input,
                                                  const MLInstanceNormalizationOptions& options = {});
  absl::StatusOr<MLOperand> layerNormalization(const MLOperand& input, const MLLayerNormalizationOptions& options = {});

  // ---- Recurrent networks

  absl::StatusOr<std::vector<MLOperand>> gru(const MLOperand& input, const MLOperand& weight,
                                             const MLOperand& recurrentWeight, uint32_t steps, uint32_t hiddenSize,
                                             const MLGruOptions& options = {});
  absl::StatusOr<MLOperand> gruCell(const MLOperand& input, const MLOperand& weight, const MLOperand& recurrentWeight,
                                    const MLOperand& hiddenState, uint32_t hiddenSize,
                                    const MLGruCellOptions& options = {});
  absl::StatusOr<std::vector<MLOperand>> lstm(const MLOperand& input, const MLOperand& weight,
                                              const MLOperand& recurrentWeight, uint32_t steps, uint32_t hiddenSize,
                                              const MLLstmOptions& options = {});
  absl::StatusOr<std::vector<MLOperand>> lstmCell(const MLOperand& input, const MLOperand& weight,
                                                  const MLOperand& recurrentWeight, const MLOperand& hiddenState,
                                                  const MLOperand& cellState, uint32_t hiddenSize,
                                                  const MLLstmCellOptions& options = {});

  // ---- Quantisation (later editions)

  absl::StatusOr<MLOperand> dequantizeLinear(const MLOperand& input, const MLOperand& scale, const MLOperand& zeroPoint,
                                             const MLOperatorOptions& options = {});
  absl::StatusOr<MLOperand> quantizeLinear(const MLOperand& input, const MLOperand& scale, const MLOperand& zeroPoint,
                                           const MLOperatorOptions& options = {});

 private:
  // The constructor's error, or why the builder can no longer be used.
  absl::Status CheckUsable() const;
  absl::Status CheckOutputs(const MLNamedOperands& outputs) const;
  absl::Status CheckParameters(const OperatorDefinition& definition, std::any& parameters) const;
  absl::StatusOr<std::vector<MLOperand>> TryAddOperator(const OperatorDefinition& definition,
                                                        absl::Span<const MLOperand> operands, std::any parameters);
  // By the name of a row that is known to exist.
  absl::StatusOr<MLOperand> Add(absl::string_view name, absl::Span<const MLOperand> operands, std::any parameters);
  absl::StatusOr<std::vector<MLOperand>> AddSequence(absl::string_view name, absl::Span<const MLOperand> operands,
                                                     std::any parameters);
  absl::StatusOr<MLActivation> Activation(absl::string_view name, std::any parameters);

  const std::shared_ptr<MLContext> context_;
  const std::shared_ptr<GraphNodes> nodes_;
  bool has_built_ = false;
};

// The graph as HLO: parameter i is input i of the definition, the result a tuple of the outputs. OperationError: HLO
// cannot express it (an operator's rule that the draft does not check at the call). Reaching a limit of `resources`,
// which may be nullptr, is the error of the limit.
absl::StatusOr<std::unique_ptr<HloModule>> LowerToHlo(const GraphDefinition& graph,
                                                      const ResourceContext* resources = nullptr);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_GRAPH_BUILDER_H_
