// Windows that move over arrays: reduce-window, select-and-scatter, convolution.
#include <numeric>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/same_padding.h"

namespace xla {

// ---- Windows

// Size and stride only; padding and dilation are at their defaults.
bool ComputationBuilder::MakeWindow(XlaOp operand, ArraySlice<int64_t> window_dimensions,
                                    ArraySlice<int64_t> window_strides, Window* window) {
  const Shape& shape = ShapeOf(operand);
  if (!CheckArray("the operand", shape)) return false;
  const size_t rank = static_cast<size_t>(shape.rank());
  if (!CheckCount("window_dimensions", window_dimensions.size(), "dimension of the operand", rank) ||
      !CheckCount("window_strides", window_strides.size(), "dimension of the operand", rank)) {
    return false;
  }
  window->dimensions.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    window->dimensions[d].size = window_dimensions[d];
    window->dimensions[d].stride = window_strides[d];
  }
  return true;
}

bool ComputationBuilder::PadWindow(Padding padding, const Shape& base, ArraySlice<int64_t> dimensions, Window* window) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    WindowDimension& dimension = window->dimensions[i];
    const auto low_high =
        PaddingOf(padding, base.dimension(static_cast<int>(dimensions[i])), dimension.size, dimension.stride);
    if (!low_high.ok()) {
      FailInvalid(absl::StrCat("window dimension ", i, ": ", low_high.status().message()));
      return false;
    }
    std::tie(dimension.padding_low, dimension.padding_high) = *low_high;
  }
  return true;
}

bool ComputationBuilder::SetPadding(ArraySlice<std::pair<int64_t, int64_t>> padding, Window* window) {
  if (!CheckCount("padding", padding.size(), "dimension of the window", window->dimensions.size())) return false;
  for (size_t i = 0; i < padding.size(); ++i) {
    window->dimensions[i].padding_low = padding[i].first;
    window->dimensions[i].padding_high = padding[i].second;
  }
  return true;
}

bool ComputationBuilder::SetDilations(ArraySlice<int64_t> base, ArraySlice<int64_t> window_dilations, Window* window) {
  const size_t count = window->dimensions.size();
  if ((!base.empty() && !CheckCount("the dilation of the base", base.size(), "dimension of the window", count)) ||
      (!window_dilations.empty() &&
       !CheckCount("the dilation of the window", window_dilations.size(), "dimension of the window", count))) {
    return false;
  }
  for (size_t i = 0; i < base.size(); ++i) window->dimensions[i].base_dilation = base[i];
  for (size_t i = 0; i < window_dilations.size(); ++i) window->dimensions[i].window_dilation = window_dilations[i];
  return true;
}

// ---- ReduceWindow

XlaOp ComputationBuilder::AppendReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                                             const XlaComputation& computation, Window window) {
  if (!CheckCount("init_values", init_values.size(), "operand", operands.size())) return Invalid();
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  auto attributes = std::make_unique<WindowAttributes>();
  attributes->window = std::move(window);
  return Append(HloOpcode::kReduceWindow, all, std::move(attributes), {computation});
}

XlaOp ComputationBuilder::ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                                       ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides,
                                       Padding padding, SourceLocation loc) {
  return ReduceWindow(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1), computation,
                      window_dimensions, window_strides, padding, loc);
}

XlaOp ComputationBuilder::ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                                       const XlaComputation& computation, ArraySlice<int64_t> window_dimensions,
                                       ArraySlice<int64_t> window_strides, Padding padding, SourceLocation loc) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  ActiveCall call(this, "ReduceWindow", loc, all);
  if (!call) return Invalid();
  if (operands.empty()) return FailInvalid("expected at least one operand");
  Window window;
  if (!MakeWindow(operands[0], window_dimensions, window_strides, &window)) return Invalid();
  DimensionVector dimensions(window_dimensions.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  if (!PadWindow(padding, ShapeOf(operands[0]), dimensions, &window)) return Invalid();
  return AppendReduceWindow(operands, init_values, computation, std::move(window));
}

XlaOp ComputationBuilder::ReduceWindowWithGeneralPadding(
    XlaOp operand, XlaOp init_value, const XlaComputation& computation, ArraySlice<int64_t> window_dimensions,
    ArraySlice<int64_t> window_strides, ArraySlice<int64_t> base_dilations, ArraySlice<int64_t> window_dilations,
    ArraySlice<std::pair<int64_t, int64_t>> padding, SourceLocation loc) {
  return ReduceWindowWithGeneralPadding(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1),
                                        computation, window_dimensions, window_strides, base_dilations,
                                        window_dilations, padding, loc);
}

XlaOp ComputationBuilder::ReduceWindowWithGeneralPadding(
    ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation,
    ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides, ArraySlice<int64_t> base_dilations,
    ArraySlice<int64_t> window_dilations, ArraySlice<std::pair<int64_t, int64_t>> padding, SourceLocation loc) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  ActiveCall call(this, "ReduceWindowWithGeneralPadding", loc, all);
  if (!call) return Invalid();
  if (operands.empty()) return FailInvalid("expected at least one operand");
  Window window;
  if (!MakeWindow(operands[0], window_dimensions, window_strides, &window) || !SetPadding(padding, &window) ||
      !SetDilations(base_dilations, window_dilations, &window)) {
    return Invalid();
  }
  return AppendReduceWindow(operands, init_values, computation, std::move(window));
}

// ---- SelectAndScatter

XlaOp ComputationBuilder::SelectAndScatter(XlaOp operand, const XlaComputation& select,
                                           ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides,
                                           Padding padding, XlaOp source, XlaOp init_value,
                                           const XlaComputation& scatter, SourceLocation loc) {
  ActiveCall call(this, "SelectAndScatter", loc, {operand, source, init_value});
  Window window;
  if (!call || !MakeWindow(operand, window_dimensions, window_strides, &window)) return Invalid();
  DimensionVector dimensions(window_dimensions.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  if (!PadWindow(padding, ShapeOf(operand), dimensions, &window)) return Invalid();
  auto attributes = std::make_unique<WindowAttributes>();
  attributes->window = std::move(window);
  return Append(HloOpcode::kSelectAndScatter, {operand, source, init_value}, std::move(attributes), {select, scatter});
}

XlaOp ComputationBuilder::SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                                             ArraySlice<int64_t> window_dimensions,
                                                             ArraySlice<int64_t> window_strides,
                                                             ArraySlice<std::pair<int64_t, int64_t>> padding,
                                                             XlaOp source, XlaOp init_value,
                                                             const XlaComputation& scatter, SourceLocation loc) {
  ActiveCall call(this, "SelectAndScatterWithGeneralPadding", loc, {operand, source, init_value});
  auto attributes = std::make_unique<WindowAttributes>();
  if (!call || !MakeWindow(operand, window_dimensions, window_strides, &attributes->window) ||
      !SetPadding(padding, &attributes->window)) {
    return Invalid();
  }
  return Append(HloOpcode::kSelectAndScatter, {operand, source, init_value}, std::move(attributes), {select, scatter});
}

// ---- Convolution

ConvolutionDimensionNumbers ComputationBuilder::DefaultConvDimensionNumbers(int spatial_dimensions) {
  ConvolutionDimensionNumbers numbers;
  numbers.input_batch = numbers.output_batch = numbers.kernel_output_feature = 0;
  numbers.input_feature = numbers.output_feature = numbers.kernel_input_feature = 1;
  for (int i = 0; i < spatial_dimensions; ++i) {
    numbers.input_spatial.push_back(i + 2);
    numbers.kernel_spatial.push_back(i + 2);
    numbers.output_spatial.push_back(i + 2);
  }
  return numbers;
}

bool ComputationBuilder::KernelWindow(XlaOp rhs, ArraySlice<int64_t> window_strides,
                                      const ConvolutionDimensionNumbers& dimension_numbers, Window* window) {
  const Shape& kernel = ShapeOf(rhs);
  const size_t count = dimension_numbers.kernel_spatial.size();
  if (!CheckArray("rhs", kernel) || !CheckCount("window_strides", window_strides.size(), "spatial dimension", count)) {
    return false;
  }
  window->dimensions.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!CheckDimension("each spatial dimension of the kernel", dimension_numbers.kernel_spatial[i], kernel)) {
      return false;
    }
    window->dimensions[i].size = kernel.dimension(static_cast<int>(dimension_numbers.kernel_spatial[i]));
    window->dimensions[i].stride = window_strides[i];
  }
  return true;
}

XlaOp ComputationBuilder::AppendConvolution(XlaOp lhs, XlaOp rhs, Window window,
                                            const ConvolutionDimensionNumbers& dimension_numbers,
                                            const ConvolutionOptions& options) {
  if (!CheckFactorTypes(lhs, rhs, options.preferred_element_type)) return Invalid();
  const std::vector<bool>& reversal = options.window_reversal;
  if (!reversal.empty() &&
      !CheckCount("window_reversal", reversal.size(), "spatial dimension", window.dimensions.size())) {
    return Invalid();
  }
  for (size_t i = 0; i < reversal.size(); ++i) window.dimensions[i].window_reversal = reversal[i];
  auto attributes = std::make_unique<ConvolutionAttributes>();
  attributes->window = std::move(window);
  attributes->dim_labels = dimension_numbers;
  attributes->feature_group_count = options.feature_group_count;
  attributes->batch_group_count = options.batch_group_count;
  attributes->operand_precision = options.precision;
  attributes->algorithm = options.algorithm;
  return Append(HloOpcode::kConvolution, {lhs, rhs}, std::move(attributes), {},
                options.preferred_element_type == PRIMITIVE_TYPE_INVALID
                    ? Shape()
                    : Shape::Scalar(options.preferred_element_type));
}

XlaOp ComputationBuilder::Conv(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides, Padding padding,
                               const ConvolutionOptions& options, SourceLocation loc) {
  ActiveCall call(this, "Conv", loc, {lhs, rhs});
  if (!call || !CheckConvolutionRanks(lhs, rhs)) return Invalid();
  return ConvWithGeneralDimensions(lhs, rhs, window_strides, padding,
                                   DefaultConvDimensionNumbers(ShapeOf(lhs).rank() - 2), options, loc);
}

XlaOp ComputationBuilder::ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides,
                                                 ArraySlice<std::pair<int64_t, int64_t>> padding,
                                                 ArraySlice<int64_t> lhs_dilation, ArraySlice<int64_t> rhs_dilation,
                                                 const ConvolutionOptions& options, SourceLocation loc) {
  ActiveCall call(this, "ConvWithGeneralPadding", loc, {lhs, rhs});
  if (!call || !CheckConvolutionRanks(lhs, rhs)) return Invalid();
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                            DefaultConvDimensionNumbers(ShapeOf(lhs).rank() - 2), options, loc);
}

XlaOp ComputationBuilder::ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides,
                                                    Padding padding,
                                                    const ConvolutionDimensionNumbers& dimension_numbers,
                                                    const ConvolutionOptions& options, SourceLocation loc) {
  ActiveCall call(this, "ConvWithGeneralDimensions", loc, {lhs, rhs});
  Window window;
  if (!call || !KernelWindow(rhs, window_strides, dimension_numbers, &window)) return Invalid();
  const Shape& base = ShapeOf(lhs);
  if (!CheckArray("lhs", base) || !CheckCount("the spatial dimensions of lhs", dimension_numbers.input_spatial.size(),
                                              "spatial dimension of the kernel", window.dimensions.size())) {
    return Invalid();
  }
  for (const int64_t dimension : dimension_numbers.input_spatial) {
    if (!CheckDimension("each spatial dimension of lhs", dimension, base)) return Invalid();
  }
  if (!PadWindow(padding, base, dimension_numbers.input_spatial, &window)) return Invalid();
  return AppendConvolution(lhs, rhs, std::move(window), dimension_numbers, options);
}

XlaOp ComputationBuilder::ConvGeneralDilated(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides,
                                             ArraySlice<std::pair<int64_t, int64_t>> padding,
                                             ArraySlice<int64_t> lhs_dilation, ArraySlice<int64_t> rhs_dilation,
                                             const ConvolutionDimensionNumbers& dimension_numbers,
                                             const ConvolutionOptions& options, SourceLocation loc) {
  ActiveCall call(this, "ConvGeneralDilated", loc, {lhs, rhs});
  Window window;
  if (!call || !KernelWindow(rhs, window_strides, dimension_numbers, &window) || !SetPadding(padding, &window) ||
      !SetDilations(lhs_dilation, rhs_dilation, &window)) {
    return Invalid();
  }
  return AppendConvolution(lhs, rhs, std::move(window), dimension_numbers, options);
}

bool ComputationBuilder::CheckConvolutionRanks(XlaOp lhs, XlaOp rhs) {
  if (!CheckArray("lhs", ShapeOf(lhs)) || !CheckArray("rhs", ShapeOf(rhs))) return false;
  const int rank = ShapeOf(lhs).rank();
  if (rank >= 2 && rank == ShapeOf(rhs).rank()) return true;
  FailInvalid(absl::StrCat("lhs and rhs must have the same rank of at least 2 (batch, features, spatial dimensions), ",
                           "got ", rank, " and ", ShapeOf(rhs).rank()));
  return false;
}

}  // namespace xla
