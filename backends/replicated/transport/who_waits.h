// Who waits for whom, from the reports of all processes.
#ifndef BACKENDS_REPLICATED_TRANSPORT_WHO_WAITS_H_
#define BACKENDS_REPLICATED_TRANSPORT_WHO_WAITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "backends/replicated/transport/control.pb.h"

namespace xla {
namespace transport {

// "rank 2 on host b"
using DescribeRankFunction = absl::FunctionRef<std::string(int64_t)>;

// FailedPrecondition, naming all devices and two of them that wait for each other, if none can go on; reports are by
// rank.
absl::Status FindDeadlock(const std::vector<absl::optional<Report>>& reports, DescribeRankFunction describe);

// DeadlineExceeded: a device of `rank` has waited too long. Says of the others of its meeting what keeps them away.
// silence[r] is "", or ", which has not been heard of ..." of rank r.
absl::Status ExplainWait(const MemberMessage::Overdue& overdue, int64_t rank,
                         const std::vector<absl::optional<Report>>& reports, const std::vector<std::string>& silence,
                         DescribeRankFunction describe);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_WHO_WAITS_H_
