// The connections that a group uses: made when they are needed, by all processes at the same time.
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "backends/replicated/transport/group.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// A connection is lost first, and then the coordinator says who has died: it takes a second or so to be sure.
constexpr absl::Duration kVerdictTime = absl::Milliseconds(1700);

}  // namespace

absl::StatusOr<std::shared_ptr<Mesh>> Group::EnsureMesh(int64_t number, absl::Time deadline, Check go_on) {
  std::unique_lock<std::mutex> making(mesh_mutex_, std::defer_lock);
  while (!making.try_lock()) {
    RETURN_IF_ERROR(go_on());
    absl::SleepFor(absl::Milliseconds(2));
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (mesh_ != nullptr && mesh_number_ == number && !mesh_->is_closed()) return mesh_;
  }
  const auto not_dead = [&]() -> absl::Status {
    RETURN_IF_ERROR(go_on());
    std::lock_guard<std::mutex> lock(mutex_);
    return dead_mesh_ >= number ? dead_mesh_why_ : lost_;
  };
  absl::StatusOr<std::shared_ptr<Mesh>> mesh = MakeMesh(number, deadline, not_dead);
  // Whose connection was lost first is not who was there first.
  const absl::Time patience_ends = absl::Now() + kVerdictTime;
  while (absl::IsUnavailable(mesh.status()) && absl::Now() < patience_ends) {
    RETURN_IF_ERROR(not_dead());
    absl::SleepFor(absl::Milliseconds(10));
  }
  return mesh;
}

absl::StatusOr<std::shared_ptr<Mesh>> Group::MakeMesh(int64_t number, absl::Time deadline, Check go_on) {
  ASSIGN_OR_RETURN(
      const std::shared_ptr<Mesh> mesh,
      Mesh::Make(static_cast<int>(options_.process_index), static_cast<int>(options_.process_count), own_address_));
  MemberMessage message;
  message.mutable_address()->set_mesh(number);
  message.mutable_address()->set_address(mesh->address());
  client_->Send(std::move(message));
  std::vector<std::string> peers;
  std::string secret;
  RETURN_IF_ERROR(AwaitAnswer(deadline, go_on, [&]() -> bool {
    if (peers_.mesh() != number) return false;
    peers.assign(peers_.address().begin(), peers_.address().end());
    secret = peers_.secret();
    return true;
  }));
  if (static_cast<int64_t>(peers.size()) != options_.process_count) {
    return absl::InternalError("rank 0 knows other processes");
  }
  RETURN_IF_ERROR(mesh->Connect(peers, secret, deadline, go_on));
  MemberMessage connected;
  connected.mutable_connected()->set_mesh(number);
  client_->Send(std::move(connected));
  RETURN_IF_ERROR(AwaitAnswer(deadline, go_on, [&] { return ready_mesh_ >= number; }));
  std::lock_guard<std::mutex> lock(mutex_);
  mesh_ = mesh;
  mesh_number_ = number;
  if (dead_mesh_ >= number) mesh_->Close();
  return mesh;
}

}  // namespace transport
}  // namespace xla
