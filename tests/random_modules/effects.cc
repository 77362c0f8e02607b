#include "tests/random_modules/effects.h"

#include <vector>

namespace xla {
namespace {

Value NewToken(Scope& scope) { return scope.Add(HloOpcode::kAfterAll, {}, Facts::Exact()); }

}  // namespace

void Outfeed(Scope& scope, const Value& x) {
  const Value data =
      scope.random().Chance(25) ? scope.Tuple(std::vector<Value>{x, scope.Like(Shape::Scalar(S32))}) : x;
  const Value token = NewToken(scope);
  scope.Add(HloOpcode::kOutfeed, {data, token}, Facts::Exact(),
            {MakeAttributes<OutfeedAttributes>([&](auto& a) { a.outfeed_shape = data.shape(); })});
}

Value Infeed(Scope& scope) {
  ModuleState& state = scope.state();
  if (!state.infeed_shape.has_value()) {
    static constexpr PrimitiveType kTypes[] = {S32, F32, F32, BF16, U8};
    const PrimitiveType type = scope.random().Pick(kTypes);
    state.infeed_shape = ArrayShape(type, scope.Dimensions(0, 2));
  }
  const Value token = NewToken(scope);
  const Value pair = scope.Add(HloOpcode::kInfeed, {token}, Facts::Exact(),
                               {nullptr, Shape::Tuple({*state.infeed_shape, Shape::Token()})});
  return scope.GetTupleElement(pair, 0, Facts::Of(DataClass::kSmall, state.infeed_shape->element_type()));
}

Value DrawNumbers(Scope& scope, const Shape& shape) {
  scope.state().draws_numbers = true;
  const Value low = scope.Scalar(S32, 0);
  const Value high = scope.Scalar(S32, 8);
  return scope.Add(
      HloOpcode::kRng, {low, high}, Facts::Whole(0, 7),
      {MakeAttributes<RngAttributes>([](auto& a) { a.distribution = RandomDistribution::kUniform; }), shape});
}

void AdvanceRandomState(Scope& scope) {
  scope.state().draws_numbers = true;
  const Value state = scope.Add(
      HloOpcode::kRngGetAndUpdateState, {}, Facts::Exact(),
      {MakeAttributes<RngGetAndUpdateStateAttributes>([&](auto& a) { a.delta = scope.random().Between(1, 5); })});
  scope.Forget(state);
}

absl::optional<Value> AnyEffect(Scope& scope, const Value& x) {
  switch (scope.random().Below(6)) {
    case 0:
    case 1:
      Outfeed(scope, x);
      return absl::nullopt;
    case 2:
      return Infeed(scope);
    case 3:
      AdvanceRandomState(scope);
      return absl::nullopt;
    default: {
      const Value drawn = DrawNumbers(scope, ArrayShape(S32, scope.Dimensions(0, 1)));
      // What has no users is drawn all the same.
      if (scope.random().Chance(50)) return drawn;
      scope.Forget(drawn);
      return absl::nullopt;
    }
  }
}

}  // namespace xla
