// The pass flatten-call-graph.
#ifndef PASSES_CLEANING_FLATTEN_CALL_GRAPH_H_
#define PASSES_CLEANING_FLATTEN_CALL_GRAPH_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Gives each call, loop and conditional computations of its own, by copying those that several of them share: what is
// then known of a computation is known of its one caller.
//   before: a = f32[4] call(x), to_apply=f  b = f32[4] call(y), to_apply=f
//   after:  a = f32[4] call(x), to_apply=f  b = f32[4] call(y), to_apply=f.1
// Computations that reduce, sort and the like apply to elements stay shared, and so do those that send, receive or meet
// other devices. ResourceExhausted, before anything is copied, if the program would become too large: larger than four
// times PassContext::max_instructions. (The backend cpu, which cannot do without this pass and so gets more than
// others, took over a minute to compile a million instructions that three kilobytes of text stood for.)
absl::StatusOr<bool> FlattenCallGraph(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_FLATTEN_CALL_GRAPH_H_
