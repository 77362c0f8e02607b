// Rules of expand-dynamic-dimensions for reshape and dynamic-reshape. Groups of dimensions with the same product are
// reshaped by themselves.
#include <limits>
#include <string>
#include <vector>

#include "passes/expanding/dynamic_rules.h"

namespace xla {
namespace {

using Padded = std::vector<PaddedArray>;
using Operands = absl::Span<const PaddedArray>;

struct DimensionRange {
  int begin;
  int end;
};

struct ReshapeGroup {
  DimensionRange from;
  DimensionRange to;
  int64_t count = 1;  // elements within the bounds
};

// Smallest groups of equal element counts, of shapes with as many elements, more than none.
std::vector<ReshapeGroup> ReshapeGroups(const Shape& from, const Shape& to) {
  std::vector<ReshapeGroup> groups;
  int f = 0;
  int t = 0;
  while (f < from.rank() || t < to.rank()) {
    ReshapeGroup group{{f, f}, {t, t}, 1};
    int64_t from_count = f < from.rank() ? from.dimension(f++) : 1;
    int64_t to_count = t < to.rank() ? to.dimension(t++) : 1;
    while (from_count != to_count) {
      if (from_count < to_count) {
        from_count *= from.dimension(f++);
      } else {
        to_count *= to.dimension(t++);
      }
    }
    group.from.end = f;
    group.to.end = t;
    group.count = from_count;
    groups.push_back(group);
  }
  return groups;
}

// The result dimension that has the run-time size of the group, as reshape.cc in xla_core/ops chooses it.
int ShrinkingDimension(const Shape& result, DimensionRange group, int64_t inferred) {
  if (inferred >= group.begin && inferred < group.end) return static_cast<int>(inferred);
  for (int d = group.begin; d < group.end; ++d) {
    if (result.is_dynamic_dimension(d)) return d;
  }
  return -1;
}

int64_t InferredDimension(const HloInstruction& reshape) {
  return reshape.attributes<ReshapeAttributes>().inferred_dimension.value_or(-1);
}

bool AnyDynamic(const Shape& shape, DimensionRange range) {
  for (int d = range.begin; d < range.end; ++d) {
    if (shape.is_dynamic_dimension(d)) return true;
  }
  return false;
}

// Groups without dynamic dimensions are ordinary reshapes. In others, exactly one result dimension takes the run-time
// size.
std::string RefuseReshape(const HloInstruction& reshape) {
  const Shape& from = reshape.operand(0)->shape();
  const Shape& to = reshape.shape();
  if (from.ElementCount() == 0) return "";
  for (const ReshapeGroup& group : ReshapeGroups(from, to)) {
    if (!AnyDynamic(from, group.from)) continue;
    const int d = ShrinkingDimension(to, group.to, InferredDimension(reshape));
    if (d < 0 || !to.is_dynamic_dimension(d))
      return "the result has no dynamic dimension for a dynamic one of the operand";
    if (group.count > std::numeric_limits<int32_t>::max()) return "a group of dimensions has too many elements for s32";
  }
  return "";
}

struct SizedDimensions {
  std::vector<int64_t> bounds;
  std::vector<HloInstruction*> sizes;  // nullptr: the bound
};

SizedDimensions Part(const PaddedArray& x, DimensionRange range) {
  SizedDimensions part;
  for (int d = range.begin; d < range.end; ++d) {
    part.bounds.push_back(x.bound(d));
    part.sizes.push_back(x.sizes[d]);
  }
  return part;
}

HloInstruction* SizeIn(const SizedDimensions& dims, size_t d, InstructionBuilder& build) {
  return dims.sizes[d] != nullptr ? dims.sizes[d] : build.Scalar(S32, dims.bounds[d]);
}

// For each position of the bounds of `to`, counted in row-major order, the position in the bounds of `from` of the
// valid element of the same number.
HloInstruction* RepackedPositions(const SizedDimensions& from, const SizedDimensions& to, int64_t count,
                                  InstructionBuilder& build) {
  HloInstruction* const position = build.Iota(Shape::Array(S32, {count}), 0);
  const Shape& shape = position->shape();
  HloInstruction* number = build.Splat(shape, 0);
  HloInstruction* run = build.Scalar(S32, 1);  // valid elements per index of the dimension
  int64_t stride = 1;
  for (size_t d = to.bounds.size(); d-- > 0;) {
    HloInstruction* const coordinate = build.Binary(
        HloOpcode::kRemainder, build.Div(position, build.Splat(shape, stride)), build.Splat(shape, to.bounds[d]));
    number = build.Add(number, build.Mul(coordinate, Spread(run, position, build)));
    run = build.Mul(run, SizeIn(to, d, build));
    stride *= to.bounds[d];
  }
  HloInstruction* source = build.Splat(shape, 0);
  stride = 1;
  for (size_t d = from.bounds.size(); d-- > 0;) {
    HloInstruction* coordinate = number;
    if (d > 0) {
      HloInstruction* const size = Spread(SizeIn(from, d, build), position, build);
      coordinate = build.Binary(HloOpcode::kRemainder, number, size);
      number = build.Div(number, size);
    }
    source = build.Add(source, build.Mul(coordinate, build.Splat(shape, stride)));
    stride *= from.bounds[d];
  }
  return source;
}

// Valid elements that begin both groups of dimensions stay where they are.
bool OnlyFirstIsDynamic(const SizedDimensions& dims) {
  for (size_t d = 1; d < dims.sizes.size(); ++d) {
    if (dims.sizes[d] != nullptr) return false;
  }
  return true;
}

// Each group becomes one dimension of an array in between. Where only the first dimension of a group shrinks, on both
// sides, valid elements are a prefix of the group and stay where they are; other groups are repacked.
Padded ExpandReshape(const HloInstruction& reshape, Operands operands, InstructionBuilder& build) {
  const PaddedArray& x = operands[0];
  const Shape& to = reshape.shape();
  if (x.shape().ElementCount() == 0) return {StaticPadded(build.Splat(BoundsOf(to), 0))};
  const std::vector<ReshapeGroup> groups = ReshapeGroups(x.shape(), to);
  std::vector<int64_t> counts;
  for (const ReshapeGroup& group : groups) counts.push_back(group.count);
  PaddedArray result{nullptr, std::vector<HloInstruction*>(to.rank(), nullptr)};
  HloInstruction* array = build.Reshape(x.array, counts);
  for (size_t g = 0; g < groups.size(); ++g) {
    const ReshapeGroup& group = groups[g];
    const SizedDimensions from = Part(x, group.from);
    HloInstruction* valid = nullptr;
    for (size_t d = 0; d < from.sizes.size(); ++d) {
      HloInstruction* const size = SizeIn(from, d, build);
      valid = valid == nullptr ? size : build.Mul(valid, size);
    }
    if (OnlyFirstIsDynamic(from) && (from.sizes.empty() || from.sizes[0] == nullptr)) continue;
    const int shrinking = ShrinkingDimension(to, group.to, InferredDimension(reshape));
    const int64_t others = group.count / to.dimension(shrinking);
    result.sizes[shrinking] = others == 1 ? valid : build.Div(valid, build.Scalar(S32, others));
    SizedDimensions into;
    for (int d = group.to.begin; d < group.to.end; ++d) {
      into.bounds.push_back(to.dimension(d));
      into.sizes.push_back(result.sizes[d]);
    }
    if (OnlyFirstIsDynamic(from) && OnlyFirstIsDynamic(into)) continue;
    array = TakeAt(array, static_cast<int64_t>(g), RepackedPositions(from, into, group.count, build), build);
  }
  result.array = build.Reshape(array, to.dimensions());
  return {result};
}

std::string RefuseDynamicReshape(const HloInstruction& reshape) {
  return reshape.shape().ElementCount() > std::numeric_limits<int32_t>::max() ? "it has too many elements for s32" : "";
}

// The sizes are operands, so nothing is known of them: all elements are repacked as one group.
Padded ExpandDynamicReshape(const HloInstruction& reshape, Operands operands, InstructionBuilder& build) {
  const PaddedArray& x = operands[0];
  PaddedArray result{nullptr, {}};
  for (int d = 0; d < reshape.shape().rank(); ++d) {
    result.sizes.push_back(reshape.shape().is_dynamic_dimension(d) ? operands[1 + d].array : nullptr);
  }
  const Shape bounds = BoundsOf(reshape.shape());
  if (bounds.ElementCount() == 0) {
    result.array = build.Splat(bounds, 0);
    return {result};
  }
  const int64_t count = bounds.ElementCount();
  const SizedDimensions from = Part(x, {0, x.shape().rank()});
  const SizedDimensions to{{bounds.dimensions().begin(), bounds.dimensions().end()}, result.sizes};
  HloInstruction* const moved =
      TakeAt(build.Reshape(x.array, {count}), 0, RepackedPositions(from, to, count, build), build);
  result.array = build.Reshape(moved, bounds.dimensions());
  return {result};
}

}  // namespace

absl::Span<const DynamicRule> DynamicReshapeRules() {
  static constexpr DynamicRule kRules[] = {
      {HloOpcode::kReshape, &RefuseReshape, &ExpandReshape},
      {HloOpcode::kDynamicReshape, &RefuseDynamicReshape, &ExpandDynamicReshape},
  };
  return kRules;
}

}  // namespace xla
