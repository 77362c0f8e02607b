// Attention as one custom fusion, which passes leave as it is: sizes beside those of the blocks and tiles that it is
// computed in, heads in any place, masks, scales, narrow types; and what is nearly attention.
#include <memory>
#include <utility>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"

namespace xla {
namespace {

struct Sizes {
  int64_t heads, rows, keys, features, values;
};

struct Attention {
  Sizes sizes;
  PrimitiveType type;     // of queries, keys, values and the result
  PrimitiveType scores;   // that, or a wider one
  bool heads_first = true;  // or in the middle
  bool keys_last = false;   // of the keys' dimensions
};

Sizes ChooseSizes(RandomSource& random) {
  static constexpr int64_t kRows[] = {1, 2, 5, 16, 37, 63, 64, 65, 129, 150, 200};
  static constexpr int64_t kKeys[] = {1, 2, 7, 15, 16, 17, 33, 64, 75, 130};
  static constexpr int64_t kFeatures[] = {1, 2, 3, 4, 5, 8, 16, 17};
  Sizes s = {random.Between(1, 3), random.Pick(kRows), random.Pick(kKeys), random.Pick(kFeatures),
             random.Pick(kFeatures)};
  // The interpreter adds up every product.
  constexpr int64_t kMostWork = 200'000;
  while (s.heads * s.rows * s.keys * (s.features + s.values) > kMostWork) {
    int64_t& largest = s.rows > s.keys ? s.rows : s.keys;
    largest = (largest + 1) / 2;
  }
  return s;
}

Attention ChooseAttention(RandomSource& random) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, BF16, F16, F64};
  Attention attention;
  attention.sizes = ChooseSizes(random);
  attention.type = random.Pick(kTypes);
  attention.scores = IsNarrowFloatType(attention.type) && random.Chance(70) ? F32 : attention.type;
  attention.heads_first = random.Chance(60);
  attention.keys_last = random.Chance(25);
  return attention;
}

// [heads, n, features] of the fusion, or the same with heads in the middle, and the operand for it; `places` gets where
// heads, n and features are.
Value HeadsOf(Scope& inner, std::vector<Value>* outer, Scope& scope, const Attention& attention, int64_t n,
              int64_t features, bool turned, int64_t places[3]) {
  places[0] = attention.heads_first ? 0 : 1;
  places[1] = attention.heads_first ? 1 : 0;
  places[2] = 2;
  if (turned) std::swap(places[1], places[2]);
  DimensionVector sizes(3);
  sizes[places[0]] = attention.sizes.heads;
  sizes[places[1]] = n;
  sizes[places[2]] = features;
  const Value value = scope.Fresh(ArrayShape(attention.type, sizes), DataClass::kSmall);
  outer->push_back(value);
  return inner.Parameter(value.shape(), value.facts, "small");
}

Value MaskedScores(Scope& inner, std::vector<Value>* outer, Scope& scope, Value scores) {
  RandomSource& random = inner.random();
  const DimensionVector sizes = ToVector(scores.dimensions());
  if (random.Chance(70)) scores = inner.Binary(HloOpcode::kMultiply, scores, inner.Splat(scores.shape(), 0.125));
  const int64_t kind = random.Below(5);
  if (kind == 0) return scores;
  if (kind == 1) {
    // A bias for each key, or for each query.
    const int64_t along = random.Chance(60) ? 2 : 1;
    const Value bias = scope.Fresh(ArrayShape(scores.type(), {sizes[along]}), DataClass::kOrdinary);
    outer->push_back(bias);
    const Value inside = inner.Parameter(bias.shape(), bias.facts, "ordinary");
    return inner.Binary(HloOpcode::kAdd, scores, inner.Broadcast(inside, sizes, {along}));
  }
  Value allowed;
  if (kind == 2) {
    const Value mask = scope.Fresh(ArrayShape(PRED, {sizes[1], sizes[2]}), DataClass::kAny);
    outer->push_back(mask);
    allowed = inner.Broadcast(inner.Parameter(mask.shape(), mask.facts, "any"), sizes, {1, 2});
  } else {
    const Value i = inner.Iota(S32, {sizes[1], sizes[2]}, 0), j = inner.Iota(S32, {sizes[1], sizes[2]}, 1);
    allowed = inner.Broadcast(inner.Compare(ComparisonDirection::kGe, i, j), sizes, {1, 2});
  }
  return inner.Select(allowed, scores, inner.Splat(scores.shape(), -1000));
}

// Over the last dimension; sometimes without what makes it stable, which the sizes of scores allow.
Value Softmax(Scope& inner, Value scores) {
  const DimensionVector sizes = ToVector(scores.dimensions());
  if (inner.random().Chance(85)) {
    const Value largest = Reduced(inner, HloOpcode::kMaximum, scores, {2});
    scores = inner.Binary(HloOpcode::kSubtract, scores, inner.Broadcast(largest, sizes, {0, 1}));
  } else {
    scores = inner.Binary(HloOpcode::kMultiply, scores, inner.Splat(scores.shape(), 0x1p-10));
  }
  Value exponentials = inner.Unary(HloOpcode::kExp, scores);
  exponentials.facts = Facts::Rounded();
  Value sum = Reduced(inner, HloOpcode::kAdd, exponentials, {2});
  if (inner.random().Chance(30)) {
    const Value one = inner.Splat(sum.shape(), 1);
    return inner.Binary(HloOpcode::kMultiply, exponentials,
                        inner.Broadcast(inner.Binary(HloOpcode::kDivide, one, sum), sizes, {0, 1}));
  }
  return inner.Binary(HloOpcode::kDivide, exponentials, inner.Broadcast(sum, sizes, {0, 1}));
}

void AttentionIdiom(Scope& scope) {
  if (scope.depth() > 0) return;
  RandomSource& random = scope.random();
  const Attention attention = ChooseAttention(random);
  const Sizes& s = attention.sizes;
  Scope inner(&scope.state(), "attention", Scope::Kind::kFusion, scope.depth() + 1);
  std::vector<Value> outer;
  int64_t q[3], k[3], v[3];
  const Value queries = HeadsOf(inner, &outer, scope, attention, s.rows, s.features, false, q);
  const Value keys = HeadsOf(inner, &outer, scope, attention, s.keys, s.features, attention.keys_last, k);
  const Value values = HeadsOf(inner, &outer, scope, attention, s.keys, s.values, random.Chance(15), v);
  DotAttributes first;
  first.lhs_batch_dims = {q[0]};
  first.rhs_batch_dims = {k[0]};
  first.lhs_contracting_dims = {q[2]};
  first.rhs_contracting_dims = {k[2]};
  const double most = 9 * static_cast<double>(s.features);
  const Value scores = inner.Add(HloOpcode::kDot, {queries, keys}, Facts::Whole(-most, most),
                                 {std::make_unique<DotAttributes>(first),
                                  ArrayShape(attention.scores, {s.heads, s.rows, s.keys})});
  Value weights = Softmax(inner, MaskedScores(inner, &outer, scope, scores));
  if (attention.scores != attention.type) weights = inner.Convert(weights, attention.type);
  // Weights on the left, or on the right.
  const bool on_left = random.Chance(80);
  DotAttributes second;
  (on_left ? second.lhs_batch_dims : second.rhs_batch_dims) = {0};
  (on_left ? second.rhs_batch_dims : second.lhs_batch_dims) = {v[0]};
  (on_left ? second.lhs_contracting_dims : second.rhs_contracting_dims) = {2};
  (on_left ? second.rhs_contracting_dims : second.lhs_contracting_dims) = {v[1]};
  const std::vector<Value> factors = on_left ? std::vector<Value>{weights, values} : std::vector<Value>{values, weights};
  const DimensionVector sizes =
      on_left ? DimensionVector{s.heads, s.rows, s.values} : DimensionVector{s.heads, s.values, s.rows};
  Value result = inner.Add(HloOpcode::kDot, factors, Facts::Rounded(),
                           {std::make_unique<DotAttributes>(second), ArrayShape(attention.type, sizes)});
  if (random.Chance(40)) result = inner.Transpose(result, inner.Permutation(3));
  HloComputation* const body = inner.Finish(result);
  body->set_is_fusion_computation(true);
  scope.Add(HloOpcode::kFusion, outer, Facts::Rounded(2),
            {MakeAttributes<FusionAttributes>([](auto& a) { a.kind = FusionKind::kCustom; }), body->root()->shape(),
             {body}});
}

}  // namespace

absl::Span<const Move> AttentionIdioms() {
  static constexpr Move kMoves[] = {
      {"attention", 3, 0, &AttentionIdiom},
  };
  return kMoves;
}

}  // namespace xla
