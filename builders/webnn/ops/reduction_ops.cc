// The reductions. Sums of float16 are taken in float32 and rounded once.
#include <algorithm>
#include <vector>

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/webnn/lowering/arrays.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

absl::StatusOr<MLOperandDescriptor> InferReduction(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const auto& options = call.parameters<MLReduceOptions>();
  const UnsignedList axes = AxesOrAll(options.axes, input.rank());
  RETURN_IF_ERROR(CheckAxes(axes, input.rank()));
  return MLOperandDescriptor(input.dataType(), ReducedShape(input.shape(), axes, options.keepDimensions));
}

// A reduction under way: over which dimensions, and how many elements make one.
struct Reduction {
  ComputationBuilder& b;
  std::vector<int64_t> dimensions;
  int64_t count = 1;

  PrimitiveType TypeOf(XlaOp x) const { return b.ShapeOrInvalid(x).element_type(); }
  XlaOp Sum(XlaOp x) const {
    return b.Reduce(x, Zero(&b, TypeOf(x)), CreateScalarAddComputation(TypeOf(x)), dimensions);
  }
  XlaOp Product(XlaOp x) const {
    return b.Reduce(x, One(&b, TypeOf(x)), CreateScalarMultiplyComputation(TypeOf(x)), dimensions);
  }
  XlaOp Max(XlaOp x) const {
    return b.Reduce(x, MinValue(&b, TypeOf(x)), CreateScalarMaxComputation(TypeOf(x)), dimensions);
  }
  XlaOp Min(XlaOp x) const {
    return b.Reduce(x, MaxValue(&b, TypeOf(x)), CreateScalarMinComputation(TypeOf(x)), dimensions);
  }
  // A reduced value for each element that went into it.
  XlaOp Spread(XlaOp reduced, XlaOp like) const {
    const Shape shape = b.ShapeOrInvalid(like);
    std::vector<int64_t> kept;
    size_t next = 0;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (next < dimensions.size() && dimensions[next] == i) {
        ++next;
      } else {
        kept.push_back(i);
      }
    }
    return b.BroadcastInDim(reduced, shape.dimensions(), kept);
  }
};

using Formula = XlaOp (*)(const Reduction& r, XlaOp x);

XlaOp L1(const Reduction& r, XlaOp x) { return r.Sum(r.b.Abs(x)); }
// HLO's abs is not for unsigned integers, which have no sign.
XlaOp L1OfAny(const Reduction& r, XlaOp x) { return IsUnsignedInt(r.TypeOf(x)) ? r.Sum(x) : L1(r, x); }
XlaOp SumSquare(const Reduction& r, XlaOp x) { return r.Sum(r.b.Mul(x, x)); }
XlaOp L2(const Reduction& r, XlaOp x) { return r.b.Sqrt(SumSquare(r, x)); }
XlaOp LogSum(const Reduction& r, XlaOp x) { return r.b.Log(r.Sum(x)); }
XlaOp Max(const Reduction& r, XlaOp x) { return r.Max(x); }
XlaOp Min(const Reduction& r, XlaOp x) { return r.Min(x); }
XlaOp Product(const Reduction& r, XlaOp x) { return r.Product(x); }
XlaOp Sum(const Reduction& r, XlaOp x) { return r.Sum(x); }

XlaOp Mean(const Reduction& r, XlaOp x) {
  const XlaOp sum = r.Sum(x);
  return r.b.Div(sum, FullLike(sum, static_cast<double>(r.count)));
}

// The greatest element is taken out of the exponentials, unless it is infinite: inf - inf would be NaN.
XlaOp LogSumExp(const Reduction& r, XlaOp x) {
  ComputationBuilder& b = r.b;
  const XlaOp max = r.Max(x);
  const XlaOp shift = b.Select(b.IsFinite(max), max, ZerosLike(max));
  return b.Add(b.Log(r.Sum(b.Exp(b.Sub(x, r.Spread(shift, x))))), shift);
}

template <Formula kFormula>
XlaOp LowerReduction(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const MLOperand& input = call.operand(0);
  Reduction reduction{b, {}, 1};
  UnsignedList axes = AxesOrAll(call.parameters<MLReduceOptions>().axes, input.rank());
  std::sort(axes.begin(), axes.end());
  for (uint32_t axis : axes) {
    reduction.dimensions.push_back(axis);
    reduction.count *= input.shape()[axis];
  }
  const XlaOp reduced = InSumType(call.value(0), [&](XlaOp x) { return kFormula(reduction, x); });
  return b.Reshape(reduced, HloDimensionsOf(call.result().dimensions));
}

template <Formula kFormula>
OperatorDefinition Row(absl::string_view name, OperandRule input) {
  return DefineOperator(name, {input},
                        ParameterList<MLReduceOptions>()
                            .Option("axes", &MLReduceOptions::axes)
                            .Option("keepDimensions", &MLReduceOptions::keepDimensions),
                        InferReduction, LowerReduction<kFormula>);
}

}  // namespace

std::vector<OperatorDefinition> ReductionOperators() {
  const OperandRule floats("input", kFloatTypes);
  const OperandRule any("input", kDraftTypes);
  const OperandRule numbers = OperandRule("input", kFloatsAnd32BitIntegers).Later(kFloatsAnd32And64BitIntegers);
  return {
      Row<L1OfAny>("reduceL1", numbers),   Row<L2>("reduceL2", floats),
      Row<LogSum>("reduceLogSum", floats), Row<LogSumExp>("reduceLogSumExp", floats),
      Row<Max>("reduceMax", any),          Row<Mean>("reduceMean", floats),
      Row<Min>("reduceMin", any),          Row<Product>("reduceProduct", numbers),
      Row<Sum>("reduceSum", numbers),      Row<SumSquare>("reduceSumSquare", numbers),
  };
}

}  // namespace webnn
}  // namespace xla
