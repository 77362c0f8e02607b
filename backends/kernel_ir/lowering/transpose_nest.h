// A nest whose innermost loop would walk across memory on the reading side: it goes block by block, and what is read
// that way is copied into scratch first, along memory.
//
//   for k block, i block { scratch[i, k] = x[.. i*stride + k]   for k { for i in lanes { y[k, i] = f(scratch[i, k]) } }
//   }
#ifndef BACKENDS_KERNEL_IR_LOWERING_TRANSPOSE_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_TRANSPOSE_NEST_H_

#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/nest.h"

namespace xla {

struct TransposePlan {
  std::vector<int64_t> loops;  // over the elements of the arrays, which are all of equal sizes; the last one is i
  int k = 0;                   // the loop along which the strided buffers lie in memory
  // Buffers that are read so, and how far apart in them the elements of neighbouring i are.
  std::vector<std::pair<int, int64_t>> strided;
  int64_t strips_at_once = 1;  // strips of blocks that are one tile
};

// What a draft of the nest, as loops that are all whole, shows; nullopt if nothing is read across memory.
absl::optional<TransposePlan> FindTranspose(const Kernel& draft, const Nest& nest, const NestPlan& plan,
                                            const LoweringTarget& target);

void WriteTranspose(const Nest& nest, const TransposePlan& plan, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_TRANSPOSE_NEST_H_
