// Products that a ring of devices computes a part at a time (windowed einsum): while a device multiplies a part, the
// next one is on its way.
//
// Where an operand would be gathered, its parts go around. Device c has part c of w, which is cut along a dimension of
// the result, or along one that is added up (in which case x is cut into parts, too, and products are added):
//
//   step 0   y[c]   = dot(x, w[c])      w[c+1] comes from device c+1
//   step 1   y[c+1] = dot(x, w[c+1])    w[c+2] comes from device c+1, and so on
//
// Where the sum of all devices' products would be scattered, sums go around. Device c is to have part c of y:
//
//   step 0   s = dot(x[c+1], w)         the sum for part c+2 comes from device c+1
//   step 1   s = that + dot(x[c+2], w)  ... until, in the last step, s is the sum for part c
//
// As many bytes are sent as by an all-gather or a reduce-scatter. split-collectives lets the sending and the
// multiplying of a step go on at once.
#ifndef PASSES_PARTITIONING_PARTITION_RING_H_
#define PASSES_PARTITIONING_PARTITION_RING_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "passes/partitioning/factor_choice.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/shard_emitter.h"
#include "passes/partitioning/sharded_values.h"
#include "xla_core/types/literal.h"

namespace xla {

struct Ring {
  bool is_scattered = false;                 // the result; else operand number `operand` is gathered
  int operand = 0;                           // gathered along
  int dimension = 0;                         // this dimension of it; or scattered along this one of the result
  int factor = FactorRule::kNone;            // of the dimension
  int64_t size = 0;                          // of the whole dimension
  DimensionTiling parts;                     // the part that a device begins with, or has in the end
  std::vector<std::vector<int64_t>> groups;  // of devices, by the number of their part

  int64_t count() const { return parts.tiles; }
  int64_t part_size() const { return ShardSize(size, parts); }
};

// The ring for a dot whose factors have been chosen and whose operands are those of the global program; the one that
// has more bytes to send, of two. nullopt: nothing is gathered or scattered along one dimension alone, there are more
// than 64 parts, the operand is read elsewhere, too, or the rule of the emitter's program wants none.
absl::optional<Ring> FindRing(const HloInstruction& dot, const FactorRule& rule, const FactorChoice& choice,
                              const ArrayTiling& wanted, const ShardedValues& values, const ShardEmitter& emitter);

// The product, or the device's part of it. The dot has the shape of a device's product, whole along what the ring
// gathers or scatters, and the element type in which products are added; its operands are shards. `neutral` is added
// where a dimension has padding.
HloInstruction* MultiplyInRing(const HloInstruction& dot, const FactorRule& rule, const Ring& ring,
                               const Literal& neutral, ShardEmitter& emitter);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_RING_H_
