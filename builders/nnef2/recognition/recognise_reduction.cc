#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "builders/nnef2/lowering/general_form.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

bool Accumulates(const StatementNest& nest) { return nest.op != Operator::kEqual && nest.op != Operator::kUniform; }

// The load whose indices count through most loops; nullptr if there is none.
const NestNode* WidestLoad(const NestNode& node, absl::flat_hash_set<const NestNode*>* seen) {
  if (node.kind == NestNode::Kind::kLoad) return &node;
  const NestNode* widest = nullptr;
  if (!seen->insert(&node).second) return widest;
  for (const NestNode* const operand : node.operands) {
    const NestNode* const load = WidestLoad(*operand, seen);
    if (load != nullptr && (widest == nullptr || load->loops.size() > widest->loops.size())) widest = load;
  }
  return widest;
}

// The loops in the order of the dimensions of what is loaded, so that nothing is transposed before it is reduced.
std::vector<int> LoadedOrder(NestLowering& lowering, const StatementNest& nest, const TargetPlan& target,
                             const NestNode* load) {
  std::vector<int> order;
  const absl::optional<LoadPlan> plan = load == nullptr ? absl::nullopt : PlanLoad(lowering, nest, *load);
  if (plan.has_value() && !plan->gathers()) {
    for (const LoadAxis& axis : plan->axes) {
      order.insert(order.end(), axis.counting.loops.begin(), axis.counting.loops.end());
    }
  }
  for (const int loop : TargetFirst(nest, target)) {
    if (!Contains(order, loop)) order.push_back(loop);
  }
  return order;
}

// At most what 64 bits hold.
int64_t VolumeOf(const std::vector<int64_t>& extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(volume, extent, &volume)) return std::numeric_limits<int64_t>::max();
  }
  return volume;
}

// Whether repeating a value changes what it is accumulated to.
bool CountsRepetitions(Operator op) { return op == Operator::kAdd || op == Operator::kMultiply; }

}  // namespace

XlaOp AddToStart(NestLowering& lowering, const StatementNest& nest, StartValue start, XlaOp result) {
  if (!start.is_given() || !result.valid() || (nest.op == Operator::kAdd && start.IsAll(0))) return result;
  const XlaOp whole = start.Whole(&lowering, nest);
  return whole.valid() ? EmitBinary(nest.op, result, whole) : whole;
}

XlaOp RecogniseReduction(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  if (!Accumulates(nest)) return XlaOp();
  const absl::optional<TargetPlan> target = PlanTarget(lowering, nest);
  if (!target.has_value()) return XlaOp();
  absl::flat_hash_set<const NestNode*> seen;
  const NestNode* const load = WidestLoad(*nest.values[0], &seen);
  LoopValues values(&lowering, nest, LoadedOrder(lowering, nest, *target, load));
  if (!values.Plan(*nest.values[0]) || !values.PlanMask()) return XlaOp();
  // The dimensions of what is reduced: those of the value and, where the number of iterations counts, of all loops.
  std::vector<int> loops = nest.values[0]->loops, reduced, dynamic;
  for (const NestGuard& guard : nest.guards) {
    loops.insert(loops.end(), guard.index->loops.begin(), guard.index->loops.end());
    loops.insert(loops.end(), guard.extent->loops.begin(), guard.extent->loops.end());
  }
  if (nest.condition != nullptr) {
    loops.insert(loops.end(), nest.condition->loops.begin(), nest.condition->loops.end());
  }
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    if (Contains(target->loops, i) || RunsOnce(nest.loops[i])) continue;
    if (!IsStatic(nest.loops[i])) dynamic.push_back(i);
    if (CountsRepetitions(nest.op) || !IsStatic(nest.loops[i])) loops.push_back(i);
  }
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  loops = values.InOrder(loops);
  // More elements than are loaded are made by broadcasts only; the general form refuses too many of them.
  const int64_t loaded = load == nullptr || load->tensors.empty() ? 0 : VolumeOf(lowering.BoundsOf(load->tensors[0]));
  if (VolumeOf(values.BoundsOf(loops)) > std::max(kMaxIterations, loaded)) return XlaOp();

  ComputationBuilder& b = lowering.builder();
  const PrimitiveType type = lowering.TypeOf(nest.type);
  const PrimitiveType sum_type = CountsRepetitions(nest.op) ? SumType(type) : type;
  LoopArray value = values.ValueOf(*nest.values[0]);
  value.array = ConvertTo(value.array, sum_type);
  const XlaOp neutral = NeutralElement(&b, nest.op, sum_type);
  for (const LoopArray& mask : {values.Mask(), values.ExistenceOf(dynamic)}) {
    if (mask.array.valid()) value = values.Choose(mask, value, {neutral, {}});
  }
  value = {values.Over(value, loops), loops};
  std::vector<int64_t> dimensions;
  LoopArray result{value.array, {}};
  for (size_t d = 0; d < loops.size(); ++d) {
    if (Contains(target->loops, loops[d])) {
      result.loops.push_back(loops[d]);
    } else {
      dimensions.push_back(static_cast<int64_t>(d));
    }
  }
  if (!dimensions.empty()) result.array = b.Reduce(value.array, neutral, CombinerOf(nest.op, sum_type), dimensions);
  result.array = ConvertTo(result.array, type);
  const XlaOp elements = ElementsOfTarget(*target, values.Over(result, target->loops));
  return AddToStart(lowering, nest, std::move(start), PlaceOver(*target, elements, NeutralElement(&b, nest.op, type)));
}

}  // namespace nnef2
}  // namespace xla
