// MeshConnection: one connection of a mesh. Messages go from memory of one process to memory of the other one, each
// under a number (slot) that both know and that is used once. Neither waits nor locks: its mesh does.
//
// ---- What travels
//
// Frames: a header, and the bytes of a message after it. A message that is sent *at once* travels when it is sent; if
// none has been expected, its receiver keeps it. One that is sent *when expected* stays where it is until the receiver
// has named its memory and has said so in a frame without bytes, so that bytes go straight from socket to memory, and
// who is far ahead of the others fills its own memory, not theirs. Both sides know which way a message goes.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MESH_CONNECTION_H_
#define BACKENDS_REPLICATED_TRANSPORT_MESH_CONNECTION_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "backends/replicated/transport/sockets.h"

namespace xla {
namespace transport {

enum class Delivery { kAtOnce, kWhenExpected };

class MeshConnection {
 public:
  // One end of a message. Its owner keeps it where it is until it is over or forgotten.
  struct End {
    bool is_sender = false;
    uint64_t slot = 0;
    Delivery delivery = Delivery::kWhenExpected;
    char* data = nullptr;  // of a sender, only read
    int64_t bytes = 0;     // of a receiver: the most that may come; once it is over, what has come
    bool is_over = false;
    absl::Status status;
  };

  MeshConnection(int peer, Socket socket);

  const Socket& socket() const { return socket_; }
  // Why nothing can be sent or received any more; OK: it can.
  const absl::Status& loss() const { return loss_; }
  bool wants_to_write() const { return !outgoing_.empty(); }
  // Whether a message of the other side has said already that this one is expected.
  bool IsExpected(uint64_t slot) const { return expected_.count(slot) > 0; }

  // The end is over when all bytes have left its memory, or have come there.
  void Send(End* end);
  void Receive(End* end);
  // Its memory is touched no more. The connection is lost if that happens in the middle of a message.
  void Forget(End* end);

  // Move what goes at once, and no more than some megabytes.
  void Read();
  void Write();
  // Whether an end has come to be over since this was asked last.
  bool TakeSomeAreOver() { return std::exchange(some_are_over_, false); }
  // Ends all that is under way, and closes it.
  void Lose(const absl::Status& why);

 private:
  struct Header {
    uint32_t magic;
    uint32_t kind;
    uint64_t slot;
    uint64_t bytes;
  };
  struct Outgoing {
    Header header;
    End* end;  // nullptr: a frame without bytes
  };
  // A message that came before it was expected.
  struct Kept {
    std::unique_ptr<char[]> data;
    int64_t bytes = 0;
  };
  static constexpr int64_t kStageBytes = 64 << 10;

  void Enqueue(uint32_t kind, uint64_t slot, End* end);
  void Finish(End* end, const absl::Status& status);
  int64_t Remaining() const { return arriving_bytes_ - arrived_; }
  void TakeStaged();
  void BeginFrame();
  void BeginMessage();
  void EndMessage();
  void HearExpected();
  void Violation(absl::string_view what);

  const int peer_;
  Socket socket_;
  absl::Status loss_;
  bool some_are_over_ = false;

  // ---- Outgoing
  std::deque<Outgoing> outgoing_;
  int64_t sent_ = 0;                         // bytes of the first of them, its header included
  std::unordered_map<uint64_t, End*> held_;  // sent when expected, and not expected yet
  std::unordered_set<uint64_t> expected_;    // by the other side, and not sent yet

  // ---- Incoming
  std::unique_ptr<char[]> stage_;  // for headers and what is short: bytes [staged_begin_, staged_end_)
  int64_t staged_begin_ = 0, staged_end_ = 0;
  Header header_ = {};
  int64_t header_bytes_ = 0;  // that have come
  bool is_in_message_ = false;
  int64_t arriving_bytes_ = 0, arrived_ = 0;
  char* target_ = nullptr;
  End* receiver_ = nullptr;  // of the message that arrives; nullptr: it is kept
  Kept kept_now_;
  std::unordered_map<uint64_t, End*> receivers_;
  std::unordered_map<uint64_t, Kept> kept_;
  int64_t kept_bytes_ = 0;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MESH_CONNECTION_H_
