// The pooling operations. Compounds of the specification, kept whole: the index is made only where it is asked for.
// Source: NNEF 1.0.4, section 4.9.3.
#include <vector>

#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/box.h"
#include "builders/nnef1/operations/windows.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

Inferred InferPool(const OperationCall& call) {
  ASSIGN_OR_RETURN(const BoxCall box, BasicBoxCall(call));
  return std::vector<Extents>{DownExtents(box.windows)};
}

Inferred InferMaxPoolWithIndex(const OperationCall& call) {
  ASSIGN_OR_RETURN(const BoxCall box, BasicBoxCall(call));
  return std::vector<Extents>(2, DownExtents(box.windows));
}

std::vector<XlaOp> LowerMaxPoolWithIndex(const LoweringCall& call) {
  const BoxCall box = *BasicBoxCall(call);
  const MaxAndPlace found = BoxArgMax(call.operand("input"), box.border, box.windows, call.types().integer);
  return {found.max, found.place};
}

std::vector<XlaOp> LowerMaxPool(const LoweringCall& call) {
  const BoxCall box = *BasicBoxCall(call);
  return {BoxMax(call.operand("input"), box.border, box.windows)};
}

std::vector<XlaOp> LowerAvgPool(const LoweringCall& call) {
  const BoxCall box = *BasicBoxCall(call);
  const XlaOp input = call.operand("input");
  return {ConvertTo(BoxMean(input, box.border, box.windows), TypeOf(input))};
}

std::vector<XlaOp> LowerRmsPool(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const BoxCall box = *BasicBoxCall(call);
  const XlaOp input = Widen(call.operand("input"));
  const XlaOp mean = BoxMean(b.Mul(input, input), box.border, box.windows);
  return {ConvertTo(b.Sqrt(mean), TypeOf(call.operand("input")))};
}

}  // namespace

std::vector<OperationDefinition> PoolingOperations() {
  return {
      // The specification hands 'ignore' on to `sample`, which has no such border; places that argmax_pool finds with
      // it are never beyond the edges.
      {WithWindowParameters(R"(
fragment max_pool_with_index(
    input: tensor<scalar>,
    size: integer[],
    $0 )
-> ( output: tensor<scalar>, index: tensor<integer> )
{
    index = argmax_pool(input, size = size, border = border, padding = padding, stride = stride, dilation = dilation);
    output = sample(input, index, size = size, border = 'constant' if border == 'ignore' else border,
                    padding = padding, stride = stride, dilation = dilation);
}
)"),
       "4.9.3", InferMaxPoolWithIndex, LowerMaxPoolWithIndex},
      {WithWindowParameters(R"(
fragment max_pool(
    input: tensor<scalar>,
    size: integer[],
    $0 )
-> ( output: tensor<scalar> )
{
    output, index = max_pool_with_index(input, size = size, border = border, padding = padding, stride = stride,
                                        dilation = dilation);
}
)"),
       "4.9.3", InferPool, LowerMaxPool},
      {WithWindowParameters(R"(
fragment avg_pool(
    input: tensor<scalar>,
    size: integer[],
    $0 )
-> ( output: tensor<scalar> )
{
    output = box(input, size = size, border = border, padding = padding, stride = stride, dilation = dilation,
                 normalize = true);
}
)"),
       "4.9.3", InferPool, LowerAvgPool},
      {WithWindowParameters(R"(
fragment rms_pool(
    input: tensor<scalar>,
    size: integer[],
    $0 )
-> ( output: tensor<scalar> )
{
    output = sqrt(avg_pool(sqr(input), size = size, border = border, padding = padding, stride = stride,
                           dilation = dilation));
}
)"),
       "4.9.3", InferPool, LowerRmsPool},
  };
}

}  // namespace nnef1
}  // namespace xla
