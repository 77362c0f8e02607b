#include "builders/nnef2/recognition/load_plan.h"

#include <algorithm>
#include <utility>

namespace xla {
namespace nnef2 {
namespace {

// Padding of a dimension, in its extents.
constexpr int64_t kMaxPaddingFactor = 4;
// A padded array has at most that many elements.
constexpr int64_t kMaxPaddedVolume = int64_t{1} << 28;

class LoadPlanner {
 public:
  LoadPlanner(const NestLowering& lowering, const StatementNest& nest, const NestNode& load)
      : lowering_(lowering), nest_(nest), uses_(nest.loops.size(), 0) {
    plan_.load = &load;
  }

  bool AddAxis(const NestNode& index, int64_t extent, bool is_dynamic) {
    LoadAxis axis;
    axis.extent = extent;
    const bool is_guarded = !is_dynamic && IsGuarded(nest_, index, Scalar::Int(extent));
    if (!Counts(index, &axis)) {
      if (!is_dynamic && MovesInPieces(index, &axis)) {
        plan_.axes.push_back(std::move(axis));
        return true;
      }
      axis.gathers = true;
      axis.index = &index;
      // Gathers move what is out of the array inside, as the general form does. Indices from data have been kept
      // inside of dynamic dimensions before.
      if (extent == 0) return false;
    } else if (axis.move.by == nullptr) {
      axis.low = std::max<int64_t>(-axis.counting.lowest(), 0);
      axis.high = std::max<int64_t>(axis.counting.highest() - (extent - 1), 0);
      if ((axis.low > 0 || axis.high > 0) && !is_guarded) return false;
      // Of what a guard leaves out, no more is written down than there is otherwise.
      const int64_t most = kMaxPaddingFactor * std::max(axis.counting.count, extent);
      if (axis.low > most || axis.high > most) return false;
    }
    plan_.axes.push_back(std::move(axis));
    return true;
  }

  LoadPlan Take() { return std::move(plan_); }

 private:
  // Whether it counts, with loops that no index before it has, and stays inside wherever it is moved to.
  bool Counts(const NestNode& index, LoadAxis* axis) {
    absl::optional<MovedIndex> moved = MovedIndexOf(index, nest_.loops.size());
    if (!moved.has_value()) return false;
    const absl::optional<CountingIndex> found = CountingOf(moved->affine, nest_.loops);
    if (!found.has_value()) return false;
    if (moved->by != nullptr &&
        (found->lowest() + moved->least() < 0 || found->highest() + moved->greatest() >= axis->extent)) {
      return false;
    }
    for (const int loop : found->loops) {
      if (uses_[loop]++ > 0) return false;
    }
    axis->counting = *found;
    axis->move = *std::move(moved);
    return true;
  }

  // Whether it moves through the dimension in pieces, or repeats its elements, with a loop that no index before it has.
  bool MovesInPieces(const NestNode& index, LoadAxis* axis) {
    const PrimitiveType real_type = lowering_.TypeOf(BaseType::kReal);
    axis->pieces = PiecesOf(nest_, index, axis->extent, real_type);
    if (axis->pieces.empty()) axis->repeats = std::max<int64_t>(RepeatsOf(nest_, index, axis->extent, real_type), 1);
    if (!axis->is_rearranged()) return false;
    CountingIndex counting;
    for (const int loop : index.loops) {
      if (!RunsOnce(nest_.loops[loop])) counting.loops.push_back(loop);
    }
    counting.count = nest_.loops[counting.loops[0]].bound;
    if (uses_[counting.loops[0]]++ > 0) {
      axis->pieces.clear();
      axis->repeats = 1;
      return false;
    }
    axis->counting = std::move(counting);
    return true;
  }

  const NestLowering& lowering_;
  const StatementNest& nest_;
  std::vector<int> uses_;  // by loop
  LoadPlan plan_;
};

}  // namespace

bool LoadPlan::gathers() const {
  return std::any_of(axes.begin(), axes.end(), [](const LoadAxis& axis) { return axis.gathers; });
}

bool LoadPlan::has_padding() const {
  return std::any_of(axes.begin(), axes.end(), [](const LoadAxis& axis) { return axis.low > 0 || axis.high > 0; });
}

bool IsGuarded(const StatementNest& nest, const NestNode& index, const Scalar& extent) {
  return std::any_of(nest.guards.begin(), nest.guards.end(), [&](const NestGuard& guard) {
    return guard.index == &index && guard.extent->kind == NestNode::Kind::kScalar && guard.extent->scalar == extent;
  });
}

absl::optional<LoadPlan> PlanLoad(const NestLowering& lowering, const StatementNest& nest, const NestNode& load) {
  if (load.tensors.empty()) return absl::nullopt;
  const std::vector<int64_t> bounds = lowering.BoundsOf(load.tensors[0]);
  LoadPlanner planner(lowering, nest, load);
  if (load.item != nullptr) {
    // The items are stacked, which pads those that are smaller.
    for (const int tensor : load.tensors) {
      if (lowering.BoundsOf(tensor) != bounds) return absl::nullopt;
    }
    if (!planner.AddAxis(*load.item, static_cast<int64_t>(load.tensors.size()), /*is_dynamic=*/false)) {
      return absl::nullopt;
    }
  } else if (load.tensors.size() != 1) {
    return absl::nullopt;
  }
  const Shape& shape = lowering.tensor(load.tensors[0]).shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!planner.AddAxis(*load.operands[d], bounds[d], shape[d].kind != Scalar::Kind::kInt)) return absl::nullopt;
  }
  LoadPlan plan = planner.Take();
  int64_t volume = 1;
  for (const LoadAxis& axis : plan.axes) {
    const bool fits = !__builtin_mul_overflow(volume, axis.low + axis.extent + axis.high, &volume);
    if (plan.has_padding() && (!fits || volume > kMaxPaddedVolume)) return absl::nullopt;
  }
  return plan;
}

}  // namespace nnef2
}  // namespace xla
