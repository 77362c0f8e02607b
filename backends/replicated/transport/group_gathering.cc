// How bytes of all processes come to rank 0.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/group.h"
#include "backends/replicated/transport/mesh_use.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr int64_t kMaxGathered = int64_t{1} << 36;

}  // namespace

absl::StatusOr<std::vector<std::string>> Group::GatherToFirst(std::string mine, Check check) {
  const auto size = static_cast<int64_t>(mine.size());
  if (size > kMaxGathered) {
    return absl::InvalidArgumentError(absl::StrCat("rank ", options_.process_index, " offers ", size,
                                                   " bytes; at most ", kMaxGathered, " can be gathered"));
  }
  std::lock_guard<std::mutex> in_order(gather_mutex_);
  const int64_t number = next_gathering_++;
  MemberMessage message;
  message.mutable_offer()->set_number(number);
  message.mutable_offer()->set_size(size);
  if (size <= kSmallOffer) message.mutable_offer()->set_small(mine);
  client_->Send(std::move(message));
  CoordinatorMessage::Gathered gathered;
  RETURN_IF_ERROR(AwaitAnswer(absl::InfiniteFuture(), check, [&]() -> bool {
    const auto it = gathered_.find(number);
    if (it == gathered_.end()) return false;
    gathered = std::move(it->second);
    gathered_.erase(it);
    return true;
  }));
  if (gathered.code() != 0) return StatusOf(gathered.code(), gathered.message());
  if (gathered.size_size() != options_.process_count) return absl::InternalError("rank 0 gathers from others");
  std::vector<std::string> all;
  if (options_.process_index == 0) {
    all.assign(gathered.small().begin(), gathered.small().end());
    all.resize(options_.process_count);
    all[0] = std::move(mine);
  }
  if (gathered.mesh() == 0) return all;
  ASSIGN_OR_RETURN(const std::shared_ptr<Mesh> mesh,
                   EnsureMesh(gathered.mesh(), absl::Now() + options_.connect_timeout + kAnswerTime, check));
  const auto go_on = [&]() -> absl::Status {
    RETURN_IF_ERROR(check());
    std::lock_guard<std::mutex> lock(mutex_);
    return lost_;
  };
  if (options_.process_index != 0) {
    if (size > kSmallOffer) RETURN_IF_ERROR(SendGathered(*mesh, number, options_.process_index, mine, go_on));
    return all;
  }
  for (int64_t r = 1; r < options_.process_count; ++r) {
    const int64_t bytes = gathered.size(static_cast<int>(r));
    if (bytes <= kSmallOffer) continue;
    if (bytes > kMaxGathered) return absl::InternalError(absl::StrCat("rank ", r, " offers ", bytes, " bytes"));
    std::string arrived(bytes, 0);
    RETURN_IF_ERROR(ReceiveGathered(*mesh, number, r, &arrived, go_on));
    all[r] = std::move(arrived);
  }
  return all;
}

}  // namespace transport
}  // namespace xla
