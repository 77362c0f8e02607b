#include "tests/partitioning/random_shardings.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "passes/analyses/shape_leaves.h"
#include "passes/partitioning/read_sharding.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

class ShardingSource {
 public:
  ShardingSource(int64_t devices, uint64_t seed) : devices_(devices), random_(seed) {
    for (int64_t rest = devices, prime = 2; rest > 1;) {
      if (rest % prime != 0) {
        ++prime;
        continue;
      }
      axes_.push_back(prime);
      rest /= prime;
    }
  }

  bool OneIn(int n) { return random_() % n == 0; }

  // Gives each axis of the mesh to a dimension, or to none.
  Sharding For(const Shape& array) {
    std::vector<int64_t> order(devices_);
    std::iota(order.begin(), order.end(), int64_t{0});
    if (OneIn(6)) std::shuffle(order.begin(), order.end(), random_);
    ArrayTiling tiling = WholeTiling(array.rank());
    int64_t stride = devices_;
    for (const int64_t axis : axes_) {
      stride /= axis;
      if (array.rank() == 0 || OneIn(3)) continue;
      DimensionTiling& dimension = tiling[random_() % array.rank()];
      std::vector<int64_t> coordinates(devices_);
      for (int64_t i = 0; i < devices_; ++i) {
        coordinates[order[i]] = dimension.CoordinateOf(order[i]) * axis + i / stride % axis;
      }
      dimension = MakeDimensionTiling(dimension.tiles * axis, std::move(coordinates));
    }
    return WriteSharding(tiling, devices_);
  }

 private:
  const int64_t devices_;
  std::mt19937_64 random_;
  std::vector<int64_t> axes_;
};

bool IsOfProgram(const HloComputation& computation, const HloModule& module) {
  const auto callers = computation.callers();
  return &computation == module.entry() ||
         std::any_of(callers.begin(), callers.end(), [](const HloInstruction* caller) {
           return HasTrait(caller->opcode(), opcode_trait::kControlFlow);
         });
}

}  // namespace

void AnnotateRandomly(HloModule& module, int64_t devices, uint64_t seed) {
  ShardingSource source(devices, seed);
  for (const auto& computation : module.computations()) {
    if (!IsOfProgram(*computation, module)) continue;
    for (const auto& instruction : computation->instructions()) {
      instruction->mutable_annotations().sharding.reset();
      if (source.OneIn(2)) continue;
      std::vector<const Shape*> leaves;
      AppendLeafShapes(instruction->shape(), &leaves);
      Sharding tuple;
      tuple.type = Sharding::Type::kTuple;
      for (const Shape* leaf : leaves) tuple.tuple.push_back(source.For(*leaf));
      if (leaves.empty()) continue;
      instruction->mutable_annotations().sharding = instruction->shape().IsTuple() ? tuple : tuple.tuple[0];
    }
  }
}

}  // namespace xla
