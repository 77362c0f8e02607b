// Which tensor of a pack has the least or greatest element:
//
//   y[i,] = 0; y[i,] := k, k < n | xs[k][i,] < xs[y[i,]][i,]
//
// The index that chooses the tensor is unrolled, so that there is a statement for each of them. Each compares its own
// element with the best one so far, which is xs[y[i,]][i,]: it is kept beside the number of its tensor, and nothing is
// stacked or gathered.
#include <algorithm>
#include <utility>

#include "builders/nnef2/lowering/scalar_emission.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = NestNode::Kind;

bool SameLoops(const StatementNest& a, const StatementNest& b) {
  return std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end(),
                    [](const NestLoop& x, const NestLoop& y) { return x.bound == y.bound && x.extent == y.extent; });
}

// Whether `node` loads the target where the statement assigns it.
bool IsTarget(const StatementNest& nest, const NestNode* node) {
  return node != nullptr && node->kind == Kind::kLoad && node->tensors == nest.targets && node->item == nullptr &&
         node->operands == nest.indices;
}

// The number of the tensor whose element the statement compares with the best one, and assigns if it is better; -1: it
// does something else.
int64_t ComparedTensor(const StatementNest& nest) {
  if (nest.op != Operator::kUniform || nest.type != BaseType::kInt || nest.targets.size() != 1 ||
      nest.target_item != nullptr || !nest.guards.empty() || !nest.values[0]->is_known() || nest.condition == nullptr ||
      nest.condition->kind != Kind::kBinary ||
      (nest.condition->op != Operator::kLess && nest.condition->op != Operator::kGreater)) {
    return -1;
  }
  const NestNode& element = *nest.condition->operands[0];
  const NestNode& best = *nest.condition->operands[1];
  const int64_t number = nest.values[0]->scalar.integer;
  const bool compares = element.kind == Kind::kLoad && element.item == nullptr && element.tensors.size() == 1 &&
                        !element.reads_output && best.kind == Kind::kLoad && IsTarget(nest, best.item) &&
                        best.operands == element.operands;
  if (!compares || number < 0 || number >= static_cast<int64_t>(best.tensors.size())) return -1;
  return best.tensors[static_cast<size_t>(number)] == element.tensors[0] ? number : -1;
}

// Whether `nest` goes on with what `before` compares.
bool GoesOn(const StatementNest& before, const StatementNest& nest) {
  return ComparedTensor(nest) >= 0 && nest.targets == before.targets && nest.indices == before.indices &&
         nest.condition->op == before.condition->op && nest.condition->operands[1] == before.condition->operands[1] &&
         SameLoops(before, nest);
}

}  // namespace

XlaOp RecogniseBestOfPack(NestLowering& lowering, const std::vector<StatementNest>& nests, int first, int* count) {
  const absl::optional<StartValue> start = StartValue::Of(&lowering, nests[first]);
  const StatementNest& update = nests[first + 1];
  // The first statement compares the element of tensor 0 with itself.
  if (!start.has_value() || !start->IsAll(0) || ComparedTensor(update) != 0) return XlaOp();
  const absl::optional<TargetPlan> target = PlanTarget(lowering, update);
  if (!target.has_value() || !target->is_whole() || !CountsOnlyTarget(update, *target)) return XlaOp();
  LoopValues values(&lowering, update, TargetFirst(update, *target));
  int end = first + 1;
  for (; end < static_cast<int>(nests.size()) && GoesOn(update, nests[end]); ++end) {
    if (!values.Plan(*nests[end].condition->operands[0])) return XlaOp();
  }
  LoopArray best = values.ValueOf(*update.condition->operands[0]);
  LoopArray place{values.Number(S32, 0), {}};
  for (int i = first + 2; i < end; ++i) {
    const LoopArray element = values.ValueOf(*nests[i].condition->operands[0]);
    const LoopArray is_better =
        values.Together(element, best, [&](XlaOp x, XlaOp y) { return EmitBinary(update.condition->op, x, y); });
    place = values.Choose(is_better, {values.Number(S32, static_cast<double>(ComparedTensor(nests[i]))), {}}, place);
    best = values.Choose(is_better, element, best);
  }
  *count = end - first;
  return ElementsOfTarget(*target, values.Over(place, values.InOrder(target->loops)));
}

}  // namespace nnef2
}  // namespace xla
