#include "builders/nnef_common/containers/fresh_memory.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kPage = 4096, kHugePage = int64_t{2} << 20;
// With less there is not much to gain.
constexpr int64_t kLeastBytes = 4 * kHugePage;
// To clear a page at 2 GB/s.
constexpr auto kSlow = std::chrono::milliseconds(1);

// While it lives, the process gets no page of 2 MiB. A hint, without which everything works all the same.
class SmallPages {
 public:
  explicit SmallPages(bool wanted) : wanted_(wanted && prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0) {
    if (wanted_) prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  }
  ~SmallPages() {
    if (wanted_) prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  }

 private:
  const bool wanted_;
};

}  // namespace

// Allocates memory that will be read into at once. Where huge pages turn out to be slow to get, which is measured by
// touching the first ones, small pages are used from then on.
absl::StatusOr<Literal> AllocateToRead(const Shape& shape) {
  static std::atomic<bool> are_slow = false;
  const bool is_large = shape.IsArray() && shape.ByteSize() >= kLeastBytes;
  Literal literal;
  {
    // Literals begin with something of their own, which is written at once.
    const SmallPages small_pages(is_large && are_slow);
    ASSIGN_OR_RETURN(literal, Literal::Allocate(shape));
  }
  if (!is_large) return literal;
  char* const begin = literal.mutable_data<char>();
  char* const end = begin + literal.size_bytes();
  for (char* page = begin; page < end && !are_slow; page += kHugePage) {
    const Clock::time_point start = Clock::now();
    *static_cast<volatile char*>(page) = 0;
    are_slow = Clock::now() - start > kSlow;
  }
  char* const first = begin - reinterpret_cast<uintptr_t>(begin) % kPage;
  if (are_slow) madvise(first, end - first, MADV_NOHUGEPAGE);
  return literal;
}

}  // namespace nnef
}  // namespace xla
