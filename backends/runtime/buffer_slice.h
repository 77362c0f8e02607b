// BufferSlice: where a value lives while a program runs.
#ifndef BACKENDS_RUNTIME_BUFFER_SLICE_H_
#define BACKENDS_RUNTIME_BUFFER_SLICE_H_

#include <cstdint>

namespace xla {

// `offset` bytes after a base address that is known once the program runs. Bases: 0 is address zero, for what is where
// it is, such as constants; 1 is the arena; those that follow are arguments and results.
struct BufferSlice {
  static constexpr int32_t kAbsolute = 0;
  static constexpr int32_t kArena = 1;
  static constexpr int32_t kFirstOther = 2;

  int32_t base = kAbsolute;
  int64_t offset = 0;
  int64_t bytes = 0;

  bool operator==(const BufferSlice& o) const { return base == o.base && offset == o.offset && bytes == o.bytes; }
  // Whether a byte belongs to both. Different bases never overlap.
  bool Overlaps(const BufferSlice& o) const {
    return base == o.base && offset < o.offset + o.bytes && o.offset < offset + bytes;
  }
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_BUFFER_SLICE_H_
