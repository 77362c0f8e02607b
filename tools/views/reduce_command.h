// --reduce of hlo-opt: files and commands around ReduceModule.
#ifndef TOOLS_VIEWS_REDUCE_COMMAND_H_
#define TOOLS_VIEWS_REDUCE_COMMAND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct ReduceFlags {
  bool reduce = false;
  std::string test;            // the command
  std::string keep = "fails";  // or "passes": how the command is to go on ending
  absl::Duration time_limit = absl::InfiniteDuration();
  absl::Duration test_time_limit = absl::Minutes(1);
};

// Reduces the verified `module` and says on standard error how far. The best module so far stands in the file `output`,
// as HLO text, at any time after the first test. Errors: InvalidArgument for flags that do not go together;
// FailedPrecondition if the command does not end as it should for the module itself; those of files and commands; a
// limit of `resources` was reached.
absl::Status RunReduction(const HloModule& module, const ReduceFlags& flags, const std::string& output,
                          const ResourceContext& resources);

}  // namespace xla

#endif  // TOOLS_VIEWS_REDUCE_COMMAND_H_
