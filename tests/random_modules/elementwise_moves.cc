// Elementwise operations of all element types, uniformly drawn.
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

std::vector<const ElementwiseRow*> RowsOfArity(int arity) {
  std::vector<const ElementwiseRow*> rows;
  for (const HloOpcode opcode : AllOpcodes()) {
    const ElementwiseRow* const row = FindElementwiseRow(opcode);
    if (row != nullptr && row->arity == arity) rows.push_back(row);
  }
  return rows;
}

void UnaryMove(Scope& scope) {
  static const auto& rows = *new std::vector<const ElementwiseRow*>(RowsOfArity(1));
  const ElementwiseRow& row = *scope.random().Pick(rows);
  scope.Unary(row.opcode, scope.ExactArray(row.classes));
}

void BinaryMove(Scope& scope) {
  static const auto& rows = *new std::vector<const ElementwiseRow*>(RowsOfArity(2));
  static constexpr HloOpcode kFrequent[] = {HloOpcode::kAdd,     HloOpcode::kSubtract, HloOpcode::kMultiply,
                                            HloOpcode::kMaximum, HloOpcode::kMinimum,  HloOpcode::kDivide};
  const ElementwiseRow& row =
      *(scope.random().Chance(45) ? FindElementwiseRow(scope.random().Pick(kFrequent)) : scope.random().Pick(rows));
  const Value x = scope.ExactArray(row.classes);
  // Small whole numbers now and then, so that sums of what comes out stay exact.
  const Value y = scope.Like(x.shape(), x.facts.integral ? DataClass::kSmall : DataClass::kAny);
  scope.random().Chance(50) ? scope.Binary(row.opcode, x, y) : scope.Binary(row.opcode, y, x);
}

void CompareMove(Scope& scope) {
  static constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kEq, ComparisonDirection::kNe,
                                                        ComparisonDirection::kGe, ComparisonDirection::kGt,
                                                        ComparisonDirection::kLe, ComparisonDirection::kLt};
  const Value x = scope.ExactArray(element_class::kAny);
  const Value y = scope.Like(x.shape());
  if (IsComplex(x.type())) {
    scope.Compare(scope.random().Chance(50) ? ComparisonDirection::kEq : ComparisonDirection::kNe, x, y);
    return;
  }
  const bool total = IsFloat(x.type()) && x.facts.HasCertainBits() && y.facts.HasCertainBits();
  scope.Compare(scope.random().Pick(kDirections), x, y, total && scope.random().Chance(30));
}

void SelectMove(Scope& scope) {
  const Value x = scope.Array();
  const Value y = scope.Like(x.shape());
  const Value predicate = scope.random().Chance(25) ? scope.Predicate({}) : scope.Predicate(x.dimensions());
  scope.random().Chance(50) ? scope.Select(predicate, x, y) : scope.Select(predicate, y, x);
}

void ClampMove(Scope& scope) {
  using namespace element_class;
  const Value x = scope.ExactArray(kPred | kInt | kFloat);
  const Shape scalar = Shape::Scalar(x.type());
  const Value low = scope.Like(scope.random().Chance(50) ? scalar : x.shape());
  const Value high = scope.Like(scope.random().Chance(50) ? scalar : x.shape());
  Facts facts = Facts::Exact();
  if (x.facts.bounded && low.facts.bounded && high.facts.bounded)
    facts = Either(x.facts, Either(low.facts, high.facts));
  facts.nan_bits = false;
  scope.Add(HloOpcode::kClamp, {low, x, high}, facts);
}

void ConvertMove(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kAny);
  scope.Convert(x, scope.ElementType(IsComplex(x.type()) ? element_class::kComplex : element_class::kAny));
}

// Bits of another type: equally wide, or with a dimension more or less.
void BitcastConvertMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.HasCertainBits() && !IsComplex(value.type()) && value.type() != PRED;
  });
  if (!x.has_value()) return;
  const int from = BitWidth(x->type());
  for (int attempt = 0; attempt < 8; ++attempt) {
    const PrimitiveType type = scope.ElementType(element_class::kInt | element_class::kFloat);
    const int to = BitWidth(type);
    DimensionVector dimensions = ToVector(x->dimensions());
    if (to < from) {
      if (from % to != 0 || dimensions.size() > 3) continue;
      dimensions.push_back(from / to);
    } else if (to > from) {
      if (to % from != 0 || dimensions.empty() || dimensions.back() != to / from) continue;
      dimensions.pop_back();
    }
    Facts facts = Facts::Exact();
    facts.nan_bits = true;
    scope.Add(HloOpcode::kBitcastConvert, {*x}, facts, {nullptr, ArrayShape(type, dimensions)});
    return;
  }
}

void ReducePrecisionMove(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kFloat);
  static constexpr std::pair<int64_t, int64_t> kFormats[] = {{8, 7}, {5, 10},  {8, 23}, {5, 2},
                                                             {4, 3}, {11, 52}, {3, 0}};
  auto format = scope.random().Pick(kFormats);
  // Without a mantissa NaN becomes an infinity of its sign, which is not part of what a program means.
  if (format.second == 0 && !x.facts.HasCertainBits()) format = kFormats[0];
  scope.Add(HloOpcode::kReducePrecision, {x}, Facts::Exact(), {MakeAttributes<ReducePrecisionAttributes>([&](auto& a) {
              a.exponent_bits = format.first;
              a.mantissa_bits = format.second;
            })});
}

PrimitiveType UnsignedOfWidth(int bits) {
  static constexpr PrimitiveType kTypes[] = {U4, U8, U16, U32, U64};
  for (const PrimitiveType type : kTypes) {
    if (BitWidth(type) == bits) return type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

void StochasticConvertMove(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kFloat);
  const PrimitiveType random_type = UnsignedOfWidth(BitWidth(x.type()));
  if (random_type == PRIMITIVE_TYPE_INVALID) return;
  const Value random = scope.Like(ArrayShape(random_type, x.dimensions()));
  const PrimitiveType to = scope.ElementType(element_class::kInt | element_class::kFloat);
  if (to == F64 || to == F8E8M0FNU || BitWidth(to) > BitWidth(x.type())) return;
  scope.Add(HloOpcode::kStochasticConvert, {x, random}, Facts::Exact(), {nullptr, ArrayShape(to, x.dimensions())});
}

// Continues with a value that is not exact, in ways that keep its relative error small.
void SmoothMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && !value.facts.exact && value.facts.IsPositive() && value.facts.high < 1e3 &&
           value.facts.low > 1e-3 && value.facts.roundings <= 3 && BitWidth(value.type()) >= 16 &&
           IsFloat(value.type());
  });
  if (!x.has_value()) return;
  switch (scope.random().Below(5)) {
    case 0:
      scope.Unary(HloOpcode::kSqrt, *x);
      return;
    case 1:
      scope.Unary(HloOpcode::kTanh, *x);
      return;
    case 2:
      scope.Unary(HloOpcode::kNegate, *x);
      return;
    default: {
      static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kDivide,
                                               HloOpcode::kMaximum, HloOpcode::kMinimum};
      scope.Binary(scope.random().Pick(kOpcodes), *x, scope.Fresh(x->shape(), DataClass::kPositive));
    }
  }
}

}  // namespace

absl::Span<const Move> ElementwiseMoves() {
  static constexpr Move kMoves[] = {
      {"unary", 24, 2, &UnaryMove},
      {"binary", 30, 2, &BinaryMove},
      {"compare", 8, 2, &CompareMove},
      {"select", 8, 2, &SelectMove},
      {"clamp", 4, 2, &ClampMove},
      {"convert", 12, 2, &ConvertMove},
      {"bitcast-convert", 4, 2, &BitcastConvertMove},
      {"reduce-precision", 3, 2, &ReducePrecisionMove},
      {"stochastic-convert", 3, 2, &StochasticConvertMove},
      {"smooth", 8, 2, &SmoothMove},
  };
  return kMoves;
}

}  // namespace xla
