// VerifyModule: whether a module, however it came into being, is one that can be evaluated and compiled.
#ifndef XLA_CORE_VERIFIER_VERIFIER_H_
#define XLA_CORE_VERIFIER_VERIFIER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// How strict the verifier is and what it reports.
struct VerifierOptions {
  // Dimensions of unknown size without a bound (`?`) are refused unless this is set: nothing can run them before
  // SettleDimensions gives them sizes. They are odd then.
  bool allow_unbounded_dimensions = false;
  // Violations beyond these, and warnings beyond as many, are counted only.
  int64_t max_reported = 100;
  // What is odd but has a meaning is a violation too. Without it, such things are warnings.
  bool strict = false;
  // Takes a line for each warning, of the form of those for violations; nullptr: not wanted.
  std::vector<std::string>* warnings = nullptr;
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// OK, or InvalidArgument whose message has a line for each violation of the module: computation, instruction with its
// shapes, and the rule. Checks the graph (who owns, precedes and calls whom), every instruction by its row of the op
// table, and the rules that span instructions. Only a module that passed may be given to an op's evaluator.
// Reaching a limit of the options ends it with that limit's error: the module may then be right or wrong.
// What XLA takes and has a meaning passes, with a warning where it is odd; what has no meaning does not.
// Source: StableHLO spec, the constraints of each operation; XLA's hlo_verifier.cc.
absl::Status VerifyModule(const HloModule& module, const VerifierOptions& options = {});

}  // namespace xla

#endif  // XLA_CORE_VERIFIER_VERIFIER_H_
