// Writes collectives in terms of simpler ones.
#ifndef PASSES_EXPANDING_DECOMPOSE_COLLECTIVES_H_
#define PASSES_EXPANDING_DECOMPOSE_COLLECTIVES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Option ops names what is decomposed:
//   all-to-all      of an array becomes the form with an operand for each device, between slices and a concatenate
//   reduce-scatter  becomes an all-reduce, of which each device keeps the slice of its position in the group
//   all-gather      becomes an all-reduce of the bits that each device has put in their place, among zeros
//   collective-broadcast becomes one too, of the bits of the first device of the group
//   ragged-all-to-all becomes two all-to-all, of all inputs and of the offsets and sizes, and a gather of the
//                   rows that were sent to this device. Rows that do not fit, an error for the interpreter, are cut off
// The last three move more data and are not chosen unless named. Asynchronous collectives are for split-async first.
// Left alone: what needs counts of replicas or partitions that the module does not state.
absl::StatusOr<bool> DecomposeCollectives(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_DECOMPOSE_COLLECTIVES_H_
