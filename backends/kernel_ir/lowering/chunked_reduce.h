// A nest that computes partial results of reductions into workspaces, several tiles for each element: for results that
// are too few to be tiles themselves, and for those along whose elements memory is walked across (*columns*).
//
// The first loop over what is reduced is cut into chunks; element i of chunk c is number c * elements + i of the
// workspace. Columns are taken many at a time, a few rows after the other, so that memory is read in order:
//
//   for tile { for j { p[j] = identity }  for row block { for j in lanes { p[j] = p[j] + (x[r,j] + x[r+1,j] + ...) } }
//   }
#ifndef BACKENDS_KERNEL_IR_LOWERING_CHUNKED_REDUCE_H_
#define BACKENDS_KERNEL_IR_LOWERING_CHUNKED_REDUCE_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

struct ChunkedReduce {
  // Reduces of one array each, over the same dimensions of equal sizes, none of which needs another.
  std::vector<ArrayNode> reduces;
  std::vector<int> buffers;
  int64_t elements = 1;
  bool columns = false;
  int64_t chunks = 1;
  int64_t chunk = 1;         // iterations of the first loop in each
  int64_t tail = 0;          // what is left of them: one more chunk
  int64_t rows_at_once = 1;  // of columns; divides `chunk`
  int64_t column_block = 1;

  int64_t partials() const { return chunks + (tail > 0 ? 1 : 0); }
  int64_t workspace_elements() const { return partials() * elements; }
};

// How to reduce in chunks, or nullopt where one element after the other is as good.
absl::optional<ChunkedReduce> ChunksFor(const ArrayNode& reduce, ElementEmitter& emitter, const LoweringTarget& target);

void WriteChunkedReduce(const ChunkedReduce& nest, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_CHUNKED_REDUCE_H_
