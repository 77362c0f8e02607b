#include "backends/kernel_ir/lowering/spill_scratch.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/workgroups.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// What all tiles of a phase may take of memory for what should be near them.
constexpr int64_t kMostWorkspaceBytes = int64_t{1} << 30;

bool IsScratch(const KernelBuffer& buffer) { return buffer.use == KernelBuffer::Use::kScratch; }

// Bytes of the scratch that a phase uses, the largest first.
std::vector<std::pair<int64_t, int>> ScratchOf(const Kernel& kernel, const KernelPhase& phase) {
  std::vector<std::pair<int64_t, int>> scratch;
  for (const int buffer : BuffersOf(phase)) {
    const KernelBuffer& used = kernel.buffers[buffer];
    if (IsScratch(used)) scratch.emplace_back(used.element_count * ByteWidth(used.type), buffer);
  }
  std::sort(scratch.rbegin(), scratch.rend());
  return scratch;
}

class Spiller {
 public:
  Spiller(LoweredKernel& lowered, const std::set<int>& spilled)
      : kernel_(lowered.kernel), lowered_(lowered), spilled_(spilled) {}

  // Workspaces come after the caller's other buffers, and the scratch that is left after these.
  void Run() {
    const std::vector<KernelBuffer> before = std::move(kernel_.buffers);
    kernel_.buffers.clear();
    place_.resize(before.size());
    const auto take = [&](bool scratch, bool spilled) {
      for (size_t i = 0; i < before.size(); ++i) {
        const bool is_spilled = spilled_.count(static_cast<int>(i)) != 0;
        if (IsScratch(before[i]) != scratch || is_spilled != spilled) continue;
        place_[i] = static_cast<int>(kernel_.buffers.size());
        kernel_.buffers.push_back(before[i]);
      }
    };
    take(/*scratch=*/false, /*spilled=*/false);
    take(/*scratch=*/true, /*spilled=*/true);
    take(/*scratch=*/true, /*spilled=*/false);
    sizes_.resize(before.size());
    for (const int buffer : spilled_) {
      KernelBuffer& workspace = kernel_.buffers[place_[buffer]];
      sizes_[buffer] = workspace.element_count;
      workspace.use = KernelBuffer::Use::kReadWrite;
      workspace.element_count *= TilesWith(buffer);
      lowered_.extras.push_back(nullptr);
    }
    for (KernelPhase& phase : kernel_.phases) Rewrite(phase.body, phase.body.arguments[0]);
  }

 private:
  int64_t TilesWith(int buffer) const {
    int64_t tiles = 1;
    for (const KernelPhase& phase : kernel_.phases) {
      if (BuffersOf(phase).count(buffer) != 0) tiles = std::max(tiles, phase.tile_count);
    }
    return tiles;
  }

  // An element of what was scratch is found in the part of the tile.
  void Rewrite(KernelRegion& region, KernelValue tile) {
    std::vector<KernelInstruction> instructions;
    for (KernelInstruction& instruction : region.instructions) {
      if (instruction.buffer >= 0 && spilled_.count(instruction.buffer) != 0) {
        KernelInstruction& element = instructions.emplace_back();
        element.op = KernelOp::kAffine;
        element.operands = {tile, instruction.operands[0]};
        element.coefficients = {sizes_[instruction.buffer], 1};
        kernel_.value_types.push_back(S64);
        element.results = {static_cast<KernelValue>(kernel_.value_types.size()) - 1};
        instruction.operands[0] = element.results[0];
      }
      if (instruction.buffer >= 0) instruction.buffer = place_[instruction.buffer];
      for (KernelRegion& nested : instruction.regions) Rewrite(nested, tile);
      instructions.push_back(std::move(instruction));
    }
    region.instructions = std::move(instructions);
  }

  Kernel& kernel_;
  LoweredKernel& lowered_;
  const std::set<int>& spilled_;
  std::vector<int> place_;      // by buffer as it was
  std::vector<int64_t> sizes_;  // of a tile's part
};

}  // namespace

absl::Status SpillScratch(LoweredKernel& lowered, int64_t shared_bytes) {
  const Kernel& kernel = lowered.kernel;
  std::set<int> spilled;
  for (const KernelPhase& phase : kernel.phases) {
    int64_t needed = SharedBytes(kernel, phase);
    for (const auto& [bytes, buffer] : ScratchOf(kernel, phase)) {
      if (needed <= shared_bytes) break;
      int64_t all_tiles;
      if (!CheckedMul(bytes, phase.tile_count, &all_tiles) || all_tiles > kMostWorkspaceBytes) break;
      needed -= bytes;
      spilled.insert(buffer);
    }
    if (needed > shared_bytes) {
      return absl::UnimplementedError(absl::StrCat(kernel.name, ": a tile needs ", needed,
                                                   " bytes of shared memory, the device has ", shared_bytes));
    }
  }
  if (!spilled.empty()) Spiller(lowered, spilled).Run();
  return absl::OkStatus();
}

}  // namespace xla
