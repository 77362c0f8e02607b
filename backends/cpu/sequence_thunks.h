// Sequence thunks: several instructions, or a loop or a branch with all that it calls, as one kernel on one thread.
//
// A pointwise loop (pointwise_loop.h) is a kernel like any other, of all iterations. Any other of unknown
// length, or that is much work, runs in slices of about a millisecond: the kernel gets a number of iterations that it
// may do, and is called again until it does not need them all. In between the run can be stopped, and steps are counted
// as if each instruction had been a thunk.
#ifndef BACKENDS_CPU_SEQUENCE_THUNKS_H_
#define BACKENDS_CPU_SEQUENCE_THUNKS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/kernel_thunks.h"
#include "backends/kernel_ir/lowering/lower_sequence.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// A maker whose kernels are compiled with those of `kernels`, which outlives it. For the instructions of one module.
// `contract_recurrences`: see SequenceOptions.
SequenceMaker MakeSequenceMaker(KernelSet& kernels, bool contract_recurrences);

}  // namespace xla

#endif  // BACKENDS_CPU_SEQUENCE_THUNKS_H_
