// Dots, convolutions, transforms and decompositions. Their operands are such that sums are exact or well conditioned.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// Values whose products may be summed: integers, whole numbers, or numbers without a great range.
bool IsFactor(const Value& value) {
  const PrimitiveType type = value.type();
  if (!IsStaticArray(value) || type == PRED || type == F8E8M0FNU || !value.facts.exact) return false;
  return IsInt(type) || (value.facts.bounded && value.facts.magnitude() <= 64);
}

// Something to multiply a factor by: of the same kind, so that whole numbers stay whole.
Value OtherFactor(Scope& scope, const Value& factor, const Shape& shape) {
  const absl::optional<Value> found = scope.Find([&](const Value& value) {
    return IsFactor(value) && value.type() == shape.element_type() && value.shape().SameDimensions(shape) &&
           (!factor.facts.integral || value.facts.integral);
  });
  if (found.has_value() && scope.random().Chance(60)) return *found;
  const DataClass kinds[] = {factor.facts.integral ? DataClass::kSmall : DataClass::kOrdinary,
                             factor.facts.integral ? DataClass::kCount : DataClass::kPositive};
  return scope.Fresh(shape, factor.facts.IsPositive() ? DataClass::kPositive : scope.random().Pick(kinds));
}

Value Factor(Scope& scope, int min_rank, int max_rank) {
  const absl::optional<Value> found = scope.Find(
      [&](const Value& value) { return IsFactor(value) && value.rank() >= min_rank && value.rank() <= max_rank; });
  if (found.has_value() && scope.random().Chance(75)) return *found;
  using namespace element_class;
  PrimitiveType type = scope.ElementType(kInt | kFloat | kComplex);
  if (type == F8E8M0FNU) type = F32;
  static constexpr DataClass kClasses[] = {DataClass::kSmall, DataClass::kSmall, DataClass::kCount,
                                           DataClass::kPositive, DataClass::kOrdinary};
  return scope.Fresh(ArrayShape(type, scope.Dimensions(min_rank, max_rank)), scope.random().Pick(kClasses));
}

// The type of the result: mostly the operands', sometimes a wider one.
PrimitiveType ProductType(Scope& scope, PrimitiveType type) {
  if (IsInt(type) && BitWidth(type) <= 16 && scope.random().Chance(60)) return IsSignedInt(type) ? S32 : U32;
  if (IsNarrowFloatType(type) && (BitWidth(type) < 16 || scope.random().Chance(40))) return F32;
  return type;
}

Facts ContractionFacts(PrimitiveType type, double terms, const Value& lhs, const Value& rhs) {
  if (IsInt(type)) return Facts::Exact();
  return SumFacts(type, terms * (IsComplex(type) ? 2 : 1), ProductFacts(lhs.facts, rhs.facts, type));
}

bool MayContract(PrimitiveType type, double terms, const Value& lhs, const Value& rhs) {
  return IsInt(type) || MaySum(type, terms * (IsComplex(type) ? 2 : 1), ProductFacts(lhs.facts, rhs.facts, type));
}

void DotMove(Scope& scope) {
  RandomSource& random = scope.random();
  const Value lhs = Factor(scope, 0, 4);
  if (lhs.shape().ElementCount() > 512) return;
  DotAttributes numbers;
  std::vector<std::pair<int64_t, int64_t>>
      rhs_dims;  // (kind: 0 batch, 1 contracting, 2 free; dimension of lhs or size)
  double terms = 1;
  DimensionVector lhs_free;
  for (const int64_t d : scope.Permutation(lhs.rank())) {
    const int64_t kind = random.Below(4);
    if (kind == 0 && rhs_dims.size() < 3) {
      numbers.lhs_batch_dims.push_back(d);
      rhs_dims.push_back({0, d});
    } else if (kind <= 2 && numbers.lhs_contracting_dims.size() < 2) {
      numbers.lhs_contracting_dims.push_back(d);
      terms *= static_cast<double>(lhs.dimension(static_cast<int>(d)));
      rhs_dims.push_back({1, d});
    } else {
      lhs_free.push_back(d);
    }
  }
  std::sort(lhs_free.begin(), lhs_free.end());
  for (int64_t i = random.Below(3); i > 0 && rhs_dims.size() < 4; --i) rhs_dims.push_back({2, random.Between(1, 4)});
  // Where each dimension of rhs lies.
  const std::vector<int64_t> order = random.Chance(50) ? Identity(static_cast<int64_t>(rhs_dims.size()))
                                                       : scope.Permutation(static_cast<int64_t>(rhs_dims.size()));
  DimensionVector sizes(rhs_dims.size()), places(lhs.rank(), -1);
  for (size_t i = 0; i < rhs_dims.size(); ++i) {
    const auto [kind, d] = rhs_dims[i];
    sizes[order[i]] = kind == 2 ? d : lhs.dimension(static_cast<int>(d));
    if (kind != 2) places[d] = order[i];
  }
  for (const int64_t d : numbers.lhs_batch_dims) numbers.rhs_batch_dims.push_back(places[d]);
  for (const int64_t d : numbers.lhs_contracting_dims) numbers.rhs_contracting_dims.push_back(places[d]);
  const Value rhs = OtherFactor(scope, lhs, ArrayShape(lhs.type(), sizes));
  const PrimitiveType type = ProductType(scope, lhs.type());
  if (!MayContract(type, terms, lhs, rhs)) return;
  DimensionVector result;
  for (const int64_t d : numbers.lhs_batch_dims) result.push_back(lhs.dimension(static_cast<int>(d)));
  for (const int64_t d : lhs_free) result.push_back(lhs.dimension(static_cast<int>(d)));
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool is_free = std::find(places.begin(), places.end(), static_cast<int64_t>(d)) == places.end();
    if (is_free) result.push_back(sizes[d]);
  }
  if (result.size() > 5 || ProductOf(result) > 1500) return;
  scope.Add(HloOpcode::kDot, {lhs, rhs}, ContractionFacts(type, terms, lhs, rhs),
            {std::make_unique<DotAttributes>(numbers), ArrayShape(type, result)});
}

void ConvolutionMove(Scope& scope) {
  RandomSource& random = scope.random();
  const int spatial = static_cast<int>(random.Below(3));
  const int64_t groups = random.Chance(25) ? random.Between(2, 3) : 1;
  const bool feature_groups = random.Chance(70);
  const int64_t features = random.Between(1, 3), outputs = random.Between(1, 3) * groups;
  const int64_t batch = random.Between(1, 2) * (feature_groups ? 1 : groups);
  ConvolutionAttributes a;
  (feature_groups ? a.feature_group_count : a.batch_group_count) = groups;
  double terms = static_cast<double>(features);
  DimensionVector lhs_sizes(spatial + 2), rhs_sizes(spatial + 2);
  const auto label = [&](int64_t* first, int64_t* second, DimensionVector* rest) {
    const std::vector<int64_t> order = random.Chance(40) ? Identity(spatial + 2) : scope.Permutation(spatial + 2);
    *first = order[0];
    *second = order[1];
    rest->assign(order.begin() + 2, order.end());
  };
  ConvolutionDimensionNumbers& labels = a.dim_labels;
  label(&labels.input_batch, &labels.input_feature, &labels.input_spatial);
  label(&labels.kernel_output_feature, &labels.kernel_input_feature, &labels.kernel_spatial);
  label(&labels.output_batch, &labels.output_feature, &labels.output_spatial);
  lhs_sizes[labels.input_batch] = batch;
  lhs_sizes[labels.input_feature] = features * (feature_groups ? groups : 1);
  rhs_sizes[labels.kernel_input_feature] = features;
  rhs_sizes[labels.kernel_output_feature] = outputs;
  for (int s = 0; s < spatial; ++s) {
    WindowDimension w;
    w.size = random.Between(1, 3);
    if (random.Chance(40)) w.stride = random.Between(1, 3);
    if (random.Chance(50)) w.padding_low = random.Between(-1, 3);
    if (random.Chance(50)) w.padding_high = random.Between(-1, 3);
    if (random.Chance(20)) w.base_dilation = random.Between(1, 3);
    if (random.Chance(20)) w.window_dilation = random.Between(1, 3);
    w.window_reversal = random.Chance(15);
    a.window.dimensions.push_back(w);
    terms *= static_cast<double>(w.size);
    lhs_sizes[labels.input_spatial[s]] = random.Between(1, 6);
    rhs_sizes[labels.kernel_spatial[s]] = w.size;
  }
  PrimitiveType type = scope.ElementType(element_class::kInt | element_class::kFloat | element_class::kComplex);
  if (type == F8E8M0FNU) type = F32;
  const DataClass classes[] = {DataClass::kSmall, DataClass::kCount, DataClass::kPositive};
  const Value lhs = scope.Fresh(ArrayShape(type, lhs_sizes), random.Pick(classes));
  const Value rhs = OtherFactor(scope, lhs, ArrayShape(type, rhs_sizes));
  if (!MayContract(type, terms, lhs, rhs)) return;
  // Next to the edges there are fewer terms, down to none.
  Facts facts = ContractionFacts(type, terms, lhs, rhs);
  if (facts.bounded) facts.low = std::min(facts.low, 0.0);
  scope.Add(HloOpcode::kConvolution, {lhs, rhs}, facts, {std::make_unique<ConvolutionAttributes>(a)});
}

void RaggedDotMove(Scope& scope) {
  const int64_t m = scope.random().Between(1, 6), k = scope.random().Between(1, 4), n = scope.random().Between(1, 4);
  const int64_t groups = scope.random().Between(1, 3);
  const Value lhs = scope.Fresh(ArrayShape(F32, {m, k}), DataClass::kSmall);
  const Value rhs = scope.Fresh(ArrayShape(F32, {groups, k, n}), DataClass::kSmall);
  const Value sizes = scope.Like(ArrayShape(S32, {groups}), DataClass::kCount);
  scope.Add(HloOpcode::kRaggedDot, {lhs, rhs, sizes},
            Facts::Whole(-9.0 * static_cast<double>(k), 9.0 * static_cast<double>(k)),
            {MakeAttributes<RaggedDotAttributes>([](auto& a) {
               a.lhs_contracting_dims = {1};
               a.rhs_contracting_dims = {1};
               a.lhs_ragged_dims = {0};
               a.rhs_group_dims = {0};
             }),
             ArrayShape(F32, {m, n})});
}

void ScaledDotMove(Scope& scope) {
  const int64_t m = scope.random().Between(1, 4), blocks = scope.random().Between(1, 2),
                n = scope.random().Between(1, 4);
  const Value lhs = scope.Fresh(ArrayShape(F32, {m, 2 * blocks}), DataClass::kSmall);
  const Value rhs = scope.Fresh(ArrayShape(F32, {n, 2 * blocks}), DataClass::kSmall);
  const Value lhs_scale = scope.Fresh(ArrayShape(F32, {m, blocks}), DataClass::kCount);
  const Value rhs_scale = scope.Fresh(ArrayShape(F32, {n, blocks}), DataClass::kCount);
  scope.Add(HloOpcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale}, Facts::Whole(-400, 400),
            {MakeAttributes<DotAttributes>([](auto& a) {
               a.lhs_contracting_dims = {1};
               a.rhs_contracting_dims = {1};
             }),
             ArrayShape(F32, {m, n})});
}

void FftMove(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr FftType kKinds[] = {FftType::kFft, FftType::kIfft, FftType::kRfft, FftType::kIrfft};
  const FftType kind = random.Pick(kKinds);
  const bool wide = random.Chance(30);
  DimensionVector sizes;
  for (int64_t i = random.Between(1, 3); i > 0; --i) sizes.push_back(random.Between(1, 6));
  FftAttributes attributes;
  attributes.fft_type = kind;
  const int64_t transformed = random.Between(1, static_cast<int64_t>(sizes.size()));
  attributes.fft_length.assign(sizes.end() - transformed, sizes.end());
  if (kind == FftType::kIrfft) sizes.back() = sizes.back() / 2 + 1;
  const PrimitiveType type = kind == FftType::kRfft ? (wide ? F64 : F32) : (wide ? C128 : C64);
  scope.Add(HloOpcode::kFft, {scope.Fresh(ArrayShape(type, sizes), DataClass::kSmall)}, Facts::Rounded(),
            {std::make_unique<FftAttributes>(attributes)});
}

DimensionVector MatrixSizes(Scope& scope) {
  const int64_t n = scope.random().Between(1, 4);
  DimensionVector sizes = {n, n};
  if (scope.random().Chance(40)) sizes.insert(sizes.begin(), scope.random().Between(1, 3));
  return sizes;
}

PrimitiveType SolverType(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F64, C64};
  return scope.random().Pick(kTypes);
}

void CholeskyMove(Scope& scope) {
  const Value a = scope.Fresh(ArrayShape(SolverType(scope), MatrixSizes(scope)), DataClass::kDefinite);
  scope.Add(HloOpcode::kCholesky, {a}, Facts::Rounded(),
            {MakeAttributes<CholeskyAttributes>([&](auto& c) { c.lower = scope.random().Chance(60); })});
}

void TriangularSolveMove(Scope& scope) {
  const PrimitiveType type = SolverType(scope);
  const Value a = scope.Fresh(ArrayShape(type, MatrixSizes(scope)), DataClass::kTriangular);
  const bool left = scope.random().Chance(50);
  DimensionVector sizes = ToVector(a.dimensions());
  sizes[sizes.size() - (left ? 1 : 2)] = scope.random().Between(1, 3);
  const Value b = scope.Fresh(ArrayShape(type, sizes), DataClass::kSmall);
  scope.Add(HloOpcode::kTriangularSolve, {a, b}, Facts::Rounded(),
            {MakeAttributes<TriangularSolveAttributes>([&](auto& t) {
              static constexpr TransposeA kTransposes[] = {TransposeA::kNoTranspose, TransposeA::kTranspose,
                                                           TransposeA::kAdjoint};
              t.left_side = left;
              t.lower = scope.random().Chance(50);
              t.unit_diagonal = scope.random().Chance(30);
              t.transpose_a = scope.random().Pick(kTransposes);
            })});
}

void BatchNormMove(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, F64, BF16, F16};
  const PrimitiveType type = scope.random().Pick(kTypes);
  const Value x = scope.Fresh(ArrayShape(type, scope.Dimensions(1, 4)), DataClass::kSmall);
  const int64_t feature = scope.random().Below(x.rank());
  const Shape per_feature = ArrayShape(type, {x.dimension(static_cast<int>(feature))});
  const auto attributes = [&] {
    return MakeAttributes<BatchNormAttributes>([&](auto& a) {
      a.epsilon = 0.125f;
      a.feature_index = feature;
    });
  };
  const Value scale = scope.Fresh(per_feature, DataClass::kPositive);
  const Value offset = scope.Fresh(per_feature, DataClass::kOrdinary);
  if (scope.random().Chance(40)) {
    const Value tuple = scope.Add(HloOpcode::kBatchNormTraining, {x, scale, offset}, Facts::Rounded(2), {attributes()});
    scope.GetTupleElement(tuple, 0, Facts::Rounded(2));
    if (scope.random().Chance(50)) scope.GetTupleElement(tuple, scope.random().Between(1, 2), Facts::Rounded(1));
    return;
  }
  const Value mean = scope.Fresh(per_feature, DataClass::kSmall);
  const Value variance = scope.Fresh(per_feature, DataClass::kPositive);
  if (scope.random().Chance(50)) {
    scope.Add(HloOpcode::kBatchNormInference, {x, scale, offset, mean, variance}, Facts::Rounded(2), {attributes()});
    return;
  }
  const Value gradient = scope.Fresh(x.shape(), DataClass::kSmall);
  const Value tuple =
      scope.Add(HloOpcode::kBatchNormGrad, {x, scale, mean, variance, gradient}, Facts::Rounded(2), {attributes()});
  for (int64_t i = 0; i < 3; ++i) {
    if (scope.random().Chance(60)) scope.GetTupleElement(tuple, i, Facts::Rounded(2));
  }
}

}  // namespace

absl::Span<const Move> LinearAlgebraMoves() {
  static constexpr Move kMoves[] = {
      {"dot", 16, 1, &DotMove},
      {"convolution", 8, 1, &ConvolutionMove},
      {"ragged-dot", 2, 1, &RaggedDotMove},
      {"scaled-dot", 2, 1, &ScaledDotMove},
      {"fft", 2, 1, &FftMove},
      {"cholesky", 2, 1, &CholeskyMove},
      {"triangular-solve", 2, 1, &TriangularSolveMove},
      {"batch-norm", 4, 1, &BatchNormMove},
  };
  return kMoves;
}

}  // namespace xla
