#include "tests/random_modules/reductions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace xla {
namespace {

Facts ReductionFacts(HloOpcode opcode, PrimitiveType type, double terms, const Facts& x, const Facts& init) {
  if (opcode == HloOpcode::kAdd) {
    const bool from_zero = init.integral && init.low == 0 && init.high == 0;
    return from_zero ? SumFacts(type, terms, x) : SumFacts(type, terms + 1, Either(x, init));
  }
  Facts facts = Facts::Exact();
  const bool selects = opcode == HloOpcode::kMaximum || opcode == HloOpcode::kMinimum;
  if (selects && x.bounded && init.bounded) facts = Either(x, init);
  facts.nan_bits = false;
  return facts;
}

}  // namespace

absl::optional<Reduction> ChooseReduction(Scope& scope, const Value& x, double terms) {
  const PrimitiveType type = x.type();
  std::vector<HloOpcode> opcodes;
  if (!IsComplex(type)) opcodes.insert(opcodes.end(), {HloOpcode::kMaximum, HloOpcode::kMinimum});
  if (IsInt(type) || type == PRED) {
    opcodes.insert(opcodes.end(),
                   {HloOpcode::kMultiply, HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kAdd});
  }
  const double product = std::pow(std::max(1.0, x.facts.magnitude()), terms + 1);
  if (IsFloat(type) && x.facts.integral && product <= WholeNumberLimit(type)) opcodes.push_back(HloOpcode::kMultiply);
  if (!x.facts.exact) opcodes.clear();
  const bool may_sum = MaySum(type, terms + 1, x.facts);
  if (may_sum) opcodes.insert(opcodes.end(), opcodes.size() + 1, HloOpcode::kAdd);
  if (opcodes.empty()) return absl::nullopt;
  const HloOpcode opcode = scope.random().Pick(opcodes);
  Reduction reduction;
  double number = opcode == HloOpcode::kMultiply || opcode == HloOpcode::kAnd ? 1 : 0;
  if (scope.random().Chance(20)) number = static_cast<double>(scope.random().Between(0, 2));
  if (opcode == HloOpcode::kMaximum && IsFloat(type) && scope.random().Chance(60)) {
    number = -std::numeric_limits<double>::infinity();
  }
  if (opcode == HloOpcode::kMinimum && IsFloat(type) && scope.random().Chance(60)) {
    number = std::numeric_limits<double>::infinity();
  }
  reduction.init = scope.Scalar(type, number);
  reduction.reducer = ScalarComputation(scope.state(), opcode, type);
  reduction.facts = ReductionFacts(opcode, type, terms, x.facts, reduction.init.facts);
  return reduction;
}

HloComputation* SumAndMaximum(Scope& scope, PrimitiveType type) {
  Scope reducer(&scope.state(), "pair", Scope::Kind::kFusion, 9);
  std::vector<Value> p;
  for (const char* name : {"a", "b", "c", "d"}) {
    p.push_back(reducer.Parameter(Shape::Scalar(type), Facts::Exact(), name));
  }
  return reducer.Finish(reducer.Tuple(std::vector<Value>{reducer.Binary(HloOpcode::kAdd, p[0], p[2]),
                                                         reducer.Binary(HloOpcode::kMaximum, p[1], p[3])}));
}

ArgReduction ChooseArgReduction(Scope& scope, PrimitiveType type) {
  RandomSource& random = scope.random();
  ArgReduction reduction;
  const bool maximum = random.Chance(70);
  reduction.takes_nans = IsFloat(type) && random.Chance(60);
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = LargestMagnitude(type);
  const double least = IsSignedInt(type) ? -largest : 0;
  reduction.init = scope.Scalar(type, IsFloat(type) ? (maximum ? -infinity : infinity) : (maximum ? least : largest));

  Scope reducer(&scope.state(), "argmax", Scope::Kind::kFusion, 9);
  const Value a = reducer.Parameter(Shape::Scalar(type), Facts::Exact(), "a");
  const Value i = reducer.Parameter(Shape::Scalar(S32), Facts::Exact(), "i");
  const Value b = reducer.Parameter(Shape::Scalar(type), Facts::Exact(), "b");
  const Value j = reducer.Parameter(Shape::Scalar(S32), Facts::Exact(), "j");
  const Value equal = reducer.Compare(ComparisonDirection::kEq, a, b);
  // Of equal values it does not matter which is kept.
  const bool or_equal = random.Chance(40);
  Value keep = reducer.Compare(maximum ? (or_equal ? ComparisonDirection::kGe : ComparisonDirection::kGt)
                                       : (or_equal ? ComparisonDirection::kLe : ComparisonDirection::kLt),
                               a, b);
  if (reduction.takes_nans) {
    keep = reducer.Binary(HloOpcode::kOr, keep, reducer.Compare(ComparisonDirection::kNe, a, a));
  }
  Value index;
  if (or_equal) {
    index = reducer.Select(equal, reducer.Binary(HloOpcode::kMinimum, i, j), reducer.Select(keep, i, j));
  } else {
    const Value lower = reducer.Compare(ComparisonDirection::kLt, i, j);
    const Value earlier = reducer.Binary(HloOpcode::kAnd, equal, lower);
    index = reducer.Select(reducer.Binary(HloOpcode::kOr, keep, earlier), i, j);
  }
  reduction.reducer = reducer.Finish(reducer.Tuple(std::vector<Value>{reducer.Select(keep, a, b), index}));
  return reduction;
}

}  // namespace xla
