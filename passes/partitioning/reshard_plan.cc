#include "passes/partitioning/reshard_plan.h"

#include <utility>

namespace xla {
namespace {

// Whether each device's fine tile lies within its coarse one: elements `size` of the dimension in all.
bool IsWithin(const DimensionTiling& fine, const DimensionTiling& coarse, int64_t size) {
  if (coarse.is_whole()) return true;
  if (fine.tiles % coarse.tiles != 0) return false;
  const int64_t ratio = fine.tiles / coarse.tiles;
  if (ShardSize(size, fine) * ratio != ShardSize(size, coarse)) return false;
  for (size_t device = 0; device < fine.coordinates->size(); ++device) {
    const int64_t d = static_cast<int64_t>(device);
    if (fine.CoordinateOf(d) / ratio != coarse.CoordinateOf(d)) return false;
  }
  return true;
}

bool HaveSameTileCounts(const ArrayTiling& a, const ArrayTiling& b) {
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].tiles != b[k].tiles) return false;
  }
  return true;
}

class Planner {
 public:
  Planner(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape, const DeviceScope& scope)
      : now_(from), to_(to), shape_(shape), scope_(scope) {}

  std::vector<ReshardStep> Plan() {
    if (PermuteIfThatIsAll()) return std::move(steps_);
    CutWhatIsHere();
    for (size_t k = 0; k < now_.size(); ++k) {
      if (!now_[k].is_whole() && now_[k].tiles != to_[k].tiles) Coarsen(k);
    }
    if (PermuteIfThatIsAll()) return std::move(steps_);
    for (size_t k = 0; k < now_.size(); ++k) {
      if (!now_[k].is_whole() && now_[k] != to_[k]) Gather(k, DimensionTiling());
    }
    // Every dimension is whole or as wanted now, so that all cuts are even.
    CutWhatIsHere();
    return std::move(steps_);
  }

 private:
  void Step(ReshardStep::Kind kind, size_t dimension = 0, size_t other = 0) {
    steps_.push_back({kind, static_cast<int>(dimension), static_cast<int>(other), now_});
  }

  bool PermuteIfThatIsAll() {
    if (!HaveSameTileCounts(now_, to_)) return false;
    if (now_ == to_) return true;
    now_ = to_;
    Step(ReshardStep::Kind::kPermute);
    return true;
  }

  void CutWhatIsHere() {
    for (size_t k = 0; k < now_.size(); ++k) {
      const int64_t size = shape_.dimension(static_cast<int>(k));
      if (now_[k] == to_[k] || to_[k].is_whole() || !IsWithin(to_[k], now_[k], size)) continue;
      ArrayTiling cut = now_;
      cut[k] = to_[k];
      // If it is not even, tiles would be lost that no device has any more.
      if (!IsEven(cut, scope_)) continue;
      now_ = std::move(cut);
      Step(ReshardStep::Kind::kCut, k);
    }
  }

  void Coarsen(size_t k) {
    if (to_[k].is_whole() && Exchange(k)) return;
    const bool is_part_enough = !to_[k].is_whole() && IsWithin(now_[k], to_[k], shape_.dimension(static_cast<int>(k)));
    Gather(k, is_part_enough ? to_[k] : DimensionTiling());
  }

  bool Exchange(size_t k) {
    for (size_t j = 0; j < now_.size(); ++j) {
      if (!now_[j].is_whole() || to_[j].tiles != now_[k].tiles) continue;
      std::swap(now_[j], now_[k]);
      Step(ReshardStep::Kind::kExchange, k, j);
      return true;
    }
    return false;
  }

  void Gather(size_t k, DimensionTiling coarse) {
    now_[k] = std::move(coarse);
    Step(ReshardStep::Kind::kGather, k);
  }

  ArrayTiling now_;
  const ArrayTiling& to_;
  const Shape& shape_;
  const DeviceScope& scope_;
  std::vector<ReshardStep> steps_;
};

}  // namespace

std::vector<ReshardStep> PlanReshard(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape,
                                     const DeviceScope& scope) {
  return Planner(from, to, shape, scope).Plan();
}

namespace {

// That a device receives in the step.
int64_t StepBytes(const ReshardStep& step, const ArrayTiling& before, const Shape& shape) {
  const int64_t shard = ShardShape(shape, before).ByteSize();
  switch (step.kind) {
    case ReshardStep::Kind::kCut:
      return 0;
    case ReshardStep::Kind::kGather:
      return shard * (before[step.dimension].tiles / step.after[step.dimension].tiles - 1);
    case ReshardStep::Kind::kExchange:
      return shard - shard / before[step.dimension].tiles;
    case ReshardStep::Kind::kPermute:
      return shard;
  }
  return 0;
}

// Which devices exchange something in the step, as far as links are concerned.
std::vector<std::vector<int64_t>> StepGroups(const ReshardStep& step, const ArrayTiling& before,
                                             const DeviceScope& scope) {
  if (step.kind != ReshardStep::Kind::kPermute) return GroupsAlong(before, {step.dimension}, scope);
  std::vector<std::vector<int64_t>> pairs;
  for (const auto& [source, target] : ShardMoves(before, step.after, scope)) {
    if (source != target) pairs.push_back({source, target});
  }
  return pairs;
}

}  // namespace

int64_t ReshardBytes(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape, const DeviceScope& scope) {
  if (from == to) return 0;
  int64_t bytes = 0;
  const ArrayTiling* before = &from;
  const std::vector<ReshardStep> steps = PlanReshard(from, to, shape, scope);
  for (const ReshardStep& step : steps) {
    bytes += StepBytes(step, *before, shape);
    before = &step.after;
  }
  return bytes;
}

double ReshardCost(const ArrayTiling& from, const ArrayTiling& to, const Shape& shape, const DeviceScope& scope,
                   const ByteCost& cost) {
  if (!cost) return static_cast<double>(ReshardBytes(from, to, shape, scope));
  if (from == to) return 0;
  double all = 0;
  const ArrayTiling* before = &from;
  const std::vector<ReshardStep> steps = PlanReshard(from, to, shape, scope);
  for (const ReshardStep& step : steps) {
    const int64_t bytes = StepBytes(step, *before, shape);
    if (bytes > 0) all += static_cast<double>(bytes) * cost(StepGroups(step, *before, scope));
    before = &step.after;
  }
  return all;
}

}  // namespace xla
