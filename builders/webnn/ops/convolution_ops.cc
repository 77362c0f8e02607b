// conv2d and convTranspose2d: their rules, and how they become HLO convolutions (lowering/convolution.h).
#include <array>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/convolution.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/window_sizes.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

template <size_t kSize>
std::array<int64_t, kSize> ListOr(const absl::optional<UnsignedList>& list, int64_t value) {
  std::array<int64_t, kSize> result;
  result.fill(value);
  for (size_t i = 0; list.has_value() && i < kSize && i < list->size(); ++i) result[i] = (*list)[i];
  return result;
}

FilterDimensions FilterDimensionsOf(MLConv2dFilterOperandLayout layout) {
  switch (layout) {
    case MLConv2dFilterOperandLayout::kOihw:
      return {/*output=*/0, /*input=*/1, /*height=*/2, /*width=*/3};
    case MLConv2dFilterOperandLayout::kHwio:
      return {/*output=*/3, /*input=*/2, /*height=*/0, /*width=*/1};
    case MLConv2dFilterOperandLayout::kOhwi:
      return {/*output=*/0, /*input=*/3, /*height=*/1, /*width=*/2};
    case MLConv2dFilterOperandLayout::kIhwo:
      return {/*output=*/3, /*input=*/0, /*height=*/1, /*width=*/2};
  }
  return {};
}

FilterDimensions FilterDimensionsOf(MLConvTranspose2dFilterOperandLayout layout) {
  switch (layout) {
    case MLConvTranspose2dFilterOperandLayout::kIohw:
      return {/*output=*/1, /*input=*/0, /*height=*/2, /*width=*/3};
    case MLConvTranspose2dFilterOperandLayout::kHwoi:
      return {/*output=*/2, /*input=*/3, /*height=*/0, /*width=*/1};
    case MLConvTranspose2dFilterOperandLayout::kOhwi:
      return {/*output=*/0, /*input=*/3, /*height=*/1, /*width=*/2};
  }
  return {};
}

// What both have. `Options`: MLConv2dOptions or MLConvTranspose2dOptions.
template <typename Options>
Convolution2d ConvolutionOf(const Options& options) {
  Convolution2d convolution;
  convolution.channels_last = options.inputLayout == MLInputOperandLayout::kNhwc;
  convolution.filter = FilterDimensionsOf(options.filterLayout);
  convolution.padding = ListOr<4>(options.padding, 0);
  convolution.strides = ListOr<2>(options.strides, 1);
  convolution.dilations = ListOr<2>(options.dilations, 1);
  convolution.groups = options.groups;
  return convolution;
}

// The sizes of input and filter, by meaning.
struct Sizes {
  int64_t batches, input_channels, filter_inputs, filter_outputs;
  std::array<int64_t, 2> input, filter;  // height, width
};

Sizes SizesOf(const OperatorCall& call, const Convolution2d& convolution) {
  const std::vector<uint32_t>& input = call.operand(0).shape();
  const std::vector<uint32_t>& filter = call.operand(1).shape();
  const int height = convolution.channels_last ? 1 : 2;
  Sizes sizes;
  sizes.batches = input[0];
  sizes.input_channels = input[convolution.channels_last ? 3 : 1];
  sizes.input = {input[height], input[height + 1]};
  sizes.filter_inputs = filter[convolution.filter.input];
  sizes.filter_outputs = filter[convolution.filter.output];
  sizes.filter = {filter[convolution.filter.height], filter[convolution.filter.width]};
  return sizes;
}

template <typename Options>
absl::Status CheckLists(const Options& options) {
  RETURN_IF_ERROR(CheckListSize("padding", options.padding, 4));
  RETURN_IF_ERROR(CheckListSize("strides", options.strides, 2));
  RETURN_IF_ERROR(CheckNotZero("strides", options.strides));
  RETURN_IF_ERROR(CheckListSize("dilations", options.dilations, 2));
  return CheckNotZero("dilations", options.dilations);
}

absl::Status CheckGroups(uint32_t groups) {
  if (groups > 0) return absl::OkStatus();
  return TypeError("groups: zero", "groups must be greater than 0");
}

// [output channels], and of the type of the input.
absl::Status CheckBias(const absl::optional<MLOperand>& bias, const MLOperand& input, int64_t channels) {
  if (!bias.has_value()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckShape("bias", *bias, {channels}));
  return CheckSameType(input, *bias, "bias", "bias: dtype");
}

absl::StatusOr<MLOperandDescriptor> ResultOf(const OperatorCall& call, const Convolution2d& convolution,
                                             int64_t batches, int64_t channels, std::array<int64_t, 2> sizes) {
  std::vector<int64_t> shape = convolution.channels_last ? std::vector<int64_t>{batches, sizes[0], sizes[1], channels}
                                                         : std::vector<int64_t>{batches, channels, sizes[0], sizes[1]};
  return DescriptorOf(call.operand(0).dataType(), shape, call.edition());
}

// ---- conv2d

// Rules of conv2d in the WebNN draft: types, groups, channels and bias. Error names are those of the list of rules
// that tests refer to.
absl::StatusOr<MLOperandDescriptor> InferConv2d(const OperatorCall& call) {
  const auto& options = call.parameters<MLConv2dOptions>();
  RETURN_IF_ERROR(CheckSameType(call.operand(0), call.operand(1), "filter", "filter dtype"));
  RETURN_IF_ERROR(CheckLists(options));
  RETURN_IF_ERROR(CheckGroups(options.groups));
  const Convolution2d convolution = ConvolutionOf(options);
  const Sizes sizes = SizesOf(call, convolution);
  if (sizes.input_channels % convolution.groups != 0) {
    return TypeError("input channels not divisible by groups",
                     absl::StrCat("the input channels, ", sizes.input_channels, ", must be divisible by groups, ",
                                  convolution.groups));
  }
  if (sizes.input_channels / convolution.groups != sizes.filter_inputs) {
    return TypeError("input channels / groups != filter input channels",
                     absl::StrCat("the filter must have input channels / groups = ",
                                  sizes.input_channels / convolution.groups, " input channels in layout ",
                                  ToString(options.filterLayout), ", got ", call.operand(1).descriptor().ToString()));
  }
  if (call.edition() == MLEdition::kLater && sizes.filter_outputs % convolution.groups != 0) {
    return TypeError("output channels not divisible by groups",
                     absl::StrCat("the output channels, ", sizes.filter_outputs, ", must be divisible by groups, ",
                                  convolution.groups));
  }
  RETURN_IF_ERROR(CheckBias(options.bias, call.operand(0), sizes.filter_outputs));
  std::array<int64_t, 2> result;
  for (int i = 0; i < 2; ++i) {
    result[i] = WindowPositions({sizes.input[i], sizes.filter[i], convolution.padding[2 * i],
                                 convolution.padding[2 * i + 1], convolution.strides[i], convolution.dilations[i]},
                                /*round_up=*/false);
  }
  return ResultOf(call, convolution, sizes.batches, sizes.filter_outputs, result);
}

XlaOp LowerConv2dCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLConv2dOptions>();
  return LowerConv2d(call.value(0), call.value(1), OptionalValue(call, options.bias), ConvolutionOf(options));
}

// ---- convTranspose2d

// Height or width of the result without output padding.
int64_t TransposedSize(const Convolution2d& convolution, const Sizes& sizes, int i) {
  return SpreadSize({sizes.input[i], sizes.filter[i], convolution.padding[2 * i], convolution.padding[2 * i + 1],
                     convolution.strides[i], convolution.dilations[i]});
}

// With the output padding, which follows from outputSizes if they are given.
Convolution2d TransposedConvolutionOf(const MLConvTranspose2dOptions& options, const OperatorCall& call) {
  Convolution2d convolution = ConvolutionOf(options);
  convolution.output_padding = ListOr<2>(options.outputPadding, 0);
  if (options.outputSizes.has_value()) {
    const Sizes sizes = SizesOf(call, convolution);
    for (int i = 0; i < 2; ++i) {
      convolution.output_padding[i] = (*options.outputSizes)[i] - TransposedSize(convolution, sizes, i);
    }
  }
  return convolution;
}

absl::Status CheckOutputPadding(const MLConvTranspose2dOptions& options, const Convolution2d& convolution) {
  if (options.outputSizes.has_value()) return absl::OkStatus();
  for (int i = 0; i < 2; ++i) {
    if (convolution.output_padding[i] < convolution.strides[i]) continue;
    return TypeError("outputPadding >= strides",
                     absl::StrCat("outputPadding must be less than strides, got ", convolution.output_padding[i],
                                  " and ", convolution.strides[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckOutputSizes(const MLConvTranspose2dOptions& options, const Convolution2d& convolution) {
  if (!options.outputSizes.has_value()) return absl::OkStatus();
  for (int i = 0; i < 2; ++i) {
    if (convolution.output_padding[i] >= 0 && convolution.output_padding[i] < convolution.strides[i]) continue;
    const int64_t least = (*options.outputSizes)[i] - convolution.output_padding[i];
    return TypeError("outputSizes outside the range reachable with outputPadding < stride",
                     absl::StrCat("item ", i, " of outputSizes must be from ", least, " to ",
                                  least + convolution.strides[i] - 1, ", got ", (*options.outputSizes)[i]));
  }
  return absl::OkStatus();
}

// Rules of convTranspose2d. Its filter has the input channels where that of conv2d has the output ones.
absl::StatusOr<MLOperandDescriptor> InferConvTranspose2d(const OperatorCall& call) {
  const auto& options = call.parameters<MLConvTranspose2dOptions>();
  RETURN_IF_ERROR(CheckSameType(call.operand(0), call.operand(1), "filter", "filter dtype"));
  RETURN_IF_ERROR(CheckLists(options));
  RETURN_IF_ERROR(CheckListSize("outputPadding", options.outputPadding, 2));
  RETURN_IF_ERROR(CheckListSize("outputSizes", options.outputSizes, 2));
  const Convolution2d convolution = TransposedConvolutionOf(options, call);
  RETURN_IF_ERROR(CheckOutputPadding(options, convolution));
  RETURN_IF_ERROR(CheckGroups(options.groups));
  const Sizes sizes = SizesOf(call, convolution);
  if (sizes.input_channels != sizes.filter_inputs) {
    return TypeError("input channels != filter input channels",
                     absl::StrCat("the filter must have ", sizes.input_channels, " input channels in layout ",
                                  ToString(options.filterLayout), ", got ", call.operand(1).descriptor().ToString()));
  }
  const int64_t channels = SaturatingProduct(sizes.filter_outputs, convolution.groups);
  RETURN_IF_ERROR(CheckBias(options.bias, call.operand(0), channels));
  RETURN_IF_ERROR(CheckOutputSizes(options, convolution));
  std::array<int64_t, 2> result;
  for (int i = 0; i < 2; ++i) {
    result[i] = TransposedSize(convolution, sizes, i) + convolution.output_padding[i];
  }
  return ResultOf(call, convolution, sizes.batches, channels, result);
}

XlaOp LowerConvTranspose2dCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLConvTranspose2dOptions>();
  return LowerConvTranspose2d(call.value(0), call.value(1), OptionalValue(call, options.bias),
                              TransposedConvolutionOf(options, call));
}

std::vector<OperandRule> InputAndFilter() {
  return {OperandRule("input", kFloatTypes).Rank(4, 4, "input rank 4"),
          OperandRule("filter", kFloatTypes).TypeRule("filter dtype").Rank(4, 4, "filter rank 4")};
}

}  // namespace

std::vector<OperatorDefinition> ConvolutionOperators() {
  return {
      DefineOperator("conv2d", InputAndFilter(),
                     ParameterList<MLConv2dOptions>()
                         .Option("padding", &MLConv2dOptions::padding)
                         .Option("strides", &MLConv2dOptions::strides)
                         .Option("dilations", &MLConv2dOptions::dilations)
                         .Option("groups", &MLConv2dOptions::groups)
                         .Option("inputLayout", &MLConv2dOptions::inputLayout)
                         .Option("filterLayout", &MLConv2dOptions::filterLayout)
                         .Option("bias", &MLConv2dOptions::bias)
                         .Admits(kFloatTypes, 1, 1),
                     InferConv2d, LowerConv2dCall),
      DefineOperator("convTranspose2d", InputAndFilter(),
                     ParameterList<MLConvTranspose2dOptions>()
                         .Option("padding", &MLConvTranspose2dOptions::padding)
                         .Option("strides", &MLConvTranspose2dOptions::strides)
                         .Option("dilations", &MLConvTranspose2dOptions::dilations)
                         .Option("outputPadding", &MLConvTranspose2dOptions::outputPadding)
                         .Option("outputSizes", &MLConvTranspose2dOptions::outputSizes)
                         .Option("groups", &MLConvTranspose2dOptions::groups)
                         .Option("inputLayout", &MLConvTranspose2dOptions::inputLayout)
                         .Option("filterLayout", &MLConvTranspose2dOptions::filterLayout)
                         .Option("bias", &MLConvTranspose2dOptions::bias)
                         .Admits(kFloatTypes, 1, 1),
                     InferConvTranspose2d, LowerConvTranspose2dCall),
  };
}

}  // namespace webnn
}  // namespace xla
