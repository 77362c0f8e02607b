// Tuples, barriers, tokens, random numbers, custom calls.
#include <string>
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

void TupleMove(Scope& scope) {
  std::vector<Value> elements;
  for (int64_t i = scope.random().Between(1, 3); i > 0; --i) elements.push_back(scope.Array());
  Value tuple = scope.Tuple(elements);
  const bool nested = scope.random().Chance(30);
  if (nested) {
    const Value more = scope.Array();
    tuple = scope.GetTupleElement(scope.Tuple(std::vector<Value>{more, tuple}), 1, Facts::Exact());
  }
  if (scope.random().Chance(30)) tuple = scope.Add(HloOpcode::kOptBarrier, {tuple}, Facts::Exact());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (scope.random().Chance(70)) scope.GetTupleElement(tuple, static_cast<int64_t>(i), elements[i].facts);
  }
}

void BarrierMove(Scope& scope) {
  const Value x = scope.Array();
  scope.Add(HloOpcode::kOptBarrier, {x}, x.facts);
}

void DomainMove(Scope& scope) {
  const Value x = scope.Array();
  scope.Add(HloOpcode::kDomain, {x}, x.facts, {MakeAttributes<DomainAttributes>([](auto& a) {
              a.domain.entry = Sharding();
              a.domain.exit = Sharding();
            })});
}

void TokenMove(Scope& scope) {
  Value token = scope.Add(HloOpcode::kAfterAll, {}, Facts::Exact());
  if (scope.random().Chance(50)) token = scope.Add(HloOpcode::kAfterAll, {token, token}, Facts::Exact());
  const Value x = scope.Array();
  scope.Add(HloOpcode::kAddDependency, {x, token}, x.facts);
}

// A device sends to itself.
void SendMove(Scope& scope) {
  const Value x = scope.Array();
  const Value token = scope.Add(HloOpcode::kAfterAll, {}, Facts::Exact());
  const int64_t channel = scope.state().next_channel++;
  const auto attributes = [&] { return MakeAttributes<SendRecvAttributes>([&](auto& a) { a.channel_id = channel; }); };
  const Value send = scope.Add(HloOpcode::kSend, {x, token}, Facts::Exact(), {attributes()});
  const Value sent = scope.Add(HloOpcode::kSendDone, {send}, Facts::Exact(), {attributes()});
  const Value recv = scope.Add(HloOpcode::kRecv, {sent}, Facts::Exact(),
                               {attributes(), Shape::Tuple({x.shape(), Shape::Scalar(U32), Shape::Token()})});
  const Value received = scope.Add(HloOpcode::kRecvDone, {recv}, Facts::Exact(), {attributes()});
  scope.GetTupleElement(received, 0, x.facts);
}

// Random numbers of which only one is possible: which ones are drawn depends on the order of all draws.
void RngMove(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, S32, U8, F64, BF16};
  const PrimitiveType type = scope.random().Pick(kTypes);
  const bool normal = IsFloat(type) && scope.random().Chance(40);
  const Value low = scope.Scalar(type, static_cast<double>(scope.random().Between(0, 3)));
  const Value high = normal        ? scope.Scalar(type, 0)
                     : IsInt(type) ? scope.Binary(HloOpcode::kAdd, low, scope.Scalar(type, 1))
                                   : low;
  scope.Add(HloOpcode::kRng, {low, high}, low.facts,
            {MakeAttributes<RngAttributes>([&](auto& a) {
               a.distribution = normal ? RandomDistribution::kNormal : RandomDistribution::kUniform;
             }),
             ArrayShape(type, scope.Dimensions(0, 2))});
}

void RngBitGeneratorMove(Scope& scope) {
  static constexpr RandomAlgorithm kAlgorithms[] = {RandomAlgorithm::kDefault, RandomAlgorithm::kThreeFry,
                                                    RandomAlgorithm::kPhilox};
  static constexpr PrimitiveType kTypes[] = {U32, U32, U64, S32, U8, U16};
  const RandomAlgorithm algorithm = scope.random().Pick(kAlgorithms);
  const int64_t words = algorithm == RandomAlgorithm::kThreeFry || scope.random().Chance(60) ? 2 : 3;
  const Value state = scope.Like(ArrayShape(U64, {words}));
  const Shape bits = ArrayShape(scope.random().Pick(kTypes), scope.Dimensions(0, 3));
  const Value result = scope.Add(HloOpcode::kRngBitGenerator, {state}, Facts::Exact(),
                                 {MakeAttributes<RngBitGeneratorAttributes>([&](auto& a) { a.algorithm = algorithm; }),
                                  Shape::Tuple({state.shape(), bits})});
  if (scope.random().Chance(50)) scope.GetTupleElement(result, 0, Facts::Exact());
  scope.GetTupleElement(result, 1, Facts::Exact());
}

// The state itself depends on all draws before; only its effect matters.
void RngStateMove(Scope& scope) {
  const Value state = scope.Add(
      HloOpcode::kRngGetAndUpdateState, {}, Facts::Exact(),
      {MakeAttributes<RngGetAndUpdateStateAttributes>([&](auto& a) { a.delta = scope.random().Between(0, 5); })});
  scope.Binary(HloOpcode::kXor, state, state);
  // What depends on the state must not be found by others.
  scope.Forget(state);
}

CustomCallAttributes TargetAttributes(const std::string& target) {
  CustomCallAttributes attributes;
  attributes.custom_call_target = target;
  return attributes;
}

Value CustomCall(Scope& scope, const std::string& target, absl::Span<const Value> operands, const Shape& shape,
                 const Facts& facts) {
  return scope.Add(HloOpcode::kCustomCall, operands, facts,
                   {std::make_unique<CustomCallAttributes>(TargetAttributes(target)), shape});
}

void IdentityCallMove(Scope& scope) {
  static const char* const kTargets[] = {"Sharding", "MoveToHost", "MoveToDevice", "annotate_device_placement"};
  const Value x = scope.Array();
  const char* const target = scope.random().Pick(kTargets);
  CustomCall(scope, target, {x}, x.shape(), x.facts);
}

void SplitCallMove(Scope& scope) {
  const Value x = scope.Like(ArrayShape(scope.random().Chance(50) ? U64 : S64, scope.Dimensions(0, 2)));
  const Shape half = ArrayShape(U32, x.dimensions());
  const Value low = CustomCall(scope, "X64SplitLow", {x}, half, Facts::Exact());
  const Value high = CustomCall(scope, "X64SplitHigh", {x}, half, Facts::Exact());
  if (scope.random().Chance(70)) CustomCall(scope, "X64Combine", {low, high}, x.shape(), Facts::Exact());
}

void TopKCallMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.facts.bounded && value.type() == F32 &&
           value.rank() >= 1 && value.rank() <= 2 && value.dimension(value.rank() - 1) >= 1;
  });
  if (!x.has_value()) return;
  DimensionVector sizes = ToVector(x->dimensions());
  sizes.back() = scope.random().Between(1, sizes.back());
  Scope comparator(&scope.state(), "greater", Scope::Kind::kNested, 9);
  const Value a = comparator.Parameter(Shape::Scalar(F32), Facts::Exact(), "a");
  const Value b = comparator.Parameter(Shape::Scalar(F32), Facts::Exact(), "b");
  HloComputation* const computation =
      comparator.Finish(comparator.Compare(ComparisonDirection::kGt, a, b, /*total_order=*/true));
  const Value top = scope.Add(HloOpcode::kCustomCall, {*x}, Facts::Exact(),
                              {std::make_unique<CustomCallAttributes>(TargetAttributes("TopK")),
                               Shape::Tuple({ArrayShape(F32, sizes), ArrayShape(S32, sizes)}),
                               {computation}});
  scope.GetTupleElement(top, 0, x->facts);
  scope.GetTupleElement(top, 1, Facts::Whole(0, static_cast<double>(x->dimension(x->rank() - 1))));
}

}  // namespace

absl::Span<const Move> OtherMoves() {
  static constexpr Move kMoves[] = {
      {"tuple", 5, 1, &TupleMove},
      {"opt-barrier", 2, 1, &BarrierMove},
      {"domain", 1, 0, &DomainMove},
      {"token", 2, 0, &TokenMove},
      {"send", 1, 0, &SendMove},
      {"rng", 2, 0, &RngMove},
      {"rng-bit-generator", 3, 1, &RngBitGeneratorMove},
      {"rng-get-and-update-state", 1, 0, &RngStateMove},
      {"identity call", 2, 0, &IdentityCallMove},
      {"split call", 1, 0, &SplitCallMove},
      {"topk call", 1, 0, &TopKCallMove},
      {"lapack call", 1, 1, &LapackCallMove},
  };
  return kMoves;
}

}  // namespace xla
