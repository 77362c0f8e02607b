#include "backends/kernel_ir/kernel.h"

#include <limits>

#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

constexpr int64_t kScratchAlignment = 64;

}  // namespace

int Kernel::CallerBufferCount() const {
  int count = 0;
  for (const KernelBuffer& buffer : buffers) count += buffer.use != KernelBuffer::Use::kScratch;
  return count;
}

int64_t Kernel::ScratchOffset(int end) const {
  constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();
  int64_t offset = 0;
  for (int i = 0; i < end; ++i) {
    if (buffers[i].use != KernelBuffer::Use::kScratch) continue;
    int64_t bytes;
    if (!CheckedMul(buffers[i].element_count, ByteWidth(buffers[i].type), &bytes)) return kTooMany;
    if (!CheckedMul(CeilDiv(bytes, kScratchAlignment), kScratchAlignment, &bytes)) return kTooMany;
    if (!CheckedAdd(offset, bytes, &offset)) return kTooMany;
  }
  return offset;
}

int64_t Kernel::ScratchBytes() const { return ScratchOffset(static_cast<int>(buffers.size())); }

}  // namespace xla
