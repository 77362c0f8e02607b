// PendingSum: a value that has not been added up yet.
//
// Where devices multiply or reduce their shards, each has a term of the result. The terms are added up when something
// needs the sum: by a reduce-scatter, if it needs it cut among the devices that have the terms, else by an all-reduce.
// Until then, operations that are as good on terms as on their sum are done on terms:
//
//   transpose(x1 + x2) = transpose(x1) + transpose(x2)       (x1 + x2) + (y1 + y2) = (x1 + y1) + (x2 + y2)
#ifndef PASSES_PARTITIONING_PENDING_SUM_H_
#define PASSES_PARTITIONING_PENDING_SUM_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "passes/partitioning/array_tiling.h"
#include "xla_core/ir/opcode.h"

namespace xla {

struct PendingSum {
  HloOpcode combiner = HloOpcode::kAdd;
  ArrayTiling terms;  // which term a device has, as if these were more dimensions of the array

  int64_t count() const { return TileCount(terms); }
  bool operator==(const PendingSum& other) const { return combiner == other.combiner && terms == other.terms; }
};

// The dimension of a sum that is wanted cut among the very devices that have its terms, in their order; `cut` is how
// the terms are cut.
absl::optional<int> ScatteredDimension(const ArrayTiling& cut, const PendingSum& sum, const ArrayTiling& wanted);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PENDING_SUM_H_
