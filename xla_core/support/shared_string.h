// SharedString: an immutable string the size of a pointer, whose copies share the characters.
#ifndef XLA_CORE_SUPPORT_SHARED_STRING_H_
#define XLA_CORE_SUPPORT_SHARED_STRING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace xla {

// For texts that many objects have, or that most objects lack: an empty one allocates nothing. Copies may be used from
// different threads.
class SharedString {
 public:
  SharedString() = default;
  SharedString(absl::string_view text);                                             // NOLINT: as std::string
  SharedString(const std::string& text) : SharedString(absl::string_view(text)) {}  // NOLINT: as std::string
  SharedString(const char* text) : SharedString(absl::string_view(text)) {}         // NOLINT: as std::string
  SharedString(const SharedString& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedString(SharedString&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedString& operator=(SharedString other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedString() { Release(); }

  bool empty() const { return block_ == nullptr; }
  absl::string_view view() const {
    return block_ == nullptr ? absl::string_view() : absl::string_view(Characters(block_), block_->size);
  }
  operator absl::string_view() const { return view(); }  // NOLINT: a string is passed as its characters
  std::string str() const { return std::string(view()); }

  friend bool operator==(const SharedString& a, const SharedString& b) {
    return a.block_ == b.block_ || a.view() == b.view();
  }
  friend bool operator!=(const SharedString& a, const SharedString& b) { return !(a == b); }

  template <typename H>
  friend H AbslHashValue(H state, const SharedString& text) {
    return H::combine(std::move(state), text.view());
  }

 private:
  // The characters follow it in the same allocation.
  struct Block {
    std::atomic<uint32_t> owners;
    size_t size;
  };
  static char* Characters(Block* block) { return reinterpret_cast<char*>(block + 1); }
  void Release();

  Block* block_ = nullptr;
};

// Gives equal texts the same characters if there are few others between them.
class SharedStrings {
 public:
  SharedString Get(absl::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(absl::string_view text) const { return absl::Hash<absl::string_view>()(text); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(absl::string_view a, absl::string_view b) const { return a == b; }
  };
  absl::flat_hash_set<SharedString, Hash, Equal> known_;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_SHARED_STRING_H_
