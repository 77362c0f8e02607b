#include "builders/webnn/lowering/quantization.h"

#include <cstdint>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// Each element for its block of an array of the given dimensions.
XlaOp ExpandBlocks(XlaOp x, absl::Span<const int64_t> dimensions) {
  if (!x.valid()) return x;
  const std::vector<int64_t> from = DimensionsOf(x);
  std::vector<int64_t> with_blocks, mapping;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    mapping.push_back(static_cast<int64_t>(with_blocks.size()));
    with_blocks.push_back(from[d]);
    // A block as long as the dimension is broadcasting as usual.
    const int64_t block = dimensions[d] / from[d];
    if (from[d] == 1) {
      with_blocks.back() = dimensions[d];
    } else if (block > 1) {
      with_blocks.push_back(block);
    }
  }
  const XlaOp expanded = x.builder()->BroadcastInDim(x, with_blocks, mapping);
  return with_blocks.size() == dimensions.size() ? expanded : x.builder()->Reshape(expanded, dimensions);
}

// Whether f32 has all values of the type, and the differences and sums of two of them.
bool FitsInFloat(PrimitiveType type) { return type != S32 && type != U32; }

}  // namespace

XlaOp LowerDequantizeLinear(XlaOp input, XlaOp scale, XlaOp zero_point) {
  if (!input.valid() || !scale.valid() || !zero_point.valid()) return XlaOp();
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const PrimitiveType exact = FitsInFloat(TypeOf(input)) ? F32 : S64;
  const XlaOp difference = b.Sub(ConvertTo(input, exact), ExpandBlocks(ConvertTo(zero_point, exact), sizes));
  const XlaOp product = b.Mul(ConvertTo(difference, F32), ExpandBlocks(Widen(scale), sizes));
  return ConvertTo(product, TypeOf(scale));
}

XlaOp LowerQuantizeLinear(XlaOp input, XlaOp scale, XlaOp zero_point) {
  if (!input.valid() || !scale.valid() || !zero_point.valid()) return XlaOp();
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  const PrimitiveType type = TypeOf(zero_point);
  XlaOp steps = b.RoundNearestEven(b.Div(Widen(input), ExpandBlocks(Widen(scale), sizes)));
  if (!FitsInFloat(type)) {
    // Limited to what cannot overflow with a zero point.
    const double limit = 9007199254740992.0;
    steps = b.Clamp(NumberLike(steps, -limit), steps, NumberLike(steps, limit));
    steps = ConvertTo(steps, S64);
  }
  const PrimitiveType exact = TypeOf(steps);
  const XlaOp sum = b.Add(steps, ExpandBlocks(ConvertTo(zero_point, exact), sizes));
  const XlaOp least = ConvertTo(MinValue(&b, type), exact), greatest = ConvertTo(MaxValue(&b, type), exact);
  return ConvertTo(b.Clamp(least, sum, greatest), type);
}

}  // namespace webnn
}  // namespace xla
