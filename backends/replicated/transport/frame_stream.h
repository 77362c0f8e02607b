// FrameStream: one end of a connection over which small messages travel, whole or not at all. Neither waits nor locks.
//
// Each side first sends eight bytes that say what it speaks; then frames follow, each with its length in four bytes.
// Whoever sends something else, or a frame longer than is allowed, has ended the connection: memory grows only with
// bytes that have come.
#ifndef BACKENDS_REPLICATED_TRANSPORT_FRAME_STREAM_H_
#define BACKENDS_REPLICATED_TRANSPORT_FRAME_STREAM_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "backends/replicated/transport/sockets.h"

namespace xla {
namespace transport {

class FrameStream {
 public:
  // Frames of at most `max_frame` bytes are taken from the other side. The socket may still be connecting.
  FrameStream(Socket socket, int64_t max_frame);

  const Socket& socket() const { return socket_; }
  void set_max_frame(int64_t bytes) { max_frame_ = bytes; }
  // False when the other side has gone or has broken the protocol.
  bool is_open() const { return is_open_; }
  // Whether the other side speaks the protocol, as far as is known.
  bool has_opened() const { return has_opened_; }

  // Reads what has come, but not much more than a megabyte, and calls `take` for each frame; false from it ends the
  // connection. Frames that came before the other side left are taken.
  void Receive(absl::FunctionRef<bool(absl::string_view)> take);
  // Sends as much as goes at once, and the rest with Flush. Bytes that wait to be sent are limited by who calls.
  void Send(absl::string_view frame);
  void Flush();
  int64_t unsent_bytes() const { return static_cast<int64_t>(unsent_.size() - sent_); }

 private:
  bool TakeFrames(absl::FunctionRef<bool(absl::string_view)> take);

  Socket socket_;
  int64_t max_frame_;
  std::string received_;
  bool has_opened_ = false;
  std::string unsent_;
  size_t sent_ = 0;  // of those
  bool is_open_ = true;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_FRAME_STREAM_H_
