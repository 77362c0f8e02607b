// A nest whose innermost loop would walk across memory on the reading side: it goes block by block, and what is read
// that way is transposed into scratch first, which code generators do in registers.
//
//   for strip of blocks of k, i block, k block {
//     for i { for k in lanes { scratch[k, i] = x[.. i*stride + k] } }
//     for k { for i in lanes { y[k, i] = f(scratch[k, i]) } }
//   }
//
// A strip is as wide as it can be without visiting more pages of memory at a time than a processor remembers.
#ifndef BACKENDS_KERNEL_IR_LOWERING_TRANSPOSE_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_TRANSPOSE_NEST_H_

#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/nest.h"

namespace xla {

// The loops i and k of the drawing above, which blocks they are cut into, and which buffers go through scratch.
struct TransposePlan {
  std::vector<int64_t> loops;  // over the elements of the arrays, which are all of equal sizes; the last one is i
  int k = 0;                   // the loop along which the strided buffers lie in memory
  // Buffers that are read so, and how far apart in them the elements of neighbouring i are.
  std::vector<std::pair<int, int64_t>> strided;
  int64_t block = 0;  // iterations of either loop
  int64_t blocks_in_strip = 1;
  int64_t strips_at_once = 1;  // that are one tile
};

// What a draft of the nest, as loops that are all whole, shows; nullopt if nothing is read across memory.
absl::optional<TransposePlan> FindTranspose(const Kernel& draft, const Nest& nest, const NestPlan& plan,
                                            const LoweringTarget& target);

void WriteTranspose(const Nest& nest, const TransposePlan& plan, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_TRANSPOSE_NEST_H_
