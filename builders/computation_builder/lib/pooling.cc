#include "builders/computation_builder/lib/pooling.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/scalar_computations.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

using PaddingPairs = std::vector<std::pair<int64_t, int64_t>>;

// A window over all dimensions of an operand.
struct PoolWindow {
  std::vector<int64_t> size;
  std::vector<int64_t> stride;
  PaddingPairs padding;
};

bool FormatFits(const TensorFormat& format, int64_t rank) {
  std::vector<int64_t> all = {format.batch_dimension(), format.feature_dimension()};
  for (int i = 0; i < format.num_spatial_dims(); ++i) all.push_back(format.spatial_dimension(i));
  std::sort(all.begin(), all.end());
  const DimensionVector expected = FirstDimensions(rank);
  return std::equal(all.begin(), all.end(), expected.begin(), expected.end());
}

// One entry for each dimension of the operand, from those or from entries for the spatial ones. False if they are
// neither.
bool ExpandToAllDimensions(ArraySlice<int64_t> given, const TensorFormat& format, std::vector<int64_t>* all) {
  const size_t rank = format.num_spatial_dims() + 2;
  if (given.size() == rank) {
    all->assign(given.begin(), given.end());
    return true;
  }
  if (given.size() + 2 != rank) return false;
  all->assign(rank, 1);
  for (size_t i = 0; i < given.size(); ++i) (*all)[format.spatial_dimension(static_cast<int>(i))] = given[i];
  return true;
}

bool CheckEntries(LibCall& call, absl::string_view what, ArraySlice<int64_t> given, const TensorFormat& format,
                  std::vector<int64_t>* all) {
  if (!ExpandToAllDimensions(given, format, all)) {
    call.Fail(absl::StrCat(what, " must have an entry for each of ", format.num_spatial_dims(),
                           " spatial dimensions, or for each dimension, got ", given.size(), " entries"));
    return false;
  }
  for (const int64_t entry : given) {
    if (entry >= 1) continue;
    call.Fail(absl::StrCat(what, " must be at least 1, got ", entry));
    return false;
  }
  return true;
}

// All of the window but the padding.
bool MakeWindow(LibCall& call, int64_t rank, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride,
                const TensorFormat& format, PoolWindow* window) {
  if (!call.ok()) return false;
  if (!FormatFits(format, rank)) {
    call.Fail(absl::StrCat("the format must name each dimension once, expected 0 to ", rank - 1, ", got batch ",
                           format.batch_dimension(), ", feature ", format.feature_dimension(), " and ",
                           format.num_spatial_dims(), " spatial dimensions"));
    return false;
  }
  return CheckEntries(call, "kernel_size", kernel_size, format, &window->size) &&
         CheckEntries(call, "stride", stride, format, &window->stride);
}

bool SetPadding(LibCall& call, SpatialPadding padding, const TensorFormat& format, PoolWindow* window) {
  if (static_cast<int>(padding.size()) != format.num_spatial_dims()) {
    call.Fail(absl::StrCat("padding must have an entry for each of ", format.num_spatial_dims(),
                           " spatial dimensions, got ", padding.size(), " entries"));
    return false;
  }
  window->padding.assign(window->size.size(), {0, 0});
  for (size_t i = 0; i < padding.size(); ++i) {
    window->padding[format.spatial_dimension(static_cast<int>(i))] = padding[i];
  }
  return true;
}

XlaOp SumWindows(LibCall& call, XlaOp operand, const PoolWindow& window) {
  const PrimitiveType type = call.type(operand);
  return call->ReduceWindowWithGeneralPadding(operand, Zero(call.builder(), type), CreateScalarAddComputation(type),
                                              window.size, window.stride, {}, {}, window.padding);
}

// What each sum is divided by: a scalar, or the number of elements at each position.
XlaOp Counts(LibCall& call, const Shape& operand, const PoolWindow& window, bool counts_include_padding) {
  if (!counts_include_padding) return SumWindows(call, Ones(call.builder(), operand), window);
  double count = 1;
  for (const int64_t size : window.size) count *= static_cast<double>(size);
  return call.Number(operand.element_type(), count);
}

// The gradient of the sum: out_backprop with its elements as far apart as the windows were, summed over windows.
XlaOp SpreadOverWindows(LibCall& call, XlaOp out_backprop, ArraySlice<int64_t> gradients_size,
                        const PoolWindow& window) {
  const Shape shape = call.shape(out_backprop);
  PaddingPairs padding;
  for (size_t d = 0; d < window.size.size(); ++d) {
    const int64_t positions = shape.dimension(static_cast<int>(d));
    const int64_t dilated = positions == 0 ? 0 : (positions - 1) * window.stride[d] + 1;
    int64_t low;
    if (!CheckedSub(window.size[d] - 1, window.padding[d].first, &low)) {
      return call.Fail(absl::StrCat("padding of ", window.padding[d].first, " is too large"));
    }
    padding.push_back({low, gradients_size[d] + window.padding[d].first - dilated});
  }
  const PrimitiveType type = shape.element_type();
  const std::vector<int64_t> ones(padding.size(), 1);
  return call->ReduceWindowWithGeneralPadding(out_backprop, Zero(call.builder(), type),
                                              CreateScalarAddComputation(type), window.size, ones, window.stride, {},
                                              padding);
}

}  // namespace

TensorFormat TensorFormat::NCHW(int num_spatial_dims) {
  std::vector<int64_t> spatial;
  for (int i = 0; i < num_spatial_dims; ++i) spatial.push_back(2 + i);
  return TensorFormat(0, 1, spatial);
}

TensorFormat TensorFormat::NHWC(int num_spatial_dims) {
  std::vector<int64_t> spatial;
  for (int i = 0; i < num_spatial_dims; ++i) spatial.push_back(1 + i);
  return TensorFormat(0, num_spatial_dims + 1, spatial);
}

// The padding of `same` windows, for spatial dimensions only; an empty list if the sizes do not fit the format.
std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(ArraySlice<int64_t> input_size,
                                                            ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride,
                                                            Padding padding, const TensorFormat& data_format) {
  std::vector<int64_t> inputs, sizes, strides;
  if (!ExpandToAllDimensions(input_size, data_format, &inputs) ||
      !ExpandToAllDimensions(kernel_size, data_format, &sizes) ||
      !ExpandToAllDimensions(stride, data_format, &strides) ||
      !FormatFits(data_format, static_cast<int64_t>(inputs.size()))) {
    return {};
  }
  PaddingPairs pairs;
  for (int i = 0; i < data_format.num_spatial_dims(); ++i) {
    const int64_t d = data_format.spatial_dimension(i);
    int64_t missing = 0;
    if (padding == Padding::kSame && strides[d] >= 1 && inputs[d] >= 1 && sizes[d] >= 1) {
      const int64_t last_start = (CeilDiv(inputs[d], strides[d]) - 1) * strides[d];
      missing = std::max<int64_t>(sizes[d] - (inputs[d] - last_start), 0);
    }
    pairs.push_back({missing / 2, missing - missing / 2});
  }
  return pairs;
}

XlaOp MaxPool(XlaOp operand, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride, Padding padding,
              const TensorFormat& data_format, SourceLocation loc) {
  LibCall call("MaxPool", {operand}, loc);
  PoolWindow window;
  if (!call.CheckReal("operand", operand)) return XlaOp();
  if (!MakeWindow(call, call.shape(operand).rank(), kernel_size, stride, data_format, &window)) return XlaOp();
  const PrimitiveType type = call.type(operand);
  return call->ReduceWindow(operand, MinValue(call.builder(), type), CreateScalarMaxComputation(type), window.size,
                            window.stride, padding);
}

XlaOp SumPool(XlaOp operand, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride, SpatialPadding padding,
              const TensorFormat& data_format, SourceLocation loc) {
  LibCall call("SumPool", {operand}, loc);
  PoolWindow window;
  if (!call.CheckRank("operand", operand, 2)) return XlaOp();
  if (!MakeWindow(call, call.shape(operand).rank(), kernel_size, stride, data_format, &window) ||
      !SetPadding(call, padding, data_format, &window)) {
    return XlaOp();
  }
  return SumWindows(call, operand, window);
}

XlaOp AvgPool(XlaOp operand, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride, SpatialPadding padding,
              const TensorFormat& data_format, bool counts_include_padding, SourceLocation loc) {
  LibCall call("AvgPool", {operand}, loc);
  PoolWindow window;
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  if (!MakeWindow(call, call.shape(operand).rank(), kernel_size, stride, data_format, &window) ||
      !SetPadding(call, padding, data_format, &window)) {
    return XlaOp();
  }
  return call.InF32IfNarrower(operand, [&](XlaOp wide) {
    return call->Div(SumWindows(call, wide, window), Counts(call, call.shape(wide), window, counts_include_padding));
  });
}

XlaOp MaxPoolGrad(XlaOp operand, XlaOp out_backprop, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride,
                  Padding padding, const TensorFormat& data_format, SourceLocation loc) {
  LibCall call("MaxPoolGrad", {operand, out_backprop}, loc);
  PoolWindow window;
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  if (!MakeWindow(call, call.shape(operand).rank(), kernel_size, stride, data_format, &window)) return XlaOp();
  const PrimitiveType type = call.type(operand);
  return call->SelectAndScatter(operand, CreateScalarGeComputation(type), window.size, window.stride, padding,
                                out_backprop, Zero(call.builder(), type), CreateScalarAddComputation(type));
}

// Spreads each gradient over its window, divided by the number of elements that the window averaged.
XlaOp AvgPoolGrad(XlaOp out_backprop, ArraySlice<int64_t> gradients_size, ArraySlice<int64_t> kernel_size,
                  ArraySlice<int64_t> stride, SpatialPadding spatial_padding, const TensorFormat& data_format,
                  bool counts_include_padding, SourceLocation loc) {
  LibCall call("AvgPoolGrad", {out_backprop}, loc);
  PoolWindow window;
  if (!call.CheckFloat("out_backprop", out_backprop)) return XlaOp();
  const int64_t rank = static_cast<int64_t>(gradients_size.size());
  if (!MakeWindow(call, rank, kernel_size, stride, data_format, &window) ||
      !SetPadding(call, spatial_padding, data_format, &window)) {
    return XlaOp();
  }
  return call.InF32IfNarrower(out_backprop, [&](XlaOp wide) {
    const Shape pooled = Shape::Array(call.type(wide), gradients_size);
    // Also when padding counts: the sums are as many as out_backprop must have elements.
    const XlaOp counts = SumWindows(call, Ones(call.builder(), pooled), window);
    if (!call.ok()) return XlaOp();
    if (!call.shape(counts).SameDimensions(call.shape(wide))) {
      return call.Fail(absl::StrCat("out_backprop must have the dimensions that pooling gives, ",
                                    call.shape(counts).ToString(), ", got ", call.shape(wide).ToString()));
    }
    const XlaOp divisor = counts_include_padding ? Counts(call, pooled, window, true) : counts;
    return SpreadOverWindows(call, call->Div(wide, divisor), gradients_size, window);
  });
}

}  // namespace xla
