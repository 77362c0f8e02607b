// What the coordinator knows of the connections between the processes: who has made them, and which are used.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/replicated/transport/coordinator.h"
#include "backends/replicated/transport/mesh_handshake.h"

namespace xla {
namespace transport {
namespace {

std::string NewSecret() {
  std::random_device random;
  std::string secret(kMeshSecretBytes, 0);
  for (char& c : secret) c = static_cast<char>(random());
  return secret;
}

}  // namespace

int64_t Coordinator::UsableMesh(absl::Time now) {
  if (mesh_.is_usable) return mesh_.number;
  const int64_t number = mesh_.number + 1;
  mesh_ = Mesh();
  mesh_.number = number;
  mesh_.is_usable = true;
  mesh_.patience = patience_;
  mesh_.deadline = now + patience_;
  return number;
}

void Coordinator::Exchange(int64_t rank, const MemberMessage::Address& address) {
  if (address.mesh() != mesh_.number) return;
  mesh_.addresses[rank] = address.address();
  if (static_cast<int64_t>(mesh_.addresses.size()) < process_count()) return;
  CoordinatorMessage message;
  message.mutable_peers()->set_mesh(mesh_.number);
  message.mutable_peers()->set_secret(NewSecret());
  for (const auto& [peer, where] : mesh_.addresses) message.mutable_peers()->add_address(where);
  for (int64_t r = 0; r < process_count(); ++r) Send(r, message);
}

void Coordinator::Connected(int64_t rank, int64_t mesh) {
  if (mesh != mesh_.number || !mesh_.is_usable) return;
  mesh_.connected.insert(rank);
  if (static_cast<int64_t>(mesh_.connected.size()) < process_count()) return;
  mesh_.is_ready = true;
  CoordinatorMessage message;
  message.mutable_ready()->set_mesh(mesh);
  for (int64_t r = 0; r < process_count(); ++r) Send(r, message);
}

// One that is silent is the cause more often than those that wait for it.
absl::Status Coordinator::WhyNotConnected(absl::Time now) const {
  std::vector<std::string> silent, late;
  for (int64_t r = 0; r < process_count(); ++r) {
    if (mesh_.connected.count(r) > 0) continue;
    const std::string how_heard = HowHeard(r, now);
    (how_heard.empty() ? late : silent).push_back(absl::StrCat(Describe(r), how_heard));
  }
  const std::vector<std::string>& named = silent.empty() ? late : silent;
  return absl::DeadlineExceededError(
      absl::StrCat(absl::StrJoin(named, ", "), named.size() == 1 ? " has" : " have",
                   " not been connected with the other processes within ", absl::FormatDuration(mesh_.patience),
                   silent.empty() ? "; allow the hosts each other's ports in the firewall" : ""));
}

void Coordinator::FailMesh(const absl::Status& failure) {
  mesh_.is_usable = false;
  CoordinatorMessage message;
  message.mutable_mesh_lost()->set_mesh(mesh_.number);
  message.mutable_mesh_lost()->set_code(static_cast<int>(failure.code()));
  message.mutable_mesh_lost()->set_message(std::string(failure.message()));
  for (int64_t r = 0; r < process_count(); ++r) Send(r, message);
  std::vector<int64_t> lost;
  for (const auto& [id, launch] : launches_) {
    if (launch.has_begun && launch.mesh == mesh_.number) lost.push_back(id);
  }
  for (const int64_t id : lost) Fail(id, failure);
}

}  // namespace transport
}  // namespace xla
