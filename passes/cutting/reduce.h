// ReduceModule: the smallest module it can find that still shows what a given one shows (delta debugging).
#ifndef PASSES_CUTTING_REDUCE_H_
#define PASSES_CUTTING_REDUCE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct ReduceOptions {
  absl::Duration time_limit = absl::InfiniteDuration();
  // Limits of the search, which ends with an error where it reaches one; nullptr: none.
  const ResourceContext* resources = nullptr;
  // Called with the given module and with each smaller one that shows it too.
  std::function<absl::Status(const HloModule& best)> on_better;
};

struct ReduceResult {
  std::unique_ptr<HloModule> module;
  int64_t tests = 0;     // how often `shows` was asked
  bool finished = true;  // false: the time limit ended it
};

// `shows` says whether a module, which is always a verified one, shows what is looked for; an error ends the search.
// What is tried, again and again until nothing helps: an earlier instruction or some elements of a tuple as the result;
// parameters, zeros and operands of the same shape in place of instructions, many at a time and then fewer; bodies
// in place of calls, fusions, loops and conditionals; fewer parameters, control edges and annotations; smaller
// sizes. The same module and the same answers give the same result. Errors: FailedPrecondition if `module` itself does
// not show it; those of `shows` and on_better, and of a limit that is reached.
absl::StatusOr<ReduceResult> ReduceModule(const HloModule& module,
                                          const std::function<absl::StatusOr<bool>(const HloModule&)>& shows,
                                          const ReduceOptions& options = {});

}  // namespace xla

#endif  // PASSES_CUTTING_REDUCE_H_
