// Workgroups: phases whose tiles are run by many invocations, made of phases for one thread each (kernel.h says what
// either means).
//
//   phase tiles=8 (%t) {                         phase tiles=8 invocations=64 (%t) {
//     for %r in 0..4 {                             for %r in 0..4 {
//                                                    barrier
//       for %i in 0..64 independent vector {         for %i in 0..64 independent invocations {
//         store kept[%i], ...                          store kept[%i], ...
//       }                                            }
//                                                    barrier
//       %s = reduce %j in 0..64 ... lanes 32         %s = reduce %j in 0..64 ... lanes 32 invocations
//       for %i in 0..64 independent vector {         for %i in 0..64 independent invocations {
//         store z[...], kept[%i] / %s                  store z[...], kept[%i] / %s
//       }                                            }
//     }                                            }
//   }                                            }
//
// What is shared out are independent loops and the lanes of reduces, those that are innermost, because neighbours in
// them are neighbours in memory; a loop around them where they are too short. Loops that store and share nothing are
// left to one invocation alone. No result changes by a bit.
#ifndef BACKENDS_KERNEL_IR_WORKGROUPS_H_
#define BACKENDS_KERNEL_IR_WORKGROUPS_H_

#include <cstdint>
#include <set>

#include "backends/kernel_ir/kernel.h"

namespace xla {

// Gives each phase in which there is something to share out as many invocations as that has use for, a power of two,
// and `max_invocations` at most; and puts barriers where they are needed. A kernel that has invocations already is left
// as it is.
void MakeWorkgroups(Kernel& kernel, int64_t max_invocations);

// Of those that the phase loads from or stores to.
std::set<int> BuffersOf(const KernelPhase& phase);

// What a workgroup shares while it runs a tile: the scratch that the phase uses, and a value for each lane of the
// shared reduce that has the most.
int64_t SharedBytes(const Kernel& kernel, const KernelPhase& phase);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_WORKGROUPS_H_
