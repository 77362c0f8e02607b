// What this machine can do at most, found out by trying: what the speed of a program is compared with.
#ifndef TOOLS_SHARED_MACHINE_ROOF_H_
#define TOOLS_SHARED_MACHINE_ROOF_H_

#include "xla_core/support/thread_pool.h"

namespace xla {

struct MachineRoof {
  double bytes_per_second = 0;  // to and from memory, beyond what caches hold: the better of reading and copying
  double flops_per_second = 0;  // f32 multiply-adds in registers, which count as two

  // The least time that moving so many bytes and computing so much takes, in seconds.
  double LeastSeconds(double bytes, double flops) const;
};

// Of all threads of the pool together. Takes some 0.2 s and, for that time, 256 MB of memory; what could not be
// measured for lack of memory is 0.
MachineRoof MeasureMachineRoof(ThreadPool& pool);

}  // namespace xla

#endif  // TOOLS_SHARED_MACHINE_ROOF_H_
