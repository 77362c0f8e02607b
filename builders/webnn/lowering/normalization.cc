#include "builders/webnn/lowering/normalization.h"

#include <algorithm>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// The dimensions that are not in `axes`.
std::vector<int64_t> Others(int64_t rank, absl::Span<const int64_t> axes) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) others.push_back(d);
  }
  return others;
}

XlaOp ReciprocalOfDeviation(XlaOp variance, double epsilon) {
  ComputationBuilder& b = *variance.builder();
  const XlaOp deviation = b.Sqrt(b.Add(variance, NumberLike(variance, epsilon)));
  return b.Div(OnesLike(deviation), deviation);
}

}  // namespace

XlaOp LowerBatchNormalization(XlaOp input, XlaOp mean, XlaOp variance, absl::optional<XlaOp> scale,
                              absl::optional<XlaOp> bias, int64_t axis, double epsilon) {
  if (!input.valid() || !mean.valid() || !variance.valid()) return XlaOp();
  ComputationBuilder& b = *input.builder();
  const XlaOp wide = Widen(variance);
  const XlaOp deviation = b.Sqrt(b.Add(wide, NumberLike(wide, epsilon)));
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const XlaOp centered = b.Sub(Widen(input), BroadcastAlong(Widen(mean), sizes, {axis}));
  const XlaOp factor = b.Div(scale.has_value() ? Widen(*scale) : OnesLike(deviation), deviation);
  XlaOp result = b.Mul(centered, BroadcastAlong(factor, sizes, {axis}));
  if (bias.has_value()) result = b.Add(result, BroadcastAlong(Widen(*bias), sizes, {axis}));
  return ConvertTo(result, TypeOf(input));
}

XlaOp LowerNormalization(XlaOp input, absl::optional<XlaOp> scale, absl::optional<XlaOp> bias,
                         absl::Span<const int64_t> axes, absl::Span<const int64_t> scale_axes, double epsilon) {
  if (!input.valid()) return input;
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  if (axes.empty()) {  // nothing differs from the mean of itself
    return bias.has_value() ? BroadcastAlong(*bias, sizes, scale_axes) : ZerosLike(input);
  }
  double count = 1;
  for (const int64_t axis : axes) count *= static_cast<double>(sizes[axis]);
  const std::vector<int64_t> others = Others(static_cast<int64_t>(sizes.size()), axes);
  const auto mean_of = [&](XlaOp x) { return b.Div(Sum(x, axes), NumberLike(x, count)); };
  const XlaOp x = Widen(input);
  const XlaOp centered = b.Sub(x, BroadcastAlong(mean_of(x), sizes, others));
  const XlaOp variance = mean_of(b.Mul(centered, centered));
  if (!variance.valid()) return XlaOp();
  XlaOp result = b.Mul(centered, BroadcastAlong(ReciprocalOfDeviation(variance, epsilon), sizes, others));
  if (scale.has_value()) result = b.Mul(result, BroadcastAlong(Widen(*scale), sizes, scale_axes));
  if (bias.has_value()) result = b.Add(result, BroadcastAlong(Widen(*bias), sizes, scale_axes));
  return ConvertTo(result, TypeOf(input));
}

XlaOp LowerSoftmax(XlaOp input, int64_t axis) {
  if (!input.valid()) return input;
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const std::vector<int64_t> others = Others(static_cast<int64_t>(sizes.size()), {axis});
  const XlaOp x = Widen(input);
  const PrimitiveType type = TypeOf(x);
  const XlaOp greatest = b.Reduce(x, MinValue(&b, type), CreateScalarMaxComputation(type), {axis});
  const XlaOp powers = b.Exp(b.Sub(x, BroadcastAlong(greatest, sizes, others)));
  const XlaOp result = b.Div(powers, BroadcastAlong(Sum(powers, {axis}), sizes, others));
  return ConvertTo(result, TypeOf(input));
}

}  // namespace webnn
}  // namespace xla
