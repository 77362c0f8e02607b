// HostValue: what a buffer in host memory holds. Buffers, executions in flight and references from outside share
// it; the memory is given back when the last of them lets go.
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
#include "xla_core/support/memory_budget.h"
#include "xla_core/types/literal.h"

namespace xla {

// A literal with the event of its readiness and its share of a MemoryBudget. Fill happens before `ready`; from then
// on it never changes and may be read from any thread.
class HostValue {
 public:
  // Counts `literal` in `memory`. ResourceExhausted if it does not fit.
  static absl::StatusOr<std::shared_ptr<HostValue>> Make(std::shared_ptr<MemoryBudget> memory, Literal literal);
  // One whose literal, of `shape`, comes later: whoever makes it calls Fill before `ready` happens.
  static absl::StatusOr<std::shared_ptr<HostValue>> MakePending(std::shared_ptr<MemoryBudget> memory,
                                                                const Shape& shape, Event ready);
  ~HostValue();
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  const Event& ready() const { return ready_; }
  // Once ready() has happened with OK.
  const Literal& literal() const { return literal_; }
  int64_t size_bytes() const { return size_bytes_; }
  // No other value of the process ever has the same.
  uint64_t id() const { return id_; }
  void Fill(Literal literal) { literal_ = std::move(literal); }

  // The literal refers to memory of another owner, to whom `release` gives it back when the value ends.
  void SetBorrowed(std::function<void()> release) {
    is_borrowed_ = true;
    release_ = std::move(release);
  }
  bool is_borrowed() const { return is_borrowed_; }

  // How many references from outside there are.
  std::atomic<int>& external_references() { return external_references_; }

 private:
  HostValue(std::shared_ptr<MemoryBudget> memory, int64_t size_bytes)
      : memory_(std::move(memory)), size_bytes_(size_bytes) {}
  static uint64_t NextId();
  static absl::StatusOr<std::shared_ptr<HostValue>> Reserve(std::shared_ptr<MemoryBudget> memory, const Shape& shape);

  const std::shared_ptr<MemoryBudget> memory_;
  const int64_t size_bytes_;
  const uint64_t id_ = NextId();
  Literal literal_;
  Event ready_;
  bool is_borrowed_ = false;
  std::function<void()> release_;
  std::atomic<int> external_references_{0};
};

// A copy that shares no memory with `literal`. ResourceExhausted if there is no memory for it.
absl::StatusOr<Literal> CopyElements(Literal literal);

}  // namespace xla

#endif  // BACKENDS_HOST_HOST_VALUE_H_
