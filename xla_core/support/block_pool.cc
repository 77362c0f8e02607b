#include "xla_core/support/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "absl/time/clock.h"
#include "xla_core/support/machine_memory.h"

namespace xla {
namespace {

constexpr int64_t kPage = 4096;
// From this size on a block begins where a page of 2 MiB does, of which it is made if the system has them to give:
// touching it takes 512 times fewer page faults then.
constexpr int64_t kHugePage = int64_t{2} << 20;
// Looking for the oldest block is linear in it.
constexpr size_t kMostIdleBlocks = 256;
// Zeroed blocks up to this size may be used ones, cleared; larger ones may be meant to be touched here and there only.
constexpr int64_t kLargestCleared = int64_t{32} << 20;
// More than any address space; keeps sums from overflowing.
constexpr int64_t kLargestBlock = int64_t{1} << 50;
constexpr size_t kWatcherStack = 64 << 10;
constexpr absl::Duration kLongestSleep = absl::Hours(1);

int64_t WholePages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void* Map(int64_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

// `bytes` are whole pages.
void* MapAligned(int64_t bytes) {
  if (bytes < kHugePage) return Map(bytes);
  char* const mapped = static_cast<char*>(Map(bytes + kHugePage));
  if (mapped == nullptr) return nullptr;
  const int64_t before = -reinterpret_cast<intptr_t>(mapped) & (kHugePage - 1);
  if (before > 0) munmap(mapped, before);
  char* const data = mapped + before;
  munmap(data + bytes, kHugePage - before);
  // A hint, without which everything works all the same.
  madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

// Whether a block of that size may be given to whoever asks for `bytes`: it is not much larger.
bool Fits(int64_t size, int64_t bytes) {
  const int64_t least = WholePages(bytes);
  return size >= least && size <= least + least / 8;
}

// Has the system find all pages of a block.
void Touch(char* data, int64_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  if (madvise(data, bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
  for (int64_t i = 0; i < bytes; i += kPage) static_cast<volatile char*>(data)[i] = 0;
}

// Gives blocks back to the system at the end of its scope, which is to be beyond that of a lock: it takes milliseconds.
class Leaving {
 public:
  ~Leaving() {
    for (const BlockPool::Block& block : blocks_) munmap(block.data, block.bytes);
  }
  void Add(BlockPool::Block block) { blocks_.push_back(block); }

 private:
  std::vector<BlockPool::Block> blocks_;
};

}  // namespace

BlockPool::BlockPool(int64_t most_idle_bytes, absl::Duration longest_idle)
    : most_idle_bytes_(most_idle_bytes), longest_idle_(longest_idle) {}

BlockPool::~BlockPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  watcher_.Join();
  ReleaseIdle();
}

BlockPool& BlockPool::Global() {
  // Never destroyed: literals in static memory may be.
  static auto* const pool = new BlockPool(MachineMemoryBytes() / 10, absl::Seconds(5));
  return *pool;
}

BlockPool::Block BlockPool::Take(int64_t bytes, bool zeroed) {
  if (bytes > kLargestBlock) return Block();
  if (!zeroed || bytes <= kLargestCleared) {
    const Block idle = TakeIdle(bytes);
    if (idle.data != nullptr && zeroed) std::memset(idle.data, 0, bytes);
    if (idle.data != nullptr) return idle;
  }
  const int64_t rounded = WholePages(bytes);
  void* data = MapAligned(rounded);
  if (data == nullptr) {
    ReleaseIdle();
    data = MapAligned(rounded);
  }
  return data == nullptr ? Block() : Block{data, rounded};
}

BlockPool::IdleBlocks::iterator BlockPool::FindIdle(int64_t bytes) {
  const auto smallest = idle_.lower_bound(bytes);
  if (smallest == idle_.end() || !Fits(smallest->first, bytes)) return idle_.end();
  // The latest of that size: more of it may be in a cache still.
  return std::prev(idle_.upper_bound(smallest->first));
}

BlockPool::Block BlockPool::TakeIdle(int64_t bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto found = FindIdle(bytes);
  if (found == idle_.end() && Fits(in_preparation_, bytes)) {
    prepared_.wait(lock, [this] { return in_preparation_ == 0; });
    found = FindIdle(bytes);
  }
  if (found != idle_.end()) return Remove(found);
  // One that nothing has begun to prepare comes too late.
  const auto wanted =
      std::find_if(wanted_.begin(), wanted_.end(), [bytes](int64_t size) { return Fits(size, bytes); });
  if (wanted != wanted_.end()) wanted_.erase(wanted);
  return Block();
}

void BlockPool::GiveBack(Block block) {
  Leaving leaving;
  if (block.bytes > most_idle_bytes_) return leaving.Add(block);
  std::lock_guard<std::mutex> lock(mutex_);
  while (idle_bytes_ + block.bytes > most_idle_bytes_ || idle_.size() >= kMostIdleBlocks) {
    leaving.Add(Remove(Oldest()));
  }
  Add(block);
  if (!is_watched_) StartToWatch();
}

void BlockPool::Add(Block block) {
  if (idle_.empty()) changed_.notify_all();
  idle_.emplace(block.bytes, Idle{block.data, absl::Now()});
  idle_bytes_ += block.bytes;
}

void BlockPool::Prepare(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (bytes > most_idle_bytes_ - idle_bytes_ || FindIdle(bytes) != idle_.end()) return;
  wanted_.push_back(WholePages(bytes));
  if (!is_watched_) StartToWatch();
  changed_.notify_all();
}

BlockPool::IdleBlocks::iterator BlockPool::Oldest() {
  return std::min_element(idle_.begin(), idle_.end(),
                          [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
}

BlockPool::Block BlockPool::Remove(IdleBlocks::iterator idle) {
  const Block block = {idle->second.data, idle->first};
  idle_bytes_ -= block.bytes;
  idle_.erase(idle);
  return block;
}

void BlockPool::ReleaseIdle() {
  Leaving leaving;
  std::lock_guard<std::mutex> lock(mutex_);
  while (!idle_.empty()) leaving.Add(Remove(idle_.begin()));
}

int64_t BlockPool::idle_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return idle_bytes_;
}

// Without a thread for it, blocks stay until others take their place.
void BlockPool::StartToWatch() {
  is_watched_ = true;
  (void)watcher_.Start(kWatcherStack, [this] { Watch(); });
}

// The pool's own thread. It maps and touches blocks that callers will ask for, since the first access to a page is
// slow, and returns blocks to the system that were idle for too long. It unmaps without the lock, for that may take
// milliseconds.
void BlockPool::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ends_) {
    if (!wanted_.empty()) {
      PrepareNext(lock);
      continue;
    }
    if (idle_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto oldest = Oldest();
    const absl::Duration left = oldest->second.since + longest_idle_ - absl::Now();
    if (left > absl::ZeroDuration()) {
      changed_.wait_for(lock, absl::ToChronoMilliseconds(std::min(left, kLongestSleep)) + std::chrono::milliseconds(1));
      continue;
    }
    const Block block = Remove(oldest);
    lock.unlock();
    munmap(block.data, block.bytes);
    lock.lock();
  }
}

void BlockPool::PrepareNext(std::unique_lock<std::mutex>& lock) {
  in_preparation_ = wanted_.front();
  wanted_.pop_front();
  Block block = {nullptr, in_preparation_};
  lock.unlock();
  block.data = MapAligned(block.bytes);
  if (block.data != nullptr) Touch(static_cast<char*>(block.data), block.bytes);
  lock.lock();
  in_preparation_ = 0;
  if (block.data != nullptr) Add(block);
  prepared_.notify_all();
}

}  // namespace xla
