#include "backends/replicated/transport/mesh.h"

#include <sys/epoll.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/mesh_handshake.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// How often those who wait ask whether to go on.
constexpr int kTickMs = 10;
constexpr auto kTick = std::chrono::milliseconds(kTickMs);
constexpr int kEventsAtATime = 64;
// For what has been sent and is still on its way when a process leaves.
constexpr absl::Duration kFarewell = absl::Seconds(2);

}  // namespace

Mesh::Transfer::~Transfer() { mesh_->Forget(*this); }

absl::StatusOr<std::shared_ptr<Mesh>> Mesh::Make(int rank, int process_count, const std::string& host) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, Resolve(host, 0));
  ASSIGN_OR_RETURN(Socket listener, Listen(endpoint, host));
  Socket watch(epoll_create1(EPOLL_CLOEXEC));
  if (!watch.is_open()) return absl::ResourceExhaustedError(absl::StrCat("epoll_create1: ", std::strerror(errno)));
  std::string address = absl::StrCat(NumberOf(endpoint), ":", PortOf(listener));
  return std::shared_ptr<Mesh>(
      new Mesh(rank, process_count, std::move(listener), std::move(address), std::move(watch)));
}

absl::Status Mesh::Connect(absl::Span<const std::string> peers, const std::string& secret, absl::Time deadline,
                           GoOn go_on) {
  ASSIGN_OR_RETURN(std::vector<Socket> sockets, ConnectWithAll(rank_, peers, secret, listener_, deadline, go_on));
  listener_.Close();
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return absl::UnavailableError("the connections between the processes are closed");
  peers_.resize(process_count_);
  for (int r = 0; r < process_count_; ++r) {
    if (r == rank_) continue;
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u32 = static_cast<uint32_t>(r);
    if (epoll_ctl(watch_.descriptor(), EPOLL_CTL_ADD, sockets[r].descriptor(), &event) != 0) {
      return absl::ResourceExhaustedError(absl::StrCat("epoll_ctl: ", std::strerror(errno)));
    }
    peers_[r].connection = std::make_unique<MeshConnection>(r, std::move(sockets[r]));
  }
  return absl::OkStatus();
}

Mesh::~Mesh() {
  std::vector<const Socket*> sockets;
  for (const Peer& peer : peers_) {
    if (peer.connection != nullptr && peer.connection->loss().ok()) sockets.push_back(&peer.connection->socket());
  }
  AwaitDelivery(sockets, absl::Now() + kFarewell);
}

// ---- Messages

std::unique_ptr<Mesh::Transfer> Mesh::Begin(int peer, MeshConnection::End end) {
  std::unique_ptr<Transfer> transfer(new Transfer(this, peer));
  transfer->end_ = std::move(end);
  std::lock_guard<std::mutex> lock(mutex_);
  MeshConnection& connection = *peers_[peer].connection;
  if (!transfer->end_.is_sender) {
    connection.Receive(&transfer->end_);
  } else {
    // That it is expected may have come already.
    const bool is_held = transfer->end_.delivery == Delivery::kWhenExpected;
    if (is_held && !is_looked_after_ && !connection.IsExpected(transfer->end_.slot)) connection.Read();
    connection.Send(&transfer->end_);
  }
  Settle(peers_[peer]);
  return transfer;
}

std::unique_ptr<Mesh::Transfer> Mesh::Send(int to, uint64_t slot, const void* data, int64_t bytes, Delivery delivery) {
  MeshConnection::End end;
  end.is_sender = true;
  end.slot = slot;
  end.delivery = delivery;
  end.data = static_cast<char*>(const_cast<void*>(data));
  end.bytes = bytes;
  return Begin(to, std::move(end));
}

std::unique_ptr<Mesh::Transfer> Mesh::Receive(int from, uint64_t slot, void* data, int64_t bytes, Delivery delivery) {
  MeshConnection::End end;
  end.slot = slot;
  end.delivery = delivery;
  end.data = static_cast<char*>(data);
  end.bytes = bytes;
  return Begin(from, std::move(end));
}

void Mesh::Forget(Transfer& transfer) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (transfer.end_.is_over) return;
  Peer& peer = peers_[transfer.peer_];
  peer.connection->Forget(&transfer.end_);
  Settle(peer);
}

void Mesh::Settle(Peer& peer) {
  MeshConnection& connection = *peer.connection;
  if (connection.TakeSomeAreOver() && waiting_ > 0) changed_.notify_all();
  // The socket of a lost connection is closed and watched no more.
  if (!connection.loss().ok() || connection.wants_to_write() == peer.watches_room) return;
  epoll_event event = {};
  event.events = connection.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u32 = static_cast<uint32_t>(&peer - peers_.data());
  if (epoll_ctl(watch_.descriptor(), EPOLL_CTL_MOD, connection.socket().descriptor(), &event) != 0) {
    connection.Lose(absl::InternalError(absl::StrCat("epoll_ctl: ", std::strerror(errno))));
    return;
  }
  peer.watches_room = connection.wants_to_write();
}

// ---- Waiting

void Mesh::Look(int wait_ms, std::unique_lock<std::mutex>& lock) {
  is_looked_after_ = true;
  lock.unlock();
  epoll_event events[kEventsAtATime];
  const int count = epoll_wait(watch_.descriptor(), events, kEventsAtATime, wait_ms);
  lock.lock();
  for (int i = 0; i < count; ++i) {
    Peer& peer = peers_[events[i].data.u32];
    if ((events[i].events & EPOLLOUT) != 0) peer.connection->Write();
    if ((events[i].events & ~EPOLLOUT) != 0) peer.connection->Read();
    Settle(peer);
  }
  is_looked_after_ = false;
}

absl::Status Mesh::Wait(Transfer& transfer, GoOn go_on) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto next_question = std::chrono::steady_clock::now() + kTick;
  while (!transfer.end_.is_over) {
    if (is_looked_after_) {
      ++waiting_;
      changed_.wait_for(lock, kTick);
      --waiting_;
    } else {
      Look(kTickMs, lock);
      // Another one looks on.
      if (waiting_ > 0 && transfer.end_.is_over) changed_.notify_all();
    }
    if (transfer.end_.is_over || std::chrono::steady_clock::now() < next_question) continue;
    lock.unlock();
    absl::Status going = go_on();
    if (!going.ok()) return going;
    lock.lock();
    next_question = std::chrono::steady_clock::now() + kTick;
  }
  return transfer.end_.status;
}

void Mesh::Glance() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (is_looked_after_) return;
  Look(0, lock);
  // Another one looks on.
  if (waiting_ > 0) changed_.notify_all();
}

void Mesh::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  closed_ = true;
  for (Peer& peer : peers_) {
    if (peer.connection != nullptr) {
      peer.connection->Lose(absl::UnavailableError("the connections between the processes are closed"));
    }
  }
  changed_.notify_all();
}

}  // namespace transport
}  // namespace xla
