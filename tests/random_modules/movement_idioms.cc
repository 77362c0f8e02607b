// Patterns of data movement that simplifiers look for.
#include <algorithm>
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

std::vector<SliceRange> WholeRanges(const Value& x) {
  std::vector<SliceRange> ranges;
  for (const int64_t size : x.dimensions()) ranges.push_back({0, size, 1});
  return ranges;
}

absl::optional<Value> ArrayOfRank(Scope& scope, int min_rank) {
  return scope.Find([&](const Value& value) {
    return IsStaticArray(value) && value.rank() >= min_rank && value.shape().ElementCount() <= 300;
  });
}

// Two or three of reshape, transpose, reverse, copy, insertion and removal of dimensions of size 1.
void MovementChainIdiom(Scope& scope) {
  Value x = scope.Array();
  for (int64_t i = scope.random().Between(2, 4); i > 0; --i) {
    switch (scope.random().Below(6)) {
      case 0:
        x = scope.Transpose(x, scope.Permutation(x.rank()));
        break;
      case 1:
        x = scope.Reshape(x, {x.shape().ElementCount()});
        break;
      case 2: {
        DimensionVector sizes = ToVector(x.dimensions());
        if (sizes.size() < 5)
          sizes.insert(sizes.begin() + scope.random().Below(static_cast<int64_t>(sizes.size()) + 1), 1);
        x = scope.Reshape(x, sizes);
        break;
      }
      case 3: {
        DimensionVector sizes;
        for (const int64_t size : x.dimensions()) {
          if (size != 1) sizes.push_back(size);
        }
        x = scope.Reshape(x, sizes);
        break;
      }
      case 4:
        if (x.rank() > 0) x = scope.Reverse(x, {scope.random().Below(x.rank())});
        break;
      default:
        if ((IsInt(x.type()) || IsFloat(x.type())) && x.facts.exact) {
          x = scope.Unary(HloOpcode::kNegate, x);
        } else {
          x = scope.Copy(x);
        }
    }
  }
}

void InverseTransposeIdiom(Scope& scope) {
  const Value x = scope.Array();
  const std::vector<int64_t> permutation = scope.Permutation(x.rank());
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int64_t>(i);
  Value y = scope.Transpose(x, permutation);
  if (scope.random().Chance(40)) y = scope.Copy(y);
  if (scope.random().Chance(40) && x.facts.exact && !IsUnsignedInt(y.type()) && y.type() != PRED) {
    y = scope.Unary(HloOpcode::kAbs, y);
  }
  scope.Transpose(y, inverse);
}

void BroadcastIdiom(Scope& scope) {
  const Value x = scope.Array();
  if (x.rank() > 2 || x.shape().ElementCount() > 64) return;
  DimensionVector sizes = ToVector(x.dimensions());
  sizes.push_back(scope.random().Between(1, 4));
  const Value wide = scope.Broadcast(x, sizes, Identity(x.rank()));
  switch (scope.random().Below(5)) {
    case 0: {
      sizes.insert(sizes.begin(), scope.random().Between(1, 3));
      std::vector<int64_t> places = Identity(wide.rank());
      for (int64_t& place : places) ++place;
      scope.Broadcast(wide, sizes, places);
      return;
    }
    case 1:
      scope.Reshape(wide, {wide.shape().ElementCount()});
      return;
    case 2:
      scope.Transpose(wide, scope.Permutation(wide.rank()));
      return;
    case 3: {
      std::vector<SliceRange> ranges = WholeRanges(wide);
      ranges.back().limit = std::min<int64_t>(ranges.back().limit, 2);
      scope.Slice(wide, ranges);
      return;
    }
    default: {
      if (!x.facts.exact || x.type() == PRED) return;
      scope.Binary(HloOpcode::kAdd, wide,
                   scope.Broadcast(scope.Like(x.shape()), wide.dimensions(), Identity(x.rank())));
    }
  }
}

// Slices of concatenations, within pieces and across them; and the pieces put together again.
void SliceOfConcatenateIdiom(Scope& scope) {
  const absl::optional<Value> x = ArrayOfRank(scope, 1);
  if (!x.has_value()) return;
  const int d = static_cast<int>(scope.random().Below(x->rank()));
  const Value y = scope.Like(x->shape());
  const Value both = scope.Concatenate(std::vector<Value>{*x, y, *x}, d);
  std::vector<SliceRange> ranges = WholeRanges(both);
  const int64_t piece = x->dimension(d);
  switch (scope.random().Below(3)) {
    case 0:
      ranges[d] = {piece, 2 * piece, 1};
      break;
    case 1:
      ranges[d].start = scope.random().Between(0, 3 * piece);
      ranges[d].limit = scope.random().Between(ranges[d].start, 3 * piece);
      break;
    default:
      ranges[d].stride = scope.random().Between(1, 3);
  }
  scope.Slice(both, ranges);
}

// An array cut in two and joined, in order or not.
void JoinedSlicesIdiom(Scope& scope) {
  const absl::optional<Value> x = ArrayOfRank(scope, 1);
  if (!x.has_value()) return;
  const int d = static_cast<int>(scope.random().Below(x->rank()));
  const int64_t cut = scope.random().Between(0, x->dimension(d));
  std::vector<SliceRange> low = WholeRanges(*x), high = WholeRanges(*x);
  low[d].limit = cut;
  high[d].start = cut;
  const Value first = scope.Slice(*x, low);
  const Value second = scope.Slice(*x, high);
  scope.Concatenate(scope.random().Chance(70) ? std::vector<Value>{first, second} : std::vector<Value>{second, first},
                    d);
}

// Slices, pads, reverses and concatenations of each other.
void RangeChainIdiom(Scope& scope) {
  absl::optional<Value> found = ArrayOfRank(scope, 1);
  if (!found.has_value()) return;
  Value x = *found;
  for (int64_t i = scope.random().Between(2, 4); i > 0; --i) {
    const int d = static_cast<int>(scope.random().Below(x.rank()));
    switch (scope.random().Below(4)) {
      case 0: {
        std::vector<SliceRange> ranges = WholeRanges(x);
        ranges[d].start = scope.random().Between(0, std::min<int64_t>(2, ranges[d].limit));
        ranges[d].stride = scope.random().Chance(75) ? 1 : 2;
        x = scope.Slice(x, ranges);
        break;
      }
      case 1: {
        PaddingConfig padding(x.rank());
        padding[d].low = scope.random().Between(x.dimension(d) > 0 ? -1 : 0, 2);
        padding[d].high = scope.random().Between(x.dimension(d) > 1 ? -1 : 0, 2);
        padding[d].interior = scope.random().Chance(80) ? 0 : 1;
        x = scope.Pad(x, scope.Scalar(x.type(), scope.random().Chance(70) ? 0 : 1), padding);
        break;
      }
      case 2:
        x = scope.Reverse(x, {d});
        break;
      default:
        x = scope.Concatenate(std::vector<Value>{x, scope.random().Chance(50) ? x : scope.Like(x.shape())}, d);
    }
    if (x.shape().ElementCount() > 300) return;
  }
}

Facts ReducedFacts(HloOpcode opcode, const Value& x, double terms) {
  if (opcode != HloOpcode::kAdd) return Facts::Exact();
  return SumFacts(x.type(), terms, x.facts);
}

// A sum or a maximum over some dimensions from 0.
absl::optional<Value> Reduce(Scope& scope, const Value& x, const std::vector<int64_t>& dimensions, HloOpcode opcode) {
  double terms = 1;
  for (const int64_t d : dimensions) terms *= static_cast<double>(x.dimension(static_cast<int>(d)));
  if (opcode == HloOpcode::kAdd && !MaySum(x.type(), terms, x.facts)) return absl::nullopt;
  const Value zero = scope.Scalar(x.type(), 0);
  Facts facts = ReducedFacts(opcode, x, terms);
  if (facts.bounded) facts = Either(facts, Facts::Whole(0, 0)), facts.nan_bits = false;
  return scope.Add(HloOpcode::kReduce, {x, zero}, facts,
                   {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = ToVector(dimensions); }),
                    absl::nullopt,
                    {ScalarComputation(scope.state(), opcode, x.type())}});
}

absl::optional<Value> Summable(Scope& scope) {
  return scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.facts.integral && !IsComplex(value.type()) &&
           value.rank() >= 1 && value.facts.magnitude() < 1000 && value.shape().ElementCount() <= 200 &&
           value.type() != PRED;
  });
}

// Reductions of what is easier to reduce before: broadcasts, transposes, reshapes, concatenations, pads, reductions.
void ReduceOfMovementIdiom(Scope& scope) {
  absl::optional<Value> found = Summable(scope);
  if (!found.has_value()) {
    found = scope.Fresh(ArrayShape(scope.random().Chance(70) ? F32 : S32, scope.Dimensions(1, 3)), DataClass::kSmall);
  }
  Value x = *found;
  const HloOpcode opcode = scope.random().Chance(70) ? HloOpcode::kAdd : HloOpcode::kMaximum;
  switch (scope.random().Below(7)) {
    case 0: {
      DimensionVector sizes = ToVector(x.dimensions());
      sizes.push_back(scope.random().Between(1, 4));
      x = scope.Broadcast(x, sizes, Identity(x.rank()));
      break;
    }
    case 1:
      x = scope.Transpose(x, scope.Permutation(x.rank()));
      break;
    case 2: {
      DimensionVector sizes = ToVector(x.dimensions());
      sizes.insert(sizes.begin() + scope.random().Below(static_cast<int64_t>(sizes.size()) + 1), 1);
      x = scope.Reshape(x, sizes);
      break;
    }
    case 3:
      x = scope.Reshape(x, {x.shape().ElementCount()});
      break;
    case 4: {
      const Value y = scope.Fresh(x.shape(), DataClass::kSmall);
      x = scope.Concatenate(std::vector<Value>{x, y}, scope.random().Below(x.rank()));
      break;
    }
    case 5: {
      PaddingConfig padding(x.rank());
      padding[scope.random().Below(x.rank())] = {1, 2, scope.random().Below(2)};
      x = scope.Pad(x, scope.Scalar(x.type(), scope.random().Chance(80) ? 0 : 1), padding);
      break;
    }
    default: {
      const absl::optional<Value> reduced = Reduce(scope, x, {scope.random().Below(x.rank())}, opcode);
      if (!reduced.has_value() || reduced->rank() == 0) return;
      x = *reduced;
    }
  }
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (scope.random().Chance(60)) dimensions.push_back(d);
  }
  Reduce(scope, x, dimensions, opcode);
}

// One dot of two factors with one contracted dimension each.
absl::optional<Value> Dot(Scope& scope, const Value& lhs, int64_t lhs_dim, const Value& rhs, int64_t rhs_dim) {
  const double terms = static_cast<double>(lhs.dimension(static_cast<int>(lhs_dim)));
  const Facts product = ProductFacts(lhs.facts, rhs.facts, lhs.type());
  if (!IsInt(lhs.type()) && !MaySum(lhs.type(), terms, product)) return absl::nullopt;
  Facts facts = IsInt(lhs.type()) ? Facts::Exact() : SumFacts(lhs.type(), terms, product);
  return scope.Add(HloOpcode::kDot, {lhs, rhs}, facts, {MakeAttributes<DotAttributes>([&](auto& a) {
                     a.lhs_contracting_dims = {lhs_dim};
                     a.rhs_contracting_dims = {rhs_dim};
                   })});
}

// Dots with transposes, reshapes, broadcasts, ones, dimensions of size 1 or 0, and in chains.
void DotIdiom(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, F64, S32, BF16};
  static constexpr DataClass kClasses[] = {DataClass::kSmall, DataClass::kSmall, DataClass::kCount,
                                           DataClass::kPositive};
  static constexpr int64_t kSizes[] = {1, 1, 2, 3, 4, 8};
  RandomSource& random = scope.random();
  const PrimitiveType type = random.Pick(kTypes);
  const DataClass data_class = IsInt(type) ? DataClass::kSmall : random.Pick(kClasses);
  const int64_t m = random.Pick(kSizes), n = random.Pick(kSizes);
  const int64_t k = random.Chance(4) ? 0 : random.Pick(kSizes);
  const bool transposed_lhs = random.Chance(40), transposed_rhs = random.Chance(40);
  Value lhs = scope.Fresh(transposed_lhs ? ArrayShape(type, {k, m}) : ArrayShape(type, {m, k}), data_class);
  Value rhs = scope.Fresh(transposed_rhs ? ArrayShape(type, {n, k}) : ArrayShape(type, {k, n}), data_class);
  if (transposed_lhs) lhs = scope.Transpose(lhs, {1, 0});
  if (transposed_rhs) rhs = scope.Transpose(rhs, {1, 0});
  if (random.Chance(12)) rhs = scope.Splat(rhs.shape(), static_cast<double>(random.Between(0, 2)));
  if (random.Chance(15)) lhs = scope.Slice(lhs, WholeRanges(lhs));
  if (random.Chance(15)) rhs = scope.Reshape(rhs, rhs.dimensions());
  if (random.Chance(15)) lhs = scope.Reverse(lhs, {0});
  absl::optional<Value> product = Dot(scope, lhs, 1, rhs, 0);
  if (!product.has_value()) return;
  if (random.Chance(30)) product = scope.Transpose(*product, {1, 0});
  if (random.Chance(30) && product->facts.exact) {
    const Value other = scope.Fresh(ArrayShape(type, {product->dimension(1), 2}), data_class);
    Dot(scope, *product, 1, other, 0);
  }
  if (random.Chance(40) && (product->facts.exact || product->facts.IsPositive())) {
    const Value bias = scope.Fresh(ArrayShape(type, {product->dimension(1)}), data_class);
    const Value sum = scope.Binary(HloOpcode::kAdd, *product, scope.Broadcast(bias, product->dimensions(), {1}));
    scope.Binary(HloOpcode::kMaximum, sum, scope.Splat(sum.shape(), 0));
  }
}

// A convolution with a window of 1, or as large as its input.
void ConvolutionIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const int64_t batch = random.Between(1, 2), in = random.Between(1, 3), out = random.Between(1, 3),
                size = random.Between(1, 4);
  const bool whole = random.Chance(40);
  const Value lhs = scope.Fresh(ArrayShape(F32, {batch, size, size, in}), DataClass::kSmall);
  const int64_t window = whole ? size : 1;
  Value rhs = scope.Fresh(ArrayShape(F32, {window, window, in, out}), DataClass::kSmall);
  if (random.Chance(30)) rhs = scope.Reverse(rhs, {0, 1});
  ConvolutionAttributes a;
  a.window.dimensions.resize(2);
  for (WindowDimension& w : a.window.dimensions) {
    w.size = window;
    w.stride = random.Chance(70) ? 1 : 2;
    w.padding_low = random.Chance(80) ? 0 : 1;
  }
  a.dim_labels.input_batch = a.dim_labels.output_batch = 0;
  a.dim_labels.input_feature = a.dim_labels.output_feature = 3;
  a.dim_labels.input_spatial = a.dim_labels.output_spatial = {1, 2};
  a.dim_labels.kernel_spatial = {0, 1};
  a.dim_labels.kernel_input_feature = 2;
  a.dim_labels.kernel_output_feature = 3;
  const double terms = static_cast<double>(window * window * in);
  Value padded = lhs;
  if (random.Chance(30)) {
    padded = scope.Pad(lhs, scope.Scalar(F32, 0), {{0, 0, 0}, {1, 1, 0}, {0, 1, random.Below(2)}, {0, 0, 0}});
  }
  scope.Add(HloOpcode::kConvolution, {padded, rhs}, Facts::Whole(-9 * terms, 9 * terms),
            {std::make_unique<ConvolutionAttributes>(a)});
}

// dynamic-slice and dynamic-update-slice whose place is known, or that take all.
void DynamicSliceIdiom(Scope& scope) {
  const absl::optional<Value> x = ArrayOfRank(scope, 1);
  if (!x.has_value()) return;
  const auto starts = [&](double number) {
    std::vector<Value> values;
    for (int d = 0; d < x->rank(); ++d) values.push_back(scope.Scalar(S32, d == 0 ? number : 0));
    return values;
  };
  DimensionVector sizes = ToVector(x->dimensions());
  if (scope.random().Chance(70)) sizes[0] = std::min<int64_t>(1, sizes[0]);
  std::vector<Value> operands = starts(static_cast<double>(scope.random().Between(-1, x->dimension(0))));
  if (scope.random().Chance(30)) operands[0] = scope.Like(Shape::Scalar(S32), DataClass::kCount);
  operands.insert(operands.begin(), *x);
  if (scope.random().Chance(50)) {
    const auto slice_of = [&](const std::vector<Value>& arguments) {
      return scope.Add(HloOpcode::kDynamicSlice, arguments, x->facts,
                       {MakeAttributes<DynamicSliceAttributes>([&](auto& a) { a.slice_sizes = sizes; })});
    };
    const Value slice = slice_of(operands);
    operands[0] = slice;
    if (scope.random().Chance(30)) slice_of(operands);
    return;
  }
  const Value update = scope.Like(ArrayShape(x->type(), sizes));
  operands.insert(operands.begin() + 1, update);
  const Value updated = scope.Add(HloOpcode::kDynamicUpdateSlice, operands, Either(x->facts, update.facts));
  if (scope.random().Chance(40)) {
    const Value second = scope.Like(update.shape());
    operands[0] = updated;
    operands[1] = second;
    scope.Add(HloOpcode::kDynamicUpdateSlice, operands, Either(updated.facts, second.facts));
  }
  if (scope.random().Chance(40)) {
    operands.erase(operands.begin() + 1);
    operands[0] = updated;
    scope.Add(HloOpcode::kDynamicSlice, operands, updated.facts,
              {MakeAttributes<DynamicSliceAttributes>([&](auto& a) { a.slice_sizes = sizes; })});
  }
}

// Rows taken by constant or consecutive indices.
void GatherIdiom(Scope& scope) {
  const absl::optional<Value> x = ArrayOfRank(scope, 1);
  if (!x.has_value() || x->dimension(0) == 0) return;
  const int64_t count = scope.random().Between(1, 4);
  Value indices = scope.random().Chance(40) ? scope.Iota(S32, {count}, 0)
                                            : scope.Constant(ArrayShape(S32, {count}), DataClass::kCount);
  if (scope.random().Chance(20)) {
    const Value negative = scope.Compare(ComparisonDirection::kLt, indices, scope.Splat(indices.shape(), 0));
    const Value wrapped =
        scope.Binary(HloOpcode::kAdd, indices, scope.Splat(indices.shape(), static_cast<double>(x->dimension(0))));
    indices = scope.Select(negative, wrapped, indices);
  }
  if (scope.random().Chance(50)) indices = scope.Reshape(indices, {count, 1});
  scope.Add(HloOpcode::kGather, {*x, indices}, x->facts, {MakeAttributes<GatherAttributes>([&](auto& a) {
              for (int64_t d = 1; d < x->rank(); ++d) a.offset_dims.push_back(d);
              a.collapsed_slice_dims = {0};
              a.start_index_map = {0};
              a.index_vector_dim = 1;
              a.slice_sizes = ToVector(x->dimensions());
              a.slice_sizes[0] = 1;
            })});
}

// x[i, :] = y
void ScatterIdiom(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.rank() >= 1 && value.dimension(0) > 0;
  });
  if (!x.has_value()) return;
  DimensionVector sizes = ToVector(x->dimensions());
  sizes.erase(sizes.begin());
  const Value index =
      scope.random().Chance(50)
          ? scope.Number(ArrayShape(S32, {1}), static_cast<double>(scope.random().Between(-1, x->dimension(0))))
          : scope.Like(ArrayShape(S32, {1}), DataClass::kCount);
  const Value updates = scope.Like(ArrayShape(x->type(), sizes));
  Scope replace(&scope.state(), "replace", Scope::Kind::kFusion, 9);
  replace.Parameter(Shape::Scalar(x->type()), Facts::Exact(), "old");
  HloComputation* const combiner = replace.Finish(replace.Parameter(Shape::Scalar(x->type()), Facts::Exact(), "new"));
  scope.Add(HloOpcode::kScatter, {*x, index, updates}, Facts::Exact(),
            {MakeAttributes<ScatterAttributes>([&](auto& a) {
               a.update_window_dims = ToVector(Identity(x->rank() - 1));
               a.inserted_window_dims = {0};
               a.scatter_dims_to_operand_dims = {0};
               a.index_vector_dim = 0;
             }),
             absl::nullopt,
             {combiner}});
}

// sort, then the first few.
void SortedHeadIdiom(Scope& scope) {
  absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.HasCertainBits() && value.rank() >= 1 && !IsComplex(value.type()) &&
           value.type() != PRED;
  });
  if (!x.has_value()) return;
  const int64_t d = x->rank() - 1;
  Scope comparator(&scope.state(), "comparator", Scope::Kind::kFusion, 9);
  const Value a = comparator.Parameter(Shape::Scalar(x->type()), x->facts, "a");
  const Value b = comparator.Parameter(Shape::Scalar(x->type()), x->facts, "b");
  const bool with_indices = scope.random().Chance(50);
  if (with_indices) {
    comparator.Parameter(Shape::Scalar(S32), Facts::Exact(), "i");
    comparator.Parameter(Shape::Scalar(S32), Facts::Exact(), "j");
  }
  HloComputation* const computation = comparator.Finish(comparator.Compare(
      scope.random().Chance(70) ? ComparisonDirection::kGt : ComparisonDirection::kLt, a, b, IsFloat(x->type())));
  std::vector<Value> operands = {*x};
  if (with_indices) operands.push_back(scope.Iota(S32, x->dimensions(), d));
  const Value sorted = scope.Add(HloOpcode::kSort, operands, x->facts,
                                 {MakeAttributes<SortAttributes>([&](auto& s) {
                                    s.dimension = d;
                                    s.is_stable = with_indices || scope.random().Chance(50);
                                  }),
                                  absl::nullopt,
                                  {computation}});
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value column =
        with_indices ? scope.GetTupleElement(sorted, static_cast<int64_t>(i), operands[i].facts) : sorted;
    std::vector<SliceRange> ranges = WholeRanges(column);
    ranges[d].limit = std::min<int64_t>(ranges[d].limit, 3);
    scope.Slice(column, ranges);
  }
}

void IotaIdiom(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {S32, S32, F32, U8, S64, BF16};
  const PrimitiveType type = scope.random().Pick(kTypes);
  const int64_t n = scope.random().Between(1, 8);
  const Value iota = scope.Iota(type, {n, scope.random().Between(1, 4)}, 0);
  switch (scope.random().Below(5)) {
    case 0:
      scope.Reshape(iota, {iota.shape().ElementCount()});
      return;
    case 1:
      scope.Binary(HloOpcode::kRemainder, iota,
                   scope.Splat(iota.shape(), static_cast<double>(scope.random().Between(n - 1, n + 1))));
      return;
    case 2:
      scope.Transpose(iota, {1, 0});
      return;
    case 3:
      scope.Reverse(iota, {0});
      return;
    default: {
      const Value scaled = scope.Binary(HloOpcode::kMultiply, iota, scope.Splat(iota.shape(), 2));
      scope.Binary(HloOpcode::kAdd, scaled, scope.Splat(iota.shape(), 1));
    }
  }
}

// A select by an iota comparison: a pad, a slice or a triangle in disguise.
void MaskIdiom(Scope& scope) {
  absl::optional<Value> x = ArrayOfRank(scope, 1);
  if (!x.has_value()) return;
  const Value rows = scope.Iota(S32, x->dimensions(), 0);
  const Value bound = x->rank() >= 2 && scope.random().Chance(50)
                          ? scope.Iota(S32, x->dimensions(), 1)
                          : scope.Splat(rows.shape(), static_cast<double>(scope.random().Between(0, 4)));
  const Value mask = scope.Compare(ComparisonDirection::kGe, rows, bound);
  scope.Select(mask, *x, scope.Splat(ArrayShape(x->type(), x->dimensions()), 0));
}

}  // namespace

absl::Span<const Move> MovementIdioms() {
  static constexpr Move kMoves[] = {
      {"movement chain", 6, 2, &MovementChainIdiom},
      {"inverse transpose", 3, 2, &InverseTransposeIdiom},
      {"broadcast", 4, 2, &BroadcastIdiom},
      {"slice of concatenate", 4, 2, &SliceOfConcatenateIdiom},
      {"joined slices", 3, 2, &JoinedSlicesIdiom},
      {"range chain", 5, 2, &RangeChainIdiom},
      {"reduce of movement", 6, 2, &ReduceOfMovementIdiom},
      {"dot", 6, 1, &DotIdiom},
      {"convolution", 3, 1, &ConvolutionIdiom},
      {"dynamic slice", 4, 2, &DynamicSliceIdiom},
      {"gather", 3, 2, &GatherIdiom},
      {"scatter", 3, 1, &ScatterIdiom},
      {"sorted head", 3, 1, &SortedHeadIdiom},
      {"iota", 3, 2, &IotaIdiom},
      {"mask", 3, 2, &MaskIdiom},
  };
  return kMoves;
}

}  // namespace xla
