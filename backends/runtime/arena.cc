#include "backends/runtime/arena.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kBlockAlignment = 64;

// Of the process's pool if it is large: its pages were touched then, if a program of this size has gone before.
BlockPool::Block AllocateArena(int64_t bytes) {
  if (kPoolsBlocks && bytes >= BlockPool::kSmallestBlock) return BlockPool::Global().Take(bytes);
  int64_t rounded;
  if (!CheckedAdd(bytes, kBlockAlignment - 1, &rounded)) return BlockPool::Block();
  return {std::aligned_alloc(kBlockAlignment, rounded / kBlockAlignment * kBlockAlignment), 0};
}

void FreeArena(BlockPool::Block arena) {
  if (arena.bytes > 0) {
    BlockPool::Global().GiveBack(arena);
  } else {
    std::free(arena.data);
  }
}

}  // namespace

ArenaPool::~ArenaPool() {
  for (const BlockPool::Block& arena : idle_) {
    FreeArena(arena);
    memory_->Release(bytes_);
  }
}

// An idle arena or a new one, which must fit into the client's memory limit. It is not cleared.
absl::StatusOr<ArenaPool::Lease> ArenaPool::Take() {
  if (bytes_ == 0) return Lease(this, BlockPool::Block());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      const BlockPool::Block arena = idle_.back();
      idle_.pop_back();
      return Lease(this, arena);
    }
  }
  RETURN_IF_ERROR(memory_->Reserve(bytes_));
  const BlockPool::Block arena = AllocateArena(bytes_);
  if (arena.data != nullptr) return Lease(this, arena);
  memory_->Release(bytes_);
  return absl::ResourceExhaustedError(
      absl::StrCat("the machine has no memory for ", bytes_, " bytes of temporary values"));
}

void ArenaPool::GiveBack(BlockPool::Block block) {
  std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(block);
}

}  // namespace xla
