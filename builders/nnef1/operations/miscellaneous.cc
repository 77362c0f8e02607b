// copy_n, add_n, moments.
#include <cstdint>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/axes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// ---- copy_n

Inferred InferCopyN(const OperationCall& call) {
  const int64_t times = call.integer("times");
  RETURN_IF_ERROR(CheckResultCount("times", times, call.extents("x").size()));
  return std::vector<Extents>(times, call.extents("x"));
}

std::vector<XlaOp> LowerCopyN(const LoweringCall& call) {
  return std::vector<XlaOp>(call.integer("times"), call.operand("x"));
}

// ---- add_n

Inferred InferAddN(const OperationCall& call) {
  Extents result;
  for (const Tensor* x : call.tensors("x")) {
    ASSIGN_OR_RETURN(result, BroadcastExtents("x", *x->extents, "the items before", result));
  }
  return std::vector<Extents>{result};
}

// From left to right, where the body adds from the right: the sum of many has no deep recursion.
std::vector<XlaOp> LowerAddN(const LoweringCall& call) {
  const std::vector<XlaOp> terms = call.operands("x");
  if (terms.empty()) return {Zero(&call.builder(), call.types().scalar)};
  XlaOp sum = BroadcastLeading(Widen(terms[0]), call.result_extents());
  for (size_t i = 1; i < terms.size(); ++i) {
    sum = call.builder().Add(sum, BroadcastLeading(Widen(terms[i]), call.result_extents()));
  }
  return {ConvertTo(sum, call.types().scalar)};
}

}  // namespace

std::vector<OperationDefinition> MiscellaneousOperations() {
  return {
      {R"(fragment copy_n<?>( x: tensor<?>, times: integer ) -> ( y: tensor<?>[] )
{
    y = [x] * times;
})",
       "4.9.6", InferCopyN, LowerCopyN},
      {R"(fragment add_n( x: tensor<scalar>[] ) -> ( y: tensor<scalar> )
{
    y = x[0] + add_n(x[1:]) if length_of(x) > 0 else 0.0;
})",
       "4.9.6", InferAddN, LowerAddN},
      // Two passes: the squares are those of differences, which do not cancel.
      {R"(fragment moments( input: tensor<scalar>, axes: integer[] )
-> ( mean: tensor<scalar>, variance: tensor<scalar> )
{
    mean = mean_reduce(input, axes = axes);
    variance = mean_reduce(sqr(input - mean), axes = axes);
})",
       "4.9.6"},
  };
}

}  // namespace nnef1
}  // namespace xla
