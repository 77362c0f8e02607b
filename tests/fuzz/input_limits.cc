#include "tests/fuzz/input_limits.h"

#include <cstdint>
#include <utility>

#include "absl/time/time.h"

namespace xla {

ResourceLimits InputLimits::Limits(std::shared_ptr<const Cancellation> cancellation) {
  ResourceLimits limits;
  limits.timeout = absl::Seconds(15);
  limits.max_memory_bytes = int64_t{512} << 20;
  limits.cancellation = std::move(cancellation);
  return limits;
}

bool EndsEarlyOrAs(const absl::Status& status, const absl::Status& otherwise) {
  return status == otherwise || (absl::IsCancelled(status) && !status.message().empty());
}

}  // namespace xla
