// Reductions, windows, sorting, and applications of scalar functions.
#include <algorithm>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/reductions.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// An array that reductions can work on: exact, or sums of it are possible.
Value ReducibleArray(Scope& scope) {
  const absl::optional<Value> found = scope.Find([](const Value& value) {
    return IsStaticArray(value) && (value.facts.exact || value.facts.IsPositive()) && value.type() != F8E8M0FNU;
  });
  if (found.has_value() && scope.random().Chance(80)) return *found;
  return scope.Fresh(ArrayShape(scope.ElementType(~0u), scope.Dimensions(1, 4)), scope.AnyDataClass());
}

std::vector<int64_t> SomeDimensions(Scope& scope, int64_t rank) {
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < rank; ++d) {
    if (scope.random().Chance(55)) dimensions.push_back(d);
  }
  return dimensions;
}

void ReduceMove(Scope& scope) {
  const Value x = ReducibleArray(scope);
  const std::vector<int64_t> dimensions = SomeDimensions(scope, x.rank());
  double terms = 1;
  for (const int64_t d : dimensions) terms *= static_cast<double>(x.dimension(static_cast<int>(d)));
  const absl::optional<Reduction> reduction = ChooseReduction(scope, x, terms);
  if (!reduction.has_value()) return;
  scope.Add(HloOpcode::kReduce, {x, reduction->init}, reduction->facts,
            {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = ToVector(dimensions); }),
             absl::nullopt,
             {reduction->reducer}});
}

void ArgMaxMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.facts.bounded && value.rank() >= 1 &&
           !IsComplex(value.type());
  });
  if (!x.has_value()) return;
  const int64_t d = scope.random().Below(x->rank());
  const Value indices = scope.Iota(S32, x->dimensions(), d);
  const ArgReduction reduction = ChooseArgReduction(scope, x->type());
  const Value tuple = scope.Add(HloOpcode::kReduce, {*x, indices, reduction.init, scope.Scalar(S32, 0)}, Facts::Exact(),
                                {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = {d}; }),
                                 absl::nullopt,
                                 {reduction.reducer}});
  if (scope.random().Chance(70)) scope.GetTupleElement(tuple, 0, Facts::Exact());
  scope.GetTupleElement(
      tuple, 1, Facts::Whole(0, static_cast<double>(std::max<int64_t>(0, x->dimension(static_cast<int>(d)) - 1))));
}

// A sum and a maximum at once.
void PairReduceMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.rank() >= 1 && IsInt(value.type());
  });
  if (!x.has_value()) return;
  const Value y = scope.Like(x->shape());
  const Value zero = scope.Scalar(x->type(), 0);
  const Value tuple = scope.Add(HloOpcode::kReduce, {*x, y, zero, zero}, Facts::Exact(),
                                {MakeAttributes<DimensionsAttributes>(
                                     [&](auto& a) { a.dimensions = ToVector(SomeDimensions(scope, x->rank())); }),
                                 absl::nullopt,
                                 {SumAndMaximum(scope, x->type())}});
  scope.GetTupleElement(tuple, scope.random().Below(2), Facts::Exact());
}

// A window over dimensions of these sizes that gives at least... something, or nothing.
Window ChooseWindow(Scope& scope, absl::Span<const int64_t> sizes, bool dilations, bool negative_padding) {
  RandomSource& random = scope.random();
  Window window;
  for (const int64_t size : sizes) {
    WindowDimension dimension;
    if (random.Chance(65)) {
      dimension.size = random.Between(1, std::max<int64_t>(1, std::min<int64_t>(size, 4)));
      dimension.stride = random.Chance(60) ? 1 : random.Between(1, 3);
      dimension.padding_low = random.Chance(60) ? 0 : random.Between(negative_padding ? -1 : 0, dimension.size);
      dimension.padding_high = random.Chance(60) ? 0 : random.Between(negative_padding ? -1 : 0, dimension.size);
      if (dilations && random.Chance(20)) dimension.base_dilation = random.Between(1, 3);
      if (dilations && random.Chance(20)) dimension.window_dilation = random.Between(1, 2);
    }
    window.dimensions.push_back(dimension);
  }
  return window;
}

void ReduceWindowMove(Scope& scope) {
  const Value x = ReducibleArray(scope);
  const Window window = ChooseWindow(scope, x.dimensions(), true, true);
  double terms = 1;
  for (const WindowDimension& dimension : window.dimensions) terms *= static_cast<double>(dimension.size);
  const absl::optional<Reduction> reduction = ChooseReduction(scope, x, terms);
  if (!reduction.has_value()) return;
  Facts facts = reduction->facts;
  // A window may lie in the padding altogether.
  if (facts.bounded) facts = Either(facts, reduction->init.facts), facts.bounded = reduction->init.facts.bounded;
  facts.nan_bits = false;
  scope.Add(
      HloOpcode::kReduceWindow, {x, reduction->init}, facts,
      {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = window; }), absl::nullopt, {reduction->reducer}});
}

// cumsum and its kin: a window as long as the dimension.
void CumulativeMove(Scope& scope) {
  const Value x = ReducibleArray(scope);
  if (x.rank() == 0 || x.shape().ElementCount() == 0) return;
  const int d = static_cast<int>(scope.random().Below(x.rank()));
  Window window;
  for (int i = 0; i < x.rank(); ++i) {
    WindowDimension dimension;
    if (i == d) {
      dimension.size = x.dimension(d);
      (scope.random().Chance(70) ? dimension.padding_low : dimension.padding_high) = x.dimension(d) - 1;
    }
    window.dimensions.push_back(dimension);
  }
  const absl::optional<Reduction> reduction = ChooseReduction(scope, x, static_cast<double>(x.dimension(d)));
  if (!reduction.has_value()) return;
  scope.Add(
      HloOpcode::kReduceWindow, {x, reduction->init}, reduction->facts,
      {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = window; }), absl::nullopt, {reduction->reducer}});
}

void SelectAndScatterMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.rank() >= 1 && value.rank() <= 3 &&
           !IsComplex(value.type()) && value.type() != F8E8M0FNU && value.shape().ElementCount() > 0;
  });
  if (!x.has_value()) return;
  Window window = ChooseWindow(scope, x->dimensions(), false, false);
  Shape source_shape = ArrayShape(x->type(), x->dimensions());
  for (int d = 0; d < x->rank(); ++d) {
    WindowDimension& w = window.dimensions[d];
    w.padding_low = std::min(w.padding_low, w.size - 1);
    w.padding_high = std::min(w.padding_high, w.size - 1);
    source_shape.set_dimension(d, (x->dimension(d) + w.padding_low + w.padding_high - w.size) / w.stride + 1);
  }
  const Value source = scope.Like(source_shape, DataClass::kSmall);
  Scope select(&scope.state(), "select", Scope::Kind::kFusion, 9);
  const Value a = select.Parameter(Shape::Scalar(x->type()), Facts::Exact(), "a");
  const Value b = select.Parameter(Shape::Scalar(x->type()), Facts::Exact(), "b");
  HloComputation* const select_computation = select.Finish(
      select.Compare(scope.random().Chance(80) ? ComparisonDirection::kGe : ComparisonDirection::kLe, a, b));
  const double terms = static_cast<double>(source.shape().ElementCount()) + 1;
  const bool sum = x->type() == PRED || MaySum(x->type(), terms, source.facts);
  const Facts facts = sum ? SumFacts(x->type(), terms, Either(source.facts, Facts::Whole(0, 0))) : Facts::Exact();
  const Value zero = scope.Scalar(x->type(), 0);
  HloComputation* const combine =
      ScalarComputation(scope.state(), sum ? HloOpcode::kAdd : HloOpcode::kMaximum, x->type());
  scope.Add(HloOpcode::kSelectAndScatter, {*x, source, zero}, facts,
            {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = window; }),
             absl::nullopt,
             {select_computation, combine}});
}

// (element, carry) -> (output, carry) along a dimension.
void ScanMove(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  if (x.rank() == 0) return;
  const int d = static_cast<int>(scope.random().Below(x.rank()));
  Shape slice = ArrayShape(x.type(), x.dimensions());
  slice.DeleteDimension(d);
  slice.SetMissingLayoutsToDefault();
  const Value carry = scope.Like(slice);
  Scope step(&scope.state(), "step", Scope::Kind::kNested, 9);
  const Value element = step.Parameter(slice, Facts::Exact(), "element");
  const Value old = step.Parameter(slice, Facts::Exact(), "carry");
  const Value next = step.Binary(scope.random().Chance(50) ? HloOpcode::kAdd : HloOpcode::kMaximum, old, element);
  HloComputation* const computation =
      step.Finish(step.Tuple(std::vector<Value>{step.Binary(HloOpcode::kMultiply, next, element), next}));
  const Value tuple = scope.Add(HloOpcode::kScan, {x, carry}, Facts::Exact(),
                                {MakeAttributes<ScanAttributes>([&](auto& a) {
                                   a.dimension = d;
                                   a.num_carries = 1;
                                   a.is_reverse = scope.random().Chance(40);
                                 }),
                                 absl::nullopt,
                                 {computation}});
  scope.GetTupleElement(tuple, 0, Facts::Exact());
  if (scope.random().Chance(60)) scope.GetTupleElement(tuple, 1, Facts::Exact());
}

// a goes before b: by the first key, or by the first two.
HloComputation* Comparator(Scope& scope, const std::vector<Value>& operands, int keys) {
  Scope comparator(&scope.state(), "comparator", Scope::Kind::kFusion, 9);
  std::vector<Value> p;
  for (const Value& operand : operands) {
    for (const char* name : {"a", "b"})
      p.push_back(comparator.Parameter(Shape::Scalar(operand.type()), operand.facts, name));
  }
  const ComparisonDirection direction = scope.random().Chance(60) ? ComparisonDirection::kLt : ComparisonDirection::kGt;
  const bool total = IsFloat(operands[0].type()) && (!operands[0].facts.bounded || scope.random().Chance(40));
  Value before = comparator.Compare(direction, p[0], p[1], total);
  if (keys == 2) {
    const bool total_second = IsFloat(operands[1].type());
    const Value equal = comparator.Compare(ComparisonDirection::kEq, p[0], p[1], total);
    before =
        comparator.Binary(HloOpcode::kOr, before,
                          comparator.Binary(HloOpcode::kAnd, equal,
                                            comparator.Compare(ComparisonDirection::kLt, p[2], p[3], total_second)));
  }
  return comparator.Finish(before);
}

bool IsSortKey(const Value& value) {
  return IsStaticArray(value) && value.facts.HasCertainBits() && value.rank() >= 1 && !IsComplex(value.type());
}

void SortMove(Scope& scope) {
  absl::optional<Value> key = scope.Find(IsSortKey);
  if (!key.has_value()) key = scope.Fresh(ArrayShape(F32, scope.Dimensions(1, 3)), DataClass::kAny);
  std::vector<Value> operands = {*key};
  const int64_t d = scope.random().Chance(60) ? key->rank() - 1 : scope.random().Below(key->rank());
  for (int64_t i = scope.random().Chance(50) ? 0 : scope.random().Between(1, 2); i > 0; --i) {
    const absl::optional<Value> payload = scope.Find(
        [&](const Value& value) { return IsStaticArray(value) && value.shape().SameDimensions(key->shape()); });
    operands.push_back(payload.has_value() && scope.random().Chance(50) ? *payload
                                                                        : scope.Iota(S32, key->dimensions(), d));
  }
  const int keys = operands.size() > 1 && IsSortKey(operands[1]) && scope.random().Chance(40) ? 2 : 1;
  HloComputation* const comparator = Comparator(scope, operands, keys);
  const Value sorted = scope.Add(HloOpcode::kSort, operands, operands[0].facts,
                                 {MakeAttributes<SortAttributes>([&](auto& a) {
                                    a.dimension = d;
                                    a.is_stable = scope.random().Chance(50);
                                  }),
                                  absl::nullopt,
                                  {comparator}});
  for (size_t i = 0; operands.size() > 1 && i < operands.size(); ++i) {
    if (i == 0 || scope.random().Chance(60)) scope.GetTupleElement(sorted, static_cast<int64_t>(i), operands[i].facts);
  }
}

void TopKMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find(IsSortKey);
  if (!x.has_value()) return;
  const int64_t size = x->dimension(x->rank() - 1);
  const Value top = scope.Add(HloOpcode::kTopK, {*x}, Facts::Exact(), {MakeAttributes<TopKAttributes>([&](auto& a) {
                                a.k = scope.random().Between(0, size);
                                a.largest = scope.random().Chance(80);
                              })});
  scope.GetTupleElement(top, 0, x->facts);
  if (scope.random().Chance(80)) scope.GetTupleElement(top, 1, Facts::Whole(0, static_cast<double>(size)));
}

void MapMove(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  const Value y = scope.Like(x.shape());
  Scope function(&scope.state(), "function", Scope::Kind::kFusion, 9);
  const Value a = function.Parameter(Shape::Scalar(x.type()), Facts::Exact(), "a");
  const Value b = function.Parameter(Shape::Scalar(x.type()), Facts::Exact(), "b");
  const Value sum = function.Binary(HloOpcode::kAdd, a, b);
  const Value scaled = function.Binary(HloOpcode::kMultiply, sum, function.Scalar(x.type(), 2));
  HloComputation* const computation =
      function.Finish(scope.random().Chance(50) ? scaled : function.Binary(HloOpcode::kMaximum, scaled, a));
  scope.Add(HloOpcode::kMap, {x, y}, Facts::Exact(),
            {MakeAttributes<MapAttributes>([&](auto& a) { a.dimensions = ToVector(Identity(x.rank())); }),
             absl::nullopt,
             {computation}});
}

// (i s32[], x T[]) -> (i - 1, x combined with itself), or whether i is above 0.
HloComputation* CountingTurn(Scope& scope, const Shape& state, bool condition) {
  Scope turn(&scope.state(), condition ? "again" : "turn", Scope::Kind::kFusion, 9);
  const Value all = turn.Parameter(state, Facts::Exact(), "state");
  const Value i = turn.GetTupleElement(all, 0, Facts::Exact());
  if (condition) return turn.Finish(turn.Compare(ComparisonDirection::kGt, i, turn.Scalar(S32, 0)));
  const Value x = turn.GetTupleElement(all, 1, Facts::Exact());
  const Value next = turn.Binary(HloOpcode::kSubtract, i, turn.Scalar(S32, 1));
  return turn.Finish(turn.Tuple({next, turn.Binary(HloOpcode::kMaximum, turn.Unary(HloOpcode::kNegate, x), x)}));
}

// A branch that passes its argument on, or what a loop of `turns` computes from it.
HloComputation* MapBranch(Scope& scope, PrimitiveType type, bool loops) {
  Scope branch(&scope.state(), "branch", Scope::Kind::kFusion, 9);
  const Value x = branch.Parameter(Shape::Scalar(type), Facts::Exact(), "x");
  if (!loops) return branch.Finish(branch.Unary(HloOpcode::kNegate, x));
  const Value turns = branch.Convert(branch.Compare(ComparisonDirection::kGt, x, branch.Scalar(type, 1)), S32);
  const Value state = branch.Tuple({branch.Binary(HloOpcode::kAdd, turns, branch.Scalar(S32, 1)), x});
  const Value last = branch.Add(HloOpcode::kWhile, {state}, Facts::Exact(),
                                {nullptr,
                                 state.shape(),
                                 {CountingTurn(scope, state.shape(), /*condition=*/true),
                                  CountingTurn(scope, state.shape(), /*condition=*/false)}});
  return branch.Finish(branch.GetTupleElement(last, 1, Facts::Exact()));
}

// A function with a conditional and perhaps a loop.
void MapWithControlFlowMove(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  Scope function(&scope.state(), "function", Scope::Kind::kFusion, 9);
  const Value a = function.Parameter(Shape::Scalar(x.type()), Facts::Exact(), "a");
  const Value chosen = function.Compare(ComparisonDirection::kLt, a, function.Scalar(x.type(), 3));
  const bool loops = scope.random().Chance(60);
  const Value result = function.Add(
      HloOpcode::kConditional, {chosen, a, a}, Facts::Exact(),
      {nullptr, a.shape(), {MapBranch(scope, x.type(), loops), MapBranch(scope, x.type(), /*loops=*/false)}});
  HloComputation* const computation = function.Finish(result);
  scope.Add(HloOpcode::kMap, {x}, Facts::Exact(),
            {MakeAttributes<MapAttributes>([&](auto& a) { a.dimensions = ToVector(Identity(x.rank())); }),
             absl::nullopt,
             {computation}});
}

}  // namespace

absl::Span<const Move> ReductionMoves() {
  static constexpr Move kMoves[] = {
      {"reduce", 14, 2, &ReduceMove},
      {"argmax", 4, 1, &ArgMaxMove},
      {"pair reduce", 3, 1, &PairReduceMove},
      {"reduce-window", 7, 1, &ReduceWindowMove},
      {"cumulative", 4, 1, &CumulativeMove},
      {"select-and-scatter", 4, 1, &SelectAndScatterMove},
      {"scan", 2, 0, &ScanMove},
      {"sort", 7, 1, &SortMove},
      {"topk", 3, 1, &TopKMove},
      {"map", 4, 2, &MapMove},
      {"map with control flow", 2, 1, &MapWithControlFlowMove},
  };
  return kMoves;
}

}  // namespace xla
