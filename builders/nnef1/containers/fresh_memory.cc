#include "builders/nnef1/containers/fresh_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace xla {
namespace nnef1 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kHugePage = int64_t{2} << 20;
// Of fewer pages there is not much to gain.
constexpr int64_t kFewestPages = 4;
// To clear a page at 2 GB/s.
constexpr auto kSlow = std::chrono::milliseconds(1);

}  // namespace

void AvoidSlowPages(Literal& literal) {
  static std::atomic<bool> are_slow = false;
  const auto begin = reinterpret_cast<intptr_t>(literal.untyped_mutable_data());
  const intptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const int64_t pages = (begin + literal.size_bytes() - first) / kHugePage;
  if (pages < kFewestPages) return;
  if (!are_slow) {
    const Clock::time_point start = Clock::now();
    *reinterpret_cast<volatile char*>(first) = 0;
    are_slow = Clock::now() - start > kSlow;
  }
  // A hint, without which everything works all the same.
  if (are_slow) madvise(reinterpret_cast<void*>(first), pages * kHugePage, MADV_NOHUGEPAGE);
}

}  // namespace nnef1
}  // namespace xla
