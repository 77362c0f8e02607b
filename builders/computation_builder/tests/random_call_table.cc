// The calls that RandomCalls makes.
#include <algorithm>

#include "builders/computation_builder/tests/random_calls.h"

namespace xla {
namespace {

CollectiveOptions RandomGroups(RandomCalls& r) {
  CollectiveOptions options;
  if (r.Once(3)) options.replica_groups.groups = {{0}};
  if (r.Once(8)) options.replica_groups.groups = {r.Numbers(r.Below(3)), r.Numbers(r.Below(3))};
  if (r.Once(5)) options.channel_id = r.Number();
  if (r.Once(8)) options.use_global_device_ids = true;
  return options;
}

DimensionVector FewDimensions(RandomCalls& r, XlaOp operand) {
  const std::vector<int64_t> dimensions = r.Dimensions(operand);
  return DimensionVector(dimensions.begin(), dimensions.end());
}

DotDimensionNumbers RandomDot(RandomCalls& r, XlaOp lhs, XlaOp rhs) {
  DotDimensionNumbers numbers;
  if (!r.Once(5)) numbers.lhs_contracting_dims = {r.Dimension(lhs)};
  if (!r.Once(5)) numbers.rhs_contracting_dims = {r.Dimension(rhs)};
  if (r.Once(3)) numbers.lhs_batch_dims = {r.Dimension(lhs)};
  if (r.Once(3)) numbers.rhs_batch_dims = {r.Dimension(rhs)};
  return numbers;
}

Padding RandomPadding(RandomCalls& r) { return r.Once(2) ? Padding::kSame : Padding::kValid; }

XlaOp Convolution(RandomCalls& r) {
  const XlaOp lhs = r.Value(), rhs = r.ValueLike(lhs);
  const size_t spatial = std::max<size_t>(r.Count(lhs), 2) - 2;
  ConvolutionDimensionNumbers numbers = ComputationBuilder::DefaultConvDimensionNumbers(static_cast<int>(spatial));
  if (r.Once(8)) numbers.input_batch = r.Number();
  if (r.Once(8)) numbers.kernel_spatial.push_back(r.Number());
  ConvolutionOptions options;
  if (r.Once(5)) options.feature_group_count = r.Number();
  if (r.Once(5)) options.batch_group_count = r.Number();
  const std::vector<int64_t> strides = r.Once(3) ? r.Numbers(spatial) : std::vector<int64_t>(spatial, 1);
  if (r.Once(2)) return r.b().ConvWithGeneralDimensions(lhs, rhs, strides, RandomPadding(r), numbers, options);
  const std::vector<int64_t> dilation = r.Once(2) ? r.Numbers(spatial) : std::vector<int64_t>();
  return r.b().ConvGeneralDilated(lhs, rhs, strides, r.Pairs(spatial), dilation, {}, numbers, options);
}

XlaOp Windows(RandomCalls& r) {
  const XlaOp x = r.Value();
  const PrimitiveType type = r.TypeOf(x);
  const std::vector<int64_t> sizes = r.Once(4) ? r.Numbers(r.Count(x)) : std::vector<int64_t>(r.Count(x), 2);
  const std::vector<int64_t> strides = r.Once(4) ? r.Numbers(r.Count(x)) : std::vector<int64_t>(r.Count(x), 1);
  if (r.Once(2)) return r.b().ReduceWindow(x, r.ScalarOf(type), r.Binary(type), sizes, strides, RandomPadding(r));
  const std::vector<int64_t> dilations = r.Once(2) ? r.Numbers(r.Count(x)) : std::vector<int64_t>();
  return r.b().ReduceWindowWithGeneralPadding(x, r.ScalarOf(type), r.Binary(type), sizes, strides, dilations, {},
                                              r.Pairs(r.Count(x)));
}

XlaOp SelectAndScatter(RandomCalls& r) {
  const XlaOp x = r.Value();
  const PrimitiveType type = r.TypeOf(x);
  const std::vector<int64_t> ones(r.Count(x), 1);
  const std::vector<int64_t> sizes = r.Once(3) ? r.Numbers(r.Count(x)) : std::vector<int64_t>(r.Count(x), 2);
  return r.b().SelectAndScatter(x, r.Predicate(type), sizes, ones, RandomPadding(r), r.ValueLike(x), r.ScalarOf(type),
                                r.Binary(type));
}

XlaOp Gather(RandomCalls& r) {
  const XlaOp x = r.Value(), indices = r.ValueOf(S32);
  GatherDimensionNumbers numbers;
  numbers.offset_dims = FewDimensions(r, x);
  numbers.collapsed_slice_dims = FewDimensions(r, x);
  numbers.start_index_map = {r.Dimension(x)};
  numbers.index_vector_dim = r.Once(2) ? r.Dimension(indices) : static_cast<int64_t>(r.Count(indices));
  const std::vector<int64_t> sizes = r.Once(3) ? r.Numbers(r.Count(x)) : std::vector<int64_t>(r.Count(x), 1);
  return r.b().Gather(x, indices, numbers, sizes, r.Once(2));
}

XlaOp Scatter(RandomCalls& r) {
  const XlaOp x = r.Value(), indices = r.ValueOf(S32);
  ScatterDimensionNumbers numbers;
  numbers.update_window_dims = FewDimensions(r, x);
  numbers.inserted_window_dims = FewDimensions(r, x);
  numbers.scatter_dims_to_operand_dims = {r.Dimension(x)};
  numbers.index_vector_dim = static_cast<int64_t>(r.Count(indices));
  return r.b().Scatter(x, indices, r.ValueOf(r.TypeOf(x)), r.Binary(r.TypeOf(x)), numbers);
}

XlaOp Any(RandomCalls& r) {
  const HloOpcode opcode = AllOpcodes()[r.Below(static_cast<int>(AllOpcodes().size()))];
  const std::vector<XlaComputation> called =
      r.Once(3) ? std::vector<XlaComputation>{r.Binary(F32)} : std::vector<XlaComputation>();
  return r.b().AddOp(opcode, r.Values(), nullptr, called, r.Once(2) ? r.Shape() : Shape());
}

XlaOp Elementwise(RandomCalls& r) {
  const XlaOp x = r.Value(), y = r.ValueLike(x);
  const std::vector<int64_t> dimensions = r.Once(5) ? r.Dimensions(y) : std::vector<int64_t>();
  switch (r.Below(12)) {
    case 0:
      return r.b().Add(x, y, dimensions);
    case 1:
      return r.b().Sub(x, y, dimensions);
    case 2:
      return r.b().Mul(x, y, dimensions);
    case 3:
      return r.b().Div(x, y, dimensions);
    case 4:
      return r.b().Rem(x, y, dimensions);
    case 5:
      return r.b().Max(x, y, dimensions);
    case 6:
      return r.b().Pow(x, y, dimensions);
    case 7:
      return r.b().ShiftLeft(x, y, dimensions);
    case 8:
      return r.b().Xor(x, y, dimensions);
    case 9:
      return r.b().Atan2(x, y, dimensions);
    case 10:
      return x + y;
    default:
      return x * 2;
  }
}

const RandomCall kCalls[] = {
    {"Parameter", [](RandomCalls& r) { return r.b().Parameter(r.Below(6), r.Shape(), r.Once(2) ? "x" : ""); }},
    {"ConstantR1", [](RandomCalls& r) { return r.b().ConstantR1<float>(r.Once(20) ? INT64_MAX : r.Below(5), 1.5f); }},
    {"ConstantR2",
     [](RandomCalls& r) {
       return r.b().ConstantR2<int32_t>({{1, 2, r.Below(9)}, {-4, 5, 6}});
     }},
    {"ConstantArray",
     [](RandomCalls& r) {
       return r.b().ConstantArray<float>(r.Numbers(r.Below(3)), {1, 2, 3});
     }},
    {"ConstantLiteral", [](RandomCalls& r) { return r.b().ConstantLiteral(LiteralUtil::MinValue(r.Type())); }},
    {"Iota", [](RandomCalls& r) { return r.b().Iota(r.Shape(), r.Number()); }},
    {"Elementwise", Elementwise},
    {"Any", Any},
    {"Abs", [](RandomCalls& r) { return r.b().Abs(r.Value()); }},
    {"Exp", [](RandomCalls& r) { return r.b().Exp(r.Value()); }},
    {"Conj", [](RandomCalls& r) { return r.b().Conj(r.Value()); }},
    {"Not", [](RandomCalls& r) { return r.b().Not(r.Value()); }},
    {"Copy", [](RandomCalls& r) { return r.b().Copy(r.Value()); }},
    {"LogicalOr", [](RandomCalls& r) { return r.b().LogicalOr(r.ValueOf(PRED), r.ValueOf(PRED)); }},
    {"Complex", [](RandomCalls& r) { return r.b().Complex(r.ValueOf(F32), r.ScalarOf(F32)); }},
    {"Lt",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Lt(x, r.ValueLike(x));
     }},
    {"Select",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Select(r.ValueOf(PRED), x, r.ValueLike(x));
     }},
    {"Clamp",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Clamp(r.ScalarOf(r.TypeOf(x)), x, r.ValueLike(x));
     }},
    {"ConvertElementType", [](RandomCalls& r) { return r.b().ConvertElementType(r.Value(), r.Type()); }},
    {"BitcastConvert", [](RandomCalls& r) { return r.b().BitcastConvert(r.Value(), r.Type()); }},
    {"ReducePrecision", [](RandomCalls& r) { return r.b().ReducePrecision(r.Value(), r.Number(), r.Number()); }},
    {"Broadcast", [](RandomCalls& r) { return r.b().Broadcast(r.Value(), r.Numbers(r.Below(3))); }},
    {"BroadcastInDim",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().BroadcastInDim(x, r.Numbers(r.Below(4)), r.Dimensions(x));
     }},
    {"Reshape", [](RandomCalls& r) { return r.b().Reshape(r.Value(), r.Numbers(r.Below(4))); }},
    {"Reshape to a vector",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       const Shape shape = r.b().ShapeOrInvalid(x);
       const int64_t count = ValidateShape(shape).ok() && shape.IsArray() ? shape.ElementCount() : 1;
       return r.b().Reshape(x, r.Permutation(x), {1, count});
     }},
    {"Reshape to a shape", [](RandomCalls& r) { return r.b().Reshape(r.Shape(), r.Value()); }},
    {"Collapse",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Collapse(x, r.Dimensions(x));
     }},
    {"Transpose",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Transpose(x, r.Permutation(x));
     }},
    {"Rev",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Rev(x, r.Dimensions(x));
     }},
    {"Concatenate",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Concatenate(r.ValuesLike(x), r.Dimension(x));
     }},
    {"Pad",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       PaddingConfig config(r.Count(x));
       for (PaddingDimension& d : config) d = {r.Number(), r.Once(3) ? -1 : r.Number(), r.Number()};
       return r.b().Pad(x, r.ScalarOf(r.TypeOf(x)), config);
     }},
    {"Slice",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       const std::vector<int64_t> strides = r.Once(2) ? r.Numbers(r.Count(x)) : std::vector<int64_t>();
       return r.b().Slice(x, std::vector<int64_t>(r.Count(x), 0), r.Numbers(r.Count(x)), strides);
     }},
    {"SliceInDim",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().SliceInDim(x, 0, r.Number(), 1, r.Dimension(x));
     }},
    {"DynamicSlice",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       std::vector<XlaOp> starts(r.Count(x));
       for (XlaOp& start : starts) start = r.ScalarOf(S32);
       return r.b().DynamicSlice(x, starts, r.Numbers(r.Count(x)));
     }},
    {"DynamicUpdateSlice",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().DynamicUpdateSlice(x, r.ValueLike(x), r.b().ConstantR1<int32_t>(r.Count(x), 1));
     }},
    {"Gather", Gather},
    {"Scatter", Scatter},
    {"GetDimensionSize",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().GetDimensionSize(x, r.Dimension(x));
     }},
    {"SetDimensionSize",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().SetDimensionSize(x, r.ScalarOf(S32), r.Dimension(x));
     }},
    {"DynamicReshape",
     [](RandomCalls& r) { return r.b().DynamicReshape(r.Value(), {r.ScalarOf(S32)}, r.Numbers(1), {r.Once(2)}); }},
    {"Tuple", [](RandomCalls& r) { return r.b().Tuple(r.Values()); }},
    {"GetTupleElement", [](RandomCalls& r) { return r.b().GetTupleElement(r.ValueOf(TUPLE), r.Number()); }},
    {"Reduce",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Reduce(x, r.ScalarOf(r.TypeOf(x)), r.Binary(r.TypeOf(x)), r.Dimensions(x));
     }},
    {"ReduceWindow", Windows},
    {"SelectAndScatter", SelectAndScatter},
    {"Scan",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Scan({x}, {r.ScalarOf(F32)}, r.Binary(F32), r.Dimension(x));
     }},
    {"Map",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       const PrimitiveType type = r.TypeOf(x);
       if (r.Once(2)) return r.b().Map({x}, r.Binary(type), {r.ScalarOf(type)});
       return r.b().Map({x, r.ValueLike(x)}, r.Binary(type));
     }},
    {"Sort", [](RandomCalls& r) { return r.b().Sort(r.Value()); }},
    {"Sort by a comparator",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Sort({x}, r.Predicate(r.TypeOf(x)), r.Dimension(x), r.Once(2));
     }},
    {"TopK", [](RandomCalls& r) { return r.b().TopK(r.Value(), r.Number(), r.Once(2)); }},
    {"BatchNormTraining",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().BatchNormTraining(x, r.ValueOf(F32), r.ValueOf(F32), 0.1f, r.Dimension(x));
     }},
    {"Dot", [](RandomCalls& r) { return r.b().Dot(r.Value(), r.Value()); }},
    {"DotGeneral",
     [](RandomCalls& r) {
       const XlaOp x = r.Value(), y = r.ValueLike(x);
       return r.b().DotGeneral(x, y, RandomDot(r, x, y));
     }},
    {"RaggedDot",
     [](RandomCalls& r) {
       const XlaOp x = r.Value(), y = r.Value();
       RaggedDotDimensionNumbers numbers;
       numbers.dot = RandomDot(r, x, y);
       numbers.lhs_ragged_dims = FewDimensions(r, x);
       numbers.rhs_group_dims = FewDimensions(r, y);
       return r.b().RaggedDot(x, y, r.ValueOf(S32), numbers);
     }},
    {"ScaledDot",
     [](RandomCalls& r) {
       const XlaOp x = r.Value(), y = r.ValueLike(x);
       return r.b().ScaledDot(x, y, r.ValueLike(x), r.ScalarOf(F32), RandomDot(r, x, y));
     }},
    {"Convolution", Convolution},
    {"Fft", [](RandomCalls& r) { return r.b().Fft(r.Value(), static_cast<FftType>(r.Below(4)), r.Numbers(1)); }},
    {"Cholesky", [](RandomCalls& r) { return r.b().Cholesky(r.Value(), r.Once(2)); }},
    {"TriangularSolve",
     [](RandomCalls& r) {
       const XlaOp a = r.Value();
       return r.b().TriangularSolve(a, r.ValueLike(a), r.Once(2), r.Once(2), r.Once(2),
                                    static_cast<TransposeA>(r.Below(4)));
     }},
    {"RngUniform", [](RandomCalls& r) { return r.b().RngUniform(r.ScalarOf(F32), r.ScalarOf(F32), r.Shape()); }},
    {"RngNormal", [](RandomCalls& r) { return r.b().RngNormal(r.ScalarOf(F32), r.ScalarOf(F32), r.Shape()); }},
    {"RngBernoulli", [](RandomCalls& r) { return r.b().RngBernoulli(r.ScalarOf(F32), r.Shape()); }},
    {"RngBitGenerator",
     [](RandomCalls& r) {
       return r.b().RngBitGenerator(static_cast<RandomAlgorithm>(r.Below(3)), r.b().ConstantR1<uint64_t>(2, 7),
                                    r.Shape());
     }},
    {"Call",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Call(r.Body(x), {r.ValueLike(x)});
     }},
    {"While",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().While(r.Condition(x), r.Body(x), x);
     }},
    {"Conditional",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Conditional(r.ScalarOf(S32), {r.Body(x), r.Body(x)}, {x, r.ValueLike(x)});
     }},
    {"CustomCall", [](RandomCalls& r) { return r.b().CustomCall("random_calls_unknown", r.Values(), r.Shape()); }},
    {"OptimizationBarrier", [](RandomCalls& r) { return r.b().OptimizationBarrier(r.Value()); }},
    {"Fusion",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().Fusion(FusionKind::kLoop, r.Body(x), {x});
     }},
    {"Async",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().AsyncDone(r.b().AsyncStart(r.Body(x), {x}));
     }},
    {"Copy in two steps", [](RandomCalls& r) { return r.b().CopyDone(r.b().CopyStart(r.Value())); }},
    {"CrossReplicaSum", [](RandomCalls& r) { return r.b().CrossReplicaSum(r.Value(), RandomGroups(r)); }},
    {"AllReduce",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().AllReduce(r.ValuesLike(x), r.Binary(r.TypeOf(x)), RandomGroups(r));
     }},
    {"AllGather",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().AllGather(x, r.Dimension(x), r.Once(3) ? r.Number() : 1, RandomGroups(r));
     }},
    {"ReduceScatter",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().ReduceScatter(x, r.Binary(r.TypeOf(x)), r.Dimension(x), r.Once(3) ? r.Number() : 1,
                                  RandomGroups(r));
     }},
    {"AllToAll",
     [](RandomCalls& r) {
       const XlaOp x = r.Value();
       return r.b().AllToAll(x, r.Dimension(x), r.Dimension(x), r.Once(3) ? r.Number() : 1, RandomGroups(r));
     }},
    {"CollectivePermute",
     [](RandomCalls& r) {
       return r.b().CollectivePermute(r.Value(), {{r.Once(3) ? r.Number() : 0, 0}});
     }},
    {"CollectiveBroadcast", [](RandomCalls& r) { return r.b().CollectiveBroadcast(r.Value(), RandomGroups(r)); }},
    {"ReplicaId", [](RandomCalls& r) { return r.b().ReplicaId(); }},
    {"AfterAll", [](RandomCalls& r) { return r.Once(2) ? r.b().CreateToken() : r.b().AfterAll({r.ValueOf(TOKEN)}); }},
    {"AddDependency", [](RandomCalls& r) { return r.b().AddDependency(r.Value(), r.ValueOf(TOKEN)); }},
    {"Infeed", [](RandomCalls& r) { return r.b().Infeed(r.Shape()); }},
    {"Outfeed", [](RandomCalls& r) { return r.b().Outfeed(r.Value()); }},
    {"Recv",
     [](RandomCalls& r) {
       SendRecvOptions options;
       options.channel_id = r.Number();
       return r.b().RecvWithToken(r.ValueOf(TOKEN), r.Shape(), options);
     }},
};

}  // namespace

absl::Span<const RandomCall> AllRandomCalls() { return kCalls; }

}  // namespace xla
