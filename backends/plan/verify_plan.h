// VerifyPlan: whether a plan computes what its module says, as far as memory goes.
//
// The program is followed along every path, loops until nothing changes any more. Of each byte the verifier knows which
// values (dataflow.h) it holds for certain: those that were written there, and not written over, on all paths. So
//
//   x = f32[4] parameter(0)            reads           writes       known afterwards
//   a = f32[4] negate(x)               x at argument   arena 0      arena 0: a
//   b = f32[4] dot(a, ...)             arena 0         arena 16     arena 0: a, arena 16: b
//
// and it is an error if
//   - a thunk, a jump, the next iteration of a loop, the end of a branch, or a result of the program needs a value that
//     its place does not hold on every path: because nothing wrote it, or because something else was written there,
//   - a thunk reads what neither is an operand nor was written by itself,
//   - a slice reaches out of its memory, or the slices that a thunk writes overlap each other or, in part, an operand,
//   - thunks that run together need each other's memory,
//   - a jump goes somewhere else than the loop or branch that it belongs to.
//
// The verifier shares the dataflow of the module and the places of its values with the planner, but not liveness, nor
// what decided where thunks begin and end.
#ifndef BACKENDS_PLAN_VERIFY_PLAN_H_
#define BACKENDS_PLAN_VERIFY_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "backends/plan/program_plan.h"

namespace xla {

// `plan` has a trace (PlanOptions::keeps_trace). Internal: the plan is wrong; the message tells which step needs what.
absl::Status VerifyPlan(const ProgramPlan& plan);

// How much memory each base has, from 0 on. The plan has a trace.
std::vector<int64_t> BytesOfBases(const ProgramPlan& plan);

}  // namespace xla

#endif  // BACKENDS_PLAN_VERIFY_PLAN_H_
