#include "passes/algebra/movement.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "passes/base/splat.h"

namespace xla {

bool HasOneUse(const HloInstruction& instruction) {
  return instruction.users().size() == 1 && instruction.parent()->root() != &instruction &&
         !instruction.HasControlEdges();
}

const DimensionVector& DimensionsOf(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast ? instruction.attributes<BroadcastAttributes>().dimensions
                                                       : instruction.attributes<DimensionsAttributes>().dimensions;
}

bool HasDimension(absl::Span<const int64_t> values, int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool IsAscending(absl::Span<const int64_t> values) { return std::is_sorted(values.begin(), values.end()); }

DimensionVector Counting(int64_t n) {
  DimensionVector result;
  for (int64_t i = 0; i < n; ++i) result.push_back(i);
  return result;
}

bool IsCounting(absl::Span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

DimensionVector InversePermutation(absl::Span<const int64_t> permutation) {
  DimensionVector inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int64_t>(i);
  return inverse;
}

DimensionVector Permuted(absl::Span<const int64_t> values, absl::Span<const int64_t> permutation) {
  DimensionVector result;
  for (const int64_t i : permutation) result.push_back(values[i]);
  return result;
}

DimensionVector Without(absl::Span<const int64_t> values, absl::Span<const int64_t> places) {
  return Permuted(values, OtherDimensions(static_cast<int64_t>(values.size()), places));
}

DimensionVector OtherDimensions(int64_t n, absl::Span<const int64_t> places) {
  std::vector<bool> named(n);
  for (const int64_t place : places) named[place] = true;
  DimensionVector result;
  for (int64_t i = 0; i < n; ++i) {
    if (!named[i]) result.push_back(i);
  }
  return result;
}

DimensionVector Squeezed(absl::Span<const int64_t> sizes) {
  DimensionVector result;
  for (const int64_t size : sizes) {
    if (size != 1) result.push_back(size);
  }
  return result;
}

int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// Cuts both lists of sizes into the smallest groups with equal products: a reshape moves elements only within a
// group. Sizes of 1 make groups of their own.
std::vector<DimensionGroup> CommonGroups(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  const int from_rank = static_cast<int>(from.size()), to_rank = static_cast<int>(to.size());
  std::vector<DimensionGroup> groups;
  int i = 0, j = 0;
  while (i < from_rank || j < to_rank) {
    DimensionGroup group{i, i, j, j};
    const bool from_is_one = i < from_rank && from[i] == 1;
    const bool to_is_one = j < to_rank && to[j] == 1;
    if (from_is_one || to_is_one) {
      if (from_is_one) ++i;
      if (to_is_one) ++j;
    } else {
      int64_t from_product = from[i++], to_product = to[j++];
      while (from_product != to_product) {
        if (from_product < to_product) {
          from_product *= from[i++];
        } else {
          to_product *= to[j++];
        }
      }
    }
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  return groups;
}

bool IsDegenerateReshape(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReshape &&
         Squeezed(instruction.shape().dimensions()) == Squeezed(instruction.operand(0)->shape().dimensions());
}

HloInstruction* MakeSlice(HloInstruction* x, absl::Span<const SliceRange> ranges, InstructionBuilder& build) {
  DimensionVector starts, limits, strides;
  for (const SliceRange& range : ranges) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  return build.Slice(x, starts, limits, strides);
}

HloInstruction* RepeatedScalar(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kBroadcast) return nullptr;
  HloInstruction* const scalar = instruction.operand(0);
  return scalar->shape().rank() == 0 ? scalar : nullptr;
}

bool IsSameScalar(const HloInstruction& a, const HloInstruction& b) {
  if (&a == &b) return true;
  const Literal* const x = ConstantValue(a);
  const Literal* const y = ConstantValue(b);
  return x != nullptr && y != nullptr && x->shape().IsScalar() && y->shape().IsScalar() &&
         x->shape().element_type() == y->shape().element_type() &&
         std::memcmp(x->untyped_data(), y->untyped_data(), x->size_bytes()) == 0;
}

}  // namespace xla
