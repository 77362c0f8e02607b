// The pass remove-dead-collectives.
#ifndef PASSES_CLEANING_REMOVE_DEAD_COLLECTIVES_H_
#define PASSES_CLEANING_REMOVE_DEAD_COLLECTIVES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Removes collectives without users, those in which every device meets itself only, and an all-reduce of an all-reduce
// among the same devices: it gives the same again, or, as a sum, a multiple of it.
//   before: s = f32[4] all-reduce(x), replica_groups={{0},{1}}, to_apply=add     after: x
// All devices run the same program, so what goes for one goes for all. Groups of one device are those that the module
// lists, or follow from the counts in its header if it says that there are several devices. What has control edges
// stays, and so does a sum of floats of more than four devices, which may round.
absl::StatusOr<bool> RemoveDeadCollectives(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_REMOVE_DEAD_COLLECTIVES_H_
