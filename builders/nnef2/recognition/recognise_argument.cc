// The place of the least or greatest element:
//
//   y[i,] := j, i < m, j < n | x[i,j] < x[i,y[i,]]
//
// starts with place 0 and replaces it wherever an element is less than the one at the place found so far: the first of
// the least elements. A NaN is less than nothing: one at place 0 stays, others never count. As a reduction of pairs,
// which may be combined in any order, this is: of two elements the lesser one, of equal ones that whose place comes
// first, after a NaN at place 0 has become less than all numbers, and others greater, as what lies past an extent that
// varies.
#include <algorithm>
#include <limits>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = NestNode::Kind;

// What a statement compares, and over which loops it goes.
struct ArgumentStatement {
  const NestNode* load = nullptr;
  bool finds_least = false;
  std::vector<int> reduced;  // by target, the loop whose index it gets
  LoadPlan plan;
  TargetPlan target;  // that of each target
};

// Whether `node` loads target number `target` at the place that the statement assigns.
bool IsFound(const StatementNest& nest, const NestNode& node, size_t target) {
  return node.kind == Kind::kLoad && node.tensors == std::vector<int>({nest.targets[target]}) && node.item == nullptr &&
         node.operands == nest.indices;
}

// Whether `found` is `index`, or `index` is that of a reduced loop and `found` the place found so far.
bool Corresponds(const StatementNest& nest, const std::vector<int>& reduced, const NestNode& index,
                 const NestNode& found) {
  if (&index == &found) return true;
  for (size_t t = 0; t < reduced.size(); ++t) {
    if (index.is_loop(reduced[t])) return IsFound(nest, found, t);
  }
  return false;
}

absl::optional<ArgumentStatement> MatchArgument(const NestLowering& lowering, const StatementNest& nest) {
  if (nest.op != Operator::kUniform || nest.type != BaseType::kInt || nest.target_item != nullptr ||
      !nest.guards.empty() || nest.condition == nullptr || nest.condition->kind != Kind::kBinary) {
    return absl::nullopt;
  }
  ArgumentStatement statement;
  const NestNode& condition = *nest.condition;
  if (condition.op != Operator::kLess && condition.op != Operator::kGreater) return absl::nullopt;
  statement.load = condition.operands[0];
  statement.finds_least = condition.op == Operator::kLess;
  const NestNode& load = *statement.load;
  const NestNode& best = *condition.operands[1];
  if (load.kind != Kind::kLoad || best.kind != Kind::kLoad || load.reads_output || load.type == BaseType::kBool ||
      load.tensors != best.tensors || (load.item == nullptr) != (best.item == nullptr)) {
    return absl::nullopt;
  }
  for (const NestNode* const value : nest.values) {
    if (value->kind != Kind::kLoop || RunsOnce(nest.loops[value->loop])) return absl::nullopt;
    statement.reduced.push_back(value->loop);
  }
  for (size_t d = 0; d < load.operands.size(); ++d) {
    if (!Corresponds(nest, statement.reduced, *load.operands[d], *best.operands[d])) return absl::nullopt;
  }
  if (load.item != nullptr && !Corresponds(nest, statement.reduced, *load.item, *best.item)) return absl::nullopt;
  // Each target is assigned the same places.
  StatementNest one = nest;
  one.targets = {nest.targets[0]};
  const absl::optional<TargetPlan> target = PlanTarget(lowering, one);
  absl::optional<LoadPlan> plan = PlanLoad(lowering, nest, load);
  if (!target.has_value() || !target->is_whole() || !plan.has_value() || plan->gathers() || plan->has_padding()) {
    return absl::nullopt;
  }
  for (const int other : nest.targets) {
    if (lowering.BoundsOf(other) != target->extents) return absl::nullopt;
  }
  statement.target = *target;
  statement.plan = *std::move(plan);
  // Each loop counts through the target or is reduced; and all of them through what is loaded.
  std::vector<int> loaded;
  for (const LoadAxis& axis : statement.plan.axes) {
    if (axis.counting.loops.size() > 1) return absl::nullopt;
    loaded.insert(loaded.end(), axis.counting.loops.begin(), axis.counting.loops.end());
  }
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    if (RunsOnce(nest.loops[i])) continue;
    if (!Contains(loaded, i) || Contains(target->loops, i) == Contains(statement.reduced, i)) return absl::nullopt;
  }
  std::vector<int> reduced = statement.reduced;
  std::sort(reduced.begin(), reduced.end());
  if (std::adjacent_find(reduced.begin(), reduced.end()) != reduced.end()) return absl::nullopt;
  return statement;
}

// (x, x's place), (y, y's place) -> the better pair.
XlaComputation BetterOf(const OpMetadata& metadata, PrimitiveType type, bool finds_least) {
  ComputationBuilder b(finds_least ? "arg_min" : "arg_max");
  b.set_keep_source_locations(false);
  b.SetOpMetadata(metadata);
  const XlaOp x = b.Parameter(0, xla::Shape::Scalar(type), "x");
  const XlaOp x_place = b.Parameter(1, xla::Shape::Scalar(S32), "x_place");
  const XlaOp y = b.Parameter(2, xla::Shape::Scalar(type), "y");
  const XlaOp y_place = b.Parameter(3, xla::Shape::Scalar(S32), "y_place");
  const XlaOp is_better = finds_least ? b.Lt(x, y) : b.Gt(x, y);
  const XlaOp takes_x = b.Or(is_better, b.And(b.Eq(x, y), b.Lt(x_place, y_place)));
  return b.BuildOrError(b.Tuple({b.Select(takes_x, x, y), b.Select(takes_x, x_place, y_place)}));
}

}  // namespace

bool RecogniseArgument(NestLowering& lowering, const StatementNest& nest, std::vector<XlaOp>* results) {
  const absl::optional<ArgumentStatement> statement = MatchArgument(lowering, nest);
  if (!statement.has_value()) return false;
  std::vector<int> order = TargetFirst(nest, statement->target);
  LoopValues values(&lowering, nest, order);
  // The loops in their order, so that the places of the reduced ones are numbered row by row: the target's first.
  const std::vector<int> kept = values.InOrder(statement->target.loops);
  std::vector<int> reduced = statement->reduced;
  std::sort(reduced.begin(), reduced.end());
  std::vector<int> loops = kept;
  loops.insert(loops.end(), reduced.begin(), reduced.end());
  int64_t volume = 1;
  for (const int64_t bound : values.BoundsOf(reduced)) {
    if (__builtin_mul_overflow(volume, bound, &volume) || volume > std::numeric_limits<int32_t>::max()) return false;
  }

  ComputationBuilder& b = lowering.builder();
  const PrimitiveType type = lowering.TypeOf(statement->load->type);
  std::vector<int64_t> merged = values.BoundsOf(kept);
  merged.push_back(volume);
  const auto last = static_cast<int64_t>(kept.size());
  XlaOp x = b.Reshape(values.Over(values.LoadOf(statement->plan, XlaOp()), loops), merged);
  const XlaOp places = b.Iota(xla::Shape::Array(S32, merged), last);
  const Operator op = statement->finds_least ? Operator::kMinimum : Operator::kMaximum;
  const Operator opposite = statement->finds_least ? Operator::kMaximum : Operator::kMinimum;
  const XlaOp worst = NeutralElement(&b, op, type);
  if (type != S32) {
    const XlaOp best = NeutralElement(&b, opposite, type);
    const XlaOp is_first = b.Eq(places, ScalarLike(places, 0));
    x = b.Select(b.Ne(x, x), b.Select(is_first, BroadcastLike(best, x), BroadcastLike(worst, x)), x);
  }
  const LoopArray exists = values.ExistenceOf(reduced);
  if (exists.array.valid()) {
    x = b.Select(b.Reshape(values.Over(exists, loops), merged), x, BroadcastLike(worst, x));
  }
  const XlaOp reduction = b.Reduce({x, places}, {worst, MaxValue(&b, S32)},
                                   BetterOf(b.op_metadata(), type, statement->finds_least), {last});
  XlaOp place = b.GetTupleElement(reduction, 1);
  // Taken apart into the indices of the reduced loops.
  std::vector<XlaOp> indices(nest.loops.size());
  for (size_t i = reduced.size(); i > 0; --i) {
    const int64_t bound = nest.loops[reduced[i - 1]].bound;
    if (!place.valid()) break;
    indices[reduced[i - 1]] = i == 1 ? place : b.Rem(place, ScalarLike(place, bound));
    if (i > 1) place = b.Div(place, ScalarLike(place, bound));
  }
  for (const int loop : statement->reduced) {
    results->push_back(ElementsOfTarget(statement->target, indices[loop]));
  }
  return true;
}

}  // namespace nnef2
}  // namespace xla
