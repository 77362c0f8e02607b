// Values that share memory: fusions that declare it of their results and operands, parameters that are updated while
// another result is to have their memory, and constants and parameters that are tuples. Which results of the module
// share memory with parameters is chosen when it is complete (aliases.h).
#include <algorithm>
#include <utility>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// ---- Fusions with declared aliasing. All arrays in them have one shape, so that every result could be in place of
// every operand; most move elements, so that few results may be.

using Arrays = std::vector<Value>;

// Elements [from, from + count) of dimension 0.
Value Rows(Scope& scope, const Value& x, int64_t from, int64_t count) {
  std::vector<SliceRange> ranges = {{from, from + count, 1}};
  for (int d = 1; d < x.rank(); ++d) ranges.push_back({0, x.dimension(d), 1});
  return scope.Slice(x, ranges);
}

// Those at the end, before or after padding.
Value Shifted(Scope& scope, const Value& x) {
  const int64_t n = x.dimension(0), kept = scope.random().Between(1, n);
  PaddingConfig padding(x.rank());
  const bool up = scope.random().Chance(50);
  (up ? padding[0].low : padding[0].high) = n - kept;
  const Value rows = Rows(scope, x, scope.random().Chance(50) ? 0 : n - kept, kept);
  return scope.Pad(rows, scope.Scalar(x.type(), 1), padding);
}

Value Joined(Scope& scope, const Value& x, const Value& y) {
  const int64_t n = x.dimension(0), cut = scope.random().Between(0, n);
  const Value first = scope.random().Chance(50) ? Rows(scope, x, n - cut, cut) : Rows(scope, x, 0, cut);
  return scope.Concatenate(Arrays{first, Rows(scope, y, 0, n - cut)}, 0);
}

// Some rows of x, read at one place and written at another of y.
Value Updated(Scope& scope, const Value& x, const Value& y) {
  const int64_t n = x.dimension(0), count = scope.random().Between(1, n);
  const auto starts = [&](const Value& array) {
    Arrays operands = {array};
    operands.push_back(scope.Scalar(S32, static_cast<double>(scope.random().Between(0, n - count))));
    for (int d = 1; d < x.rank(); ++d) operands.push_back(scope.Scalar(S32, 0));
    return operands;
  };
  DimensionVector sizes = ToVector(x.dimensions());
  sizes[0] = count;
  const Value rows =
      scope.random().Chance(40)
          ? Rows(scope, x, scope.random().Between(0, n - count), count)
          : scope.Add(HloOpcode::kDynamicSlice, starts(x), x.facts,
                      {MakeAttributes<DynamicSliceAttributes>([&](auto& a) { a.slice_sizes = sizes; })});
  Arrays operands = starts(y);
  operands.insert(operands.begin() + 1, rows);
  return scope.Add(HloOpcode::kDynamicUpdateSlice, operands, Either(x.facts, y.facts));
}

Value Moved(Scope& scope, const Value& x, const Value& y) {
  switch (scope.random().Below(8)) {
    case 0:
      return Shifted(scope, x);
    case 1:
      return Joined(scope, x, y);
    case 2:
      return Updated(scope, x, y);
    case 3:
      return Updated(scope, x, x);
    case 4:
      return scope.Reverse(x, {scope.random().Below(x.rank())});
    case 5:
      if (x.rank() == 2 && x.dimension(0) == x.dimension(1)) return scope.Transpose(x, {1, 0});
      return scope.Binary(HloOpcode::kMaximum, x, y);
    case 6:
      return scope.Binary(HloOpcode::kMinimum, x, y);
    default:
      return scope.Unary(HloOpcode::kNegate, x);
  }
}

// A result of another size, which is made at another time than those that are as large as the operands.
Value Larger(Scope& scope, const Value& x) {
  DimensionVector sizes = ToVector(x.dimensions());
  const std::vector<int64_t> places = Identity(x.rank());
  sizes.push_back(scope.random().Pick(std::vector<int64_t>{2, 3, 16, 128}));
  return scope.Unary(HloOpcode::kNegate, scope.Broadcast(x, sizes, places));
}

Shape FusedShape(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {F32, F32, S32, S32, BF16, U8, F64};
  const PrimitiveType type = random.Pick(kTypes);
  if (random.Chance(40)) {
    const int64_t n = random.Between(2, 9);
    return ArrayShape(type, {n, random.Chance(60) ? n : random.Between(1, 9)});
  }
  return ArrayShape(type, {random.Chance(60) ? random.Between(2, 70) : random.Between(64, 300)});
}

// Some of the outputs in place of some of the operands, each at most once.
std::vector<OutputOperandAlias> DeclaredAliases(RandomSource& random, const Arrays& operands, const Shape& result) {
  std::vector<OutputOperandAlias> aliases;
  std::vector<int64_t> free = Identity(static_cast<int64_t>(operands.size()));
  const int64_t outputs = result.IsTuple() ? result.tuple_size() : 1;
  for (int64_t output = 0; output < outputs; ++output) {
    const ShapeIndex index = result.IsTuple() ? ShapeIndex{output} : ShapeIndex{};
    const Shape& shape = result.IsTuple() ? result.tuple_shape(static_cast<int>(output)) : result;
    if (free.empty() || !random.Chance(80) || shape.ByteSize() != operands[0].shape().ByteSize()) continue;
    const int64_t chosen = random.Below(static_cast<int64_t>(free.size()));
    aliases.push_back({index, free[chosen], {}});
    free.erase(free.begin() + chosen);
  }
  return aliases;
}

void DeclaredAliasingIdiom(Scope& scope) {
  if (scope.kind() == Scope::Kind::kFusion) return;
  RandomSource& random = scope.random();
  const Shape shape = FusedShape(scope);
  Arrays operands;
  for (int64_t i = random.Between(1, 3); i > 0; --i) {
    operands.push_back(random.Chance(60) ? scope.Fresh(shape, DataClass::kSmall) : scope.Like(shape));
  }
  Scope inner(&scope.state(), "fused", Scope::Kind::kFusion, scope.depth() + 1);
  Arrays arrays;
  for (const Value& operand : operands) arrays.push_back(inner.Parameter(shape, operand.facts, "arg"));
  Arrays results;
  for (int64_t i = random.Between(2, 6); i > 0; --i) {
    const Value x = random.Pick(arrays), y = random.Pick(arrays);
    arrays.push_back(Moved(inner, x, y));
  }
  if (random.Chance(25)) results.push_back(Larger(inner, random.Pick(arrays)));
  // What has no users must be a result.
  for (const Value& value : arrays) {
    const bool is_parameter = value.instruction->opcode() == HloOpcode::kParameter;
    if (!is_parameter && (value.instruction->users().empty() || random.Chance(25))) results.push_back(value);
  }
  for (int64_t i = static_cast<int64_t>(results.size()) - 1; i > 0; --i) {
    std::swap(results[i], results[random.Below(i + 1)]);
  }
  const bool is_tuple = results.size() > 1;
  HloComputation* const computation = inner.Finish(is_tuple ? inner.Tuple(results) : results[0]);
  computation->set_is_fusion_computation(true);
  const Shape result = computation->root()->shape();
  const Value fusion = scope.Add(HloOpcode::kFusion, operands, results[0].facts,
                                 {MakeAttributes<FusionAttributes>([&](auto& a) {
                                    a.kind = random.Chance(80) ? FusionKind::kLoop : FusionKind::kInput;
                                    a.output_to_operand_aliasing = DeclaredAliases(random, operands, result);
                                  }),
                                  result,
                                  {computation}});
  for (size_t i = 0; is_tuple && i < results.size(); ++i) {
    if (random.Chance(90)) scope.GetTupleElement(fusion, static_cast<int64_t>(i), results[i].facts);
  }
}

// ---- What is done with a parameter that is given away, beside a result that can have its memory.

Value ScatteredInto(Scope& scope, const Value& x) {
  const int64_t count = scope.random().Between(1, 5);
  const Value indices = scope.Like(ArrayShape(S32, {count}), DataClass::kCount);
  DimensionVector sizes = ToVector(x.dimensions());
  sizes[0] = count;
  const Value updates = scope.Like(ArrayShape(x.type(), sizes), DataClass::kSmall);
  HloComputation* const combiner = ScalarComputation(scope.state(), HloOpcode::kMaximum, x.type());
  return scope.Add(HloOpcode::kScatter, {x, indices, updates}, Facts::Exact(),
                   {MakeAttributes<ScatterAttributes>([&](auto& a) {
                      for (int64_t d = 1; d < x.rank(); ++d) a.update_window_dims.push_back(d);
                      a.inserted_window_dims = {0};
                      a.scatter_dims_to_operand_dims = {0};
                      a.index_vector_dim = 1;
                    }),
                    absl::nullopt,
                    {combiner}});
}

Value LoopedOver(Scope& scope, const Value& x) {
  const int64_t turns = scope.random().Between(0, 6);
  const Value init = scope.Tuple(Arrays{scope.Scalar(S32, 0), x});
  const Value loop = While(
      scope, init,
      [&](Scope& condition, const Value& state) {
        const Value i = condition.GetTupleElement(state, 0, Facts::Whole(0, 8));
        return condition.Compare(ComparisonDirection::kLt, i, condition.Scalar(S32, static_cast<double>(turns)));
      },
      [](Scope& body, const Value& state) {
        const Value i = body.GetTupleElement(state, 0, Facts::Whole(0, 8));
        const Value old = body.GetTupleElement(state, 1, Facts::Exact());
        const Value next = body.random().Chance(50) ? body.Reverse(old, {0}) : Moved(body, old, old);
        return body.Tuple(Arrays{body.Binary(HloOpcode::kAdd, i, body.Scalar(S32, 1)), next});
      });
  return scope.GetTupleElement(loop, 1, Facts::Exact());
}

Value Chosen(Scope& scope, const Value& x) {
  const Value predicate = scope.Predicate({});
  std::vector<HloComputation*> branches;
  for (int b = 0; b < 2; ++b) {
    branches.push_back(ComputationOf(scope, "branch", x.shape(), x.facts, [](Scope& inner, const Value& argument) {
      return inner.random().Chance(30) ? argument : Moved(inner, argument, argument);
    }));
  }
  return scope.Add(HloOpcode::kConditional, {predicate, x, x}, Facts::Exact(), {nullptr, x.shape(), branches});
}

Value UpdatedInPlace(Scope& scope, const Value& x) {
  switch (scope.random().Below(5)) {
    case 0:
      return ScatteredInto(scope, x);
    case 1:
      return LoopedOver(scope, x);
    case 2:
      return Chosen(scope, x);
    default:
      return Updated(scope, scope.random().Chance(70) ? scope.Like(x.shape(), DataClass::kSmall) : x, x);
  }
}

// A parameter is updated; results are the update, what is computed from it, and perhaps the parameter itself.
void GivenAwayIdiom(Scope& scope) {
  const Value parameter = scope.Fresh(FusedShape(scope), DataClass::kSmall);
  Value updated = UpdatedInPlace(scope, parameter);
  if (scope.random().Chance(30)) updated = UpdatedInPlace(scope, updated);
  for (int64_t i = scope.random().Between(1, 2); i > 0; --i) Moved(scope, updated, updated);
  if (scope.random().Chance(30)) Moved(scope, parameter, updated);
}

// ---- Tuples out of nothing

// With arrays of any kind as leaves, at most two tuples deep.
Literal TupleLiteral(Scope& scope, int depth) {
  std::vector<Literal> elements;
  for (int64_t i = scope.random().Between(depth == 0 ? 1 : 0, 3); i > 0; --i) {
    if (depth < 2 && scope.random().Chance(25)) {
      elements.push_back(TupleLiteral(scope, depth + 1));
      continue;
    }
    const Shape shape = ArrayShape(scope.ElementType(element_class::kAny), scope.Dimensions(0, 3));
    elements.push_back(MakeData(shape.WithoutLayout(), scope.AnyDataClass(), scope.random().Chance(30), scope.random()));
  }
  return Literal::Tuple(std::move(elements));
}

// All arrays in it.
void TakeApart(Scope& scope, const Value& tuple) {
  for (int i = 0; i < tuple.shape().tuple_size(); ++i) {
    const Facts facts = Facts::Of(DataClass::kAny, F32);
    const Value element = scope.GetTupleElement(tuple, i, facts);
    if (element.shape().IsTuple()) TakeApart(scope, element);
  }
}

HloComputation* TupleReturning(Scope& scope, const char* name, const Shape& argument, const Literal& literal) {
  return ComputationOf(scope, name, argument, Facts::Exact(), [&](Scope& inner, const Value&) {
    return inner.Constant(literal, Facts::Exact());
  });
}

// A constant that is a tuple, as it is, after a barrier, or as the result of a call or of a branch.
void TupleConstantIdiom(Scope& scope) {
  if (scope.kind() == Scope::Kind::kFusion) return;
  RandomSource& random = scope.random();
  const Literal literal = TupleLiteral(scope, 0);
  switch (random.Below(5)) {
    case 0: {
      const Value constant = scope.Constant(literal, Facts::Exact());
      return TakeApart(scope, scope.Add(HloOpcode::kOptBarrier, {constant}, Facts::Exact()));
    }
    case 1: {
      const Value argument = scope.Array();
      HloComputation* const called = TupleReturning(scope, "called", argument.shape(), literal);
      return TakeApart(scope, scope.Add(HloOpcode::kCall, {argument}, Facts::Exact(),
                                        {nullptr, called->root()->shape(), {called}}));
    }
    case 2: {
      const Value predicate = scope.Predicate({});
      const Value argument = scope.Array();
      HloComputation* const constant = TupleReturning(scope, "branch", argument.shape(), literal);
      // The other branch gives the tuple that it is given.
      const Value other = scope.Constant(literal, Facts::Exact());
      HloComputation* const through =
          ComputationOf(scope, "branch", other.shape(), Facts::Exact(),
                        [](Scope&, const Value& parameter) { return parameter; });
      return TakeApart(scope, scope.Add(HloOpcode::kConditional, {predicate, argument, other}, Facts::Exact(),
                                        {nullptr, other.shape(), {constant, through}}));
    }
    default:
      return TakeApart(scope, scope.Constant(literal, Facts::Exact()));
  }
}

// A loop whose state starts as one constant.
void LoopFromConstantIdiom(Scope& scope) {
  if (scope.kind() == Scope::Kind::kFusion || scope.depth() >= 2) return;
  RandomSource& random = scope.random();
  std::vector<Literal> elements;
  elements.push_back(MakeData(Shape::Scalar(S32), DataClass::kCount, false, random));
  const Shape shape = ArrayShape(random.Chance(60) ? F32 : S32, scope.Dimensions(1, 2)).WithoutLayout();
  for (int i = 0; i < 2; ++i) elements.push_back(MakeData(shape, DataClass::kSmall, false, random));
  const Value init = scope.Constant(Literal::Tuple(std::move(elements)), Facts::Exact());
  const Value loop = While(
      scope, init,
      [](Scope& condition, const Value& state) {
        const Value i = condition.GetTupleElement(state, 0, Facts::Whole(0, 8));
        return condition.Compare(ComparisonDirection::kLt, i, condition.Scalar(S32, 4));
      },
      [](Scope& body, const Value& state) {
        const Value i = body.GetTupleElement(state, 0, Facts::Whole(0, 8));
        const Value x = body.GetTupleElement(state, 1, Facts::Exact());
        const Value y = body.GetTupleElement(state, 2, Facts::Exact());
        const Value next = body.Binary(HloOpcode::kAdd, i, body.Scalar(S32, 1));
        // One moves on, the other stays; or they change places.
        const bool swap = body.random().Chance(40);
        const Value sum = body.Binary(HloOpcode::kAdd, x, y);
        return body.Tuple(Arrays{next, swap ? y : sum, swap ? sum : y});
      });
  for (int64_t e = 0; e < 3; ++e) {
    if (random.Chance(70)) scope.GetTupleElement(loop, e, Facts::Exact());
  }
}

// A parameter of the entry that is a tuple.
void TupleParameterIdiom(Scope& scope) {
  RandomSource& random = scope.random();
  std::vector<Shape> shapes;
  for (int64_t i = random.Between(1, 3); i > 0; --i) {
    const Shape shape = random.Chance(50) ? FusedShape(scope) : ArrayShape(F32, scope.Dimensions(0, 2));
    shapes.push_back(random.Chance(20) ? Shape::Tuple({shape}) : shape);
  }
  const Value parameter =
      scope.Parameter(Shape::Tuple(std::move(shapes)), Facts::Exact(), DataClassName(DataClass::kSmall));
  for (int i = 0; i < parameter.shape().tuple_size(); ++i) {
    const Shape& shape = parameter.shape().tuple_shape(i);
    const Facts facts = shape.IsTuple() ? Facts::Exact() : Facts::Of(DataClass::kSmall, shape.element_type());
    const Value element = scope.GetTupleElement(parameter, i, facts);
    if (element.shape().IsArray() && element.rank() > 0 && element.dimension(0) > 0) Moved(scope, element, element);
  }
}

}  // namespace

absl::Span<const Move> AliasingIdioms() {
  static constexpr Move kMoves[] = {
      {"declared aliasing", 5, 1, &DeclaredAliasingIdiom}, {"given away", 5, 0, &GivenAwayIdiom},
      {"tuple constant", 2, 1, &TupleConstantIdiom},       {"loop from constant", 1, 1, &LoopFromConstantIdiom},
      {"tuple parameter", 1, 0, &TupleParameterIdiom},
  };
  return kMoves;
}

}  // namespace xla
