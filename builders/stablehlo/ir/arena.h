// Arena: memory for what has no destructor and lives as long as its module.
#ifndef BUILDERS_STABLEHLO_IR_ARENA_H_
#define BUILDERS_STABLEHLO_IR_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {
namespace stablehlo {

// What it returns stays in its place until it is freed or the arena goes, also when the arena is moved.
class Arena {
 public:
  // `size` bytes, aligned for any element type.
  char* Allocate(size_t size) {
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (size > left_) {
      // A large piece gets a block of its own, and the current one goes on.
      if (size > kBlockSize / 4) return NewLargeBlock(size);
      next_ = NewBlock(kBlockSize);
      left_ = kBlockSize;
    }
    char* const result = next_;
    next_ += size;
    left_ -= size;
    return result;
  }

  template <typename T>
  absl::Span<const T> Copy(absl::Span<const T> values) {
    static_assert(std::is_trivially_copyable<T>::value && std::is_trivially_destructible<T>::value);
    if (values.empty()) return {};
    char* const data = Allocate(values.size() * sizeof(T));
    std::memcpy(data, values.data(), values.size() * sizeof(T));
    return absl::MakeConstSpan(reinterpret_cast<const T*>(data), values.size());
  }
  absl::string_view Copy(absl::string_view text) {
    const absl::Span<const char> copy = Copy(absl::MakeConstSpan(text.data(), text.size()));
    return absl::string_view(copy.data(), copy.size());
  }

  // Gives back a piece that has a block of its own; others stay.
  void Free(const char* data) {
    const auto block = large_blocks_.find(data);
    if (block == large_blocks_.end()) return;
    allocated_bytes_ -= block->second.size;
    large_blocks_.erase(block);
  }

  // What is taken from the machine.
  int64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  static constexpr size_t kAlignment = 16;
  static constexpr size_t kBlockSize = 64 << 10;

  char* NewBlock(size_t size) {
    blocks_.emplace_back(new char[size]);
    allocated_bytes_ += static_cast<int64_t>(size);
    return blocks_.back().get();
  }

  struct LargeBlock {
    std::unique_ptr<char[]> data;
    int64_t size = 0;
  };

  char* NewLargeBlock(size_t size) {
    LargeBlock block{std::unique_ptr<char[]>(new char[size]), static_cast<int64_t>(size)};
    char* const data = block.data.get();
    large_blocks_.emplace(data, std::move(block));
    allocated_bytes_ += static_cast<int64_t>(size);
    return data;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  absl::flat_hash_map<const char*, LargeBlock> large_blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  int64_t allocated_bytes_ = 0;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_ARENA_H_
