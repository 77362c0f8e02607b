// ControlClient: a member's end of the control channel, on a thread of its own. Its other end is a ControlServer.
#ifndef BACKENDS_REPLICATED_TRANSPORT_CONTROL_CLIENT_H_
#define BACKENDS_REPLICATED_TRANSPORT_CONTROL_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/replicated/transport/control.pb.h"
#include "backends/replicated/transport/frame_stream.h"
#include "backends/replicated/transport/wake_up.h"

namespace xla {
namespace transport {

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
  ControlClient(MemberMessage self, Listener listener);
  // What was to be sent is sent first, within half a second.
  ~ControlClient();
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  // Where the coordinator is, a number with a port; it may move until the first message from it.
  void SetAddress(const std::string& address);
  // Never waits.
  void Send(MemberMessage message);
  absl::Time heard() const { return absl::FromUnixMillis(heard_ms_); }

 private:
  void Run();
  std::string Serialize(MemberMessage message) const;
  // Follows the address; a connection that was lost is made again.
  void EnsureConnection(absl::Time now);
  void Wait();
  void Receive();
  void SendAll();
  void SayFarewell();

  const MemberMessage self_;
  const Listener listener_;
  WakeUp wake_up_;

  std::mutex mutex_;
  std::string address_;
  std::deque<std::string> to_send_;
  int64_t to_send_bytes_ = 0;

  // Of the thread.
  absl::optional<FrameStream> stream_;
  std::string connected_to_;
  absl::Time next_attempt_ = absl::InfinitePast();
  bool has_heard_ = false;
  bool has_lost_connection_ = false;  // since it heard last

  std::atomic<int64_t> heard_ms_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_CONTROL_CLIENT_H_
