#include "backends/kernel_ir/lowering/transpose_nest.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// What a block is wide: of the smallest elements as many as a cache line has, of others some more.
constexpr int64_t kBlock = 32;
constexpr int64_t kBlockOfBytes = 64;
constexpr int64_t kMostInStrip = 512;
// Loops of fewer iterations are not worth blocks, nor are elements that are close to each other.
constexpr int64_t kMinLoop = 16;
constexpr int64_t kMinStride = 16;

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

// Finds loads that are strided along the inner loop and contiguous along another one; blocks of both loops are then
// copied to scratch, transposed.
absl::optional<TransposePlan> FindTranspose(const Kernel& draft, const Nest& nest, const NestPlan& plan,
                                            const LoweringTarget& target) {
  const int depth = static_cast<int>(plan.rows.size());
  if (depth < 2 || !plan.rows_in_lanes || !plan.kept.empty() || draft.phases.empty()) return absl::nullopt;
  for (const NestTarget& t : nest.targets) {
    if (t.node.shape().ElementCount() != nest.rows) return absl::nullopt;
  }
  if (plan.rows.back() < kMinLoop) return absl::nullopt;
  std::vector<KernelValue> loops;
  if (InnermostLoop(draft, depth, &loops) == nullptr) return absl::nullopt;
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
  found.block = kBlock;
  for (const auto& strided : found.strided) {
    if (ByteWidth(draft.buffers[strided.first].type) == 1) found.block = kBlockOfBytes;
  }
  int64_t others = 1;
  for (int k = 0; k + 1 < depth; ++k) {
    if (k != found.k) others *= found.loops[k];
  }
  // Strips as wide as that leaves enough of them.
  const int64_t blocks = CeilDiv(found.loops[found.k], found.block);
  const int64_t most = std::min(blocks, kMostInStrip / found.block);
  found.blocks_in_strip = std::max<int64_t>(1, std::min(most, blocks * others / target.few_tiles));
  const int64_t strips = others * CeilDiv(blocks, found.blocks_in_strip);
  const int64_t elements_in_strip = found.blocks_in_strip * found.block * found.loops.back();
  found.strips_at_once =
      std::max<int64_t>({1, target.tile_cost / (2 * elements_in_strip), CeilDiv(strips, target.max_tiles)});
  return found;
}

namespace {

class TransposeWriter {
 public:
  TransposeWriter(const Nest& nest, const TransposePlan& plan, ElementEmitter& emitter)
      : nest_(nest),
        plan_(plan),
        emitter_(emitter),
        b_(emitter.builder()),
        depth_(static_cast<int>(plan.loops.size())),
        loops_(depth_, kNoValue) {}

  // Writes tiles of strips, each a row of blocks along k, at one place of all loops that are not transposed.
  void Write() {
    const int64_t strips_of_k = CeilDiv(BlocksOfK(), plan_.blocks_in_strip);
    int64_t strips = strips_of_k;
    for (int k = 0; k + 1 < depth_; ++k) {
      if (k != plan_.k) strips *= plan_.loops[k];
    }
    for (const auto& [buffer, stride] : plan_.strided) {
      scratch_.push_back(b_.AddScratch("block", b_.BufferType(buffer), plan_.block * plan_.block));
    }
    b_.Phase(CeilDiv(strips, plan_.strips_at_once), [&](KernelValue tile) {
      emitter_.BeginPhase();
      const KernelValue in_this = BlockExtent(b_, strips, plan_.strips_at_once, tile);
      b_.For(in_this, LoopSchedule::kPlain, false, [&](KernelValue in_tile) {
        KernelValue rest = b_.Affine({{plan_.strips_at_once, tile}, {1, in_tile}});
        const KernelValue strip = b_.Remainder(rest, strips_of_k);
        rest = b_.Quotient(rest, strips_of_k);
        for (int k = depth_ - 2; k >= 0; --k) {
          if (k == plan_.k) continue;
          loops_[k] = b_.Remainder(rest, plan_.loops[k]);
          rest = b_.Quotient(rest, plan_.loops[k]);
        }
        WriteStrip(strip);
      });
    });
  }

 private:
  int64_t BlocksOfK() const { return CeilDiv(plan_.loops[plan_.k], plan_.block); }

  void WriteStrip(KernelValue strip) {
    b_.For(b_.Index(CeilDiv(plan_.loops.back(), plan_.block)), LoopSchedule::kPlain, false, [&](KernelValue i_block) {
      const KernelValue extent = BlockExtent(b_, BlocksOfK(), plan_.blocks_in_strip, strip);
      b_.For(extent, LoopSchedule::kPlain, false, [&](KernelValue in_strip) {
        WriteBlock(b_.Affine({{plan_.blocks_in_strip, strip}, {1, in_strip}}), i_block);
      });
    });
  }

  // Writes one block of i and k with the emitter reading the strided arrays from their transposed blocks.
  void WriteBlock(KernelValue k_block, KernelValue i_block) {
    ElementEmitter::Block block;
    block.depth = b_.Depth();
    block.k_extent = BlockExtent(b_, plan_.loops[plan_.k], plan_.block, k_block);
    block.i_extent = BlockExtent(b_, plan_.loops.back(), plan_.block, i_block);
    for (size_t s = 0; s < plan_.strided.size(); ++s) {
      block.buffers.push_back({plan_.strided[s].first, plan_.strided[s].second, scratch_[s], kNoValue});
    }
    b_.For(block.k_extent, LoopSchedule::kPlain, true, [&](KernelValue k) {
      loops_[plan_.k] = b_.Affine({{plan_.block, k_block}, {1, k}});
      b_.For(block.i_extent, LoopSchedule::kVector, true, [&](KernelValue i) {
        loops_[depth_ - 1] = b_.Affine({{plan_.block, i_block}, {1, i}});
        block.k = k;
        block.i = i;
        emitter_.SetBlock(&block, plan_.block);
        WriteElement();
        emitter_.SetBlock(nullptr, 0);
      });
    });
  }

  void WriteElement() {
    ElementIndex index;
    for (int l = 0; l < depth_; ++l) index.push_back({plan_.loops[l], loops_[l]});
    const KernelValue place = emitter_.indices().Linear(index);
    std::vector<KernelValue> values;
    for (const NestTarget& target : nest_.targets) {
      values.push_back(emitter_.Emit(target.node, LogicalIndex(target, index, emitter_)));
    }
    for (size_t t = 0; t < values.size(); ++t) b_.Store(nest_.targets[t].buffer, place, values[t]);
  }

  const Nest& nest_;
  const TransposePlan& plan_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  const int depth_;
  std::vector<KernelValue> loops_;
  std::vector<int> scratch_;
};

}  // namespace

void WriteTranspose(const Nest& nest, const TransposePlan& plan, ElementEmitter& emitter) {
  TransposeWriter(nest, plan, emitter).Write();
}

}  // namespace xla
