// Activation functions of NNEF: each a row of the operation table, with the function that lowers it to HLO
// operations.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/axes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

Inferred InferActivation(const OperationCall& call) { return std::vector<Extents>{call.extents("x")}; }

using Function = XlaOp (*)(const LoweringCall& call, ComputationBuilder& b, XlaOp x);

template <Function kFunction>
std::vector<XlaOp> LowerActivation(const LoweringCall& call) {
  return {kFunction(call, call.builder(), call.operand("x"))};
}

XlaOp WhereNegative(ComputationBuilder& b, XlaOp x, XlaOp then) { return b.Select(b.Lt(x, ZerosLike(x)), then, x); }

XlaOp Scaled(ComputationBuilder& b, XlaOp x, double factor) { return factor == 1 ? x : b.Mul(x, FullLike(x, factor)); }

XlaOp Sigmoid(const LoweringCall&, ComputationBuilder& b, XlaOp x) { return b.Logistic(x); }

XlaOp Relu(const LoweringCall&, ComputationBuilder& b, XlaOp x) { return b.Max(x, ZerosLike(x)); }

// Not max(x, alpha x): alpha may be negative or greater than 1.
XlaOp LeakyRelu(const LoweringCall& call, ComputationBuilder& b, XlaOp x) {
  return WhereNegative(b, x, b.Mul(x, FullLike(x, call.scalar("alpha"))));
}

XlaOp Elu(const LoweringCall& call, ComputationBuilder& b, XlaOp x) {
  return WhereNegative(b, x, Scaled(b, b.Expm1(x), call.scalar("alpha")));
}

XlaOp Selu(const LoweringCall& call, ComputationBuilder& b, XlaOp x) {
  return Scaled(b, Elu(call, b, x), call.scalar("lambda"));
}

// The form with a sigmoid, which the specification computes, not the one with erf.
XlaOp Gelu(const LoweringCall&, ComputationBuilder& b, XlaOp x) { return b.Mul(x, b.Logistic(Scaled(b, x, 1.702))); }

XlaOp Silu(const LoweringCall&, ComputationBuilder& b, XlaOp x) { return b.Mul(x, b.Logistic(x)); }

// log(e^x + 1) without overflow, and accurate where e^x is small.
XlaOp Softplus(const LoweringCall&, ComputationBuilder& b, XlaOp x) {
  return b.Add(b.Max(x, ZerosLike(x)), b.Log1p(b.Exp(b.Neg(b.Abs(x)))));
}

// ---- prelu

Inferred InferPrelu(const OperationCall& call) {
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents(call, {"x", "alpha"}));
  return std::vector<Extents>{std::move(result)};
}

std::vector<XlaOp> LowerPrelu(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const XlaOp x = OperandLikeResult(call, "x");
  return {WhereNegative(b, x, b.Mul(OperandLikeResult(call, "alpha"), x))};
}

// ---- softmax

Inferred InferSoftmax(const OperationCall& call) {
  RETURN_IF_ERROR(CheckAxes(call.integers("axes"), call.rank("x"), "the input"));
  return std::vector<Extents>{call.extents("x")};
}

// Over all axes together. The greatest item is taken out of the exponentials, so that nothing overflows.
std::vector<XlaOp> LowerSoftmax(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  std::vector<int64_t> axes = call.integers("axes");
  std::sort(axes.begin(), axes.end());
  const std::vector<int64_t> others = OtherAxes(call.rank("x"), axes);
  const Extents& extents = call.extents("x");
  const XlaOp x = Widen(call.operand("x"));
  const PrimitiveType type = TypeOf(x);
  const XlaOp greatest = b.Reduce(x, MinValue(&b, type), CreateScalarMaxComputation(type), axes);
  const XlaOp powers = b.Exp(b.Sub(x, b.BroadcastInDim(greatest, extents, others)));
  const XlaOp sum = b.Reduce(powers, Zero(&b, type), CreateScalarAddComputation(type), axes);
  return {ConvertTo(b.Div(powers, b.BroadcastInDim(sum, extents, others)), TypeOf(call.operand("x")))};
}

}  // namespace

std::vector<OperationDefinition> ActivationOperations() {
  return {
      {R"(fragment sigmoid( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = 1.0 / (1.0 + exp(-x));
})",
       "4.9.1", InferActivation, LowerActivation<Sigmoid>},
      {R"(fragment relu( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = max(x, 0.0);
})",
       "4.9.1", InferActivation, LowerActivation<Relu>},
      {R"(fragment prelu( x: tensor<scalar>, alpha: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = select(x < 0.0, alpha * x, x);
})",
       "4.9.1", InferPrelu, LowerPrelu},
      {R"(fragment leaky_relu( x: tensor<scalar>, alpha: scalar ) -> ( y: tensor<scalar> )
{
    y = prelu(x, alpha);
})",
       "4.9.1", InferActivation, LowerActivation<LeakyRelu>},
      {R"(fragment elu( x: tensor<scalar>, alpha: scalar = 1.0 ) -> ( y: tensor<scalar> )
{
    y = select(x < 0.0, alpha * (exp(x) - 1.0), x);
})",
       "4.9.1", InferActivation, LowerActivation<Elu>},
      {R"(fragment selu( x: tensor<scalar>, alpha: scalar = 1.67326319, lambda: scalar = 1.05070102 )
-> ( y: tensor<scalar> )
{
    y = lambda * select(x < 0.0, alpha * (exp(x) - 1.0), x);
})",
       "4.9.1", InferActivation, LowerActivation<Selu>},
      {R"(fragment gelu( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = x * sigmoid(1.702 * x);
})",
       "4.9.1", InferActivation, LowerActivation<Gelu>},
      {R"(fragment silu( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = x * sigmoid(x);
})",
       "4.9.1", InferActivation, LowerActivation<Silu>},
      {R"(fragment softmax( x: tensor<scalar>, axes: integer[] = [1] ) -> ( y: tensor<scalar> )
{
    m = max_reduce(x, axes = axes);
    e = exp(x - m);
    y = e / sum_reduce(e, axes = axes);
})",
       "4.9.1", InferSoftmax, LowerSoftmax},
      {R"(fragment softplus( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = log(exp(x) + 1.0);
})",
       "4.9.1", InferActivation, LowerActivation<Softplus>},
  };
}

}  // namespace nnef1
}  // namespace xla
