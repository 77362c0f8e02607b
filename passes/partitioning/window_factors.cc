// Factors of what is read through a window: reduce-window, the spatial dimensions of convolutions, and, with a window
// of one element, slices and pads.
#include <algorithm>
#include <limits>

#include "passes/base/identity_element.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/partition_scan.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Looks at one element at a time, all of them in order.
bool IsTrivial(WindowDimension window) {
  window.window_reversal = false;
  return window == WindowDimension();
}

// The operands of the first result's rank and the results are cut together, as if there were no windows; then the
// factor of each dimension gets its window.
FactorRule RuleWithWindows(const HloInstruction& instruction, const std::vector<WindowDimension>& windows,
                           bool is_filled) {
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& result = *ResultLeaves(instruction.shape())[0];
  FactorRule rule = AlignedRule(instruction, std::vector<bool>(result.rank(), true));
  for (int k = 0; k < result.rank(); ++k) {
    if (IsTrivial(windows[k])) continue;
    WindowReach reach{k, windows[k], operand.dimension(k), result.dimension(k)};
    reach.is_filled = is_filled;
    rule.factors[rule.results[0][k]].window = reach;
  }
  return rule;
}

}  // namespace

// Output o is row start + o * stride. Rows that do not exist are those of outputs that do not, so nothing has to be
// known of them.
absl::optional<FactorRule> SliceFactors(const HloInstruction& instruction) {
  const Shape& operand = instruction.operand(0)->shape();
  std::vector<WindowDimension> windows;
  for (const SliceRange& range : instruction.attributes<SliceAttributes>().ranges) {
    WindowDimension window;
    window.stride = range.stride;
    window.padding_low = -range.start;
    window.padding_high = range.limit - operand.dimension(static_cast<int>(windows.size()));
    windows.push_back(window);
  }
  return RuleWithWindows(instruction, windows, /*is_filled=*/true);
}

absl::optional<FactorRule> PadFactors(const HloInstruction& instruction) {
  std::vector<WindowDimension> windows;
  for (const PaddingDimension& padding : instruction.attributes<PadAttributes>().padding) {
    WindowDimension window;
    window.padding_low = padding.low;
    window.padding_high = padding.high;
    // One so large that nothing is cut stands for all that are larger.
    window.base_dilation = std::min(padding.interior, std::numeric_limits<int64_t>::max() - 1) + 1;
    windows.push_back(window);
  }
  return RuleWithWindows(instruction, windows, /*is_filled=*/true);
}

absl::optional<FactorRule> ReduceWindowFactors(const HloInstruction& instruction) {
  const Window& window = instruction.attributes<WindowAttributes>().window;
  const absl::optional<HloOpcode> opcode = ReducingOpcode(*instruction.called_computation(0));
  const bool is_filled = instruction.operand_count() == 2 && opcode.has_value() &&
                         IdentityElement(*opcode, instruction.operand(0)->shape().element_type()).ok();
  FactorRule rule = RuleWithWindows(instruction, {window.dimensions.begin(), window.dimensions.end()}, is_filled);
  if (is_filled) rule.combiner = *opcode;
  rule.scan = FindExactCumulativeOperation(instruction);
  // Windows would reach over all shards.
  if (rule.scan.has_value()) rule.factors[rule.results[0][rule.scan->dimension]].window = absl::nullopt;
  return rule;
}

absl::optional<FactorRule> SelectAndScatterFactors(const HloInstruction& instruction) {
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& source = instruction.operand(1)->shape();
  const Window& window = instruction.attributes<WindowAttributes>().window;
  FactorRule rule = AlignedRule(instruction, std::vector<bool>(operand.rank(), true));
  for (int k = 0; k < operand.rank(); ++k) {
    if (IsTrivial(window.dimensions[k])) continue;
    rule.factors[rule.results[0][k]].scattered =
        WindowReach{k, window.dimensions[k], operand.dimension(k), source.dimension(k)};
  }
  return rule;
}

// Whichever there are more of is cut: outputs, or taps, as in the gradient of a kernel. A float of a kernel may be
// infinite, so that there is nothing to fill its input with.
void AddSpatialFactors(const HloInstruction& convolution, FactorRule& rule) {
  const ConvolutionAttributes& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& dims = attributes.dim_labels;
  for (size_t i = 0; i < attributes.window.dimensions.size(); ++i) {
    const WindowDimension& window = attributes.window.dimensions[i];
    WindowReach reach{static_cast<int>(i), window,
                      convolution.operand(0)->shape().dimension(static_cast<int>(dims.input_spatial[i])),
                      convolution.shape().dimension(static_cast<int>(dims.output_spatial[i]))};
    reach.is_by_taps = !IsTrivial(window) && window.size > reach.outputs;
    reach.is_filled =
        IsInt(convolution.operand(0)->shape().element_type()) && IsInt(convolution.operand(1)->shape().element_type());
    FactorRule::Factor factor;
    factor.is_reduced = reach.is_by_taps;
    if (!IsTrivial(window)) factor.window = reach;
    const int number = rule.AddFactor(factor);
    rule.operands[0][dims.input_spatial[i]] = number;
    if (reach.is_by_taps) {
      rule.operands[1][dims.kernel_spatial[i]] = number;
    } else {
      rule.results[0][dims.output_spatial[i]] = number;
    }
  }
}

}  // namespace xla
