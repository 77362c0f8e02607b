// What moves elements about: shapes, slices, padding, gathers.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/nnef1/writing/constant_values.h"
#include "builders/nnef1/writing/convert_instructions.h"

namespace xla {
namespace nnef1 {

// Ones where the operand has no dimension, then repeated there.
absl::Status ConvertBroadcast(const HloInstruction& instruction, Conversion& to) {
  const DimensionVector& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
  const Extents extents = ExtentsOf(instruction.shape());
  Extents aligned(extents.size(), 1);
  std::vector<int64_t> repeats = extents;
  // The dimensions of the operand in the order in which the result has them.
  std::vector<int64_t> order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
  for (size_t i = 0; i < dimensions.size(); ++i) {
    aligned[dimensions[i]] = extents[dimensions[i]];
    repeats[dimensions[i]] = 1;
  }
  const int ordered =
      to.Transposed(to.Of(instruction.operand(0)), order, absl::StrCat(instruction.name(), "_in_order"));
  const bool is_all = std::all_of(repeats.begin(), repeats.end(), [](int64_t count) { return count == 1; });
  const int tensor =
      to.Reshaped(ordered, aligned, is_all ? instruction.name() : absl::StrCat(instruction.name(), "_aligned"));
  if (is_all) {
    to.Set(instruction, tensor);
  } else {
    to.SetNew(instruction, "tile", {{"input", Value::Tensor(tensor)}, {"repeats", IntegerArray(repeats)}});
  }
  return absl::OkStatus();
}

absl::Status ConvertReshape(const HloInstruction& instruction, Conversion& to) {
  to.Set(instruction, to.Reshaped(to.Of(instruction.operand(0)), ExtentsOf(instruction.shape()), instruction.name()));
  return absl::OkStatus();
}

absl::Status ConvertTranspose(const HloInstruction& instruction, Conversion& to) {
  to.Set(instruction, to.Transposed(to.Of(instruction.operand(0)),
                                    instruction.attributes<DimensionsAttributes>().dimensions, instruction.name()));
  return absl::OkStatus();
}

absl::Status ConvertSlice(const HloInstruction& instruction, Conversion& to) {
  const std::vector<SliceRange>& ranges = instruction.attributes<SliceAttributes>().ranges;
  std::vector<int64_t> axes, begin, end, stride;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& range = ranges[i];
    if (range.start == 0 && range.stride == 1 && range.limit == instruction.operand(0)->shape().dimension(i)) continue;
    axes.push_back(static_cast<int64_t>(i));
    begin.push_back(range.start);
    end.push_back(range.limit);
    stride.push_back(range.stride);
  }
  if (axes.empty()) {
    to.Set(instruction, to.Of(instruction.operand(0)));
    return absl::OkStatus();
  }
  to.SetNew(instruction, "slice",
            {{"input", to.ValueOf(instruction.operand(0))},
             {"axes", IntegerArray(axes)},
             {"begin", IntegerArray(begin)},
             {"end", IntegerArray(end)},
             {"stride", IntegerArray(stride)}});
  return absl::OkStatus();
}

absl::Status ConvertReverse(const HloInstruction& instruction, Conversion& to) {
  to.Set(instruction, to.Reversed(to.Of(instruction.operand(0)),
                                  instruction.attributes<DimensionsAttributes>().dimensions, instruction.name()));
  return absl::OkStatus();
}

absl::Status ConvertConcatenate(const HloInstruction& instruction, Conversion& to) {
  std::vector<Value> operands;
  for (const HloInstruction* operand : instruction.operands()) operands.push_back(to.ValueOf(operand));
  to.SetNew(instruction, "concat",
            {{"values", Value::Array(std::move(operands))},
             {"axis", Value::Integer(instruction.attributes<DimensionAttributes>().dimension)}});
  return absl::OkStatus();
}

absl::Status ConvertPad(const HloInstruction& instruction, Conversion& to) {
  const PaddingConfig& padding = instruction.attributes<PadAttributes>().padding;
  const Literal* const value = ConstantOf(instruction.operand(1));
  const absl::optional<Value> number = value == nullptr ? absl::nullopt : LiteralValue(*value);
  if (!number.has_value() || !number->is_scalar()) {
    return CannotSay(instruction, "only scalars are padded, with a number that is known");
  }
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const PaddingDimension& dimension : padding) {
    if (dimension.interior != 0) return CannotSay(instruction, "nothing is put between items");
    pairs.emplace_back(dimension.low, dimension.high);
  }
  to.SetNew(instruction, "pad",
            {{"input", to.ValueOf(instruction.operand(0))}, {"padding", PairArray(pairs)}, {"value", *number}});
  return absl::OkStatus();
}

// Along one axis, whole slices of the others.
absl::Status ConvertGather(const HloInstruction& instruction, Conversion& to) {
  const GatherAttributes& attributes = instruction.attributes<GatherAttributes>();
  const HloInstruction* const operand = instruction.operand(0);
  const HloInstruction* const indices = instruction.operand(1);
  const auto refuse = [&] { return CannotSay(instruction, "items are gathered along one axis, at indices of s64"); };
  const bool is_along_one_axis =
      attributes.start_index_map.size() == 1 && attributes.collapsed_slice_dims.size() == 1 &&
      attributes.collapsed_slice_dims[0] == attributes.start_index_map[0] && attributes.operand_batching_dims.empty();
  if (!is_along_one_axis || PrimitiveOf(indices->shape()) != Primitive::kInteger) return refuse();
  const int64_t axis = attributes.start_index_map[0];
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    if (attributes.slice_sizes[i] != (i == axis ? 1 : operand->shape().dimension(i))) return refuse();
  }
  Extents index_extents = ExtentsOf(indices->shape());
  const int64_t index_rank = indices->shape().rank();
  if (attributes.index_vector_dim < index_rank) {
    index_extents.erase(index_extents.begin() + attributes.index_vector_dim);
  }
  // The dimensions of the operand before the axis, those of the indices, those after the axis.
  const auto index_count = static_cast<int64_t>(index_extents.size());
  for (int64_t i = 0; i < static_cast<int64_t>(attributes.offset_dims.size()); ++i) {
    if (attributes.offset_dims[i] != (i < axis ? i : i + index_count)) return refuse();
  }
  const int places = to.Reshaped(to.Of(indices), index_extents, absl::StrCat(instruction.name(), "_indices"));
  to.SetNew(instruction, "gather",
            {{"input", to.ValueOf(operand)}, {"indices", Value::Tensor(places)}, {"axis", Value::Integer(axis)}});
  return absl::OkStatus();
}

}  // namespace nnef1
}  // namespace xla
