// A nest of products, tile by tile: an invocation computes some rows and columns of the result at once, so that what it
// loads once serves several sums. Dots and convolutions are such nests; what is computed from their results comes
// along.
//
//   for tile of rows, tile of columns {
//     for invocation independent {
//       for i in 0..8 independent unroll { for j in 0..8 independent unroll {
//         %s = reduce %k { x[rows.. + i, %k] * y[%k, columns.. + j] }
//         store z[..] f(%s)
//       } }
//     }
//   }
//
// jam_loops.h makes one reduce of all of them, with a sum for each. The order of each sum stays that of the draft.
// Columns of an invocation lie apart, so that neighbours load neighbours; on devices where each tile has one
// invocation, neighbouring tiles do so. Where rows or columns end within a tile, it computes the last one several times
// and stores what is there.
#ifndef BACKENDS_KERNEL_IR_LOWERING_REGISTER_TILE_H_
#define BACKENDS_KERNEL_IR_LOWERING_REGISTER_TILE_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/nest.h"

namespace xla {

struct RegisterTile {
  std::vector<int64_t> loops;  // over the elements of the arrays, which are all of equal sizes
  // What a loop is cut into: `each` iterations of an invocation, for `invocations` of them.
  struct Cut {
    int loop = 0;
    int64_t each = 1;
    int64_t invocations = 1;

    int64_t tile() const { return each * invocations; }
  };
  Cut rows;
  Cut columns;  // of the innermost loop
  bool invocations_are_tiles = false;
};

// What a draft of the nest, as loops that are all whole, shows; nullopt if no load serves several sums, or if that is
// not wanted.
absl::optional<RegisterTile> FindRegisterTile(const Kernel& draft, const Nest& nest, const NestPlan& plan,
                                              const LoweringTarget& target);

void WriteRegisterTile(const Nest& nest, const RegisterTile& tile, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_REGISTER_TILE_H_
