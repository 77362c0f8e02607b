#include "backends/kernel_ir/lowering/in_place.h"

#include <algorithm>
#include <set>

namespace xla {
namespace {

// The numbers of the elements that are read and written.
struct Places {
  std::set<KernelValue> read, written;
};

void Collect(const KernelRegion& region, int input, int output, Places& places) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kLoad && instruction.buffer == input) places.read.insert(instruction.operands[0]);
    if (instruction.op == KernelOp::kStore && instruction.buffer == output) {
      places.written.insert(instruction.operands[0]);
    }
    for (const KernelRegion& nested : instruction.regions) Collect(nested, input, output, places);
  }
}

// Whether whatever element a region reads is written by the same region, later: nobody else writes it.
bool WritesWhatItHasRead(const KernelRegion& region, int input, int output) {
  Places places;
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelRegion& nested : instruction.regions) {
      if (!WritesWhatItHasRead(nested, input, output)) return false;
    }
    if (instruction.op == KernelOp::kLoad && instruction.buffer == input) {
      if (places.written.count(instruction.operands[0]) != 0) return false;
      places.read.insert(instruction.operands[0]);
    } else if (instruction.op == KernelOp::kStore && instruction.buffer == output) {
      places.written.insert(instruction.operands[0]);
    }
  }
  return std::includes(places.written.begin(), places.written.end(), places.read.begin(), places.read.end());
}

// Within a phase, only the element that is written itself: by the whole phase, or by each of the loops that have a part
// of the elements.
bool IsRightWithinPhase(const KernelRegion& phase, const Places& places, int input, int output) {
  if (places.read.empty() || places.written.empty()) return true;
  if (places.written.size() == 1 && places.read == places.written) return true;
  return WritesWhatItHasRead(phase, input, output);
}

}  // namespace

bool IsReadBeforeWritten(const Kernel& kernel, int input, int output) {
  bool is_written = false;
  for (const KernelPhase& phase : kernel.phases) {
    Places places;
    Collect(phase.body, input, output, places);
    if (is_written && !places.read.empty()) return false;
    if (!IsRightWithinPhase(phase.body, places, input, output)) return false;
    is_written = is_written || !places.written.empty();
  }
  return true;
}

}  // namespace xla
