// Patterns of tuples, loops, branches and calls that cleaning passes look for; and of whole layers of networks.
#include <string>
#include <vector>

#include "tests/random_modules/moves.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// A tuple taken apart and put together again.
void TupleOfElementsIdiom(Scope& scope) {
  const Value a = scope.Array();
  const Value b = scope.Array();
  const Value tuple = scope.Tuple(std::vector<Value>{a, b});
  const Value first = scope.GetTupleElement(tuple, 0, a.facts);
  const Value second = scope.GetTupleElement(tuple, 1, b.facts);
  const Value again = scope.Tuple(std::vector<Value>{first, second});
  const Value nested = scope.Tuple(std::vector<Value>{again, a});
  const Value inner = scope.GetTupleElement(nested, 0, Facts::Exact());
  scope.GetTupleElement(inner, scope.random().Below(2), Either(a.facts, b.facts));
  if (scope.random().Chance(50)) scope.GetTupleElement(tuple, 0, a.facts);
}

// A barrier of several values of which some are not wanted.
void BarrierIdiom(Scope& scope) {
  const Value a = scope.Array();
  const Value b = scope.Array();
  const Value barrier = scope.Add(HloOpcode::kOptBarrier, {scope.Tuple(std::vector<Value>{a, b})}, Facts::Exact());
  scope.GetTupleElement(barrier, 0, a.facts);
  if (scope.random().Chance(40)) scope.GetTupleElement(barrier, 1, b.facts);
}

// (i, x, invariant, constant) with i from start to limit; x = x op invariant in each iteration.
void SmallLoopIdiom(Scope& scope) {
  if (scope.depth() >= 2 || scope.kind() == Scope::Kind::kFusion) return;
  RandomSource& random = scope.random();
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  const Value invariant = scope.Like(x.shape());
  const int64_t start = random.Between(-1, 2), trips = random.Pick(std::vector<int64_t>{0, 1, 1, 2, 3, 4, 7});
  const bool down = random.Chance(20);
  const Value init = scope.Scalar(S32, static_cast<double>(down ? trips : start));
  const Value constant = scope.Splat(ArrayShape(x.type(), x.dimensions()), 2);
  const Value state = scope.Tuple(std::vector<Value>{init, x, invariant, constant, x});

  Scope condition(&scope.state(), "condition", Scope::Kind::kNested, 9);
  const Value tested =
      condition.GetTupleElement(condition.Parameter(state.shape(), Facts::Exact(), "state"), 0, Facts::Exact());
  const Value limit = condition.Scalar(S32, static_cast<double>(down ? 0 : start + trips));
  const ComparisonDirection direction =
      down ? ComparisonDirection::kGt : (random.Chance(70) ? ComparisonDirection::kLt : ComparisonDirection::kNe);
  HloComputation* const condition_computation = condition.Finish(condition.Compare(direction, tested, limit));

  Scope body(&scope.state(), "body", Scope::Kind::kNested, 9);
  const Value parameter = body.Parameter(state.shape(), Facts::Exact(), "state");
  std::vector<Value> elements;
  for (int64_t e = 0; e < 5; ++e) elements.push_back(body.GetTupleElement(parameter, e, Facts::Exact()));
  // What does not change can be computed before the loop.
  const Value hoistable = body.Binary(HloOpcode::kMultiply, elements[2], elements[3]);
  static constexpr HloOpcode kOpcodes[] = {HloOpcode::kAdd, HloOpcode::kMaximum, HloOpcode::kSubtract,
                                           HloOpcode::kMultiply};
  const Value changed = body.Binary(random.Pick(kOpcodes), elements[1], hoistable);
  const Value last = random.Chance(50) ? elements[1] : body.Binary(HloOpcode::kAdd, elements[4], elements[4]);
  const Value step = body.Scalar(S32, down ? -1 : 1);
  const Value next = body.Binary(HloOpcode::kAdd, elements[0], step);
  const Value third = random.Chance(15) ? changed : elements[2];
  HloComputation* const body_computation =
      body.Finish(body.Tuple(std::vector<Value>{next, changed, third, elements[3], last}));
  const Value loop = scope.Add(HloOpcode::kWhile, {state}, Facts::Exact(),
                               {nullptr, state.shape(), {condition_computation, body_computation}});
  scope.GetTupleElement(loop, 1, Facts::Exact());
  for (const int64_t e : {0, 2, 3, 4}) {
    if (random.Chance(25)) scope.GetTupleElement(loop, e, Facts::Exact());
  }
}

// The same work in both branches, branches that are the same, and a choice that is known.
void BranchIdiom(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  const Value y = scope.Like(x.shape());
  const bool known = scope.random().Chance(30);
  const Value predicate =
      known ? scope.Scalar(PRED, static_cast<double>(scope.random().Below(2))) : scope.Predicate({});
  const bool same = scope.random().Chance(30);
  std::vector<HloComputation*> branches;
  for (int b = 0; b < 2; ++b) {
    Scope branch(&scope.state(), "branch", Scope::Kind::kNested, 9);
    const Value argument = branch.Parameter(x.shape(), Facts::Exact(), "argument");
    const Value common = branch.Binary(HloOpcode::kMultiply, argument, argument);
    const Value own = b == 0 || same ? common : branch.Binary(HloOpcode::kAdd, common, argument);
    branches.push_back(branch.Finish(own));
  }
  scope.Add(HloOpcode::kConditional, {predicate, x, scope.random().Chance(60) ? x : y}, Facts::Exact(),
            {nullptr, x.shape(), branches});
}

// Called with parameters that are not used, or given through.
void CallIdiom(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  const Value y = scope.Array();
  Scope inner(&scope.state(), "called", Scope::Kind::kNested, 9);
  const Value a = inner.Parameter(x.shape(), x.facts, "a");
  const Value b = inner.Parameter(y.shape(), y.facts, "b");
  const Value changed = inner.Unary(HloOpcode::kNegate, a);
  const bool through = scope.random().Chance(50);
  HloComputation* const computation = inner.Finish(inner.Tuple(std::vector<Value>{changed, through ? b : a}));
  const Value call = scope.Add(HloOpcode::kCall, {x, y}, Facts::Exact(), {nullptr, absl::nullopt, {computation}});
  if (scope.random().Chance(80)) scope.GetTupleElement(call, 0, changed.facts);
  scope.GetTupleElement(call, 1, through ? b.facts : a.facts);
}

// What an array of f32 is passed through before a user rounds it.
Value HandThrough(Scope& scope, const Value& x) {
  const auto called = [&](const std::string& name, bool moves) {
    Scope inner(&scope.state(), name, Scope::Kind::kNested, 9);
    const Value a = inner.Parameter(x.shape(), x.facts, "a");
    return inner.Finish(moves ? inner.Reverse(a, {0}) : inner.Unary(HloOpcode::kNegate, a));
  };
  switch (scope.random().Below(4)) {
    case 0: {
      const Value barrier = scope.Add(HloOpcode::kOptBarrier, {scope.Tuple(std::vector<Value>{x})}, x.facts);
      return scope.GetTupleElement(barrier, 0, x.facts);
    }
    case 1:
      return scope.Add(HloOpcode::kCall, {x}, x.facts, {nullptr, x.shape(), {called("called", true)}});
    case 2: {
      const std::vector<HloComputation*> branches = {called("left", true), called("right", false)};
      return scope.Add(HloOpcode::kConditional, {scope.Predicate({}), x, x}, Facts::Exact(),
                       {nullptr, x.shape(), branches});
    }
    default:
      return scope.Unary(HloOpcode::kAbs, x);
  }
}

// Arrays of f32 that are chosen and moved, and then only wanted as bf16.
void RoundedIdiom(Scope& scope) {
  const Shape shape = ArrayShape(F32, scope.Dimensions(1, 3));
  const Value x = scope.Fresh(shape, scope.AnyDataClass());
  const Value y = scope.Like(shape);
  const Value chosen = scope.Binary(scope.random().Chance(50) ? HloOpcode::kMaximum : HloOpcode::kMinimum, x, y);
  const Value passed = HandThrough(scope, chosen);
  const Value rounded = scope.Convert(passed, BF16);
  scope.Forget(chosen);
  scope.Forget(passed);
  scope.Unary(HloOpcode::kNegate, rounded);
}

// Rows of exp(x - max) / sum, of numbers so close together that no rounding grows.
void SoftmaxIdiom(Scope& scope) {
  const int64_t rows = scope.random().Between(1, 4), columns = scope.random().Between(1, 8);
  const Value x = scope.Fresh(ArrayShape(F32, {rows, columns}), DataClass::kPositive);
  const auto reduce = [&](HloOpcode opcode, const Value& operand, double init, const Facts& facts) {
    const Value start = scope.Scalar(F32, init);
    const Value reduced = scope.Add(HloOpcode::kReduce, {operand, start}, facts,
                                    {MakeAttributes<DimensionsAttributes>([](auto& a) { a.dimensions = {1}; }),
                                     absl::nullopt,
                                     {ScalarComputation(scope.state(), opcode, F32)}});
    return scope.Broadcast(reduced, {rows, columns}, {0});
  };
  const Value highest = reduce(HloOpcode::kMaximum, x, 0, Facts::Of(DataClass::kPositive, F32));
  const Value exponential = scope.Unary(HloOpcode::kExp, scope.Binary(HloOpcode::kSubtract, x, highest));
  const Value sum =
      reduce(HloOpcode::kAdd, exponential, 0, SumFacts(F32, static_cast<double>(columns), exponential.facts));
  scope.Binary(HloOpcode::kDivide, exponential, sum);
}

// What has no users, with a consumer that nothing uses either.
void DeadIdiom(Scope& scope) {
  const Value x = scope.ExactArray(element_class::kInt | element_class::kFloat);
  const Value dead = scope.Unary(HloOpcode::kNegate, scope.Unary(HloOpcode::kNegate, x));
  scope.Forget(dead);
}

// Pairs (value, index) that a loop or reduction ... of scalars only.
void ScalarLoopIdiom(Scope& scope) {
  const Value a = scope.Like(Shape::Scalar(S32), DataClass::kCount);
  const Value b = scope.Like(Shape::Scalar(F32), DataClass::kSmall);
  const Value state = scope.Tuple(std::vector<Value>{scope.Scalar(S32, 0), a, b});
  Scope condition(&scope.state(), "condition", Scope::Kind::kNested, 9);
  const Value tested = condition.Parameter(state.shape(), Facts::Exact(), "state");
  const Value i = condition.GetTupleElement(tested, 0, Facts::Exact());
  const Value n = condition.GetTupleElement(tested, 1, Facts::Exact());
  const Value below = condition.Compare(ComparisonDirection::kLt, i, n);
  const Value capped = condition.Compare(ComparisonDirection::kLt, i, condition.Scalar(S32, 5));
  HloComputation* const condition_computation = condition.Finish(condition.Binary(HloOpcode::kAnd, below, capped));
  Scope body(&scope.state(), "body", Scope::Kind::kNested, 9);
  const Value parameter = body.Parameter(state.shape(), Facts::Exact(), "state");
  const Value j = body.GetTupleElement(parameter, 0, Facts::Exact());
  const Value m = body.GetTupleElement(parameter, 1, Facts::Exact());
  const Value x = body.GetTupleElement(parameter, 2, Facts::Exact());
  const Value scaled = body.Binary(HloOpcode::kMultiply, x, body.Convert(j, F32));
  const Value next_x = body.Binary(HloOpcode::kAdd, scaled, x);
  const Value next = body.Binary(HloOpcode::kAdd, j, body.Scalar(S32, 1));
  HloComputation* const body_computation = body.Finish(body.Tuple(std::vector<Value>{next, m, next_x}));
  const Value loop = scope.Add(HloOpcode::kWhile, {state}, Facts::Exact(),
                               {nullptr, state.shape(), {condition_computation, body_computation}});
  scope.GetTupleElement(loop, 2, Facts::Exact());
  if (scope.random().Chance(40)) scope.GetTupleElement(loop, 0, Facts::Exact());
}

}  // namespace

absl::Span<const Move> StructureIdioms() {
  static constexpr Move kMoves[] = {
      {"tuple of elements", 4, 1, &TupleOfElementsIdiom},
      {"barrier", 2, 1, &BarrierIdiom},
      {"small loop", 5, 1, &SmallLoopIdiom},
      {"scalar loop", 3, 0, &ScalarLoopIdiom},
      {"branch", 4, 1, &BranchIdiom},
      {"call", 3, 1, &CallIdiom},
      {"rounded", 2, 1, &RoundedIdiom},
      {"softmax", 3, 2, &SoftmaxIdiom},
      {"dead", 3, 1, &DeadIdiom},
  };
  return kMoves;
}

}  // namespace xla
