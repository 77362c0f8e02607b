// UseList: the instructions that use a value or call a computation.
#ifndef XLA_CORE_IR_USE_LIST_H_
#define XLA_CORE_IR_USE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/types/span.h"

namespace xla {

class HloInstruction;

// Each instruction once. The order is that of additions until one is removed; it depends on nothing but the calls that
// were made. With many, their places are kept in a map, so that removing them one by one is not quadratic.
//
// Every instruction has one of these, and most have one user or two: those lie within the list.
class UseList {
 public:
  UseList() = default;
  UseList(UseList&& other) noexcept { Swap(other); }
  UseList& operator=(UseList&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~UseList();

  absl::Span<HloInstruction* const> list() const { return {uses(), size_}; }
  size_t size() const { return size_; }
  bool Contains(const HloInstruction* use);
  // Adds what the list does not contain.
  void Add(HloInstruction* use);
  // Removes what the list contains. With many, the last one moves to its place.
  void Remove(HloInstruction* use);

 private:
  static constexpr uint32_t kInline = 2;
  static constexpr uint32_t kMany = 16;
  struct Places;  // by instruction
  struct Heap {
    HloInstruction** uses;
    Places* places;  // nullptr unless there are many
  };

  HloInstruction* const* uses() const { return capacity_ == kInline ? inline_ : heap_.uses; }
  HloInstruction** uses() { return capacity_ == kInline ? inline_ : heap_.uses; }
  Places* PlacesOfMany();
  void Grow();
  void Swap(UseList& other) {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(heap_, other.heap_);  // of equal size as inline_
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  union {
    Heap heap_ = {nullptr, nullptr};
    HloInstruction* inline_[kInline];
  };
};

}  // namespace xla

#endif  // XLA_CORE_IR_USE_LIST_H_
