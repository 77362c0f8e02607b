#include "backends/replicated/transport/control_channel.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(50);
constexpr absl::Duration kHeartbeat = absl::Milliseconds(200);
// A coordinator whose connection has gone, and that would have said something within that time if it lived.
constexpr absl::Duration kDeathSilence = absl::Milliseconds(700);
// What the coordinator still has to say is sent within that time, or never.
constexpr int kLingerMs = 500;
constexpr absl::Duration kFarewell = absl::Seconds(2);
// Of a member's message; of the coordinator's, which holds a little of all members.
constexpr int64_t kMaxMemberMessage = 4 << 20;
constexpr int64_t kMaxCoordinatorMessage = 256 << 20;
// Messages that are read before others are sent.
constexpr int kMessagesAtATime = 1000;

absl::Status Error(absl::string_view what) {
  return absl::InternalError(absl::StrCat("control channel: ", what, ": ", zmq_strerror(zmq_errno())));
}

// A frame as bytes; false if there is none, or if the message does not have that many.
class Frame {
 public:
  Frame() { zmq_msg_init(&message_); }
  ~Frame() { zmq_msg_close(&message_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  bool Receive(void* socket) { return zmq_msg_recv(&message_, socket, ZMQ_DONTWAIT) >= 0; }
  const char* data() { return static_cast<const char*>(zmq_msg_data(&message_)); }
  size_t size() { return zmq_msg_size(&message_); }
  std::string bytes() { return std::string(data(), size()); }
  bool more() { return zmq_msg_more(&message_) != 0; }
  int descriptor() { return zmq_msg_get(&message_, ZMQ_SRCFD); }

 private:
  zmq_msg_t message_;
};

void DropRest(void* socket) {
  Frame frame;
  while (frame.Receive(socket) && frame.more()) {
  }
}

}  // namespace

// ---- The socket

absl::StatusOr<std::unique_ptr<ControlSocket>> ControlSocket::Make(int type) {
  std::unique_ptr<ControlSocket> made(new ControlSocket());
  made->wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (made->wake_ < 0) return absl::InternalError(absl::StrCat("control channel: eventfd: ", std::strerror(errno)));
  made->context_ = zmq_ctx_new();
  if (made->context_ == nullptr) return Error("zmq_ctx_new");
  made->socket_ = zmq_socket(made->context_, type);
  if (made->socket_ == nullptr) return Error("zmq_socket");
  const auto set = [&](int option, int value) { zmq_setsockopt(made->socket_, option, &value, sizeof(value)); };
  set(ZMQ_LINGER, kLingerMs);
  set(ZMQ_IPV6, 1);
  set(ZMQ_RECONNECT_IVL, 50);
  set(ZMQ_RECONNECT_IVL_MAX, 200);
  // Strangers that connect and say nothing are not kept.
  set(ZMQ_HANDSHAKE_IVL, 10000);
  const int64_t max_size = type == ZMQ_ROUTER ? kMaxMemberMessage : kMaxCoordinatorMessage;
  zmq_setsockopt(made->socket_, ZMQ_MAXMSGSIZE, &max_size, sizeof(max_size));
  if (zmq_socket_monitor(made->socket_, "inproc://events", ZMQ_EVENT_DISCONNECTED) != 0) {
    return Error("zmq_socket_monitor");
  }
  made->events_ = zmq_socket(made->context_, ZMQ_PAIR);
  if (made->events_ == nullptr || zmq_connect(made->events_, "inproc://events") != 0) return Error("zmq_connect");
  return made;
}

ControlSocket::~ControlSocket() {
  if (socket_ != nullptr) {
    zmq_socket_monitor(socket_, nullptr, 0);
    zmq_close(socket_);
  }
  if (events_ != nullptr) zmq_close(events_);
  // Waits as long as messages linger.
  while (context_ != nullptr && zmq_ctx_term(context_) != 0 && zmq_errno() == EINTR) {
  }
  if (wake_ >= 0) close(wake_);
}

void ControlSocket::Wait(absl::Duration timeout) {
  zmq_pollitem_t items[] = {{socket_, 0, ZMQ_POLLIN, 0}, {events_, 0, ZMQ_POLLIN, 0}, {nullptr, wake_, ZMQ_POLLIN, 0}};
  zmq_poll(items, 3, std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout)));
  uint64_t count;
  while (read(wake_, &count, sizeof(count)) > 0) {
  }
}

void ControlSocket::Wake() {
  const uint64_t one = 1;
  // It fails if very many wait to be read: then it is awake.
  if (write(wake_, &one, sizeof(one)) < 0) return;
}

// Events are of two frames: 16 bits of event and 32 of value, and an address.
bool ControlSocket::NextLoss(int* descriptor) {
  Frame event;
  if (!event.Receive(events_)) return false;
  if (event.more()) DropRest(events_);
  *descriptor = -1;
  if (event.size() >= 6) {
    int32_t value;
    std::memcpy(&value, event.data() + 2, sizeof(value));
    *descriptor = value;
  }
  return true;
}

// ---- The coordinator's end

absl::StatusOr<std::unique_ptr<ControlServer>> ControlServer::Start(const std::string& address, int process_count,
                                                                    std::string launch_token) {
  std::unique_ptr<ControlServer> server(new ControlServer(process_count, std::move(launch_token)));
  ASSIGN_OR_RETURN(server->socket_, ControlSocket::Make(ZMQ_ROUTER));
  if (zmq_bind(server->socket_->socket(), address.c_str()) != 0) {
    const int error = zmq_errno();
    if (error == EADDRINUSE) {
      return absl::AlreadyExistsError(
          absl::StrCat("the port of ", address, " is taken by another process; choose another port"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen at ", address, ": ", zmq_strerror(error), "; name an address of this host"));
  }
  char endpoint[256];
  size_t size = sizeof(endpoint);
  if (zmq_getsockopt(server->socket_->socket(), ZMQ_LAST_ENDPOINT, endpoint, &size) != 0) return Error("its address");
  const std::string bound(endpoint);
  server->port_ = std::atoi(bound.c_str() + bound.rfind(':') + 1);
  server->thread_ = std::thread([raw = server.get()] { raw->Run(); });
  return server;
}

ControlServer::~ControlServer() {
  stopping_ = true;
  if (socket_ != nullptr) socket_->Wake();
  if (thread_.joinable()) thread_.join();
}

// All that a connection has sent is there before its loss is known, so messages are read first.
void ControlServer::Run() {
  absl::Time stop_at = absl::InfiniteFuture();
  while (true) {
    socket_->Wait(kTick);
    std::vector<int> losses;
    int descriptor;
    while (socket_->NextLoss(&descriptor)) losses.push_back(descriptor);
    ReceiveAll();
    for (const int lost : losses) {
      const auto it = connections_.find(lost);
      if (it == connections_.end()) continue;
      coordinator_.ConnectionLost(it->second);
      connections_.erase(it);
    }
    const absl::Time now = absl::Now();
    coordinator_.Tick(now);
    SendAll();
    if (!stopping_) continue;
    if (stop_at == absl::InfiniteFuture()) stop_at = now + kFarewell;
    if (coordinator_.AllHaveGone() || now >= stop_at) return;
  }
}

void ControlServer::ReceiveAll() {
  void* const socket = socket_->socket();
  for (int i = 0; i < kMessagesAtATime; ++i) {
    Frame sender, body;
    if (!sender.Receive(socket)) return;
    MemberMessage message;
    if (!sender.more() || !body.Receive(socket)) {
      ++refused_;
      continue;
    }
    if (body.more()) {
      DropRest(socket);
      ++refused_;
      continue;
    }
    if (!message.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
      ++refused_;
      continue;
    }
    const std::string connection = sender.bytes();
    const int descriptor = body.descriptor();
    if (descriptor >= 0) connections_[descriptor] = connection;
    coordinator_.Receive(connection, message, absl::Now());
  }
}

void ControlServer::SendAll() {
  void* const socket = socket_->socket();
  for (const Coordinator::Outgoing& outgoing : coordinator_.TakeOutgoing()) {
    const std::string bytes = outgoing.message.SerializeAsString();
    // A message to a connection that has gone is dropped.
    if (zmq_send(socket, outgoing.connection.data(), outgoing.connection.size(), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
      continue;
    }
    zmq_send(socket, bytes.data(), bytes.size(), ZMQ_DONTWAIT);
  }
}

// ---- A member's end

absl::StatusOr<std::unique_ptr<ControlClient>> ControlClient::Start(MemberMessage self, Listener listener) {
  std::unique_ptr<ControlClient> client(new ControlClient(std::move(self), std::move(listener)));
  ASSIGN_OR_RETURN(client->socket_, ControlSocket::Make(ZMQ_DEALER));
  client->heard_ms_ = absl::ToUnixMillis(absl::Now());
  client->thread_ = std::thread([raw = client.get()] { raw->Run(); });
  return client;
}

ControlClient::~ControlClient() {
  stopping_ = true;
  socket_->Wake();
  if (thread_.joinable()) thread_.join();
}

void ControlClient::SetAddress(const std::string& address) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    address_ = address;
  }
  socket_->Wake();
}

void ControlClient::Send(MemberMessage message) {
  message.set_launch_token(self_.launch_token());
  message.set_rank(self_.rank());
  message.set_incarnation(self_.incarnation());
  std::string bytes = message.SerializeAsString();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    to_send_.push_back(std::move(bytes));
  }
  socket_->Wake();
}

void ControlClient::Run() {
  absl::Time next_heartbeat = absl::InfinitePast();
  absl::Time next_tick = absl::InfinitePast();
  while (!stopping_) {
    socket_->Wait(kTick);
    int descriptor;
    bool lost = false;
    while (socket_->NextLoss(&descriptor)) lost = true;
    ReceiveAll();
    if (lost) lost_connection_ = true;
    const absl::Time now = absl::Now();
    if (lost_connection_ && has_heard_ && now - heard() > kDeathSilence) {
      lost_connection_ = false;
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
}

void ControlClient::SendAll() {
  std::deque<std::string> messages;
  std::string address;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    address = address_;
    if (!address.empty()) messages.swap(to_send_);
  }
  if (address.empty()) return;
  if (address != connected_to_) {
    if (!connected_to_.empty()) zmq_disconnect(socket_->socket(), connected_to_.c_str());
    zmq_connect(socket_->socket(), address.c_str());
    connected_to_ = address;
  }
  // A queue that is full, of a coordinator that is silent for long, loses what is sent.
  for (const std::string& bytes : messages) {
    zmq_send(socket_->socket(), bytes.data(), bytes.size(), ZMQ_DONTWAIT);
  }
}

void ControlClient::ReceiveAll() {
  void* const socket = socket_->socket();
  for (int i = 0; i < kMessagesAtATime; ++i) {
    Frame body;
    if (!body.Receive(socket)) return;
    if (body.more()) {
      DropRest(socket);
      continue;
    }
    CoordinatorMessage message;
    if (!message.ParseFromArray(body.data(), static_cast<int>(body.size()))) continue;
    heard_ms_ = absl::ToUnixMillis(absl::Now());
    has_heard_ = true;
    lost_connection_ = false;
    listener_.on_message(message);
  }
}

}  // namespace transport
}  // namespace xla
