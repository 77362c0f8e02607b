// The control channel: small messages between a coordinator and its members, over ZeroMQ.
//
// Whoever connects to the coordinator's port may send what he likes: messages are bounded, what cannot be parsed is
// counted and dropped, and what does not carry the launch token changes nothing.
#ifndef BACKENDS_REPLICATED_TRANSPORT_CONTROL_CHANNEL_H_
#define BACKENDS_REPLICATED_TRANSPORT_CONTROL_CHANNEL_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "backends/replicated/transport/control.pb.h"
#include "backends/replicated/transport/coordinator.h"

namespace xla {
namespace transport {

// A socket of ZeroMQ with what belongs to it: its context, what tells of its connections, and what wakes its thread.
class ControlSocket {
 public:
  // Of a type of ZeroMQ's sockets.
  static absl::StatusOr<std::unique_ptr<ControlSocket>> Make(int type);
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  void* socket() const { return socket_; }
  // Waits until there is a message, or Wake was called, or something happened to a connection.
  void Wait(absl::Duration timeout);
  void Wake();
  // The descriptor of a connection that has gone; false if there is none.
  bool NextLoss(int* descriptor);

 private:
  ControlSocket() = default;

  void* context_ = nullptr;
  void* socket_ = nullptr;
  void* events_ = nullptr;
  int wake_ = -1;
};

// The coordinator at its port, on a thread of its own.
class ControlServer {
 public:
  // `address` as ZeroMQ writes it: "tcp://*:0". AlreadyExists if the port is taken.
  static absl::StatusOr<std::unique_ptr<ControlServer>> Start(const std::string& address, int process_count,
                                                              std::string launch_token);
  // Stays until all have gone, or for a second or two.
  ~ControlServer();

  // Where it listens.
  int port() const { return port_; }
  // Messages that could not be read.
  int64_t refused() const { return refused_; }

 private:
  ControlServer(int process_count, std::string launch_token) : coordinator_(process_count, std::move(launch_token)) {}
  void Run();
  void ReceiveAll();
  void SendAll();

  Coordinator coordinator_;
  std::unique_ptr<ControlSocket> socket_;
  std::map<int, std::string> connections_;  // by descriptor
  int port_ = 0;
  std::atomic<int64_t> refused_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// A member's end, on a thread of its own.
class ControlClient {
 public:
  struct Listener {
    std::function<void(const CoordinatorMessage&)> on_message;
    // Every 50 ms or so.
    std::function<void()> on_tick;
    // The coordinator's end has closed, and nothing has been heard since.
    std::function<void()> on_loss;
  };

  // All messages are from `self`: launch token, rank, incarnation.
  static absl::StatusOr<std::unique_ptr<ControlClient>> Start(MemberMessage self, Listener listener);
  ~ControlClient();

  // Where the coordinator is; it may move until the first message from it.
  void SetAddress(const std::string& address);
  // Never waits.
  void Send(MemberMessage message);
  absl::Time heard() const { return absl::FromUnixMillis(heard_ms_); }

 private:
  ControlClient(MemberMessage self, Listener listener) : self_(std::move(self)), listener_(std::move(listener)) {}
  void Run();
  void SendAll();
  void ReceiveAll();

  const MemberMessage self_;
  const Listener listener_;
  std::unique_ptr<ControlSocket> socket_;
  std::mutex mutex_;
  std::string address_;
  std::deque<std::string> to_send_;
  std::string connected_to_;
  bool has_heard_ = false;
  bool lost_connection_ = false;
  std::atomic<int64_t> heard_ms_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_CONTROL_CHANNEL_H_
