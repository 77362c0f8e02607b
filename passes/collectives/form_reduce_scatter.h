// The pass form-reduce-scatter.
#ifndef PASSES_COLLECTIVES_FORM_REDUCE_SCATTER_H_
#define PASSES_COLLECTIVES_FORM_REDUCE_SCATTER_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Replaces an all-reduce of which each device reads its own part only by a reduce-scatter, which moves half as much:
//   before: s = f32[8] all-reduce(x)  part = f32[4] dynamic-slice(s, replica-id * 4)
//   after:  part = f32[4] reduce-scatter(x), dimensions={0}
// A part is a dynamic-slice along one dimension, as many of which make the whole as devices are in a group. Which part
// is whose is not matched but computed: the offset may follow from replica-id, partition-id and constants in any way,
// and is evaluated for each device, in every reading of the groups. Parts must be in order of the group; if they are in
// another order, the groups are written in that one, where operations on elements may come in any order: exactly so or,
// of floats, as a sum, unless option keep-order forbids it. The part may be read in several places, and the sum of one array may be reshaped or transposed
// before. An all-reduce of several arrays becomes one reduce-scatter if all are cut along one dimension.
// Left alone: an all-reduce that is read in another way, too; groups of different sizes; modules that do not state
// their counts of replicas and partitions, or more than 4096 devices; dynamic shapes.
absl::StatusOr<bool> FormReduceScatter(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_FORM_REDUCE_SCATTER_H_
