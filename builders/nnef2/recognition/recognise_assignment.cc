#include <algorithm>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

// Whether each guard is about an index of the load.
bool GuardsOnly(const StatementNest& nest, const NestNode& load) {
  return std::all_of(nest.guards.begin(), nest.guards.end(), [&](const NestGuard& guard) {
    return std::find(load.operands.begin(), load.operands.end(), guard.index) != load.operands.end() &&
           guard.extent->is_known();
  });
}

// y[i,] := x[|i - p|,] where all other elements have one value: a pad.
XlaOp Padded(LoopValues* values, NestLowering& lowering, const StatementNest& nest, const TargetPlan& target,
             StartValue* start) {
  const NestNode& load = *nest.values[0];
  const bool is_uniform = start->is_given() ? start->IsUniform() : nest.op == Operator::kEqual;
  if (load.kind != NestNode::Kind::kLoad || nest.guards.empty() || nest.condition != nullptr || !is_uniform ||
      !target.is_whole() || !GuardsOnly(nest, load)) {
    return XlaOp();
  }
  const absl::optional<LoadPlan> plan = PlanLoad(lowering, nest, load);
  if (!plan.has_value() || plan->gathers()) return XlaOp();
  const XlaOp rest = start->is_given() ? start->Scalar() : values->Number(lowering.TypeOf(nest.type), 0);
  return ElementsOfTarget(target, values->Over(values->LoadOf(*plan, rest), values->InOrder(target.loops)));
}

}  // namespace

XlaOp ConvertTo(XlaOp x, PrimitiveType type) {
  if (!x.valid() || x.builder()->ShapeOrInvalid(x).element_type() == type) return x;
  return x.builder()->ConvertElementType(x, type);
}

XlaOp TransposeTo(XlaOp x, const std::vector<int64_t>& permutation) {
  if (!x.valid() || std::is_sorted(permutation.begin(), permutation.end())) return x;
  return x.builder()->Transpose(x, permutation);
}

XlaOp RecogniseAssignment(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  if (nest.op != Operator::kEqual && nest.op != Operator::kUniform) return XlaOp();
  const absl::optional<TargetPlan> target = PlanTarget(lowering, nest);
  if (!target.has_value() || !CountsOnlyTarget(nest, *target)) return XlaOp();
  LoopValues values(&lowering, nest, TargetFirst(nest, *target));
  if (!values.Plan(*nest.values[0]) || !values.PlanMask()) return XlaOp();
  const XlaOp padded = Padded(&values, lowering, nest, *target, &start);
  if (padded.valid()) return padded;
  const std::vector<int> loops = values.InOrder(target->loops);
  const XlaOp elements = ElementsOfTarget(*target, values.Over(values.ValueOf(*nest.values[0]), loops));
  const LoopArray mask = values.Mask();
  if (!mask.array.valid()) {
    if (!start.is_given()) return PlaceOver(*target, elements, values.Number(lowering.TypeOf(nest.type), 0));
    return target->is_whole() ? elements : PlaceInto(*target, elements, start.Whole(&lowering, nest));
  }
  const XlaOp whole = start.Whole(&lowering, nest);
  XlaOp holds = ElementsOfTarget(*target, values.Over(mask, loops));
  if (target->is_whole()) return lowering.builder().Select(holds, elements, whole);
  // Where nothing is assigned, the mask is false.
  holds = PlaceOver(*target, holds, lowering.builder().ConstantR0<bool>(false));
  return lowering.builder().Select(holds, PlaceOver(*target, elements, values.Number(lowering.TypeOf(nest.type), 0)),
                                   whole);
}

}  // namespace nnef2
}  // namespace xla
