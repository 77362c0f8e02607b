// Forms that are odd but have a meaning (../odd_forms): the verifier warns of most of them. They are rare, and on
// backends the pass standardize-forms rewrites them before all others.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

bool IsNumber(PrimitiveType type) { return (IsInt(type) || IsFloat(type)) && type != F8E8M0FNU; }

bool IsExactNumber(const Value& value) { return IsStaticArray(value) && value.facts.exact && IsNumber(value.type()); }

// Of rank 1 or more, with elements.
Value LineOfNumbers(Scope& scope) {
  const absl::optional<Value> found = scope.Find(
      [](const Value& value) { return IsExactNumber(value) && value.rank() >= 1 && value.shape().ElementCount() > 0; });
  if (found.has_value() && scope.random().Chance(80)) return *found;
  const PrimitiveType type = scope.random().Chance(50) ? F32 : S32;
  return scope.Fresh(ArrayShape(type, {scope.random().Between(1, 3), scope.random().Between(1, 5)}), DataClass::kSmall);
}

// Numbers of which the first, last or largest in any order is the same.
HloOpcode ExactReducer(Scope& scope, PrimitiveType type) {
  if (IsInt(type) && scope.random().Chance(50)) return HloOpcode::kAdd;
  return scope.random().Chance(50) ? HloOpcode::kMaximum : HloOpcode::kMinimum;
}

// ---- Tuples of one

HloComputation* ReducerToTuple(Scope& scope, HloOpcode opcode, PrimitiveType type) {
  Scope reducer(&scope.state(), "to_tuple", Scope::Kind::kFusion, 9);
  const Value a = reducer.Parameter(Shape::Scalar(type), Facts::Exact(), "a");
  const Value b = reducer.Parameter(Shape::Scalar(type), Facts::Exact(), "b");
  return reducer.Finish(reducer.Tuple({reducer.Binary(opcode, a, b)}));
}

Shape TupleOfOne(const Shape& shape) { return Shape::Tuple({shape}); }

// One window over two neighbours along the last dimension.
Window WindowOfNeighbours(const Value& x, bool is_reversed) {
  Window window;
  window.dimensions.resize(x.rank());
  window.dimensions.back().size = std::min<int64_t>(2, x.dimension(x.rank() - 1));
  window.dimensions.back().window_reversal = is_reversed;
  return window;
}

void ReductionToTupleMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  HloComputation* const reducer = ReducerToTuple(scope, ExactReducer(scope, x.type()), x.type());
  const Value init = scope.Scalar(x.type(), 0);
  const bool windows = scope.random().Chance(40);
  std::unique_ptr<Attributes> attributes;
  if (windows) {
    attributes = MakeAttributes<WindowAttributes>([&](auto& a) { a.window = WindowOfNeighbours(x, false); });
  } else {
    attributes =
        MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = {scope.random().Below(x.rank())}; });
  }
  const Value tuple = scope.Add(windows ? HloOpcode::kReduceWindow : HloOpcode::kReduce, {x, init}, Facts::Exact(),
                                {std::move(attributes), absl::nullopt, {reducer}});
  scope.GetTupleElement(tuple, 0, Facts::Exact());
}

void SortToTupleMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  if (!x.facts.HasCertainBits()) return;
  Scope comparator(&scope.state(), "comparator", Scope::Kind::kFusion, 9);
  const Value a = comparator.Parameter(Shape::Scalar(x.type()), x.facts, "a");
  const Value b = comparator.Parameter(Shape::Scalar(x.type()), x.facts, "b");
  const Value before = comparator.Compare(ComparisonDirection::kLt, a, b, /*total_order=*/IsFloat(x.type()));
  HloComputation* const computation = comparator.Finish(before);
  const Value tuple =
      scope.Add(HloOpcode::kSort, {x}, x.facts,
                {MakeAttributes<SortAttributes>([&](auto& s) { s.dimension = scope.random().Below(x.rank()); }),
                 TupleOfOne(x.shape()),
                 {computation}});
  scope.GetTupleElement(tuple, 0, x.facts);
}

// Combines whole rows; result, function or both give a tuple.
void ScatterToTupleMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  const int64_t count = scope.random().Between(1, 3);
  const Value indices = scope.Like(ArrayShape(S32, {count, 1}), DataClass::kCount);
  DimensionVector sizes = ToVector(x.dimensions());
  sizes[0] = count;
  const Value updates = scope.Like(ArrayShape(x.type(), sizes), DataClass::kSmall);
  const bool gives_tuple = scope.random().Chance(60);
  const HloOpcode opcode = ExactReducer(scope, x.type());
  HloComputation* const combiner = !gives_tuple || scope.random().Chance(50)
                                       ? ReducerToTuple(scope, opcode, x.type())
                                       : ScalarComputation(scope.state(), opcode, x.type());
  Scope::Extra extra;
  extra.attributes = MakeAttributes<ScatterAttributes>([&](auto& a) {
    for (int64_t d = 1; d < x.rank(); ++d) a.update_window_dims.push_back(d);
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
  });
  extra.calls = {combiner};
  if (gives_tuple) extra.shape = TupleOfOne(x.shape());
  const Value result = scope.Add(HloOpcode::kScatter, {x, indices, updates}, Facts::Exact(), std::move(extra));
  if (gives_tuple) scope.GetTupleElement(result, 0, Facts::Exact());
}

// ---- Types

PrimitiveType FloatType(Scope& scope) {
  static constexpr PrimitiveType kTypes[] = {BF16, F16, F32, F64, F8E5M2};
  return scope.random().Pick(kTypes);
}

// A reducer of another float type than array, initial value and result.
void MixedReductionMove(Scope& scope) {
  absl::optional<Value> x;
  if (scope.random().Chance(50)) {
    x = scope.Find([](const Value& value) {
      return IsExactNumber(value) && IsFloat(value.type()) && value.rank() >= 1 && value.shape().ElementCount() > 0;
    });
  }
  if (!x.has_value()) {
    // Fractions too, which narrower types round.
    const DataClass data_class = scope.random().Chance(20) ? DataClass::kSmall : DataClass::kOrdinary;
    x = scope.Fresh(ArrayShape(FloatType(scope), {scope.random().Between(1, 3), scope.random().Between(1, 6)}),
                    data_class);
  }
  const PrimitiveType type = FloatType(scope), result = FloatType(scope);
  const int64_t d = x->rank() - 1;
  const double terms = static_cast<double>(x->dimension(static_cast<int>(d))) + 1;
  const Facts converted = ConvertFacts(x->type(), type, x->facts);
  const bool adds = converted.integral && MaySum(type, terms, converted) && SumFacts(type, terms, converted).exact;
  const Facts reduced = adds ? SumFacts(type, terms, converted) : Facts::Exact();
  HloComputation* const reducer =
      ScalarComputation(scope.state(), adds ? HloOpcode::kAdd : ExactReducer(scope, type), type);
  const Value init = scope.Scalar(scope.random().Chance(50) ? type : FloatType(scope), 0);
  const Facts facts = ConvertFacts(type, result, reduced);
  Shape shape = ArrayShape(result, x->dimensions());
  if (scope.random().Chance(50)) {
    const Window window = WindowOfNeighbours(*x, scope.random().Chance(20));
    shape.set_dimension(static_cast<int>(d), x->dimension(static_cast<int>(d)) - window.dimensions[d].size + 1);
    scope.Add(HloOpcode::kReduceWindow, {*x, init}, facts,
              {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = window; }), shape, {reducer}});
    return;
  }
  shape.DeleteDimension(static_cast<int>(d));
  shape.SetMissingLayoutsToDefault();
  scope.Add(HloOpcode::kReduce, {*x, init}, facts,
            {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = {d}; }), shape, {reducer}});
}

// Comparisons as if numbers were of another kind.
void OddComparisonMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  if (!x.facts.HasCertainBits()) return;
  const Value y = scope.Like(x.shape());
  if (!y.facts.HasCertainBits()) return;
  static constexpr ComparisonType kOfFloats[] = {ComparisonType::kSigned, ComparisonType::kUnsigned};
  static constexpr ComparisonType kOfIntegers[] = {ComparisonType::kFloat, ComparisonType::kTotalOrder};
  static constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kLt, ComparisonDirection::kGe,
                                                        ComparisonDirection::kEq};
  const ComparisonType type = scope.random().Pick(IsFloat(x.type()) ? kOfFloats : kOfIntegers);
  const ComparisonDirection direction = scope.random().Pick(kDirections);
  scope.Add(HloOpcode::kCompare, {x, y}, Facts::Exact(), {MakeAttributes<CompareAttributes>([&](auto& a) {
              a.direction = direction;
              a.type = type;
            })});
}

// Factors of different kinds, of whole numbers so small that sums are exact.
void ProductOfKindsMove(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr std::pair<PrimitiveType, PrimitiveType> kKinds[] = {{PRED, F32}, {PRED, S32}, {PRED, BF16},
                                                                       {PRED, C64}, {F32, C64},  {F64, C128}};
  const auto [kind, type] = random.Pick(kKinds);
  const int64_t k = random.Between(1, 4);
  Value lhs = scope.Fresh(ArrayShape(kind, {random.Between(1, 3), k}), DataClass::kSmall);
  Value rhs = scope.Fresh(ArrayShape(type, {random.Between(1, 3), k}), DataClass::kSmall);
  if (random.Chance(50)) std::swap(lhs, rhs);
  scope.Add(HloOpcode::kDot, {lhs, rhs}, Facts::Whole(-36, 36),
            {MakeAttributes<DotAttributes>([](auto& a) {
               a.lhs_contracting_dims = {1};
               a.rhs_contracting_dims = {1};
             }),
             ArrayShape(type, {lhs.dimension(0), rhs.dimension(0)})});
}

// Sums of integers that keep their low bits.
void NarrowSumMove(Scope& scope) {
  RandomSource& random = scope.random();
  static constexpr PrimitiveType kTypes[] = {S8, U8, S16, S4};
  const int64_t k = random.Between(1, 4);
  const PrimitiveType lhs_type = random.Chance(60) ? S32 : S64;
  const Value lhs = scope.Like(ArrayShape(lhs_type, {random.Between(1, 3), k}));
  const Value rhs = scope.Like(ArrayShape(S32, {k, random.Between(1, 3)}));
  const PrimitiveType type = random.Pick(kTypes);
  scope.Add(HloOpcode::kDot, {lhs, rhs}, Facts::Exact(),
            {MakeAttributes<DotAttributes>([](auto& a) {
               a.lhs_contracting_dims = {1};
               a.rhs_contracting_dims = {0};
             }),
             ArrayShape(type, {lhs.dimension(0), rhs.dimension(1)})});
}

// The bits of complex numbers, or complex numbers of bits.
void ComplexBitsMove(Scope& scope) {
  RandomSource& random = scope.random();
  Facts any = Facts::Exact();
  any.nan_bits = true;
  if (random.Chance(50)) {
    const Value bits = scope.Like(ArrayShape(U32, {random.Between(1, 4), 2}));
    scope.Add(HloOpcode::kBitcastConvert, {bits}, any, {nullptr, ArrayShape(C64, {bits.dimension(0)})});
    return;
  }
  absl::optional<Value> x = scope.Find(
      [](const Value& value) { return IsStaticArray(value) && value.type() == C64 && value.facts.HasCertainBits(); });
  if (!x.has_value()) x = scope.Fresh(ArrayShape(C64, {random.Between(1, 4)}), DataClass::kOrdinary);
  DimensionVector sizes = ToVector(x->dimensions());
  static constexpr PrimitiveType kTypes[] = {U64, S64, U32, F32, U16};
  const PrimitiveType type = random.Pick(kTypes);
  if (BitWidth(type) < 64) sizes.push_back(64 / BitWidth(type));
  scope.Add(HloOpcode::kBitcastConvert, {*x}, any, {nullptr, ArrayShape(type, sizes)});
}

void EmptyFftMove(Scope& scope) {
  const bool batch = scope.random().Chance(50);
  const Value x =
      scope.Constant(ArrayShape(C64, batch ? DimensionVector{0, 3} : DimensionVector{0}), DataClass::kSmall);
  scope.Add(HloOpcode::kFft, {x}, Facts::Exact(), {MakeAttributes<FftAttributes>([&](auto& a) {
              a.fft_type = scope.random().Chance(50) ? FftType::kFft : FftType::kIfft;
              a.fft_length = {batch ? 3 : 0};
            })});
}

// ---- Windows and selections

void ReversedWindowMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  HloComputation* const reducer = ScalarComputation(scope.state(), ExactReducer(scope, x.type()), x.type());
  scope.Add(HloOpcode::kReduceWindow, {x, scope.Scalar(x.type(), 0)}, Facts::Exact(),
            {MakeAttributes<WindowAttributes>([&](auto& a) { a.window = WindowOfNeighbours(x, true); }),
             absl::nullopt,
             {reducer}});
}

void ReversedSelectionMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  const Window window = WindowOfNeighbours(x, true);
  Shape shape = ArrayShape(x.type(), x.dimensions());
  shape.set_dimension(x.rank() - 1, x.dimension(x.rank() - 1) - window.dimensions.back().size + 1);
  const Value source = scope.Like(shape, DataClass::kSmall);
  Scope select(&scope.state(), "select", Scope::Kind::kFusion, 9);
  const Value a = select.Parameter(Shape::Scalar(x.type()), Facts::Exact(), "a");
  const Value b = select.Parameter(Shape::Scalar(x.type()), Facts::Exact(), "b");
  HloComputation* const selection = select.Finish(select.Compare(ComparisonDirection::kGe, a, b));
  HloComputation* const combine = ScalarComputation(scope.state(), ExactReducer(scope, x.type()), x.type());
  scope.Add(HloOpcode::kSelectAndScatter, {x, source, scope.Scalar(x.type(), 0)}, Facts::Exact(),
            {MakeAttributes<WindowAttributes>([&](auto& attributes) { attributes.window = window; }),
             absl::nullopt,
             {selection, combine}});
}

// A tuple of two, one of them by chance in a tuple of its own.
Value PairOf(Scope& scope, const Value& first, const Value& second, bool nested) {
  return scope.Tuple({first, nested ? scope.Tuple({second}) : second});
}

void TupleSelectMove(Scope& scope) {
  const Value a = scope.ExactArray(element_class::kAny), b = scope.ExactArray(element_class::kAny);
  const Value c = scope.Like(a.shape()), d = scope.Like(b.shape());
  const bool nested = scope.random().Chance(30);
  const Value chosen =
      scope.Add(HloOpcode::kSelect, {scope.Predicate({}), PairOf(scope, a, b, nested), PairOf(scope, c, d, nested)},
                Facts::Exact());
  scope.GetTupleElement(chosen, 0, Either(a.facts, c.facts));
  if (scope.random().Chance(20)) return;
  const Value second = scope.GetTupleElement(chosen, 1, Either(b.facts, d.facts));
  if (nested) scope.GetTupleElement(second, 0, Either(b.facts, d.facts));
}

// ---- Calls

// In the body of a fusion, instructions without users; the root has some by chance.
void IdleFusionMove(Scope& scope) {
  if (scope.kind() == Scope::Kind::kFusion || scope.depth() >= 2) return;
  const Value x = scope.Array();
  Scope inner(&scope.state(), "idle", Scope::Kind::kFusion, scope.depth() + 1);
  inner.Parameter(x.shape(), x.facts, "arg");
  MakeMoves(inner, scope.random().Between(2, 6));
  const Value root = inner.Copy(inner.Array());
  if (scope.random().Chance(70)) inner.Copy(inner.Array());
  if (scope.random().Chance(50)) inner.Copy(inner.Copy(root));
  HloComputation* const body = inner.Finish(root);
  body->set_is_fusion_computation(true);
  if (scope.random().Chance(20)) body->set_execution_thread("io");
  static constexpr FusionKind kKinds[] = {FusionKind::kLoop, FusionKind::kInput, FusionKind::kCustom};
  const FusionKind kind = scope.random().Pick(kKinds);
  scope.Add(HloOpcode::kFusion, {x}, root.facts,
            {MakeAttributes<FusionAttributes>([&](auto& a) { a.kind = kind; }), body->root()->shape(), {body}});
}

// A custom fusion, which passes leave as it is, so that odd forms reach the backend.
void FusionOfOddFormsMove(Scope& scope) {
  using Make = void (*)(Scope& scope);
  static constexpr Make kForms[] = {
      &ReductionToTupleMove, &MixedReductionMove, &MixedReductionMove, &MixedReductionMove, &OddComparisonMove,
      &ProductOfKindsMove,   &NarrowSumMove,      &ComplexBitsMove,    &ReversedWindowMove, &TupleSelectMove};
  AddFusion(scope, FusionKind::kCustom, [](Scope& body) {
    for (int64_t i = body.random().Between(1, 2); i > 0; --i) {
      body.random().Pick(kForms)(body);
      if (body.random().Chance(50)) MakeMoves(body, 1);
    }
  });
}

// A call on another thread, or of something composite without the attributes that would say of what.
void OddCallMove(Scope& scope) {
  const Value x = scope.Array();
  Scope inner(&scope.state(), "called", Scope::Kind::kNested, 9);
  HloComputation* const callee = inner.Finish(inner.Copy(inner.Parameter(x.shape(), x.facts, "arg")));
  const bool is_composite = scope.random().Chance(50);
  if (!is_composite) callee->set_execution_thread("io");
  scope.Add(HloOpcode::kCall, {x}, x.facts,
            {MakeAttributes<CallAttributes>([&](auto& a) { a.is_composite = is_composite; }), absl::nullopt, {callee}});
}

// ---- Devices

// All of them in one group, by a channel that is 0.
template <typename T>
std::unique_ptr<T> GroupOfAll(Scope& scope) {
  auto attributes = std::make_unique<T>();
  attributes->replica_groups.groups = {Identity(scope.state().replicas * scope.state().partitions)};
  attributes->channel_id = 0;
  attributes->use_global_device_ids = true;
  return attributes;
}

// The result in a tuple, a reducer of another type, a channel that is 0.
void OddAllReduceMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  PrimitiveType type = x.type();
  if (scope.random().Chance(50)) type = IsInt(type) ? (scope.random().Chance(50) ? S8 : S64) : FloatType(scope);
  HloComputation* const reducer = ScalarComputation(scope.state(), ExactReducer(scope, type), type);
  const bool gives_tuple = scope.random().Chance(50);
  const Value result =
      scope.Add(HloOpcode::kAllReduce, {x}, Facts::Exact(),
                {GroupOfAll<AllReduceAttributes>(scope), gives_tuple ? TupleOfOne(x.shape()) : x.shape(), {reducer}});
  if (gives_tuple) scope.GetTupleElement(result, 0, Facts::Exact());
}

// all-gather and then reduce-scatter, both to a tuple.
void GatherAndScatterToTupleMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  Shape shape = ArrayShape(x.type(), x.dimensions());
  shape.set_dimension(0, shape.dimension(0) * scope.state().replicas * scope.state().partitions);
  const Value tuple = scope.Add(HloOpcode::kAllGather, {x}, x.facts,
                                {GroupOfAll<ShardingCollectiveAttributes>(scope), TupleOfOne(shape)});
  const Value gathered = scope.GetTupleElement(tuple, 0, x.facts);
  HloComputation* const reducer = ScalarComputation(scope.state(), HloOpcode::kMaximum, x.type());
  const Value scattered =
      scope.Add(HloOpcode::kReduceScatter, {gathered}, Facts::Exact(),
                {GroupOfAll<ShardingCollectiveAttributes>(scope), TupleOfOne(x.shape()), {reducer}});
  scope.GetTupleElement(scattered, 0, Facts::Exact());
}

void PermuteToTupleMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  attributes->source_target_pairs.push_back({0, scope.state().replicas - 1});
  const Value tuple =
      scope.Add(HloOpcode::kCollectivePermute, {x}, Facts::Exact(), {std::move(attributes), TupleOfOne(x.shape())});
  scope.GetTupleElement(tuple, 0, Facts::Exact());
}

// Starts that keep values for their ends.
void ContextMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  const Shape context = Shape::Scalar(U32);
  if (scope.random().Chance(50)) {
    const Value start = scope.Add(HloOpcode::kCopyStart, {x}, Facts::Exact(),
                                  {nullptr, Shape::Tuple({x.shape(), x.shape(), context, ArrayShape(S32, {3})})});
    scope.Add(HloOpcode::kCopyDone, {start}, x.facts);
    return;
  }
  HloComputation* const reducer = ScalarComputation(scope.state(), HloOpcode::kMaximum, x.type());
  const Value start =
      scope.Add(HloOpcode::kAllReduceStart, {x}, Facts::Exact(),
                {GroupOfAll<AllReduceAttributes>(scope), Shape::Tuple({x.shape(), context, context}), {reducer}});
  scope.Add(HloOpcode::kAllReduceDone, {start}, Facts::Exact());
}

// A recv whose value takes a detour to its recv-done.
void DetourOfRecvMove(Scope& scope) {
  const Value x = LineOfNumbers(scope);
  const int64_t channel = scope.state().next_channel++;
  const auto attributes = [channel] {
    return MakeAttributes<SendRecvAttributes>([channel](auto& a) { a.channel_id = channel; });
  };
  const Value token = scope.Add(HloOpcode::kAfterAll, {}, Facts::Exact());
  const Value send = scope.Add(HloOpcode::kSend, {x, token}, Facts::Exact(), {attributes()});
  const Value sent = scope.Add(HloOpcode::kSendDone, {send}, Facts::Exact(), {attributes()});
  const Value recv = scope.Add(HloOpcode::kRecv, {sent}, Facts::Exact(),
                               {attributes(), Shape::Tuple({x.shape(), Shape::Scalar(U32), Shape::Token()})});
  const Value detour = scope.Add(HloOpcode::kOptBarrier, {recv}, Facts::Exact());
  const Value received = scope.Add(HloOpcode::kRecvDone, {detour}, Facts::Exact(), {attributes()});
  scope.GetTupleElement(received, 0, x.facts);
}

}  // namespace

absl::Span<const Move> OddFormMoves() {
  static constexpr Move kMoves[] = {
      {"reduction to tuple", 1, 2, &ReductionToTupleMove},
      {"sort to tuple", 1, 1, &SortToTupleMove},
      {"scatter to tuple", 1, 1, &ScatterToTupleMove},
      {"mixed reduction", 1, 2, &MixedReductionMove},
      {"odd comparison", 1, 2, &OddComparisonMove},
      {"product of kinds", 1, 2, &ProductOfKindsMove},
      {"narrow sum", 1, 2, &NarrowSumMove},
      {"complex bits", 1, 2, &ComplexBitsMove},
      {"empty fft", 1, 1, &EmptyFftMove},
      {"reversed window", 1, 2, &ReversedWindowMove},
      {"reversed selection", 1, 1, &ReversedSelectionMove},
      {"tuple select", 1, 2, &TupleSelectMove},
      {"idle fusion", 1, 1, &IdleFusionMove},
      {"fusion of odd forms", 5, 1, &FusionOfOddFormsMove},
      {"odd call", 1, 1, &OddCallMove},
      {"odd all-reduce", 1, 0, &OddAllReduceMove},
      {"gather and scatter to tuple", 1, 0, &GatherAndScatterToTupleMove},
      {"permute to tuple", 1, 0, &PermuteToTupleMove},
      {"context", 1, 0, &ContextMove},
      {"detour of recv", 1, 0, &DetourOfRecvMove},
  };
  return kMoves;
}

}  // namespace xla
