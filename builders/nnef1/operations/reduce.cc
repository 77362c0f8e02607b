// The reductions. Reduced extents stay, as 1; without axes nothing is reduced.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/axes.h"

namespace xla {
namespace nnef1 {
namespace {

// Reduces along the axes, of which there is at least one; extents of 1 may remain or not.
using Reduction = XlaOp (*)(const LoweringCall& call, XlaOp x, const std::vector<int64_t>& axes);

template <Reduction kReduction>
std::vector<XlaOp> LowerReduction(const LoweringCall& call) {
  std::vector<int64_t> axes = call.integers("axes");
  std::sort(axes.begin(), axes.end());
  const XlaOp x = call.operand("input");
  if (axes.empty()) return {x};
  return {call.builder().Reshape(kReduction(call, x, axes), call.result_extents())};
}

XlaOp Sum(const LoweringCall& call, XlaOp x, const std::vector<int64_t>& axes) {
  return call.logical("normalize") ? Mean(x, axes) : ReduceSum(x, axes);
}
XlaOp MeanOf(const LoweringCall&, XlaOp x, const std::vector<int64_t>& axes) { return Mean(x, axes); }
XlaOp Greatest(const LoweringCall&, XlaOp x, const std::vector<int64_t>& axes) { return ReduceMax(x, axes); }
XlaOp Least(const LoweringCall&, XlaOp x, const std::vector<int64_t>& axes) { return ReduceMin(x, axes); }
XlaOp AllOf(const LoweringCall&, XlaOp x, const std::vector<int64_t>& axes) { return All(x, axes); }
XlaOp AnyOf(const LoweringCall&, XlaOp x, const std::vector<int64_t>& axes) { return Any(x, axes); }

// The place of the greatest or least item, of equal ones the first: its index along the axis, and with several axes
// that in row-major order of these, whichever order they are listed in.
template <bool kIsMax>
std::vector<XlaOp> LowerArgReduce(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  std::vector<int64_t> axes = call.integers("axes");
  std::sort(axes.begin(), axes.end());
  const Extents& extents = call.extents("input");
  const PrimitiveType result_type = call.types().integer;
  if (axes.empty()) return {Zeros(&b, Shape::Array(result_type, extents))};
  // The axes become one, which is last unless it is one already.
  XlaOp x = call.operand("input");
  int64_t axis = axes[0];
  int64_t count = extents[axis];
  if (axes.size() > 1) {
    std::vector<int64_t> order = OtherAxes(call.rank("input"), axes), merged;
    count = 1;
    for (const int64_t d : order) merged.push_back(extents[d]);
    for (const int64_t d : axes) count *= extents[d];
    axis = static_cast<int64_t>(merged.size());
    merged.push_back(count);
    order.insert(order.end(), axes.begin(), axes.end());
    if (!std::is_sorted(order.begin(), order.end())) x = b.Transpose(x, order);
    x = b.Reshape(x, merged);
  }
  const PrimitiveType index_type = count <= std::numeric_limits<int32_t>::max() ? S32 : S64;
  const XlaOp place = kIsMax ? ArgMax(x, index_type, axis) : ArgMin(x, index_type, axis);
  return {b.Reshape(b.ConvertElementType(place, result_type), call.result_extents())};
}

}  // namespace

std::vector<OperationDefinition> ReduceOperations() {
  return {
      {"fragment sum_reduce( input: tensor<scalar>, axes: integer[], normalize: logical = false )"
       " -> ( output: tensor<scalar> );",
       "4.4", InferReduction, LowerReduction<Sum>},
      {"fragment max_reduce( input: tensor<scalar>, axes: integer[] ) -> ( output: tensor<scalar> );", "4.4",
       InferReduction, LowerReduction<Greatest>},
      {"fragment min_reduce( input: tensor<scalar>, axes: integer[] ) -> ( output: tensor<scalar> );", "4.4",
       InferReduction, LowerReduction<Least>},
      {"fragment argmax_reduce( input: tensor<scalar>, axes: integer[] ) -> ( output: tensor<integer> );", "4.4",
       InferReduction, LowerArgReduce<true>},
      {"fragment argmin_reduce( input: tensor<scalar>, axes: integer[] ) -> ( output: tensor<integer> );", "4.4",
       InferReduction, LowerArgReduce<false>},
      {"fragment all_reduce( input: tensor<logical>, axes: integer[] ) -> ( output: tensor<logical> );", "4.4",
       InferReduction, LowerReduction<AllOf>},
      {"fragment any_reduce( input: tensor<logical>, axes: integer[] ) -> ( output: tensor<logical> );", "4.4",
       InferReduction, LowerReduction<AnyOf>},
      {R"(fragment mean_reduce( input: tensor<scalar>, axes: integer[] ) -> ( output: tensor<scalar> )
{
    output = sum_reduce(input, axes = axes, normalize = true);
})",
       "4.4", InferReduction, LowerReduction<MeanOf>},
  };
}

}  // namespace nnef1
}  // namespace xla
