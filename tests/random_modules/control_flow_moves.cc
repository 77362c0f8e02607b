// Operations that call computations: call, fusion, conditional, while, asynchronous ones.
#include <algorithm>
#include <vector>

#include "tests/random_modules/moves.h"

namespace xla {
namespace {

constexpr int kDeepest = 2;

bool MayNest(const Scope& scope) { return scope.kind() != Scope::Kind::kFusion && scope.depth() < kDeepest; }

// Some arrays of the scope, to hand to a computation.
std::vector<Value> Arguments(Scope& scope, int64_t count) {
  std::vector<Value> arguments;
  for (int64_t i = 0; i < count; ++i) arguments.push_back(scope.Array());
  return arguments;
}

std::vector<Value> ParametersFor(Scope& inner, absl::Span<const Value> arguments) {
  std::vector<Value> parameters;
  for (const Value& argument : arguments)
    parameters.push_back(inner.Parameter(argument.shape(), argument.facts, "arg"));
  return parameters;
}

struct Body {
  HloComputation* computation;
  std::vector<Facts> results;
  bool is_tuple;
};

// Ends a computation with one of its values, or a tuple of some.
Body FinishWithSome(Scope& inner) {
  std::vector<Value> results = inner.Outputs();
  Body body;
  body.is_tuple = inner.random().Chance(50);
  results.resize(body.is_tuple ? inner.random().Between(1, std::min<int64_t>(3, static_cast<int64_t>(results.size())))
                               : 1);
  for (const Value& result : results) body.results.push_back(result.facts);
  body.computation = inner.Finish(body.is_tuple ? inner.Tuple(results) : results[0]);
  return body;
}

// Reads the results of a call-like instruction.
void TakeResults(Scope& scope, const Value& call, const Body& body) {
  if (!body.is_tuple) return;
  for (size_t i = 0; i < body.results.size(); ++i) {
    if (scope.random().Chance(85)) scope.GetTupleElement(call, static_cast<int64_t>(i), body.results[i]);
  }
}

void CallMove(Scope& scope) {
  if (!MayNest(scope)) return;
  const std::vector<Value> arguments = Arguments(scope, scope.random().Between(1, 3));
  Scope inner(&scope.state(), "called", Scope::Kind::kNested, scope.depth() + 1);
  ParametersFor(inner, arguments);
  MakeMoves(inner, scope.random().Between(1, 6));
  const Body body = FinishWithSome(inner);
  const int64_t times = scope.random().Chance(30) ? 2 : 1;
  for (int64_t i = 0; i < times; ++i) {
    const Value call =
        scope.Add(HloOpcode::kCall, arguments, body.results[0], {nullptr, absl::nullopt, {body.computation}});
    TakeResults(scope, call, body);
  }
}

void FusionMove(Scope& scope) {
  static constexpr FusionKind kKinds[] = {FusionKind::kLoop, FusionKind::kInput, FusionKind::kOutput,
                                          FusionKind::kCustom};
  AddFusion(scope, scope.random().Pick(kKinds), [](Scope& body) { MakeMoves(body, body.random().Between(1, 8)); });
}

// Values that all branches of a conditional can give: one of each of these shapes.
HloComputation* MakeBranch(Scope& scope, const Value& argument, absl::Span<const Shape> results,
                           std::vector<Facts>* facts, bool identical, HloComputation* first) {
  if (identical && first != nullptr) return first;
  Scope inner(&scope.state(), "branch", Scope::Kind::kNested, scope.depth() + 1);
  ParametersFor(inner, {argument});
  MakeMoves(inner, scope.random().Between(0, 5));
  std::vector<Value> elements;
  for (size_t i = 0; i < results.size(); ++i) {
    elements.push_back(inner.Like(results[i]));
    (*facts)[i] = Either((*facts)[i], elements.back().facts);
  }
  return inner.Finish(inner.Tuple(elements));
}

void ConditionalMove(Scope& scope) {
  if (!MayNest(scope)) return;
  const bool by_index = scope.random().Chance(40);
  const int64_t branches = by_index ? scope.random().Between(1, 4) : 2;
  const Value selector =
      by_index ? scope.Index(branches - 1, scope.random().Chance(70))
               : (scope.random().Chance(15) ? scope.Scalar(PRED, static_cast<double>(scope.random().Below(2)))
                                            : scope.Predicate({}));
  std::vector<Value> operands = {selector};
  std::vector<Shape> results;
  for (int64_t i = scope.random().Between(1, 2); i > 0; --i) {
    const Value like = scope.Array();
    results.push_back(ArrayShape(like.type(), like.dimensions()));
  }
  std::vector<Facts> facts(results.size(), Facts::Of(DataClass::kAny, F32));
  for (size_t i = 0; i < facts.size(); ++i)
    facts[i].bounded = true, facts[i].integral = true, facts[i].low = 0, facts[i].high = 0;
  Scope::Extra extra;
  const bool shared = scope.random().Chance(15);
  for (int64_t b = 0; b < branches; ++b) {
    operands.push_back(shared && b > 0 ? operands[1] : scope.Array());
    extra.calls.push_back(
        MakeBranch(scope, operands.back(), results, &facts, shared, b == 0 ? nullptr : extra.calls[0]));
  }
  extra.shape = extra.calls[0]->root()->shape();
  const Value conditional = scope.Add(HloOpcode::kConditional, operands, Facts::Exact(), std::move(extra));
  for (size_t i = 0; i < results.size(); ++i) {
    if (scope.random().Chance(85)) scope.GetTupleElement(conditional, static_cast<int64_t>(i), facts[i]);
  }
}

// ---- Loops. Element 0 of the state counts the iterations; others are passed on unchanged, are rewritten in each
// iteration, or nothing reads.

struct LoopElement {
  Value init;
  bool invariant = false;
  bool dead = false;  // rewritten from itself alone, and not read after the loop
};

// i < limit, and perhaps a condition on the data.
// Which says the same of y and x.
ComparisonDirection Swapped(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    case ComparisonDirection::kEq:
    case ComparisonDirection::kNe:
      return direction;
  }
  return direction;
}

HloComputation* LoopCondition(Scope& scope, const Shape& state, int64_t limit, int64_t limit_element,
                              const std::vector<LoopElement>& elements,
                              ComparisonDirection direction = ComparisonDirection::kLt) {
  Scope inner(&scope.state(), "condition", Scope::Kind::kNested, 9);
  const Value parameter = inner.Parameter(state, Facts::Exact(), "state");
  const Value i = inner.GetTupleElement(parameter, 0, Facts::Exact());
  const Value bound = limit_element >= 0 ? inner.GetTupleElement(parameter, limit_element, Facts::Exact())
                                         : inner.Scalar(S32, static_cast<double>(limit));
  Value go_on = scope.random().Chance(80) ? inner.Compare(direction, i, bound)
                                          : inner.Compare(Swapped(direction), bound, i);
  for (size_t e = 1; e < elements.size(); ++e) {
    const Shape& shape = elements[e].init.shape();
    if (!shape.IsScalar() || IsComplex(shape.element_type()) || elements[e].dead || !scope.random().Chance(35))
      continue;
    const Value x = inner.GetTupleElement(parameter, static_cast<int64_t>(e), Facts::Exact());
    const Value y = inner.Number(ArrayShape(shape.element_type(), {}), 1);
    const Value more = inner.Compare(ComparisonDirection::kNe, x, y);
    go_on = inner.Binary(HloOpcode::kAnd, go_on, more);
    break;
  }
  return inner.Finish(go_on);
}

HloComputation* LoopBody(Scope& scope, const Shape& state, const std::vector<LoopElement>& elements, int64_t step) {
  Scope inner(&scope.state(), "body", Scope::Kind::kNested, scope.depth() + 1);
  const Value parameter = inner.Parameter(state, Facts::Exact(), "state");
  std::vector<Value> next;
  const Value i = inner.GetTupleElement(parameter, 0, Facts::Whole(-16, 16));
  for (size_t e = 1; e < elements.size(); ++e) {
    const Facts facts = elements[e].invariant ? elements[e].init.facts : Facts::Exact();
    next.push_back(inner.GetTupleElement(parameter, static_cast<int64_t>(e), facts));
  }
  MakeMoves(inner, scope.random().Between(1, 8));
  for (size_t e = 1; e < elements.size(); ++e) {
    if (elements[e].invariant) continue;
    Value& value = next[e - 1];
    if (!elements[e].dead) {
      value = inner.Like(value.shape());
    } else if (value.type() != PRED) {
      value = inner.Binary(HloOpcode::kAdd, value, value);
    }
  }
  const Value one = inner.Scalar(S32, static_cast<double>(step));
  next.insert(next.begin(), inner.Binary(HloOpcode::kAdd, i, one));
  return inner.Finish(inner.Tuple(next));
}

// A counter that goes up or down, and until when.
struct Counting {
  int64_t start = 0;
  int64_t step = 1;
  int64_t limit = 0;
  ComparisonDirection direction = ComparisonDirection::kLt;
};

Counting ChooseCounting(RandomSource& random) {
  Counting counting;
  counting.start = random.Chance(70) ? 0 : random.Between(-2, 2);
  const int64_t turns = random.Chance(15) ? random.Below(2) : random.Between(0, 5);
  counting.step = random.Chance(80) ? 1 : 2;
  counting.limit = counting.start + turns;
  if (random.Chance(60)) return counting;
  const bool up = random.Chance(50);
  if (!up) counting.step = -counting.step;
  switch (random.Below(4)) {
    case 0:
      counting.direction = ComparisonDirection::kNe;
      counting.limit = counting.start + turns * counting.step;
      break;
    case 1:  // once
      counting.direction = ComparisonDirection::kEq;
      counting.limit = counting.start;
      break;
    case 2:
      counting.direction = up ? ComparisonDirection::kLt : ComparisonDirection::kGt;
      counting.limit = counting.start + (up ? turns : -turns);
      break;
    default:
      counting.direction = up ? ComparisonDirection::kLe : ComparisonDirection::kGe;
      counting.limit = counting.start + (up ? turns : -turns);
  }
  return counting;
}

void WhileMove(Scope& scope) {
  if (!MayNest(scope)) return;
  RandomSource& random = scope.random();
  const Counting counting = ChooseCounting(random);
  std::vector<LoopElement> elements;
  elements.push_back({scope.Scalar(S32, static_cast<double>(counting.start))});
  int64_t limit_element = -1;
  for (int64_t count = random.Between(1, 4); count > 0; --count) {
    LoopElement element;
    element.invariant = random.Chance(40);
    element.dead = !element.invariant && random.Chance(20);
    absl::optional<Value> init =
        scope.Find([](const Value& value) { return IsStaticArray(value) && value.facts.exact; });
    if (random.Chance(25) || !init.has_value()) {
      init = scope.Constant(ArrayShape(scope.ElementType(~0u), scope.Dimensions(0, 2)), scope.AnyDataClass());
    }
    element.init = *init;
    elements.push_back(element);
    if (random.Chance(15)) elements.push_back(elements.back());
  }
  if (random.Chance(30)) {
    limit_element = static_cast<int64_t>(elements.size());
    elements.push_back({scope.Scalar(S32, static_cast<double>(counting.limit)), true, false});
  }
  std::vector<Value> inits;
  for (const LoopElement& element : elements) inits.push_back(element.init);
  const Value state = scope.Tuple(inits);
  HloComputation* const condition =
      LoopCondition(scope, state.shape(), counting.limit, limit_element, elements, counting.direction);
  HloComputation* const body = LoopBody(scope, state.shape(), elements, counting.step);
  const Value loop = scope.Add(HloOpcode::kWhile, {state}, Facts::Exact(), {nullptr, state.shape(), {condition, body}});
  for (size_t e = 0; e < elements.size(); ++e) {
    if (elements[e].dead || !random.Chance(e == 0 ? 20 : 75)) continue;
    scope.GetTupleElement(loop, static_cast<int64_t>(e),
                          elements[e].invariant ? elements[e].init.facts : Facts::Exact());
  }
}

// A loop over the rows of an array, as a framework writes a scan: reads row i, writes row i.
void RowLoopMove(Scope& scope) {
  if (!MayNest(scope)) return;
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && value.rank() >= 1 && value.dimension(0) >= 1 &&
           (IsInt(value.type()) || IsFloat(value.type()));
  });
  if (!x.has_value()) return;
  const Value out = scope.Splat(ArrayShape(x->type(), x->dimensions()), 0);
  const Value carry_init = scope.Scalar(x->type(), 1);
  const Value state = scope.Tuple(std::vector<Value>{scope.Scalar(S32, 0), *x, out, carry_init});
  HloComputation* const condition = LoopCondition(scope, state.shape(), x->dimension(0), -1, {});
  Scope inner(&scope.state(), "body", Scope::Kind::kNested, scope.depth() + 1);
  const Value parameter = inner.Parameter(state.shape(), Facts::Exact(), "state");
  const Value i = inner.GetTupleElement(parameter, 0, Facts::Whole(0, 8));
  const Value rows = inner.GetTupleElement(parameter, 1, x->facts);
  const Value old = inner.GetTupleElement(parameter, 2, Facts::Exact());
  const Value carry = inner.GetTupleElement(parameter, 3, Facts::Exact());
  std::vector<Value> starts(x->rank(), inner.Scalar(S32, 0));
  starts[0] = i;
  DimensionVector sizes = ToVector(x->dimensions());
  sizes[0] = 1;
  std::vector<Value> operands = starts;
  operands.insert(operands.begin(), rows);
  const Value row = inner.Add(HloOpcode::kDynamicSlice, operands, x->facts,
                              {MakeAttributes<DynamicSliceAttributes>([&](auto& a) { a.slice_sizes = sizes; })});
  const Value scaled = inner.Binary(HloOpcode::kMultiply, row, inner.Broadcast(carry, sizes, {}));
  const Value changed = scope.random().Chance(50) ? scaled : inner.Binary(HloOpcode::kMaximum, scaled, row);
  operands = starts;
  operands.insert(operands.begin(), {old, changed});
  const Value updated = inner.Add(HloOpcode::kDynamicUpdateSlice, operands, Facts::Exact());
  const Value more = inner.Binary(HloOpcode::kAdd, carry, inner.Scalar(x->type(), 1));
  const Value next = inner.Binary(HloOpcode::kAdd, i, inner.Scalar(S32, 1));
  HloComputation* const body = inner.Finish(inner.Tuple(std::vector<Value>{next, rows, updated, more}));
  const Value loop = scope.Add(HloOpcode::kWhile, {state}, Facts::Exact(), {nullptr, state.shape(), {condition, body}});
  scope.GetTupleElement(loop, 2, Facts::Exact());
  if (scope.random().Chance(30)) scope.GetTupleElement(loop, 3, Facts::Exact());
}

// ---- Asynchronous operations: what happens between start and done does not matter.

void AsyncMove(Scope& scope) {
  const std::vector<Value> arguments = Arguments(scope, 1);
  Scope inner(&scope.state(), "wrapped", Scope::Kind::kNested, 9);
  const std::vector<Value> parameters = ParametersFor(inner, arguments);
  const Value root = inner.random().Chance(50)
                         ? inner.Copy(parameters[0])
                         : inner.Transpose(parameters[0], inner.Permutation(parameters[0].rank()));
  HloComputation* const wrapped = inner.Finish(root);
  const Shape shape =
      Shape::Tuple({Shape::Tuple({arguments[0].shape()}), wrapped->root()->shape(), Shape::Scalar(S32)});
  Value chain = scope.Add(HloOpcode::kAsyncStart, arguments, Facts::Exact(), {nullptr, shape, {wrapped}});
  if (scope.random().Chance(40)) {
    chain = scope.Add(HloOpcode::kAsyncUpdate, {chain}, Facts::Exact(), {nullptr, shape, {wrapped}});
  }
  MakeMoves(scope, scope.random().Below(3));
  scope.Add(HloOpcode::kAsyncDone, {chain}, arguments[0].facts, {nullptr, wrapped->root()->shape(), {wrapped}});
}

void CopyStartMove(Scope& scope) {
  const Value x = scope.Array();
  const Shape shape = Shape::Tuple({x.shape(), x.shape(), Shape::Scalar(U32)});
  const Value start = scope.Add(HloOpcode::kCopyStart, {x}, Facts::Exact(), {nullptr, shape});
  scope.Add(HloOpcode::kCopyDone, {start}, x.facts);
}

}  // namespace

// Everything in a fusion has a user, and the root none.
void AddFusion(Scope& scope, FusionKind kind, absl::FunctionRef<void(Scope& body)> make) {
  if (!MayNest(scope)) return;
  const std::vector<Value> arguments = Arguments(scope, scope.random().Between(1, 3));
  Scope inner(&scope.state(), "fused", Scope::Kind::kFusion, scope.depth() + 1);
  ParametersFor(inner, arguments);
  make(inner);
  std::vector<Value> results;
  for (const Value& value : inner.values()) {
    if (value.instruction->users().empty() && value.instruction->opcode() != HloOpcode::kParameter) {
      results.push_back(value);
    }
  }
  if (results.empty()) results.push_back(inner.Copy(inner.values()[0]));
  Body body;
  body.is_tuple = results.size() > 1;
  for (const Value& result : results) body.results.push_back(result.facts);
  body.computation = inner.Finish(body.is_tuple ? inner.Tuple(results) : results[0]);
  body.computation->set_is_fusion_computation(true);
  const Value fusion = scope.Add(HloOpcode::kFusion, arguments, body.results[0],
                                 {MakeAttributes<FusionAttributes>([&](auto& a) { a.kind = kind; }),
                                  body.computation->root()->shape(),
                                  {body.computation}});
  TakeResults(scope, fusion, body);
}

absl::Span<const Move> ControlFlowMoves() {
  static constexpr Move kMoves[] = {
      {"call", 4, 1, &CallMove},
      {"fusion", 6, 1, &FusionMove},
      {"conditional", 6, 1, &ConditionalMove},
      {"while", 7, 1, &WhileMove},
      {"row loop", 3, 1, &RowLoopMove},
      {"async", 2, 0, &AsyncMove},
      {"copy-start", 2, 0, &CopyStartMove},
  };
  return kMoves;
}

}  // namespace xla
