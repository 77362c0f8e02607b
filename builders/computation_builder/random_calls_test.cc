// Calls operations at random, mostly with wrong arguments: none may crash, an error names the operation and the call,
// and what the builder accepts must make a module that the verifier accepts and whose text reads back.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr int kPrograms = 60000;
constexpr int kCallsPerProgram = 4;

class RandomArguments {
 public:
  explicit RandomArguments(uint32_t seed) : engine_(seed), builder_("random") {
    for (int i = 0; i < 4; ++i) values_.push_back(builder_.Parameter(i, ArrayShape()));
  }

  ComputationBuilder& builder() { return builder_; }
  int Below(int n) { return static_cast<int>(engine_() % static_cast<uint32_t>(n)); }
  bool Coin() { return Below(2) == 0; }
  template <typename T>
  T OneOf(std::initializer_list<T> list) {
    return *(list.begin() + Below(static_cast<int>(list.size())));
  }

  PrimitiveType Type() {
    if (Below(40) == 0) return static_cast<PrimitiveType>(Below(kNumPrimitiveTypes));
    return OneOf({F32, F32, F32, F32, S32, S32, U32, PRED, F64, BF16, C64, S8, U64, S4});
  }
  // Small numbers, seldom absurd ones.
  int64_t Number() {
    if (Below(100) == 0) return OneOf<int64_t>({-1, INT64_MAX, INT64_MIN, int64_t{1} << 40});
    return Below(5) == 0 ? Below(7) - 2 : Below(4);
  }
  DimensionVector Numbers() {
    DimensionVector numbers(Below(8) == 0 ? Below(5) : Below(3));
    for (int64_t& n : numbers) n = Number();
    return numbers;
  }
  // As many numbers as the value has dimensions, mostly.
  DimensionVector NumbersFor(XlaOp op) {
    DimensionVector numbers = Numbers();
    if (Below(10) != 0) numbers.resize(builder_.ShapeOrInvalid(op).rank(), Below(3));
    return numbers;
  }
  DimensionVector Permutation(XlaOp op) {
    DimensionVector numbers(builder_.ShapeOrInvalid(op).rank());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
    std::shuffle(numbers.begin(), numbers.end(), engine_);
    if (Below(10) == 0) numbers.push_back(Number());
    return numbers;
  }
  Shape ArrayShape() {
    Shape shape = Shape::Scalar(OneOf({F32, F32, F32, S32, S32, PRED, U32, C64}));
    for (int rank = Below(4); rank > 0; --rank) shape.AddDimension(OneOf<int64_t>({1, 2, 2, 3, 4, 0}), Below(20) == 0);
    return shape;
  }
  Shape AnyShape() {
    if (Below(10) == 0) return OneOf({Shape::Token(), Shape(), Shape::Opaque(), Shape::Scalar(BUFFER)});
    if (Below(6) == 0) return Shape::Tuple({ArrayShape(), Below(4) == 0 ? AnyShape() : ArrayShape()});
    Shape shape = ArrayShape();
    if (Below(4) == 0) shape.set_element_type(Type());
    if (Below(10) == 0) shape.AddDimension(Number());
    return shape;
  }
  XlaOp Value() {
    if (Below(300) == 0) return XlaOp();
    return values_[Below(static_cast<int>(values_.size()))];
  }
  // Often of the same shape as another value, so that operations that want that succeed.
  XlaOp ValueLike(XlaOp op) {
    for (int i = 0; i < 5; ++i) {
      const XlaOp other = Value();
      if (builder_.ShapeOrInvalid(other).Compatible(builder_.ShapeOrInvalid(op))) return other;
    }
    return Coin() ? op : Value();
  }
  XlaOp ScalarFor(XlaOp op) {
    const PrimitiveType type = builder_.ShapeOrInvalid(op).element_type();
    return Below(8) == 0 || !IsArrayType(type) ? Value() : Zero(&builder_, type);
  }
  std::vector<XlaOp> Values() {
    std::vector<XlaOp> list;
    const XlaOp first = Value();
    for (int count = Below(6) == 0 ? 0 : 1 + Below(2); count > 0; --count) list.push_back(ValueLike(first));
    return list;
  }
  XlaComputation Combiner(XlaOp op) {
    PrimitiveType type = builder_.ShapeOrInvalid(op).element_type();
    if (Below(10) == 0) type = Type();
    switch (Below(5)) {
      case 0:
        return CreateScalarGeComputation(type);
      case 1:
        return CreateScalarLtComputation({type, type});
      case 2:
        return Below(10) == 0 ? XlaComputation() : CreateScalarMaxComputation(type);
      default:
        return CreateScalarAddComputation(type);
    }
  }
  // S -> S, or to something else now and then.
  XlaComputation FunctionOf(XlaOp op) {
    ComputationBuilder f("f");
    const XlaOp x = f.Parameter(0, Below(10) == 0 ? ArrayShape() : builder_.ShapeOrInvalid(op));
    if (Below(3) == 0) f.Tuple({x});
    if (Below(3) == 0) f.ConstantR0<bool>(true);
    return f.BuildOrError(Coin() ? x : f.Copy(x));
  }
  XlaComputation ConditionOf(XlaOp op) {
    ComputationBuilder f("c");
    f.Parameter(0, builder_.ShapeOrInvalid(op));
    f.ConstantR0<bool>(false);
    return f.BuildOrError();
  }
  std::vector<std::pair<int64_t, int64_t>> Pairs(XlaOp op) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const int64_t n : NumbersFor(op)) pairs.emplace_back(n, Number());
    return pairs;
  }
  PaddingConfig Padding(XlaOp op) {
    PaddingConfig padding;
    for (const int64_t n : NumbersFor(op)) padding.push_back({n, Number(), Number()});
    return padding;
  }
  CollectiveOptions Collective() {
    CollectiveOptions options;
    for (int i = Below(3); i > 0; --i) {
      options.replica_groups.groups.emplace_back();
      for (int j = Below(4); j > 0; --j) options.replica_groups.groups.back().push_back(Number());
    }
    if (Coin()) options.replica_groups.groups = {{0, 1}};
    if (Below(4) == 0) options.channel_id = Number();
    options.use_global_device_ids = Below(6) == 0;
    return options;
  }
  DotDimensionNumbers DotNumbers() {
    DotDimensionNumbers numbers;
    numbers.lhs_contracting_dims = Numbers();
    numbers.rhs_contracting_dims = Coin() ? numbers.lhs_contracting_dims : Numbers();
    numbers.lhs_batch_dims = Below(3) == 0 ? Numbers() : DimensionVector();
    numbers.rhs_batch_dims = numbers.lhs_batch_dims;
    return numbers;
  }
  ConvolutionDimensionNumbers ConvNumbers(XlaOp op) {
    auto numbers = ComputationBuilder::DefaultConvDimensionNumbers(std::max(0, builder_.ShapeOrInvalid(op).rank() - 2) +
                                                                   (Below(10) == 0 ? 1 : 0));
    if (Below(5) == 0) numbers.kernel_spatial = Numbers();
    if (Below(5) == 0) numbers.input_feature = Number();
    return numbers;
  }
  void Keep(XlaOp op) {
    if (op.valid()) values_.push_back(op);
  }

 private:
  std::mt19937 engine_;
  ComputationBuilder builder_;
  std::vector<XlaOp> values_;
};

using R = RandomArguments;
using RandomCall = std::function<XlaOp(ComputationBuilder&, R&)>;
struct NamedCall {
  const char* name;
  RandomCall call;
};

// `x` is a value; what else a call needs is drawn in its text.
#define CALL(method, ...)                                         \
  NamedCall {                                                     \
#method, [](ComputationBuilder& b, R& r) {                      \
      const XlaOp x = r.Value();                                    \
      static_cast<void>(x);                                         \
      return b.method(__VA_ARGS__);                                 \
    } \
  }
#define UNARY(method) CALL(method, x)
#define BINARY(method) CALL(method, x, r.ValueLike(x), r.Coin() ? DimensionVector() : r.Numbers())

std::vector<NamedCall> AllCalls() {
  return {
      UNARY(Abs),
      UNARY(Neg),
      UNARY(Sign),
      UNARY(Ceil),
      UNARY(Floor),
      UNARY(Round),
      UNARY(Exp),
      UNARY(Erf),
      UNARY(Atan),
      UNARY(Real),
      UNARY(Imag),
      UNARY(Conj),
      UNARY(IsFinite),
      UNARY(LogicalNot),
      UNARY(Not),
      UNARY(PopulationCount),
      UNARY(Copy),
      UNARY(OptimizationBarrier),
      BINARY(Add),
      BINARY(Sub),
      BINARY(Mul),
      BINARY(Div),
      BINARY(Rem),
      BINARY(Max),
      BINARY(Min),
      BINARY(Pow),
      BINARY(Atan2),
      BINARY(Complex),
      BINARY(LogicalAnd),
      BINARY(Or),
      BINARY(ShiftLeft),
      BINARY(MulHi),
      BINARY(Eq),
      BINARY(Lt),
      BINARY(LtTotalOrder),
      CALL(Parameter, r.Below(8), r.AnyShape()),
      CALL(Iota, r.AnyShape(), r.Number()),
      CALL(Iota, r.Type(), r.Number()),
      CALL(Compare, x, r.ValueLike(x), ComparisonDirection::kGt, r.Numbers(), static_cast<ComparisonType>(r.Below(4))),
      CALL(Select, r.Value(), x, r.ValueLike(x)),
      CALL(Clamp, r.ScalarFor(x), x, r.ValueLike(x)),
      CALL(ConvertElementType, x, r.Type()),
      CALL(BitcastConvert, x, r.Type()),
      CALL(ReducePrecision, x, r.Number(), r.Number()),
      CALL(StochasticConvertType, x, r.Value(), r.Type()),
      CALL(Broadcast, x, r.Numbers()),
      CALL(BroadcastInDim, x, r.Numbers(), r.NumbersFor(x)),
      CALL(Reshape, x, r.Numbers()),
      CALL(Reshape, x, r.Permutation(x), r.Numbers()),
      CALL(Reshape, r.AnyShape(), x),
      CALL(Collapse, x, r.Numbers()),
      CALL(Transpose, x, r.Permutation(x)),
      CALL(Rev, x, r.Numbers()),
      CALL(Concatenate, r.Values(), r.Number()),
      CALL(Pad, x, r.ScalarFor(x), r.Padding(x)),
      CALL(PadInDim, x, r.ScalarFor(x), r.Number(), r.Number(), r.Number()),
      CALL(Slice, x, r.NumbersFor(x), r.NumbersFor(x), r.Coin() ? DimensionVector() : r.NumbersFor(x)),
      CALL(SliceInDim, x, r.Number(), r.Number(), r.Number(), r.Number()),
      CALL(DynamicSlice, x, r.Value(), r.NumbersFor(x)),
      CALL(DynamicSlice, x, r.Values(), r.NumbersFor(x)),
      CALL(DynamicUpdateSlice, x, r.ValueLike(x), r.Value()),
      CALL(DynamicUpdateSlice, x, r.ValueLike(x), r.Values()),
      CALL(Gather, x, r.Value(),
           GatherDimensionNumbers{r.Numbers(), r.Numbers(), r.Numbers(), r.Number(), r.Numbers(), r.Numbers()},
           r.NumbersFor(x)),
      CALL(Gather, x, r.Value(), GatherDimensionNumbers{{}, {0}, {0}, r.Number(), {}, {}}, r.NumbersFor(x)),
      CALL(Scatter, x, r.Value(), r.ValueLike(x), r.Combiner(x),
           ScatterDimensionNumbers{r.Numbers(), r.Numbers(), r.Numbers(), r.Number(), r.Numbers(), r.Numbers()}),
      CALL(Scatter, r.Values(), x, r.Values(), r.Combiner(x),
           ScatterDimensionNumbers{r.Numbers(), {0}, {0}, 0, {}, {}}),
      CALL(GetDimensionSize, x, r.Number()),
      CALL(SetDimensionSize, x, r.ScalarFor(r.Value()), r.Number()),
      CALL(DynamicReshape, x, r.Values(), r.Numbers(), {r.Coin(), false}),
      CALL(Tuple, r.Values()),
      CALL(GetTupleElement, x, r.Number()),
      CALL(Reduce, x, r.ScalarFor(x), r.Combiner(x), r.Numbers()),
      CALL(Reduce, r.Values(), r.Values(), r.Combiner(x), r.Numbers()),
      CALL(ReduceAll, x, r.ScalarFor(x), r.Combiner(x)),
      CALL(ReduceWindow, x, r.ScalarFor(x), r.Combiner(x), r.NumbersFor(x), r.NumbersFor(x),
           r.OneOf({Padding::kSame, Padding::kValid})),
      CALL(ReduceWindow, r.Values(), r.Values(), r.Combiner(x), r.NumbersFor(x), r.NumbersFor(x), Padding::kSame),
      CALL(ReduceWindowWithGeneralPadding, x, r.ScalarFor(x), r.Combiner(x), r.NumbersFor(x), r.NumbersFor(x),
           r.Coin() ? DimensionVector() : r.NumbersFor(x), r.Coin() ? DimensionVector() : r.NumbersFor(x), r.Pairs(x)),
      CALL(SelectAndScatter, x, r.Combiner(x), r.NumbersFor(x), r.NumbersFor(x), Padding::kSame, r.ValueLike(x),
           r.ScalarFor(x), r.Combiner(x)),
      CALL(SelectAndScatterWithGeneralPadding, x, r.Combiner(x), r.NumbersFor(x), r.NumbersFor(x), r.Pairs(x),
           r.ValueLike(x), r.ScalarFor(x), r.Combiner(x)),
      CALL(Scan, r.Values(), r.Values(), r.Combiner(x), r.Number(), r.Coin()),
      CALL(Map, r.Values(), r.Combiner(x)),
      CALL(Map, {x}, r.Combiner(x), r.Values()),
      CALL(Map, {x, r.ValueLike(x)}, r.Combiner(x)),
      UNARY(Sort),
      CALL(Sort, r.Values(), CreateScalarLtComputation({b.ShapeOrInvalid(x).element_type()}), r.Number()),
      CALL(TopK, x, r.Number(), r.Coin()),
      CALL(BatchNormTraining, x, r.Value(), r.Value(), 0.1f, r.Number()),
      CALL(BatchNormInference, x, r.Value(), r.Value(), r.Value(), r.Value(), 0.1f, r.Number()),
      CALL(BatchNormGrad, x, r.Value(), r.Value(), r.Value(), r.ValueLike(x), 0.1f, r.Number()),
      CALL(Dot, x, r.ValueLike(x)),
      CALL(DotGeneral, x, r.ValueLike(x), r.DotNumbers()),
      CALL(DotGeneral, x, r.ValueLike(x), r.DotNumbers(), DotOptions{{}, DotAlgorithm::kUnset, r.Type()}),
      CALL(RaggedDot, x, r.ValueLike(x), r.Value(),
           RaggedDotDimensionNumbers{r.DotNumbers(), r.Numbers(), r.Numbers()}),
      CALL(ScaledDot, x, r.ValueLike(x), r.ValueLike(x), r.ValueLike(x), r.DotNumbers()),
      CALL(Conv, x, r.ValueLike(x), {r.Number()}, Padding::kSame),
      CALL(Conv, x, r.ValueLike(x), {}, Padding::kValid),
      CALL(ConvWithGeneralPadding, x, r.ValueLike(x), {r.Number()}, {{r.Number(), r.Number()}}),
      CALL(ConvWithGeneralDimensions, x, r.ValueLike(x), r.Numbers(), Padding::kSame, r.ConvNumbers(x)),
      CALL(ConvGeneralDilated, x, r.ValueLike(x), r.Numbers(), r.Pairs(x), r.Numbers(), r.Numbers(), r.ConvNumbers(x),
           ConvolutionOptions{r.Number(), r.Number(), {}, {}, r.Type()}),
      CALL(Fft, x, static_cast<FftType>(r.Below(4)), r.Numbers()),
      CALL(Cholesky, x, r.Coin()),
      CALL(TriangularSolve, x, r.ValueLike(x), r.Coin(), r.Coin(), r.Coin(), static_cast<TransposeA>(r.Below(4))),
      CALL(RngUniform, r.ScalarFor(x), r.ScalarFor(x), r.AnyShape()),
      CALL(RngNormal, r.ScalarFor(x), r.ScalarFor(x), r.AnyShape()),
      CALL(RngBernoulli, r.ScalarFor(x), r.AnyShape()),
      CALL(RngBitGenerator, RandomAlgorithm::kPhilox, x, r.AnyShape()),
      CALL(RngGetAndUpdateState, r.Number()),
      CALL(Call, r.FunctionOf(x), {x}),
      CALL(Call, r.Combiner(x), r.Values()),
      CALL(CompositeCall, r.FunctionOf(x), {x}, CompositeOptions{r.Coin() ? "a.b" : "", "{}", r.Number()}),
      CALL(Fusion, FusionKind::kLoop, r.FunctionOf(x), {x}),
      CALL(While, r.ConditionOf(x), r.FunctionOf(x), x),
      CALL(While, r.FunctionOf(x), r.FunctionOf(x), x),
      CALL(Conditional, r.Value(), x, r.FunctionOf(x), x, r.FunctionOf(x)),
      CALL(Conditional, r.Value(), {r.FunctionOf(x), r.FunctionOf(x)}, {x, x}),
      CALL(Conditional, r.Value(), {r.FunctionOf(x)}, r.Values()),
      CALL(CustomCall, r.Coin() ? "f" : "", r.Values(), r.AnyShape()),
      CALL(AsyncStart, r.FunctionOf(x), r.Values()),
      CALL(AsyncUpdate, r.Coin() ? x : b.AsyncStart(r.FunctionOf(x), {x})),
      CALL(AsyncDone, r.Coin() ? x : b.AsyncStart(r.FunctionOf(x), {x})),
      UNARY(CopyStart),
      CALL(CopyDone, r.Coin() ? x : b.CopyStart(x)),
      CALL(CrossReplicaSum, x, r.Collective()),
      CALL(AllReduce, x, r.Combiner(x), r.Collective()),
      CALL(AllReduce, r.Values(), r.Combiner(x), r.Collective()),
      CALL(AllGather, x, r.Number(), r.Number(), r.Collective()),
      CALL(AllGather, r.Values(), r.Number(), r.Number(), r.Collective()),
      CALL(ReduceScatter, x, r.Combiner(x), r.Number(), r.Number(), r.Collective()),
      CALL(AllToAll, x, r.Number(), r.Number(), r.Number(), r.Collective()),
      CALL(AllToAllTuple, r.Values(), r.Collective()),
      CALL(RaggedAllToAll, x, r.ValueLike(x), r.Value(), r.Value(), r.Value(), r.Value(), r.Collective()),
      CALL(CollectivePermute, x, r.Pairs(x)),
      CALL(CollectivePermute, r.Values(), {{0, 1}, {1, 0}}, r.Number()),
      CALL(CollectiveBroadcast, x, r.Collective()),
      CALL(CollectiveBroadcastFrom, r.Values(), x, r.Collective()),
      CALL(AllReduceStart, r.Values(), r.Combiner(x), r.Collective()),
      CALL(AllReduceDone, r.Coin() ? x : b.AllReduceStart({x}, r.Combiner(x))),
      CALL(AllGatherStart, r.Values(), r.Number(), r.Number(), r.Collective()),
      CALL(AllGatherDone, r.Coin() ? x : b.AllGatherStart({x}, 0, 2)),
      CALL(CollectivePermuteStart, x, r.Pairs(x)),
      CALL(CollectivePermuteDone, r.Coin() ? x : b.CollectivePermuteStart(x, {{0, 1}})),
      CALL(CreateToken),
      CALL(ReplicaId),
      CALL(AfterAll, r.Values()),
      CALL(AddDependency, x, r.Value()),
      CALL(Infeed, r.AnyShape()),
      CALL(InfeedWithToken, r.Coin() ? x : b.CreateToken(), r.AnyShape()),
      CALL(Outfeed, x, r.Coin() ? Shape() : r.AnyShape()),
      CALL(OutfeedWithToken, x, r.Value()),
      CALL(Send, x, r.Coin() ? r.Value() : b.CreateToken(), SendRecvOptions{r.Number(), r.Coin(), {}}),
      CALL(SendDone, r.Coin() ? x : b.Send(x, b.CreateToken(), {})),
      CALL(Recv, r.Coin() ? x : b.CreateToken(), r.AnyShape(), SendRecvOptions{r.Number(), r.Coin(), r.Pairs(x)}),
      CALL(RecvDone, r.Coin() ? x : b.Recv(b.CreateToken(), r.AnyShape(), {})),
      CALL(SendWithToken, x, b.CreateToken(), SendRecvOptions{1, r.Coin(), r.Pairs(x)}),
      CALL(RecvWithToken, b.CreateToken(), r.AnyShape(), SendRecvOptions{1, r.Coin(), {}}),
      NamedCall{"",
                [](ComputationBuilder& b, R& r) {
                  return b.AddOp(static_cast<HloOpcode>(r.Below(static_cast<int>(AllOpcodes().size()))), r.Values(),
                                 nullptr, {}, r.AnyShape());
                }},
  };
}

// Rules that span instructions are the verifier's alone: pairs of start and done, bodies of fusions, channels.
bool IsRuleOfTheModule(absl::string_view message) {
  for (const char* text : {"Build(): parameter", "fused computation", "async", "one user", "channel", "copy as root",
                           "is not used", "no user", "layout", "send", "recv", "buffer"}) {
    if (message.find(text) != absl::string_view::npos) return true;
  }
  return false;
}

TEST(RandomCalls, NeitherCrashNorSlipThrough) {
  const std::vector<NamedCall> calls = AllCalls();
  std::vector<int> accepted(calls.size(), 0);
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    RandomArguments random(seed);
    ComputationBuilder& b = random.builder();
    ASSERT_TRUE(b.ok()) << b.first_error();
    size_t which = 0;
    for (int i = 0; i < kCallsPerProgram && b.ok(); ++i) {
      which = static_cast<size_t>(random.Below(static_cast<int>(calls.size())));
      random.Keep(calls[which].call(b, random));
      if (b.ok()) ++accepted[which];
    }
    if (!b.ok()) {
      const std::string message(b.first_error().message());
      ASSERT_THAT(message, ::testing::HasSubstr(": "));
      ASSERT_THAT(message, ::testing::HasSubstr("random_calls_test.cc:")) << "seed " << seed;
      continue;
    }
    const auto module = b.BuildModule();
    if (!module.ok()) {
      EXPECT_TRUE(IsRuleOfTheModule(module.status().message())) << "seed " << seed << "\n" << module.status();
      continue;
    }
    const std::string text = ModuleToString(**module);
    const auto parsed = ParseHloModule(text);
    ASSERT_TRUE(parsed.ok()) << "seed " << seed << "\n" << parsed.status() << "\n" << text;
    EXPECT_EQ(ModuleToString(**parsed), text) << "seed " << seed;
  }
  // Most calls are given what they accept now and then, or the test would only be about errors.
  EXPECT_LT(std::count(accepted.begin(), accepted.end(), 0), static_cast<int64_t>(calls.size() / 8));
}

}  // namespace
}  // namespace xla
