#include "backends/event.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace xla {

using Callback = std::function<void(const absl::Status&)>;

namespace event_internal {

class State {
 public:
  bool ready() const { return ready_.load(std::memory_order_acquire); }
  // Only once ready(). Every caller has an error of its own: the reference counts of shared ones are counted in the
  // packaged Abseil, where ThreadSanitizer does not see them and takes the last thread's clean-up for a race.
  absl::Status status() const {
    absl::Status copy(status_.code(), status_.message());
    status_.ForEachPayload([&copy](absl::string_view url, const absl::Cord& payload) {
      const std::string bytes(payload);
      // Clang names the constructor from a std::string otherwise than the GCC that Abseil is built with.
      copy.SetPayload(url, absl::Cord(absl::string_view(bytes)));
    });
    return copy;
  }

  // The callbacks to run, if this call is the one that set it.
  std::vector<Callback> Set(absl::Status status) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ready()) return {};
    status_ = std::move(status);
    ready_.store(true, std::memory_order_release);
    happened_.notify_all();
    return std::move(callbacks_);
  }

  // False if it has happened: then the caller runs the callback.
  bool AddCallback(Callback& callback) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ready()) return false;
    callbacks_.push_back(std::move(callback));
    return true;
  }

  bool WaitUntil(absl::Time deadline) {
    if (ready()) return true;
    std::unique_lock<std::mutex> lock(mutex_);
    if (deadline == absl::InfiniteFuture()) {
      happened_.wait(lock, [this] { return ready(); });
      return true;
    }
    // The steady clock: a change of the system's time must not lengthen the wait.
    const absl::Duration left = std::min(std::max(deadline - absl::Now(), absl::ZeroDuration()), absl::Hours(24 * 365));
    return happened_.wait_for(lock, absl::ToChronoNanoseconds(left), [this] { return ready(); });
  }

 private:
  std::atomic<bool> ready_{false};
  absl::Status status_;  // written before ready_
  std::mutex mutex_;
  std::condition_variable happened_;
  std::vector<Callback> callbacks_;
};

}  // namespace event_internal

namespace {

using event_internal::State;

// Runs callbacks one after the other; those that a callback brings about wait until it has returned.
class CallbackQueue {
 public:
  static CallbackQueue& OfThisThread() {
    static thread_local CallbackQueue queue;
    return queue;
  }

  void Add(std::function<void()> work) {
    pending_.push_back(std::move(work));
    if (running_) return;
    running_ = true;
    while (!pending_.empty()) {
      const std::function<void()> next = std::move(pending_.front());
      pending_.pop_front();
      next();
    }
    running_ = false;
  }

 private:
  std::deque<std::function<void()>> pending_;
  bool running_ = false;
};

void RunCallback(Callback callback, absl::Status status) {
  CallbackQueue::OfThisThread().Add([callback = std::move(callback), status = std::move(status)] { callback(status); });
}

}  // namespace

Event Event::Of(absl::Status status) {
  if (status.ok()) return Event();
  auto state = std::make_shared<State>();
  state->Set(std::move(status));
  return Event(std::move(state));
}

bool Event::IsReady() const { return state_ == nullptr || state_->ready(); }

bool Event::WaitUntil(absl::Time deadline) const { return state_ == nullptr || state_->WaitUntil(deadline); }

absl::Status Event::Await(absl::Time deadline) const {
  if (state_ == nullptr) return absl::OkStatus();
  if (!state_->WaitUntil(deadline)) return absl::DeadlineExceededError("waited for an event until the deadline");
  return state_->status();
}

absl::Status Event::status() const {
  if (!IsReady()) return absl::UnavailableError("the event has not happened yet");
  return state_ == nullptr ? absl::OkStatus() : state_->status();
}

void Event::OnReady(std::function<void(const absl::Status&)> callback) const {
  if (state_ != nullptr && state_->AddCallback(callback)) return;
  RunCallback(std::move(callback), status());
}

EventSource::EventSource() : state_(std::make_shared<State>()) {}

EventSource::~EventSource() {
  if (state_ != nullptr && !state_->ready())
    Set(absl::AbortedError("whoever was to bring the event about has given up"));
}

EventSource& EventSource::operator=(EventSource&& other) noexcept {
  EventSource old(std::move(*this));  // its event happens, as in the destructor
  state_ = std::move(other.state_);
  return *this;
}

void EventSource::Set(absl::Status status) {
  const std::shared_ptr<State> state = state_;  // a callback may destroy this object
  for (Callback& callback : state->Set(std::move(status))) RunCallback(std::move(callback), state->status());
}

// Ready when all of the events are, with the error of the first in the list that failed. Events that ended well are
// left out at once, so that waiting for nothing costs nothing.
Event AllOf(absl::Span<const Event> events) {
  struct Gathering {
    std::vector<Event> events;
    std::atomic<size_t> missing;
    EventSource source;
  };
  auto gathering = std::make_shared<Gathering>();
  for (const Event& event : events) {
    if (!event.IsReady() || !event.status().ok()) gathering->events.push_back(event);
  }
  if (gathering->events.empty()) return Event();
  if (gathering->events.size() == 1) return gathering->events[0];
  gathering->missing = gathering->events.size();
  Event all = gathering->source.event();
  for (size_t i = 0; i < gathering->events.size(); ++i) {
    const Event event = gathering->events[i];
    event.OnReady([gathering](const absl::Status&) {
      if (--gathering->missing > 0) return;
      absl::Status first;
      for (const Event& e : gathering->events) {
        if (first.ok()) first = e.status();
      }
      gathering->source.Set(std::move(first));
    });
  }
  return all;
}

}  // namespace xla
