#include "backends/replicated/transport/control_client.h"

#include <poll.h>

#include "absl/time/clock.h"
#include "backends/replicated/transport/control_limits.h"

namespace xla {
namespace transport {
namespace {

constexpr int kTickMs = 50;
constexpr absl::Duration kTick = absl::Milliseconds(kTickMs);
constexpr absl::Duration kHeartbeat = absl::Milliseconds(200);
// A coordinator whose connection has gone, and that would have said something within that time if it lived.
constexpr absl::Duration kDeathSilence = absl::Milliseconds(700);
constexpr absl::Duration kNextAttempt = absl::Milliseconds(100);
// A host that is not there does not even refuse.
constexpr absl::Duration kAttemptTime = absl::Seconds(3);
constexpr absl::Duration kLinger = absl::Milliseconds(500);
// For a coordinator that is silent for long; what is more is lost.
constexpr int64_t kMaxUnsent = 16 * kMaxMemberMessage;

}  // namespace

ControlClient::ControlClient(MemberMessage self, Listener listener)
    : self_(std::move(self)), listener_(std::move(listener)), heard_ms_(absl::ToUnixMillis(absl::Now())) {
  thread_ = std::thread([this] { Run(); });
}

ControlClient::~ControlClient() {
  stopping_ = true;
  wake_up_.Wake();
  thread_.join();
}

void ControlClient::SetAddress(const std::string& address) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    address_ = address;
  }
  wake_up_.Wake();
}

std::string ControlClient::Serialize(MemberMessage message) const {
  message.set_launch_token(self_.launch_token());
  message.set_rank(self_.rank());
  message.set_incarnation(self_.incarnation());
  return message.SerializeAsString();
}

void ControlClient::Send(MemberMessage message) {
  std::string bytes = Serialize(std::move(message));
  const auto size = static_cast<int64_t>(bytes.size());
  // Only a report can be that long; without it, a deadlock is found by the timeout.
  if (size > kMaxMemberMessage) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (to_send_bytes_ + size > kMaxUnsent) return;
    to_send_bytes_ += size;
    to_send_.push_back(std::move(bytes));
  }
  wake_up_.Wake();
}

void ControlClient::Run() {
  absl::Time next_heartbeat = absl::InfinitePast();
  absl::Time next_tick = absl::InfinitePast();
  while (!stopping_) {
    EnsureConnection(absl::Now());
    Wait();
    Receive();
    const absl::Time now = absl::Now();
    if (has_lost_connection_ && has_heard_ && now - heard() > kDeathSilence) {
      has_heard_ = false;  // so that it is told once
      listener_.on_loss();
    }
    if (now >= next_tick) {
      next_tick = now + kTick / 2;
      listener_.on_tick();
    }
    if (now >= next_heartbeat) {
      next_heartbeat = now + kHeartbeat;
      Send(MemberMessage());
    }
    SendAll();
  }
  SendAll();
  SayFarewell();
}

void ControlClient::EnsureConnection(absl::Time now) {
  std::string address;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    address = address_;
  }
  if (address != connected_to_) {
    stream_.reset();
    connected_to_ = address;
    next_attempt_ = now;
  }
  const bool is_in_vain =
      stream_.has_value() && (!stream_->is_open() || (!stream_->has_opened() && now > next_attempt_ + kAttemptTime));
  if (is_in_vain) {
    stream_.reset();
    has_lost_connection_ = true;
  }
  if (stream_.has_value() || address.empty() || now < next_attempt_) return;
  next_attempt_ = now + kNextAttempt;
  const absl::StatusOr<Endpoint> endpoint = ParseAddress(address);
  if (!endpoint.ok()) return;
  absl::StatusOr<Socket> socket = StartConnecting(*endpoint);
  if (!socket.ok()) return;
  stream_.emplace(*std::move(socket), kMaxCoordinatorMessage);
  // Only who has shown its launch token may send longer messages.
  stream_->Send(Serialize(MemberMessage()));
}

void ControlClient::Wait() {
  pollfd waited[] = {{wake_up_.descriptor(), POLLIN, 0}, {-1, POLLIN, 0}};
  if (stream_.has_value()) {
    waited[1].fd = stream_->socket().descriptor();
    if (stream_->unsent_bytes() > 0) waited[1].events |= POLLOUT;
  }
  if (poll(waited, 2, kTickMs) <= 0) return;
  wake_up_.Clear();
  if ((waited[1].revents & POLLOUT) != 0) stream_->Flush();
}

void ControlClient::Receive() {
  if (!stream_.has_value()) return;
  stream_->Receive([this](absl::string_view frame) {
    CoordinatorMessage message;
    if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) return false;
    heard_ms_ = absl::ToUnixMillis(absl::Now());
    has_heard_ = true;
    has_lost_connection_ = false;
    listener_.on_message(message);
    return true;
  });
}

// While there is no connection, messages wait.
void ControlClient::SendAll() {
  if (!stream_.has_value() || !stream_->is_open() || stream_->unsent_bytes() > kMaxMemberMessage) return;
  std::deque<std::string> messages;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    messages.swap(to_send_);
    to_send_bytes_ = 0;
  }
  for (const std::string& bytes : messages) stream_->Send(bytes);
}

void ControlClient::SayFarewell() {
  if (!stream_.has_value()) return;
  const absl::Time deadline = absl::Now() + kLinger;
  const auto drop = [](absl::string_view) { return true; };
  while (stream_->is_open() && stream_->unsent_bytes() > 0 && absl::Now() < deadline) {
    Wait();
    stream_->Receive(drop);
  }
  const Socket* const socket = &stream_->socket();
  AwaitDelivery({socket}, deadline);
}

}  // namespace transport
}  // namespace xla
