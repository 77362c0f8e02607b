// Normalisations. But for batch_normalization they are what the specification writes them as: a box or sum, and
// elementwise operations.
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

Inferred InferBatchNormalization(const OperationCall& call) {
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents(call, {"input", "mean", "variance", "offset", "scale"}));
  return std::vector<Extents>{std::move(result)};
}

// (input - mean) * (scale / sqrt(variance + epsilon)) + offset, so that of constant parameters one factor is left.
std::vector<XlaOp> LowerBatchNormalization(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const absl::StatusOr<Extents> factor_extents = BroadcastExtents(call, {"variance", "scale"});
  if (!factor_extents.ok()) return {b.ReportError(factor_extents.status())};
  const XlaOp variance = Widen(call.operand("variance"));
  const XlaOp deviation = b.Sqrt(b.Add(variance, NumberLike(variance, call.scalar("epsilon"))));
  const XlaOp factor = b.Div(BroadcastLeading(Widen(call.operand("scale")), *factor_extents),
                             BroadcastLeading(deviation, *factor_extents));
  const XlaOp centered = b.Sub(Widen(OperandLikeResult(call, "input")), Widen(OperandLikeResult(call, "mean")));
  const XlaOp scaled = b.Mul(centered, BroadcastLeading(factor, call.result_extents()));
  return {ConvertTo(b.Add(scaled, Widen(OperandLikeResult(call, "offset"))), TypeOf(call.operand("input")))};
}

// The sum, sigma, of `term` along the axes makes the `norm` that the input is divided by.
OperationDefinition NormalizationAlongAxes(absl::string_view name, absl::string_view term, absl::string_view norm) {
  return {absl::Substitute(R"(fragment $0(
    input: tensor<scalar>,
    axes: integer[],
    bias: scalar = 0.0,
    epsilon: scalar = 0.0 )
-> ( output: tensor<scalar> )
{
    sigma = sum_reduce($1, axes = axes);
    output = input / max($2 + bias, epsilon);
})",
                           name, term, norm),
          "4.9.4"};
}

}  // namespace

std::vector<OperationDefinition> NormalizationOperations() {
  return {
      {R"(fragment local_response_normalization(
    input: tensor<scalar>,
    size: integer[],
    alpha: scalar = 1.0,
    beta: scalar = 0.5,
    bias: scalar = 1.0 )
-> ( output: tensor<scalar> )
{
    sigma = bias + alpha * box(sqr(input), size = size, normalize = true);
    output = input / (sigma ^ beta);
})",
       "4.9.4"},
      {R"(fragment local_mean_normalization( input: tensor<scalar>, size: integer[] ) -> ( output: tensor<scalar> )
{
    mean = box(input, size = size, normalize = true);
    output = input - mean;
})",
       "4.9.4"},
      {R"(fragment local_variance_normalization(
    input: tensor<scalar>,
    size: integer[],
    bias: scalar = 0.0,
    epsilon: scalar = 0.0 )
-> ( output: tensor<scalar> )
{
    sigma = box(sqr(input), size = size, normalize = true);
    output = input / max(sqrt(sigma) + bias, epsilon);
})",
       "4.9.4"},
      {R"(fragment local_contrast_normalization(
    input: tensor<scalar>,
    size: integer[],
    bias: scalar = 0.0,
    epsilon: scalar = 0.0 )
-> ( output: tensor<scalar> )
{
    centered = local_mean_normalization(input, size = size);
    output = local_variance_normalization(centered, size = size, bias = bias, epsilon = epsilon);
})",
       "4.9.4"},
      NormalizationAlongAxes("l1_normalization", "abs(input)", "sigma"),
      NormalizationAlongAxes("l2_normalization", "sqr(input)", "sqrt(sigma)"),
      {R"(fragment batch_normalization(
    input: tensor<scalar>,
    mean: tensor<scalar>,
    variance: tensor<scalar>,
    offset: tensor<scalar>,
    scale: tensor<scalar>,
    epsilon: scalar )
-> ( output: tensor<scalar> )
{
    output = offset + scale * (input - mean) / sqrt(variance + epsilon);
})",
       "4.9.4", InferBatchNormalization, LowerBatchNormalization},
  };
}

}  // namespace nnef1
}  // namespace xla
