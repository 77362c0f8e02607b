// Prefetching of large arrays that are read row by row.
//
// A core by itself fetches ahead within a page. Rows are often as long as that, and while one is computed on, nothing
// would be fetched. So where a buffer is first read, what comes a page later is asked for: further on in a long row, or
// in a row to come.
#include <algorithm>

#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

constexpr int64_t kBytesAhead = 4096;
// Rows so long, or so far apart, are read ahead within themselves.
constexpr int64_t kLongRow = int64_t{16} << 10;

}  // namespace

void KernelEmitter::NoteSource(const KernelInstruction& instruction) {
  IndexSource& source = sources_[instruction.results[0]];
  source.sum = instruction.op == KernelOp::kAffine ? &instruction : nullptr;
  source.comes_from_memory = instruction.op == KernelOp::kLoad;
  for (const KernelValue operand : instruction.operands) {
    source.comes_from_memory = source.comes_from_memory || sources_[operand].comes_from_memory;
  }
}

// How far behind what is loaded now there is something that will be loaded in about a page's time; 0: not known.
//
// The terms of a sum of loop indices are numbered from the outermost loop to the innermost, which is the one in lanes;
// the one before it goes from row to row.
int64_t KernelEmitter::BytesAhead(const KernelInstruction& load) const {
  const IndexSource& source = sources_[load.operands[0]];
  const int64_t width = ByteWidth(kernel_.buffers[load.buffer].type);
  if (source.comes_from_memory) return 0;
  const bool is_long = row_extent_ >= kLongRow / width;
  if (is_long) return kBytesAhead;
  if (source.sum == nullptr) return 0;
  const KernelInstruction& sum = *source.sum;
  KernelValue lane = kNoValue;
  for (const KernelValue term : sum.operands) lane = std::max(lane, term);
  KernelValue row = kNoValue;
  int64_t step = 0;
  for (size_t i = 0; i < sum.operands.size(); ++i) {
    if (sum.operands[i] == lane || sum.operands[i] < row) continue;
    row = sum.operands[i];
    step = sum.coefficients[i];
  }
  // Rows that overlap are found in the cache.
  if (step < row_extent_ || step > kLongRow / width) return 0;
  const int64_t bytes = step * width;
  return (kBytesAhead + bytes - 1) / bytes * bytes;
}

// Emits prefetches for a load that goes through a large buffer in order, once for each buffer, so many bytes ahead as
// BytesAhead says.
void KernelEmitter::FetchAhead(const KernelInstruction& load, const Element& index) {
  const KernelBuffer& buffer = kernel_.buffers[load.buffer];
  const int64_t width = ByteWidth(buffer.type);
  const bool is_run = index.IsRun() && index.lane_stride == 1;
  if (is_fetched_ahead_[load.buffer] || !is_run || mask_.exists() || !IsLarge(buffer)) return;
  const int64_t ahead = BytesAhead(load);
  if (ahead == 0) return;
  is_fetched_ahead_[load.buffer] = true;
  for (int64_t at = 0; at < lanes_ * width; at += kCacheLine) {
    const V place = ir_.Offset(buffers_[load.buffer], index.value, width);
    ir_.Prefetch(ir_.Offset(place, IndexConstant(ahead + at), 1));
  }
}

}  // namespace codegen
}  // namespace xla
