// Loops and branches whose conditions and selectors take several steps that nothing joins; whose bodies sort, solve,
// transform, loop on; whose state is passed through, swapped or duplicated; and that have effects.
//
// The state is a matrix of whole numbers in [-kLimit, kLimit], so that whatever decides about another iteration is the
// same in every order of sums; a counter ends the loop in any case.
#include <utility>
#include <vector>

#include "tests/random_modules/effects.h"
#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

constexpr double kLimit = 3;

bool MayLoop(const Scope& scope) { return scope.kind() != Scope::Kind::kFusion && scope.depth() < 2; }

PrimitiveType StateType(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, S32, F64, BF16, F16, S64};
  return scope.random().Pick(kTypes);
}

// A matrix of whole numbers of which sums of squares are exact.
Value StateMatrix(Scope& scope) {
  const int64_t n = scope.random().Between(1, 4);
  return scope.Fresh(ArrayShape(StateType(scope), {n, n}), DataClass::kSmall);
}

Facts StateFacts() { return Facts::Whole(-kLimit, kLimit); }

// ---- Steps to a scalar

// The sum of squares of all elements.
Value SquareNorm(Scope& scope, const Value& x) {
  const Value flat = Flattened(scope, x);
  return MatrixProduct(scope, flat, flat);
}

Value CornerOfProduct(Scope& scope, const Value& x) {
  const int64_t last = x.dimension(0) - 1;
  return ElementAt(scope, MatrixProduct(scope, x, x), {last, 0});
}

Value SmallestOfSorted(Scope& scope, const Value& x) {
  const Value sorted = Sorted(scope, Flattened(scope, x), 0);
  return ElementAt(scope, sorted, {scope.random().Below(sorted.dimension(0))});
}

Value ElementOfSum(Scope& scope, const Value& x) {
  const HloOpcode opcode = scope.random().Chance(60) ? HloOpcode::kAdd : HloOpcode::kMaximum;
  const Value sums = Reduced(scope, opcode, x, {scope.random().Below(2)});
  return ElementAt(scope, sums, {scope.random().Below(sums.dimension(0))});
}

Value BestOfTopK(Scope& scope, const Value& x) {
  const Value flat = Flattened(scope, x);
  const Value top = scope.Add(HloOpcode::kTopK, {flat}, Facts::Exact(),
                              {MakeAttributes<TopKAttributes>([&](auto& a) { a.k = flat.dimension(0); })});
  const Value values = scope.GetTupleElement(top, 0, x.facts);
  return ElementAt(scope, values, {scope.random().Below(values.dimension(0))});
}

Value ElementAtMaximum(Scope& scope, const Value& x) {
  const Value row = scope.Convert(Reduced(scope, HloOpcode::kMaximum, Flattened(scope, x), {0}), S32);
  const Value column = scope.Scalar(S32, 0);
  const Value element =
      scope.Add(HloOpcode::kDynamicSlice, {x, row, column}, x.facts,
                {MakeAttributes<DynamicSliceAttributes>([](auto& a) { a.slice_sizes = {1, 1}; })});
  return scope.Reshape(element, {});
}

Value OfCalled(Scope& scope, const Value& x) {
  HloComputation* const called =
      ComputationOf(scope, "called", x.shape(), x.facts, [](Scope& inner, const Value& parameter) {
        return inner.random().Chance(50) ? SquareNorm(inner, parameter) : ElementOfSum(inner, parameter);
      });
  // The largest sum of squares of four rows of four.
  const double limit = kLimit * kLimit * 16;
  return scope.Add(HloOpcode::kCall, {x}, Facts::Whole(-limit, limit), {nullptr, absl::nullopt, {called}});
}

Value OfBranch(Scope& scope, const Value& x) {
  const Value first = ElementAt(scope, x, {0, 0});
  const Value positive = scope.Compare(ComparisonDirection::kGt, first, scope.Scalar(x.type(), 0));
  std::vector<HloComputation*> branches;
  for (const bool product : {true, false}) {
    branches.push_back(ComputationOf(scope, "branch", x.shape(), x.facts, [&](Scope& inner, const Value& parameter) {
      return product ? CornerOfProduct(inner, parameter) : ElementOfSum(inner, parameter);
    }));
  }
  const double limit = kLimit * kLimit * 16;
  return scope.Add(HloOpcode::kConditional, {positive, x, x}, Facts::Whole(-limit, limit),
                   {nullptr, branches[0]->root()->shape(), branches});
}

// How many iterations it takes to halve until nothing is left: as many as the data say.
Value Halvings(Scope& scope, const Value& x) {
  const Value start = scope.Convert(Clamped(scope, SquareNorm(scope, x), 200), S32);
  const Value init = scope.Tuple(std::vector<Value>{scope.Scalar(S32, 0), start});
  const Value halved = While(
      scope, init,
      [](Scope& condition, const Value& state) {
        const Value left = condition.GetTupleElement(state, 1, Facts::Whole(0, 200));
        return condition.Compare(ComparisonDirection::kGt, left, condition.Scalar(S32, 0));
      },
      [](Scope& body, const Value& state) {
        const Value count = body.GetTupleElement(state, 0, Facts::Whole(0, 8));
        const Value left = body.GetTupleElement(state, 1, Facts::Whole(0, 200));
        const Value more = body.Binary(HloOpcode::kAdd, count, body.Scalar(S32, 1));
        const Value half = body.Binary(HloOpcode::kShiftRightArithmetic, left, body.Scalar(S32, 1));
        return body.Tuple(std::vector<Value>{more, half});
      });
  return scope.Convert(scope.GetTupleElement(halved, 0, Facts::Whole(0, 8)), x.type());
}

using ToScalar = Value (*)(Scope&, const Value&);
constexpr ToScalar kScalars[] = {&SquareNorm, &CornerOfProduct,  &SmallestOfSorted, &ElementOfSum, &BestOfTopK,
                                 &OfCalled,   &ElementAtMaximum, &OfBranch,         &Halvings};

Value SomeScalar(Scope& scope, const Value& x) { return scope.random().Pick(kScalars)(scope, x); }

Value SomeComparison(Scope& scope, const Value& scalar) {
  static constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kNe, ComparisonDirection::kGt,
                                                        ComparisonDirection::kLe};
  const double number = static_cast<double>(scope.random().Between(-2, 9));
  const ComparisonDirection direction = scope.random().Pick(kDirections);
  return scope.Compare(direction, scalar, scope.Scalar(scalar.type(), number));
}

// A predicate in another guise: the root of a condition is not always a comparison.
Value Disguised(Scope& scope, const Value& predicate) {
  switch (scope.random().Below(6)) {
    case 0:
      return scope.Unary(HloOpcode::kNot, scope.Unary(HloOpcode::kNot, predicate));
    case 1: {
      const Value row = scope.Broadcast(predicate, {3}, {});
      return ElementAt(scope, row, {scope.random().Below(3)});
    }
    case 2:
      return scope.Convert(scope.Convert(predicate, S32), PRED);
    case 3:
      return scope.Add(HloOpcode::kOptBarrier, {predicate}, predicate.facts);
    case 4:
      return scope.Copy(predicate);
    default:
      return predicate;
  }
}

// ---- Steps from a state to the next

Value DotStep(Scope& scope, const Value& x) {
  const Value factor = scope.random().Chance(50)
                           ? x
                           : scope.Constant(ArrayShape(x.type(), x.dimensions()), DataClass::kSmall);
  return Clamped(scope, MatrixProduct(scope, x, factor), kLimit);
}

Value SortStep(Scope& scope, const Value& x) { return Sorted(scope, x, scope.random().Below(2)); }

Value ReverseStep(Scope& scope, const Value& x) { return scope.Reverse(x, {scope.random().Below(2)}); }

Value TransposeStep(Scope& scope, const Value& x) { return scope.Transpose(x, {1, 0}); }

Value AddStep(Scope& scope, const Value& x) {
  const Value sum = scope.Binary(HloOpcode::kAdd, x, scope.Splat(ArrayShape(x.type(), x.dimensions()), 1));
  return Clamped(scope, sum, kLimit);
}

Value UpdateStep(Scope& scope, const Value& x) {
  const Value row = scope.Slice(x, {{0, 1, 1}, {0, x.dimension(1), 1}});
  const Value changed = scope.random().Chance(50) ? row : scope.Unary(HloOpcode::kNegate, row);
  const Value at = scope.Scalar(S32, static_cast<double>(x.dimension(0) - 1));
  const Value zero = scope.Scalar(S32, 0);
  return scope.Add(HloOpcode::kDynamicUpdateSlice, {x, changed, at, zero}, x.facts);
}

Value TopKStep(Scope& scope, const Value& x) {
  const bool custom = x.type() == F32 && scope.random().Chance(50);
  Value top;
  if (custom) {
    Scope comparator(&scope.state(), "greater", Scope::Kind::kNested, 9);
    const Value a = comparator.Parameter(Shape::Scalar(F32), Facts::Exact(), "a");
    const Value b = comparator.Parameter(Shape::Scalar(F32), Facts::Exact(), "b");
    HloComputation* const greater =
        comparator.Finish(comparator.Compare(ComparisonDirection::kGt, a, b, /*total_order=*/true));
    const Shape shape = Shape::Tuple({x.shape(), ArrayShape(S32, x.dimensions())});
    top = scope.Add(HloOpcode::kCustomCall, {x}, Facts::Exact(),
                    {MakeAttributes<CustomCallAttributes>([](auto& a) { a.custom_call_target = "TopK"; }), shape,
                     {greater}});
  } else {
    top = scope.Add(HloOpcode::kTopK, {x}, Facts::Exact(),
                    {MakeAttributes<TopKAttributes>([&](auto& a) { a.k = x.dimension(1); })});
  }
  return scope.GetTupleElement(top, 0, x.facts);
}

// A loop within the loop, which lasts until the sum of squares is small: each iteration halves.
Value ConvergenceStep(Scope& scope, const Value& x) {
  const double least = static_cast<double>(scope.random().Between(0, 12));
  Value small = While(
      scope, x,
      [&](Scope& condition, const Value& state) {
        Value known = state;
        known.facts = StateFacts();
        const Value norm = SquareNorm(condition, known);
        return condition.Compare(ComparisonDirection::kGt, norm, condition.Scalar(norm.type(), least));
      },
      [](Scope& body, const Value& state) {
        // Towards zero by one.
        const Value sign = body.Unary(HloOpcode::kSign, state);
        return body.Binary(HloOpcode::kSubtract, state, sign);
      });
  small.facts = StateFacts();
  return small;
}

Value BranchStep(Scope& scope, const Value& x) {
  const bool by_index = scope.random().Chance(40);
  Value selector = SomeScalar(scope, x);
  selector = by_index ? scope.Convert(selector, S32) : Disguised(scope, SomeComparison(scope, selector));
  std::vector<HloComputation*> branches;
  std::vector<Value> operands = {selector};
  const bool effects = scope.random().Chance(25);
  for (int64_t b = by_index ? scope.random().Between(2, 3) : 2; b > 0; --b) {
    operands.push_back(x);
    branches.push_back(ComputationOf(scope, "branch", x.shape(), StateFacts(), [&](Scope& inner, const Value& state) {
      if (effects && inner.random().Chance(70)) AnyEffect(inner, state);
      switch (inner.random().Below(4)) {
        case 0:
          return state;
        case 1:
          return AddStep(inner, state);
        case 2:
          return SortStep(inner, state);
        default:
          return DotStep(inner, state);
      }
    }));
  }
  return scope.Add(HloOpcode::kConditional, operands, StateFacts(), {nullptr, x.shape(), branches});
}

using Step = Value (*)(Scope&, const Value&);
constexpr Step kSteps[] = {&DotStep,    &DotStep,  &SortStep,        &ReverseStep, &TransposeStep, &AddStep,
                           &UpdateStep, &TopKStep, &ConvergenceStep, &BranchStep};

// ---- What a body computes beside the matrix, with its library: arrays of their own in the state, which are not exact.

// How often: with the counter, so that nothing can be computed before the loop.
Value Scaled(Scope& scope, const Value& x, const Value& counter) {
  const Value factor = scope.Convert(scope.Binary(HloOpcode::kAdd, counter, scope.Scalar(S32, 1)), x.type());
  return scope.Binary(HloOpcode::kMultiply, x, scope.Broadcast(factor, x.dimensions(), {}));
}

Value ScaledConstant(Scope& scope, const Value& like, DataClass data_class, const Value& counter) {
  return Scaled(scope, scope.Constant(ArrayShape(like.type(), like.dimensions()), data_class), counter);
}

struct Companion {
  Value init;
  // What it is after an iteration, from what it was.
  Value (*next)(Scope& scope, const Value& x, const Value& counter) = nullptr;
};

Value FactorStep(Scope& scope, const Value& x, const Value& counter) {
  const Value matrix = ScaledConstant(scope, x, DataClass::kDefinite, counter);
  const Value factor = scope.Add(HloOpcode::kCholesky, {matrix}, Facts::Rounded(),
                                 {MakeAttributes<CholeskyAttributes>([](auto& a) { a.lower = true; })});
  return scope.Binary(HloOpcode::kMaximum, factor, x);
}

Value LapackStep(Scope& scope, const Value& x, const Value& counter) {
  const Value matrix = ScaledConstant(scope, x, DataClass::kDefinite, counter);
  const Value pair = scope.Add(HloOpcode::kCustomCall, {matrix}, Facts::Rounded(),
                               {MakeAttributes<CustomCallAttributes>([&](auto& a) {
                                  a.custom_call_target = x.type() == F32 ? "lapack_spotrf_ffi" : "lapack_dpotrf_ffi";
                                  a.api_version = CustomCallApiVersion::kTypedFfi;
                                }),
                                Shape::Tuple({x.shape(), Shape::Scalar(S32)})});
  pair.instruction->mutable_annotations().backend_config = "{uplo = 76 : ui8}";
  return scope.Binary(HloOpcode::kMaximum, scope.GetTupleElement(pair, 0, Facts::Rounded()), x);
}

Value SolveStep(Scope& scope, const Value& x, const Value& counter) {
  const Value matrix = scope.Constant(ArrayShape(x.type(), x.dimensions()), DataClass::kTriangular);
  const Value right = ScaledConstant(scope, x, DataClass::kSmall, counter);
  const Value solved = scope.Add(HloOpcode::kTriangularSolve, {matrix, right}, Facts::Rounded(),
                                 {MakeAttributes<TriangularSolveAttributes>([](auto& a) {
                                   a.left_side = true;
                                   a.lower = true;
                                   a.transpose_a = TransposeA::kNoTranspose;
                                 })});
  return scope.Binary(HloOpcode::kMaximum, solved, x);
}

Value TransformStep(Scope& scope, const Value& x, const Value& counter) {
  const Value signal = ScaledConstant(scope, x, DataClass::kSmall, counter);
  const Value transformed =
      scope.Add(HloOpcode::kFft, {signal}, Facts::Rounded(), {MakeAttributes<FftAttributes>([&](auto& a) {
                  a.fft_type = FftType::kRfft;
                  a.fft_length = {x.dimension(1)};
                })});
  const Value real = scope.Unary(HloOpcode::kReal, transformed);
  PaddingConfig padding(2);
  padding[1].high = x.dimension(1) - real.dimension(1);
  return scope.Binary(HloOpcode::kMaximum, x, scope.Pad(real, scope.Scalar(x.type(), 0), padding));
}

// For a library by its size.
Value WideStep(Scope& scope, const Value& x, const Value&) {
  Value whole = x;
  whole.facts = StateFacts();
  return Clamped(scope, MatrixProduct(scope, whole, whole), kLimit);
}

Companion MakeCompanion(Scope& scope) {
  static constexpr decltype(Companion::next) kNext[] = {&FactorStep, &LapackStep, &SolveStep, &TransformStep,
                                                        &WideStep};
  Companion companion;
  companion.next = scope.random().Pick(kNext);
  const int64_t n = companion.next == &WideStep ? 24 : scope.random().Between(1, 4);
  const PrimitiveType type = scope.random().Chance(60) ? F32 : F64;
  companion.init = scope.Fresh(ArrayShape(type, {n, n}), DataClass::kCount);
  return companion;
}

// ---- A loop with all of that. Element 0 counts, element 1 is the matrix, element 2 what it was an iteration before.

struct LoopPlan {
  Value counter, x;
  std::vector<Companion> companions;
  absl::optional<Value> passed;       // through, unchanged
  std::vector<Value> swapped;         // two that change places
  bool swaps_in_a_tuple = false;
  bool predicate_in_state = false;    // computed by the body, read by the condition
  bool several_steps = true;          // in the condition
  bool effect_in_condition = false;
  bool effect_in_body = false;
  bool many_instructions = false;
  int64_t most = 0;                   // iterations
};

LoopPlan PlanLoop(Scope& scope) {
  RandomSource& random = scope.random();
  LoopPlan plan;
  plan.counter = scope.Scalar(S32, 0);
  plan.x = StateMatrix(scope);
  if (random.Chance(50)) plan.companions.push_back(MakeCompanion(scope));
  if (random.Chance(40)) plan.passed = scope.Array();
  if (random.Chance(35)) {
    plan.swapped = {scope.Array()};
    plan.swapped.push_back(random.Chance(30) ? plan.swapped[0] : scope.Like(plan.swapped[0].shape()));
    plan.swaps_in_a_tuple = random.Chance(40);
  }
  plan.predicate_in_state = random.Chance(20);
  plan.several_steps = random.Chance(80);
  plan.effect_in_condition = random.Chance(15);
  plan.effect_in_body = random.Chance(15);
  plan.many_instructions = random.Chance(3);
  plan.most = random.Between(0, 5);
  return plan;
}

// The elements of a state by what they are for.
struct LoopState {
  Value counter, x, before;
  std::vector<Value> companions;
  absl::optional<Value> passed;
  std::vector<Value> swapped;
  absl::optional<Value> predicate;
};

Value PackState(Scope& scope, const LoopState& state, const LoopPlan& plan) {
  std::vector<Value> elements = {state.counter, state.x, state.before};
  elements.insert(elements.end(), state.companions.begin(), state.companions.end());
  if (state.passed.has_value()) elements.push_back(*state.passed);
  if (plan.swaps_in_a_tuple) {
    elements.push_back(scope.Tuple(state.swapped));
  } else {
    elements.insert(elements.end(), state.swapped.begin(), state.swapped.end());
  }
  if (state.predicate.has_value()) elements.push_back(*state.predicate);
  return scope.Tuple(elements);
}

LoopState UnpackState(Scope& scope, const Value& tuple, const LoopPlan& plan) {
  LoopState state;
  int64_t next = 0;
  const auto take = [&](const Facts& facts) { return scope.GetTupleElement(tuple, next++, facts); };
  state.counter = take(Facts::Whole(0, 8));
  state.x = take(StateFacts());
  state.before = take(StateFacts());
  for (size_t i = 0; i < plan.companions.size(); ++i) state.companions.push_back(take(Facts::Rounded()));
  if (plan.passed.has_value()) state.passed = take(plan.passed->facts);
  if (!plan.swapped.empty()) {
    const Facts either = Either(plan.swapped[0].facts, plan.swapped[1].facts);
    const Value holder = plan.swaps_in_a_tuple ? take(Facts::Exact()) : tuple;
    for (int64_t i = 0; i < 2; ++i) {
      state.swapped.push_back(plan.swaps_in_a_tuple ? scope.GetTupleElement(holder, i, either) : take(either));
    }
  }
  if (plan.predicate_in_state) state.predicate = take(Facts::Of(DataClass::kAny, PRED));
  return state;
}

// More of them than fit in one kernel: of those that something joins, or of those that nothing does.
Value ManySteps(Scope& scope, Value x) {
  if (scope.random().Chance(70)) {
    for (int i = 0; i < 14; ++i) x = DotStep(scope, x);
  } else {
    for (int i = 0; i < 150; ++i) x = i % 20 == 19 ? TransposeStep(scope, x) : AddStep(scope, x);
  }
  return x;
}

Value LoopCondition(Scope& scope, const Value& tuple, const LoopPlan& plan) {
  const LoopState state = UnpackState(scope, tuple, plan);
  if (plan.effect_in_condition) AnyEffect(scope, scope.random().Chance(50) ? state.counter : state.x);
  Value go_on = scope.Compare(ComparisonDirection::kLt, state.counter,
                              scope.Scalar(S32, static_cast<double>(plan.most)));
  if (state.predicate.has_value()) go_on = scope.Binary(HloOpcode::kAnd, go_on, *state.predicate);
  if (plan.several_steps) {
    if (scope.random().Chance(25)) {
      // Until nothing changes any more.
      const Value difference = scope.Binary(HloOpcode::kSubtract, state.x, state.before);
      const Value change = SquareNorm(scope, Clamped(scope, difference, kLimit));
      const Value first = scope.Compare(ComparisonDirection::kEq, state.counter, scope.Scalar(S32, 0));
      const Value changes = scope.Compare(ComparisonDirection::kGt, change, scope.Scalar(change.type(), 0));
      go_on = scope.Binary(HloOpcode::kAnd, go_on, scope.Binary(HloOpcode::kOr, first, changes));
    } else {
      const Value more = SomeComparison(scope, SomeScalar(scope, state.x));
      go_on = scope.random().Chance(50) ? scope.Binary(HloOpcode::kAnd, more, go_on)
                                        : scope.Binary(HloOpcode::kAnd, go_on, more);
    }
  }
  return Disguised(scope, go_on);
}

Value LoopBody(Scope& scope, const Value& tuple, const LoopPlan& plan) {
  LoopState state = UnpackState(scope, tuple, plan);
  state.before = state.x;
  if (plan.effect_in_body) AnyEffect(scope, state.x);
  for (int64_t i = scope.random().Between(1, 2); i > 0; --i) state.x = scope.random().Pick(kSteps)(scope, state.x);
  if (plan.many_instructions) state.x = ManySteps(scope, state.x);
  for (size_t i = 0; i < state.companions.size(); ++i) {
    state.companions[i] = plan.companions[i].next(scope, state.companions[i], state.counter);
  }
  if (!state.swapped.empty()) std::swap(state.swapped[0], state.swapped[1]);
  if (state.predicate.has_value()) state.predicate = SomeComparison(scope, SomeScalar(scope, state.x));
  state.counter = scope.Binary(HloOpcode::kAdd, state.counter, scope.Scalar(S32, 1));
  return PackState(scope, state, plan);
}

void StepwiseLoopIdiom(Scope& scope) {
  if (!MayLoop(scope)) return;
  const LoopPlan plan = PlanLoop(scope);
  LoopState init;
  init.counter = plan.counter;
  init.x = plan.x;
  init.before = plan.x;
  for (const Companion& companion : plan.companions) init.companions.push_back(companion.init);
  init.passed = plan.passed;
  init.swapped = plan.swapped;
  if (plan.predicate_in_state) init.predicate = scope.Scalar(PRED, 1);
  const Value loop = While(
      scope, PackState(scope, init, plan),
      [&](Scope& condition, const Value& state) { return LoopCondition(condition, state, plan); },
      [&](Scope& body, const Value& state) { return LoopBody(body, state, plan); });
  const LoopState last = UnpackState(scope, loop, plan);
  if (scope.random().Chance(30)) scope.Forget(last.counter);
  if (scope.random().Chance(50)) scope.Forget(last.before);
}

// The state is nothing but the matrix: neither a counter nor a tuple.
void BareLoopIdiom(Scope& scope) {
  if (!MayLoop(scope)) return;
  const Value x = StateMatrix(scope);
  ConvergenceStep(scope, scope.random().Chance(50) ? x : DotStep(scope, x));
}

// A loop that one kernel could do, except for an effect somewhere in it, perhaps in a loop that it has inside.
void EffectfulLoopIdiom(Scope& scope) {
  if (!MayLoop(scope)) return;
  RandomSource& random = scope.random();
  const Value x = scope.Like(ArrayShape(random.Chance(70) ? F32 : S32, scope.Dimensions(0, 2)), DataClass::kSmall);
  const int64_t turns = random.Between(0, 6);
  const bool in_condition = random.Chance(60), nests = random.Chance(40);
  const bool in_body = !in_condition || random.Chance(20);
  const auto condition_of = [&](int64_t limit, bool has_effect) {
    return [=](Scope& condition, const Value& state) {
      const Value i = condition.GetTupleElement(state, 0, Facts::Whole(0, 8));
      if (has_effect) AnyEffect(condition, i);
      return condition.Compare(ComparisonDirection::kLt, i, condition.Scalar(S32, static_cast<double>(limit)));
    };
  };
  const auto body_of = [&](bool has_effect) {
    return [=](Scope& body, const Value& state) {
      const Value i = body.GetTupleElement(state, 0, Facts::Whole(0, 8));
      const Value old = body.GetTupleElement(state, 1, Facts::Exact());
      if (has_effect) AnyEffect(body, body.random().Chance(50) ? i : old);
      const Value next = body.Binary(body.random().Chance(70) ? HloOpcode::kAdd : HloOpcode::kMaximum, old, old);
      const Value one = body.Scalar(S32, 1);
      return body.Tuple(std::vector<Value>{body.Binary(HloOpcode::kAdd, i, one), next});
    };
  };
  const auto start = [](Scope& where, const Value& value) {
    return where.Tuple(std::vector<Value>{where.Scalar(S32, 0), value});
  };
  const auto nested_body = [&](Scope& body, const Value& state) {
    const Value i = body.GetTupleElement(state, 0, Facts::Whole(0, 8));
    const Value old = body.GetTupleElement(state, 1, Facts::Exact());
    const Value inner = While(body, start(body, old), condition_of(3, in_condition), body_of(in_body));
    const Value next = body.GetTupleElement(inner, 1, Facts::Exact());
    return body.Tuple(std::vector<Value>{body.Binary(HloOpcode::kAdd, i, body.Scalar(S32, 1)), next});
  };
  const Value loop = nests ? While(scope, start(scope, x), condition_of(turns, false), nested_body)
                           : While(scope, start(scope, x), condition_of(turns, in_condition), body_of(in_body));
  if (random.Chance(70)) scope.GetTupleElement(loop, 1, Facts::Exact());
}

// Branches chosen by what takes several steps to find out, with effects in some.
void StepwiseBranchIdiom(Scope& scope) {
  if (!MayLoop(scope)) return;
  BranchStep(scope, StateMatrix(scope));
}

// An effect by itself.
void EffectIdiom(Scope& scope) { AnyEffect(scope, scope.ExactArray(element_class::kAny)); }

}  // namespace

absl::Span<const Move> LoopIdioms() {
  static constexpr Move kMoves[] = {
      {"stepwise loop", 8, 1, &StepwiseLoopIdiom},     {"bare loop", 2, 1, &BareLoopIdiom},
      {"effectful loop", 3, 1, &EffectfulLoopIdiom},   {"stepwise branch", 4, 1, &StepwiseBranchIdiom},
      {"effect", 2, 0, &EffectIdiom},
  };
  return kMoves;
}

}  // namespace xla
