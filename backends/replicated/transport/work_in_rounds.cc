#include "backends/replicated/transport/work_in_rounds.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// So long that handing out a round costs nothing beside it.
constexpr auto kRound = std::chrono::milliseconds(5);
constexpr int64_t kFirstPartsOfThread = 2;

}  // namespace

absl::Status RunInRounds(const CollectiveWork& work, ThreadPool& pool, absl::FunctionRef<absl::Status()> between) {
  const int64_t fewest = kFirstPartsOfThread * pool.num_threads();
  int64_t parts = fewest;
  for (int64_t first = 0; first < work.part_count();) {
    const auto begin = std::chrono::steady_clock::now();
    const int64_t count = std::min(parts, work.part_count() - first);
    // Threads of the pool may flush denormals for the run that they work for otherwise.
    const auto run = [&](int64_t from, int64_t to) {
      const DenormalMode mode(DenormalMode::kKeep);
      work.Run(first + from, first + to);
    };
    if (count == 1) {
      run(0, 1);
    } else {
      pool.ParallelFor(count, 1, run);
    }
    first += count;
    if (first == work.part_count()) break;
    RETURN_IF_ERROR(between());
    const auto time = std::chrono::steady_clock::now() - begin;
    parts = time < kRound ? parts * 2 : std::max(fewest, parts / 2);
  }
  return absl::OkStatus();
}

}  // namespace transport
}  // namespace xla
