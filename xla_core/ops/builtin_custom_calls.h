// The custom-call targets that every registry starts with.
#ifndef XLA_CORE_OPS_BUILTIN_CUSTOM_CALLS_H_
#define XLA_CORE_OPS_BUILTIN_CUSTOM_CALLS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ops/buffer_call.h"
#include "xla_core/ops/custom_call_registry.h"

namespace xla {

// A row of the table of targets: the function to call, and what can be checked before.
struct BuiltinCustomCall {
  std::string name;
  CustomCallFunction function;
  // What can be said of a call before it runs; nullptr: nothing.
  absl::Status (*check)(const HloInstruction& call) = nullptr;
};

// Those that XLA itself gives a meaning: TopK, Sharding, PadToStatic ...
const std::vector<BuiltinCustomCall>& XlaCustomCalls();

// Runs a call of linear algebra on literals.
absl::StatusOr<Literal> EvaluateBufferCall(MakeBufferCall make, const CustomCall& call);

// InvalidArgument if the instruction calls one of the targets above in a way that it refuses whatever the values are.
absl::Status CheckBuiltinCustomCall(const HloInstruction& call);

}  // namespace xla

#endif  // XLA_CORE_OPS_BUILTIN_CUSTOM_CALLS_H_
