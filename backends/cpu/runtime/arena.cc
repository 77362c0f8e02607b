#include "backends/cpu/runtime/arena.h"

#include <sys/mman.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kAlignment = 64;
// From this size on, an arena consists of whole pages of 2 MiB if the system has them to give: fewer page faults, and
// fewer misses of the address cache.
constexpr int64_t kHugePage = int64_t{2} << 20;

void* AllocateArena(int64_t bytes) {
  const int64_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
  int64_t rounded;
  if (!CheckedAdd(bytes, alignment - 1, &rounded)) return nullptr;
  rounded = rounded / alignment * alignment;
  void* const data = std::aligned_alloc(alignment, rounded);
  // A hint: without huge pages everything works all the same.
  if (data != nullptr && alignment == kHugePage) madvise(data, rounded, MADV_HUGEPAGE);
  return data;
}

}  // namespace

ArenaPool::~ArenaPool() {
  for (void* data : idle_) {
    std::free(data);
    memory_->Release(bytes_);
  }
}

absl::StatusOr<ArenaPool::Lease> ArenaPool::Take() {
  if (bytes_ == 0) return Lease(this, nullptr);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      void* const data = idle_.back();
      idle_.pop_back();
      return Lease(this, data);
    }
  }
  RETURN_IF_ERROR(memory_->Reserve(bytes_));
  void* const data = AllocateArena(bytes_);
  if (data != nullptr) return Lease(this, data);
  memory_->Release(bytes_);
  return absl::ResourceExhaustedError(
      absl::StrCat("the machine has no memory for ", bytes_, " bytes of temporary values"));
}

void ArenaPool::GiveBack(void* data) {
  std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(data);
}

}  // namespace xla
