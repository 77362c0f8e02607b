// Patterns of dots, convolutions and sorts that simplifiers look for.
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "tests/random_modules/moves.h"

namespace xla {
namespace {

// A fresh array of small whole numbers, so that sums of products are exact in any order; a constant by chance.
Value Factor(Scope& scope, PrimitiveType type, absl::Span<const int64_t> sizes) {
  const Shape shape = ArrayShape(type, sizes);
  return scope.random().Chance(25) ? scope.Constant(shape, DataClass::kSmall) : scope.Fresh(shape, DataClass::kSmall);
}

PrimitiveType FactorType(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, F64, S32, BF16, U8};
  return scope.random().Pick(kTypes);
}

absl::optional<Value> MakeDot(Scope& scope, const Value& lhs, const Value& rhs, const DotAttributes& attributes) {
  double terms = 1;
  for (const int64_t d : attributes.lhs_contracting_dims)
    terms *= static_cast<double>(lhs.dimension(static_cast<int>(d)));
  const Facts product = ProductFacts(lhs.facts, rhs.facts, lhs.type());
  if (!IsInt(lhs.type()) && !MaySum(lhs.type(), terms, product)) return absl::nullopt;
  const Facts facts = IsInt(lhs.type()) ? Facts::Exact() : SumFacts(lhs.type(), terms, product);
  return scope.Add(HloOpcode::kDot, {lhs, rhs}, facts, {std::make_unique<DotAttributes>(attributes)});
}

// [m, k] by [k, n]
absl::optional<Value> ProductOfMatrices(Scope& scope, const Value& lhs, const Value& rhs) {
  DotAttributes attributes;
  attributes.lhs_contracting_dims = {lhs.rank() - 1};
  attributes.rhs_contracting_dims = {0};
  return MakeDot(scope, lhs, rhs, attributes);
}

// Free dimensions that are joined before a dot and cut again after it; by chance contracting ones.
void DotBetweenReshapesIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = FactorType(scope);
  const int64_t a = random.Between(1, 3), b = random.Between(1, 3), k = random.Between(1, 4), n = random.Between(1, 4);
  Value lhs = scope.Reshape(Factor(scope, type, {a, b, k}),
                            random.Chance(70) ? DimensionVector{a * b, k} : DimensionVector{a, b * k});
  const int64_t contracted = lhs.dimension(1);
  Value rhs = Factor(scope, type, {contracted, n, 2});
  if (random.Chance(60)) rhs = scope.Reshape(rhs, {contracted, n * 2});
  const absl::optional<Value> product = ProductOfMatrices(scope, lhs, rhs);
  if (!product.has_value()) return;
  if (lhs.dimension(0) == a * b && random.Chance(70)) {
    scope.Reshape(*product, {a, b, n * 2});
  } else {
    scope.Reshape(*product, {product->shape().ElementCount()});
  }
}

// A dot of a pad, with zeros or ones, of what may be summed and of rows.
void DotOfPadIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = FactorType(scope);
  const int64_t m = random.Between(1, 3), k = random.Between(1, 3), n = random.Between(1, 3);
  static constexpr double kPadding[] = {0, 0, 0, -0.0, 1};
  PaddingConfig padding(2);
  padding[0] = {random.Below(2), random.Below(2), random.Below(2)};
  padding[1] = {random.Below(2), random.Below(3), random.Below(2)};
  if (random.Chance(30)) padding[0] = PaddingDimension();
  const Value small = Factor(scope, type, {m, k});
  const Value padded = scope.Pad(small, scope.Scalar(type, random.Pick(kPadding)), padding);
  DotAttributes attributes;
  attributes.lhs_contracting_dims = {1};
  attributes.rhs_contracting_dims = {1};
  const Value other = Factor(scope, type, {n, padded.dimension(1)});
  const bool first = random.Chance(50);
  MakeDot(scope, first ? padded : other, first ? other : padded, attributes);
}

// Pieces that meet in a dot, or do not.
void DotOfConcatenateIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = FactorType(scope);
  const int64_t m = random.Between(1, 4), n = random.Between(1, 3);
  const int64_t cut = random.Between(1, 3), rest = random.Between(1, 3);
  const int64_t along = random.Chance(80) ? 1 : 0;
  const auto sizes = [&](int64_t size) { return along == 1 ? DimensionVector{m, size} : DimensionVector{size, m}; };
  const Value lhs =
      scope.Concatenate(std::vector<Value>{Factor(scope, type, sizes(cut)), Factor(scope, type, sizes(rest))}, along);
  const int64_t k = lhs.dimension(1);
  Value rhs = Factor(scope, type, {k, n});
  if (along == 1 && random.Chance(60)) {
    const bool same = random.Chance(75);
    rhs = scope.Concatenate(
        std::vector<Value>{Factor(scope, type, {same ? cut : rest, n}), Factor(scope, type, {same ? rest : cut, n})},
        0);
  }
  ProductOfMatrices(scope, lhs, rhs);
}

// Products with one factor in common, side by side or one above the other.
void DotsSideBySideIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = FactorType(scope);
  const int64_t m = random.Between(1, 6), k = random.Between(1, 3);
  const Value x = Factor(scope, type, {m, k});
  std::vector<Value> products;
  const bool rows = random.Chance(40);
  for (int64_t i = random.Between(2, 3); i > 0; --i) {
    const int64_t n = random.Between(1, 4);
    const absl::optional<Value> product = rows ? ProductOfMatrices(scope, Factor(scope, type, {n, m}), x)
                                               : ProductOfMatrices(scope, x, Factor(scope, type, {k, n}));
    if (!product.has_value()) return;
    products.push_back(*product);
  }
  scope.Concatenate(products, rows ? 0 : 1);
}

// Along one dimension, from 0 or by chance from 1.
Value Sum(Scope& scope, const Value& x, int64_t dimension) {
  Facts term = Either(x.facts, Facts::Whole(0, 1));
  term.nan_bits = false;
  const Facts facts = SumFacts(x.type(), static_cast<double>(x.dimension(static_cast<int>(dimension)) + 1), term);
  return scope.Add(HloOpcode::kReduce, {x, scope.Scalar(x.type(), scope.random().Chance(85) ? 0 : 1)}, facts,
                   {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = {dimension}; }),
                    absl::nullopt,
                    {ScalarComputation(scope.state(), HloOpcode::kAdd, x.type())}});
}

// A product for each batch, of which a part is read or that is summed up.
void ReadOfDotIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = FactorType(scope);
  const int64_t b = random.Between(1, 4), m = random.Between(1, 4), k = random.Between(1, 3), n = random.Between(1, 4);
  const Value lhs = Factor(scope, type, {b, m, k});
  const Value rhs = Factor(scope, type, {n, b, k});
  DotAttributes attributes;
  attributes.lhs_batch_dims = {0};
  attributes.rhs_batch_dims = {1};
  attributes.lhs_contracting_dims = attributes.rhs_contracting_dims = {2};
  const absl::optional<Value> product = MakeDot(scope, lhs, rhs, attributes);
  if (!product.has_value()) return;
  if (random.Chance(50)) {
    std::vector<Value> operands = {*product};
    DimensionVector sizes;
    for (int d = 0; d < 3; ++d) {
      operands.push_back(scope.Like(Shape::Scalar(S32), DataClass::kCount));
      sizes.push_back(random.Between(1, product->dimension(d)));
    }
    scope.Add(HloOpcode::kDynamicSlice, operands, product->facts,
              {MakeAttributes<DynamicSliceAttributes>([&](auto& a) { a.slice_sizes = sizes; })});
  } else if (product->facts.exact && MaySum(type, static_cast<double>(b + 1), product->facts)) {
    Sum(scope, *product, random.Chance(80) ? 0 : random.Below(3));
  }
}

// A convolution whose kernel may be larger than its input, with dilations and reversals.
void LargeKernelIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = random.Chance(70) ? F32 : S32;
  const int64_t features = random.Between(1, 2);
  const Value lhs = Factor(scope, type, {random.Between(1, 2), random.Between(1, 3), random.Between(1, 3), features});
  const Value rhs = Factor(scope, type, {random.Between(1, 4), random.Between(1, 4), features, random.Between(1, 2)});
  ConvolutionAttributes a;
  for (int d = 0; d < 2; ++d) {
    WindowDimension w;
    w.size = rhs.dimension(d);
    w.stride = random.Chance(85) ? 1 : 2;
    w.base_dilation = random.Chance(70) ? 1 : 2;
    w.window_dilation = random.Chance(70) ? 1 : 2;
    w.window_reversal = random.Chance(30);
    const int64_t reach = (w.size - 1) * w.window_dilation + 1;
    w.padding_low = random.Between(reach - 1, reach);
    w.padding_high = random.Between(0, reach);
    a.window.dimensions.push_back(w);
  }
  a.dim_labels.input_batch = a.dim_labels.output_batch = 0;
  a.dim_labels.input_feature = a.dim_labels.output_feature = 3;
  a.dim_labels.input_spatial = a.dim_labels.output_spatial = {1, 2};
  a.dim_labels.kernel_spatial = {0, 1};
  a.dim_labels.kernel_input_feature = 2;
  a.dim_labels.kernel_output_feature = 3;
  const double most = 9 * static_cast<double>(rhs.dimension(0) * rhs.dimension(1) * features);
  scope.Add(HloOpcode::kConvolution, {lhs, rhs}, IsInt(type) ? Facts::Exact() : Facts::Whole(-most, most),
            {std::make_unique<ConvolutionAttributes>(a)});
}

// select(x != x, NaN, select(x == 0, 0, x)), as jnp.sort has it, or a part of it.
Value NumpyKey(Scope& scope, const Value& x, bool one_nan, bool one_zero) {
  Value key = x;
  const Value zero = scope.Scalar(x.type(), 0);
  if (one_zero) key = scope.Select(scope.Compare(ComparisonDirection::kEq, x, zero), zero, key);
  if (!one_nan) return key;
  const Value nan = scope.Scalar(x.type(), std::numeric_limits<double>::quiet_NaN());
  return scope.Select(scope.Compare(ComparisonDirection::kNe, x, x), nan, key);
}

// A sort by numpy's order of what may or may not be NaN or -0, with the positions.
void NumpySortIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {F32, F32, F64, BF16, F16};
  const PrimitiveType type = random.Pick(kTypes);
  const int64_t n = random.Between(1, 9);
  Value x;
  if (random.Chance(70)) {
    x = scope.Convert(scope.Fresh(ArrayShape(random.Chance(50) ? S8 : S32, {n}), DataClass::kAny), type);
    if (random.Chance(50)) x = scope.Unary(HloOpcode::kNegate, x);
  } else {
    x = scope.Fresh(ArrayShape(type, {n}), DataClass::kAny);
  }
  const bool one_nan = random.Chance(80), one_zero = random.Chance(80);
  Scope comparator(&scope.state(), "numpy_order", Scope::Kind::kFusion, 9);
  const Value a = comparator.Parameter(Shape::Scalar(type), x.facts, "a");
  const Value b = comparator.Parameter(Shape::Scalar(type), x.facts, "b");
  comparator.Parameter(Shape::Scalar(S32), Facts::Exact(), "i");
  comparator.Parameter(Shape::Scalar(S32), Facts::Exact(), "j");
  const Value left = NumpyKey(comparator, a, one_nan, one_zero);
  const Value right = NumpyKey(comparator, b, one_nan, one_zero);
  HloComputation* const computation = comparator.Finish(
      comparator.Compare(random.Chance(60) ? ComparisonDirection::kLt : ComparisonDirection::kGt, left, right,
                         /*total_order=*/true));
  const Value positions = scope.Iota(S32, {n}, 0);
  const Value sorted = scope.Add(HloOpcode::kSort, {x, positions}, x.facts,
                                 {MakeAttributes<SortAttributes>([&](auto& s) {
                                    s.dimension = 0;
                                    s.is_stable = true;
                                  }),
                                  absl::nullopt,
                                  {computation}});
  scope.GetTupleElement(sorted, 0, x.facts);
  scope.GetTupleElement(sorted, 1, Facts::Whole(0, static_cast<double>(n)));
}

// Elements that become narrower after a pad, a reversal or a concatenation.
void NarrowAfterMovementIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kWide[] = {F32, F64, S32, S64};
  static constexpr PrimitiveType kNarrow[] = {BF16, F16, S8, U8, F32, PRED};
  Value x = scope.Fresh(ArrayShape(random.Pick(kWide), {random.Between(1, 4), random.Between(1, 4)}), DataClass::kAny);
  for (int64_t i = random.Between(1, 3); i > 0; --i) {
    switch (random.Below(3)) {
      case 0:
        x = scope.Reverse(x, {random.Below(2)});
        break;
      case 1:
        x = scope.Pad(x, scope.Like(Shape::Scalar(x.type())), {{random.Below(2), 1, 0}, {0, random.Below(2), 1}});
        break;
      default:
        x = scope.Concatenate(std::vector<Value>{x, scope.Like(ArrayShape(x.type(), x.dimensions()))}, random.Below(2));
    }
  }
  scope.Convert(x, random.Pick(kNarrow));
}

// Two pads that fill in each other's elements, or nearly so, and their sum.
void SumOfPadsIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {S32, F32, U8, F64};
  static constexpr double kPadding[] = {0, 0, -0.0, 1};
  const PrimitiveType type = random.Pick(kTypes);
  const int64_t m = random.Between(1, 4), n = random.Between(1, 4);
  const Value x = scope.Like(ArrayShape(type, {2, m}));
  const Value y = scope.Like(ArrayShape(type, {2, n}));
  const bool meets = random.Chance(80) || m != n;
  const Value zero = scope.Scalar(type, random.Pick(kPadding));
  const Value low = scope.Pad(x, zero, {PaddingDimension(), {0, n, 0}});
  const Value high = scope.Pad(y, random.Chance(80) ? zero : scope.Scalar(type, 0),
                               {PaddingDimension(), {meets ? m : 0, meets ? 0 : m, 0}});
  random.Chance(50) ? scope.Binary(HloOpcode::kAdd, low, high) : scope.Binary(HloOpcode::kAdd, high, low);
}

// A dimension that is given a size, the whole one or not, and a sum along it.
void FullSizeIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const int64_t n = random.Between(1, 6);
  const Value x = Factor(scope, random.Chance(60) ? F32 : S32, {2, n});
  const Value size = scope.Scalar(S32, static_cast<double>(random.Chance(75) ? n : random.Between(0, n)));
  const Value sized = scope.Add(HloOpcode::kSetDimensionSize, {x, size}, x.facts,
                                {MakeAttributes<DimensionAttributes>([](auto& a) { a.dimension = 1; })});
  if (random.Chance(50)) {
    scope.Add(HloOpcode::kGetDimensionSize, {sized}, Facts::Whole(0, 6),
              {MakeAttributes<DimensionAttributes>([](auto& a) { a.dimension = 1; })});
  }
  if (random.Chance(70)) Sum(scope, sized, 1);
  scope.Forget(sized);
}

// The same number wherever the updates go.
void ScatterOfSameIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  const PrimitiveType type = random.Chance(60) ? F32 : S32;
  const Value number = scope.Like(Shape::Scalar(type));
  const Value x = scope.Broadcast(number, {random.Between(1, 6)}, {});
  const int64_t count = random.Between(1, 3);
  const Value updates = scope.Broadcast(random.Chance(75) ? number : scope.Like(Shape::Scalar(type)), {count}, {});
  const Value indices = scope.Like(ArrayShape(S32, {count}), DataClass::kCount);
  HloComputation* const combiner =
      ScalarComputation(scope.state(), random.Chance(60) ? HloOpcode::kMaximum : HloOpcode::kMinimum, type);
  scope.Add(HloOpcode::kScatter, {x, indices, updates}, Facts::Exact(),
            {MakeAttributes<ScatterAttributes>([&](auto& a) {
               a.inserted_window_dims = {0};
               a.scatter_dims_to_operand_dims = {0};
               a.index_vector_dim = 1;
             }),
             absl::nullopt,
             {combiner}});
}

}  // namespace

absl::Span<const Move> ProductIdioms() {
  static constexpr Move kMoves[] = {
      {"dot between reshapes", 4, 1, &DotBetweenReshapesIdiom},
      {"dot of pad", 4, 1, &DotOfPadIdiom},
      {"dot of concatenate", 4, 1, &DotOfConcatenateIdiom},
      {"dots side by side", 4, 1, &DotsSideBySideIdiom},
      {"read of dot", 5, 1, &ReadOfDotIdiom},
      {"large kernel", 4, 1, &LargeKernelIdiom},
      {"numpy sort", 4, 1, &NumpySortIdiom},
      {"narrow after movement", 4, 2, &NarrowAfterMovementIdiom},
      {"sum of pads", 3, 2, &SumOfPadsIdiom},
      {"full size", 2, 0, &FullSizeIdiom},
      {"scatter of same", 2, 1, &ScatterOfSameIdiom},
  };
  return kMoves;
}

}  // namespace xla
