// ScratchMemory: memory for messages, kept from one use to the next.
#ifndef BACKENDS_REPLICATED_TRANSPORT_SCRATCH_MEMORY_H_
#define BACKENDS_REPLICATED_TRANSPORT_SCRATCH_MEMORY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace xla {
namespace transport {

// Thread-safe.
class ScratchMemory {
 public:
  struct Piece {
    std::unique_ptr<char[]> data;
    int64_t bytes = 0;
  };

  // At least that many bytes, whose content is not defined.
  Piece Take(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto best = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      if (it->bytes >= bytes && (best == kept_.end() || it->bytes < best->bytes)) best = it;
    }
    if (best == kept_.end()) return {std::unique_ptr<char[]>(new char[bytes]), bytes};
    Piece taken = std::move(*best);
    kept_.erase(best);
    kept_bytes_ -= taken.bytes;
    return taken;
  }

  void Return(Piece piece) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (piece.data == nullptr || kept_bytes_ + piece.bytes > kMaxKeptBytes) return;
    kept_bytes_ += piece.bytes;
    kept_.push_back(std::move(piece));
  }

 private:
  static constexpr int64_t kMaxKeptBytes = int64_t{64} << 20;

  std::mutex mutex_;
  std::vector<Piece> kept_;
  int64_t kept_bytes_ = 0;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_SCRATCH_MEMORY_H_
