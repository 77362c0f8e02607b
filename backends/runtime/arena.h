// Arenas: the memory of a run's temporaries, kept warm from one run to the next.
#ifndef BACKENDS_RUNTIME_ARENA_H_
#define BACKENDS_RUNTIME_ARENA_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/support/block_pool.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// As many arenas of one size as runs were under way at once. Thread-safe.
class ArenaPool {
 public:
  // One that is taken; gives itself back. The pool outlives it.
  class Lease {
   public:
    Lease(ArenaPool* pool, BlockPool::Block block) : pool_(pool), block_(block) {}
    ~Lease() {
      if (block_.data != nullptr) pool_->GiveBack(block_);
    }
    Lease(Lease&& other) noexcept : pool_(other.pool_), block_(other.block_) { other.block_ = BlockPool::Block(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    // Aligned to 64 bytes or more; nullptr if there are none.
    void* data() const { return block_.data; }

   private:
    ArenaPool* pool_;
    BlockPool::Block block_;
  };

  // What the arenas take counts in `memory` as long as they are kept.
  ArenaPool(int64_t bytes, std::shared_ptr<MemoryBudget> memory) : bytes_(bytes), memory_(std::move(memory)) {}
  ~ArenaPool();
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  // Its contents are any. ResourceExhausted.
  absl::StatusOr<Lease> Take();
  int64_t arena_bytes() const { return bytes_; }

 private:
  void GiveBack(BlockPool::Block block);

  const int64_t bytes_;
  const std::shared_ptr<MemoryBudget> memory_;
  std::mutex mutex_;  // guards idle_
  std::vector<BlockPool::Block> idle_;
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_ARENA_H_
