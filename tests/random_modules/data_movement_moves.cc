// Operations that move elements without looking at them, uniformly drawn.
#include <algorithm>
#include <vector>

#include "tests/random_modules/moves.h"

namespace xla {
namespace {

// Some dimensions with this product, in random order of divisors.
DimensionVector Factorize(int64_t count, RandomSource& random) {
  DimensionVector sizes;
  if (count == 0) return {0, random.Between(1, 3)};
  while (count > 1 && sizes.size() < 3) {
    std::vector<int64_t> divisors;
    for (int64_t d = 2; d <= count; ++d) {
      if (count % d == 0) divisors.push_back(d);
    }
    sizes.push_back(random.Pick(divisors));
    count /= sizes.back();
  }
  if (count > 1) sizes.push_back(count);
  while (sizes.size() < 4 && random.Chance(30)) {
    sizes.insert(sizes.begin() + random.Below(static_cast<int64_t>(sizes.size()) + 1), 1);
  }
  return sizes;
}

void ReshapeMove(Scope& scope) {
  const Value x = scope.Array();
  scope.Reshape(x, Factorize(x.shape().ElementCount(), scope.random()));
}

void BitcastMove(Scope& scope) {
  const Value x = scope.Array();
  scope.Add(HloOpcode::kBitcast, {x}, x.facts,
            {nullptr, ArrayShape(x.type(), Factorize(x.shape().ElementCount(), scope.random()))});
}

void TransposeMove(Scope& scope) {
  const Value x = scope.Array();
  scope.Transpose(x, scope.Permutation(x.rank()));
}

void BroadcastMove(Scope& scope) {
  const Value x = scope.Array();
  if (x.rank() > 3 || x.shape().ElementCount() > 200) return;
  DimensionVector sizes = ToVector(x.dimensions());
  std::vector<int64_t> places = Identity(x.rank());
  const int64_t more = scope.random().Between(scope.random().Chance(10) ? 0 : 1, 4 - x.rank() > 2 ? 2 : 1);
  for (int64_t i = 0; i < more; ++i) {
    const int64_t at = scope.random().Below(static_cast<int64_t>(sizes.size()) + 1);
    sizes.insert(sizes.begin() + at, scope.random().Between(1, 4));
    for (int64_t& place : places) place += place >= at ? 1 : 0;
  }
  scope.Broadcast(x, sizes, places);
}

void SliceMove(Scope& scope) {
  const Value x = scope.Array();
  std::vector<SliceRange> ranges;
  for (const int64_t size : x.dimensions()) {
    const int64_t start = scope.random().Chance(40) ? 0 : scope.random().Between(0, size);
    const int64_t limit = scope.random().Chance(40) ? size : scope.random().Between(start, size);
    ranges.push_back({start, std::max(limit, start), scope.random().Chance(75) ? 1 : scope.random().Between(1, 3)});
  }
  scope.Slice(x, ranges);
}

void PadMove(Scope& scope) {
  const Value x = scope.Array();
  PaddingConfig padding;
  for (const int64_t size : x.dimensions()) {
    PaddingDimension dimension;
    dimension.interior = scope.random().Chance(75) ? 0 : scope.random().Between(1, 2);
    const int64_t stretched = size + std::max<int64_t>(size - 1, 0) * dimension.interior;
    dimension.low = scope.random().Chance(40) ? 0 : scope.random().Between(-2, 3);
    dimension.high = scope.random().Chance(40) ? 0 : scope.random().Between(-2, 3);
    while (stretched + dimension.low + dimension.high < 0) ++dimension.high;
    padding.push_back(dimension);
  }
  scope.Pad(x, scope.Like(Shape::Scalar(x.type())), padding);
}

void ConcatenateMove(Scope& scope) {
  const Value x = scope.Array();
  if (x.rank() == 0) return;
  const int64_t dimension = scope.random().Below(x.rank());
  std::vector<Value> operands = {x};
  for (int64_t i = scope.random().Below(3); i > 0; --i) {
    Shape shape = x.shape();
    if (scope.random().Chance(40)) shape.set_dimension(static_cast<int>(dimension), scope.random().Between(0, 4));
    operands.push_back(scope.Like(shape));
  }
  std::swap(operands[0], operands[scope.random().Below(static_cast<int64_t>(operands.size()))]);
  scope.Concatenate(operands, dimension);
}

void ReverseMove(Scope& scope) {
  const Value x = scope.Array();
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (scope.random().Chance(50)) dimensions.push_back(d);
  }
  scope.Reverse(x, dimensions);
}

void IotaMove(Scope& scope) {
  const DimensionVector dimensions = scope.Dimensions(1, 3);
  PrimitiveType type = S32;
  do {
    type = scope.ElementType(~0u);
  } while (type == PRED || BitWidth(type) < 4);
  scope.Iota(type, dimensions, scope.random().Below(static_cast<int64_t>(dimensions.size())));
}

void CopyMove(Scope& scope) { scope.Copy(scope.Array()); }

void ConstantMove(Scope& scope) {
  scope.Constant(ArrayShape(scope.ElementType(~0u), scope.Dimensions(0, 3)), scope.AnyDataClass());
}

void ParameterMove(Scope& scope) {
  scope.Fresh(ArrayShape(scope.ElementType(~0u), scope.Dimensions(0, 4)), scope.AnyDataClass());
}

}  // namespace

absl::Span<const Move> DataMovementMoves() {
  static constexpr Move kMoves[] = {
      {"reshape", 8, 2, &ReshapeMove},     {"bitcast", 2, 2, &BitcastMove},   {"transpose", 8, 2, &TransposeMove},
      {"broadcast", 9, 2, &BroadcastMove}, {"slice", 8, 2, &SliceMove},       {"pad", 6, 2, &PadMove},
      {"concat", 6, 2, &ConcatenateMove},  {"reverse", 5, 2, &ReverseMove},   {"iota", 5, 2, &IotaMove},
      {"copy", 3, 2, &CopyMove},           {"constant", 4, 1, &ConstantMove}, {"parameter", 3, 0, &ParameterMove},
  };
  return kMoves;
}

}  // namespace xla
