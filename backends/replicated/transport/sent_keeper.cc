#include "backends/replicated/transport/sent_keeper.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace xla {
namespace transport {
namespace {

// How long a process that leaves stays for what it has sent and no other has taken yet.
constexpr absl::Duration kFarewell = absl::Seconds(2);

}  // namespace

SentKeeper::~SentKeeper() {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, absl::ToChronoMilliseconds(kFarewell), [this] { return kept_.empty(); });
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SentKeeper::Keep(std::shared_ptr<Mesh> mesh, std::unique_ptr<Exchange::Sent> sent, std::function<void()> taken) {
  std::lock_guard<std::mutex> lock(mutex_);
  kept_.push_back({std::move(mesh), std::move(sent), std::move(taken)});
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
}

void SentKeeper::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !kept_.empty(); });
    if (stopping_) return;
    Kept& oldest = kept_.front();  // where it stays while others come
    lock.unlock();
    // Over a connection that is lost nothing is taken any more: the launch ends with that error.
    oldest.sent
        ->Await([this] {
          std::lock_guard<std::mutex> guard(mutex_);
          return stopping_ ? absl::CancelledError("the process leaves") : absl::OkStatus();
        })
        .IgnoreError();
    oldest.sent.reset();
    oldest.taken();
    lock.lock();
    kept_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace transport
}  // namespace xla
