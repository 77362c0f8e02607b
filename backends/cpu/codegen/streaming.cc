// Streaming stores: past the caches, for buffers that are only written and so large that whoever reads them next would
// find little of them there. They save reading what is written over and leave the caches to what is read, but need
// vectors that are aligned and cache lines that are written whole.
//
// Whether an index leads to such vectors depends on what it is a multiple of; that the buffer itself begins at a cache
// line is tested once, when the phase begins.
#include <algorithm>
#include <numeric>

#include "absl/strings/match.h"
#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

constexpr int64_t kShortestStore = 16;
constexpr int64_t kStreamedBytes = int64_t{12} << 20;

bool IsStreamed(const Kernel& kernel, int buffer) {
  const KernelBuffer& b = kernel.buffers[buffer];
  return b.use == KernelBuffer::Use::kWrite && b.same_memory_as < 0 &&
         b.element_count > kStreamedBytes / ByteWidth(b.type);
}

// Multiples are of interest as far as they divide a cache line.
int64_t CommonMultiple(int64_t a, int64_t b) { return std::gcd(a % kCacheLine, b); }

void CollectStreamed(const Kernel& kernel, const KernelRegion& region, std::vector<bool>& is_written) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kStore && IsStreamed(kernel, instruction.buffer)) {
      is_written[instruction.buffer] = true;
    }
    for (const KernelRegion& nested : instruction.regions) CollectStreamed(kernel, nested, is_written);
  }
}

}  // namespace

// Emits the body twice, if it has stores that may stream: with streaming stores if all their buffers begin at a cache
// line, and without. A fence then makes the streamed data visible to other threads.
void KernelEmitter::EmitWithStreaming(const KernelPhase& phase, absl::FunctionRef<void()> body) {
  std::vector<bool> is_written(kernel_.buffers.size(), false);
  CollectStreamed(kernel_, phase.body, is_written);
  V addresses;
  for (size_t i = 0; i < is_written.size(); ++i) {
    if (!is_written[i]) continue;
    const V address = ir_.Address(buffers_[i]);
    addresses = addresses.exists() ? addresses | address : address;
  }
  if (!addresses.exists() || !absl::StartsWith(target_.triple, "x86_64")) return body();
  const Block aligned = ir_.NewBlock("streaming");
  const Block other = ir_.NewBlock("not.streaming");
  const Block done = ir_.NewBlock("phase.done");
  ir_.Branch((addresses & (kCacheLine - 1)) == 0, aligned, other);
  ir_.SetBlock(aligned);
  is_streaming_ = true;
  body();
  is_streaming_ = false;
  ir_.StoreFence();
  ir_.Branch(done);
  ir_.SetBlock(other);
  body();
  ir_.Branch(done);
  ir_.SetBlock(done);
}

// Notes of an index the largest power of two, up to a cache line of elements, that divides it: what CanStream needs
// to know that stores are aligned.
void KernelEmitter::NoteMultiple(const KernelInstruction& instruction) {
  int64_t& multiple = multiples_[instruction.results[0]];
  multiple = 1;
  if (instruction.op == KernelOp::kConstant && kernel_.TypeOf(instruction.results[0]) == S64) {
    multiple = CommonMultiple(*instruction.literal.data<int64_t>(), kCacheLine);
  } else if (instruction.op == KernelOp::kAffine) {
    multiple = CommonMultiple(instruction.constant, kCacheLine);
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const int64_t coefficient = CommonMultiple(instruction.coefficients[i], kCacheLine);
      multiple = CommonMultiple(coefficient * multiples_[instruction.operands[i]], multiple);
    }
  } else if (instruction.op == KernelOp::kRemainder) {
    multiple = CommonMultiple(instruction.constant, multiples_[instruction.operands[0]]);
  }
}

bool KernelEmitter::CanStream(const KernelInstruction& store, const Element& index) const {
  return index.IsRun() && index.lane_stride == 1 && CanStreamVectors(store, lanes_);
}

bool KernelEmitter::CanStreamVectors(const KernelInstruction& store, int lanes) const {
  if (!is_streaming_ || !IsStreamed(kernel_, store.buffer)) return false;
  const int64_t width = ByteWidth(kernel_.buffers[store.buffer].type);
  const int64_t bytes = std::min<int64_t>(kCacheLine, lanes * width);
  return bytes >= kShortestStore && multiples_[store.operands[0]] * width % bytes == 0;
}

}  // namespace codegen
}  // namespace xla
