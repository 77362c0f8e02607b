#include "backends/vulkan/codegen/index_ranges.h"

#include <algorithm>

namespace xla {
namespace vulkan {
namespace {

// Of an index of this range, divided.
IndexRange QuotientRange(const IndexRange& x, int64_t divisor) {
  return {0, x.has_high() ? x.high / divisor : IndexRange::kUnknownHigh};
}
IndexRange RemainderRange(const IndexRange& x, int64_t divisor) { return {0, std::min(x.high, divisor - 1)}; }

}  // namespace

void IndexRanges::NoteTile(const KernelPhase& phase) { ranges_[phase.body.arguments[0]] = {0, phase.tile_count - 1}; }

void IndexRanges::NoteArguments(const KernelInstruction& instruction) {
  const KernelRegion& region = instruction.regions[0];
  if (instruction.op == KernelOp::kFor) {
    const IndexRange& count = ranges_[instruction.operands[0]];
    ranges_[region.arguments[0]] = {0, count.has_high() ? count.high - 1 : IndexRange::kUnknownHigh};
  }
  for (size_t i = 0; i < instruction.extents.size(); ++i) {
    ranges_[region.arguments[i]] = {0, instruction.extents[i] - 1};
  }
}

void IndexRanges::NoteResult(const KernelInstruction& instruction) {
  if (instruction.results.size() != 1 || kernel_.TypeOf(instruction.results[0]) != S64) return;
  IndexRange range;
  if (instruction.op == KernelOp::kConstant) {
    range = IndexRange::Point(*instruction.literal.data<int64_t>());
  } else if (instruction.op == KernelOp::kAffine) {
    range = IndexRange::Point(instruction.constant);
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      range = range + instruction.coefficients[i] * ranges_[instruction.operands[i]];
    }
  } else if (instruction.op == KernelOp::kQuotient) {
    range = QuotientRange(ranges_[instruction.operands[0]], instruction.constant);
  } else if (instruction.op == KernelOp::kRemainder) {
    range = RemainderRange(ranges_[instruction.operands[0]], instruction.constant);
  } else if (instruction.op == KernelOp::kElementwise && instruction.opcode == HloOpcode::kMinimum) {
    const IndexRange& x = ranges_[instruction.operands[0]];
    const IndexRange& y = ranges_[instruction.operands[1]];
    range = {std::min(x.low, y.low), std::min(x.high, y.high)};
  } else if (instruction.op == KernelOp::kElementwise && instruction.opcode == HloOpcode::kMaximum) {
    const IndexRange& x = ranges_[instruction.operands[0]];
    const IndexRange& y = ranges_[instruction.operands[1]];
    range = {std::max(x.low, y.low), std::max(x.high, y.high)};
  }
  ranges_[instruction.results[0]] = range;
}

bool IndexRanges::IsInWords(KernelValue index) const {
  return kernel_.IsNarrow(index) || (ranges_[index].low >= INT32_MIN && ranges_[index].high <= INT32_MAX);
}

}  // namespace vulkan
}  // namespace xla
