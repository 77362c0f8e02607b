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

// The loops of one iteration that are indices of the target, and by dimension all loops that it has.
std::vector<int> KeptLoops(const StatementNest& nest, const TargetPlan& target, std::vector<int>* order) {
  std::vector<int> kept;
  for (size_t d = 0; d < target.countings.size(); ++d) {
    const std::vector<int>& counted = target.countings[d].loops;
    order->insert(order->end(), counted.begin(), counted.end());
    const NestNode& index = *nest.indices[d];
    if (index.kind != NestNode::Kind::kLoop || !RunsOnce(nest.loops[index.loop]) || Contains(kept, index.loop))
      continue;
    kept.push_back(index.loop);
    order->push_back(index.loop);
  }
  return kept;
}

// y[i,] := x[|i - p|,] where all other elements have one value: a pad.
XlaOp Padded(LoopValues* values, NestLowering& lowering, const StatementNest& nest, const TargetPlan& target,
             const std::vector<int>& loops, StartValue* start) {
  const NestNode& load = *nest.values[0];
  const bool is_uniform = start->is_given() ? start->IsUniform() : nest.op == Operator::kEqual;
  if (load.kind != NestNode::Kind::kLoad || nest.guards.empty() || nest.condition != nullptr || !is_uniform ||
      !target.is_whole() || !GuardsOnly(nest, load)) {
    return XlaOp();
  }
  const absl::optional<LoadPlan> plan = PlanLoad(lowering, nest, load);
  if (!plan.has_value() || plan->gathers()) return XlaOp();
  const XlaOp rest = start->is_given() ? start->Scalar() : values->Number(lowering.TypeOf(nest.type), 0);
  return ElementsOfTarget(target, values->Over(values->LoadOf(*plan, rest), loops));
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
  std::vector<int> loops;
  const std::vector<int> kept = KeptLoops(nest, *target, &loops);
  std::vector<int> order = loops;
  for (const int loop : TargetFirst(nest, *target)) {
    if (!Contains(order, loop)) order.push_back(loop);
  }
  LoopValues values(&lowering, nest, std::move(order), kept);
  if (!values.Plan(*nest.values[0]) || !values.PlanMask()) return XlaOp();
  const XlaOp padded = Padded(&values, lowering, nest, *target, loops, &start);
  if (padded.valid()) return padded;
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
