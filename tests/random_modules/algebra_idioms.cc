// Patterns of arithmetic that simplifiers look for: right for integers, and mostly wrong for floats.
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

using namespace element_class;

Value SplatLike(Scope& scope, const Value& x, double number) {
  return scope.Splat(ArrayShape(x.type(), x.dimensions()), number);
}

Value Number(Scope& scope) { return scope.ExactArray(kInt | kFloat); }

// x op neutral, neutral op x, x op absorbing, x op almost neutral.
void NeutralIdiom(Scope& scope) {
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd,    HloOpcode::kSubtract, HloOpcode::kMultiply,
                                           HloOpcode::kDivide, HloOpcode::kMaximum,  HloOpcode::kMinimum,
                                           HloOpcode::kPower,  HloOpcode::kRemainder};
  static constexpr double kNumbers[] = {0, 0, 1, 1, -1, 2, 0.5, -0.0, 3, 4, 8};
  const Value x = Number(scope);
  const HloOpcode opcode = scope.random().Pick(kOpcodes);
  const Value c = SplatLike(scope, x, scope.random().Pick(kNumbers));
  scope.random().Chance(75) ? scope.Binary(opcode, x, c) : scope.Binary(opcode, c, x);
}

void SelfIdiom(Scope& scope) {
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd,      HloOpcode::kSubtract, HloOpcode::kMultiply,
                                           HloOpcode::kDivide,   HloOpcode::kMaximum,  HloOpcode::kMinimum,
                                           HloOpcode::kRemainder};
  const Value x = Number(scope);
  scope.Binary(scope.random().Pick(kOpcodes), x, x);
}

void BitsIdiom(Scope& scope) {
  const Value x = scope.ExactArray(kInt | kPred);
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor};
  const HloOpcode opcode = scope.random().Pick(kOpcodes);
  switch (scope.random().Below(4)) {
    case 0:
      scope.Binary(opcode, x, x);
      return;
    case 1:
      scope.Binary(opcode, x, SplatLike(scope, x, static_cast<double>(scope.random().Below(2))));
      return;
    case 2: {
      const Value complement = scope.Unary(HloOpcode::kNot, x);
      scope.Binary(opcode, complement, x);
      return;
    }
    default:
      scope.Unary(HloOpcode::kNot, scope.Unary(HloOpcode::kNot, x));
  }
}

void ShiftIdiom(Scope& scope) {
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kShiftLeft, HloOpcode::kShiftRightLogical,
                                           HloOpcode::kShiftRightArithmetic};
  const Value x = scope.ExactArray(kInt);
  const HloOpcode first = scope.random().Pick(kOpcodes);
  const HloOpcode second = scope.random().Pick(kOpcodes);
  const Value a = SplatLike(scope, x, static_cast<double>(scope.random().Between(0, 9)));
  const Value shifted = scope.Binary(first, x, a);
  scope.Binary(second, shifted, scope.random().Chance(60) ? a : SplatLike(scope, x, 2));
}

// (x op c1) op c2, and the constants on other sides.
void ConstantChainIdiom(Scope& scope) {
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd,      HloOpcode::kSubtract, HloOpcode::kMultiply,
                                           HloOpcode::kDivide,   HloOpcode::kMaximum,  HloOpcode::kMinimum,
                                           HloOpcode::kRemainder};
  Value x = Number(scope);
  HloOpcode opcode = scope.random().Pick(kOpcodes);
  for (int64_t i = scope.random().Between(2, 3); i > 0; --i) {
    const Value c = SplatLike(scope, x, static_cast<double>(scope.random().Between(1, 5)));
    x = scope.random().Chance(70) ? scope.Binary(opcode, x, c) : scope.Binary(opcode, c, x);
    if (scope.random().Chance(30)) opcode = scope.random().Pick(kOpcodes);
  }
}

// Twice the same function, or one and its inverse.
void UnaryPairIdiom(Scope& scope) {
  static constexpr std::pair<HloOpcode, HloOpcode> kPairs[] = {{HloOpcode::kNegate, HloOpcode::kNegate},
                                                               {HloOpcode::kAbs, HloOpcode::kAbs},
                                                               {HloOpcode::kNegate, HloOpcode::kAbs},
                                                               {HloOpcode::kSign, HloOpcode::kAbs},
                                                               {HloOpcode::kExp, HloOpcode::kLog},
                                                               {HloOpcode::kLog, HloOpcode::kExp},
                                                               {HloOpcode::kSqrt, HloOpcode::kRsqrt},
                                                               {HloOpcode::kFloor, HloOpcode::kCeil},
                                                               {HloOpcode::kFloor, HloOpcode::kFloor},
                                                               {HloOpcode::kSign, HloOpcode::kSign},
                                                               {HloOpcode::kExp, HloOpcode::kAbs},
                                                               {HloOpcode::kNegate, HloOpcode::kCos},
                                                               {HloOpcode::kRoundNearestEven, HloOpcode::kFloor}};
  const auto [first, second] = scope.random().Pick(kPairs);
  const Value x = scope.ExactArray(kFloat);
  scope.Unary(second, scope.Unary(first, x));
}

void SquareIdiom(Scope& scope) {
  const Value x = scope.ExactArray(kFloat);
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kSqrt, HloOpcode::kRsqrt, HloOpcode::kNegate, HloOpcode::kExp,
                                           HloOpcode::kAbs};
  const Value y = scope.Unary(scope.random().Pick(kOpcodes), x);
  const Value square = scope.Binary(HloOpcode::kMultiply, y, y);
  if (scope.random().Chance(40)) scope.Unary(HloOpcode::kAbs, square);
}

void PowerIdiom(Scope& scope) {
  static constexpr double kExponents[] = {0, 1, 2, 3, 0.5, -1, -2, -0.5};
  const Value x = Number(scope);
  scope.Binary(HloOpcode::kPower, x, SplatLike(scope, x, scope.random().Pick(kExponents)));
}

// Sums and differences of the same things in other orders.
void CancelIdiom(Scope& scope) {
  const Value a = Number(scope);
  const Value b = scope.Like(a.shape());
  const Value c = scope.Like(a.shape());
  const HloOpcode add = HloOpcode::kAdd, sub = HloOpcode::kSubtract, mul = HloOpcode::kMultiply;
  switch (scope.random().Below(7)) {
    case 0:
      scope.Binary(add, a, scope.Binary(sub, b, a));
      return;
    case 1:
      scope.Binary(sub, a, scope.Binary(sub, a, b));
      return;
    case 2:
      scope.Binary(sub, scope.Binary(add, a, b), a);
      return;
    case 3: {
      const Value first = scope.Binary(mul, a, c);
      const Value second = scope.Binary(mul, b, c);
      scope.Binary(add, first, second);
      return;
    }
    case 4: {
      const Value first = scope.Unary(HloOpcode::kNegate, a);
      const Value second = scope.Unary(HloOpcode::kNegate, b);
      scope.Binary(scope.random().Chance(50) ? mul : add, first, second);
      return;
    }
    case 5:
      scope.Binary(sub, a, scope.Unary(HloOpcode::kNegate, b));
      return;
    default:
      scope.Binary(add, a, scope.Unary(HloOpcode::kNegate, a));
  }
}

void DivideIdiom(Scope& scope) {
  const Value a = Number(scope);
  const HloOpcode div = HloOpcode::kDivide, mul = HloOpcode::kMultiply;
  const Value b = scope.Like(a.shape());
  switch (scope.random().Below(6)) {
    case 0:
      scope.Binary(div, scope.Binary(div, a, b), scope.Like(a.shape()));
      return;
    case 1:
      scope.Binary(mul, scope.Binary(div, a, b), b);
      return;
    case 2:
      scope.Binary(div, SplatLike(scope, a, 1), b);
      return;
    case 3: {
      static constexpr double kDivisors[] = {1, 2, 3, 4, 8, 10, 16, -1, -2, 0.25};
      const Value c = SplatLike(scope, a, scope.random().Pick(kDivisors));
      const Value quotient = scope.Binary(div, a, c);
      if (scope.random().Chance(60)) scope.Binary(HloOpcode::kSubtract, a, scope.Binary(mul, quotient, c));
      return;
    }
    case 4: {
      const Value c = SplatLike(scope, a, static_cast<double>(scope.random().Between(1, 8)));
      scope.Binary(HloOpcode::kRemainder, scope.Binary(HloOpcode::kRemainder, a, c), c);
      return;
    }
    default:
      if (IsFloat(a.type())) scope.Binary(div, a, scope.Unary(HloOpcode::kSqrt, b));
  }
}

void CompareIdiom(Scope& scope) {
  static constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kEq, ComparisonDirection::kNe,
                                                        ComparisonDirection::kGe, ComparisonDirection::kGt,
                                                        ComparisonDirection::kLe, ComparisonDirection::kLt};
  const ComparisonDirection direction = scope.random().Pick(kDirections);
  const Value x = scope.ExactArray(kPred | kInt | kFloat);
  switch (scope.random().Below(7)) {
    case 0:
      scope.Compare(direction, x, x);
      return;
    case 1:
      scope.Compare(direction, x, SplatLike(scope, x, 0));
      return;
    case 2: {
      const Value y = scope.Like(x.shape());
      scope.Unary(HloOpcode::kNot, scope.Compare(direction, x, y));
      return;
    }
    case 3: {
      const Value y = scope.Like(x.shape());
      const Value first = scope.Compare(direction, x, y);
      const Value second = scope.Compare(scope.random().Pick(kDirections), x, y);
      scope.Binary(scope.random().Chance(50) ? HloOpcode::kAnd : HloOpcode::kOr, first, second);
      return;
    }
    case 4: {
      const Value p = scope.Predicate(x.dimensions());
      const Value number = scope.Convert(p, scope.random().Chance(50) ? S32 : F32);
      scope.Compare(direction, number, SplatLike(scope, number, static_cast<double>(scope.random().Below(2))));
      return;
    }
    case 5: {
      if (x.rank() == 0) return;
      const Value iota = scope.Iota(S32, x.dimensions(), scope.random().Below(x.rank()));
      scope.Compare(direction, iota, SplatLike(scope, iota, static_cast<double>(scope.random().Between(-1, 8))));
      return;
    }
    default: {
      const Value absolute = IsUnsignedInt(x.type()) || x.type() == PRED ? x : scope.Unary(HloOpcode::kAbs, x);
      scope.Compare(direction, absolute, SplatLike(scope, absolute, 0));
    }
  }
}

void SelectIdiom(Scope& scope) {
  const Value x = scope.Array();
  const Value y = scope.Like(x.shape());
  const Value p = scope.random().Chance(20) ? scope.Predicate({}) : scope.Predicate(x.dimensions());
  switch (scope.random().Below(8)) {
    case 0:
      scope.Select(p, x, x);
      return;
    case 1:
      scope.Select(scope.Unary(HloOpcode::kNot, p), x, y);
      return;
    case 2: {
      const Value inner = scope.Select(p, x, y);
      scope.random().Chance(50) ? scope.Select(p, inner, y) : scope.Select(p, x, inner);
      return;
    }
    case 3: {
      const Value yes = scope.Splat(ArrayShape(PRED, p.dimensions()), 1);
      const Value no = scope.Splat(ArrayShape(PRED, p.dimensions()), 0);
      scope.random().Chance(50) ? scope.Select(p, yes, no) : scope.Select(p, no, yes);
      return;
    }
    case 4:
      scope.Select(scope.Splat(ArrayShape(PRED, x.dimensions()), static_cast<double>(scope.random().Below(2))), x, y);
      return;
    case 5: {
      if (!x.facts.exact || IsComplex(x.type())) return;
      const Value greater = scope.Compare(ComparisonDirection::kGt, x, y);
      scope.Select(greater, x, y);
      return;
    }
    case 6: {
      if (!x.facts.exact) return;
      const Value equal = scope.Compare(ComparisonDirection::kEq, x, y);
      scope.Select(equal, x, y);
      return;
    }
    default: {
      // 1 or 0 from a predicate, as a factor.
      if (!x.facts.exact || x.type() == PRED) return;
      const Value mask = scope.Convert(scope.Predicate(x.dimensions()), x.type());
      scope.Binary(HloOpcode::kMultiply, x, mask);
    }
  }
}

void ClampIdiom(Scope& scope) {
  const Value x = scope.ExactArray(kInt | kFloat);
  const double low = static_cast<double>(scope.random().Between(-1, 2));
  const double high = static_cast<double>(scope.random().Between(0, 3));
  Facts facts = Facts::Exact();
  switch (scope.random().Below(3)) {
    case 0: {
      const Value raised = scope.Binary(HloOpcode::kMaximum, x, SplatLike(scope, x, low));
      scope.Binary(HloOpcode::kMinimum, raised, SplatLike(scope, x, high));
      return;
    }
    case 1: {
      const Value first = scope.Add(HloOpcode::kClamp, {SplatLike(scope, x, low), x, SplatLike(scope, x, high)}, facts);
      scope.Add(HloOpcode::kClamp, {SplatLike(scope, x, low), first, SplatLike(scope, x, high + 1)}, facts);
      return;
    }
    default: {
      // Maxima and minima of constants, nested.
      const HloOpcode second = scope.random().Chance(50) ? HloOpcode::kMaximum : HloOpcode::kMinimum;
      const Value first = scope.Binary(HloOpcode::kMaximum, x, SplatLike(scope, x, low));
      scope.Binary(second, first, SplatLike(scope, x, high));
    }
  }
}

void ConvertChainIdiom(Scope& scope) {
  Value x = scope.ExactArray(kPred | kInt | kFloat);
  const PrimitiveType first = x.type();
  for (int64_t i = scope.random().Between(1, 3); i > 0; --i)
    x = scope.Convert(x, scope.ElementType(kPred | kInt | kFloat));
  if (scope.random().Chance(70)) scope.Convert(x, first);
}

// There and back through a type that is wider.
void WidenIdiom(Scope& scope) {
  static constexpr std::pair<PrimitiveType, PrimitiveType> kPairs[] = {
      {BF16, F32}, {F16, F32}, {F32, F64}, {S8, S32},       {U8, S32},
      {S32, F64},  {S16, F32}, {U8, F16},  {F8E4M3FN, F32}, {S4, S8}};
  const auto [narrow, wide] = scope.random().Pick(kPairs);
  const Value x = scope.Like(ArrayShape(narrow, scope.Dimensions(0, 3)));
  const Value wider = scope.Convert(x, wide);
  const Value other = scope.Convert(scope.Like(x.shape()), wide);
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum,
                                           HloOpcode::kSubtract, HloOpcode::kDivide};
  scope.Convert(scope.random().Chance(50) ? wider : scope.Binary(scope.random().Pick(kOpcodes), wider, other), narrow);
}

// The same again, in the same or in another order: for common subexpressions.
void RepeatIdiom(Scope& scope) {
  const absl::optional<Value> found = scope.Find([](const Value& value) {
    return FindElementwiseRow(value.instruction->opcode()) != nullptr && !value.shape().IsDynamic();
  });
  if (!found.has_value()) return;
  std::vector<Value> operands;
  for (HloInstruction* operand : found->instruction->operands()) operands.push_back({operand, {}});
  if (operands.size() == 2 && scope.random().Chance(50)) std::swap(operands[0], operands[1]);
  const bool commutes = operands.size() == 1 || found->instruction->opcode() == HloOpcode::kAdd ||
                        found->instruction->opcode() == HloOpcode::kMultiply;
  if (!commutes && operands[0].instruction != found->instruction->operand(0)) std::swap(operands[0], operands[1]);
  const Value again = scope.Add(found->instruction->opcode(), operands, found->facts);
  if (scope.random().Chance(40) && found->facts.exact && IsInt(found->type())) {
    scope.Binary(HloOpcode::kSubtract, *found, again);
  }
}

void ComplexIdiom(Scope& scope) {
  const Value x = scope.ExactArray(kComplex);
  switch (scope.random().Below(4)) {
    case 0: {
      const Value real = scope.Unary(HloOpcode::kReal, x);
      const Value imaginary = scope.Unary(HloOpcode::kImag, x);
      scope.Binary(HloOpcode::kComplex, real, imaginary);
      return;
    }
    case 1: {
      const Value re = scope.Like(ArrayShape(ComplexComponentType(x.type()), x.dimensions()));
      const Value im = scope.Like(re.shape());
      scope.Unary(scope.random().Chance(50) ? HloOpcode::kReal : HloOpcode::kImag,
                  scope.Binary(HloOpcode::kComplex, re, im));
      return;
    }
    case 2:
      scope.Unary(HloOpcode::kAbs, x);
      return;
    default:
      scope.Binary(scope.random().Chance(50) ? HloOpcode::kMultiply : HloOpcode::kSubtract, x, x);
  }
}

void PredicateArithmeticIdiom(Scope& scope) {
  const Value x = scope.ExactArray(kPred);
  const Value y = scope.Like(x.shape());
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum,
                                           HloOpcode::kMinimum};
  const Value z = scope.Binary(scope.random().Pick(kOpcodes), x, y);
  if (scope.random().Chance(50)) scope.Compare(ComparisonDirection::kNe, z, SplatLike(scope, z, 0));
}

}  // namespace

absl::Span<const Move> AlgebraIdioms() {
  static constexpr Move kMoves[] = {
      {"neutral", 8, 2, &NeutralIdiom},
      {"self", 4, 2, &SelfIdiom},
      {"bits", 4, 2, &BitsIdiom},
      {"shift", 3, 2, &ShiftIdiom},
      {"constant chain", 5, 2, &ConstantChainIdiom},
      {"unary pair", 4, 2, &UnaryPairIdiom},
      {"square", 3, 2, &SquareIdiom},
      {"power", 4, 2, &PowerIdiom},
      {"cancel", 5, 2, &CancelIdiom},
      {"divide", 5, 2, &DivideIdiom},
      {"compare", 6, 2, &CompareIdiom},
      {"select", 6, 2, &SelectIdiom},
      {"clamp", 3, 2, &ClampIdiom},
      {"convert chain", 4, 2, &ConvertChainIdiom},
      {"widen", 4, 2, &WidenIdiom},
      {"repeat", 6, 2, &RepeatIdiom},
      {"complex", 2, 2, &ComplexIdiom},
      {"predicate arithmetic", 2, 2, &PredicateArithmeticIdiom},
  };
  return kMoves;
}

}  // namespace xla
