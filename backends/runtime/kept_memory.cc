#include "backends/runtime/kept_memory.h"

#include <atomic>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kKeptAlignment = 64;
// Sets of weights that runs of a device may take turns with.
constexpr size_t kMaxBlocks = 2;

uint64_t NextId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

KeptMemory::Block::Block(int64_t bytes, std::shared_ptr<MemoryBudget> memory, void* data, std::vector<uint64_t> weights)
    : bytes_(bytes), memory_(std::move(memory)), data_(data), id_(NextId()), weights_(std::move(weights)) {}

KeptMemory::Block::~Block() {
  std::free(data_);
  memory_->Release(bytes_);
}

std::shared_ptr<const KeptMemory::Block> KeptMemory::Find(absl::Span<const uint64_t> weights) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& block : blocks_) {
    if (absl::MakeConstSpan(block->weights_) == weights) return block;
  }
  return nullptr;
}

absl::StatusOr<std::shared_ptr<const KeptMemory::Block>> KeptMemory::Make(std::vector<uint64_t> weights) const {
  RETURN_IF_ERROR(memory_->Reserve(bytes_));
  void* const data =
      std::aligned_alloc(kKeptAlignment, (bytes_ + kKeptAlignment - 1) / kKeptAlignment * kKeptAlignment);
  if (data != nullptr) return std::shared_ptr<const Block>(new Block(bytes_, memory_, data, std::move(weights)));
  memory_->Release(bytes_);
  return absl::ResourceExhaustedError(
      absl::StrCat("the machine has no memory for ", bytes_, " bytes of values made of weights"));
}

void KeptMemory::Keep(std::shared_ptr<const Block> block) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (blocks_.size() >= kMaxBlocks * device_count_) blocks_.erase(blocks_.begin());
  blocks_.push_back(std::move(block));
}

}  // namespace xla
