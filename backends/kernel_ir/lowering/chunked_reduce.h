// A nest that computes partial results of reductions into workspaces, several tiles for each element: for results that
// are too few to be tiles themselves, and for those along whose elements memory is walked across (*columns*).
//
// The first loop over what is reduced is cut into chunks. Columns are neighbours in memory (the elements [b, 0..c) of a
// reduction of [b, rows, c] to [b, c]); many are taken at a time, a few rows after the other, so that memory is read in
// order:
//
//   for tile { for j { p[j] = identity }  for row block { for j in lanes { p[j] = p[j] + (x[r,j] + x[r+1,j] + ...) } }
//   }
//
// Rows that are too short for vectors are taken several side by side: [rows, 3] as [rows / 64, 192]. Each of the 64
// *groups* gets partial results of its own.
#ifndef BACKENDS_KERNEL_IR_LOWERING_CHUNKED_REDUCE_H_
#define BACKENDS_KERNEL_IR_LOWERING_CHUNKED_REDUCE_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// The plan of such a nest, in elements and iterations, not bytes. chunks * chunk * groups + tail is the number of
// iterations of the first loop (of rows, for columns); without columns `groups` is 1.
struct ChunkedReduce {
  // Reduces of one array each, over the same dimensions of equal sizes, none of which needs another.
  std::vector<ArrayNode> reduces;
  std::vector<int> buffers;
  int64_t elements = 1;
  bool columns = false;
  int64_t chunks = 1;
  int64_t chunk = 1;  // iterations of the first loop in each, of `groups` rows each
  int64_t tail = 0;   // rows that are left: one more chunk
  // Of columns.
  int64_t rows_at_once = 1;  // divides `chunk`
  int64_t inner = 1;         // elements that are neighbours
  int64_t groups = 1;
  int64_t column_block = 1;

  PartialPlaces places() const { return {elements, chunks + (tail > 0 ? 1 : 0), groups, inner}; }
  int64_t width() const { return groups * inner; }
};

// How to reduce in chunks, which are the parts of `order`, or nullopt where one element after the other is as good.
absl::optional<ChunkedReduce> ChunksFor(const ArrayNode& reduce, ElementEmitter& emitter, const SumOrder& order);

void WriteChunkedReduce(const ChunkedReduce& nest, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_CHUNKED_REDUCE_H_
