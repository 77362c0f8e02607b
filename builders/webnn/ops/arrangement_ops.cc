// Operators that put elements elsewhere or choose among them: pad, slice, split, tile, reverse, where.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/computation_builder/lib/slicing.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/movement.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/window_sizes.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// A split into more parts than this is refused, because each is an operand.
constexpr int64_t kMaxParts = int64_t{1} << 20;

// `list` has an item for each dimension.
absl::Status CheckItemForEachDimension(absl::string_view rule, absl::string_view name, const UnsignedList& list,
                                       const MLOperand& input) {
  if (static_cast<int>(list.size()) == input.rank()) return absl::OkStatus();
  return TypeError(rule, absl::StrCat(name, " must have an item for each dimension of the input, ",
                                      input.descriptor().ToString(), ", got ", list.size()));
}

// ---- pad

absl::StatusOr<MLOperandDescriptor> InferPad(const OperatorCall& call) {
  const auto& options = call.parameters<PadParameters>();
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckItemForEachDimension("padding length", "beginningPadding", options.beginningPadding, input));
  RETURN_IF_ERROR(CheckItemForEachDimension("padding length", "endingPadding", options.endingPadding, input));
  std::vector<int64_t> shape(input.shape().begin(), input.shape().end());
  for (size_t d = 0; d < shape.size(); ++d) {
    shape[d] += int64_t{options.beginningPadding[d]} + options.endingPadding[d];
  }
  return DescriptorOf(input.dataType(), shape, call.edition());
}

XlaOp LowerPad(const LoweringCall& call) {
  const auto& options = call.parameters<PadParameters>();
  const std::vector<int64_t> begin = HloDimensionsOf(options.beginningPadding);
  const std::vector<int64_t> end = HloDimensionsOf(options.endingPadding);
  const XlaOp input = call.value(0);
  switch (options.mode) {
    case MLPaddingMode::kConstant:
      return LowerPadConstant(
          input, call.builder().ConstantLiteral(options.value.ToLiteral(call.operand(0).dataType())), begin, end);
    case MLPaddingMode::kEdge:
      return LowerPadMirrored(PadMode::kEdge, input, begin, end);
    case MLPaddingMode::kReflection:
      return LowerPadMirrored(PadMode::kReflection, input, begin, end);
    case MLPaddingMode::kSymmetric:
      return LowerPadMirrored(PadMode::kSymmetric, input, begin, end);
  }
  return XlaOp();
}

// ---- slice

absl::Status CheckStrides(const SliceParameters& options, const MLOperand& input) {
  if (!options.strides.has_value()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckItemForEachDimension("strides length", "strides", *options.strides, input));
  return CheckNotZero("strides", options.strides);
}

absl::StatusOr<MLOperandDescriptor> InferSlice(const OperatorCall& call) {
  const auto& options = call.parameters<SliceParameters>();
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckNotZero("sizes", options.sizes, "size 0"));
  RETURN_IF_ERROR(CheckItemForEachDimension("starts/sizes length", "starts", options.starts, input));
  RETURN_IF_ERROR(CheckItemForEachDimension("starts/sizes length", "sizes", options.sizes, input));
  RETURN_IF_ERROR(CheckStrides(options, input));
  std::vector<uint32_t> shape = options.sizes;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = input.shape()[d];
    if (options.starts[d] >= size) {
      return TypeError("start out of range", absl::StrCat("start of dimension ", d, " must be less than ", size,
                                                          ", got ", options.starts[d]));
    }
    if (int64_t{options.starts[d]} + options.sizes[d] > size) {
      return TypeError("start + size out of range",
                       absl::StrCat("start + size of dimension ", d, " must be at most ", size, ", got ",
                                    options.starts[d], " + ", options.sizes[d]));
    }
    if (options.strides.has_value()) shape[d] = static_cast<uint32_t>(CeilDiv(shape[d], (*options.strides)[d]));
  }
  return MLOperandDescriptor(input.dataType(), std::move(shape));
}

XlaOp LowerSlice(const LoweringCall& call) {
  const auto& options = call.parameters<SliceParameters>();
  const std::vector<int64_t> starts = HloDimensionsOf(options.starts);
  std::vector<int64_t> limits = HloDimensionsOf(options.sizes);
  for (size_t d = 0; d < starts.size(); ++d) limits[d] += starts[d];
  std::vector<int64_t> strides(starts.size(), 1);
  if (options.strides.has_value()) strides = HloDimensionsOf(*options.strides);
  return call.builder().Slice(call.value(0), starts, limits, strides);
}

// ---- split

// Sizes of the parts.
absl::StatusOr<UnsignedList> PartsOf(const SplitParameters& options, uint32_t size) {
  if (const auto* count = absl::get_if<uint32_t>(&options.splits)) {
    if (*count == 0 || size % *count != 0) {
      return TypeError("not divisible", absl::StrCat("splits must divide the dimension along axis, ", size, ", got ",
                                                     *count, "; give the size of each part in a list"));
    }
    if (*count > kMaxParts) {
      return TypeError("too many parts", absl::StrCat("splits must be at most ", kMaxParts, ", got ", *count));
    }
    return UnsignedList(*count, size / *count);
  }
  const auto& sizes = absl::get<UnsignedList>(options.splits);
  RETURN_IF_ERROR(CheckNotZero("splits", sizes, "split size 0"));
  int64_t sum = 0;
  for (const uint32_t part : sizes) sum += part;
  if (sum != size) {
    return TypeError("sum of splits",
                     absl::StrCat("the sum of splits must be the dimension along axis, ", size, ", got ", sum));
  }
  return sizes;
}

absl::StatusOr<std::vector<MLOperandDescriptor>> InferSplit(const OperatorCall& call) {
  const auto& options = call.parameters<SplitParameters>();
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckAxis(options.axis, input.rank()));
  ASSIGN_OR_RETURN(const UnsignedList parts, PartsOf(options, input.shape()[options.axis]));
  std::vector<MLOperandDescriptor> results(parts.size(), input.descriptor());
  for (size_t i = 0; i < parts.size(); ++i) results[i].dimensions[options.axis] = parts[i];
  return results;
}

std::vector<XlaOp> LowerSplit(const LoweringCall& call) {
  const int64_t axis = call.parameters<SplitParameters>().axis;
  std::vector<int64_t> sizes;
  for (const MLOperandDescriptor& result : call.results()) sizes.push_back(result.dimensions[axis]);
  return SplitBySizes(call.value(0), sizes, axis);
}

// ---- tile

absl::StatusOr<MLOperandDescriptor> InferTile(const OperatorCall& call) {
  const UnsignedList& repetitions = call.parameters<TileParameters>().repetitions;
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckItemForEachDimension("repetitions length", "repetitions", repetitions, input));
  RETURN_IF_ERROR(CheckNotZero("repetitions", repetitions));
  std::vector<int64_t> shape;
  for (size_t d = 0; d < repetitions.size(); ++d) shape.push_back(SaturatingProduct(input.shape()[d], repetitions[d]));
  return DescriptorOf(input.dataType(), shape, call.edition());
}

XlaOp LowerTile(const LoweringCall& call) {
  return Tile(call.value(0), HloDimensionsOf(call.parameters<TileParameters>().repetitions));
}

// ---- reverse

absl::StatusOr<MLOperandDescriptor> InferReverse(const OperatorCall& call) {
  const auto& options = call.parameters<MLReverseOptions>();
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckAxes(AxesOrAll(options.axes, input.rank()), input.rank()));
  return input.descriptor();
}

XlaOp LowerReverse(const LoweringCall& call) {
  const auto& options = call.parameters<MLReverseOptions>();
  const UnsignedList axes = AxesOrAll(options.axes, call.operand(0).rank());
  return axes.empty() ? call.value(0) : call.builder().Rev(call.value(0), HloDimensionsOf(axes));
}

// ---- where

absl::StatusOr<MLOperandDescriptor> InferWhere(const OperatorCall& call) {
  RETURN_IF_ERROR(CheckSameType(call.operand(1), call.operand(2), "other"));
  ASSIGN_OR_RETURN(const UnsignedList values, BroadcastOperands(call.operand(1), call.operand(2)));
  absl::optional<UnsignedList> shape = BroadcastShapes(call.operand(0).shape(), values);
  if (!shape.has_value()) {
    return TypeError("bidirectional broadcast",
                     absl::StrCat("condition, ", call.operand(0).descriptor().ToString(),
                                  ", must broadcast with the shape of the values, [", absl::StrJoin(values, ","), "]"));
  }
  return MLOperandDescriptor(call.operand(1).dataType(), *std::move(shape));
}

XlaOp LowerWhereCall(const LoweringCall& call) {
  return LowerWhere(call.value(0), call.value(1), call.value(2), HloDimensionsOf(call.result().dimensions));
}

}  // namespace

std::vector<OperatorDefinition> ArrangementOperators() {
  OperatorDefinition where = DefineOperator(
      "where",
      {OperandRule("condition", MLOperandDataType::kUint8).TypeRule("condition dtype"),
       OperandRule("input", kDraftTypes).Renamed("trueValue"), OperandRule("other", kDraftTypes).Renamed("falseValue")},
      ParameterList<MLOperatorOptions>(), InferWhere, LowerWhereCall);
  return {
      DefineOperator("pad", {OperandRule("input", kDraftTypes).Rank(1, kMaxRank, "rank 0")},
                     ParameterList<PadParameters>()
                         .Argument("beginningPadding", &PadParameters::beginningPadding)
                         .CalledInRules("padding")
                         .Argument("endingPadding", &PadParameters::endingPadding)
                         .CalledInRules("padding")
                         .Option("mode", &PadParameters::mode)
                         .Option("value", &PadParameters::value),
                     InferPad, LowerPad),
      DefineOperator("slice", {OperandRule("input", kDraftTypes)},
                     ParameterList<SliceParameters>()
                         .Argument("starts", &SliceParameters::starts)
                         .CalledInRules("starts/sizes")
                         .Argument("sizes", &SliceParameters::sizes)
                         .CalledInRules("starts/sizes")
                         .Option("strides", &SliceParameters::strides)
                         .Later(),
                     InferSlice, LowerSlice),
      DefineSequenceOperator("split", {OperandRule("input", kDraftTypes).Rank(1, kMaxRank)},
                             ParameterList<SplitParameters>()
                                 .Argument("splits", &SplitParameters::splits)
                                 .Option("axis", &SplitParameters::axis),
                             InferSplit, LowerSplit),
      Later(DefineOperator("tile", {OperandRule("input", kDraftTypes)},
                           ParameterList<TileParameters>().Argument("repetitions", &TileParameters::repetitions),
                           InferTile, LowerTile)),
      Later(DefineOperator("reverse", {OperandRule("input", kDraftTypes)},
                           ParameterList<MLReverseOptions>().Option("axes", &MLReverseOptions::axes), InferReverse,
                           LowerReverse)),
      WithResultTypes(std::move(where), kDraftTypes),
  };
}

}  // namespace webnn
}  // namespace xla
