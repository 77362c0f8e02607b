// Arenas: the memory of a run's temporaries, kept warm from one run to the next.
#ifndef BACKENDS_CPU_RUNTIME_ARENA_H_
#define BACKENDS_CPU_RUNTIME_ARENA_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// As many arenas of one size as runs were under way at once. Thread-safe.
class ArenaPool {
 public:
  // One that is taken; gives itself back. The pool outlives it.
  class Lease {
   public:
    Lease(ArenaPool* pool, void* data) : pool_(pool), data_(data) {}
    ~Lease() {
      if (data_ != nullptr) pool_->GiveBack(data_);
    }
    Lease(Lease&& other) noexcept : pool_(other.pool_), data_(other.data_) { other.data_ = nullptr; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    // Aligned to 64 bytes or more; nullptr if there are none.
    void* data() const { return data_; }

   private:
    ArenaPool* pool_;
    void* data_;
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
  void GiveBack(void* data);

  const int64_t bytes_;
  const std::shared_ptr<MemoryBudget> memory_;
  std::mutex mutex_;  // guards idle_
  std::vector<void*> idle_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_RUNTIME_ARENA_H_
