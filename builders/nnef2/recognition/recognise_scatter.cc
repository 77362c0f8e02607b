// Scatters: places that data, or anything but plain loops, determine.
//
//   y[k[i,],j] := x[i,j]      rows of x replace rows of y, the last one of several for a row
//   y[k[i,],j] += x[i,j]      rows of x are added to rows of y
//
// A dimension that one loop counts through from its beginning to its end, and no other index, guard or condition
// depends on, is part of what is scattered at a time, the window. The other loops number the windows in their order,
// which is that in which HLO combines them. A window that does not lie in the array, or that a guard or the condition
// leaves out, is dropped.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/general_form.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

struct ScatterPlan {
  std::vector<int64_t> extents;   // of the target
  std::vector<size_t> window;     // its dimensions that windows have, rising
  std::vector<size_t> scattered;  // the others, rising
  std::vector<int> window_loops;  // by dimension of the window
  std::vector<int> places;        // the loops that number windows, rising
  std::vector<int> summed;        // loops that only values depend on, of accumulations
};

// Loops on which it depends whether an iteration takes place.
std::vector<int> MaskLoops(const StatementNest& nest) {
  std::vector<int> loops;
  const auto add = [&](const NestNode* node) { loops.insert(loops.end(), node->loops.begin(), node->loops.end()); };
  for (const NestGuard& guard : nest.guards) {
    add(guard.index);
    add(guard.extent);
  }
  if (nest.condition != nullptr) add(nest.condition);
  return loops;
}

// Whether dimension d of the target is one of windows.
bool IsOfWindow(const NestLowering& lowering, const StatementNest& nest, const std::vector<int>& mask_loops, size_t d,
                int64_t extent) {
  const NestNode& index = *nest.indices[d];
  if (index.kind != NestNode::Kind::kLoop || Contains(mask_loops, index.loop)) return false;
  const NestLoop& loop = nest.loops[index.loop];
  if (loop.bound != extent || !(loop.extent == lowering.tensor(nest.targets[0]).shape[d])) return false;
  for (size_t other = 0; other < nest.indices.size(); ++other) {
    if (other != d && Contains(nest.indices[other]->loops, index.loop)) return false;
  }
  return true;
}

absl::optional<ScatterPlan> PlanScatter(const NestLowering& lowering, const StatementNest& nest) {
  if (nest.targets.size() != 1 || nest.target_item != nullptr) return absl::nullopt;
  ScatterPlan plan;
  plan.extents = lowering.BoundsOf(nest.targets[0]);
  if (std::count(plan.extents.begin(), plan.extents.end(), 0) > 0) return absl::nullopt;
  const std::vector<int> mask_loops = MaskLoops(nest);
  std::vector<int> placed = mask_loops;
  for (size_t d = 0; d < plan.extents.size(); ++d) {
    const NestNode& index = *nest.indices[d];
    if (IsOfWindow(lowering, nest, mask_loops, d, plan.extents[d])) {
      plan.window.push_back(d);
      plan.window_loops.push_back(index.loop);
    } else {
      plan.scattered.push_back(d);
      placed.insert(placed.end(), index.loops.begin(), index.loops.end());
    }
  }
  if (plan.scattered.empty()) return absl::nullopt;
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    if (RunsOnce(nest.loops[i]) || Contains(plan.window_loops, i)) continue;
    // Values of which the last one counts are not summed before.
    const bool is_place = Contains(placed, i) || !Accumulates(nest.op);
    (is_place ? plan.places : plan.summed).push_back(i);
  }
  return plan;
}

std::vector<int> LoopsInNestOrder(const StatementNest& nest) {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) order.push_back(i);
  return order;
}

bool FitsLimit(const std::vector<int64_t>& extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(volume, extent, &volume) || volume > kMaxIterations) return false;
  }
  return true;
}

class ScatterEmitter {
 public:
  ScatterEmitter(NestLowering* lowering, const StatementNest& nest, const ScatterPlan& plan, LoopValues* values)
      : lowering_(*lowering), b_(lowering->builder()), nest_(nest), plan_(plan), values_(*values) {}

  // The target after the statement; `target`: before it.
  XlaOp Emit(XlaOp target) {
    const PrimitiveType type = lowering_.TypeOf(nest_.type);
    const bool sums = nest_.op == Operator::kAdd || nest_.op == Operator::kMultiply;
    const PrimitiveType sum_type = sums ? SumType(type) : type;
    ScatterDimensionNumbers numbers;
    numbers.index_vector_dim = static_cast<int64_t>(plan_.places.size());
    for (const size_t d : plan_.scattered) {
      numbers.inserted_window_dims.push_back(static_cast<int64_t>(d));
      numbers.scatter_dims_to_operand_dims.push_back(static_cast<int64_t>(d));
    }
    for (size_t i = 0; i < plan_.window.size(); ++i) {
      numbers.update_window_dims.push_back(static_cast<int64_t>(plan_.places.size() + i));
    }
    const XlaOp result =
        b_.Scatter(ConvertTo(target, sum_type), Indices(), Updates(sum_type), Combiner(sum_type), numbers);
    return ConvertTo(result, type);
  }

 private:
  // Where windows begin, [places.., scattered dimensions]; those that are dropped at -1.
  XlaOp Indices() {
    LoopArray mask = values_.Mask();
    mask = values_.And(mask, values_.ExistenceOf(plan_.places));
    std::vector<int64_t> column = values_.BoundsOf(plan_.places);
    column.push_back(1);
    std::vector<XlaOp> columns;
    for (const size_t d : plan_.scattered) {
      LoopArray index = values_.ValueOf(*nest_.indices[d]);
      if (columns.empty() && mask.array.valid()) index = values_.Choose(mask, index, {values_.Number(S32, -1), {}});
      columns.push_back(b_.Reshape(values_.Over(index, plan_.places), column));
    }
    return columns.size() == 1 ? columns[0] : b_.ConcatInDim(columns, static_cast<int64_t>(plan_.places.size()));
  }

  // The windows, [places.., window].
  XlaOp Updates(PrimitiveType sum_type) {
    std::vector<int> loops = plan_.places;
    for (const int loop : plan_.window_loops) {
      if (!RunsOnce(nest_.loops[loop])) loops.push_back(loop);
    }
    LoopArray value = values_.ValueOf(*nest_.values[0]);
    value.array = ConvertTo(value.array, sum_type);
    if (!plan_.summed.empty()) value = Summed(value, loops, sum_type);
    const XlaOp updates = values_.Over(value, loops);
    // Dimensions of one element are no loops.
    std::vector<int64_t> extents = values_.BoundsOf(plan_.places);
    for (const int loop : plan_.window_loops) extents.push_back(nest_.loops[loop].bound);
    return extents.size() == loops.size() ? updates : b_.Reshape(updates, extents);
  }

  // The values of all iterations of loops that have no place of their own, accumulated.
  LoopArray Summed(LoopArray value, std::vector<int> loops, PrimitiveType sum_type) {
    const XlaOp neutral = NeutralElement(&b_, nest_.op, sum_type);
    const LoopArray exists = values_.ExistenceOf(plan_.summed);
    if (exists.array.valid()) value = values_.Choose(exists, value, {neutral, {}});
    std::vector<int64_t> dimensions;
    for (size_t i = 0; i < plan_.summed.size(); ++i) dimensions.push_back(static_cast<int64_t>(loops.size() + i));
    std::vector<int> all = loops;
    all.insert(all.end(), plan_.summed.begin(), plan_.summed.end());
    return {b_.Reduce(values_.Over(value, all), neutral, CombinerOf(nest_.op, sum_type), dimensions), loops};
  }

  // (what is there, what comes) -> what is there then.
  XlaComputation Combiner(PrimitiveType type) {
    if (Accumulates(nest_.op)) return CombinerOf(nest_.op, type);
    ComputationBuilder b("replace");
    b.set_keep_source_locations(false);
    b.SetOpMetadata(b_.op_metadata());
    b.Parameter(0, xla::Shape::Scalar(type), "old");
    return b.BuildOrError(b.Parameter(1, xla::Shape::Scalar(type), "new"));
  }

  NestLowering& lowering_;
  ComputationBuilder& b_;
  const StatementNest& nest_;
  const ScatterPlan& plan_;
  LoopValues& values_;
};

}  // namespace

XlaOp RecogniseScatter(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  const absl::optional<ScatterPlan> plan = PlanScatter(lowering, nest);
  if (!plan.has_value()) return XlaOp();
  LoopValues values(&lowering, nest, LoopsInNestOrder(nest));
  if (!values.Plan(*nest.values[0]) || !values.PlanMask()) return XlaOp();
  for (const size_t d : plan->scattered) {
    if (!values.Plan(*nest.indices[d])) return XlaOp();
  }
  // The general form refuses more.
  if (!FitsLimit(values.BoundsOf(LoopsInNestOrder(nest)))) return XlaOp();
  const XlaOp target = start.is_given() ? start.Whole(&lowering, nest) : NeutralArray(lowering, nest, plan->extents);
  return ScatterEmitter(&lowering, nest, *plan, &values).Emit(target);
}

}  // namespace nnef2
}  // namespace xla
