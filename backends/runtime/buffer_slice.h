// BufferSlice: where a value lives while a program runs.
#ifndef BACKENDS_RUNTIME_BUFFER_SLICE_H_
#define BACKENDS_RUNTIME_BUFFER_SLICE_H_

#include <cstdint>

namespace xla {

// `offset` bytes after the beginning of a piece of memory that is known once the program runs. A *base* is the number
// of such a piece: negative ones are constants; 0 is none, for what has no memory; 1 is the arena; those that follow
// are arguments, results and kept values. No base is an address, so that it may be memory of any device.
struct BufferSlice {
  static constexpr int32_t kNowhere = 0;
  static constexpr int32_t kArena = 1;
  static constexpr int32_t kFirstOther = 2;

  // All of a constant, which has a place in ProgramPlan::constants.
  static BufferSlice OfConstant(int32_t number, int64_t bytes) { return {-1 - number, 0, bytes}; }

  int32_t base = kNowhere;
  int64_t offset = 0;
  int64_t bytes = 0;

  bool IsConstant() const { return base < 0; }
  int32_t constant() const { return -1 - base; }

  bool operator==(const BufferSlice& o) const { return base == o.base && offset == o.offset && bytes == o.bytes; }
  // Whether a byte belongs to both. Different bases never overlap.
  bool Overlaps(const BufferSlice& o) const {
    return base == o.base && offset < o.offset + o.bytes && o.offset < offset + bytes;
  }
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_BUFFER_SLICE_H_
