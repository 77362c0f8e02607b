#include "backends/kernel_ir/lowering/register_tile.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "backends/kernel_ir/instruction_cost.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Sums of fewer elements have nothing to share.
constexpr int64_t kMinElements = 4;
// Tiles of one invocation each whose columns lie between each other's.
constexpr int64_t kNeighbours = 16;
// Lanes of a tile's sums where one invocation has all of them.
constexpr int64_t kMostLaneBytes = 4096;
// What is written out for each element of a tile, in scalar operations, must not make a kernel long to compile.
constexpr double kMostWritten = 6000;

int64_t PowerOfTwoUpTo(int64_t n) {
  int64_t power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

// Which loops of the nest a value depends on, as bits.
class LoopDependences {
 public:
  void SetLoop(KernelValue index, int loop) { loops_[index] |= 1u << loop; }

  void Follow(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) {
      unsigned loops = 0;
      for (const KernelValue operand : instruction.operands) loops |= Of(operand);
      for (const KernelRegion& nested : instruction.regions) {
        // State and what a reduce has combined may depend on all that the instruction does.
        Follow(nested);
        for (const KernelValue result : nested.results) loops |= Of(result);
      }
      for (const KernelValue result : instruction.results) loops_[result] |= loops;
    }
  }
  unsigned Of(KernelValue value) const {
    const auto found = loops_.find(value);
    return found == loops_.end() ? 0 : found->second;
  }

 private:
  absl::flat_hash_map<KernelValue, unsigned> loops_;
};

void CollectLoads(const KernelRegion& region, const LoopDependences& dependences, std::vector<unsigned>& loads) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kLoad) loads.push_back(dependences.Of(instruction.operands[0]));
    for (const KernelRegion& nested : instruction.regions) CollectLoads(nested, dependences, loads);
  }
}

// Of all that is written, whatever the loops around it.
double WrittenCostOf(const KernelRegion& region) {
  double cost = 0;
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.regions.empty()) cost += InstructionCost(instruction);
    for (const KernelRegion& nested : instruction.regions) cost += WrittenCostOf(nested);
  }
  return cost;
}

bool HasWhile(const KernelRegion& region) {
  return std::any_of(region.instructions.begin(), region.instructions.end(), [](const KernelInstruction& instruction) {
    return instruction.op == KernelOp::kWhile ||
           std::any_of(instruction.regions.begin(), instruction.regions.end(), HasWhile);
  });
}

int64_t ElementsOf(const KernelInstruction& reduce) {
  int64_t elements = 1;
  for (const int64_t extent : reduce.extents) elements *= extent;
  for (const KernelInstruction& nested : reduce.regions[0].instructions) {
    if (nested.op == KernelOp::kReduce) elements *= ElementsOf(nested);
  }
  return elements;
}

// As many as divide the loop, if most of them do; otherwise some are computed in vain at its end.
int64_t EachOf(int64_t size, int64_t most) {
  if (size <= most) return size;
  for (int64_t each = most; 2 * each > most; --each) {
    if (size % each == 0) return each;
  }
  return most;
}

}  // namespace

// Columns are those of the innermost loop, rows of the next loop outside of it that makes a difference: a load within
// the sums that one of the two loops moves must stay where it is in the other one, and the other way round.
absl::optional<RegisterTile> FindRegisterTile(const Kernel& draft, const Nest& nest, const NestPlan& plan,
                                              const LoweringTarget& target) {
  const int depth = static_cast<int>(plan.rows.size());
  constexpr int kMostLoops = 16;
  if (target.register_tile < 2 || depth < 2 || depth > kMostLoops || !plan.kept.empty() || draft.phases.empty()) {
    return absl::nullopt;
  }
  for (const NestTarget& t : nest.targets) {
    if (t.node.shape().ElementCount() != nest.rows) return absl::nullopt;
  }
  std::vector<KernelValue> loops;
  const KernelRegion* const region = InnermostLoop(draft, depth, &loops);
  if (region == nullptr) return absl::nullopt;
  LoopDependences dependences;
  for (int k = 0; k < depth; ++k) dependences.SetLoop(loops[k], k);
  dependences.Follow(draft.phases.back().body);
  if (HasWhile(*region)) return absl::nullopt;
  std::vector<unsigned> loads;
  int64_t lane_bytes = 0;  // of the lanes of a sum
  int64_t elements = 0;
  for (const KernelInstruction& instruction : region->instructions) {
    if (instruction.op != KernelOp::kReduce) continue;
    for (const KernelRegion& nested : instruction.regions) CollectLoads(nested, dependences, loads);
    for (const KernelValue result : instruction.results) {
      if (instruction.lanes > 1) lane_bytes += instruction.lanes * ByteWidth(draft.TypeOf(result));
    }
    elements = std::max(elements, ElementsOf(instruction));
  }
  if (elements < kMinElements) return absl::nullopt;
  const auto moves_one_only = [&](int moving, int staying) {
    return std::any_of(loads.begin(), loads.end(),
                       [&](unsigned loops) { return (loops >> moving & 1) != 0 && (loops >> staying & 1) == 0; });
  };
  RegisterTile tile;
  tile.loops = plan.rows;
  tile.columns.loop = depth - 1;
  tile.rows.loop = -1;
  for (int k = depth - 2; k >= 0 && tile.rows.loop < 0; --k) {
    if (moves_one_only(k, depth - 1) && moves_one_only(depth - 1, k)) tile.rows.loop = k;
  }
  if (tile.rows.loop < 0) return absl::nullopt;
  int64_t most = target.register_tile;
  const double cost = WrittenCostOf(*region);
  tile.invocations_are_tiles = target.invocations == 1;
  const int64_t most_lane_bytes = tile.invocations_are_tiles ? kMostLaneBytes : target.shared_bytes;
  while (most > 1 &&
         (static_cast<double>(most * most) * cost > kMostWritten || most * most * lane_bytes > most_lane_bytes)) {
    most /= 2;
  }
  const int64_t rows = plan.rows[tile.rows.loop];
  const int64_t columns = plan.rows[tile.columns.loop];
  tile.rows.each = EachOf(rows, most);
  tile.columns.each = EachOf(columns, most);
  if (tile.rows.each * tile.columns.each < 2) return absl::nullopt;
  // Lanes take all invocations.
  if (lane_bytes > 0 && !tile.invocations_are_tiles) return tile;
  const int64_t neighbours = tile.invocations_are_tiles ? kNeighbours : target.invocations;
  tile.columns.invocations = PowerOfTwoUpTo(std::min(CeilDiv(columns, tile.columns.each), neighbours));
  if (tile.invocations_are_tiles) return tile;
  tile.rows.invocations =
      PowerOfTwoUpTo(std::min(CeilDiv(rows, tile.rows.each), target.invocations / tile.columns.invocations));
  return tile;
}

namespace {

class TileWriter {
 public:
  TileWriter(const Nest& nest, const RegisterTile& tile, ElementEmitter& emitter)
      : nest_(nest), tile_(tile), emitter_(emitter), b_(emitter.builder()), loops_(tile.loops.size(), kNoValue) {}

  void Write() {
    std::vector<int64_t> counts = tile_.loops;  // of tiles, by loop
    counts[tile_.rows.loop] = CeilDiv(counts[tile_.rows.loop], tile_.rows.tile());
    counts[tile_.columns.loop] = CeilDiv(counts[tile_.columns.loop], tile_.columns.tile());
    int64_t all = 1;
    for (const int64_t count : counts) all *= count;
    const int64_t invocations = tile_.rows.invocations * tile_.columns.invocations;
    const int64_t in_number = tile_.invocations_are_tiles ? invocations : 1;
    b_.Phase(all * in_number, [&](KernelValue number) {
      emitter_.BeginPhase();
      KernelValue rest = b_.Quotient(number, in_number);
      for (size_t k = counts.size(); k-- > 0;) {
        loops_[k] = k == 0 ? rest : b_.Remainder(rest, counts[k]);
        if (k > 0) rest = b_.Quotient(rest, counts[k]);
      }
      if (invocations == in_number) return WriteElements(b_.Remainder(number, in_number));
      b_.For(b_.Index(invocations), LoopSchedule::kPlain, true, [&](KernelValue i) { WriteElements(i); });
    });
  }

 private:
  void WriteElements(KernelValue invocation) {
    const KernelValue across = b_.Remainder(invocation, tile_.columns.invocations);
    const KernelValue down = b_.Quotient(invocation, tile_.columns.invocations);
    b_.For(b_.Index(tile_.rows.each), LoopSchedule::kUnroll, true, [&](KernelValue i) {
      b_.For(b_.Index(tile_.columns.each), LoopSchedule::kUnroll, true, [&](KernelValue j) {
        std::vector<KernelValue> loops = loops_;
        KernelValue is_there = kNoValue;
        const auto place = [&](const RegisterTile::Cut& cut, KernelValue within) {
          const int64_t size = tile_.loops[cut.loop];
          KernelValue index = b_.Affine({{cut.tile(), loops_[cut.loop]}, {1, within}});
          const KernelValue is_inside = b_.InRange(index, 0, size - 1);
          if (is_inside != kNoValue) {
            index = b_.AsIndex(b_.Binary(HloOpcode::kMinimum, index, b_.Index(size - 1)), 0, size - 1);
            is_there = b_.And(is_there, is_inside);
          }
          loops[cut.loop] = index;
        };
        place(tile_.rows, b_.Affine({{tile_.rows.each, down}, {1, i}}));
        place(tile_.columns, b_.Affine({{tile_.columns.invocations, j}, {1, across}}));
        WriteElement(loops, is_there);
      });
    });
  }

  void WriteElement(const std::vector<KernelValue>& loops, KernelValue is_there) {
    ElementIndex index;
    for (size_t k = 0; k < loops.size(); ++k) index.push_back({tile_.loops[k], loops[k]});
    const KernelValue place = emitter_.indices().Linear(index);
    emitter_.SetRow(place, nest_.rows);
    std::vector<std::pair<int, KernelValue>> values;
    for (const NestTarget& target : nest_.targets) {
      values.push_back({target.buffer, emitter_.Emit(target.node, LogicalIndex(target, index, emitter_))});
    }
    for (const auto& [buffer, value] : values) b_.Store(buffer, place, value, is_there);
  }

  const Nest& nest_;
  const RegisterTile& tile_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  std::vector<KernelValue> loops_;  // of the tile
};

}  // namespace

void WriteRegisterTile(const Nest& nest, const RegisterTile& tile, ElementEmitter& emitter) {
  TileWriter(nest, tile, emitter).Write();
}

}  // namespace xla
