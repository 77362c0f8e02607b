// CopyOnWrite: a value that its copies share until one of them is written to.
#ifndef XLA_CORE_SUPPORT_COPY_ON_WRITE_H_
#define XLA_CORE_SUPPORT_COPY_ON_WRITE_H_

#include <atomic>
#include <cstdint>
#include <utility>

namespace xla {

// A pointer to a counted T, or to nothing, which stands for a default-constructed T. Copies may be used from different
// threads like copies of a T; one object may not be written to while another thread uses it.
//
// std::shared_ptr does not serve: what use_count() says orders no accesses, so a sole owner could not write safely.
template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  CopyOnWrite(const CopyOnWrite& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  CopyOnWrite(CopyOnWrite&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  CopyOnWrite& operator=(CopyOnWrite other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~CopyOnWrite() { Release(block_); }

  // False as long as nothing was written to it.
  bool has_value() const { return block_ != nullptr; }
  const T& get() const {
    static const T& none = *new T;
    return block_ == nullptr ? none : block_->value;
  }
  // The value for writing, which is copied first if others share it.
  T& Mutable() {
    if (block_ == nullptr) {
      block_ = new Block;
    } else if (block_->owners.load(std::memory_order_acquire) != 1) {
      Block* const own = new Block(block_->value);
      Release(std::exchange(block_, own));
    }
    return block_->value;
  }

 private:
  struct Block {
    Block() = default;
    explicit Block(const T& copied) : value(copied) {}
    std::atomic<uint32_t> owners{1};
    T value{};
  };

  static void Release(Block* block) {
    if (block != nullptr && block->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete block;
  }

  Block* block_ = nullptr;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_COPY_ON_WRITE_H_
