#include "backends/replicated/transport/mesh.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gloo/transport/address.h"
#include "gloo/transport/context.h"
#include "gloo/transport/device.h"
#include "gloo/transport/pair.h"
#include "gloo/transport/tcp/device.h"
#include "gloo/transport/unbound_buffer.h"

namespace xla {
namespace transport {
namespace {

// How often those who wait are woken to ask whether to go on.
constexpr auto kTick = std::chrono::milliseconds(10);
// Gloo's own limit of waiting, after which it would close all connections: never.
constexpr auto kForever = std::chrono::hours(24 * 365);
// On it every process receives what none sends: such a message fails when its connection is lost.
constexpr uint64_t kWatchedSlot = ~uint64_t{0};
// Memory that is kept for messages to come.
constexpr int64_t kMaxKeptBytes = int64_t{64} << 20;

// What Gloo throws, as a status.
template <typename Action>
absl::Status Catch(absl::string_view what, const Action& action) {
  try {
    action();
    return absl::OkStatus();
  } catch (const std::exception& e) {
    return absl::UnavailableError(absl::StrCat(what, ": ", e.what()));
  }
}

class GlooTransfer : public Mesh::Transfer {
 public:
  GlooTransfer(std::unique_ptr<gloo::transport::UnboundBuffer> buffer, bool is_send, int peer)
      : buffer_(std::move(buffer)), is_send_(is_send), peer_(peer) {}

  // False if it was interrupted; throws if the connection is lost.
  bool Wait() { return is_send_ ? buffer_->waitSend(nullptr, kForever) : buffer_->waitRecv(nullptr, kForever); }
  void Interrupt() {
    if (is_send_) {
      buffer_->abortWaitSend();
    } else {
      buffer_->abortWaitRecv();
    }
  }
  gloo::transport::UnboundBuffer& buffer() { return *buffer_; }
  int peer() const { return peer_; }

 private:
  const std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  const bool is_send_;
  const int peer_;
};

class GlooMesh : public Mesh {
 public:
  GlooMesh(int rank, int process_count) : rank_(rank), process_count_(process_count), lost_(process_count) {}

  // What has left the memory of its sender arrives still.
  ~GlooMesh() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    tick_.notify_all();
    if (ticker_.joinable()) ticker_.join();
    const NoBrokenPipeSignal no_signal;
    watched_.clear();
    // The pairs go before their device.
    context_.reset();
    device_.reset();
  }

  absl::Status Listen(const std::string& host) {
    const NoBrokenPipeSignal no_signal;
    return Catch(absl::StrCat("cannot listen at ", host), [&] {
      const gloo::transport::tcp::attr attr(host.c_str());
      device_ = gloo::transport::tcp::CreateDevice(attr);
      context_ = device_->createContext(rank_, process_count_);
      context_->setTimeout(std::chrono::seconds(30));
      addresses_.resize(process_count_);
    });
  }

  // Pairs listen from when they are made, and how long they wait to be connected is told them then: so this is first.
  absl::Status MakePairs() {
    const NoBrokenPipeSignal no_signal;
    return Catch("cannot listen", [&] {
      for (int r = 0; r < process_count_; ++r) {
        if (r == rank_) continue;
        const std::vector<char> bytes = context_->createPair(r)->address().bytes();
        addresses_[r].assign(bytes.begin(), bytes.end());
      }
    });
  }

  const std::vector<std::string>& addresses() const override { return addresses_; }

  absl::Status Connect(absl::Span<const std::string> peers, absl::Duration timeout) override {
    const NoBrokenPipeSignal no_signal;
    // Of a pair that waits for the other side.
    std::thread closer;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    closer = std::thread([&] {
      std::unique_lock<std::mutex> lock(mutex);
      if (!changed.wait_for(lock, absl::ToChronoMilliseconds(timeout), [&] { return done; })) Close();
    });
    absl::Status status;
    for (int r = 0; r < process_count_ && status.ok(); ++r) {
      if (r == rank_) continue;
      status = Catch(absl::StrCat("cannot connect to rank ", r),
                     [&] { context_->getPair(r)->connect(std::vector<char>(peers[r].begin(), peers[r].end())); });
    }
    {
      std::lock_guard<std::mutex> lock(mutex);
      done = true;
    }
    changed.notify_all();
    closer.join();
    if (status.ok() && is_closed()) {
      status = absl::UnavailableError(
          absl::StrCat("the other processes could not be reached within ", absl::FormatDuration(timeout)));
    }
    if (status.ok()) status = Watch();
    if (!status.ok()) Close();
    return status;
  }

  absl::StatusOr<std::unique_ptr<Transfer>> Send(int to, uint64_t slot, const void* data, int64_t bytes) override {
    // Gloo only reads it.
    return Post(to, const_cast<void*>(data), bytes, true, [&](gloo::transport::UnboundBuffer& b) { b.send(to, slot); });
  }

  absl::StatusOr<std::unique_ptr<Transfer>> Receive(int from, uint64_t slot, void* data, int64_t bytes) override {
    return Post(from, data, bytes, false, [&](gloo::transport::UnboundBuffer& b) { b.recv(from, slot); });
  }

  absl::Status Wait(Transfer& transfer, absl::FunctionRef<absl::Status()> go_on) override {
    auto& waited = static_cast<GlooTransfer&>(transfer);
    Waiter waiter = {&waited, std::chrono::steady_clock::now()};
    while (true) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        waiters_.push_back(&waiter);
      }
      bool arrived = false;
      const absl::Status status =
          Catch(absl::StrCat("the connection with rank ", waited.peer(), " is lost"), [&] { arrived = waited.Wait(); });
      {
        std::lock_guard<std::mutex> lock(mutex_);
        waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
        if (status.ok() && !arrived && !lost_[waited.peer()].ok()) return lost_[waited.peer()];
      }
      if (!status.ok()) return status;
      if (arrived) return absl::OkStatus();
      absl::Status going = go_on();
      if (!going.ok()) return going;
      waiter.since = std::chrono::steady_clock::now();
    }
  }

  void Close() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (closed_) return;
      closed_ = true;
      for (absl::Status& lost : lost_) {
        if (lost.ok()) lost = absl::UnavailableError("the connections between the processes are closed");
      }
    }
    const NoBrokenPipeSignal no_signal;
    if (context_ != nullptr) {
      for (int r = 0; r < process_count_; ++r) {
        auto& pair = context_->getPair(r);
        if (pair == nullptr) continue;
        // Nothing is left to do about a connection that cannot even be closed.
        Catch("cannot close", [&] { pair->close(); }).IgnoreError();
      }
    }
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Waiter* waiter : waiters_) waiter->transfer->Interrupt();
  }

  bool is_closed() const override { return closed_; }

  Scratch TakeScratch(int64_t bytes) override {
    std::lock_guard<std::mutex> lock(mutex_);
    auto best = scratch_.end();
    for (auto it = scratch_.begin(); it != scratch_.end(); ++it) {
      if (it->bytes >= bytes && (best == scratch_.end() || it->bytes < best->bytes)) best = it;
    }
    if (best == scratch_.end()) return {std::unique_ptr<char[]>(new char[bytes]), bytes};
    Scratch taken = std::move(*best);
    scratch_.erase(best);
    kept_bytes_ -= taken.bytes;
    return taken;
  }

  void ReturnScratch(Scratch scratch) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (scratch.data == nullptr || kept_bytes_ + scratch.bytes > kMaxKeptBytes) return;
    kept_bytes_ += scratch.bytes;
    scratch_.push_back(std::move(scratch));
  }

 private:
  struct Waiter {
    GlooTransfer* transfer;
    std::chrono::steady_clock::time_point since;
  };

  template <typename Action>
  absl::StatusOr<std::unique_ptr<Transfer>> Post(int peer, void* data, int64_t bytes, bool is_send,
                                                 const Action& action) {
    std::unique_ptr<GlooTransfer> transfer;
    const absl::Status status = Catch(absl::StrCat("the connection with rank ", peer, " is lost"), [&] {
      transfer = std::make_unique<GlooTransfer>(context_->createUnboundBuffer(data, bytes), is_send, peer);
      action(transfer->buffer());
    });
    if (!status.ok()) return status;
    return std::unique_ptr<Transfer>(std::move(transfer));
  }

  absl::Status Watch() {
    for (int r = 0; r < process_count_; ++r) {
      if (r == rank_) continue;
      auto transfer = Receive(r, kWatchedSlot, &watched_byte_, 1);
      if (!transfer.ok()) return transfer.status();
      watched_.push_back(*std::move(transfer));
    }
    ticker_ = std::thread([this] { Tick(); });
    return absl::OkStatus();
  }

  // Gloo waits without asking, so those who wait are interrupted; and it does not tell those in the middle of a message
  // that the connection is lost, so each has a message that is never begun.
  void Tick() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_) {
      tick_.wait_for(lock, kTick);
      const auto now = std::chrono::steady_clock::now();
      for (const Waiter* waiter : waiters_) {
        if (now - waiter->since >= kTick / 2) waiter->transfer->Interrupt();
      }
      for (const std::unique_ptr<Transfer>& watched : watched_) {
        auto& transfer = static_cast<GlooTransfer&>(*watched);
        absl::Status& lost = lost_[transfer.peer()];
        if (!lost.ok()) continue;
        transfer.Interrupt();
        lost = Catch(absl::StrCat("the connection with rank ", transfer.peer(), " is lost"), [&] { transfer.Wait(); });
      }
    }
  }

  const int rank_;
  const int process_count_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<Transfer>> watched_;
  char watched_byte_ = 0;
  std::thread ticker_;

  std::mutex mutex_;
  std::condition_variable tick_;
  std::vector<const Waiter*> waiters_;
  std::vector<absl::Status> lost_;  // by rank
  bool stopping_ = false;
  std::atomic<bool> closed_{false};
  std::vector<Scratch> scratch_;
  int64_t kept_bytes_ = 0;
};

}  // namespace

NoBrokenPipeSignal::NoBrokenPipeSignal() {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  was_blocked_ = sigismember(&before, SIGPIPE) == 1;
}

NoBrokenPipeSignal::~NoBrokenPipeSignal() {
  if (was_blocked_) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  // One that came meanwhile is forgotten.
  const timespec now = {0, 0};
  while (sigtimedwait(&set, nullptr, &now) > 0) {
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

absl::StatusOr<std::shared_ptr<Mesh>> Mesh::Make(int rank, int process_count, const std::string& host) {
  auto mesh = std::make_shared<GlooMesh>(rank, process_count);
  absl::Status status = mesh->Listen(host);
  if (status.ok()) status = mesh->MakePairs();
  if (!status.ok()) return status;
  return std::shared_ptr<Mesh>(std::move(mesh));
}

}  // namespace transport
}  // namespace xla
