// Programs as executions see them: arrays go in and come out one by one.
#ifndef BINDINGS_PJRT_FLAT_PROGRAM_H_
#define BINDINGS_PJRT_FLAT_PROGRAM_H_

#include "absl/status/status.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {
namespace pjrt {

// Gives the program a parameter for each element of its one parameter, a tuple; aliases and donors follow. A program
// with other parameters stays as it is.
//   before: p = (f32[2], s32[]) parameter(0)
//   after:  a = f32[2] parameter(0)  b = s32[] parameter(1)  p = (f32[2], s32[]) tuple(a, b)
absl::Status FlattenParameters(HloModule& module);

// Unimplemented if a parameter is a tuple, or an element of the result.
absl::Status CheckIsFlat(const HloModule& module);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_FLAT_PROGRAM_H_
