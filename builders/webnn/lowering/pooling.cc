#include "builders/webnn/lowering/pooling.h"

#include <utility>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// The window along one of the two dimensions.
struct WindowAlong {
  int64_t input_size, size, stride, dilation;
  std::pair<int64_t, int64_t> padding;
  bool stays_inside() const { return padding.first <= 0 && padding.second <= 0; }
};

// How many elements of the window lie inside the input, for each of its positions.
XlaOp CountsInside(ComputationBuilder& b, const WindowAlong& window) {
  const XlaOp ones = b.Broadcast(b.ConstantR0<float>(1), {window.input_size});
  return b.ReduceWindowWithGeneralPadding(ones, b.ConstantR0<float>(0), CreateScalarAddComputation(F32), {window.size},
                                          {window.stride}, {}, {window.dilation}, {window.padding});
}

// sum / (number of elements inside); the height is dimension `height` of the sum.
XlaOp DivideByCounts(XlaOp sum, const WindowAlong* windows, int64_t height) {
  ComputationBuilder& b = *sum.builder();
  if (windows[0].stays_inside() && windows[1].stays_inside()) {
    return b.Div(sum, NumberLike(sum, static_cast<double>(windows[0].size) * static_cast<double>(windows[1].size)));
  }
  const std::vector<int64_t> sizes = DimensionsOf(sum);
  const XlaOp rows = BroadcastAlong(CountsInside(b, windows[0]), sizes, {height});
  const XlaOp columns = BroadcastAlong(CountsInside(b, windows[1]), sizes, {height + 1});
  return b.Div(sum, b.Mul(rows, columns));
}

}  // namespace

XlaOp LowerPool2d(PoolKind kind, XlaOp input, const Pooling2d& options) {
  if (!input.valid()) return input;
  ComputationBuilder& b = *input.builder();
  const PrimitiveType type = TypeOf(input);
  const std::vector<int64_t> sizes = DimensionsOf(input);
  if (sizes.size() != 4) return XlaOp();
  const int64_t height = options.channels_last ? 1 : 2;
  WindowAlong windows[2];
  std::vector<int64_t> window(4, 1), strides(4, 1), dilations(4, 1);
  std::vector<std::pair<int64_t, int64_t>> padding(4, {0, 0});
  for (int i = 0; i < 2; ++i) {
    const int64_t d = height + i;
    window[d] = options.window[i];
    strides[d] = options.strides[i];
    dilations[d] = options.dilations[i];
    const int64_t reach = (options.output_sizes[i] - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1;
    padding[d] = {options.padding_begin[i], reach - sizes[d] - options.padding_begin[i]};
    windows[i] = {sizes[d], window[d], strides[d], dilations[d], padding[d]};
  }
  if (kind == PoolKind::kMax) {
    return b.ReduceWindowWithGeneralPadding(input, MinValue(&b, type), CreateScalarMaxComputation(type), window,
                                            strides, {}, dilations, padding);
  }
  XlaOp x = Widen(input);
  if (kind == PoolKind::kL2) x = b.Mul(x, x);
  XlaOp result = b.ReduceWindowWithGeneralPadding(x, Zero(&b, TypeOf(x)), CreateScalarAddComputation(TypeOf(x)), window,
                                                  strides, {}, dilations, padding);
  if (!result.valid()) return result;
  result = kind == PoolKind::kL2 ? b.Sqrt(result) : DivideByCounts(result, windows, height);
  return ConvertTo(result, type);
}

}  // namespace webnn
}  // namespace xla
