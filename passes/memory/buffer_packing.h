// Packing: offsets for buffers that are live at certain times, so that they take as little memory together as possible.
#ifndef PASSES_MEMORY_BUFFER_PACKING_H_
#define PASSES_MEMORY_BUFFER_PACKING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/analyses/liveness.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Every offset is a multiple of this: a cache line, and as much as the widest vector registers want.
inline constexpr int64_t kBufferAlignment = 64;

// A size, and the slots (liveness.h) in which the buffer must not share its bytes.
struct BufferToPack {
  int64_t bytes = 0;
  std::vector<LiveInterval> live;  // ascending; two of them may touch or overlap
};

// Where the buffers go. `bytes` is at least lower_bound; the difference is what the heuristic loses.
struct Packing {
  std::vector<int64_t> offsets;  // one for each buffer
  int64_t bytes = 0;             // of all together
  // The most bytes that are live in one slot, each buffer rounded up to the alignment: no packing takes less.
  int64_t lower_bound = 0;
};

// Two buffers that are live in a common slot do not overlap. Deterministic; takes time n log n for n buffers, times the
// number of those that are live at once as far as that stays within reason.
// ResourceExhausted if the sizes add up to more than 62 bits; the error of a limit of `resources`, which may be
// nullptr.
absl::StatusOr<Packing> PackBuffers(absl::Span<const BufferToPack> buffers, int64_t slot_count,
                                    const ResourceContext* resources);

}  // namespace xla

#endif  // PASSES_MEMORY_BUFFER_PACKING_H_
