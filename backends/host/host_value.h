// HostValue: what a buffer holds, in the host's memory or in a device's (value_memory.h). Buffers, executions in flight
// and references from outside share it; the memory is given back when the last of them lets go.
#ifndef BACKENDS_HOST_HOST_VALUE_H_
#define BACKENDS_HOST_HOST_VALUE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/event.h"
#include "backends/host/value_memory.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/types/literal.h"

namespace xla {

// A literal with the event of its readiness and its share of a MemoryBudget. Fill happens before `ready`; from then
// on it never changes and may be read from any thread, after BringToHost if it refers to a device's memory.
class HostValue {
 public:
  // Counts `literal` in `memory`. `leaves`: what it refers to. ResourceExhausted if it does not fit.
  static absl::StatusOr<std::shared_ptr<HostValue>> Make(std::shared_ptr<MemoryBudget> memory, Literal literal,
                                                         ValueMemories leaves = {});
  // One whose literal, of `shape`, comes later: whoever makes it calls Fill before `ready` happens.
  static absl::StatusOr<std::shared_ptr<HostValue>> MakePending(std::shared_ptr<MemoryBudget> memory,
                                                                const Shape& shape, Event ready);
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  const Event& ready() const { return ready_; }
  // Once ready() has happened with OK.
  const Literal& literal() const { return literal_; }
  int64_t size_bytes() const { return share_.size_bytes; }
  // No other value of the process ever has the same.
  uint64_t id() const { return id_; }
  // `memory`: what the literal refers to.
  void Fill(Literal&& literal, ValueMemories memory = {}) {
    literal_ = std::move(literal);
    leaves_ = std::move(memory);
  }

  // Of a device, by leaf.
  const ValueMemories& memory() const { return leaves_; }
  // Before literal() is read: its elements are on the host then.
  absl::Status BringToHost() const;

  // The literal refers to memory of another owner, to whom `release` gives it back when the value ends.
  void SetBorrowed(std::function<void()> release) {
    is_borrowed_ = true;
    share_.release = std::move(release);
  }
  bool is_borrowed() const { return is_borrowed_; }
  // Whether copies of the literal may outlive the value.
  bool owns_elements() const { return !is_borrowed_ && leaves_.empty(); }

  // How many references from outside there are.
  std::atomic<int>& external_references() { return external_references_; }

 private:
  HostValue(std::shared_ptr<MemoryBudget> memory, int64_t size_bytes)
      : share_{std::move(memory), size_bytes, nullptr} {}
  static uint64_t NextId();
  static absl::StatusOr<std::shared_ptr<HostValue>> Reserve(std::shared_ptr<MemoryBudget> memory, const Shape& shape);

  // What is given back once the elements have ended, which are therefore declared after it.
  struct Share {
    ~Share() {
      memory->Release(size_bytes);
      if (release != nullptr) release();
    }

    const std::shared_ptr<MemoryBudget> memory;
    const int64_t size_bytes;
    std::function<void()> release;  // of borrowed memory
  };

  Share share_;
  const uint64_t id_ = NextId();
  ValueMemories leaves_;
  Literal literal_;
  Event ready_;
  bool is_borrowed_ = false;
  std::atomic<int> external_references_{0};
};

// A copy that shares no memory with `literal`. ResourceExhausted if there is no memory for it.
absl::StatusOr<Literal> CopyElements(Literal literal);

}  // namespace xla

#endif  // BACKENDS_HOST_HOST_VALUE_H_
