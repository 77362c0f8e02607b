// BlockPool: large blocks of memory that are kept for a while when they are given back.
//
// Touching fresh memory costs more than what most programs do with it: the system finds pages and clears them, for a
// result of 64 MB longer than computing it takes. A program that runs again and again, whose caller drops each result,
// is given the pages of the last one instead.
#ifndef XLA_CORE_SUPPORT_BLOCK_POOL_H_
#define XLA_CORE_SUPPORT_BLOCK_POOL_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "absl/time/time.h"
#include "xla_core/support/large_stack.h"

namespace xla {

// Sanitizers look at what malloc gives, so that there everything should come from it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPoolsBlocks = false;
#else
constexpr bool kPoolsBlocks = true;
#endif

// Thread-safe.
class BlockPool {
 public:
  // From this size on a block comes from a pool; malloc is better at smaller ones.
  static constexpr int64_t kSmallestBlock = 256 << 10;

  struct Block {
    void* data = nullptr;  // aligned to a page; nullptr: the machine has no memory
    int64_t bytes = 0;     // at least what was asked for
  };

  // Blocks without users take up to `most_idle_bytes`; those that are longest idle go first. None is kept for much
  // longer than `longest_idle`.
  BlockPool(int64_t most_idle_bytes, absl::Duration longest_idle);
  // What was taken has been given back.
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // That of the process. It keeps up to a tenth of the memory that the process may have (MachineMemoryBytes), for five
  // seconds, beside what memory limits of clients count.
  static BlockPool& Global();

  // A block of `bytes`, which are at least kSmallestBlock. Its contents are any, or zeros.
  Block Take(int64_t bytes, bool zeroed = false);
  void GiveBack(Block block);

  // A block of `bytes` is likely to be taken soon: finds pages for one meanwhile, on a thread of the pool's own, unless
  // there is one or the pool may not keep it.
  void Prepare(int64_t bytes);

  // Gives the system what has no users.
  void ReleaseIdle();
  int64_t idle_bytes() const;

 private:
  struct Idle {
    void* data;
    absl::Time since;
  };
  using IdleBlocks = std::multimap<int64_t, Idle>;  // by size, of one size the latest last

  // With mutex_ held.
  IdleBlocks::iterator FindIdle(int64_t bytes);
  IdleBlocks::iterator Oldest();
  void Add(Block block);
  Block Remove(IdleBlocks::iterator block);
  void StartToWatch();

  Block TakeIdle(int64_t bytes);
  void Watch();
  void PrepareNext(std::unique_lock<std::mutex>& lock);

  const int64_t most_idle_bytes_;
  const absl::Duration longest_idle_;
  mutable std::mutex mutex_;  // guards what follows
  IdleBlocks idle_;
  int64_t idle_bytes_ = 0;
  std::deque<int64_t> wanted_;  // sizes that Prepare was asked for, whole pages
  int64_t in_preparation_ = 0;  // the size of a block that is being prepared
  bool is_watched_ = false;
  bool ends_ = false;
  std::condition_variable changed_;
  std::condition_variable prepared_;
  StackThread watcher_;  // lets go of what was idle for too long, and prepares what is wanted
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_BLOCK_POOL_H_
