#include "backends/kernel_ir/lowering/transpose_nest.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

constexpr int64_t kBlock = 32;
// Loops of fewer iterations are not worth blocks, nor are elements that are close to each other.
constexpr int64_t kMinLoop = 16;
constexpr int64_t kMinStride = 16;

int64_t Blocks(int64_t size) { return (size + kBlock - 1) / kBlock; }

// The coefficient of each loop in an element number: of affine sums of loop indices, which a draft with whole loops
// has.
using Coefficients = absl::flat_hash_map<KernelValue, int64_t>;

Coefficients CoefficientsOf(KernelValue element,
                            const absl::flat_hash_map<KernelValue, const KernelInstruction*>& made) {
  const auto found = made.find(element);
  if (found == made.end()) return {{element, 1}};
  Coefficients coefficients;
  if (found->second->op != KernelOp::kAffine) return coefficients;
  for (size_t i = 0; i < found->second->operands.size(); ++i) {
    coefficients[found->second->operands[i]] += found->second->coefficients[i];
  }
  return coefficients;
}

void CollectMade(const KernelRegion& region, absl::flat_hash_map<KernelValue, const KernelInstruction*>& made,
                 std::vector<const KernelInstruction*>& loads) {
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelValue result : instruction.results) made[result] = &instruction;
    if (instruction.op == KernelOp::kLoad && instruction.operands.size() == 1) loads.push_back(&instruction);
    for (const KernelRegion& nested : instruction.regions) CollectMade(nested, made, loads);
  }
}

}  // namespace

absl::optional<TransposePlan> FindTranspose(const Kernel& draft, const Nest& nest, const NestPlan& plan,
                                            const LoweringTarget& target) {
  const int depth = static_cast<int>(plan.rows.size());
  if (depth < 2 || !plan.rows_in_lanes || !plan.kept.empty() || draft.phases.empty()) return absl::nullopt;
  for (const NestTarget& t : nest.targets) {
    if (t.node.shape().ElementCount() != nest.rows) return absl::nullopt;
  }
  if (plan.rows.back() < kMinLoop) return absl::nullopt;
  // The indices of the loops.
  std::vector<KernelValue> loops;
  const KernelRegion* region = &draft.phases.back().body;
  for (int k = 0; k < depth; ++k) {
    const auto loop = std::find_if(region->instructions.begin(), region->instructions.end(),
                                   [](const KernelInstruction& i) { return i.op == KernelOp::kFor; });
    if (loop == region->instructions.end()) return absl::nullopt;
    region = &loop->regions[0];
    loops.push_back(region->arguments[0]);
  }
  absl::flat_hash_map<KernelValue, const KernelInstruction*> made;
  std::vector<const KernelInstruction*> loads;
  CollectMade(draft.phases.back().body, made, loads);
  TransposePlan found;
  found.k = -1;
  for (const KernelInstruction* load : loads) {
    const Coefficients coefficients = CoefficientsOf(load->operands[0], made);
    const auto i = coefficients.find(loops.back());
    if (i == coefficients.end() || i->second < kMinStride) continue;
    for (int k = 0; k + 1 < depth; ++k) {
      const auto along = coefficients.find(loops[k]);
      if (along == coefficients.end() || along->second != 1 || plan.rows[k] < kMinLoop) continue;
      if (found.k >= 0 && found.k != k) continue;
      found.k = k;
      const std::pair<int, int64_t> strided = {load->buffer, i->second};
      if (std::find(found.strided.begin(), found.strided.end(), strided) == found.strided.end()) {
        found.strided.push_back(strided);
      }
    }
  }
  if (found.k < 0) return absl::nullopt;
  found.loops = plan.rows;
  int64_t strips = Blocks(found.loops[found.k]);
  for (int k = 0; k + 1 < depth; ++k) {
    if (k != found.k) strips *= found.loops[k];
  }
  found.strips_at_once = std::max<int64_t>(
      {1, target.tile_cost / (2 * kBlock * found.loops.back()), (strips + target.max_tiles - 1) / target.max_tiles});
  return found;
}

void WriteTranspose(const Nest& nest, const TransposePlan& plan, ElementEmitter& emitter) {
  KernelBuilder& b = emitter.builder();
  const int depth = static_cast<int>(plan.loops.size());
  const int64_t k_blocks = Blocks(plan.loops[plan.k]);
  int64_t strips = k_blocks;
  for (int k = 0; k + 1 < depth; ++k) {
    if (k != plan.k) strips *= plan.loops[k];
  }
  std::vector<int> scratch;
  for (const auto& [buffer, stride] : plan.strided) {
    scratch.push_back(b.AddScratch("block", b.BufferType(buffer), kBlock * kBlock));
  }
  const int64_t tiles = (strips + plan.strips_at_once - 1) / plan.strips_at_once;
  b.Phase(tiles, [&](KernelValue tile) {
    emitter.BeginPhase();
    b.For(BlockExtent(b, strips, plan.strips_at_once, tile), LoopSchedule::kPlain, false, [&](KernelValue in_tile) {
      KernelValue rest = b.Affine({{plan.strips_at_once, tile}, {1, in_tile}});
      std::vector<KernelValue> loops(depth, kNoValue);
      const KernelValue k_block = b.Remainder(rest, k_blocks);
      rest = b.Quotient(rest, k_blocks);
      for (int k = depth - 2; k >= 0; --k) {
        if (k == plan.k) continue;
        loops[k] = b.Remainder(rest, plan.loops[k]);
        rest = b.Quotient(rest, plan.loops[k]);
      }
      b.For(b.Index(Blocks(plan.loops.back())), LoopSchedule::kPlain, false, [&](KernelValue i_block) {
        const KernelValue k_extent = BlockExtent(b, plan.loops[plan.k], kBlock, k_block);
        const KernelValue i_extent = BlockExtent(b, plan.loops.back(), kBlock, i_block);
        ElementEmitter::Block block;
        block.depth = b.Depth();
        block.k_extent = k_extent;
        block.i_extent = i_extent;
        for (size_t s = 0; s < plan.strided.size(); ++s) {
          block.buffers.push_back({plan.strided[s].first, plan.strided[s].second, scratch[s], kNoValue});
        }
        b.For(k_extent, LoopSchedule::kPlain, true, [&](KernelValue k) {
          loops[plan.k] = b.Affine({{kBlock, k_block}, {1, k}});
          b.For(i_extent, LoopSchedule::kVector, true, [&](KernelValue i) {
            loops[depth - 1] = b.Affine({{kBlock, i_block}, {1, i}});
            block.k = k;
            block.i = i;
            emitter.SetBlock(&block, kBlock);
            ElementIndex index;
            for (int l = 0; l < depth; ++l) index.push_back({plan.loops[l], loops[l]});
            const KernelValue place = emitter.indices().Linear(index);
            std::vector<KernelValue> values;
            for (const NestTarget& target : nest.targets) {
              values.push_back(emitter.Emit(target.node, LogicalIndex(target, index, emitter)));
            }
            for (size_t t = 0; t < values.size(); ++t) b.Store(nest.targets[t].buffer, place, values[t]);
            emitter.SetBlock(nullptr, 0);
          });
        });
      });
    });
  });
}

}  // namespace xla
