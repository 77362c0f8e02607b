// Mesh: connections between each two processes of a group, over which arrays travel: Gloo's TCP transport.
//
// A message goes from one rank to another under a number (slot) that both know, from memory of the one to memory of the
// other, as soon as both have named theirs: the receiver's has room for all that the sender sends, or Gloo ends the
// process, so who does not know the size of a message agrees on a bound. After an error no connection is used again.
//
// Gloo's headers are included in mesh.cc only, and its exceptions end there.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MESH_H_
#define BACKENDS_REPLICATED_TRANSPORT_MESH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace xla {
namespace transport {

// Writing to a connection that the other end has closed raises SIGPIPE, which ends a process that does not expect it.
// Keeps it from the calling thread, and from those that it starts, as long as it lives.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal();
  ~NoBrokenPipeSignal();
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  bool was_blocked_;
};

// Thread-safe. Callers of what sends or receives keep SIGPIPE away.
class Mesh {
 public:
  // A message under way. When it goes, its memory is touched no more.
  class Transfer {
   public:
    virtual ~Transfer() = default;
  };

  // Listens for each of the other ranks at the address `host`, a number.
  static absl::StatusOr<std::shared_ptr<Mesh>> Make(int rank, int process_count, const std::string& host);
  virtual ~Mesh() = default;

  // Where it listens for each rank; its own is empty.
  virtual const std::vector<std::string>& addresses() const = 0;
  // Connects to all: peers[r] is where rank r listens for this one. Close ends it early.
  virtual absl::Status Connect(absl::Span<const std::string> peers, absl::Duration timeout) = 0;

  // Never wait. `bytes` is positive.
  virtual absl::StatusOr<std::unique_ptr<Transfer>> Send(int to, uint64_t slot, const void* data, int64_t bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<Transfer>> Receive(int from, uint64_t slot, void* data, int64_t bytes) = 0;
  // Waits until the message has arrived, or has left the memory of its sender. `go_on` is asked every 10 ms or so.
  // Unavailable if the connection is lost or closed.
  virtual absl::Status Wait(Transfer& transfer, absl::FunctionRef<absl::Status()> go_on) = 0;

  // Ends all that is under way.
  virtual void Close() = 0;
  virtual bool is_closed() const = 0;

  // Memory for messages, kept from one use to the next. Its content is not defined.
  struct Scratch {
    std::unique_ptr<char[]> data;
    int64_t bytes = 0;
  };
  virtual Scratch TakeScratch(int64_t bytes) = 0;
  virtual void ReturnScratch(Scratch scratch) = 0;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MESH_H_
