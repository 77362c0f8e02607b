#include "builders/webnn/lowering/resample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// Positions are computed while building, and listed in the program.
constexpr int64_t kMaxResampledSize = int64_t{1} << 24;

bool CheckSize(XlaOp input, const ResampledAxis& axis) {
  if (axis.size <= kMaxResampledSize) return true;
  input.builder()->ReportError(absl::UnimplementedError(absl::StrCat(
      "resampling to ", axis.size, " elements is not supported; at most ", kMaxResampledSize, " are, along an axis")));
  return false;
}

double PositionInInput(const ResampledAxis& axis, int64_t input_size, int64_t o) {
  const double position = (static_cast<double>(o) + 0.5) / axis.scale - 0.5;
  return std::min(std::max(position, 0.0), static_cast<double>(input_size - 1));
}

// Whether positions are first, first + step, first + 2 step ...
bool AreEquallySpaced(absl::Span<const int64_t> positions, int64_t* step) {
  *step = positions.size() < 2 ? 1 : positions[1] - positions[0];
  for (size_t o = 1; o < positions.size(); ++o) {
    if (positions[o] - positions[o - 1] != *step) return false;
  }
  return *step > 0;
}

// Whether each element is taken the same number of times.
bool RepeatsEach(absl::Span<const int64_t> positions, int64_t input_size, int64_t* times) {
  const int64_t size = static_cast<int64_t>(positions.size());
  *times = size / input_size;
  if (size % input_size != 0) return false;
  for (int64_t o = 0; o < size; ++o) {
    if (positions[o] != o / *times) return false;
  }
  return true;
}

XlaOp Repeat(XlaOp x, int64_t axis, int64_t times) {
  ComputationBuilder& b = *x.builder();
  std::vector<int64_t> sizes = DimensionsOf(x), split = sizes, mapping;
  split.insert(split.begin() + axis + 1, times);
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d) {
    if (d != axis + 1) mapping.push_back(d);
  }
  sizes[axis] *= times;
  return b.Reshape(b.BroadcastInDim(x, split, mapping), sizes);
}

}  // namespace

XlaOp LowerResampleNearest(XlaOp input, absl::Span<const ResampledAxis> axes) {
  XlaOp x = input;
  for (const ResampledAxis& axis : axes) {
    if (!x.valid() || !CheckSize(x, axis)) return XlaOp();
    const int64_t input_size = DimensionsOf(x)[axis.axis];
    std::vector<int64_t> positions(axis.size);
    for (int64_t o = 0; o < axis.size; ++o) {
      positions[o] = static_cast<int64_t>(std::ceil(PositionInInput(axis, input_size, o) - 0.5));
    }
    int64_t step, times;
    if (AreEquallySpaced(positions, &step)) {
      if (positions[0] == 0 && axis.size == input_size) continue;
      x = x.builder()->SliceInDim(x, positions.front(), positions.back() + 1, step, axis.axis);
    } else if (RepeatsEach(positions, input_size, &times)) {
      x = Repeat(x, axis.axis, times);
    } else {
      x = TakePositions(x, axis.axis, positions);
    }
  }
  return x;
}

XlaOp LowerResampleLinear(XlaOp input, absl::Span<const ResampledAxis> axes) {
  if (!input.valid()) return input;
  ComputationBuilder& b = *input.builder();
  const PrimitiveType type = TypeOf(input);
  const bool is_integer = type != F32 && type != F16;
  XlaOp x = ConvertTo(input, F32);
  for (const ResampledAxis& axis : axes) {
    if (!x.valid() || !CheckSize(x, axis)) return XlaOp();
    std::vector<int64_t> sizes = DimensionsOf(x);
    const int64_t input_size = sizes[axis.axis];
    std::vector<int64_t> below(axis.size), above(axis.size);
    std::vector<float> weight_below(axis.size), weight_above(axis.size);
    bool all_weights_are_zero = true;
    for (int64_t o = 0; o < axis.size; ++o) {
      const double position = PositionInInput(axis, input_size, o);
      below[o] = static_cast<int64_t>(std::floor(position));
      above[o] = static_cast<int64_t>(std::ceil(position));
      weight_above[o] = static_cast<float>(position - std::floor(position));
      weight_below[o] = static_cast<float>(1 - (position - std::floor(position)));
      all_weights_are_zero = all_weights_are_zero && weight_above[o] == 0;
    }
    if (all_weights_are_zero && axis.size == input_size) continue;
    sizes[axis.axis] = axis.size;
    const auto weighted = [&](const std::vector<int64_t>& positions, const std::vector<float>& weights) {
      return b.Mul(TakePositions(x, axis.axis, positions),
                   BroadcastAlong(b.ConstantR1<float>(weights), sizes, {axis.axis}));
    };
    x = b.Add(weighted(below, weight_below), weighted(above, weight_above));
  }
  return ConvertTo(is_integer ? b.RoundNearestEven(x) : x, type);
}

}  // namespace webnn
}  // namespace xla
