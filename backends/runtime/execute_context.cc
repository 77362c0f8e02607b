#include "backends/runtime/execute_context.h"

#include <algorithm>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/runtime/block_order.h"
#include "xla_core/support/denormal_mode.h"

namespace xla {
namespace {

constexpr int64_t kScratchAlignment = 64;

// Grows to the largest that was asked for, and stays.
class ThreadScratch {
 public:
  ~ThreadScratch() { std::free(data_); }

  void* Get(int64_t bytes) {
    if (bytes <= bytes_) return data_;
    std::free(data_);
    const int64_t rounded = (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
    data_ = std::aligned_alloc(kScratchAlignment, rounded);
    bytes_ = data_ == nullptr ? 0 : rounded;
    return data_;
  }

 private:
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

thread_local int backwards_blocks = 0;  // objects

void RunBackwards(const ExecuteContext& context, int64_t tiles, int64_t grain, ThreadPool::Body body) {
  grain = std::max<int64_t>(grain, 1);
  for (int64_t block = (tiles - 1) / grain; block >= 0 && !context.ShouldStop(); --block) {
    const int64_t begin = block * grain;
    body(begin, tiles - begin < grain ? tiles : begin + grain);
  }
}

}  // namespace

BackwardsBlocks::BackwardsBlocks() { ++backwards_blocks; }
BackwardsBlocks::~BackwardsBlocks() { --backwards_blocks; }
bool BackwardsBlocks::Wanted() { return backwards_blocks > 0; }

absl::StatusOr<void*> ExecuteContext::Scratch(int64_t bytes) {
  static thread_local ThreadScratch scratch;
  void* const data = scratch.Get(bytes);
  if (data != nullptr || bytes == 0) return data;
  return absl::ResourceExhaustedError(absl::StrCat("the machine has no memory for ", bytes, " bytes of scratch"));
}

// One block after the other, twice as long as the one before until a block takes long enough for a look at the clock
// to cost nothing.
void ExecuteContext::RunBlocksHere(int64_t tiles, int64_t grain, ThreadPool::Body body) const {
  constexpr absl::Duration kLongEnough = absl::Microseconds(500);
  absl::Time start = absl::Now();
  int64_t block = std::max<int64_t>(grain, 1);
  for (int64_t begin = 0; begin < tiles;) {
    const int64_t end = tiles - begin < block ? tiles : begin + block;
    body(begin, end);
    begin = end;
    if (begin == tiles || ShouldStop()) return;
    const absl::Time now = absl::Now();
    if (now - start < kLongEnough && block < tiles) block *= 2;
    if (now - start > 4 * kLongEnough) block = std::max<int64_t>(block / 2, grain);
    start = now;
  }
}

void ExecuteContext::ParallelFor(int64_t tiles, int64_t grain, ThreadPool::Body body) const {
  if (tiles <= 0 || ShouldStop()) return;
  if (BackwardsBlocks::Wanted()) return RunBackwards(*this, tiles, grain, body);
  if (tiles <= grain) return body(0, tiles);
  if (pool->num_threads() == 1) return RunBlocksHere(tiles, grain, body);
  pool->ParallelFor(tiles, grain, [&](int64_t begin, int64_t end) {
    if (ShouldStop()) return;
    if (!flushes_denormals) return body(begin, end);
    const DenormalMode mode(DenormalMode::kFlush);
    body(begin, end);
  });
}

absl::Status ExecuteContext::StopError() const {
  if (abandoned != nullptr && abandoned->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was abandoned: its results have no receiver");
  }
  const absl::Status at_limit = CheckResources(resources);
  if (!at_limit.ok()) return at_limit;
  return absl::AbortedError("stopped because another device failed");
}

}  // namespace xla
