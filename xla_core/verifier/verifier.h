// VerifyModule: whether a module, however it came into being, is one that can be evaluated and compiled.
#ifndef XLA_CORE_VERIFIER_VERIFIER_H_
#define XLA_CORE_VERIFIER_VERIFIER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

struct VerifierOptions {
  // Dimensions of unknown size without a bound (`?`) are refused unless this is set: nothing can run them.
  bool allow_unbounded_dimensions = false;
  // Violations beyond these are counted only.
  int64_t max_reported = 100;
};

// OK, or InvalidArgument whose message has a line for each violation of the module: computation, instruction with its
// shapes, and the rule. Checks the graph (who owns, precedes and calls whom), every instruction by its row of the op
// table, and the rules that span instructions. Only a module that passed may be given to an op's evaluator.
// Source: hlo-opcodes.md sections 3, 4 and 7.
absl::Status VerifyModule(const HloModule& module, const VerifierOptions& options = {});

}  // namespace xla

#endif  // XLA_CORE_VERIFIER_VERIFIER_H_
