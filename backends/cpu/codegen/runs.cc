// Runs: vector loops over arrays in memory work on several places at once.
//
// A core fetches ahead for each place that it reads from in order, but never across the end of a page, and only so much
// for each; with one place it waits for memory half of the time. So a long loop is cut into a few runs of equal length,
// and takes a vector of each in turn.
#include <algorithm>

#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

constexpr int64_t kRuns = 4;
// A multiple of all vectors, so that runs begin where streaming stores may.
constexpr int64_t kGrain = 128;
// Shorter runs than a page are not worth it.
constexpr int64_t kShortestRun = 4096;

struct Accesses {
  bool has_large = false;
  int64_t widest = 0;
};

void AddAccesses(const Kernel& kernel, const KernelRegion& region, Accesses& accesses) {
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelRegion& nested : instruction.regions) AddAccesses(kernel, nested, accesses);
    if (instruction.op != KernelOp::kLoad && instruction.op != KernelOp::kStore) continue;
    const KernelBuffer& buffer = kernel.buffers[instruction.buffer];
    if (!IsLarge(buffer)) continue;
    accesses.has_large = true;
    accesses.widest = std::max<int64_t>(accesses.widest, ByteWidth(buffer.type));
  }
}

}  // namespace

bool IsLarge(const KernelBuffer& buffer) {
  constexpr int64_t kBytes = int64_t{4} << 20;
  return buffer.use != KernelBuffer::Use::kScratch && buffer.element_count > kBytes / ByteWidth(buffer.type);
}

// Cuts a loop over large arrays into kRuns parts of equal length and goes through them side by side, so that several
// streams come from memory at once. Returns where the parts end; the caller does the rest.
V KernelEmitter::EmitRuns(const KernelRegion& region, const Loop& loop, LoopBody body) {
  const V extent = loop.end;
  Accesses accesses;
  AddAccesses(kernel_, region, accesses);
  const absl::optional<int64_t> count = ir_.ConstantInt(extent);
  const V none = IndexConstant(0);
  if (!accesses.has_large || kGrain % lanes_ != 0) return none;
  if (count.has_value() && *count / kRuns * accesses.widest < kShortestRun) return none;
  const V run = count.has_value() ? IndexConstant(*count / (kRuns * kGrain) * kGrain)
                                  : ir_.Binary(Ir::Op::kDivide, extent, IndexConstant(kRuns * kGrain)) * kGrain;
  Loop rounds = loop;
  rounds.end = run;
  rounds.work *= kRuns;
  EmitLoop(rounds, {}, [&](V index, absl::Span<const Element>) {
    return EmitShortLoop({none, IndexConstant(kRuns)}, {}, [&](V number, absl::Span<const Element>) {
      return body(ir_.AddIndex(index, ir_.MultiplyIndex(number, run)), {});
    });
  });
  return run * kRuns;
}

}  // namespace codegen
}  // namespace xla
