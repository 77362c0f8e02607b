// BackwardsBlocks: runs the tiles of thunks in another order, to see whether they disturb each other.
#ifndef BACKENDS_RUNTIME_BLOCK_ORDER_H_
#define BACKENDS_RUNTIME_BLOCK_ORDER_H_

namespace xla {

// While it lives, ExecuteContext::ParallelFor runs its blocks on the calling thread, the last one first, if that is the
// thread which made this object. Results of blocks that have nothing to do with each other stay the same.
class BackwardsBlocks {
 public:
  BackwardsBlocks();
  ~BackwardsBlocks();
  BackwardsBlocks(const BackwardsBlocks&) = delete;
  BackwardsBlocks& operator=(const BackwardsBlocks&) = delete;

  // Whether one lives on this thread.
  static bool Wanted();
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_BLOCK_ORDER_H_
