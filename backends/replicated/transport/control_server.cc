#include "backends/replicated/transport/control_server.h"

#include <poll.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/control_limits.h"

namespace xla {
namespace transport {
namespace {

constexpr int kTickMs = 50;
// Of what a stranger sends: a hello with its launch token is shorter.
constexpr int64_t kMaxStrangerMessage = 16 << 10;
// One that has not shown the launch token by then never will.
constexpr absl::Duration kStrangerTime = absl::Seconds(10);
// Beside members that are about to show it.
constexpr int kMaxStrangers = 256;
// After the system had no descriptor for a connection.
constexpr absl::Duration kAcceptPause = absl::Milliseconds(200);
// A member that does not read gets no heartbeats, and is given up beyond the second limit.
constexpr int64_t kMaxUnsentHeartbeats = 64 << 10;
constexpr int64_t kMaxUnsent = 2 * kMaxCoordinatorMessage;
// What the coordinator still has to say is sent within that time, or never.
constexpr absl::Duration kLinger = absl::Milliseconds(500);
constexpr absl::Duration kFarewell = absl::Seconds(2);

}  // namespace

ControlServer::ControlServer(Socket listener, int process_count, std::string launch_token)
    : coordinator_(process_count, std::move(launch_token)),
      max_strangers_(kMaxStrangers + process_count),
      listener_(std::move(listener)),
      port_(PortOf(listener_)) {
  thread_ = std::thread([this] { Run(); });
}

ControlServer::~ControlServer() {
  stopping_ = true;
  wake_up_.Wake();
  thread_.join();
}

// All that a connection has sent is there before its loss is known, so that is told last.
void ControlServer::Run() {
  absl::Time stop_at = absl::InfiniteFuture();
  while (true) {
    Look(absl::Now());
    const absl::Time now = absl::Now();
    DropWhoHasGone(now);
    coordinator_.Tick(now);
    SendAll();
    if (!stopping_) continue;
    if (stop_at == absl::InfiniteFuture()) stop_at = now + kFarewell;
    if (coordinator_.AllHaveGone() || now >= stop_at) return SayFarewell();
  }
}

void ControlServer::Look(absl::Time now) {
  std::vector<pollfd> waited = {{wake_up_.descriptor(), POLLIN, 0},
                                {now < next_accept_ ? -1 : listener_.descriptor(), POLLIN, 0}};
  std::vector<std::pair<const std::string, Connection>*> waiting;
  for (auto& entry : connections_) {
    const FrameStream& stream = entry.second.stream;
    const short events = stream.unsent_bytes() > 0 ? POLLIN | POLLOUT : POLLIN;
    waited.push_back({stream.socket().descriptor(), events, 0});
    waiting.push_back(&entry);
  }
  if (poll(waited.data(), waited.size(), kTickMs) <= 0) return;
  wake_up_.Clear();
  now = absl::Now();
  for (size_t i = 0; i < waiting.size(); ++i) {
    const short events = waited[i + 2].revents;
    Connection& connection = waiting[i]->second;
    if ((events & POLLOUT) != 0) connection.stream.Flush();
    if ((events & ~POLLOUT) != 0) ReceiveFrom(waiting[i]->first, connection, now);
  }
  if (waited[1].revents != 0) AcceptAll(now);
}

void ControlServer::AcceptAll(absl::Time now) {
  while (true) {
    bool is_exhausted;
    Socket socket = Accept(listener_, &is_exhausted);
    if (is_exhausted) next_accept_ = now + kAcceptPause;
    if (!socket.is_open()) return;
    connections_.emplace(absl::StrCat(next_name_++),
                         Connection{FrameStream(std::move(socket), kMaxStrangerMessage), now});
    DropOldestStranger();
  }
}

void ControlServer::ReceiveFrom(const std::string& name, Connection& connection, absl::Time now) {
  connection.stream.Receive([&](absl::string_view frame) {
    MemberMessage message;
    if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) return false;
    if (coordinator_.Receive(name, message, now) && !connection.is_admitted) {
      connection.is_admitted = true;
      connection.stream.set_max_frame(kMaxMemberMessage);
    }
    return true;
  });
}

void ControlServer::SendAll() {
  for (const Coordinator::Outgoing& outgoing : coordinator_.TakeOutgoing()) {
    const auto it = connections_.find(outgoing.connection);
    // What is for a connection that has gone is dropped.
    if (it == connections_.end()) continue;
    FrameStream& stream = it->second.stream;
    const bool is_heartbeat = outgoing.message.what_case() == CoordinatorMessage::WHAT_NOT_SET;
    if (is_heartbeat && stream.unsent_bytes() > kMaxUnsentHeartbeats) continue;
    stream.Send(outgoing.message.SerializeAsString());
  }
}

void ControlServer::DropWhoHasGone(absl::Time now) {
  for (auto it = connections_.begin(); it != connections_.end();) {
    const Connection& connection = it->second;
    const bool has_gone = !connection.stream.is_open() || connection.stream.unsent_bytes() > kMaxUnsent ||
                          (!connection.is_admitted && now - connection.since > kStrangerTime);
    if (!has_gone) {
      ++it;
      continue;
    }
    if (connection.is_admitted) coordinator_.ConnectionLost(it->first);
    it = connections_.erase(it);
  }
}

void ControlServer::DropOldestStranger() {
  auto oldest = connections_.end();
  int strangers = 0;
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.is_admitted) continue;
    ++strangers;
    if (oldest == connections_.end() || it->second.since < oldest->second.since) oldest = it;
  }
  if (strangers > max_strangers_) connections_.erase(oldest);
}

// A member that learns that this process has left in order does not count it as dead.
void ControlServer::SayFarewell() {
  const absl::Time deadline = absl::Now() + kLinger;
  const auto waits_to_send = [](const auto& entry) { return entry.second.stream.unsent_bytes() > 0; };
  while (std::any_of(connections_.begin(), connections_.end(), waits_to_send) && absl::Now() < deadline) {
    Look(absl::Now());
    DropWhoHasGone(absl::Now());
  }
  std::vector<const Socket*> sockets;
  for (const auto& [name, connection] : connections_) sockets.push_back(&connection.stream.socket());
  AwaitDelivery(sockets, deadline);
}

}  // namespace transport
}  // namespace xla
