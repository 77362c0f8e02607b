// ControlServer: the coordinator at its port, on a thread of its own. Its members are ControlClients.
//
// Anyone can connect to the port. Bytes of strangers go no further than to a FrameStream and a protobuf parser; as long
// as a connection has not shown the launch token, its messages are short, it is dropped after some seconds, and there
// are few of its kind.
#ifndef BACKENDS_REPLICATED_TRANSPORT_CONTROL_SERVER_H_
#define BACKENDS_REPLICATED_TRANSPORT_CONTROL_SERVER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "backends/replicated/transport/coordinator.h"
#include "backends/replicated/transport/frame_stream.h"
#include "backends/replicated/transport/sockets.h"
#include "backends/replicated/transport/wake_up.h"

namespace xla {
namespace transport {

class ControlServer {
 public:
  // Of a socket that listens.
  ControlServer(Socket listener, int process_count, std::string launch_token);
  // Stays until all have gone, or for a second or two.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Where it listens.
  int port() const { return port_; }

 private:
  struct Connection {
    FrameStream stream;
    absl::Time since;
    bool is_admitted = false;
  };

  void Run();
  // Waits for something to happen, and reads what has come.
  void Look(absl::Time now);
  void AcceptAll(absl::Time now);
  void ReceiveFrom(const std::string& name, Connection& connection, absl::Time now);
  void SendAll();
  void DropWhoHasGone(absl::Time now);
  void DropOldestStranger();
  void SayFarewell();

  Coordinator coordinator_;
  const int max_strangers_;
  const Socket listener_;
  const int port_;
  WakeUp wake_up_;
  std::map<std::string, Connection> connections_;  // by a name that is never used again
  int64_t next_name_ = 0;
  absl::Time next_accept_ = absl::InfinitePast();
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_CONTROL_SERVER_H_
