// KeptMemory: values that a program computes from its weights, for as many runs as are given the same ones.
#ifndef BACKENDS_RUNTIME_KEPT_MEMORY_H_
#define BACKENDS_RUNTIME_KEPT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// Thread-safe.
class KeptMemory {
 public:
  // The values of one set of weights. Counts in the budget as long as a user holds it.
  class Block {
   public:
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    // Aligned to 64 bytes.
    void* data() const { return data_; }
    // No other block of the process has the same.
    uint64_t id() const { return id_; }

   private:
    friend class KeptMemory;
    Block(int64_t bytes, std::shared_ptr<MemoryBudget> memory, void* data, std::vector<uint64_t> weights);

    const int64_t bytes_;
    const std::shared_ptr<MemoryBudget> memory_;
    void* const data_;
    const uint64_t id_;
    const std::vector<uint64_t> weights_;
  };

  // Each device of a program has weights of its own.
  KeptMemory(int64_t bytes, size_t device_count, std::shared_ptr<MemoryBudget> memory)
      : bytes_(bytes), device_count_(device_count), memory_(std::move(memory)) {}

  // That of the weights of these names, with all values in it; nullptr if there is none.
  std::shared_ptr<const Block> Find(absl::Span<const uint64_t> weights) const;
  // One for a run that computes the values. ResourceExhausted.
  absl::StatusOr<std::shared_ptr<const Block>> Make(std::vector<uint64_t> weights) const;
  // The values are there now. The block that was kept longest may go.
  void Keep(std::shared_ptr<const Block> block);

 private:
  const int64_t bytes_;
  const size_t device_count_;
  const std::shared_ptr<MemoryBudget> memory_;
  mutable std::mutex mutex_;                          // guards blocks_
  std::vector<std::shared_ptr<const Block>> blocks_;  // oldest first
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_KEPT_MEMORY_H_
