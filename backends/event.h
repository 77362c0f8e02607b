// Event and Future: something that happens later, with success or with an error.
//
// Buffers and executions hand out Events; whoever makes them happen holds the EventSource. The rules that keep waiting
// free of deadlocks and dangling pointers:
//
//   - An event happens exactly once. If its last source is destroyed without Set, the event happens with an error, so
//     no waiter waits for ever.
//   - Callbacks run without a lock held, on the thread that sets the event, or at once on the caller's if it has
//     happened already. They may set other events and add callbacks; those run after the current callback has
//     returned, not inside of it, so a long chain of dependent events takes no stack. A callback must not wait.
//   - An event owns its state together with its source and its copies: a callback may run after the object that added
//     it is gone, so it must own (share) whatever it touches.
#ifndef BACKENDS_EVENT_H_
#define BACKENDS_EVENT_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace xla {

namespace event_internal {
class State;
}  // namespace event_internal

// Cheap to copy; thread-safe.
class Event {
 public:
  // One that has happened with OK, which costs nothing.
  Event() = default;
  // One that has happened with `status`.
  static Event Of(absl::Status status);

  bool IsReady() const;
  // Waits until it has happened or `deadline` has passed; true if it has happened.
  bool WaitUntil(absl::Time deadline) const;
  // Waits, and returns what it happened with; DeadlineExceeded if it had not happened by `deadline`.
  absl::Status Await(absl::Time deadline = absl::InfiniteFuture()) const;
  // What it happened with; Unavailable if it has not happened yet. Never waits.
  absl::Status status() const;
  // Calls `callback` once, when the event happens; now if it has.
  void OnReady(std::function<void(const absl::Status&)> callback) const;

 private:
  friend class EventSource;
  explicit Event(std::shared_ptr<event_internal::State> state) : state_(std::move(state)) {}

  std::shared_ptr<event_internal::State> state_;  // nullptr: has happened with OK
};

// The other end of an event. Move-only; thread-safe.
class EventSource {
 public:
  EventSource();
  // Sets the event to Aborted if it was not set.
  ~EventSource();
  EventSource(EventSource&&) noexcept = default;
  EventSource& operator=(EventSource&& other) noexcept;

  Event event() const { return Event(state_); }
  // Makes it happen; later calls do nothing.
  void Set(absl::Status status);

 private:
  std::shared_ptr<event_internal::State> state_;
};

// Happens when all of `events` have, with the first error among them in their order.
Event AllOf(absl::Span<const Event> events);

// A value that comes later. Cheap to copy: copies share the value.
template <typename T>
class Future {
 public:
  // One that is there.
  explicit Future(T value) : value_(std::make_shared<T>(std::move(value))) {}
  // One that never comes.
  explicit Future(absl::Status error) : event_(Event::Of(std::move(error))) {}
  // `value` is complete once `event` has happened with OK.
  Future(Event event, std::shared_ptr<T> value) : event_(std::move(event)), value_(std::move(value)) {}

  const Event& event() const { return event_; }
  bool IsReady() const { return event_.IsReady(); }
  // Waits and returns a copy of the value, or the error; DeadlineExceeded if it had not come by `deadline`.
  absl::StatusOr<T> Await(absl::Time deadline = absl::InfiniteFuture()) const {
    absl::Status status = event_.Await(deadline);
    if (!status.ok()) return status;
    return *value_;
  }

 private:
  Event event_;
  std::shared_ptr<T> value_;
};

}  // namespace xla

#endif  // BACKENDS_EVENT_H_
