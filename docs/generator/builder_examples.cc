#include "docs/generator/builder_examples.h"

#include <utility>

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace {

// An example is an expression, and the text that the page shows of it. A macro is what makes one of the other.
#define EXAMPLE_ON(replicas, name, ...)                                                                               \
  BuilderExample {                                                                                                    \
    #name, #__VA_ARGS__,                                                                                              \
        [](ComputationBuilder& b, const ExampleNames& names) -> XlaOp {                                               \
          [[maybe_unused]] const auto& [v, m, add, maximum, ge, less, square, below_100, twice, running_sum] = names; \
          return __VA_ARGS__;                                                                                         \
        },                                                                                                            \
        replicas                                                                                                      \
  }
#define EXAMPLE(name, ...) EXAMPLE_ON(1, name, __VA_ARGS__)
// Built and verified only; and not even that.
#define EXAMPLE_BUILT(name, ...) EXAMPLE_ON(0, name, __VA_ARGS__)
#define EXAMPLE_SHOWN(name, ...) EXAMPLE_ON(kShownOnly, name, __VA_ARGS__)

std::vector<BuilderExample> BasicsExamples() {
  return {
      EXAMPLE_SHOWN(ReportError, b.ReportError(absl::InvalidArgumentError("expected a square matrix, got f32[2,3]"))),
      EXAMPLE_BUILT(AddOp, b.AddOp(HloOpcode::kAdd, {v, v})),
  };
}

std::vector<BuilderExample> ParameterAndConstantExamples() {
  return {
      EXAMPLE_BUILT(Parameter, b.Parameter(0, Shape::Array(F32, {2, 3}), "x")),
      EXAMPLE(ConstantLiteral, b.ConstantLiteral(LiteralUtil::MinValue(F32))),
      EXAMPLE(ConstantR0, b.ConstantR0<float>(42)),
      EXAMPLE(ConstantR1, b.ConstantR1<float>({1, 2, 3})),
      EXAMPLE(ConstantR1, b.ConstantR1<float>(2, 7)),
      EXAMPLE(ConstantR2, b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}})),
      EXAMPLE(ConstantR3, b.ConstantR3<int32_t>({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})),
      EXAMPLE(ConstantArray, b.ConstantArray<float>({2, 2}, {1, 2, 3, 4})),
      EXAMPLE(Iota, b.Iota(S32, 4)),
      EXAMPLE(Iota, b.Iota(Shape::Array(F32, {2, 3}), 1)),
  };
}

std::vector<BuilderExample> ElementwiseUnaryOperationsExamples() {
  return {
      EXAMPLE(Abs, b.Abs(b.ConstantR1<float>({-1, 2}))),
      EXAMPLE(Neg, b.Neg(v)),
      EXAMPLE(Sign, b.Sign(b.ConstantR1<float>({-2, 0, 3}))),
      EXAMPLE(Ceil, b.Ceil(b.ConstantR1<float>({-1.5, 1.5}))),
      EXAMPLE(Floor, b.Floor(b.ConstantR1<float>({-1.5, 1.5}))),
      EXAMPLE(Round, b.Round(b.ConstantR1<float>({-1.5, 0.5, 2.5}))),
      EXAMPLE(RoundNearestEven, b.RoundNearestEven(b.ConstantR1<float>({-1.5, 0.5, 2.5}))),
      EXAMPLE(Exp, b.Exp(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Expm1, b.Expm1(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Log, b.Log(v)),
      EXAMPLE(Log1p, b.Log1p(v)),
      EXAMPLE(Logistic, b.Logistic(b.ConstantR1<float>({-1, 0, 1}))),
      EXAMPLE(Sqrt, b.Sqrt(b.ConstantR1<float>({4, 9}))),
      EXAMPLE(Rsqrt, b.Rsqrt(b.ConstantR1<float>({4, 16}))),
      EXAMPLE(Cbrt, b.Cbrt(b.ConstantR1<float>({-8, 27}))),
      EXAMPLE(Erf, b.Erf(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Sin, b.Sin(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Cos, b.Cos(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Tan, b.Tan(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Asin, b.Asin(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Acos, b.Acos(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Atan, b.Atan(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Sinh, b.Sinh(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Cosh, b.Cosh(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Tanh, b.Tanh(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Asinh, b.Asinh(b.ConstantR1<float>({0, 1}))),
      EXAMPLE(Acosh, b.Acosh(b.ConstantR1<float>({1, 2}))),
      EXAMPLE(Atanh, b.Atanh(b.ConstantR1<float>({0, 0.5}))),
      EXAMPLE(Real, b.Real(b.ConstantR1<complex64>({{1, 2}, {3, 4}}))),
      EXAMPLE(Imag, b.Imag(b.ConstantR1<complex64>({{1, 2}, {3, 4}}))),
      EXAMPLE(Conj, b.Conj(b.ConstantR1<complex64>({{1, 2}, {3, 4}}))),
      EXAMPLE(IsFinite, b.IsFinite(b.Div(v, b.ConstantR1<float>({0, 1, 2})))),
      EXAMPLE(LogicalNot, b.LogicalNot(b.ConstantR1<bool>({true, false}))),
      EXAMPLE(Not, b.Not(b.ConstantR1<int8_t>({0, 1, -1}))),
      EXAMPLE(PopulationCount, b.PopulationCount(b.ConstantR1<uint8_t>({0, 7, 255}))),
      EXAMPLE(Clz, b.Clz(b.ConstantR1<uint8_t>({0, 7, 255}))),
      EXAMPLE(Copy, b.Copy(v)),
  };
}

std::vector<BuilderExample> ElementwiseBinaryOperationsExamples() {
  return {
      EXAMPLE(Add, b.Add(v, v)),
      EXAMPLE(Add, b.Add(v, b.ConstantR0<float>(10))),
      EXAMPLE(Add, b.Add(m, v, {1})),
      EXAMPLE(Add, b.Add(m, b.ConstantR1<float>({100, 200}), {0})),
      EXAMPLE(Sub, b.Sub(b.ConstantR0<float>(10), v)),
      EXAMPLE(Mul, b.Mul(v, v)),
      EXAMPLE(Div, b.Div(v, b.ConstantR0<float>(2))),
      EXAMPLE(Div, b.Div(b.ConstantR1<int32_t>({7, -7, 7}), b.ConstantR1<int32_t>({2, 2, 0}))),
      EXAMPLE(Rem, b.Rem(b.ConstantR1<int32_t>({7, -7, 7}), b.ConstantR1<int32_t>({2, 2, 0}))),
      EXAMPLE(Max, b.Max(v, b.ConstantR0<float>(2))),
      EXAMPLE(Min, b.Min(v, b.ConstantR0<float>(2))),
      EXAMPLE(Pow, b.Pow(v, b.ConstantR0<float>(2))),
      EXAMPLE(Atan2, b.Atan2(b.ConstantR1<float>({0, 1, 0}), b.ConstantR1<float>({1, 0, -1}))),
      EXAMPLE(Complex, b.Complex(v, b.Neg(v))),
      EXAMPLE(LogicalAnd, b.LogicalAnd(b.ConstantR1<bool>({true, true}), b.ConstantR1<bool>({true, false}))),
      EXAMPLE(LogicalOr, b.LogicalOr(b.ConstantR1<bool>({true, true}), b.ConstantR1<bool>({true, false}))),
      EXAMPLE(LogicalXor, b.LogicalXor(b.ConstantR1<bool>({true, true}), b.ConstantR1<bool>({true, false}))),
      EXAMPLE(And, b.And(b.ConstantR0<int32_t>(6), b.ConstantR0<int32_t>(3))),
      EXAMPLE(Or, b.Or(b.ConstantR0<int32_t>(6), b.ConstantR0<int32_t>(3))),
      EXAMPLE(Xor, b.Xor(b.ConstantR0<int32_t>(6), b.ConstantR0<int32_t>(3))),
      EXAMPLE(ShiftLeft, b.ShiftLeft(b.ConstantR1<int32_t>({1, -8}), b.ConstantR0<int32_t>(2))),
      EXAMPLE(ShiftRightArithmetic, b.ShiftRightArithmetic(b.ConstantR1<int32_t>({8, -8}), b.ConstantR0<int32_t>(2))),
      EXAMPLE(ShiftRightLogical, b.ShiftRightLogical(b.ConstantR1<int32_t>({8, -8}), b.ConstantR0<int32_t>(2))),
      EXAMPLE(MulHi, b.MulHi(b.ConstantR0<uint8_t>(200), b.ConstantR0<uint8_t>(100))),
  };
}

std::vector<BuilderExample> ComparisonsExamples() {
  return {
      EXAMPLE(Eq, b.Eq(v, b.ConstantR0<float>(2))),
      EXAMPLE(Ne, b.Ne(v, b.ConstantR0<float>(2))),
      EXAMPLE(Ge, b.Ge(v, b.ConstantR0<float>(2))),
      EXAMPLE(Gt, b.Gt(v, b.ConstantR0<float>(2))),
      EXAMPLE(Le, b.Le(v, b.ConstantR0<float>(2))),
      EXAMPLE(Lt, b.Lt(v, b.ConstantR0<float>(2))),
      EXAMPLE(LtTotalOrder, b.LtTotalOrder(b.ConstantR0<float>(-0.0f), b.ConstantR0<float>(0))),
      EXAMPLE(Compare, b.Compare(v, b.ConstantR0<float>(2), ComparisonDirection::kGe)),
  };
}

std::vector<BuilderExample> SelectionAndConversionExamples() {
  return {
      EXAMPLE(Select, b.Select(b.ConstantR1<bool>({true, false, true}), v, b.Neg(v))),
      EXAMPLE(Clamp, b.Clamp(b.ConstantR0<float>(1.5), v, b.ConstantR0<float>(2.5))),
      EXAMPLE(ConvertElementType, b.ConvertElementType(b.ConstantR1<float>({-1.7, 0, 300}), U8)),
      EXAMPLE(BitcastConvert, b.BitcastConvert(b.ConstantR1<float>({1, 2}), U32)),
      EXAMPLE(BitcastConvert, b.BitcastConvert(b.ConstantR1<uint32_t>({0x04030201}), U8)),
      EXAMPLE(BitcastConvertType, b.BitcastConvertType(b.ConstantR1<float>({1, 2}), U32)),
      EXAMPLE(ReducePrecision, b.ReducePrecision(b.ConstantR1<float>({1.1, 100000}), 5, 10)),
      EXAMPLE(StochasticConvertType, b.StochasticConvertType(v, b.ConstantR1<uint32_t>({0, 7, 9}), S32)),
  };
}

std::vector<BuilderExample> MovementExamples() {
  return {
      EXAMPLE(Broadcast, b.Broadcast(v, {2})),
      EXAMPLE(BroadcastInDim, b.BroadcastInDim(v, {3, 2}, {0})),
      EXAMPLE(Reshape, b.Reshape(m, {3, 2})),
      EXAMPLE(Reshape, b.Reshape(m, {1, 0}, {6})),
      EXAMPLE(Collapse, b.Collapse(b.ConstantR3<int32_t>({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}), {0, 1})),
      EXAMPLE(Transpose, b.Transpose(m, {1, 0})),
      EXAMPLE(Rev, b.Rev(m, {1})),
      EXAMPLE(Concatenate, b.Concatenate({v, b.ConstantR1<float>({4, 5})}, 0)),
      EXAMPLE(Pad, b.Pad(v, b.ConstantR0<float>(0), {{1, 2, 1}})),
      EXAMPLE(PadInDim, b.PadInDim(m, b.ConstantR0<float>(0), 1, 0, -1)),
      EXAMPLE(Slice, b.Slice(m, {0, 1}, {2, 3})),
      EXAMPLE(SliceInDim, b.SliceInDim(v, 0, 3, 2, 0)),
      EXAMPLE(DynamicSlice, b.DynamicSlice(v, b.ConstantR1<int32_t>({1}), {2})),
      EXAMPLE(DynamicUpdateSlice, b.DynamicUpdateSlice(v, b.ConstantR1<float>({8, 9}), b.ConstantR1<int32_t>({1}))),
      EXAMPLE(Gather, b.Gather(m, b.ConstantR1<int32_t>({1, 0}), GatherDimensionNumbers{{1}, {0}, {0}, 1}, {1, 3})),
      EXAMPLE(Scatter, b.Scatter(v, b.ConstantR1<int32_t>({0, 2, 2}), b.ConstantR1<float>({10, 20, 30}), add,
                                 ScatterDimensionNumbers{{}, {0}, {0}, 1})),
  };
}

std::vector<BuilderExample> DynamicDimensionsExamples() {
  return {
      EXAMPLE(GetDimensionSize, b.GetDimensionSize(m, 1)),
      EXAMPLE(SetDimensionSize, b.SetDimensionSize(v, b.ConstantR0<int32_t>(2), 0)),
      EXAMPLE(DynamicReshape,
              b.DynamicReshape(b.SetDimensionSize(v, b.ConstantR0<int32_t>(2), 0),
                               {b.ConstantR0<int32_t>(1), b.ConstantR0<int32_t>(2)}, {1, 3}, {false, true})),
  };
}

std::vector<BuilderExample> TuplesExamples() {
  return {
      EXAMPLE(Tuple, b.Tuple({v, m})),
      EXAMPLE(GetTupleElement, b.GetTupleElement(b.Tuple({v, m}), 1)),
  };
}

std::vector<BuilderExample> ReductionAndWindowExamples() {
  return {
      EXAMPLE(Reduce, b.Reduce(m, b.ConstantR0<float>(0), add, {0})),
      EXAMPLE(ReduceAll, b.ReduceAll(m, b.ConstantR0<float>(0), add)),
      EXAMPLE(ReduceWindow, b.ReduceWindow(v, b.ConstantR0<float>(0), add, {2}, {1}, Padding::kValid)),
      EXAMPLE(ReduceWindowWithGeneralPadding,
              b.ReduceWindowWithGeneralPadding(v, b.ConstantR0<float>(0), add, {2}, {1}, {}, {}, {{1, 0}})),
      EXAMPLE(SelectAndScatter, b.SelectAndScatter(b.ConstantR1<float>({1, 5, 2, 3}), ge, {2}, {2}, Padding::kValid,
                                                   b.ConstantR1<float>({10, 20}), b.ConstantR0<float>(0), add)),
      EXAMPLE(Scan, b.Scan({v}, {b.ConstantR0<float>(0)}, running_sum, 0)),
      EXAMPLE(Map, b.Map({v, b.Neg(v)}, maximum)),
      EXAMPLE(Map, b.Map({v}, add, {b.ConstantR0<float>(10)})),
      EXAMPLE(Sort, b.Sort(b.ConstantR1<float>({3, 1, 2}))),
      EXAMPLE(Sort, b.Sort({b.ConstantR1<float>({3, 1, 2}), b.ConstantR1<int32_t>({0, 1, 2})}, less)),
      EXAMPLE(TopK, b.TopK(m, 2)),
  };
}

std::vector<BuilderExample> BatchNormalisationExamples() {
  return {
      EXAMPLE(BatchNormTraining,
              b.BatchNormTraining(m, b.ConstantR1<float>({1, 1, 1}), b.ConstantR1<float>({0, 0, 0}), 0, 1)),
      EXAMPLE(BatchNormInference, b.BatchNormInference(m, v, v, v, v, 0, 1)),
      EXAMPLE(BatchNormGrad, b.BatchNormGrad(m, v, v, v, m, 0, 1)),
  };
}

std::vector<BuilderExample> LinearAlgebraExamples() {
  return {
      EXAMPLE(Dot, b.Dot(m, v)),
      EXAMPLE(DotGeneral, b.DotGeneral(m, m, DotDimensionNumbers{{1}, {1}})),
      EXAMPLE(RaggedDot, b.RaggedDot(b.ConstantR2<float>({{1}, {2}, {3}}), b.ConstantR3<float>({{{10}}, {{100}}}),
                                     b.ConstantR1<int32_t>({2, 1}),
                                     RaggedDotDimensionNumbers{DotDimensionNumbers{{1}, {1}}, {0}, {0}})),
      EXAMPLE(ScaledDot, b.ScaledDot(m, m, b.ConstantR2<float>({{1}, {10}}), b.ConstantR0<float>(1),
                                     DotDimensionNumbers{{1}, {1}})),
      EXAMPLE(Conv,
              b.Conv(b.ConstantR3<float>({{{1, 2, 3, 4}}}), b.ConstantR3<float>({{{1, 10}}}), {1}, Padding::kValid)),
      EXAMPLE(ConvWithGeneralPadding, b.ConvWithGeneralPadding(b.ConstantR3<float>({{{1, 2, 3, 4}}}),
                                                               b.ConstantR3<float>({{{1, 10}}}), {1}, {{1, 0}})),
      EXAMPLE(ConvWithGeneralDimensions,
              b.ConvWithGeneralDimensions(b.ConstantR3<float>({{{1, 2, 3, 4}}}), b.ConstantR3<float>({{{1, 10}}}), {2},
                                          Padding::kSame, ComputationBuilder::DefaultConvDimensionNumbers(1))),
      EXAMPLE(ConvGeneralDilated,
              b.ConvGeneralDilated(b.ConstantR3<float>({{{1, 2, 3, 4}}}), b.ConstantR3<float>({{{1, 10}}}), {1},
                                   {{0, 0}}, {}, {2}, ComputationBuilder::DefaultConvDimensionNumbers(1))),
      EXAMPLE(Fft, b.Fft(b.ConstantR1<float>({1, 0, 0, 0}), FftType::kRfft, {4})),
      EXAMPLE(Cholesky, b.Cholesky(b.ConstantR2<float>({{4, 2}, {2, 5}}), true)),
      EXAMPLE(TriangularSolve, b.TriangularSolve(b.ConstantR2<float>({{2, 0}, {1, 4}}), b.ConstantR2<float>({{2}, {9}}),
                                                 true, true, false, TransposeA::kNoTranspose)),
  };
}

std::vector<BuilderExample> RandomNumbersExamples() {
  return {
      EXAMPLE_BUILT(RngUniform,
                    b.RngUniform(b.ConstantR0<float>(0), b.ConstantR0<float>(1), Shape::Array(F32, {2, 3}))),
      EXAMPLE_BUILT(RngNormal, b.RngNormal(b.ConstantR0<float>(0), b.ConstantR0<float>(1), Shape::Array(F32, {2, 3}))),
      EXAMPLE_BUILT(RngBernoulli, b.RngBernoulli(b.ConstantR0<float>(0.5), Shape::Array(U32, {8}))),
      EXAMPLE(RngBitGenerator,
              b.RngBitGenerator(RandomAlgorithm::kThreeFry, b.ConstantR1<uint64_t>({1, 0}), Shape::Array(U32, {4}))),
      EXAMPLE_BUILT(RngGetAndUpdateState, b.RngGetAndUpdateState(4)),
  };
}

std::vector<BuilderExample> OtherComputationsExamples() {
  return {
      EXAMPLE(Call, b.Call(square, {b.ConstantR0<float>(7)})),
      EXAMPLE(CompositeCall, b.CompositeCall(square, {b.ConstantR0<float>(7)}, CompositeOptions{"my.square"})),
      EXAMPLE(While, b.While(below_100, twice, b.ConstantR0<int32_t>(3))),
      EXAMPLE(Conditional, b.Conditional(b.ConstantR0<bool>(true), b.ConstantR0<int32_t>(3), twice,
                                         b.ConstantR0<int32_t>(4), twice)),
      EXAMPLE(Conditional, b.Conditional(b.ConstantR0<int32_t>(1), {twice, twice},
                                         {b.ConstantR0<int32_t>(3), b.ConstantR0<int32_t>(4)})),
      EXAMPLE_BUILT(CustomCall, b.CustomCall("my_function", {v, m}, Shape::Array(F32, {3, 3}))),
      EXAMPLE(OptimizationBarrier, b.OptimizationBarrier(v)),
      EXAMPLE(Fusion, b.Fusion(FusionKind::kLoop, square, {b.ConstantR0<float>(7)})),
  };
}

std::vector<BuilderExample> AsynchronousOperationsExamples() {
  return {
      EXAMPLE(AsyncStart, b.AsyncDone(b.AsyncStart(square, {b.ConstantR0<float>(7)}))),
      EXAMPLE(AsyncUpdate, b.AsyncDone(b.AsyncUpdate(b.AsyncStart(square, {b.ConstantR0<float>(7)})))),
      EXAMPLE(AsyncDone, b.AsyncDone(b.AsyncStart(square, {b.ConstantR0<float>(7)}))),
      EXAMPLE(CopyStart, b.CopyDone(b.CopyStart(v))),
  };
}

std::vector<BuilderExample> CollectivesExamples() {
  return {
      EXAMPLE_ON(4, CrossReplicaSum, b.CrossReplicaSum(b.ReplicaId())),
      EXAMPLE_ON(4, CrossReplicaSum, b.CrossReplicaSum(b.ReplicaId(), CollectiveOptions::Groups({{0, 1}, {2, 3}}))),
      EXAMPLE_ON(2, AllReduce, b.AllReduce(v, add)),
      EXAMPLE_ON(2, AllGather, b.AllGather(b.Broadcast(b.ReplicaId(), {1}), 0, 2)),
      EXAMPLE_ON(2, ReduceScatter, b.ReduceScatter(b.ConstantR1<float>({1, 2}), add, 0, 2)),
      EXAMPLE_ON(2, AllToAll, b.AllToAll(b.Broadcast(b.ReplicaId(), {2}), 0, 0, 2)),
      EXAMPLE_ON(2, AllToAllTuple, b.AllToAllTuple({b.ReplicaId(), b.ReplicaId()})),
      EXAMPLE_ON(
          2, RaggedAllToAll,
          b.RaggedAllToAll(v, b.ConstantR1<float>(4, 0), b.ConstantR1<int32_t>({0, 1}), b.ConstantR1<int32_t>({1, 2}),
                           b.ConstantR1<int32_t>({0, 0}), b.ConstantR1<int32_t>({1, 2}))),
      EXAMPLE_ON(2, CollectivePermute, b.CollectivePermute(b.ReplicaId(), {{0, 1}, {1, 0}})),
      EXAMPLE_ON(2, CollectiveBroadcast, b.CollectiveBroadcast(b.ReplicaId(), CollectiveOptions::Groups({{1, 0}}))),
      EXAMPLE_ON(2, CollectiveBroadcastFrom, b.CollectiveBroadcastFrom({b.ReplicaId()}, b.ConstantR0<int32_t>(1))),
      EXAMPLE_ON(2, AllReduceStart, b.AllReduceDone(b.AllReduceStart({v}, add))),
      EXAMPLE_ON(2, CollectivePermuteStart,
                 b.CollectivePermuteDone(b.CollectivePermuteStart(b.ReplicaId(), {{0, 1}, {1, 0}}))),
      EXAMPLE_ON(2, ReplicaId, b.ReplicaId()),
  };
}

std::vector<BuilderExample> TransferExamples() {
  return {
      EXAMPLE(AfterAll, b.AfterAll({b.CreateToken(), b.CreateToken()})),
      EXAMPLE(AddDependency, b.AddDependency(v, b.CreateToken())),
      EXAMPLE(Infeed, b.Infeed(Shape::Array(F32, {3}))),
      EXAMPLE(InfeedWithToken, b.InfeedWithToken(b.CreateToken(), Shape::Array(F32, {3}))),
      EXAMPLE(Outfeed, b.Outfeed(v)),
      EXAMPLE_BUILT(Send, b.SendDone(b.Send(v, b.CreateToken(), SendRecvOptions{1, true}))),
      EXAMPLE_BUILT(Recv, b.RecvDone(b.Recv(b.CreateToken(), Shape::Array(F32, {3}), SendRecvOptions{2, true}))),
      EXAMPLE_BUILT(SendWithToken, b.SendWithToken(v, b.CreateToken(), SendRecvOptions{1, true})),
      EXAMPLE_BUILT(RecvWithToken, b.RecvWithToken(b.CreateToken(), Shape::Array(F32, {3}), SendRecvOptions{2, true})),
  };
}

}  // namespace

const std::vector<BuilderExample>& BuilderExamples() {
  static const auto* const examples = [] {
    auto* const all = new std::vector<BuilderExample>();
    for (const auto section :
         {&BasicsExamples, &ParameterAndConstantExamples, &ElementwiseUnaryOperationsExamples,
          &ElementwiseBinaryOperationsExamples, &ComparisonsExamples, &SelectionAndConversionExamples,
          &MovementExamples, &DynamicDimensionsExamples, &TuplesExamples, &ReductionAndWindowExamples,
          &BatchNormalisationExamples, &LinearAlgebraExamples, &RandomNumbersExamples, &OtherComputationsExamples,
          &AsynchronousOperationsExamples, &CollectivesExamples, &TransferExamples}) {
      for (BuilderExample& example : section()) all->push_back(std::move(example));
    }
    return all;
  }();
  return *examples;
}

}  // namespace xla
