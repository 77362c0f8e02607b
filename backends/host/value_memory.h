// ValueMemory: where a leaf of a value is kept if a device has memory of its own.
//
// The literal of such a value refers to memory that the host sees: the device's own, or a place that the device's is
// copied to. Who reads the literal asks for BringToHost before.
#ifndef BACKENDS_HOST_VALUE_MEMORY_H_
#define BACKENDS_HOST_VALUE_MEMORY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/exported_memory.h"
#include "xla_core/types/literal.h"

namespace xla {

// Freed with the last reference. Thread-safe.
class ValueMemory {
 public:
  virtual ~ValueMemory() {
    if (release_ != nullptr) release_();
  }
  // Afterwards the host sees the elements where the literal says. Waits for the device if it has to be copied.
  virtual absl::Status BringToHost() = 0;

  // As ExportsMemory::Export.
  virtual absl::StatusOr<ExportedMemory> Export() const = 0;

  // It is memory of another owner, to whom `release` gives it back at the end, and must not be written to. Before
  // others have it.
  void SetBorrowed(std::function<void()> release) {
    is_borrowed_ = true;
    release_ = std::move(release);
  }
  bool is_borrowed() const { return is_borrowed_; }

 private:
  bool is_borrowed_ = false;
  std::function<void()> release_;  // once what a device has of it is freed
};

// By leaf of a value; nullptr: the literal owns the elements. Empty: it owns all of them.
using ValueMemories = std::vector<std::shared_ptr<ValueMemory>>;

// Puts values where a client's devices want them.
class ValuePlacer {
 public:
  virtual ~ValuePlacer() = default;
  // Copies the elements to memory of the device at that position among the client's. Afterwards the literal refers to
  // it. ResourceExhausted: the device has no memory for them.
  virtual absl::StatusOr<ValueMemories> Place(int64_t device, Literal* literal) const = 0;
  // An array in memory of the host, which the device reads where it is. nullptr: it has to be placed.
  virtual std::shared_ptr<ValueMemory> Borrow(int64_t device, const Literal& array) const = 0;
};

}  // namespace xla

#endif  // BACKENDS_HOST_VALUE_MEMORY_H_
