// Mesh: connections between each two processes of a group, over which arrays travel.
//
// A message goes from one rank to another under a number (slot) that both know, from memory of the one to memory of the
// other; mesh_connection.h says how. There is no thread for that: who waits for a message looks after all connections
// meanwhile, so that what it waits for comes without another thread in between. After an error no connection is used
// again.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MESH_H_
#define BACKENDS_REPLICATED_TRANSPORT_MESH_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/replicated/transport/mesh_connection.h"
#include "backends/replicated/transport/scratch_memory.h"
#include "backends/replicated/transport/sockets.h"

namespace xla {
namespace transport {

// Thread-safe.
class Mesh {
 public:
  using GoOn = absl::FunctionRef<absl::Status()>;

  // A message under way. When it goes, its memory is touched no more.
  class Transfer {
   public:
    ~Transfer();
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    // Of one that has arrived: its bytes.
    int64_t bytes() const { return end_.bytes; }

   private:
    friend class Mesh;
    Transfer(Mesh* mesh, int peer) : mesh_(mesh), peer_(peer) {}

    Mesh* const mesh_;
    const int peer_;
    MeshConnection::End end_;
  };

  // Listens for the other ranks at the address `host`, a number.
  static absl::StatusOr<std::shared_ptr<Mesh>> Make(int rank, int process_count, const std::string& host);
  // What has left the memory of its sender arrives still.
  ~Mesh();

  // Where it listens.
  const std::string& address() const { return address_; }
  // Connects to all, and listens no more: peers[r] is where rank r listens. `secret` is the same in all processes of
  // the group and is not known elsewhere (mesh_handshake.h). `go_on` is asked every 10 ms or so. Unavailable for a rank
  // that refuses; DeadlineExceeded, naming those that are missing.
  absl::Status Connect(absl::Span<const std::string> peers, const std::string& secret, absl::Time deadline, GoOn go_on);

  // Never wait. `bytes` is positive; a receiver has room for all that its sender sends. Both name the same delivery.
  std::unique_ptr<Transfer> Send(int to, uint64_t slot, const void* data, int64_t bytes, Delivery delivery);
  std::unique_ptr<Transfer> Receive(int from, uint64_t slot, void* data, int64_t bytes, Delivery delivery);
  // Waits until the message has arrived, or has left the memory of its sender. `go_on` is asked every 10 ms or so.
  // Unavailable if the connection is lost or closed.
  absl::Status Wait(Transfer& transfer, GoOn go_on);
  // Moves what can be moved at once, for who computes meanwhile.
  void Glance();

  // Ends all that is under way.
  void Close();
  bool is_closed() const { return closed_; }

  ScratchMemory& scratch() { return scratch_; }

 private:
  struct Peer {
    std::unique_ptr<MeshConnection> connection;
    bool watches_room = false;  // it is watched for room to write
  };

  Mesh(int rank, int process_count, Socket listener, std::string address, Socket watch)
      : rank_(rank),
        process_count_(process_count),
        listener_(std::move(listener)),
        address_(std::move(address)),
        watch_(std::move(watch)) {}
  std::unique_ptr<Transfer> Begin(int peer, MeshConnection::End end);
  void Forget(Transfer& transfer);
  // Looks after all connections until something happens there, at most so long. Called with the lock held, which it
  // releases meanwhile.
  void Look(int wait_ms, std::unique_lock<std::mutex>& lock);
  // After anything was done with the connection.
  void Settle(Peer& peer);

  const int rank_;
  const int process_count_;
  Socket listener_;
  const std::string address_;
  const Socket watch_;  // epoll's descriptor

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Peer> peers_;  // by rank; empty: not connected
  bool is_looked_after_ = false;
  int waiting_ = 0;  // threads that let another one look
  std::atomic<bool> closed_{false};

  ScratchMemory scratch_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MESH_H_
